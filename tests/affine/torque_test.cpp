#include "clearance/bodies/affine/torque_potential.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "affine_fixtures.h"
#include "clearance/bodies/affine/affine_frame.h"
#include "clearance/geometry/generators.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

TorqueLoad constant_torque(int first_block, double radius, const Vec<3>& value) {
  return {first_block, radius, [value](double, double) -> Result<Vec<3>> { return value; }};
}

VecX force_of(Potential& potential, const VecX& x) {
  VecX force = VecX::Zero(x.size());
  potential.add_gradient(x, -1.0, force);
  return force;
}

TEST(TorquePotential, Forces_AddUpToTheTorqueAndPushNothing) {
  std::mt19937_64 rng(31);
  for (int trial = 0; trial < 20; ++trial) {
    const double radius = 1.7;
    VecX x = VecX::Ones(24);
    const Mat<3> rotation = test::random_rotation<3>(rng);
    for (int i = 0; i < 3; ++i) block<3>(x, 5 + i) = radius * rotation.col(i);
    const Vec<3> torque = test::random_matrix<3>(rng).col(0);
    TorquePotential<3> potential(24, {constant_torque(4, radius, torque)});
    ASSERT_TRUE(potential.begin_step(x, 0.01, 0.01));
    const VecX force = force_of(potential, x);
    Vec<3> sum = Vec<3>::Zero();
    for (int b = 5; b < 8; ++b) sum += Vec<3>(block<3>(x, b)).cross(Vec<3>(block<3>(force, b)));
    EXPECT_LT((sum - torque).norm(), 1e-14);
    EXPECT_EQ(force.head(15).norm(), 0.0) << "neither another body nor the centre of mass";
  }
}

/// Blocks accelerate by force over mass; what keeps the body rigid can only take away the stretching part.
template <int dim>
void check_angular_acceleration() {
  std::mt19937_64 rng(32);
  Mesh mesh = dim == 2 ? make_rectangle(1.0, 2.0, 1, 1) : make_box(Vec<3>(1, 2, 3), {1, 1, 1});
  const Mat<3> placement = test::in_space<dim>(test::random_rotation<dim>(rng));
  for (Vec<3>& vertex : mesh.vertices) vertex = placement * vertex;
  const AffineFrame frame = make_affine_frame(mesh, {}).value();
  const Vec<3> torque = dim == 2 ? Vec<3>(0, 0, 5) : Vec<3>(100, -200, 300);

  TorquePotential<dim> potential(dim * (dim + 1), {constant_torque(0, frame.radius, torque)});
  const VecX x = affine_unknowns<dim>(frame);
  ASSERT_TRUE(potential.begin_step(x, 0.01, 0.01));
  const VecX force = force_of(potential, x);

  // Of all rigid accelerations the one whose inertial forces do the same virtual work in every rotation.
  const auto masses = block_masses<dim>(frame);
  const Vec<3> moment = frame.second_moment;
  const Mat<3> inertia = frame.axes *
                         Vec<3>(moment[1] + moment[2], moment[0] + moment[2], moment[0] + moment[1]).asDiagonal() *
                         frame.axes.transpose();
  const Vec<3> acceleration = dim == 2 ? Vec<3>(0, 0, torque[2] / inertia(2, 2)) : Vec<3>(inertia.inverse() * torque);
  const auto blocks = affine_velocities<dim>(frame, Vec<3>::Zero(), acceleration);
  for (int axis = dim == 2 ? 2 : 0; axis < 3; ++axis) {
    const auto turning = affine_velocities<dim>(frame, Vec<3>::Zero(), Vec<3>::Unit(axis));
    double inertial = 0.0;
    for (int b = 0; b <= dim; ++b) inertial += masses[b] * block<dim>(blocks, b).dot(block<dim>(turning, b));
    EXPECT_NEAR(inertial, force.dot(turning), 1e-11);
    EXPECT_NEAR(inertial, torque[axis], 1e-11);
  }
}

TEST(TorquePotential, AngularAcceleration_IsThatOfARigidBody) {
  check_angular_acceleration<2>();
  check_angular_acceleration<3>();
}

TEST(TorquePotential, Torque_IsThatOfTheEndOfTheStepInThePoseAtItsStart) {
  const auto ramp = [](double h, double time_t1) -> Result<Vec<3>> { return Vec<3>(0, 0, h + 10.0 * time_t1); };
  TorquePotential<2> potential(6, {{0, 1.0, ramp}});
  const VecX x_t0 = (VecX(6) << 0, 0, 1, 0, 0, 1).finished(), other = VecX::Random(6);
  ASSERT_TRUE(potential.begin_step(x_t0, 0.5, 2.0));
  EXPECT_EQ(force_of(potential, other), (VecX(6) << 0, 0, 0, 10.25, -10.25, 0).finished());
  EXPECT_NEAR(potential.energy(other).value(), -force_of(potential, x_t0).dot(other), 1e-14);
}

TEST(TorquePotential, UndefinedTorques_AreAllReported) {
  const auto undefined = [](double, double) -> Result<Vec<3>> { return Issue{"", "here", "", "undefined"}; };
  TorquePotential<2> potential(6, {{0, 1.0, undefined}, constant_torque(0, 1.0, Vec<3>(0, 0, 1)), {0, 1.0, undefined}});
  const Result<Done> begun = potential.begin_step(VecX::Ones(6), 0.1, 0.1);
  EXPECT_EQ(begun.issues().size(), 2u);
  EXPECT_EQ(force_of(potential, VecX::Ones(6)).norm(), 0.0);
}

}  // namespace
}  // namespace clearance
