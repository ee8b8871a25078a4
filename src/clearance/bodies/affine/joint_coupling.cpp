#include "clearance/bodies/affine/joint_coupling.h"

#include <algorithm>
#include <utility>

namespace clearance {

template <int dim>
JointCoupling<dim>::JointCoupling(const StiffCoupling& coupling, const Links& links) : coupling_(coupling) {
  // The stiffness is that of the softer joint, converted to the coordinate of the follower.
  stiffness_ = infinity;
  for (const Side& side : sides()) {
    if (side.factor == 0.0) continue;
    const JointLink<dim>& link = links[side.joint];
    stiffness_ = std::min(stiffness_, link.coordinate_stiffness() / (side.factor * side.factor));
    for (int k = 0; k < JointLink<dim>::num_blocks; ++k) {
      if (link.block_of(k) >= 0) blocks_.push_back(link.block_of(k));
    }
  }
  // The joints may share a body, so the blocks are made unique.
  std::sort(blocks_.begin(), blocks_.end());
  blocks_.erase(std::unique(blocks_.begin(), blocks_.end()), blocks_.end());
}

template <int dim>
double JointCoupling<dim>::error(const Links& links, const VecX& x) const {
  // The error is q - multiplier q_leader - offset.
  double sum = -coupling_.offset;
  for (const Side& side : sides()) {
    sum += side.factor * links[side.joint].coordinate(links[side.joint].gather(x));
  }
  return sum;
}

template <int dim>
double JointCoupling<dim>::energy(const Links& links, const VecX& x) const {
  const double by = error(links, x);
  return 0.5 * stiffness_ * by * by;
}

template <int dim>
double JointCoupling<dim>::strain(const Links& links, const VecX& x) const {
  const JointLink<dim>& link = links[coupling_.joint];
  return std::abs(error(links, x)) * link.coordinate_arm() / link.radius();
}

template <int dim>
typename JointCoupling<dim>::Blocks JointCoupling<dim>::gradient_of_joint(int joint, const Links& links,
                                                                          const VecX& x) const {
  Blocks sum = Blocks::Zero();
  for (const Side& side : sides()) {
    if (std::cmp_not_equal(side.joint, joint)) continue;
    const JointLink<dim>& link = links[side.joint];
    // Only the derivative through this joint's coordinate counts.
    sum += stiffness_ * error(links, x) * side.factor * link.coordinate_gradient(link.gather(x));
  }
  return sum;
}

template <int dim>
std::vector<Vec<dim>> JointCoupling<dim>::error_gradient(const Links& links, const VecX& x) const {
  std::vector<Vec<dim>> gradient(blocks_.size(), Vec<dim>::Zero());
  for (const Side& side : sides()) {
    if (side.factor == 0.0) continue;
    const JointLink<dim>& link = links[side.joint];
    // Map the columns of the joint to the coupling's blocks; the world has none.
    const Blocks g = side.factor * link.coordinate_gradient(link.gather(x));
    for (int k = 0; k < JointLink<dim>::num_blocks; ++k) {
      const int b = link.block_of(k);
      if (b < 0) continue;
      const auto at = std::lower_bound(blocks_.begin(), blocks_.end(), b) - blocks_.begin();
      gradient[at] += g.col(k);
    }
  }
  return gradient;
}

template <int dim>
void JointCoupling<dim>::add_gradient(const Links& links, const VecX& x, double scale, VecX& gradient) const {
  // The gradient of k/2 error^2 is k error grad(error).
  const double force = stiffness_ * error(links, x);
  const std::vector<Vec<dim>> g = error_gradient(links, x);
  for (std::size_t k = 0; k < blocks_.size(); ++k) block<dim>(gradient, blocks_[k]) += scale * force * g[k];
}

template <int dim>
void JointCoupling<dim>::add_excess(const Links& links, const VecX& x_from, const VecX& dx, const VecX& x_to,
                                    double scale, VecX& gradient) const {
  double excess = error(links, x_to) - error(links, x_from);
  const std::vector<Vec<dim>> slope = error_gradient(links, x_from), g = error_gradient(links, x_to);
  for (std::size_t k = 0; k < blocks_.size(); ++k) excess -= slope[k].dot(block<dim>(dx, blocks_[k]));
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    block<dim>(gradient, blocks_[k]) += scale * stiffness_ * excess * g[k];
}

template class JointCoupling<2>;
template class JointCoupling<3>;

}  // namespace clearance
