#include "clearance/bodies/fem/soft_hold_potential.h"

#include <utility>

#include "clearance/model/blocks.h"

namespace clearance {

template <int dim>
SoftHoldPotential<dim>::SoftHoldPotential(VecX stiffness, VecX anchors)
    : stiffness_(std::move(stiffness)), anchors_(std::move(anchors)) {
  for (int b = 0; b < stiffness_.size(); ++b) {
    if (stiffness_[b] > 0.0) blocks_.push_back(b);
  }
}

template <int dim>
Vec<dim> SoftHoldPotential<dim>::force(const VecX& x, int b) const {
  return stiffness_[b] * (block<dim>(anchors_, b) - block<dim>(x, b));
}

template <int dim>
CompensatedSum SoftHoldPotential<dim>::energy(const VecX& x) const {
  return ordered_sum(
      static_cast<int>(blocks_.size()),
      [&](int i) {
        const int b = blocks_[i];
        return 0.5 * stiffness_[b] * (block<dim>(x, b) - block<dim>(anchors_, b)).squaredNorm();
      },
      4096);
}

template <int dim>
void SoftHoldPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (const int b : blocks_) block<dim>(gradient, b) -= scale * force(x, b);
}

template <int dim>
std::vector<BlockKey> SoftHoldPotential<dim>::pattern() const {
  std::vector<BlockKey> keys;
  for (const int b : blocks_) keys.push_back(make_block_key(b, b));
  return keys;
}

template <int dim>
void SoftHoldPotential<dim>::add_hessian(const VecX& /*x*/, double scale, BlockSparseMatrix& matrix) {
  for (const int b : blocks_) {
    matrix.add_to_slot<dim>(matrix.find_slot(b, b), matrix.slot_stride(b),
                            scale * stiffness_[b] * Mat<dim>::Identity());
  }
}

template class SoftHoldPotential<2>;
template class SoftHoldPotential<3>;

}  // namespace clearance
