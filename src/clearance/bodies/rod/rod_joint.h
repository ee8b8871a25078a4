// Curvature and twist at a node between two segments of a rod, with derivatives.
//
// With the tangents t-, t+ and the material axes m1, m2 of both segments, the curvature is
//
//     kb = 2 t- x t+ / (1 + t- . t+),   k1 = kb . (q2- + q2+) / 2,   k2 = -kb . (q1- + q1+) / 2,
//
// towards the first and the second axis, and the twist m is the angle about t+ from m1-, transported there, to m1+
// [Ber10]. The axes q are those of the node: m-, turned about t- by m / 2, and m+, turned back by as much. The means of
// m- and m+ themselves, as in [Ber10], are shorter by cos(m / 2): a round rod that is twisted by 0.4 rad at each node
// was 4 % too soft in bending, and one that is twisted by half a turn did not resist it.
// All are numbers without unit: k = 2 tan(angle / 2). The axes of a segment are a director d of the start of
// the step, transported from the tangent T there to t, and turned by theta about t. A rotation of the tangent by dt
// turns them about t by -(T x t) . dt / (1 + T . t) besides. The axes of a clamped segment follow a given direction D.
#pragma once

#include <array>

#include "clearance/math/types.h"

namespace clearance {

/// The frame that the axes of a segment follow in a step.
struct SegmentFrame {
  Vec<3> tangent = Vec<3>::UnitX();   ///< T at the start of the step
  Vec<3> director = Vec<3>::UnitY();  ///< d there, for theta = 0; or D of a clamped segment
  bool is_clamped = false;
};

/// A segment at a trial position.
struct SegmentAxes {
  SegmentFrame frame;
  Vec<3> tangent, first, second;  ///< t, m1, m2
  Vec<3> spin;                    ///< s: the axes turn about t by dtheta + s . dt
  double length = 0.0;            ///< [m]
};
SegmentAxes axes_of(const SegmentFrame& frame, const Vec<3>& edge, double theta);

/// A joint at a trial position.
struct RodJointState {
  std::array<SegmentAxes, 2> sides;  ///< the segment that ends at the node, and the one that begins there
  double near_twist = 0.0;           ///< [rad] the twist is unwrapped to the value nearest to it
};

struct JointBend {
  Vec<3> value;          ///< k1, k2, m
  Vec<3> binormal;       ///< kb
  double divisor = 1.0;  ///< 1 + t- . t+
  /// Axes of the node: those of each segment, turned by half of the twist towards the other's.
  std::array<Vec<3>, 2> first, second;
};
JointBend joint_bend(const RodJointState& joint);

/// Derivatives by the edge e- [1/m], the edge e+ [1/m], theta- and theta+, three numbers for each edge.
using JointVector = Vec<8>;
using JointMatrix = Mat<8>;

/// Gradient of one of the three numbers of a bend.
struct BendGradient {
  JointVector gradient;
  std::array<double, 2> by_turn{};  ///< derivative by a turn of each segment's axes about it, clamped or not
};
std::array<BendGradient, 3> bend_gradients(const RodJointState& joint, const JointBend& bend);

/// Returns the derivative of kb less the curvature at rest, k1 q2 - k2 q1 with the means of both sides' axes: of the
/// bend as a vector in space. `rest` are both curvatures at rest.
Eigen::Matrix<double, 3, 8> spatial_bend_gradient(const RodJointState& joint, const JointBend& bend,
                                                  const Vec<2>& rest);

/// Returns the lower half of the second derivatives of force . value for a constant force; the rest is zero.
JointMatrix bend_hessian(const RodJointState& joint, const JointBend& bend, const Vec<3>& force);

}  // namespace clearance
