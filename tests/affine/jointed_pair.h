// Two boxes with a joint, for potentials of its coordinate.
#pragma once

#include "affine_fixtures.h"
#include "clearance/bodies/affine/joint.h"
#include "clearance/geometry/generators.h"
#include "clearance/math/rotation.h"

namespace clearance::test {

/// Two boxes that a hinge or a slider along z connects at the origin, the second 1 m away.
struct Pair {
  std::array<JointedBody, 2> bodies;
  VecX x = VecX(2 * num_unknowns<3>);

  Pair() {
    for (int side = 0; side < 2; ++side) {
      Mesh mesh = make_box(Vec<3>(1.0, 0.6, 0.8), {1, 1, 1});
      for (Vec<3>& v : mesh.vertices) v += Vec<3>(side, 0.2 * side, 0.0);
      const AffineFrame frame = make_affine_frame(mesh, StiffBodyOptions{}).value();
      bodies[side] = {4 * side, frame, 7.0};
      x.segment(12 * side, 12) = affine_unknowns<3>(frame);
    }
  }
  StiffJoint joint(JointKind type) const {
    StiffJoint joint;
    joint.type = type;
    joint.bodies = bodies;
    joint.axis = Vec<3>::UnitZ();
    joint.spring = 3.0;
    joint.damping = 0.4;
    return joint;
  }
  /// Returns the state with the first body turned about z and shifted along z.
  VecX moved(double turn, double shift) const {
    const Mat<3> rotation = rotation_from_vector(Vec<3>(0, 0, turn));
    VecX y = x;
    for (int b = 0; b < 4; ++b) y.segment<3>(3 * b) = rotation * x.segment<3>(3 * b);
    y[2] += shift;
    return y;
  }
};

}  // namespace clearance::test
