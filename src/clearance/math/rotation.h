// Rotations of 3-space and of the plane. The rotation nearest to a matrix is in svd.h.
#pragma once

#include <Eigen/Geometry>
#include <type_traits>

#include "clearance/math/svd.h"

namespace clearance {

inline constexpr double radians_per_degree = 0.017453292519943295;

/// R = Rz Ry Rx of angles [deg] about the fixed axes. Multiples of 90 degrees give exact zeros and ones.
inline Mat<3> rotation_from_euler_xyz(const Vec<3>& degrees) {
  const auto cosine_sine = [](double angle) {
    const double quarter_turns = angle / 90.0;
    if (quarter_turns == std::round(quarter_turns)) {
      constexpr std::array<double, 4> sines = {0.0, 1.0, 0.0, -1.0};
      const int quarter = static_cast<int>(std::fmod(std::fmod(quarter_turns, 4.0) + 4.0, 4.0));
      return std::array<double, 2>{sines[static_cast<std::size_t>((quarter + 1) % 4)],
                                   sines[static_cast<std::size_t>(quarter)]};
    }
    return std::array<double, 2>{std::cos(angle * radians_per_degree), std::sin(angle * radians_per_degree)};
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

/// exp([w]) for a rotation vector w [rad].
inline Mat<3> rotation_from_vector(const Vec<3>& w) {
  const double angle = w.norm();
  return angle > 0.0 ? Mat<3>(Eigen::AngleAxisd(angle, w / angle).toRotationMatrix()) : Mat<3>(Mat<3>::Identity());
}

/// [w]: [w] a = w x a.
inline Mat<3> cross_matrix(const Vec<3>& w) {
  Mat<3> matrix;
  matrix << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return matrix;
}

/// The rotation vector [rad] of R, of a length up to pi.
inline Vec<3> rotation_vector(const Mat<3>& rotation) {
  const Eigen::AngleAxisd turn{Eigen::Quaterniond(rotation)};
  return turn.angle() * turn.axis();
}

/// Rotation by an angle [rad] in 2D, by a rotation vector in 3D.
template <int dim>
Mat<dim> rotation_by(const std::conditional_t<dim == 2, double, Vec<3>>& turn) {
  if constexpr (dim == 2) {
    return Eigen::Rotation2Dd(turn).toRotationMatrix();
  } else {
    return rotation_from_vector(turn);
  }
}

/// sinc(x) = sin(x) / x with what its derivatives by a vector w of length x need [Fer21, app. A.2]: the gradient of
/// sinc(|w|) is first * w, its Hessian second * w w^T + first * I.
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

/// The angle of a rotation of the plane, [rad] in [-pi, pi].
inline double rotation_angle(const Mat<2>& rotation) {
  return std::atan2(rotation(1, 0) - rotation(0, 1), rotation(0, 0) + rotation(1, 1));
}

}  // namespace clearance
