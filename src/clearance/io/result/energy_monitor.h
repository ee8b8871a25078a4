// What a run's energy accounts, and elements that adapt, say of its worth: warnings by name, from the lines of
// stats.jsonl.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clearance/base/methods.h"

namespace clearance {

/// Of a body's size: what it may move in a step for an impact to be resolved, about.
inline constexpr double resolved_motion = 0.1;

/// [rad] What a body may turn in a step, about.
inline constexpr double resolved_turn = 0.1;

struct RunWarning {
  std::string name;     ///< `energy_gained`, `energy_lost`, `coarse_step`, `coarse_turn`, `curved_surfaces`,
                        ///< `joint_strained`, `stiff_body_strained`, ...
  std::string message;  ///< what was found, how much, and what to do
};

/// Of one step.
struct StepEnergies {
  double kinetic = 0.0, joint = 0.0;                 ///< [J]
  double kinetic_change = 0.0, stored_change = 0.0;  ///< [J]
  double made = 0.0;                                 ///< [J] by the integrator, impacts included, in the whole scene
  /// Of the body where the integrator has done most so far: its part of the body's energy at work, the body's name.
  std::pair<double, std::string> gained, lost;
  /// Of the joint that is most out of place: by how much of the smaller body's radius, and what it is.
  std::pair<double, std::string> strained;
  /// Of two bodies that move past each other: by how much of the smaller one's size, who they are.
  std::pair<double, std::string> coarse;
  /// Of the stiff body that turns farthest: by what angle [rad], its name.
  std::pair<double, std::string> turned;
  /// Of the body whose curved boundary is farthest from its flat pieces: twice that over min_separation, its name.
  std::pair<double, std::string> curved;
  /// Of bodies whose elements adapt.
  struct Adaptation {
    double num_done = 0.0, num_rejected = 0.0, num_unsafe = 0.0;  ///< operations
    double made = 0.0;                                            ///< [J] by moving fields to other elements
  };
  std::optional<Adaptation> adaptation = {};
  /// Of the stiff body that is strained most, above what a stiff body may be: by how much, its name.
  std::pair<double, std::string> stiff_strain = {};
  /// Of the body of linear elasticity whose elements have turned farthest, beyond what is small: by what angle [rad].
  std::pair<double, std::string> large_rotation = {};
  double time = 0.0;             ///< [s] at the end of the step
  double lost_in_impacts = 0.0;  ///< of the body that lost most: what impacts took besides, a share as well
  bool is_loser_driven = false;  ///< a drive or a prescribed motion acts on that body
};

/// The integrator has gained energy if its part (impacts included) has risen by three hundredths of a body's energy at
/// work above its lowest point; lost, if without impacts it has fallen by three hundredths. Bodies count by themselves,
/// or with those that joints connect them with: a large one far away hides nothing. It has also gained energy if a
/// single step makes a twentieth of all that is at work in the scene, whatever impacts hide of single bodies. A step is
/// coarse if two bodies move past each other by half of the smaller one's size, or one turns by half a radian. Joints
/// are strained if they store a tenth of all other energy at work in the scene, and one of them is out of place by more
/// than carrying the weight of its bodies takes: one that hangs at rest is not. Elements that are to adapt and never
/// did have to be right as they are, which nobody has looked at.
class EnergyMonitor {
 public:
  /// `integrator`: that of the run, which no remedy names.
  explicit EnergyMonitor(TimeIntegrator integrator = TimeIntegrator::implicit_euler) : integrator_(integrator) {}

  void add(const StepEnergies& step);
  std::vector<RunWarning> warnings() const;

 private:
  std::pair<double, std::string> gained_, lost_;  // at the last step
  std::pair<double, std::string> strained_, coarse_, turned_, curved_, stiff_strain_,
      large_rotation_;                 // the most of all steps
  double time_of_stiff_strain_ = 0.0;  // [s]
  std::string loss_text() const;

  TimeIntegrator integrator_;
  double lost_in_impacts_ = 0.0;  // at the last step
  bool is_loser_driven_ = false;
  double at_work_ = 0.0, stored_ = 0.0, largest_strain_ = 0.0;
  StepEnergies::Adaptation adaptation_;  // of all steps
  int num_adaptable_ = 0;                // steps
  double most_made_ = 0.0;               // in a step, as a share of what was at work by then
};

}  // namespace clearance
