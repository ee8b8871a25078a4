#include "clearance/solver/prescribed.h"

#include <cmath>

namespace clearance {

template <int dim>
AugmentedLagrangian<dim>::AugmentedLagrangian(const PrescribedTargets& targets, VecX masses, const VecX& x_t0)
    : targets_(targets), masses_(std::move(masses)), multipliers_(VecX::Zero(targets.positions.size())) {
  for (std::size_t k = 0; k < targets.blocks.size(); ++k) initial_distance_sq_ += miss(x_t0, k).squaredNorm();
}

template <int dim>
Vec<dim> AugmentedLagrangian<dim>::miss(const VecX& x, std::size_t k) const {
  Vec<dim> miss = block<dim>(x, targets_.blocks[k]) - block<dim>(targets_.positions, static_cast<int>(k));
  for (int c = 0; c < dim; ++c) {
    if (!targets_.has_component(k, c)) miss[c] = 0.0;
  }
  return miss;
}

template <int dim>
CompensatedSum AugmentedLagrangian<dim>::energy(const VecX& x) const {
  CompensatedSum sum;
  if (!is_active_) return sum;
  for (std::size_t k = 0; k < targets_.blocks.size(); ++k) {
    const int i = static_cast<int>(k);
    const Vec<dim> miss = this->miss(x, k);
    // The energy is -sqrt(m) lambda . d + kappa / 2 m |d|^2, with d the offset from the target [Fer23, eq. A.4].
    sum.add(-std::sqrt(masses_[i]) * block<dim>(multipliers_, i).dot(miss));
    sum.add(0.5 * kappa_ * masses_[i] * miss.squaredNorm());
  }
  return sum;
}

template <int dim>
void AugmentedLagrangian<dim>::add_gradient(const VecX& x, VecX& gradient) const {
  if (!is_active_) return;
  for (std::size_t k = 0; k < targets_.blocks.size(); ++k) {
    const int i = static_cast<int>(k);
    const Vec<dim> miss = this->miss(x, k);
    block<dim>(gradient, targets_.blocks[k]) +=
        kappa_ * masses_[i] * miss - std::sqrt(masses_[i]) * block<dim>(multipliers_, i);
  }
}

template <int dim>
void AugmentedLagrangian<dim>::add_derivatives(const VecX& x, VecX& gradient, BlockSparseMatrix& matrix) const {
  if (!is_active_) return;
  add_gradient(x, gradient);
  for (std::size_t k = 0; k < targets_.blocks.size(); ++k) {
    const int node = targets_.blocks[k];
    // Only prescribed components are pulled.
    Vec<dim> pulled;
    for (int c = 0; c < dim; ++c) pulled[c] = targets_.has_component(k, c) ? 1.0 : 0.0;
    matrix.add_to_slot<dim>(matrix.find_slot(node, node), matrix.slot_stride(node),
                            Mat<dim>(kappa_ * masses_[static_cast<int>(k)] * pulled.asDiagonal().toDenseMatrix()));
  }
}

template <int dim>
double AugmentedLagrangian<dim>::progress(const VecX& x) const {
  if (!(initial_distance_sq_ > 0.0)) return 1.0;
  double distance_sq = 0.0;
  for (std::size_t k = 0; k < targets_.blocks.size(); ++k) distance_sq += miss(x, k).squaredNorm();
  return 1.0 - std::sqrt(distance_sq / initial_distance_sq_);
}

template <int dim>
void AugmentedLagrangian<dim>::update(const VecX& x) {
  // The pull becomes stiffer until the nodes are close or kappa reaches 1e8; then the multipliers take over.
  if (progress(x) < 0.99 && kappa_ < 1e8) {
    kappa_ *= 2.0;
    return;
  }
  for (std::size_t k = 0; k < targets_.blocks.size(); ++k) {
    const int i = static_cast<int>(k);
    block<dim>(multipliers_, i) -= kappa_ * std::sqrt(masses_[i]) * miss(x, k);
  }
}

template class AugmentedLagrangian<2>;
template class AugmentedLagrangian<3>;

}  // namespace clearance
