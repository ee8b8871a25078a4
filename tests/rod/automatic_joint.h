// A slow twin of the derivatives of a rod's joint: the same numbers computed with automatic differentiation.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/AutoDiff>

#include "clearance/bodies/rod/rod_joint.h"
#include "clearance/math/elementary.h"

namespace clearance::automatic {

/// A number with its derivatives by the eleven unknowns: three nodes, then both angles.
using Scalar = Eigen::AutoDiffScalar<Vec<11>>;
using Vec3 = Eigen::Matrix<Scalar, 3, 1>;
using Vector11 = Eigen::Matrix<Scalar, 11, 1>;

inline Scalar sine(const Scalar& x) {
  return Scalar(elementary::sin(x.value()), elementary::cos(x.value()) * x.derivatives());
}
inline Scalar cosine(const Scalar& x) {
  return Scalar(elementary::cos(x.value()), -elementary::sin(x.value()) * x.derivatives());
}
inline Scalar angle_of(const Scalar& y, const Scalar& x) {
  const double a = y.value(), b = x.value(), square = a * a + b * b;
  return Scalar(elementary::atan2(a, b), (b / square) * y.derivatives() - (a / square) * x.derivatives());
}

inline Vec3 transport(const Vec3& from, const Vec3& to, const Vec3& v) {
  return v - (v.dot(to) / (1.0 + from.dot(to))) * (from + to);
}

struct SegmentAxes {
  Vec3 tangent, first, second;  // t, m1, m2
  Vec3 spin;                    // the axes turn about t by dtheta + spin . dt
  Scalar length;
};

inline SegmentAxes axes_of(const SegmentFrame& frame, const Vec3& edge, const Scalar& theta) {
  using std::sqrt;
  SegmentAxes axes;
  axes.length = sqrt(Scalar(edge.dot(edge)));
  axes.tangent = edge / axes.length;
  const Vec3& t = axes.tangent;
  const Vec3 d = frame.director.cast<Scalar>();
  if (frame.is_clamped) {
    const Scalar along = d.dot(t);
    const Vec3 across = d - along * t;
    const Scalar size = sqrt(Scalar(across.dot(across)));
    axes.first = across / size;
    axes.second = t.cross(axes.first);
    axes.spin = axes.second * Scalar(-along / size);
    return axes;
  }
  const Vec3 from = frame.tangent.cast<Scalar>();
  const Vec3 d1 = transport(from, t, d), d2 = t.cross(d1);
  const Scalar c = cosine(theta), s = sine(theta);
  axes.first = d1 * c + d2 * s;
  axes.second = d2 * c - d1 * s;
  axes.spin = from.cross(t) * Scalar(-1.0 / (1.0 + from.dot(t)));
  return axes;
}

/// Curvatures and twist with their derivatives by the eleven unknowns: three nodes, then both angles.
struct JointBend {
  std::array<Scalar, 3> value;                // k1, k2, m
  std::array<std::array<Scalar, 2>, 3> turn;  // derivatives by a turn of each segment's axes about it
  std::array<Vector11, 3> gradient;
};

/// The unknowns of a joint: the frames of both segments in the step, three nodes [m] and both angles.
struct JointUnknowns {
  std::array<SegmentFrame, 2> frames;
  std::array<Vec<3>, 3> x;
  std::array<double, 2> theta{};
  double near_twist = 0.0;
};

/// Computes the bend of a joint. The twist is unwrapped to the value nearest to `near_twist`.
inline JointBend joint_bend(const std::array<SegmentFrame, 2>& frames, const std::array<Vec3, 3>& x,
                            const std::array<Scalar, 2>& theta, double near_twist) {
  const SegmentAxes a = axes_of(frames[0], Vec3(x[1] - x[0]), theta[0]);
  const SegmentAxes b = axes_of(frames[1], Vec3(x[2] - x[1]), theta[1]);
  const Scalar chi = 1.0 + a.tangent.dot(b.tangent);
  const Vec3 kb = a.tangent.cross(b.tangent) * Scalar(2.0 / chi);
  const Vec3 carried = transport(a.tangent, b.tangent, a.first);
  Scalar twist = angle_of(Scalar(carried.cross(b.first).dot(b.tangent)), Scalar(carried.dot(b.first)));
  twist += 2.0 * std::numbers::pi * std::round((near_twist - twist.value()) / (2.0 * std::numbers::pi));
  // The axes of the node: those of each segment, turned by half of the twist towards the other's.
  const Scalar c = cosine(Scalar(0.5 * twist)), s = sine(Scalar(0.5 * twist));
  const Vec3 first_a = a.first * c + a.second * s, first_b = b.first * c - b.second * s;
  const Vec3 second_a = a.second * c - a.first * s, second_b = b.second * c + b.first * s;
  const Vec3 sum1 = first_a + first_b, sum2 = second_a + second_b;
  JointBend bend;
  bend.value[0] = 0.5 * kb.dot(sum2);
  bend.value[1] = -0.5 * kb.dot(sum1);
  bend.value[2] = twist;
  // Derivatives by both tangents and both turns about them.
  struct By {
    Vec3 ta, tb;
    Scalar wa, wb;
  };
  // d(kb . v) = dt- . (2 t+ x v - (kb . v) t+) / chi + dt+ . (2 v x t- - (kb . v) t-) / chi for a fixed v.
  const auto by_binormal = [&](const Vec3& v, const Scalar& factor) {
    const Scalar along = kb.dot(v), share = factor / chi;
    By by;
    by.ta = (b.tangent.cross(v) * Scalar(2.0) - b.tangent * along) * share;
    by.tb = (v.cross(a.tangent) * Scalar(2.0) - a.tangent * along) * share;
    return by;
  };
  By k1 = by_binormal(sum2, Scalar(0.5));
  k1.wa = k1.wb = -0.25 * kb.dot(sum1);
  By k2 = by_binormal(sum1, Scalar(-0.5));
  k2.wa = k2.wb = -0.25 * kb.dot(sum2);
  By m;
  m.ta = m.tb = kb * Scalar(0.5);
  m.wa = Scalar(-1.0);
  m.wb = Scalar(1.0);
  const auto expand = [&](const By& by, Vector11& gradient) {
    // dt = (de - t (t . de)) / |e|
    const auto by_edge = [](const SegmentAxes& of, const Vec3& by_t) {
      return Vec3((by_t - of.tangent * Scalar(of.tangent.dot(by_t))) / of.length);
    };
    const Vec3 ea = by_edge(a, Vec3(by.ta + a.spin * by.wa));
    const Vec3 eb = by_edge(b, Vec3(by.tb + b.spin * by.wb));
    for (int i = 0; i < 3; ++i) {
      gradient[i] = -ea[i];
      gradient[3 + i] = ea[i] - eb[i];
      gradient[6 + i] = eb[i];
    }
    gradient[9] = frames[0].is_clamped ? Scalar(0.0) : by.wa;
    gradient[10] = frames[1].is_clamped ? Scalar(0.0) : by.wb;
  };
  expand(k1, bend.gradient[0]);
  expand(k2, bend.gradient[1]);
  expand(m, bend.gradient[2]);
  bend.turn = {std::array{k1.wa, k1.wb}, std::array{k2.wa, k2.wb}, std::array{m.wa, m.wb}};
  return bend;
}

/// The bend of a joint with its first two derivatives by the eleven unknowns.
struct Derivatives {
  std::array<double, 3> value;
  std::array<Vec<11>, 3> gradient;        // that of the formulas
  std::array<Vec<11>, 3> value_gradient;  // that of the values, by automatic differentiation
  std::array<Mat<11>, 3> hessian;
  std::array<std::array<double, 2>, 3> turn;
};

inline Derivatives differentiate(const JointUnknowns& joint) {
  std::array<Vec3, 3> nodes;
  for (int n = 0; n < 3; ++n) {
    for (int c = 0; c < 3; ++c) nodes[n][c] = Scalar(joint.x[n][c], 11, 3 * n + c);
  }
  const std::array<Scalar, 2> angles = {Scalar(joint.theta[0], 11, 9), Scalar(joint.theta[1], 11, 10)};
  const JointBend bend = joint_bend(joint.frames, nodes, angles, joint.near_twist);
  Derivatives result;
  for (int k = 0; k < 3; ++k) {
    result.value[k] = bend.value[k].value();
    result.value_gradient[k] = bend.value[k].derivatives();
    for (int side = 0; side < 2; ++side) result.turn[k][side] = bend.turn[k][side].value();
    for (int i = 0; i < 11; ++i) {
      const Scalar& slope = bend.gradient[k][i];
      result.gradient[k][i] = slope.value();
      result.hessian[k].col(i) = slope.derivatives();
    }
  }
  return result;
}

}  // namespace clearance::automatic
