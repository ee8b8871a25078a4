// Operations that are tried: detached from the mesh, so that several can be judged at once.
#pragma once

#include <memory>
#include <optional>

#include "clearance/remesh/operation.h"
#include "clearance/remesh/scope.h"

namespace clearance {

enum class TrialVerdict {
  accepted,
  no_gain,  ///< the objective falls too little, or rises too much
  unsafe,   ///< something would meet or invert, or has gone too far
  unclear   ///< without contacts, but something could have come to touch
};

/// What the change of the objective has to be.
struct TrialLimits {
  double least_gain = 0.0;  ///< [J] of E before - E after, by each operation; negative: so much may be lost
  bool has_energy_test = true;
};

template <int dim>
struct Trial {
  std::vector<Operation<dim>> operations;            ///< one after the other: splits that have to come together, or one
  Scope scope;                                       ///< before the operation
  std::optional<ContactRegion<dim>> region;          ///< nothing: it touches nothing, as long as nodes stay near:
  double clear_way = infinity;                       ///< [m] they may go so far
  int first_new_vertex = 0;                          ///< vertices from this number on are those of its splits
  std::unique_ptr<LocalProblem<dim>> after, before;  ///< the latter is made when it is judged
  bool changes_boundary = false;
  double quality_before = 0.0, quality_after = 0.0;  ///< of the worst elements at rest; of swap and smooth
  // What comes of it.
  TrialVerdict verdict = TrialVerdict::unsafe;
  double gain = 0.0;       ///< [J] by which the objectives differ, where the verdict was certain
  double fall = 0.0;       ///< [J] by which the objective falls from where it is
  double most = infinity;  ///< [J] that each rejected operation would gain, at most
};

/// What the objective falls by until it is least, in falls of the quadratic model of Newton's first step, at most:
/// 1.1 to 1.73 were measured on 71 splits without contacts; 0.9 to 1.54 on 99 of 100 of 4600 splits and collapses with.
constexpr double most_of_model = 2.0;

/// Takes Newton's steps of both problems until the sign is certain of what their least objectives differ by over the
/// limit. The body is as before the operations. Several trials may be judged at once.
template <int dim>
void judge(const LocalSetting<dim>& setting, const TrialLimits& limits, Trial<dim>& trial);

}  // namespace clearance
