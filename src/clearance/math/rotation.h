// Rotations of 3-space and of the plane. The rotation nearest to a matrix is in svd.h.
#pragma once

#include <Eigen/Geometry>
#include <type_traits>

#include "clearance/math/elementary.h"
#include "clearance/math/svd.h"

namespace clearance {

inline constexpr double radians_per_degree = 0.017453292519943295;

/// Returns R = Rz Ry Rx of angles [deg] about the fixed axes. Multiples of 90 degrees give exact zeros and ones.
inline Mat<3> rotation_from_euler_xyz(const Vec<3>& degrees) {
  const auto cosine_sine = [](double angle) {
    const double quarter_turns = angle / 90.0;
    if (quarter_turns == std::round(quarter_turns)) {
      constexpr std::array<double, 4> sines = {0.0, 1.0, 0.0, -1.0};
      const int quarter = static_cast<int>(std::fmod(std::fmod(quarter_turns, 4.0) + 4.0, 4.0));
      return std::array<double, 2>{sines[(quarter + 1) % 4], sines[quarter]};
    }
    return std::array<double, 2>{elementary::cos(angle * radians_per_degree),
                                 elementary::sin(angle * radians_per_degree)};
  };
  const auto [cx, sx] = cosine_sine(degrees[0]);
  const auto [cy, sy] = cosine_sine(degrees[1]);
  const auto [cz, sz] = cosine_sine(degrees[2]);
  Mat<3> rx, ry, rz;
  rx << 1, 0, 0, 0, cx, -sx, 0, sx, cx;
  ry << cy, 0, sy, 0, 1, 0, -sy, 0, cy;
  rz << cz, -sz, 0, sz, cz, 0, 0, 0, 1;
  return rz * ry * rx;
}

/// Returns the rotation vector w with [w] = (map - map^T) / 2; in the plane it is about the third axis.
template <int dim>
Vec<3> vector_of_skew(const Mat<dim>& map) {
  if constexpr (dim == 2) {
    return {0.0, 0.0, 0.5 * (map(1, 0) - map(0, 1))};
  } else {
    return 0.5 * Vec<3>(map(2, 1) - map(1, 2), map(0, 2) - map(2, 0), map(1, 0) - map(0, 1));
  }
}

/// Returns [w], with [w] a = w x a.
inline Mat<3> cross_matrix(const Vec<3>& w) {
  Mat<3> matrix;
  matrix << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return matrix;
}

/// Returns the angles [deg] of R = Rz Ry Rx; the angle about y is at most 90.
inline Vec<3> euler_xyz_from_rotation(const Mat<3>& r) {
  const double cosine_y = elementary::hypot(r(0, 0), r(1, 0)), y = elementary::atan2(-r(2, 0), cosine_y);
  // At a right angle only the sum or difference of the other two angles is determined.
  const bool is_upright = cosine_y < 1e-12;
  const double x = is_upright ? elementary::atan2(-r(1, 2), r(1, 1)) : elementary::atan2(r(2, 1), r(2, 2));
  const double z = is_upright ? 0.0 : elementary::atan2(r(1, 0), r(0, 0));
  return Vec<3>(x, y, z) / radians_per_degree;
}

/// Returns exp([w]) for a rotation vector w [rad].
inline Mat<3> rotation_from_vector(const Vec<3>& w) {
  const double angle = w.norm();
  if (!(angle > 0.0)) return Mat<3>::Identity();
  const double c = elementary::cos(angle), s = elementary::sin(angle);
  const Vec<3> axis = w / angle;
  return c * Mat<3>::Identity() + s * cross_matrix(axis) + (1.0 - c) * axis * axis.transpose();
}

/// Returns the rotation vector [rad] of R, of a length up to pi.
inline Vec<3> rotation_vector(const Mat<3>& rotation) {
  const Eigen::Quaterniond q(rotation);
  const double sine = q.vec().norm();  // of half the angle
  if (!(sine > 0.0)) return Vec<3>::Zero();
  return 2.0 * elementary::atan2(q.w() < 0.0 ? -sine : sine, std::abs(q.w())) / sine * q.vec();
}

/// Returns the rotation by an angle [rad] in 2D, by a rotation vector in 3D.
template <int dim>
Mat<dim> rotation_by(const std::conditional_t<dim == 2, double, Vec<3>>& turn) {
  if constexpr (dim == 2) {
    const double c = elementary::cos(turn), s = elementary::sin(turn);
    return Mat<2>{{c, -s}, {s, c}};
  } else {
    return rotation_from_vector(turn);
  }
}

/// sinc(x) = sin(x) / x with the factors of its derivatives by a vector w of length x [Fer21, app. A.2]: the gradient
/// of sinc(|w|) is first * w, its Hessian second * w w^T + first * I.
struct SincDerivatives {
  double value = 1.0;
  double first = -1.0 / 3.0;
  double second = 1.0 / 15.0;
};
SincDerivatives sinc_derivatives(double x);

/// R = exp([w]) with dR/dw_i and d2R/dw_i dw_j, for w of any length.
struct RotationDerivatives {
  Mat<3> value;
  std::array<Mat<3>, 3> first;
  std::array<std::array<Mat<3>, 3>, 3> second;
};
RotationDerivatives rotation_derivatives(const Vec<3>& w);

/// Returns the rotation vector, which may have whole turns, that is nearest to another one.
inline Vec<3> nearest_rotation_vector(const Mat<3>& rotation, const Vec<3>& expected) {
  constexpr double turn = 6.283185307179586;
  Vec<3> vector = rotation_vector(rotation);
  const double angle = vector.norm();
  // A turn that cannot be told from none has the expected axis.
  const Vec<3> axis = angle > 1e-8 ? Vec<3>(vector / angle) : Vec<3>(expected.stableNormalized());
  return vector + turn * std::round((expected.dot(axis) - angle) / turn) * axis;
}

/// Returns the angle of a rotation of the plane, [rad] in [-pi, pi].
inline double rotation_angle(const Mat<2>& rotation) {
  return elementary::atan2(rotation(1, 0) - rotation(0, 1), rotation(0, 0) + rotation(1, 1));
}

}  // namespace clearance
