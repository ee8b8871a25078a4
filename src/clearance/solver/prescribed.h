// Scripted nodes travel through the objective [Fer23, app. A.5], never by teleporting.
#pragma once

#include <vector>

#include "clearance/math/types.h"
#include "clearance/model/model.h"

namespace clearance {

/// Where the prescribed blocks are to be at the end of a step. Sorted by block.
struct PrescribedTargets {
  std::vector<int> blocks;
  VecX positions;  ///< [m] flat, dim per entry of blocks
};

/// Augmented Lagrangian of [Fer23, eq. A.4] for prescribed blocks that could not be moved freely.
template <int dim>
class AugmentedLagrangian {
 public:
  /// `masses` [kg]: one a prescribed block, positive.
  AugmentedLagrangian(const PrescribedTargets& targets, VecX masses, const VecX& x_t0);

  bool is_active() const { return is_active_; }
  void activate() { is_active_ = true; }
  void deactivate() { is_active_ = false; }

  CompensatedSum energy(const VecX& x) const;
  void add_derivatives(const VecX& x, VecX& gradient, BlockSparseMatrix& matrix) const;
  void add_gradient(const VecX& x, VecX& gradient) const;

  /// eta of [Fer23, eq. A.5]: 1 when every block is at its target.
  double progress(const VecX& x) const;
  /// Algorithm A.1: stiffen, or shift the multipliers.
  void update(const VecX& x);

 private:
  const PrescribedTargets& targets_;
  VecX masses_;
  VecX multipliers_;  ///< flat
  double kappa_ = 1e6;
  double initial_distance_sq_ = 0.0;  ///< [m^2] sum over the blocks, at the start of the step
  bool is_active_ = false;
};

}  // namespace clearance
