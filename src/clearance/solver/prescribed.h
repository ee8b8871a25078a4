// Scripted nodes travel through the objective [Fer23, app. A.5], never by teleporting.
#pragma once

#include <vector>

#include "clearance/math/types.h"
#include "clearance/model/model.h"

namespace clearance {

/// Target positions of the prescribed blocks at the end of a step, sorted by block.
struct PrescribedTargets {
  std::vector<int> blocks;
  VecX positions;  ///< [m] flat, dim per entry of blocks
  /// Component mask per entry of `blocks`: bit c is set if component c is prescribed. If empty, all components are
  /// prescribed.
  std::vector<char> components = {};

  bool is_whole(std::size_t k, int dim) const { return components.empty() || components[k] == (1 << dim) - 1; }
  /// Component mask of an entry of `blocks`.
  int mask(std::size_t k, int dim) const { return components.empty() ? (1 << dim) - 1 : components[k]; }
  bool has_component(std::size_t k, int c) const { return components.empty() || (components[k] >> c & 1) != 0; }
};

/// Sets the prescribed components of `x` to their targets.
template <int dim>
void set_targets(const PrescribedTargets& targets, VecX& x) {
  for (std::size_t k = 0; k < targets.blocks.size(); ++k) {
    for (int c = 0; c < dim; ++c) {
      if (targets.has_component(k, c))
        block<dim>(x, targets.blocks[k])[c] = block<dim>(targets.positions, static_cast<int>(k))[c];
    }
  }
}

/// Gives the prescribed components of `to` the values that they have in `from`.
template <int dim>
void copy_prescribed(const PrescribedTargets& targets, const VecX& from, VecX& to) {
  for (std::size_t k = 0; k < targets.blocks.size(); ++k) {
    for (int c = 0; c < dim; ++c) {
      if (targets.has_component(k, c)) block<dim>(to, targets.blocks[k])[c] = block<dim>(from, targets.blocks[k])[c];
    }
  }
}

/// Augmented Lagrangian of [Fer23, eq. A.4] for prescribed blocks that could not be moved freely. Blocks whose targets
/// are where they stand at the start of the step are not pulled: they are held there.
template <int dim>
class AugmentedLagrangian {
 public:
  /// `masses` [kg]: one a prescribed block; positive, but zero for blocks that are not pulled.
  AugmentedLagrangian(const PrescribedTargets& targets, VecX masses, const VecX& x_t0);

  bool is_active() const { return is_active_; }
  void activate() { is_active_ = true; }
  void deactivate() { is_active_ = false; }

  CompensatedSum energy(const VecX& x) const;
  void add_derivatives(const VecX& x, VecX& gradient, BlockSparseMatrix& matrix) const;
  void add_gradient(const VecX& x, VecX& gradient) const;

  /// Returns eta of [Fer23, eq. A.5], which is 1 when every block is at its target.
  double progress(const VecX& x) const;
  /// Stiffens the pull or shifts the multipliers [Fer23, alg. A.1].
  void update(const VecX& x);

 private:
  /// Returns the offset of an entry from its target; zero in free components.
  Vec<dim> miss(const VecX& x, std::size_t k) const;

  const PrescribedTargets& targets_;
  VecX masses_;
  VecX multipliers_;  ///< flat
  double kappa_ = 1e6;
  double initial_distance_sq_ = 0.0;  ///< [m^2] sum over the blocks, at the start of the step
  bool is_active_ = false;
};

}  // namespace clearance
