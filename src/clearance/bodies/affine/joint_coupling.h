// Coupling of the angles or offsets of two joints by a stiff spring against violations: the energy k/2 (q - multiplier
// q_leader - offset)^2. Chains of couplings and joints that lead several others need no special care.
#pragma once

#include "clearance/bodies/affine/joint_link.h"

namespace clearance {

template <int dim>
class JointCoupling {
 public:
  using Links = std::vector<JointLink<dim>>;
  using Blocks = typename JointLink<dim>::Blocks;

  /// `links` holds all joints by number.
  JointCoupling(const StiffCoupling& coupling, const Links& links);

  /// Returns the number of the joint that follows.
  int joint() const { return coupling_.joint; }
  /// Returns the stiffness [N m/rad] or [N/m] in the coordinate of the follower: that of the softer of both joints.
  double stiffness() const { return stiffness_; }

  double energy(const Links& links, const VecX& x) const;
  /// Returns the error of the follower as a fraction of its smaller body's radius.
  double strain(const Links& links, const VecX& x) const;
  void add_gradient(const Links& links, const VecX& x, double scale, VecX& gradient) const;
  /// Adds the part of the gradient at `x_to` that belongs to the error there beyond that of a linear motion dx from
  /// `x_from`.
  void add_excess(const Links& links, const VecX& x_from, const VecX& dx, const VecX& x_to, double scale,
                  VecX& gradient) const;
  /// Returns the gradient of the energy in the blocks of one joint, through the coordinate of that joint alone.
  Blocks gradient_of_joint(int joint, const Links& links, const VecX& x) const;
  /// Returns the gradient of the coupling's error per block of for_each_pair.
  std::vector<Vec<dim>> error_gradient(const Links& links, const VecX& x) const;

  /// Calls visit(k, l, row, column) for all pairs k >= l of the blocks that the coupling depends on; row >= column.
  template <class Visit>
  void for_each_pair(const Visit& visit) const {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      for (std::size_t l = 0; l <= k; ++l) visit(static_cast<int>(k), static_cast<int>(l), blocks_[k], blocks_[l]);
    }
  }

 private:
  struct Side {
    std::size_t joint;
    double factor;  // derivative of the error by the joint's coordinate
  };
  std::array<Side, 2> sides() const {
    return {{{static_cast<std::size_t>(coupling_.joint), 1.0},
             {static_cast<std::size_t>(coupling_.leader), -coupling_.multiplier}}};
  }
  double error(const Links& links, const VecX& x) const;

  StiffCoupling coupling_;
  double stiffness_ = 0.0;
  std::vector<int> blocks_;  // the blocks of both joints, ascending
};

extern template class JointCoupling<2>;
extern template class JointCoupling<3>;

}  // namespace clearance
