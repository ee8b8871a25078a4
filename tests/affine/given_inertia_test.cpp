// Frames of bodies whose centre of mass and inertia are given.
#include <gtest/gtest.h>

#include "affine_fixtures.h"
#include "clearance/bodies/affine/affine_frame.h"
#include "clearance/geometry/generators.h"

namespace clearance {
namespace {

TEST(AffineFrame, TakesTheGivenCentreAndSecondMoment) {
  const Mesh mesh = make_box(Vec<3>(1.0, 0.6, 0.8), {1, 1, 1});
  const Mat<3> rotation = rotation_from_vector(Vec<3>(0.3, -0.7, 0.2));
  StiffBodyOptions options;
  options.mass = 3.0;
  options.center = Vec<3>(0.1, -0.05, 0.2);
  options.second_moment = rotation * Mat<3>(Vec<3>(0.5, 0.2, 0.1).asDiagonal()) * rotation.transpose();
  const AffineFrame frame = make_affine_frame(mesh, options).value();
  EXPECT_EQ(frame.mass, 3.0);
  EXPECT_EQ(frame.center, *options.center);
  const Mat<3> moment = frame.axes * Mat<3>(frame.second_moment.asDiagonal()) * frame.axes.transpose();
  EXPECT_LT((moment - *options.second_moment).norm(), 1e-9);  // the error of principal axes
  // The radius is the distance of the farthest corner, so that no weight exceeds 1.
  EXPECT_NEAR(frame.radius, (Vec<3>(-0.5, 0.3, -0.4) - *options.center).norm(), 1e-14);
}

}  // namespace
}  // namespace clearance
