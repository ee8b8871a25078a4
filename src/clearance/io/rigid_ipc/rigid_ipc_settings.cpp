#include "clearance/io/rigid_ipc/rigid_ipc_settings.h"

#include <fmt/format.h>

#include <algorithm>

namespace clearance {
namespace {

const Field at_least_zero = at_least(0.0, "", "");
const Field above_zero = positive("", "");

using Keys = std::vector<std::string_view>;

struct Section {
  const char* name;
  Keys keys;
};
const Section sections[] = {
    {"rigid_body_problem",
     {"rigid_bodies", "gravity", "coefficient_friction", "coefficient_restitution", "collision_eps", "time_stepper",
      "do_intersection_check"}},
    {"distance_barrier_constraint",
     {"initial_barrier_activation_distance", "minimum_separation_distance", "detection_method", "trajectory_type",
      "barrier_type"}},
    {"friction_constraints", {"static_friction_speed_bound", "iterations"}},
    {"newton_solver",
     {"max_iterations", "convergence_criteria", "velocity_conv_tol", "is_velocity_conv_tol_abs", "energy_conv_tol",
      "line_search_lower_bound", "linear_solver"}},
    {"ipc_solver",
     {"max_iterations", "convergence_criteria", "velocity_conv_tol", "is_velocity_conv_tol_abs", "energy_conv_tol",
      "line_search_lower_bound", "linear_solver", "dhat_epsilon", "min_barrier_stiffness_scale"}},
    {"homotopy_solver", {"e_b", "t_inc", "t_init", "m", "c", "inner_solver"}}};
const Keys other_sections = {"scene_type",     "solver",     "timestep",          "max_time",
                             "max_iterations", "ncp_solver", "volume_constraint", "viewport_bbox"};

// Lookup of the solver's keys; newton_solver supplies those that the solver does not have.
class NewtonKeys {
 public:
  explicit NewtonKeys(const RigidIpcObject& root)
      : usual_(root.child("newton_solver")), own_(root.child("ipc_solver")) {
    is_ipc_ = root.word("solver", "ipc_solver") == "ipc_solver";
  }
  const RigidIpcObject& at(const char* key) const { return is_ipc_ && own_.has(key) ? own_ : usual_; }

 private:
  RigidIpcObject usual_;
  RigidIpcObject own_;
  bool is_ipc_ = true;
};

void read_kind_of_problem(const RigidIpcObject& root) {
  constexpr const char* usual = "distance_barrier_rb_problem";
  const std::string type = root.word("scene_type", usual);
  if (type == "split_distance_barrier_rb_problem") {
    root.warning("scene_type", "this problem is simulated with one solve per step, like distance_barrier_rb_problem");
  } else if (type != usual) {
    root.error("scene_type", fmt::format("expected {} or split_{}", usual, usual));
  }
  const std::string solver = root.word("solver", "ipc_solver");
  if (solver == "homotopy_solver") {
    root.warning("solver",
                 "this solver is replaced by Newton's method with adaptive barrier stiffness, like ipc_solver");
  } else if (solver != "ipc_solver") {
    root.error("solver", "expected ipc_solver or homotopy_solver");
  }
}

TimeIntegrator read_integrator(const RigidIpcObject& problem) {
  const std::string name = problem.word("time_stepper", "default");
  if (name == "implicit_newmark") return TimeIntegrator::implicit_newmark;
  if (name == "stabilized_newmark") {
    problem.warning("time_stepper", "this integrator is replaced by implicit_newmark");
    return TimeIntegrator::implicit_newmark;
  }
  if (name != "default" && name != "implicit_euler") {
    problem.warning("time_stepper", "this integrator has no counterpart; implicit_euler is used, as in Rigid IPC");
  }
  return TimeIntegrator::implicit_euler;
}

void read_contact(const RigidIpcObject& root, const NewtonKeys& newton, double diagonal, ContactDesc& contact) {
  const RigidIpcObject barrier = root.child("distance_barrier_constraint");
  contact.dhat = barrier.number("initial_barrier_activation_distance", 1e-3, above_zero);
  contact.dhat_is_absolute = true;
  contact.min_separation = barrier.number("minimum_separation_distance", 0.0, at_least_zero);
  const double close = newton.at("dhat_epsilon").number("dhat_epsilon", 1e-9, at_least_zero) * diagonal;
  contact.close_distance = std::min(close, contact.dhat);
  contact.kappa_min_multiplier =
      newton.at("min_barrier_stiffness_scale").number("min_barrier_stiffness_scale", 1e11, above_zero);
  if (barrier.word("barrier_type", "ipc") != "ipc") {
    barrier.warning("barrier_type", "this barrier has no counterpart; the barrier of IPC is used");
  }
}

void read_friction(const RigidIpcObject& root, FrictionDesc& friction) {
  const RigidIpcObject problem = root.child("rigid_body_problem");
  const RigidIpcObject from = root.child("friction_constraints");
  friction.coefficient = problem.number("coefficient_friction", 0.0, at_least_zero);
  if (friction.coefficient > 1.0) problem.warning("coefficient_friction", "the friction coefficient is above 1");
  friction.eps_v = from.number("static_friction_speed_bound", 1e-3, above_zero);
  friction.eps_v_is_absolute = true;
  // The reference's -1 means until the forces agree with their lags, which is the native 0; its 0 means no friction.
  const int iterations = from.integer("iterations", 1);
  friction.iterations = std::max(iterations, 0);
  if (iterations == 0) {
    friction.coefficient = 0.0;
    friction.iterations = 1;
  }
}

/// Reads the restitution. The reference's default of -1 means none. With a value above 1 impacts would make energy.
void read_restitution(const RigidIpcObject& problem, TimeIntegrator integrator, ContactDesc& contact) {
  const double restitution = problem.number("coefficient_restitution", 0.0);
  if (!(restitution > 0.0)) return;
  if (integrator == TimeIntegrator::implicit_newmark) {
    problem.warning("coefficient_restitution",
                    "the restitution has no effect with the time_stepper implicit_newmark, which treats impacts "
                    "itself; with implicit_euler it becomes `contact.restitution`");
    return;
  }
  if (restitution > 1.0) {
    problem.warning(
        "coefficient_restitution",
        "the restitution is above 1, so that every impact would add energy; 1 (`contact.restitution`) is used instead");
  }
  contact.restitution = std::min(restitution, 1.0);
}

void read_newton(const NewtonKeys& newton, double diagonal, SolverDesc& solver) {
  solver.max_iterations = newton.at("max_iterations").integer("max_iterations", 3000);
  if (solver.max_iterations < 1) newton.at("max_iterations").error("max_iterations", "must be at least 1");
  const bool is_absolute = newton.at("is_velocity_conv_tol_abs").flag("is_velocity_conv_tol_abs", false);
  const double tolerance = newton.at("velocity_conv_tol").number("velocity_conv_tol", 1e-2, above_zero);
  solver.tolerance = is_absolute ? tolerance : tolerance * diagonal;
  solver.tolerance_is_absolute = true;
  const RigidIpcObject& criteria = newton.at("convergence_criteria");
  if (criteria.word("convergence_criteria", "velocity") != "velocity") {
    criteria.warning("convergence_criteria", "this criterion has no counterpart; steps end by velocity_conv_tol");
  }
}

}  // namespace

TimeDesc read_rigid_ipc_time(const RigidIpcObject& root) {
  TimeDesc time;
  time.mass = MassKind::lumped;
  time.max_halvings = 0;
  time.step = root.number("timestep", 0.01, above_zero);
  const double max_time = root.number("max_time", -1.0);
  const int max_iterations = root.integer("max_iterations", -1);
  constexpr int usual_steps = 1000;
  const int steps = max_iterations > 0 ? max_iterations : usual_steps;
  time.duration = max_time > 0.0 ? max_time : steps * time.step;
  return time;
}

void read_rigid_ipc_settings(const RigidIpcObject& root, double diagonal, SceneDesc& scene) {
  const RigidIpcObject problem = root.child("rigid_body_problem");
  const NewtonKeys newton(root);
  read_kind_of_problem(root);
  scene.gravity = Vec<3>::Zero();
  if (problem.has("gravity")) scene.gravity = problem.vector("gravity", scene.dimension);
  scene.time.integrator = read_integrator(problem);
  read_contact(root, newton, diagonal, scene.contact);
  read_friction(root, scene.friction);
  read_restitution(problem, scene.time.integrator, scene.contact);
  read_newton(newton, diagonal, scene.solver);
}

void warn_of_unknown_rigid_ipc_settings(const RigidIpcObject& root) {
  Keys known = other_sections;
  for (const Section& section : sections) {
    known.emplace_back(section.name);
    std::vector<std::string> reported;
    root.child(section.name).warn_of_unknown_keys(section.keys, reported);
  }
  std::vector<std::string> reported;
  root.warn_of_unknown_keys(known, reported);
}

}  // namespace clearance
