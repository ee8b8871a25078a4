// All energies of stiff bodies together: implicit Euler steps by Newton's method, with dense matrices.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "affine_fixtures.h"
#include "clearance/bodies/affine/joint_potential.h"
#include "clearance/bodies/affine/orthogonality_potential.h"
#include "clearance/bodies/affine/torque_potential.h"
#include "clearance/geometry/generators.h"

namespace clearance {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double kappa = 1e9;

/// One body, its energies, and how it moves.
template <int dim>
struct Mechanism {
  AffineFrame frame;
  std::vector<std::shared_ptr<Potential>> potentials;
  VecX mass, x, v;
  Vec<3> gravity = Vec<3>::Zero();
  int most_iterations = 0;

  explicit Mechanism(const Mesh& mesh) : frame(make_affine_frame(mesh, {}).value()) {
    potentials.push_back(
        std::make_shared<OrthogonalityPotential<dim>>(std::vector<OrthogonalBody>{{0, frame.radius, stiffness()}}));
    mass = block_masses<dim>(frame).template replicate<1, dim>().transpose().reshaped();
    x = affine_unknowns<dim>(frame);
    v = VecX::Zero(x.size());
  }
  double stiffness() const { return kappa * frame.volume; }
  JointedBody body() const { return {0, frame, stiffness()}; }
  void add(const StiffJoint& joint) {
    potentials.push_back(
        std::make_shared<JointPotential<dim>>(std::vector<StiffJoint>{joint}, std::vector<HeldBody>{}));
  }

  void step(double h, double time_t1) {
    for (const auto& potential : potentials) ASSERT_TRUE(potential->begin_step(x, h, time_t1));
    VecX target = x + h * v;
    target.head<dim>() += h * h * gravity.head<dim>();
    const VecX x_t0 = x;
    double change = 1.0;
    int iteration = 0;
    for (; iteration < 100 && change > 1e-9 * h; ++iteration) {
      VecX gradient = mass.cwiseProduct(x - target) / (h * h);
      MatX hessian = (mass / (h * h)).asDiagonal();
      for (const auto& potential : potentials) {
        BlockSparseMatrix matrix(dim, dim + 1, potential->pattern());
        potential->add_derivatives(x, 1.0, gradient, matrix);
        hessian += test::dense(matrix);
      }
      VecX dx = -hessian.llt().solve(gradient);
      for (const auto& potential : potentials) dx *= potential->max_feasible_step(x, dx).alpha;
      x += dx;
      change = dx.cwiseAbs().maxCoeff();
    }
    EXPECT_LT(iteration, 100);
    most_iterations = std::max(most_iterations, iteration);
    v = (x - x_t0) / h;
  }
};

/// Time [s] until the x coordinate of the centre changes its sign.
template <int dim>
double time_to_swing_through(Mechanism<dim>& mechanism, double h) {
  const double start = mechanism.x[0];
  for (int step = 1; step < 100000; ++step) {
    const double before = mechanism.x[0];
    mechanism.step(h, step * h);
    if (mechanism.x[0] * start <= 0.0) return h * (step - 1.0 + before / (before - mechanism.x[0]));
  }
  return infinity;
}

template <int dim>
void check_pendulum() {
  // A rod that hangs from the origin, tilted by a few degrees; the hinge's axis is z.
  Mesh rod = dim == 2 ? make_rectangle(0.1, 1.0, 1, 1) : make_box(Vec<3>(0.1, 1.0, 0.2), {1, 1, 1});
  const Mat<3> tilt = rotation_from_vector(Vec<3>(0, 0, 0.05));
  for (Vec<3>& vertex : rod.vertices) vertex = tilt * (vertex - Vec<3>(0, 0.5, 0));
  Mechanism<dim> pendulum(rod);
  StiffJoint hinge;
  hinge.bodies[0] = pendulum.body();
  hinge.axis = Vec<3>::UnitZ();
  pendulum.add(hinge);
  pendulum.gravity = Vec<3>(0, -10, 0);

  const double per_mass = (0.01 + 1.0) / 12.0 + 0.25;  // inertia about the hinge
  const double period = 2.0 * pi * std::sqrt(per_mass / (10.0 * 0.5)) * (1.0 + 0.05 * 0.05 / 16.0);
  EXPECT_NEAR(time_to_swing_through(pendulum, 2e-3) / (0.25 * period), 1.0, 0.01);
  EXPECT_LE(pendulum.most_iterations, 6);
}

TEST(StiffBodies, Pendulum_HasItsClosedFormPeriod) {
  check_pendulum<2>();
  check_pendulum<3>();
}

TEST(StiffBodies, TorqueOnAHingedBody_TurnsItAsItsInertiaAsks) {
  Mechanism<3> wheel(make_box(Vec<3>(1.0, 0.2, 0.6), {1, 1, 1}));
  StiffJoint hinge;
  hinge.bodies[0] = wheel.body();
  hinge.point = Vec<3>(0, 3, 0);
  hinge.effort = [](double, double) -> Result<double> { return 5.0; };
  wheel.add(hinge);
  const double h = 1e-2;
  for (int step = 1; step <= 50; ++step) wheel.step(h, step * h);
  // The angle of n implicit steps from rest is a h^2 n (n + 1) / 2.
  const double inertia = wheel.frame.mass * (1.0 + 0.36) / 12.0;
  const double expected = 5.0 / inertia * h * h * 50.0 * 51.0 / 2.0;
  const Vec<3> axis = block<3>(wheel.x, 1) / wheel.frame.radius;
  EXPECT_NEAR(std::atan2(-axis[2], axis[0]) / expected, 1.0, 1e-3);
}

TEST(StiffBodies, BodyOnARail_SlidesFreelyUntilItsLimitStopsIt) {
  Mechanism<3> sled(make_box(Vec<3>(0.3, 0.2, 0.4), {1, 1, 1}));
  StiffJoint slider;
  slider.type = JointKind::slider;
  slider.bodies[0] = sled.body();
  slider.axis = Vec<3>(1, -1, 0);
  slider.upper = 0.05;
  sled.add(slider);
  sled.gravity = Vec<3>(0, -10, 0);
  const Vec<3> down = Vec<3>(1, -1, 0).normalized();
  const double h = 1e-2, along = 10.0 * std::sqrt(0.5);
  for (int step = 1; step <= 5; ++step) sled.step(h, step * h);
  EXPECT_NEAR(sled.x.head<3>().dot(down) / (along * h * h * 15.0), 1.0, 1e-6);
  for (int step = 6; step <= 60; ++step) {
    sled.step(h, step * h);
    ASSERT_LT(sled.x.head<3>().norm(), 0.05);
  }
  EXPECT_GT(sled.x.head<3>().norm(), 0.05 - 1e-3 * sled.frame.radius);
  EXPECT_LT(sled.v.norm(), 1e-3);
}

}  // namespace
}  // namespace clearance
