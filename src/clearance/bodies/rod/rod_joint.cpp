#include "clearance/bodies/rod/rod_joint.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "clearance/bodies/rod/rod_mesh.h"
#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"

// First derivatives. Let the tangents change by dt-, dt+ and the axes turn about them by dw-, dw+. Then the axes and
// the curvature change by
//
//     (1) dm1 = m2 dw - (m1 . dt) t,   dm2 = -m1 dw - (m2 . dt) t,
//     (2) c dkb = 2 dt- x t+ - (t+ . dt-) kb + 2 t- x dt+ - (t- . dt+) kb,   c = 1 + t- . t+.
//
// The curvatures have the form kb . v, where v = v- + v+ is a sum of two vectors, each fixed in the axes of its
// segment: v = m2 / 2 for k1 and v = -m1 / 2 for k2. Let n = dv/dw, which is v turned by a right angle about t. Since
// kb is across both tangents, the last terms of (1) do not change kb . v, and
//
//     (3) d(kb . v) = p-(v) . dt- + p+(v) . dt+ + (kb . n-) dw- + (kb . n+) dw+,
//         p-(v) = (2 t+ x v - (kb . v) t+) / c,   p+(v) = (2 v x t- - (kb . v) t-) / c.
//
// The twist changes by [Ber10]
//
//     (4) dm = kb . (dt- + dt+) / 2 - dw- + dw+.
//
// An edge e = |e| t and its angle theta move the tangent and the axes by
//
//     (5) dt = (I - t t') de / |e|,   dw = dtheta + s . dt,
//
// where s is the spin. A number whose derivatives are p by the tangent and w by the turn thus has the derivatives
//
//     (6) (I - t t') h / |e| by the edge, with h = p + w s, and w by theta.
//
// Second derivatives. The derivative of (6) by the edge is
//
//     (7) ((I - t t') dh/dt (I - t t') - (t . h) (I - t t') - t h' (I - t t') - (I - t t') h t') / |e|^2.
//
// Second derivatives are symmetric, so the first term is symmetric, too, and only the symmetric part of dh/dt counts.
// For a force f of the twist, h- = p-(v) + f kb / 2 + w- s- with w- = kb . n- - f. Let [u] be the matrix of the cross
// product, [u] a = u x a. From (1) to (3) follow
//
//     (8) c dp-/dt- = -t+ p-' - p- t+' + c kb v-',   c dp-/dt+ = -2 [v] - (kb . v) I - t+ p+' - p- t-',
//         c dkb/dt- = -2 [t+] - kb t+',   dp-/dw- = p-(n-),   dp-/dw+ = p-(n+),
//         dw-/dt- = p-(n-),   dw-/dt+ = p+(n-),   dw-/dw- = -kb . v-,   dw-/dw+ = 0,
//
// and the same with - and + exchanged, where [u] changes its sign and w+ = kb . n+ + f. The spin depends on the tangent
// of its own segment. The symmetric part of ds/dt across t is
//
//     (9) -(s T' + T s') / (2 (1 + T . t)) of transported axes, -(1/2 + s^2) (m1 m2' + m2 m1') of clamped ones.
//
// For the latter s = -(D . t) m2 / |D - (D . t) t|.

namespace clearance {

namespace {

/// Returns p-(v) and p+(v) of (3).
std::array<Vec<3>, 2> by_tangents(const RodJointState& joint, const JointBend& bend, const Vec<3>& v) {
  const Vec<3>&ta = joint.sides[0].tangent, &tb = joint.sides[1].tangent;
  const double along = bend.binormal.dot(v), factor = 1.0 / bend.divisor;
  return {(2.0 * tb.cross(v) - along * tb) * factor, (2.0 * v.cross(ta) - along * ta) * factor};
}

Vec<3> across(const Vec<3>& t, const Vec<3>& v) {
  return v - t.dot(v) * t;
}

/// Returns a matrix whose sum with its transpose is (9).
Mat<3> half_spin_slope(const SegmentAxes& axes) {
  if (axes.frame.is_clamped) return -(0.5 + axes.spin.squaredNorm()) * axes.first * axes.second.transpose();
  const Vec<3>& from = axes.frame.tangent;
  return axes.spin * across(axes.tangent, from).transpose() * (-0.5 / (1.0 + from.dot(axes.tangent)));
}

/// The vectors of (8), where v is weighted by the forces of both curvatures: f1 k1 + f2 k2 = kb . (v- + v+).
struct ForceTerms {
  std::array<Vec<3>, 2> v, n, p;              // v-, v+; n-, n+; p-(v), p+(v)
  std::array<std::array<Vec<3>, 2>, 2> by_n;  // p-(n-), p+(n-); p-(n+), p+(n+)
  std::array<double, 2> w, w_by_turn;         // w-, w+; dw-/dw-, dw+/dw+
  Vec<3> twist;                               // f kb / 2
};

ForceTerms force_terms(const RodJointState& joint, const JointBend& bend, const Vec<3>& force) {
  ForceTerms terms;
  for (std::size_t side = 0; side < 2; ++side) {
    const SegmentAxes& axes = joint.sides[side];
    terms.v[side] = 0.5 * (force[0] * axes.second - force[1] * axes.first);
    terms.n[side] = -0.5 * (force[0] * axes.first + force[1] * axes.second);
    terms.by_n[side] = by_tangents(joint, bend, terms.n[side]);
    terms.w[side] = bend.binormal.dot(terms.n[side]) + (side == 0 ? -force[2] : force[2]);
    terms.w_by_turn[side] = -bend.binormal.dot(terms.v[side]);
  }
  terms.p = by_tangents(joint, bend, terms.v[0] + terms.v[1]);
  terms.twist = 0.5 * force[2] * bend.binormal;
  return terms;
}

/// Returns the second derivatives by the edge of one side, (7).
Mat<3> by_edge(const RodJointState& joint, const JointBend& bend, const ForceTerms& terms, std::size_t side) {
  const SegmentAxes& axes = joint.sides[side];
  const Vec<3>&t = axes.tangent, &s = axes.spin, &other = joint.sides[1 - side].tangent;
  const Vec<3> h = terms.p[side] + terms.twist + terms.w[side] * s;
  const double along = t.dot(h);
  // All vectors are taken across t before they are multiplied, and a matrix is added to its transpose. v, kb and s are
  // across t as they are.
  Mat<3> half = across(t, other / -bend.divisor) * across(t, terms.p[side] + 0.5 * terms.twist).transpose();
  half += 0.5 * bend.binormal * terms.v[side].transpose();
  half += s * (across(t, terms.by_n[side][side]) + 0.5 * terms.w_by_turn[side] * s).transpose();
  half += terms.w[side] * half_spin_slope(axes);
  half -= t * (h - 1.5 * along * t).transpose();
  return (half + half.transpose() - along * Mat<3>::Identity()) / (axes.length * axes.length);
}

/// Returns the second derivatives by e+ (rows) and e- (columns).
Mat<3> by_both_edges(const RodJointState& joint, const JointBend& bend, const ForceTerms& terms, double twist_force) {
  const auto& [a, b] = joint.sides;
  const Vec<3> v = terms.v[0] + terms.v[1], turn = 2.0 * v - twist_force * a.tangent;
  // The transpose of c dh-/dt+ in (8), first without the turns: 2 [v] - f [t-] - (kb . v) I less two products.
  Mat<3> matrix;
  matrix << 0.0, -turn[2], turn[1], turn[2], 0.0, -turn[0], -turn[1], turn[0], 0.0;
  matrix.diagonal().setConstant(-bend.binormal.dot(v));
  matrix -= terms.p[1] * b.tangent.transpose() + a.tangent * (terms.p[0] + terms.twist).transpose();
  matrix /= bend.divisor;
  matrix += b.spin * terms.by_n[1][0].transpose() + terms.by_n[0][1] * a.spin.transpose();
  // Keep what is across both tangents, as in (7).
  matrix -= b.tangent * (b.tangent.transpose() * matrix);
  matrix -= (matrix * a.tangent) * a.tangent.transpose();
  return matrix / (a.length * b.length);
}

}  // namespace

SegmentAxes axes_of(const SegmentFrame& frame, const Vec<3>& edge, double theta) {
  SegmentAxes axes;
  axes.frame = frame;
  axes.length = std::sqrt(edge.dot(edge));
  axes.tangent = edge / axes.length;
  const Vec<3>&t = axes.tangent, &d = frame.director;
  if (frame.is_clamped) {
    const double along = d.dot(t);
    const Vec<3> side = d - along * t;
    const double size = std::sqrt(side.dot(side));
    axes.first = side / size;
    axes.second = t.cross(axes.first);
    axes.spin = axes.second * (-along / size);
    return axes;
  }
  const Vec<3>& from = frame.tangent;
  const Vec<3> d1 = transport(from, t, d), d2 = t.cross(d1);
  const double c = elementary::cos(theta), s = elementary::sin(theta);
  axes.first = d1 * c + d2 * s;
  axes.second = d2 * c - d1 * s;
  axes.spin = from.cross(t) * (-1.0 / (1.0 + from.dot(t)));
  return axes;
}

JointBend joint_bend(const RodJointState& joint) {
  const auto& [a, b] = joint.sides;
  JointBend bend;
  bend.divisor = 1.0 + a.tangent.dot(b.tangent);
  bend.binormal = a.tangent.cross(b.tangent) * (2.0 / bend.divisor);
  const Vec<3> sum1 = a.first + b.first, sum2 = a.second + b.second;
  const Vec<3> carried = transport(a.tangent, b.tangent, a.first);
  double twist = elementary::atan2(carried.cross(b.first).dot(b.tangent), carried.dot(b.first));
  twist += 2.0 * std::numbers::pi * std::round((joint.near_twist - twist) / (2.0 * std::numbers::pi));
  bend.value = {0.5 * bend.binormal.dot(sum2), -0.5 * bend.binormal.dot(sum1), twist};
  return bend;
}

std::array<BendGradient, 3> bend_gradients(const RodJointState& joint, const JointBend& bend) {
  const auto& [a, b] = joint.sides;
  const Vec<3>& kb = bend.binormal;
  // The tangents and turns change the curvatures by (3) and the twist by (4).
  const std::array<std::array<Vec<3>, 2>, 3> by_tangent = {by_tangents(joint, bend, 0.5 * (a.second + b.second)),
                                                           by_tangents(joint, bend, -0.5 * (a.first + b.first)),
                                                           {0.5 * kb, 0.5 * kb}};
  const std::array<std::array<double, 2>, 3> by_turn = {{{-0.5 * kb.dot(a.first), -0.5 * kb.dot(b.first)},
                                                         {-0.5 * kb.dot(a.second), -0.5 * kb.dot(b.second)},
                                                         {-1.0, 1.0}}};
  std::array<BendGradient, 3> result;
  for (std::size_t k = 0; k < 3; ++k) {
    result[k].by_turn = by_turn[k];
    for (std::size_t side = 0; side < 2; ++side) {
      // The edge and the angle change them by (6).
      const SegmentAxes& axes = joint.sides[side];
      const Vec<3> h = by_tangent[k][side] + by_turn[k][side] * axes.spin;
      const auto at = static_cast<Eigen::Index>(side);
      result[k].gradient.segment<3>(3 * at) = across(axes.tangent, h) / axes.length;
      result[k].gradient[6 + at] = axes.frame.is_clamped ? 0.0 : by_turn[k][side];
    }
  }
  return result;
}

Eigen::Matrix<double, 3, 8> spatial_bend_gradient(const RodJointState& joint, const JointBend& bend,
                                                  const Vec<2>& rest) {
  Eigen::Matrix<double, 3, 8> result;
  for (std::size_t side = 0; side < 2; ++side) {
    const SegmentAxes& axes = joint.sides[side];
    const Vec<3>& other = joint.sides[1 - side].tangent;
    // The curvature at rest of this side changes by (1).
    const Vec<3> at_rest = 0.5 * (rest[0] * axes.second - rest[1] * axes.first);
    const Vec<3> by_turn = -0.5 * (rest[0] * axes.first + rest[1] * axes.second);
    // kb changes by (2): 2 dt x other for the first side, 2 other x dt for the second.
    Mat<3> by_tangent = (side == 0 ? -2.0 : 2.0) * cross_matrix(other);
    by_tangent -= bend.binormal * other.transpose();
    by_tangent /= bend.divisor;
    by_tangent += axes.tangent * at_rest.transpose() - by_turn * axes.spin.transpose();
    by_tangent -= (by_tangent * axes.tangent) * axes.tangent.transpose();
    const auto at = static_cast<Eigen::Index>(side);
    result.middleCols<3>(3 * at) = by_tangent / axes.length;
    result.col(6 + at) = axes.frame.is_clamped ? Vec<3>(Vec<3>::Zero()) : Vec<3>(-by_turn);
  }
  return result;
}

JointMatrix bend_hessian(const RodJointState& joint, const JointBend& bend, const Vec<3>& force) {
  const ForceTerms terms = force_terms(joint, bend, force);
  JointMatrix hessian = JointMatrix::Zero();
  hessian.block<3, 3>(3, 0) = by_both_edges(joint, bend, terms, force[2]);
  for (std::size_t side = 0; side < 2; ++side) {
    const auto edge = 3 * static_cast<Eigen::Index>(side), angle = 6 + static_cast<Eigen::Index>(side);
    hessian.block<3, 3>(edge, edge).triangularView<Eigen::Lower>() = by_edge(joint, bend, terms, side);
    if (joint.sides[side].frame.is_clamped) continue;
    hessian(angle, angle) = terms.w_by_turn[side];
    // By the angle and each edge: the derivative of h by the turn.
    for (std::size_t moved = 0; moved < 2; ++moved) {
      const SegmentAxes& axes = joint.sides[moved];
      Vec<3> h = terms.by_n[side][moved];
      if (moved == side) h += terms.w_by_turn[side] * axes.spin;
      hessian.block<1, 3>(angle, 3 * static_cast<Eigen::Index>(moved)) =
          across(axes.tangent, h).transpose() / axes.length;
    }
  }
  return hessian;
}

}  // namespace clearance
