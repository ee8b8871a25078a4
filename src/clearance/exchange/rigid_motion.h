// Decomposes a body's affine map into a rotation, a translation and the remaining stretch. Animation programs know
// rotations and translations.
#pragma once

#include <Eigen/Geometry>
#include <span>

#include "clearance/math/types.h"

namespace clearance::exchange {

/// Position and principal directions of the vertices of a body.
struct BodyAxes {
  Vec<3> center = Vec<3>::Zero();    ///< mean of the vertices
  Mat<3> axes = Mat<3>::Identity();  ///< columns: principal directions, the longest first
  int rank = 0;       ///< dimension of the body: 0 for a point, 1 for a straight line, 2 for a flat body, 3 otherwise
  double size = 0.0;  ///< diagonal of the body's bounding box
};

BodyAxes find_axes(std::span<const Vec<3>> vertices);

/// A motion x = rotation (stretch (x_rest - center)) + position.
struct RigidMotion {
  Vec<3> position = Vec<3>::Zero();  ///< position of the body's centre
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Mat<3> stretch = Mat<3>::Identity();  ///< symmetric

  Vec<3> place(const Vec<3>& from_center) const { return rotation * (stretch * from_center) + position; }
};

/// Decomposes the map x = linear x_rest + translation. Directions in which a flat or straight body has no extent are
/// not stretched, and a straight body rotates by the smallest possible angle.
RigidMotion split_motion(const BodyAxes& axes, const Mat<3>& linear, const Vec<3>& translation);

}  // namespace clearance::exchange
