// Curvature and twist at a node between two segments of a rod, with derivatives.
//
// With the tangents t-, t+ and the material axes m1, m2 of both segments, the curvature is
//
//     kb = 2 t- x t+ / (1 + t- . t+),   k1 = kb . (m2- + m2+) / 2,   k2 = -kb . (m1- + m1+) / 2,
//
// towards the first and the second axis, and the twist m is the angle about t+ from m1-, transported there, to m1+
// [Ber10]. All are numbers without unit: k = 2 tan(angle / 2). The axes of a segment are a director d of the start of
// the step, transported from the tangent T there to t, and turned by theta about t. A rotation of the tangent by dt
// turns them about t by -(T x t) . dt / (1 + T . t) besides. The axes of a clamped segment follow a given direction D.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "clearance/bodies/rod/rod_mesh.h"
#include "clearance/math/elementary.h"

namespace clearance {

/// The frame that the axes of a segment follow in a step.
struct SegmentFrame {
  Vec<3> tangent = Vec<3>::UnitX();   ///< T at the start of the step
  Vec<3> director = Vec<3>::UnitY();  ///< d there, for theta = 0; or D of a clamped segment
  bool is_clamped = false;
};

template <class Scalar>
using Vec3Of = Eigen::Matrix<Scalar, 3, 1>;

// Scalars are numbers, or numbers with derivatives (Eigen::AutoDiffScalar).
template <class Scalar>
Scalar sine(const Scalar& x) {
  if constexpr (std::is_same_v<Scalar, double>) {
    return elementary::sin(x);
  } else {
    return Scalar(elementary::sin(x.value()), elementary::cos(x.value()) * x.derivatives());
  }
}
template <class Scalar>
Scalar cosine(const Scalar& x) {
  if constexpr (std::is_same_v<Scalar, double>) {
    return elementary::cos(x);
  } else {
    return Scalar(elementary::cos(x.value()), -elementary::sin(x.value()) * x.derivatives());
  }
}
template <class Scalar>
Scalar angle_of(const Scalar& y, const Scalar& x) {
  if constexpr (std::is_same_v<Scalar, double>) {
    return elementary::atan2(y, x);
  } else {
    const double a = y.value(), b = x.value(), square = a * a + b * b;
    return Scalar(elementary::atan2(a, b), (b / square) * y.derivatives() - (a / square) * x.derivatives());
  }
}

/// A segment at a trial position.
template <class Scalar>
struct SegmentAxes {
  Vec3Of<Scalar> tangent, first, second;  // t, m1, m2
  Vec3Of<Scalar> spin;                    // the axes turn about t by dtheta + spin . dt
  Scalar length;
};

template <class Scalar>
SegmentAxes<Scalar> axes_of(const SegmentFrame& frame, const Vec3Of<Scalar>& edge, const Scalar& theta) {
  using std::sqrt;
  SegmentAxes<Scalar> axes;
  axes.length = sqrt(Scalar(edge.dot(edge)));
  axes.tangent = edge / axes.length;
  const Vec3Of<Scalar>& t = axes.tangent;
  const Vec3Of<Scalar> d = frame.director.cast<Scalar>();
  if (frame.is_clamped) {
    const Scalar along = d.dot(t);
    const Vec3Of<Scalar> across = d - along * t;
    const Scalar size = sqrt(Scalar(across.dot(across)));
    axes.first = across / size;
    axes.second = t.cross(axes.first);
    axes.spin = axes.second * Scalar(-along / size);
    return axes;
  }
  const Vec3Of<Scalar> from = frame.tangent.cast<Scalar>();
  const Vec3Of<Scalar> d1 = transport(from, t, d), d2 = t.cross(d1);
  const Scalar c = cosine(theta), s = sine(theta);
  axes.first = d1 * c + d2 * s;
  axes.second = d2 * c - d1 * s;
  axes.spin = from.cross(t) * Scalar(-1.0 / (1.0 + from.dot(t)));
  return axes;
}

/// Curvatures and twist with their derivatives by the eleven unknowns: three nodes, then both angles.
template <class Scalar>
struct JointBend {
  std::array<Scalar, 3> value;                // k1, k2, m
  std::array<std::array<Scalar, 2>, 3> turn;  // their derivatives by a turn of each segment's axes about it
  std::array<Eigen::Matrix<Scalar, 11, 1>, 3> gradient;
};

/// A joint at a trial position: the frames of both segments in the step, three nodes [m] and both angles.
struct RodJointState {
  std::array<SegmentFrame, 2> frames;
  std::array<Vec<3>, 3> x;
  std::array<double, 2> theta{};
  double near_twist = 0.0;
};

/// Computes the bend of a joint. The twist is unwrapped to the value nearest to `near_twist`.
template <class Scalar>
JointBend<Scalar> joint_bend(const std::array<SegmentFrame, 2>& frames, const std::array<Vec3Of<Scalar>, 3>& x,
                             const std::array<Scalar, 2>& theta, double near_twist) {
  const SegmentAxes<Scalar> a = axes_of<Scalar>(frames[0], Vec3Of<Scalar>(x[1] - x[0]), theta[0]);
  const SegmentAxes<Scalar> b = axes_of<Scalar>(frames[1], Vec3Of<Scalar>(x[2] - x[1]), theta[1]);
  const Scalar chi = 1.0 + a.tangent.dot(b.tangent);
  const Vec3Of<Scalar> kb = a.tangent.cross(b.tangent) * Scalar(2.0 / chi);
  const Vec3Of<Scalar> sum1 = a.first + b.first, sum2 = a.second + b.second;
  JointBend<Scalar> bend;
  bend.value[0] = 0.5 * kb.dot(sum2);
  bend.value[1] = -0.5 * kb.dot(sum1);
  const Vec3Of<Scalar> carried = transport(a.tangent, b.tangent, a.first);
  Scalar twist = angle_of(Scalar(carried.cross(b.first).dot(b.tangent)), Scalar(carried.dot(b.first)));
  const auto plain = [](const Scalar& s) {
    if constexpr (std::is_same_v<Scalar, double>) {
      return s;
    } else {
      return s.value();
    }
  };
  twist += 2.0 * std::numbers::pi * std::round((near_twist - plain(twist)) / (2.0 * std::numbers::pi));
  bend.value[2] = twist;
  // Derivatives by both tangents and both turns about them.
  struct By {
    Vec3Of<Scalar> ta, tb;
    Scalar wa, wb;
  };
  // d(kb . v) = dt- . (2 t+ x v - (kb . v) t+) / chi + dt+ . (2 v x t- - (kb . v) t-) / chi for a fixed v.
  const auto by_binormal = [&](const Vec3Of<Scalar>& v, const Scalar& factor) {
    const Scalar along = kb.dot(v), share = factor / chi;
    By by;
    by.ta = (b.tangent.cross(v) * Scalar(2.0) - b.tangent * along) * share;
    by.tb = (v.cross(a.tangent) * Scalar(2.0) - a.tangent * along) * share;
    return by;
  };
  By k1 = by_binormal(sum2, Scalar(0.5));
  k1.wa = -0.5 * kb.dot(a.first);
  k1.wb = -0.5 * kb.dot(b.first);
  By k2 = by_binormal(sum1, Scalar(-0.5));
  k2.wa = -0.5 * kb.dot(a.second);
  k2.wb = -0.5 * kb.dot(b.second);
  By m;
  m.ta = m.tb = kb * Scalar(0.5);
  m.wa = Scalar(-1.0);
  m.wb = Scalar(1.0);
  const auto expand = [&](const By& by, Eigen::Matrix<Scalar, 11, 1>& gradient) {
    // dt = (de - t (t . de)) / |e|
    const auto by_edge = [](const SegmentAxes<Scalar>& of, const Vec3Of<Scalar>& by_t) {
      return Vec3Of<Scalar>((by_t - of.tangent * Scalar(of.tangent.dot(by_t))) / of.length);
    };
    const Vec3Of<Scalar> ea = by_edge(a, Vec3Of<Scalar>(by.ta + a.spin * by.wa));
    const Vec3Of<Scalar> eb = by_edge(b, Vec3Of<Scalar>(by.tb + b.spin * by.wb));
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

}  // namespace clearance
