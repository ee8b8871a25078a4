// Effect of the flat sides of round bodies on their rolling in a run.
#pragma once

#include <memory>
#include <vector>

#include "clearance/io/result/energy_monitor.h"
#include "clearance/simulation/simulation.h"

namespace clearance {

/// Watches the bodies of find_round_bodies that have few sides. Normal forces on a round body pass through its axis,
/// and neither slow its rolling nor hold it. Those on a polygon do both, and how much is known after every step. Scenes
/// with deformable bodies are not watched, because their give is a real resistance to rolling.
class RollingWatch {
 public:
  explicit RollingWatch(const Simulation& simulation);
  RollingWatch(RollingWatch&&) noexcept;
  ~RollingWatch();

  /// Evaluates a step; call it after every step.
  void add_step(const Simulation& simulation);
  /// Returns the warning `faceted_rolling` for the body whose sides have taken the largest share of the energy that it
  /// would have had by rolling, if that share is more than three hundredths; or for one that rolls too far in a step.
  std::vector<RunWarning> warnings() const;

 private:
  struct Body;
  std::vector<Body> bodies_;
  double h_ = 0.0;  // [s]
  bool is_euler_ = false;
  double gravity_ = 0.0;  // [m/s^2]
};

}  // namespace clearance
