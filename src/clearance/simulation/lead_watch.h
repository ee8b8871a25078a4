// Distance by which bodies are ahead of their velocities in a run.
#pragma once

#include <string>
#include <vector>

#include "clearance/io/result/energy_monitor.h"
#include "clearance/simulation/simulation.h"

namespace clearance {

/// Compares the way of each body with the integral of its velocity by the trapezoidal rule. A step of implicit Euler
/// moves a body by its velocity at the end, h / 2 |dv| too far, which is 1 / n of the way from rest under a constant
/// force in n steps. Steps of second order have no such error. The default takes steps of implicit Euler where
/// deformable bodies touch something. Steps in which the velocity jumps begin a new way, because a contact says where
/// the body is. Scenes with `time.accuracy` are not watched, because their steps are as short as this error asks.
class LeadWatch {
 public:
  explicit LeadWatch(const Simulation& simulation);

  /// Evaluates a step; call it after every step that was taken.
  void add_step(const Simulation& simulation);
  /// Returns the warning `coarse_step` for the body that is ahead by the largest share of its way, if that is more than
  /// three hundredths, and visible.
  std::vector<RunWarning> warnings() const;

 private:
  struct Body {
    std::string name;
    IndexRange vertices;
    double size = 0.0;                                         // [m]
    Vec<3> place = Vec<3>::Zero(), velocity = Vec<3>::Zero();  // [m], [m/s] means over the vertices
    Vec<3> lead = Vec<3>::Zero();                              // [m]
    double way = 0.0;                                          // [m]
    int num_steps = 0;                                         // on this way
  };
  double lead_of(const Body& body) const;

  std::vector<Body> bodies_;
  TimeIntegrator integrator_ = TimeIntegrator::implicit_euler;
  double h_ = 0.0, largest_change_ = 0.0;  // [s], [m/s] of a velocity without a jump
};

}  // namespace clearance
