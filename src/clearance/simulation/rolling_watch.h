// What the flat sides of round bodies have done to their rolling in a run.
#pragma once

#include <memory>
#include <vector>

#include "clearance/io/result/energy_monitor.h"
#include "clearance/simulation/simulation.h"

namespace clearance {

/// Normal forces on something round pass through its axis: they neither slow its rolling nor hold it. Those on a
/// polygon do, and how much is known after every step. Watched are the bodies of find_round_bodies with few sides, in
/// scenes without deformable bodies, whose give is a resistance to rolling that is real.
class RollingWatch {
 public:
  explicit RollingWatch(const Simulation& simulation);
  RollingWatch(RollingWatch&&) noexcept;
  ~RollingWatch();

  /// After every step.
  void look(const Simulation& simulation);
  /// `faceted_rolling` for the body where the sides have taken the largest part of the energy that it would have had by
  /// rolling, if that is more than three hundredths of it.
  std::vector<RunWarning> warnings() const;

 private:
  struct Body;
  std::vector<Body> bodies_;
  double h_ = 0.0;        // [s]
  double gravity_ = 0.0;  // [m/s^2]
};

}  // namespace clearance
