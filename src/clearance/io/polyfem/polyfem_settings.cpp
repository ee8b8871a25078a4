#include "clearance/io/polyfem/polyfem_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clearance {
namespace {

const Field above_zero = positive("", "");
const Field at_least_zero = at_least(0.0, "", "");

// Reads the integrator. Only those with native steps have a counterpart.
TimeIntegrator read_integrator(const ForeignObject& time, TimeDesc& desc) {
  const Json* value = time.find("integrator");
  if (value == nullptr) return TimeIntegrator::implicit_euler;
  const ForeignObject object = value->is_object() ? time.child("integrator") : time;
  const char* key = value->is_object() ? "type" : "integrator";
  std::string name = object.word(key, "ImplicitEuler");
  if (name == "BDF") name += std::to_string(object.integer("steps", 1));
  if (name == "ImplicitEuler" || name == "BDF1") return TimeIntegrator::implicit_euler;
  if (name == "BDF2") return TimeIntegrator::bdf2;
  if (name == "ImplicitNewmark") {
    desc.newmark_beta = value->is_object() ? object.number("beta", 0.25) : 0.25;
    desc.newmark_gamma = value->is_object() ? object.number("gamma", 0.5) : 0.5;
    return TimeIntegrator::implicit_newmark;
  }
  object.error(key, fmt::format("the integrator {} is not supported yet", name));
  return TimeIntegrator::implicit_euler;
}

// Returns the factor [s^2] by which a step multiplies energies.
double scale_of_energies(const TimeDesc& time) {
  const double h_sq = time.step * time.step;
  switch (time.integrator) {
    case TimeIntegrator::quasi_static:
      return 1.0;
    case TimeIntegrator::implicit_newmark:
      return time.newmark_beta * h_sq;
    case TimeIntegrator::bdf2:
      return 4.0 / 9.0 * h_sq;
    default:
      return h_sq;
  }
}

class SettingsReader {
 public:
  SettingsReader(const ForeignObject& root, const PolyfemValues& values, SceneDesc& scene)
      : contact_(root.child("contact")),
        solver_(root.child("solver")),
        of_contact_(solver_.child("contact")),
        paraview_(root.child("output").child("paraview")),
        values_(values),
        scene_(scene) {}

  void read(double shortest_edge) {
    read_contact(shortest_edge);
    read_friction();
    read_solver();
    scene_.output.frame_interval = paraview_.integer("skip_frame", 1);
    if (scene_.output.frame_interval < 1) paraview_.error("skip_frame", "must be at least 1");
  }

 private:
  void read_contact(double shortest_edge) {
    ContactDesc& contact = scene_.contact;
    contact.enabled = contact_.flag("enabled", false);
    contact.dhat_is_absolute = true;
    contact.dhat = values_.number(contact_, "dhat", 1e-3, above_zero);
    if (!contact_.has("dhat") && contact.dhat > shortest_edge) {
      contact.dhat = contact_.number("dhat_percentage", 0.8, above_zero) * shortest_edge;
    }
    contact.close_distance = std::min(contact.close_distance, contact.dhat);
    // The two keys name the same formulation.
    const bool is_gcp = contact_.flag("use_gcp_formulation", false) || contact_.flag("use_smooth_formulation", false);
    if (is_gcp) {
      read_orientation();
    } else {
      read_weighting();
    }
    const Json* stiffness = of_contact_.find("barrier_stiffness");
    if (stiffness != nullptr && stiffness->is_number()) {
      // PolyFEM's stiffness multiplies an energy, the native one is part of the incremental potential.
      const double of_energy = of_contact_.number("barrier_stiffness", 0.0, above_zero);
      const double scale = has_physical_barrier(contact.options) ? 1.0 : scale_of_energies(scene_.time);
      contact.kappa = is_gcp ? 0.0 : of_energy * scale;
      if (is_gcp && contact.enabled) {
        of_contact_.warning("barrier_stiffness",
                            "PolyFEM's stiffness multiplies products of two areas, and ours the area of one, so that "
                            "it cannot be converted; kappa is a tenth of Young's modulus");
      }
    } else if (stiffness != nullptr && *stiffness != Json("adaptive")) {
      of_contact_.error("barrier_stiffness", "expected a number or `adaptive`");
    }
  }

  void read_weighting() {
    const bool is_convergent = contact_.flag("use_convergent_formulation", false);
    const auto flag = [&](const char* key) -> std::optional<bool> {
      const bool is_wanted = contact_.flag(key, is_convergent);
      return is_wanted || is_convergent ? std::optional<bool>(is_wanted) : std::nullopt;
    };
    const auto set_parts = [&](auto options) {
      options.area_weights = flag("use_area_weighting");
      options.improved_max = flag("use_improved_max_operator");
      options.physical_barrier = flag("use_physical_barrier");
      scene_.contact.options = options;
    };
    if (is_convergent) {
      set_parts(ConvergentOptions{});
    } else {
      set_parts(IpcOptions{});
    }
  }

  /// Reads the parameters of orientation. A cosine slightly below 1 serves as well as 1.
  void read_orientation() {
    GcpOptions options;
    const auto cosine = [&](const char* key, double default_value) {
      return std::min(contact_.number(key, default_value, above_zero), 0.99);
    };
    options.alpha_t = cosine("alpha_t", options.alpha_t);
    options.alpha_n = cosine("alpha_n", options.alpha_n);
    options.adaptive_dhat = contact_.flag("use_adaptive_dhat", false);
    scene_.contact.options = options;
  }

  void read_friction() {
    FrictionDesc& friction = scene_.friction;
    friction.coefficient = values_.number(contact_, "friction_coefficient", 0.0, at_least_zero);
    friction.eps_v = values_.number(contact_, "epsv", 1e-3, above_zero);
    friction.eps_v_is_absolute = true;
    // PolyFEM's -1 means until the forces agree with their lags, which is the native 0; PolyFEM's 0 means no friction.
    const int iterations = of_contact_.integer("friction_iterations", 1);
    friction.iterations = std::max(iterations, 0);
    if (iterations != 0) return;
    friction.coefficient = 0.0;
    friction.iterations = 1;
  }

  void read_solver() {
    const ForeignObject newton = solver_.child("nonlinear");
    scene_.solver.convergence = Convergence::forces;
    scene_.solver.force_tolerance = 1e-5;
    scene_.solver.max_iterations = newton.integer("max_iterations", scene_.solver.max_iterations);
    if (scene_.solver.max_iterations < 1) newton.error("max_iterations", "must be at least 1");
    const ForeignObject advanced = solver_.child("advanced");
    if (advanced.number("lagged_regularization_weight", 0.0) != 0.0) {
      advanced.warning(
          "lagged_regularization_weight",
          "this key has no counterpart: a body that nothing holds has no equilibrium, and the step does not converge");
    }
    const bool is_lumped = advanced.flag("lump_mass_matrix", false);
    const bool has_curved =
        std::any_of(scene_.bodies.begin(), scene_.bodies.end(), [](const BodyDesc& body) { return body.order > 1; });
    if (is_lumped && has_curved) {
      advanced.warning("lump_mass_matrix",
                       "this key has no effect on elements of an order above 1; their mass matrix stays full, because "
                       "sums of its rows may be negative");
    }
    scene_.time.mass = is_lumped ? MassKind::lumped : MassKind::consistent;
  }

  ForeignObject contact_, solver_, of_contact_, paraview_;
  const PolyfemValues& values_;
  SceneDesc& scene_;
};

}  // namespace

PolyfemTime read_polyfem_time(const ForeignObject& root, const PolyfemValues& values) {
  PolyfemTime time;
  time.desc.max_halvings = 0;
  if (!root.has("time")) {
    // A static solution is that of one step; PolyFEM evaluates it at t = 1.
    time.desc.step = time.desc.duration = 1.0;
    time.desc.integrator = TimeIntegrator::quasi_static;
    return time;
  }
  const ForeignObject from = root.child("time");
  time.start = values.number(from, "t0", 0.0);
  const bool has_step = from.has("dt"), has_end = from.has("tend"), has_count = from.has("time_steps");
  if (has_step + has_end + has_count != 2) {
    from.issues().push_back({"", from.place(), "", "expected two of `tend`, `dt` and `time_steps`"});
    return time;
  }
  double step = values.number(from, "dt", 0.01, above_zero);
  double duration = values.number(from, "tend", time.start + 1.0, above(time.start, "", "")) - time.start;
  const int count = from.integer("time_steps", 1);
  if (count < 1) {
    from.error("time_steps", "must be at least 1");
    return time;
  }
  if (has_count && has_step) duration = count * step;
  if (has_count && has_end) step = duration / count;
  time.desc.step = step;
  time.desc.duration = duration;
  time.desc.integrator = read_integrator(from, time.desc);
  if (from.flag("quasistatic", false)) time.desc.integrator = TimeIntegrator::quasi_static;
  return time;
}

void read_polyfem_settings(const ForeignObject& root, const PolyfemValues& values, double shortest_edge,
                           SceneDesc& scene) {
  SettingsReader(root, values, scene).read(shortest_edge);
}

}  // namespace clearance
