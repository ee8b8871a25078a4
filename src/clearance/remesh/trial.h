// An operation that is tried: detached from the mesh, so that several can be judged at once.
#pragma once

#include <memory>

#include "clearance/remesh/operation.h"
#include "clearance/remesh/scope.h"

namespace clearance {

enum class TrialVerdict {
  accepted,
  no_gain,  ///< the objective falls too little, or rises too much
  unsafe    ///< something would meet or invert, or has gone too far
};

/// What the change of the objective has to be.
struct TrialLimits {
  double least_gain = 0.0;  ///< [J] of E before - E after; negative: so much may be lost
  bool has_energy_test = true;
};

template <int dim>
struct Trial {
  Operation<dim> operation;
  Scope scope;  ///< before the operation
  int new_vertex = -1;
  std::unique_ptr<LocalProblem<dim>> before, after;
  bool changes_boundary = false;
  double quality_before = 0.0, quality_after = 0.0;  ///< of the worst elements at rest; of swap and smooth
  // What comes of it.
  TrialVerdict verdict = TrialVerdict::unsafe;
  double gain = 0.0;  ///< [J] by which the least objectives differ
  double fall = 0.0;  ///< [J] by which the objective falls from where it is
};

/// Solves both problems and judges. Several trials may be judged at once.
template <int dim>
void judge(const LocalSetting<dim>& setting, const TrialLimits& limits, Trial<dim>& trial);

}  // namespace clearance
