// A torque on a stiff body during one step, as an energy of its columns b_i (affine_frame.h).
#pragma once

#include "clearance/math/types.h"

namespace clearance {

/// Theta is the angle by which the body has turned about the torque's direction since the start of the step. The energy
/// is -|torque| theta, so that the torque about that direction is complete however far the body turns. With b_i^0 the
/// b_i at the start, n the direction and R the radius,
///     sin theta = sum_i (n x b_i^0) . b_i / (2 R^2),    cos theta = sum_i b_i^0 . (b_i - (n . b_i) n) / (2 R^2).
/// Beyond `widest` a step is too long for any torque. There the torque falls to zero at a quarter turn and is mirrored,
/// so that nothing jumps after a half turn.
template <int dim>
class StepTorque {
 public:
  static constexpr double widest = 1.2;  ///< [rad]

  StepTorque() = default;
  /// `torque` [N m] acts about the world's axes (2D: the third counts); `radius` [m] is R.
  StepTorque(const Mat<dim>& b_t0, double radius, const Vec<3>& torque);

  double energy(const Mat<dim>& b) const;
  /// Returns the share of the torque that acts at b: one up to `widest`.
  double share(const Mat<dim>& b) const;
  /// Returns the gradient per column. It does not stretch the body. The energy is linear in the angle to second order,
  /// so that no Hessian is needed while the body is almost rigid.
  Mat<dim> gradient(const Mat<dim>& b) const;

 private:
  double size_ = 0.0;                   // [N m]
  Mat<dim> sine_ = Mat<dim>::Zero();    // [1/m]
  Mat<dim> cosine_ = Mat<dim>::Zero();  // [1/m]
};

extern template class StepTorque<2>;
extern template class StepTorque<3>;

}  // namespace clearance
