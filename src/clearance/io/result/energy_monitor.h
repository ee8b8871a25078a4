// Warnings, by name, about how far a run's result can be trusted. They follow from the energy accounts and from the
// adaptation of elements in the lines of stats.jsonl.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clearance/base/methods.h"

namespace clearance {

/// Approximate motion of a body in one step, as a fraction of its size, up to which an impact is resolved.
inline constexpr double resolved_motion = 0.1;

/// Approximate rotation [rad] of a body in one step up to which its motion is resolved.
inline constexpr double resolved_turn = 0.1;

struct RunWarning {
  std::string name;     ///< `energy_gained`, `energy_lost`, `coarse_step`, `coarse_turn`, `curved_surfaces`,
                        ///< `joint_strained`, `stiff_body_strained`, ...
  std::string message;  ///< what was found, how much, and what to do
};

/// Energies and extreme values of one step.
struct StepEnergies {
  double kinetic = 0.0, joint = 0.0;                 ///< [J]
  double kinetic_change = 0.0, stored_change = 0.0;  ///< [J]
  double made = 0.0;                                 ///< [J] by the integrator, impacts included, in the whole scene
  /// Body for which the integrator has gained or lost most energy so far: this energy as a share of the body's energy
  /// at work, and the body's name.
  std::pair<double, std::string> gained, lost;
  /// Joint that is most out of place: its displacement as a share of the smaller body's radius, and a description of
  /// the joint.
  std::pair<double, std::string> strained;
  /// Two bodies that move past each other fastest: their relative motion as a share of the smaller one's size, and
  /// their names.
  std::pair<double, std::string> coarse;
  /// Stiff body that turns farthest: its angle [rad] and its name.
  std::pair<double, std::string> turned;
  /// Body whose curved boundary is farthest from its flat pieces: twice that distance over min_separation, and its
  /// name.
  std::pair<double, std::string> curved;
  /// Adaptation of elements in this step.
  struct Adaptation {
    double num_done = 0.0, num_rejected = 0.0, num_unsafe = 0.0;  ///< operations
    double made = 0.0;                                            ///< [J] by moving fields to other elements
  };
  std::optional<Adaptation> adaptation = {};
  /// Stiff body whose strain exceeds the limit for stiff bodies most: its strain and its name.
  std::pair<double, std::string> stiff_strain = {};
  /// Body of linear elasticity whose elements have turned farthest, beyond a small angle: its angle [rad] and its name.
  std::pair<double, std::string> large_rotation = {};
  double time = 0.0;             ///< [s] at the end of the step
  double lost_in_impacts = 0.0;  ///< share that impacts took in addition from the body that lost most
  bool is_loser_driven = false;  ///< a drive or a prescribed motion acts on that body
  /// Two bodies whose contact force is falsified most by the gap between them: the share of the force, and their names.
  std::pair<double, std::string> contact_gap = {};
  /// The body whose deflection is falsified most by the gaps around it: the share of the deflection, and its name.
  std::pair<double, std::string> deflection_gap = {};
  double force_over_gap = 0.0;  ///< [N] of the two bodies
};

/// The integrator has gained energy if its part (impacts included) has risen by three hundredths of a body's energy at
/// work above its lowest point; lost, if without impacts it has fallen by three hundredths. Each body counts by itself,
/// or with those that joints connect it to, so that a large body far away hides nothing. It has also gained energy if a
/// single step makes a twentieth of all that is at work in the scene up to ten steps later, even where impacts hide the
/// gain of single bodies. A step is coarse if two bodies move past each other by half of the smaller one's size, or one
/// turns by half a radian. Joints are strained if they store a tenth of all other energy at work in the scene, and one
/// of them is out of place by more than carrying the weight of its bodies takes; a joint that hangs at rest is not
/// strained. If elements may adapt but never did, a warning says so, because the mesh was then never checked.
class EnergyMonitor {
 public:
  /// `integrator` is that of the run; no remedy suggests it.
  explicit EnergyMonitor(TimeIntegrator integrator = TimeIntegrator::implicit_euler) : integrator_(integrator) {}

  /// Returns true if bodies have inertia in this run: its integrator is not quasi-static.
  bool has_inertia() const { return integrator_ != TimeIntegrator::quasi_static; }

  void add(const StepEnergies& step);
  std::vector<RunWarning> warnings() const;

 private:
  std::string loss_text() const;
  void add_energy_warnings(std::vector<RunWarning>& warnings) const;
  void add_coarse_step_warnings(std::vector<RunWarning>& warnings) const;
  void add_strain_warnings(std::vector<RunWarning>& warnings) const;
  void add_gap_warnings(std::vector<RunWarning>& warnings) const;
  void add_adaptation_warnings(std::vector<RunWarning>& warnings) const;

  std::pair<double, std::string> gained_, lost_, deflection_gap_;  // at the last step
  std::pair<double, std::string> strained_, coarse_, turned_, curved_, stiff_strain_,
      large_rotation_;                                             // the most of all steps
  std::map<double, std::pair<double, std::string>> contact_gaps_;  // by force [N], those that matter
  double largest_force_over_gap_ = 0.0;                            // [N]
  double time_of_stiff_strain_ = 0.0;                              // [s]

  TimeIntegrator integrator_;
  double lost_in_impacts_ = 0.0;  // at the last step
  bool is_loser_driven_ = false;
  double at_work_ = 0.0, stored_ = 0.0, largest_strain_ = 0.0;
  StepEnergies::Adaptation adaptation_;  // of all steps
  int num_adaptable_ = 0;                // steps
  double most_made_ = 0.0;               // [J] in a step
  int steps_since_most_made_ = 0;
  double made_share_ = 0.0;  // of what was at work ten steps after it
};

}  // namespace clearance
