// Errors that the elements of bodies make.
#pragma once

#include <map>
#include <vector>

#include "clearance/io/result/energy_monitor.h"
#include "clearance/simulation/simulation.h"

namespace clearance {

/// Estimates the errors of the elements: at the end in statics, and where bodies are strained most in runs with
/// inertia. There the estimate is made a few times only, as the elastic energy grows.
class ElementWatch {
 public:
  /// Evaluates a step; call it after every step that was taken.
  void add_step(const Simulation& simulation, const StepReport& report);
  /// Returns a warning `coarse_elements` for each body that is too stiff; with inertia, if its elasticity has decided
  /// its motion or decides how it rests at the end.
  std::vector<RunWarning> warnings(const Simulation& simulation) const;
  /// Returns the estimates at the positions of now. They are kept, because those who poll ask at the same ones again.
  const std::vector<DiscretisationError>& errors_now(const Simulation& simulation) const;

 private:
  struct Estimate {
    VecX x;  // [m]
    std::vector<DiscretisationError> errors;
  };

  int num_steps_ = 0;                        // since the last estimate
  double seen_ = 0.0;                        // [J] elastic energy of all bodies at the last estimate
  std::map<int, DiscretisationError> most_;  // per body: the estimate at its largest energy
  mutable Estimate last_;
};

}  // namespace clearance
