// Derivatives of the probes of a run by numbers of its scene, in forward mode (docs/derivatives.md).
//
// A step maps its start z to its end: g(y; z, p) = 0 gives the positions, and the commit the rest of the state. With
// dz/dp known at the start, dg/dy dy/dp = -dg/dp - dg/dz dz/dp gives the motion of the end, and the derivative of the
// commit that of the state. dg/dp, dg/dz dz/dp and the derivatives of commit and probes are differences of fourth order
// of one step that is evaluated and not solved: they hold for whatever a scene is made of.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clearance/derivatives/scene_variant.h"

namespace clearance {
struct SteppedScene;
}

namespace clearance::derivatives {

/// Called with the scene at its start and after every step, and with the derivatives of its unknowns (State::x) and of
/// their velocities: one column per parameter, in the units of the scene.
using StateObserver = std::function<void(const SteppedScene& scene, const MatX& dx, const MatX& dv)>;

struct GradientOptions {
  std::vector<std::string> parameters;  ///< paths
  std::vector<std::string> columns;     ///< columns of probes.csv, with or without their units; empty: all
  int num_steps = 0;                    ///< 0: those of the scene
  /// Called after every step.
  std::function<void(int step, int num_steps)> on_step;
  std::function<bool()> is_stop_wanted;
  /// Factors of the activation distances at the end of each step, StepGradient::narrowing of another run; empty: the
  /// steps find their own.
  std::vector<double> narrowing = {};
  /// With an observer a run needs neither probes nor parameters.
  StateObserver on_state = {};
  /// Contact of another run of the scene, to be used instead of that which the program derives from this one.
  std::shared_ptr<const HeldContact> held = {};
};

/// The numbers of one step.
struct StepGradient {
  double time = 0.0;           ///< [s]
  std::vector<double> values;  ///< per column
  double narrowing = 1.0;      ///< factor of the activation distances, of quasi-static steps
  MatX derivatives;            ///< per column (row) and parameter, in the units of the scene
};

enum class GradientEnd { complete, stopped, failed };

struct Gradient {
  GradientEnd end = GradientEnd::complete;
  Issues errors;  ///< why a step has no derivative
  std::vector<Parameter> parameters;
  std::vector<std::string> columns;  ///< `name.part [unit]`
  std::vector<StepGradient> steps;   ///< the start first
  double error = 0.0;                ///< estimated relative error of the linear systems that were solved
  Issues warnings;                   ///< of the scene, and events that derivatives do not see
};

/// Runs the scene and differentiates it. Each step is solved more accurately than a run does. Issues, with nothing run:
/// all problems of the scene, paths that lead to no number, parts of the scene that have no derivatives.
Result<Gradient> find_gradient(const SceneMaker& make, const GradientOptions& options);

/// A scene that has not been run.
struct BeforeRun {
  Issues problems;                   ///< those that find_gradient would have
  std::vector<std::string> columns;  ///< labels of all columns of its probes; empty if the scene cannot be started
};

/// Checks the scene, the parameters and changes of these, and the columns.
BeforeRun check_before_run(const SceneMaker& make, const GradientOptions& options);
/// Returns the same and leaves the scene, started if there are no problems, in `scene`.
BeforeRun check_before_run(const SceneMaker& make, const GradientOptions& options, SteppedScene& scene);

/// Returns the contact that derivatives of the scene hold.
Result<HeldContact> find_held_contact(const SceneMaker& make, const GradientOptions& options);

/// Runs the scene with a parameter at `value`, and with the contact of `held` and of `options.narrowing`. Returns the
/// numbers of the columns after the last step.
Result<std::vector<double>> find_values(const SceneMaker& make, const GradientOptions& options,
                                        const Parameter& parameter, double value, const HeldContact& held);

}  // namespace clearance::derivatives
