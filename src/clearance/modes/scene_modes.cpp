#include "clearance/modes/scene_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "clearance/base/stop.h"
#include "clearance/geometry/mesh.h"
#include "clearance/math/dimension.h"
#include "clearance/model/local_coordinates.h"
#include "clearance/modes/stiffness_pencil.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/build/motion_targets.h"
#include "clearance/simulation/overlaps/separate_overlaps.h"
#include "clearance/simulation/stepping/stepped_scene.h"
#include "clearance/simulation/stiffness/state_matrices.h"

namespace clearance {
namespace {

bool is_static(const SceneDesc& scene) {
  return scene.time.integrator == TimeIntegrator::quasi_static;
}

/// Returns the parts of the scene that have no modes.
Issues problems_of(const SceneDesc& scene, const ModesOptions& options) {
  Issues issues;
  if (options.is_buckling && !is_static(scene)) {
    issues.push_back({"", "time.integrator", "",
                      "buckling is found from the equilibrium under the loads of the scene; expected "
                      "\"quasi_static\", for example by --set time.integrator=quasi_static"});
  }
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDesc& body = scene.bodies[i];
    const bool adapts = body.remesh ? body.remesh->enabled : scene.remesh && scene.remesh->enabled;
    if (body.kind != BodyKind::deformable || !adapts || !is_static(scene)) continue;
    issues.push_back(
        {"", body.remesh ? fmt::format("bodies[{}].remesh", i) : "remesh", "",
         fmt::format("the elements of body '{}' adapt, and modes need elements that stay; expected null", body.name)});
  }
  return issues;
}

/// Removes damping, which moves no equilibrium and is no stiffness.
void remove_damping(SceneDesc& scene) {
  for (BodyDesc& body : scene.bodies) {
    body.material.damping = 0.0;
    for (MaterialPartDesc& part : body.material_parts) part.material.damping = 0.0;
  }
  for (JointDesc& joint : scene.joints) joint.damping = joint.friction = 0.0;
}

/// Loads the scene and gets it ready for its first step.
Result<Done> start(SceneDesc scene, SteppedScene& stepped) {
  Issues of_scene = check_scene(scene);
  if (has_errors(of_scene)) return of_scene;
  if (scene.axisymmetric) {
    return Issue{
        "", "axisymmetric", "true",
        "modes of bodies of revolution are not available: most of them are not axisymmetric; use a scene in 3D"};
  }
  if (scene.start.overlaps == OverlapHandling::separate) {
    Result<Separation> separated = separate_overlaps(scene);
    if (!separated) return separated.issues();
    scene = std::move(separated->scene);
  }
  return stepped.start(std::move(scene), std::move(of_scene));
}

/// The modes of one scene.
template <int dim>
class ModeFinder {
 public:
  ModeFinder(SteppedScene& stepped, const ModesOptions& options) : stepped_(stepped), options_(options) {
    for (const BodyView& view : stepped.views) names_.push_back(view.name);
  }

  SceneModes run() {
    for (const NamedHint& hint : stepped_.warnings) result_.warnings.push_back(hint.issue);
    StopScope scope(options_.is_stop_wanted);
    try {
      if (scope.is_stop_wanted()) throw Stopped();
      if (is_static(stepped_.desc) ? find_loaded() : find_at_start()) finish();
    } catch (const Stopped&) {
      result_.end = ModesEnd::stopped;
    }
    return std::move(result_);
  }

 private:
  const SceneModel& scene() const { return *stepped_.scene; }

  bool fail(Issues errors) {
    result_.end = ModesEnd::failed;
    result_.errors = std::move(errors);
    return false;
  }

  void warn(std::string place, std::string message) {
    result_.warnings.push_back({"", std::move(place), "", std::move(message), Severity::warning});
  }

  /// Finds the modes of the start.
  bool find_at_start() {
    State state = stepped_.state;
    const Result<PrescribedTargets> targets = find_targets(scene(), state);
    if (!targets) return fail(targets.issues());
    Result<StiffnessPencil> pencil = assemble_pencil<dim>(scene(), state, *targets, StiffnessTerms::all);
    if (!pencil) return fail(pencil.issues());
    if (std::isfinite(stepped_.initial_min_distance)) {
      warn("contact",
           "bodies are in contact at the start, and contacts are no part of the modes of a start; a "
           "quasi_static scene has them as springs");
    }
    warn_of_linear_elements();
    if (!find_vibrations(state, *pencil)) return false;
    warn_of_missing_gravity();
    return true;
  }

  /// A pendulum swings by gravity, whose stiffness is that of a loaded state.
  void warn_of_missing_gravity() {
    const SceneDesc& desc = stepped_.desc;
    const bool has_free_motion = std::any_of(result_.modes.begin(), result_.modes.end(),
                                             [](const SceneMode& mode) { return !mode.name.empty(); });
    const bool is_suspended =
        !desc.joints.empty() ||
        std::any_of(desc.bodies.begin(), desc.bodies.end(), [](const BodyDesc& body) { return !body.motions.empty(); });
    if (!has_free_motion || !is_suspended || desc.gravity.isZero(0.0)) return;
    warn("time.integrator",
         "motions without resistance are listed with 0 Hz, because the modes of a start leave gravity out; a pendulum "
         "or a chain has its frequencies with `--set time.integrator=quasi_static`");
  }

  /// Linear elements are too stiff in bending, and scenes with inertia have them unless they ask for others.
  void warn_of_linear_elements() {
    for (const BodyInstance& body : scene().bodies) {
      if (body.kind != BodyKind::deformable || body.mesh.has_curved_cells()) continue;
      if (stepped_.desc.bodies[body.desc].order != 0) continue;
      warn(fmt::format("bodies[{}].order", body.desc),
           fmt::format("body '{}' has linear elements, with which frequencies of bending are too high, often several "
                       "times; set `\"order\": 2`",
                       body.name));
      return;
    }
  }

  /// Takes all steps, and finds the modes of the equilibrium at the end.
  bool find_loaded() {
    const State at_start = stepped_.state;
    State before = stepped_.state;
    const int num_steps = clearance::num_steps(stepped_.desc.time);
    stepped_.hooks.is_stop_wanted = options_.is_stop_wanted;
    for (int step = 1; step <= num_steps; ++step) {
      before = stepped_.state;
      const StepReport report = stepped_.step();
      if (report.status == StepStatus::stopped) {
        result_.end = ModesEnd::stopped;
        return false;
      }
      if (report.status != StepStatus::converged) {
        return fail({{"", "", "",
                      fmt::format("step {} of {} of the quasi-static run ended as {}, so that there is no "
                                  "equilibrium; `clearance run` shows more",
                                  step, num_steps, to_string(report.status))}});
      }
      if (options_.on_step) options_.on_step(step, num_steps);
    }
    result_.num_steps = num_steps;
    const Result<PrescribedTargets> targets = find_targets(scene(), before);
    if (!targets) return fail(targets.issues());

    // The last step is solved again from its solution, which costs an iteration, for the stiffness there.
    auto& workspace = std::get<StepWorkspace<dim>>(stepped_.workspace);
    SolvedStep<dim> solved =
        solve_from<dim>(stepped_.state.x, scene().model, scene().options, *targets, before, workspace, stepped_.hooks);
    result_.num_contacts = solved.report().num_contacts;
    LinearSystem system = solved.system();
    State at_end = stepped_.state;
    at_end.x = solved.x();
    return options_.is_buckling ? find_buckling(at_start, at_end, *targets, system.hessian)
                                : find_loaded_vibrations(at_end, *targets, std::move(system.hessian));
  }

  bool find_loaded_vibrations(const State& state, const PrescribedTargets& targets, BlockSparseMatrix stiffness) {
    Result<StiffnessPencil> pencil = assemble_pencil<dim>(scene(), state, targets, StiffnessTerms::all);
    if (!pencil) return fail(pencil.issues());
    pencil->stiffness = std::move(stiffness);
    return find_vibrations(state, *pencil);
  }

  bool find_vibrations(const State& state, const StiffnessPencil& pencil) {
    if (!note_unknowns(pencil)) return false;
    const std::vector<NamedMotion> candidates = rigid_candidates<dim>(scene(), state, pencil, names_);
    const auto found = clearance::find_vibrations(pencil, candidates, options_.count);
    if (!found) {
      return fail({{"", "", "",
                    "the eigenvalues cannot be found: the stiffness has no factor, or Lanczos does not "
                    "converge; the bodies may be far from any stable state"}});
    }
    result_.largest_residual = found->largest_residual;
    for (Eigen::Index i = 0; i < found->omega_sq.size(); ++i) {
      SceneMode mode;
      mode.name = found->names[i];
      mode.omega_sq = found->omega_sq[i];
      mode.frequency = std::sqrt(std::abs(mode.omega_sq)) / (2.0 * std::numbers::pi);
      add_mode(state, pencil, found->vectors.col(i), std::move(mode));
    }
    return true;
  }

  bool find_buckling(const State& at_start, const State& at_end, const PrescribedTargets& targets,
                     const BlockSparseMatrix& loaded) {
    const Result<StiffnessPencil> unloaded = assemble_pencil<dim>(scene(), at_start, targets, StiffnessTerms::unloaded);
    if (!unloaded) return fail(unloaded.issues());
    if (!note_unknowns(*unloaded)) return false;
    if (result_.num_contacts > 0) {
      warn("contact", fmt::format("{} contacts act at the equilibrium and not at the start, so that the stiffness does "
                                  "not change in proportion to the loads, and the factors mean little",
                                  result_.num_contacts));
    }
    if ((at_end.x - at_start.x).isZero(0.0)) {
      return fail({{"", "bodies", "",
                    "nothing loads the bodies of this scene, or they are not held; expected loads that may "
                    "buckle them, and motions that hold them"}});
    }
    warn_of_large_motion(at_start, at_end);
    const std::optional<BucklingModes> found = clearance::find_buckling(*unloaded, loaded, options_.count);
    if (!found) {
      return fail({{"", "bodies", "",
                    "without loads the bodies are not held, or not stable; expected motions that hold them"}});
    }
    for (Eigen::Index i = 0; i < found->factors.size(); ++i) {
      SceneMode mode;
      mode.factor = found->factors[i];
      add_mode(at_end, *unloaded, found->vectors.col(i), std::move(mode));
    }
    return true;
  }

  /// Factors are those of a state that is hardly deformed. A column that has buckled may be stable again.
  void warn_of_large_motion(const State& at_start, const State& at_end) {
    constexpr double small = 0.02;  // of the scene's size
    const double motion = (at_end.x - at_start.x).cwiseAbs().maxCoeff();
    if (!(motion > small * scene().model.bbox_diagonal)) return;
    warn(
        "bodies",
        fmt::format("the loads move bodies by up to {:.2g} m, {:.0f} % of the size of the scene: they may have buckled "
                    "already, and the factors of such a state mean little; try a hundredth of the loads, whose factors "
                    "are a hundred times as large",
                    motion, 100.0 * motion / scene().model.bbox_diagonal));
  }

  bool note_unknowns(const StiffnessPencil& pencil) {
    result_.num_unknowns = static_cast<int>(std::count(pencil.is_free.begin(), pencil.is_free.end(), 1));
    if (result_.num_unknowns > 0) return true;
    return fail({{"", "bodies", "", "nothing can move: all bodies are obstacles, or their motions hold them"}});
  }

  void add_mode(const State& state, const StiffnessPencil& pencil, const VecX& vector, SceneMode mode) {
    const std::vector<double> shares = energy_shares<dim>(scene(), pencil, vector);
    const auto most = std::max_element(shares.begin(), shares.end());
    mode.body = names_[most - shares.begin()];
    mode.body_share = *most;
    const VecX motion = LocalCoordinates<dim>(scene().model).expand(state.x, vector);
    mode.shape = shape_of(scene().frames.vertex_map.apply_linear(motion));
    result_.modes.push_back(std::move(mode));
  }

  /// Returns the motion of each vertex, scaled to a tenth of the size of the scene.
  std::vector<Vec<3>> shape_of(const VecX& flat) const {
    std::vector<Vec<3>> shape(scene().frames.mesh.vertices.size(), Vec<3>::Zero());
    double largest = 0.0;
    for (std::size_t v = 0; v < shape.size(); ++v) {
      shape[v].head<dim>() = flat.segment<dim>(dim * static_cast<Eigen::Index>(v));
      largest = std::max(largest, shape[v].norm());
    }
    constexpr double share = 0.1;
    const double factor = largest > 0.0 ? share * scene().model.bbox_diagonal / largest : 0.0;
    for (Vec<3>& v : shape) v *= factor;
    return shape;
  }

  /// Adds the state that the modes belong to.
  void finish() {
    Frame& frame = result_.frame;
    frame.mesh = scene().frames.mesh;
    frame.mesh.vertices = stepped_.positions();
    frame.velocity.assign(frame.mesh.vertices.size(), Vec<3>::Zero());
    frame.cell_body = scene().frames.cell_body;
    frame.cell_is_obstacle = scene().frames.cell_is_obstacle;
  }

  SteppedScene& stepped_;
  const ModesOptions& options_;
  std::vector<std::string> names_;
  SceneModes result_;
};

}  // namespace

Result<SceneModes> find_scene_modes(const SceneDesc& scene, const ModesOptions& options) {
  SceneDesc undamped = scene;
  name_bodies(undamped);
  remove_damping(undamped);
  Issues issues = problems_of(undamped, options);
  SteppedScene stepped;
  if (const Result<Done> started = start(std::move(undamped), stepped); !started) {
    issues.insert(issues.end(), started.issues().begin(), started.issues().end());
  }
  if (has_errors(issues)) return issues;
  return with_dimension(stepped.scene->dim, [&](auto dim) { return ModeFinder<dim>(stepped, options).run(); });
}

}  // namespace clearance
