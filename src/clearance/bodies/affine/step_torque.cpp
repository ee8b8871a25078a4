#include "clearance/bodies/affine/step_torque.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Rate of the fall beyond `widest` that makes the torque zero at a quarter turn.
template <int dim>
constexpr double fall_of = 0.5 * std::numbers::pi / (0.5 * std::numbers::pi - StepTorque<dim>::widest);

}  // namespace

template <int dim>
StepTorque<dim>::StepTorque(const Mat<dim>& b_t0, double radius, const Vec<3>& torque)
    : size_(dim == 2 ? torque[2] : torque.norm()) {
  if (size_ == 0.0) return;
  // Weights of the b_i in the sine and cosine of the angle.
  const double factor = 1.0 / (2.0 * radius * radius);
  for (int i = 0; i < dim; ++i) {
    const Vec<dim> b = b_t0.col(i);
    if constexpr (dim == 2) {
      sine_.col(i) = factor * Vec<2>(-b[1], b[0]);
      cosine_.col(i) = factor * b;
    } else {
      const Vec<3> n = torque / size_;
      sine_.col(i) = factor * n.cross(b);
      cosine_.col(i) = factor * (b - n.dot(b) * n);
    }
  }
}

template <int dim>
double StepTorque<dim>::energy(const Mat<dim>& b) const {
  if (size_ == 0.0) return 0.0;
  // The absolute cosine mirrors angles beyond a quarter turn.
  const double theta = elementary::atan2(sine_.cwiseProduct(b).sum(), std::abs(cosine_.cwiseProduct(b).sum()));
  // The energy is linear in the angle up to `widest`, then a sine whose slope falls from one to zero.
  const double beyond = std::abs(theta) - widest;
  return -size_ *
         (beyond > 0.0 ? std::copysign(widest + elementary::sin(fall_of<dim> * beyond) / fall_of<dim>, theta) : theta);
}

/// The slope of the energy over the torque, with the sign of the cosine for mirrored angles.
template <int dim>
double StepTorque<dim>::share(const Mat<dim>& b) const {
  const double s = sine_.cwiseProduct(b).sum(), c = cosine_.cwiseProduct(b).sum();
  const double beyond = std::abs(elementary::atan2(s, std::abs(c))) - widest;
  return std::copysign(beyond > 0.0 ? elementary::cos(fall_of<dim> * beyond) : 1.0, c);
}

template <int dim>
Mat<dim> StepTorque<dim>::gradient(const Mat<dim>& b) const {
  if (size_ == 0.0) return Mat<dim>::Zero();
  // The gradient of atan2(s, c) is (c grad s - s grad c) / (s^2 + c^2).
  const double s = sine_.cwiseProduct(b).sum(), c = cosine_.cwiseProduct(b).sum(), size_sq = s * s + c * c;
  if (!(size_sq > 0.0)) return Mat<dim>::Zero();
  return (-size_ * share(b) / size_sq) * (c * sine_ - s * cosine_);
}

template class StepTorque<2>;
template class StepTorque<3>;

}  // namespace clearance
