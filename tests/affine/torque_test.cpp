#include "clearance/bodies/affine/torque_potential.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
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

/// The gradient of the turn since the start had a share tan(turn / 2) across the torque.
TEST(TorquePotential, KeepsItsDirectionOnABodyThatTurnsAcrossIt) {
  const double radius = 1.7;
  const auto columns = [&](const Mat<3>& rotation) {
    VecX x = VecX::Zero(12);
    for (int i = 0; i < 3; ++i) block<3>(x, 1 + i) = radius * rotation.col(i);
    return x;
  };
  const Vec<3> torque(0.0, 2.0, 0.0);
  TorquePotential<3> potential({constant_torque(0, radius, torque)});
  ASSERT_TRUE(potential.begin_step(columns(Mat<3>::Identity()), 0.01, 0.01));
  const VecX end = columns(Eigen::AngleAxisd(0.6, Vec<3>::UnitX()).toRotationMatrix());
  const auto sum = [&] {
    const VecX force = force_of(potential, end);
    Vec<3> total = Vec<3>::Zero();
    for (int b = 1; b < 4; ++b) total += Vec<3>(block<3>(end, b)).cross(Vec<3>(block<3>(force, b)));
    return total;
  };
  EXPECT_NEAR(sum().norm(), 2.0 / std::cos(0.3), 1e-12);
  const double energy = potential.energy(end).value();
  EXPECT_TRUE(potential.refer_to(end));
  EXPECT_FALSE(potential.refer_to(end));
  EXPECT_LT((sum() - torque).norm(), 1e-14);
  EXPECT_EQ(potential.energy(end).value(), energy);
}

TEST(TorquePotential, Forces_AddUpToTheTorqueAndPushNothing) {
  std::mt19937_64 rng(31);
  for (int trial = 0; trial < 20; ++trial) {
    const double radius = 1.7;
    VecX x = VecX::Ones(24);
    const Mat<3> rotation = test::random_rotation<3>(rng);
    for (int i = 0; i < 3; ++i) block<3>(x, 5 + i) = radius * rotation.col(i);
    const Vec<3> torque = test::random_matrix<3>(rng).col(0);
    TorquePotential<3> potential({constant_torque(4, radius, torque)});
    ASSERT_TRUE(potential.begin_step(x, 0.01, 0.01));
    const VecX force = force_of(potential, x);
    Vec<3> sum = Vec<3>::Zero();
    for (int b = 5; b < 8; ++b) sum += Vec<3>(block<3>(x, b)).cross(Vec<3>(block<3>(force, b)));
    EXPECT_LT((sum - torque).norm(), 1e-14);
    EXPECT_EQ(force.head(15).norm(), 0.0) << "neither another body nor the centre of mass";
  }
}

/// Blocks accelerate by force over mass; the energy that keeps the body rigid can only take away the stretching part.
template <int dim>
void check_angular_acceleration() {
  std::mt19937_64 rng(32);
  Mesh mesh = dim == 2 ? make_rectangle(1.0, 2.0, 1, 1) : make_box(Vec<3>(1, 2, 3), {1, 1, 1});
  const Mat<3> placement = test::in_space<dim>(test::random_rotation<dim>(rng));
  for (Vec<3>& vertex : mesh.vertices) vertex = placement * vertex;
  const AffineFrame frame = make_affine_frame(mesh, {}).value();
  const Vec<3> torque = dim == 2 ? Vec<3>(0, 0, 5) : Vec<3>(100, -200, 300);

  TorquePotential<dim> potential({constant_torque(0, frame.radius, torque)});
  const VecX x = affine_unknowns<dim>(frame);
  ASSERT_TRUE(potential.begin_step(x, 0.01, 0.01));
  const VecX force = force_of(potential, x);

  // This rigid acceleration is the only one whose inertial forces do the same virtual work as the torque in every
  // rotation.
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

TEST(TorquePotential, Torque_IsThatOfTheEndOfTheStep) {
  const auto ramp = [](double h, double time_t1) -> Result<Vec<3>> { return Vec<3>(0, 0, h + 10.0 * time_t1); };
  TorquePotential<2> potential({{0, 1.0, ramp}});
  const VecX x_t0 = (VecX(6) << 0, 0, 1, 0, 0, 1).finished();
  ASSERT_TRUE(potential.begin_step(x_t0, 0.5, 2.0));
  EXPECT_EQ(force_of(potential, x_t0), (VecX(6) << 0, 0, 0, 10.25, -10.25, 0).finished());
}

/// Torques were dead forces in the pose at the start of the step, so that a body turned by theta felt only the cosine
/// of it: 1000 N m on 1/600 kg m^2 came to rest at 89 degrees, converged.
TEST(TorquePotential, HoweverFarTheBodyTurnsItFeelsAllOfTheTorque) {
  std::mt19937_64 rng(33);
  for (const double theta : {0.0, 0.1, -0.5, 1.1}) {
    const double radius = 1.7;
    const Mat<3> start = radius * test::random_rotation<3>(rng);
    const Vec<3> torque = test::random_matrix<3>(rng).col(0);
    const Mat<3> turned = Eigen::AngleAxisd(theta, torque.normalized()).toRotationMatrix() * start;
    const StepTorque<3> of_step(start, radius, torque);
    EXPECT_NEAR(of_step.energy(turned), -torque.norm() * theta, 1e-12);
    const Mat<3> g = of_step.gradient(turned);
    Vec<3> sum = Vec<3>::Zero();
    for (int i = 0; i < 3; ++i) sum -= Vec<3>(turned.col(i)).cross(Vec<3>(g.col(i)));
    EXPECT_LT((sum - torque).norm(), 1e-12);
    EXPECT_LT((turned.transpose() * g + g.transpose() * turned).norm(), 1e-12) << "it stretches nothing";
  }
}

TEST(TorquePotential, GradientIsThatOfTheEnergyBeyondAllSensibleTurnsToo) {
  std::mt19937_64 rng(34);
  for (const double theta : {0.3, 1.1, 1.3, 2.0, -1.5, -2.9}) {
    const Mat<3> start = test::random_rotation<3>(rng);
    const Vec<3> torque = test::random_matrix<3>(rng).col(0);
    const StepTorque<3> of_step(start, 1.0, torque);
    const Mat<3> at =
        Eigen::AngleAxisd(theta, torque.normalized()).toRotationMatrix() * start + 0.1 * test::random_matrix<3>(rng);
    const auto energy = [&](const VecX& x) { return of_step.energy(Eigen::Map<const Mat<3>>(x.data())); };
    const VecX x = Eigen::Map<const VecX>(at.data(), 9);
    const Mat<3> g = of_step.gradient(at);
    EXPECT_LT((test::finite_difference_gradient(energy, x) - Eigen::Map<const VecX>(g.data(), 9)).norm(), 1e-8)
        << theta;
  }
}

TEST(TorquePotential, UndefinedTorques_AreAllReported) {
  const auto undefined = [](double, double) -> Result<Vec<3>> { return Issue{"", "here", "", "undefined"}; };
  TorquePotential<2> potential({{0, 1.0, undefined}, constant_torque(0, 1.0, Vec<3>(0, 0, 1)), {0, 1.0, undefined}});
  const Result<Done> begun = potential.begin_step(VecX::Ones(6), 0.1, 0.1);
  EXPECT_EQ(begun.issues().size(), 2u);
  EXPECT_EQ(force_of(potential, VecX::Ones(6)).norm(), 0.0);
}

}  // namespace
}  // namespace clearance
