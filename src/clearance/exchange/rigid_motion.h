// Affine maps of bodies as a turn, a move and what is left of them: programs that animate know turns and moves.
#pragma once

#include <Eigen/Geometry>
#include <span>

#include "clearance/math/types.h"

namespace clearance::exchange {

/// Where the vertices of a body are, and in how many directions they reach.
struct BodyAxes {
  Vec<3> center = Vec<3>::Zero();    ///< the mean of the vertices
  Mat<3> axes = Mat<3>::Identity();  ///< columns: principal directions, the longest first
  int rank = 0;                      ///< 0: a point, 1: a straight line, 2: flat, 3
  double size = 0.0;                 ///< diagonal of the box around it
};

BodyAxes find_axes(std::span<const Vec<3>> vertices);

/// x = rotation (stretch (x_rest - center)) + position
struct RigidMotion {
  Vec<3> position = Vec<3>::Zero();  ///< of the body's centre
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Mat<3> stretch = Mat<3>::Identity();  ///< symmetric

  Vec<3> place(const Vec<3>& from_center) const { return rotation * (stretch * from_center) + position; }
};

/// Of the map x = linear x_rest + translation. What a flat or straight body cannot tell is chosen such that nothing
/// stretches there, and a straight one turns no more than it must.
RigidMotion split_motion(const BodyAxes& axes, const Mat<3>& linear, const Vec<3>& translation);

}  // namespace clearance::exchange
