// A torque on a stiff body during one step, as an energy of its columns b_i (affine_frame.h).
#pragma once

#include "clearance/math/types.h"

namespace clearance {

/// With theta the angle by which the body has turned about the torque's direction since the start of the step, its
/// energy is -|torque| theta: however far the body turns, the torque about that direction is all of it. With b_i^0 as
/// the b_i were, n the direction and R the radius,
///     sin theta = sum_i (n x b_i^0) . b_i / (2 R^2),    cos theta = sum_i b_i^0 . (b_i - (n . b_i) n) / (2 R^2).
/// Beyond `widest` a step is too long for any torque: this one falls to zero at a quarter turn, and is mirrored there,
/// so that nothing jumps after a half turn.
template <int dim>
class StepTorque {
 public:
  static constexpr double widest = 1.2;  ///< [rad]

  StepTorque() = default;
  /// `torque` [N m] about the world's axes (2D: the third counts); `radius` [m]: R.
  StepTorque(const Mat<dim>& b_t0, double radius, const Vec<3>& torque);

  double energy(const Mat<dim>& b) const;
  /// Per column. It stretches nothing; to second order the energy is linear in the angle, so that no Hessian is needed
  /// while the body is all but rigid.
  Mat<dim> gradient(const Mat<dim>& b) const;

 private:
  double size_ = 0.0;                   // [N m]
  Mat<dim> sine_ = Mat<dim>::Zero();    // [1/m]
  Mat<dim> cosine_ = Mat<dim>::Zero();  // [1/m]
};

extern template class StepTorque<2>;
extern template class StepTorque<3>;

}  // namespace clearance
