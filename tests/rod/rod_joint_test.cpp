// The derivatives of a joint in closed form against automatic differentiation, on random and awkward joints.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "rod/automatic_joint.h"

namespace clearance {
namespace {

using automatic::JointUnknowns;

constexpr double pi = std::numbers::pi;

RodJointState state_of(const JointUnknowns& joint) {
  return {{axes_of(joint.frames[0], joint.x[1] - joint.x[0], joint.theta[0]),
           axes_of(joint.frames[1], joint.x[2] - joint.x[1], joint.theta[1])},
          joint.near_twist};
}

/// Returns the derivatives of both edges and angles by three nodes and both angles.
Mat<8, 11> edges_by_nodes() {
  Mat<8, 11> edges = Mat<8, 11>::Zero();
  edges.block<3, 3>(0, 0) = edges.block<3, 3>(3, 3) = -Mat<3>::Identity();
  edges.block<3, 3>(0, 3) = edges.block<3, 3>(3, 6) = Mat<3>::Identity();
  edges(6, 9) = edges(7, 10) = 1.0;
  return edges;
}

Mat<11> hessian_by_nodes(const RodJointState& joint, const JointBend& bend, const Vec<3>& force) {
  const Mat<8> hessian = bend_hessian(joint, bend, force).selfadjointView<Eigen::Lower>();
  return edges_by_nodes().transpose() * hessian * edges_by_nodes();
}

/// Compares all numbers of a joint. `rounding` is relative to the largest derivative of one order. The derivatives of
/// the values multiply the rounding of the axes by the spin, of about the size `spin`.
void expect_twin(const JointUnknowns& joint, double rounding, double spin = 1.0) {
  const automatic::Derivatives twin = automatic::differentiate(joint);
  const RodJointState state = state_of(joint);
  const JointBend bend = joint_bend(state);
  const std::array<BendGradient, 3> gradients = bend_gradients(state, bend);
  const Mat<8, 11> edges = edges_by_nodes();
  for (int k = 0; k < 3; ++k) {
    SCOPED_TRACE(k);
    EXPECT_EQ(bend.value[k], twin.value[k]);
    const Vec<11> gradient = edges.transpose() * gradients[k].gradient;
    const double size = twin.gradient[k].lpNorm<Eigen::Infinity>();
    EXPECT_GT(size, 0.0);
    EXPECT_LE((gradient - twin.gradient[k]).lpNorm<Eigen::Infinity>(), rounding * size);
    EXPECT_LE((gradient - twin.value_gradient[k]).lpNorm<Eigen::Infinity>(), 10.0 * rounding * spin * size);
    for (int side = 0; side < 2; ++side) EXPECT_NEAR(gradients[k].by_turn[side], twin.turn[k][side], rounding * size);
    const Mat<11> by_nodes = hessian_by_nodes(state, bend, Vec<3>::Unit(k));
    const double curved = twin.hessian[k].lpNorm<Eigen::Infinity>();
    EXPECT_GT(curved, 0.0);
    EXPECT_LE((by_nodes - twin.hessian[k]).lpNorm<Eigen::Infinity>(), rounding * curved);
  }
  // The derivatives of a sum are the sum of the derivatives.
  const Vec<3> force(0.7, -1.3, 0.4);
  Mat<11> sum = Mat<11>::Zero();
  for (int k = 0; k < 3; ++k) sum += force[k] * twin.hessian[k];
  EXPECT_LE((hessian_by_nodes(state, bend, force) - sum).lpNorm<Eigen::Infinity>(),
            4.0 * rounding * sum.lpNorm<Eigen::Infinity>());
}

class Joints {
 public:
  explicit Joints(unsigned seed) : random_(seed) {}

  double number(double size) { return size * std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
  Vec<3> direction() {
    Vec<3> v;
    do {
      v = Vec<3>(number(1.0), number(1.0), number(1.0));
    } while (v.norm() < 0.1 || v.norm() > 1.0);
    return v.normalized();
  }
  /// Makes a joint that bends by an angle. The tangents have turned by another one since the start of the step.
  JointUnknowns joint(double bend, double turn) {
    JointUnknowns joint;
    const Vec<3> ta = direction(), axis = ta.cross(direction()).normalized();
    const Vec<3> tb = Eigen::AngleAxisd(bend, axis) * ta;
    joint.x[0] = direction();
    joint.x[1] = joint.x[0] + (1.0 + number(0.8)) * ta;
    joint.x[2] = joint.x[1] + (1.0 + number(0.8)) * tb;
    for (std::size_t side = 0; side < 2; ++side) {
      const Vec<3>& t = side == 0 ? ta : tb;
      SegmentFrame& frame = joint.frames[side];
      frame.tangent = Eigen::AngleAxisd(turn, t.cross(direction()).normalized()) * t;
      frame.director = frame.tangent.cross(direction()).normalized();
      joint.theta[side] = number(pi);
    }
    joint.near_twist = number(pi);
    return joint;
  }
  /// Makes one whose segments of `mask` are clamped with directors that lean by up to a radian.
  JointUnknowns clamped_joint(double bend, int mask) {
    JointUnknowns joint = this->joint(bend, 0.3);
    for (std::size_t side = 0; side < 2; ++side) {
      if ((mask >> side & 1) == 0) continue;
      const Vec<3> t = (joint.x[side + 1] - joint.x[side]).normalized();
      const double lean = number(1.0);
      joint.frames[side].is_clamped = true;
      joint.frames[side].director = std::cos(lean) * t.cross(direction()).normalized() + std::sin(lean) * t;
    }
    return joint;
  }

 private:
  std::mt19937 random_;
};

TEST(RodJoint, DerivativesEqualAutomaticOnes) {
  Joints joints(1);
  for (int i = 0; i < 500; ++i) expect_twin(joints.joint(joints.number(2.5), joints.number(2.0)), 1e-13);
}

TEST(RodJoint, DerivativesOfNearlyStraightJoints) {
  Joints joints(2);
  for (const double bend : {0.0, 1e-300, 1e-16, 1e-12, 1e-8, 1e-4}) {
    for (int i = 0; i < 20; ++i) expect_twin(joints.joint(bend, 0.5), 1e-13);
  }
}

TEST(RodJoint, DerivativesOfStronglyBentJoints) {
  // 1 + t- . t+ loses digits: it is half of the square of what is missing to half a turn.
  Joints joints(3);
  for (const double missing : {0.3, 0.1, 1e-2, 1e-3}) {
    for (int i = 0; i < 20; ++i) expect_twin(joints.joint(pi - missing, 0.5), 1e-14 / (missing * missing));
  }
}

TEST(RodJoint, DerivativesFarFromTheStartOfTheStep) {
  Joints joints(4);
  for (const double missing : {0.3, 0.1, 1e-2, 1e-3}) {
    for (int i = 0; i < 20; ++i) {
      expect_twin(joints.joint(0.8, pi - missing), 1e-14 / (missing * missing), 1.0 / missing);
    }
  }
}

TEST(RodJoint, DerivativesOfManyTurns) {
  Joints joints(5);
  for (int i = 0; i < 50; ++i) {
    JointUnknowns joint = joints.joint(0.8, 0.5);
    joint.theta[0] += joints.number(100.0);
    joint.theta[1] -= joints.number(100.0);
    joint.near_twist = joints.number(200.0);
    expect_twin(joint, 1e-13);
    EXPECT_LE(std::abs(joint_bend(state_of(joint)).value[2] - joint.near_twist), pi * (1.0 + 1e-12));
  }
}

TEST(RodJoint, DerivativesOfClampedSegments) {
  Joints joints(6);
  for (const int mask : {1, 2, 3}) {
    for (int i = 0; i < 50; ++i) expect_twin(joints.clamped_joint(joints.number(2.5), mask), 1e-13);
  }
}

TEST(RodJoint, TheBendInSpaceHasTheDerivativesOfDifferences) {
  Joints joints(23);
  for (int k = 0; k < 120; ++k) {
    SCOPED_TRACE(k);
    const JointUnknowns joint = k % 4 == 0 ? joints.joint(0.01 + 0.02 * k, 0.4) : joints.clamped_joint(0.9, k % 4);
    const Vec<2> rest(joints.number(1.0), joints.number(1.0));
    Vec<8> at;
    at << joint.x[1] - joint.x[0], joint.x[2] - joint.x[1], joint.theta[0], joint.theta[1];
    const auto state_at = [&](const Vec<8>& u) {
      return RodJointState{
          {axes_of(joint.frames[0], u.head<3>(), u[6]), axes_of(joint.frames[1], u.segment<3>(3), u[7])},
          joint.near_twist};
    };
    const auto bend_at = [&](const Vec<8>& u) {
      const RodJointState state = state_at(u);
      const JointBend bend = joint_bend(state);
      Vec<3> off = bend.binormal;
      for (int side = 0; side < 2; ++side) off -= 0.5 * (rest[0] * bend.second[side] - rest[1] * bend.first[side]);
      return off;
    };
    const RodJointState state = state_at(at);
    const Eigen::Matrix<double, 3, 8> gradient = spatial_bend_gradient(state, joint_bend(state), rest);
    for (int c = 0; c < 8; ++c) {
      constexpr double h = 1e-6;
      const Vec<3> difference = (bend_at(at + h * Vec<8>::Unit(c)) - bend_at(at - h * Vec<8>::Unit(c))) / (2.0 * h);
      EXPECT_LT((gradient.col(c) - difference).norm(), 1e-7 * (1.0 + gradient.norm())) << c;
    }
  }
}

// A rod that is round and straight at rest may turn about itself while it is bent; the matrix hardly resists.
TEST(RodJoint, TheBendInSpaceDoesNotResistTheTurnOfAStraightRod) {
  Joints joints(29);
  const RodJointState state = state_of(joints.joint(1.2, 0.3));
  const Eigen::Matrix<double, 3, 8> gradient = spatial_bend_gradient(state, joint_bend(state), Vec<2>::Zero());
  EXPECT_EQ(gradient.rightCols<2>().norm(), 0.0);
  EXPECT_GT(bend_gradients(state, joint_bend(state))[0].gradient.tail<2>().norm() +
                bend_gradients(state, joint_bend(state))[1].gradient.tail<2>().norm(),
            0.5);
}

// Curvatures towards the means of both segments' axes were shorter than the bend by cos(m / 2): a round rod that was
// twisted by 0.4 rad at each node was 4 % too soft, and one that was twisted by half a turn did not resist bending.
TEST(RodJoint, ATwistDoesNotChangeTheSizeOfTheBend) {
  Joints joints(31);
  for (const double twist : {0.0, 0.4, 1.5, 0.5 * pi, pi, 2.0, 6.0, 40.0}) {
    for (int i = 0; i < 20; ++i) {
      JointUnknowns joint = joints.joint(joints.number(2.5), 0.5);
      joint.theta[1] += twist - joint_bend(state_of(joint)).value[2];
      joint.near_twist = twist;
      const JointBend bend = joint_bend(state_of(joint));
      EXPECT_NEAR(bend.value[2], twist, 1e-12 * (1.0 + twist));
      EXPECT_NEAR(bend.value.head<2>().norm(), bend.binormal.norm(), 1e-13 * (1.0 + twist) * bend.binormal.norm());
    }
  }
}

TEST(RodJoint, DerivativesOfSegmentsOfDifferentSize) {
  Joints joints(7);
  for (int i = 0; i < 50; ++i) {
    JointUnknowns joint = joints.joint(joints.number(2.0), 0.5);
    joint.x[0] = joint.x[1] + 1e-4 * (joint.x[0] - joint.x[1]);
    joint.x[2] = joint.x[1] + 1e3 * (joint.x[2] - joint.x[1]);
    expect_twin(joint, 1e-13);
  }
}

}  // namespace
}  // namespace clearance
