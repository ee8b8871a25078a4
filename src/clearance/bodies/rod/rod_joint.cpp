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
// The twist changes by [Ber10]
//
//     (3) dm = kb . (dt- + dt+) / 2 - dw- + dw+.
//
// The curvatures have the form kb . v, where v = v- + v+ is a sum of two vectors, each fixed in the axes q of its side:
// v = q2 / 2 for k1 and v = -q1 / 2 for k2. Let n be v turned by a right angle about t, so that dv- = n- (dw- + dm / 2)
// and dv+ = n+ (dw+ - dm / 2) but for parts along t. Since kb is across both tangents, those parts do not change
// kb . v. Nor does dm, because kb . n- = kb . n+: the axes q of both sides are the same but for the bend. So
//
//     (4) d(kb . v) = p-(v) . dt- + p+(v) . dt+ + kb . n (dw- + dw+) / 2,   n = n- + n+,
//         p-(v) = (2 t+ x v - (kb . v) t+) / c,   p+(v) = (2 v x t- - (kb . v) t-) / c.
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
// For a force f of the twist, h- = p-(v) + f kb / 2 + w- s- with w- = kb . n / 2 - f. Let [u] be the matrix of the
// cross product, [u] a = u x a. From (1) to (4) follow
//
//     (8) c dp-/dt- = -t+ p-' - p- t+' + c kb v-' + c a kb',   c dp-/dt+ = -2 [v] - (kb . v) I - t+ p+' - p- t-' + c a
//     kb',
//         c dkb/dt- = -2 [t+] - kb t+',   dp-/dw- = dp-/dw+ = dw-/dt- = p-(n) / 2,   dw-/dt+ = p+(n) / 2,
//         dw-/dw- = dw-/dw+ = -kb . v / 4,   a = p-(n- - n+) / 4 = (kb . v) kb / 16,
//
// and the same with - and + exchanged, where [u] changes its sign and w+ = kb . n / 2 + f. The last equation for a
// holds across the tangents, and follows from the symmetry of second derivatives by w and t. The spin depends on the
// tangent of its own segment. The symmetric part of ds/dt across t is
//
//     (9) -(s T' + T s') / (2 (1 + T . t)) of transported axes, -(1/2 + s^2) (m1 m2' + m2 m1') of clamped ones.
//
// For the latter s = -(D . t) m2 / |D - (D . t) t|.

namespace clearance {

namespace {

/// Returns p-(v) and p+(v) of (4).
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
  std::array<Vec<3>, 2> v, p;  // v-, v+; p-(v), p+(v)
  std::array<Vec<3>, 2> by_n;  // p-(n) / 2, p+(n) / 2
  std::array<double, 2> w;     // w-, w+
  double w_by_turn = 0.0;      // -kb . v / 4
  Vec<3> twist;                // f kb / 2
};

ForceTerms force_terms(const RodJointState& joint, const JointBend& bend, const Vec<3>& force) {
  ForceTerms terms;
  Vec<3> half_n = Vec<3>::Zero();
  for (std::size_t side = 0; side < 2; ++side) {
    terms.v[side] = 0.5 * (force[0] * bend.second[side] - force[1] * bend.first[side]);
    half_n -= 0.25 * (force[0] * bend.first[side] + force[1] * bend.second[side]);
  }
  const double turned = bend.binormal.dot(half_n);
  terms.w = {turned - force[2], turned + force[2]};
  terms.w_by_turn = -0.25 * (force[0] * bend.value[0] + force[1] * bend.value[1]);
  terms.p = by_tangents(joint, bend, terms.v[0] + terms.v[1]);
  terms.by_n = by_tangents(joint, bend, half_n);
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
  half += 0.5 * bend.binormal * (terms.v[side] - 0.25 * terms.w_by_turn * bend.binormal).transpose();
  half += s * (across(t, terms.by_n[side]) + 0.5 * terms.w_by_turn * s).transpose();
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
  matrix -= 0.25 * terms.w_by_turn * bend.binormal * bend.binormal.transpose();
  matrix += b.spin * (terms.by_n[0] + terms.w_by_turn * a.spin).transpose() + terms.by_n[1] * a.spin.transpose();
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
  const Vec<3> carried = transport(a.tangent, b.tangent, a.first);
  double twist = elementary::atan2(carried.cross(b.first).dot(b.tangent), carried.dot(b.first));
  twist += 2.0 * std::numbers::pi * std::round((joint.near_twist - twist) / (2.0 * std::numbers::pi));
  const double c = elementary::cos(0.5 * twist), s = elementary::sin(0.5 * twist);
  bend.first = {a.first * c + a.second * s, b.first * c - b.second * s};
  bend.second = {a.second * c - a.first * s, b.second * c + b.first * s};
  bend.value = {0.5 * bend.binormal.dot(bend.second[0] + bend.second[1]),
                -0.5 * bend.binormal.dot(bend.first[0] + bend.first[1]), twist};
  return bend;
}

std::array<BendGradient, 3> bend_gradients(const RodJointState& joint, const JointBend& bend) {
  const Vec<3>& kb = bend.binormal;
  // The tangents and turns change the curvatures by (4) and the twist by (3).
  const std::array<std::array<Vec<3>, 2>, 3> by_tangent = {
      by_tangents(joint, bend, 0.5 * (bend.second[0] + bend.second[1])),
      by_tangents(joint, bend, -0.5 * (bend.first[0] + bend.first[1])),
      {0.5 * kb, 0.5 * kb}};
  const double half1 = 0.5 * bend.value[0], half2 = 0.5 * bend.value[1];
  const std::array<std::array<double, 2>, 3> by_turn = {{{half2, half2}, {-half1, -half1}, {-1.0, 1.0}}};
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
  // The curvature at rest has a part of each side, which turns with its axes and with half of the twist.
  std::array<Vec<3>, 2> at_rest, turned;
  for (std::size_t side = 0; side < 2; ++side) {
    at_rest[side] = 0.5 * (rest[0] * bend.second[side] - rest[1] * bend.first[side]);
    turned[side] = -0.5 * (rest[0] * bend.first[side] + rest[1] * bend.second[side]);
  }
  const Vec<3> by_turn = 0.5 * (turned[0] + turned[1]), by_twist = 0.5 * (turned[0] - turned[1]);
  Eigen::Matrix<double, 3, 8> result;
  for (std::size_t side = 0; side < 2; ++side) {
    const SegmentAxes& axes = joint.sides[side];
    const Vec<3>& other = joint.sides[1 - side].tangent;
    // kb changes by (2): 2 dt x other for the first side, 2 other x dt for the second.
    Mat<3> by_tangent = (side == 0 ? -2.0 : 2.0) * cross_matrix(other);
    by_tangent -= bend.binormal * other.transpose();
    by_tangent /= bend.divisor;
    // The part at rest changes by (1) and (3).
    by_tangent += axes.tangent * at_rest[side].transpose() - by_turn * axes.spin.transpose();
    by_tangent -= by_twist * (0.5 * bend.binormal).transpose();
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
    // By the angle and each edge: the derivative of h by the turn.
    for (std::size_t moved = 0; moved < 2; ++moved) {
      const SegmentAxes& axes = joint.sides[moved];
      const Vec<3> h = terms.by_n[moved] + terms.w_by_turn * axes.spin;
      const auto at = static_cast<Eigen::Index>(moved);
      hessian.block<1, 3>(angle, 3 * at) = across(axes.tangent, h).transpose() / axes.length;
      if (moved <= side && !axes.frame.is_clamped) hessian(angle, 6 + at) = terms.w_by_turn;
    }
  }
  return hessian;
}

}  // namespace clearance
