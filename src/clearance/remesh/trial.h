// Trial operations, detached from the mesh, so that several can be judged at once.
#pragma once

#include <memory>
#include <optional>

#include "clearance/remesh/operation.h"
#include "clearance/remesh/scope.h"

namespace clearance {

enum class TrialVerdict {
  accepted,
  no_gain,  ///< the objective falls too little, or rises too much
  unsafe,   ///< something would meet or invert, or has moved too far
  unclear   ///< judged without contacts, but something could have come to touch
};

/// The change of the objective that a trial must reach.
struct TrialLimits {
  double least_gain = 0.0;  ///< [J] least E before - E after of each operation; negative: a loss up to this is allowed
  bool has_energy_test = true;
};

template <int dim>
struct Trial {
  /// applied in order: one operation, or splits that must come together
  std::vector<Operation<dim>> operations;
  Scope scope;                                       ///< the scope before the operation
  std::optional<ContactRegion<dim>> region;          ///< empty: touches nothing while nodes move by less than clear_way
  double clear_way = infinity;                       ///< [m] largest motion of nodes for which an empty region is valid
  int first_new_vertex = 0;                          ///< vertices from this number on are those that its splits create
  std::unique_ptr<LocalProblem<dim>> after, before;  ///< `judge` creates `before`
  bool changes_boundary = false;
  double quality_before = 0.0, quality_after = 0.0;  ///< swap and smooth: of the worst elements at rest
  // The outcome.
  TrialVerdict verdict = TrialVerdict::unsafe;
  double gain = 0.0;       ///< [J] difference between the objectives when the verdict was certain
  double fall = 0.0;       ///< [J] decrease of the objective from its present value
  double most = infinity;  ///< [J] upper bound on the gain of each rejected operation
};

/// Upper bound on the decrease of the objective down to its minimum, as a multiple of the decrease that the quadratic
/// model predicts for the first Newton step. Measured: 1.1 to 1.73 on 71 splits without contacts; 0.9 to 1.54 on 99 of
/// 100 of 4600 splits and collapses with contacts.
constexpr double most_of_model = 2.0;

/// Takes Newton steps on both problems until it is certain on which side of the limit the difference of their least
/// objectives lies. The body must be as before the operations. Several trials may be judged at once.
template <int dim>
void judge(const LocalSetting<dim>& setting, const TrialLimits& limits, Trial<dim>& trial);

}  // namespace clearance
