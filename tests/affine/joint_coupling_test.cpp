// Joints that follow others: derivatives, and the relation that the coupling enforces.
#include "clearance/bodies/affine/joint_coupling.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <random>

#include "affine_fixtures.h"
#include "clearance/bodies/affine/joint_potential.h"
#include "clearance/geometry/generators.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::dense;
using test::num_unknowns;

/// Three boxes in a row: joints of the first and the third with the second, which both share, or with the world.
template <int dim>
struct Row {
  std::array<JointedBody, 3> bodies;
  VecX x = VecX(3 * num_unknowns<dim>);

  Row() {
    for (int b = 0; b < 3; ++b) {
      Mesh mesh = dim == 2 ? make_rectangle(1.0, 0.6, 1, 1) : make_box(Vec<3>(1.0, 0.6, 0.8), {1, 1, 1});
      for (Vec<3>& v : mesh.vertices) v += Vec<3>(b, 0.2 * b, 0.0);
      const AffineFrame frame = make_affine_frame(mesh, StiffBodyOptions{}).value();
      bodies[b] = {b * (dim + 1), frame, 7.0};
      x.segment(b * num_unknowns<dim>, num_unknowns<dim>) = affine_unknowns<dim>(frame);
    }
  }
  StiffJoint joint(JointKind kind, std::size_t body, bool to_world) const {
    StiffJoint joint;
    joint.type = kind;
    joint.bodies = {bodies[body], to_world ? JointedBody{} : bodies[1]};
    joint.point = Vec<3>(body == 0 ? 0.5 : 1.5, 0.1, 0.0);
    joint.axis = dim == 3 ? Vec<3>(0, 0, 1) : Vec<3>(1, 0, 0);
    return joint;
  }
  JointPotential<dim> coupled(JointKind first, JointKind second, bool to_world, double multiplier,
                              double offset) const {
    JointPotential<dim> potential({joint(first, 0, to_world), joint(second, 2, to_world)}, {},
                                  {{0, 1, multiplier, offset}});
    EXPECT_TRUE(potential.begin_step(x, 0.1, 0.1));
    return potential;
  }
  /// Returns the state with one body turned about the z axis through its joint's point, or shifted along the slider's
  /// axis.
  VecX moved(VecX y, JointKind kind, int body, double by) const {
    const Mat<3> rotation = rotation_from_vector(Vec<3>(0, 0, kind == JointKind::hinge ? by : 0.0));
    const Vec<3> point = joint(kind, body, true).point;
    const Vec<3> shift =
        kind == JointKind::hinge ? Vec<3>(0, 0, 0) : Vec<3>(by * (dim == 3 ? Vec<3>(0, 0, 1) : Vec<3>(1, 0, 0)));
    for (int b = 0; b <= dim; ++b) {
      Vec<3> column = Vec<3>::Zero();
      column.head<dim>() = block<dim>(x, body * (dim + 1) + b);
      const Vec<3> center = b == 0 ? point : Vec<3>(Vec<3>::Zero());
      const Vec<3> at = center + rotation * (column - center) + (b == 0 ? shift : Vec<3>(Vec<3>::Zero()));
      block<dim>(y, body * (dim + 1) + b) = at.head<dim>();
    }
    return y;
  }
};

template <int dim>
void check_zero_where_it_follows() {
  const Row<dim> row;
  for (const JointKind first : {JointKind::hinge, JointKind::slider}) {
    for (const JointKind second : {JointKind::hinge, JointKind::slider}) {
      for (const double multiplier : {1.0, -2.0, 0.25}) {
        const JointPotential<dim> potential = row.coupled(first, second, true, multiplier, 0.05);
        const VecX led = row.moved(row.x, second, 2, 0.3);
        EXPECT_LT(potential.energy(row.moved(led, first, 0, multiplier * 0.3 + 0.05)).value(), 1e-28);
        EXPECT_GT(potential.energy(row.moved(led, first, 0, multiplier * 0.3)).value(), 1e-4);
      }
    }
  }
}

TEST(JointCoupling, IsRelaxedExactlyWhereOneJointFollowsTheOther) {
  check_zero_where_it_follows<2>();
  check_zero_where_it_follows<3>();
}

template <int dim>
void check_derivatives() {
  const Row<dim> row;
  std::mt19937_64 rng(5);
  std::normal_distribution<double> normal;
  for (const bool to_world : {false, true}) {
    for (const JointKind second : {JointKind::hinge, JointKind::slider}) {
      JointPotential<dim> potential = row.coupled(JointKind::hinge, second, to_world, -1.5, 0.1);
      VecX x = row.x;
      for (double& entry : x) entry += 0.1 * normal(rng);
      VecX gradient = VecX::Zero(x.size());
      potential.add_gradient(x, 1.0, gradient);
      const auto energy = [&](const VecX& y) { return potential.energy(y).value(); };
      ASSERT_GT(gradient.norm(), 1e-3);
      EXPECT_LT((gradient - test::finite_difference_gradient(energy, x)).norm(), 1e-6 * (1.0 + gradient.norm()));
      BlockSparseMatrix matrix(dim, static_cast<int>(x.size()) / dim, potential.pattern());
      potential.add_hessian(x, 1.0, matrix);
      const MatX hessian = dense(matrix);
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(hessian).eigenvalues()[0], -1e-12 * hessian.norm());
    }
  }
}

TEST(JointCoupling, Derivatives_MatchFiniteDifferencesAndArePsd) {
  check_derivatives<2>();
  check_derivatives<3>();
}

TEST(JointCoupling, CountsTurnsOfBothHinges) {
  const Row<3> row;
  JointPotential<3> potential = row.coupled(JointKind::hinge, JointKind::hinge, true, 3.0, 0.0);
  const double turn = 2.0 * 3.14159265358979323846;
  // The leader has made two turns, the follower six.
  potential.set_turns(row.x, {6, 2});
  EXPECT_LT(potential.energy(row.x).value(), 1e-24);
  potential.set_turns(row.x, {5, 2});
  const JointLink<3> link(row.joint(JointKind::hinge, 0, true));
  EXPECT_NEAR(potential.energy(row.x).value(), 0.5 * link.coordinate_stiffness() / 9.0 * turn * turn, 1e-9);
}

TEST(JointCoupling, EffortOfEitherJointIsThatOfTheCouplingTimesItsShare) {
  const Row<3> row;
  JointPotential<3> potential = row.coupled(JointKind::hinge, JointKind::hinge, true, -2.0, 0.0);
  const VecX x = row.moved(row.x, JointKind::hinge, 0, 1e-3);
  const double follower = potential.joint_state(0, x, {}).effort, leader = potential.joint_state(1, x, {}).effort;
  EXPECT_LT(follower, 0.0);  // it pulls back
  EXPECT_NEAR(leader, 2.0 * follower, 1e-9 * std::abs(follower));
}

}  // namespace
}  // namespace clearance
