// Rotations of 3-space.
#pragma once

#include <Eigen/Geometry>

#include "clearance/math/types.h"

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

}  // namespace clearance
