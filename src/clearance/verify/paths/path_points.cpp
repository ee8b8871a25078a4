#include "clearance/verify/paths/path_points.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

namespace clearance::verify {
namespace {

/// Makes up for the rounding of bounds themselves.
constexpr double upward = 1.0 + 1e-9;
constexpr int num_terms = 24;
/// [rad] No move turns farther. The work of a position grows with it.
constexpr double largest_turn = 1000.0;

struct Turned {
  Vec<3> arm;
  double error;
};

/// Returns exp([turn]) arm for a turn of one radian at most, by its Taylor series.
///
/// A term is computed from the one before by a cross product and a division, with an error of 8 roundoffs of the
/// product of the lengths. Term k then is off by 8 k roundoffs of |turn|^k / k! |arm|, and all of them by 8 |turn|
/// e^|turn| < 22. They are added from the last to the first, which costs a roundoff of each sum of last terms: below
/// e^(2 |turn|) < 8. The terms that are left out are below 2 / 25! < 2e-25.
Turned turned_a_little(const Vec<3>& turn, const Vec<3>& arm) {
  std::array<Vec<3>, num_terms> terms;
  terms[0] = arm;
  for (int k = 1; k < num_terms; ++k) terms[k] = turn.cross(terms[k - 1]) / k;
  Vec<3> sum = Vec<3>::Zero();
  for (int k = num_terms - 1; k >= 0; --k) sum += terms[k];
  return {sum, 32.0 * roundoff * arm.norm() * upward};
}

/// Returns exp(s [turn]) arm. The parts of the turn are off by 2 roundoffs, which moves the end by as much of the
/// whole turn.
Turned turned(const Vec<3>& turn, double s, const Vec<3>& arm) {
  const double angle = s * turn.norm();
  const int num_parts = std::max(1, static_cast<int>(std::ceil(angle * upward)));
  const Vec<3> part = turn * (s / num_parts);
  Turned result{arm, 3.0 * roundoff * angle * arm.norm() * upward};
  for (int k = 0; k < num_parts; ++k) {
    const Turned next = turned_a_little(part, result.arm);
    result = {next.arm, result.error + next.error};
  }
  return result;
}

/// Returns exp(s [turn]) arm to 250 bits at least: the series is summed in 320 bits until its terms are that small.
Rational turned_exactly(const Rational& turn, const Rational& arm) {
  constexpr unsigned num_bits = 320, num_exact_bits = 256;
  using Vector = std::array<mpf_class, 3>;
  Vector w, term, sum;
  mpf_class size(0, num_bits), angle_sq(0, num_bits);
  for (std::size_t c = 0; c < 3; ++c) {
    w[c] = mpf_class(turn[c], num_bits);
    term[c] = mpf_class(arm[c], num_bits);
    sum[c] = term[c];
    size += abs(term[c]);
    angle_sq += w[c] * w[c];
  }
  mpf_class least(size, num_bits);
  mpf_div_2exp(least.get_mpf_t(), least.get_mpf_t(), num_exact_bits);
  for (unsigned k = 1;; ++k) {
    Vector next;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t d = (c + 1) % 3, e = (c + 2) % 3;
      next[c] = mpf_class((w[d] * term[e] - w[e] * term[d]) / k, num_bits);
    }
    term = next;
    mpf_class length(0, num_bits);
    for (std::size_t c = 0; c < 3; ++c) {
      sum[c] += term[c];
      length += abs(term[c]);
    }
    // From there on each term is less than half of the one before.
    if (length <= least && angle_sq * 4 < k * k) break;
  }
  return {mpq_class(sum[0]), mpq_class(sum[1]), mpq_class(sum[2])};
}

}  // namespace

BoundedPosition position_at(const PathPoint& point, double s) {
  if (s == 0.0) return {point.p0, point.error};
  if (point.screw == nullptr) {
    if (s == 1.0) return {point.p1, point.error};
    // The weights are exact; two products and a sum are rounded.
    const Vec<3> position = (1.0 - s) * point.p0 + s * point.p1;
    return {position, point.error + 4.0 * roundoff * (point.p0.norm() + point.p1.norm()) * upward};
  }
  const Vec<3> arm = point.p0 - point.center;
  const Turned end = turned(point.screw->turn, s, arm);
  const Vec<3> shift = s * point.screw->shift;
  const Vec<3> position = point.center + shift + end.arm;
  const double rounding = 6.0 * roundoff * (point.center.norm() + shift.norm() + arm.norm()) * upward;
  return {position, point.error + end.error + rounding};
}

BoundedPosition vertex_at(const PathLayout& layout, const std::vector<double>& x, int vertex) {
  Vec<3> position = layout.offsets[vertex];
  Vec<3> size = position.cwiseAbs();
  const int begin = layout.first_term[vertex], end = layout.first_term[vertex + 1];
  for (int k = begin; k < end; ++k) {
    const auto& [block, weight] = layout.terms[k];
    for (int c = 0; c < layout.dim; ++c) {
      const double share = weight * x[layout.dim * static_cast<std::size_t>(block) + c];
      position[c] += share;
      size[c] += std::abs(share);
    }
  }
  // One block of weight one is copied; otherwise a product and as many sums as there are terms are rounded.
  const bool is_copy = end - begin == 1 && layout.terms[begin].weight == 1.0 && layout.offsets[vertex].isZero(0.0);
  return {position, is_copy ? 0.0 : (end - begin + 2) * roundoff * size.norm() * upward};
}

std::vector<int> stiff_of_vertices(const PathLayout& layout) {
  std::vector<int> result(layout.num_vertices(), -1);
  for (int v = 0; v < layout.num_vertices(); ++v) {
    bool is_first = true, has_rigid = false;
    for (int k = layout.first_term[v]; k < layout.first_term[v + 1]; ++k) {
      const int stiff = layout.stiff_of_block[layout.terms[k].block];
      has_rigid = has_rigid || (stiff >= 0 && layout.stiff[stiff].is_rigid);
      if (!is_first && stiff != result[v]) result[v] = -2;
      if (is_first) result[v] = stiff;
      is_first = false;
    }
    // Straight ways of several bodies together are a straight way.
    if (result[v] == -2 && !has_rigid) result[v] = -1;
  }
  return result;
}

PathPoints::PathPoints(const PathLayout& layout, const PathMove& move)
    : layout_(layout), move_(move), points_(layout.num_vertices()) {
  const std::vector<int> stiff = stiff_of_vertices(layout);
  for (int v = 0; v < layout.num_vertices(); ++v) {
    PathPoint& point = points_[v];
    const BoundedPosition start = vertex_at(layout, move.x_t0, v), end = vertex_at(layout, move.x_t1, v);
    point.p0 = start.position;
    point.p1 = end.position;
    point.error = std::max(start.error, end.error);
    if (!point.p0.allFinite() || !point.p1.allFinite()) largest_miss_ = infinity;
    if (stiff[v] < 0 || !layout.stiff[stiff[v]].is_rigid) continue;
    const PathScrew& screw = move.screws[layout.stiff[stiff[v]].rigid];
    if (screw.turn.isZero(0.0)) continue;
    if (!(screw.turn.norm() <= largest_turn)) {
      largest_miss_ = infinity;
      continue;
    }
    const std::size_t first = static_cast<std::size_t>(layout.stiff[stiff[v]].first_block) * layout.dim;
    for (int c = 0; c < layout.dim; ++c) point.center[c] = move.x_t0[first + c];
    point.screw = &screw;
    const Vec<3> arm = point.p0 - point.center;
    point.bend = 0.125 * screw.turn.norm() * (screw.turn.cross(arm).norm() + screw.turn.norm() * point.error) * upward;
    // The way leads to the end of the move on a straight line from that of the screw, which is a rounding away.
    const BoundedPosition last = position_at(point, 1.0);
    const double miss = (last.position - point.p1).norm();
    point.error += (miss + last.error + end.error) * upward;
    // Numbers that overflow miss, too.
    const double share = miss / (arm.norm() + screw.shift.norm() + point.center.norm() + 1e-300);
    largest_miss_ = std::max(largest_miss_, std::isfinite(share) ? share : infinity);
  }
}

ExactWay::ExactWay(const PathPoints& points, int vertex)
    : origin_(points.exact_end(vertex, 0)),
      shift_(minus(points.exact_end(vertex, 1), origin_)),
      is_straight_(points.is_straight(vertex)) {
  if (is_straight_) return;
  // A screw, and the straight line that leads from its end to that of the move.
  turn_ = exactly(points[vertex].screw->turn);
  arm_ = minus(origin_, exactly(points[vertex].center));
  origin_ = minus(origin_, arm_);
  shift_ = minus(shift_, minus(turned_exactly(turn_, arm_), arm_));
}

Rational ExactWay::at(const mpq_class& s) const {
  Rational position = is_straight_ ? Rational{} : turned_exactly({s * turn_[0], s * turn_[1], s * turn_[2]}, arm_);
  for (std::size_t c = 0; c < 3; ++c) position[c] += origin_[c] + s * shift_[c];
  return position;
}

Rational PathPoints::exact_end(int vertex, int end) const {
  const std::vector<double>& x = end == 0 ? move_.x_t0 : move_.x_t1;
  Rational position = exactly(layout_.offsets[vertex]);
  for (int k = layout_.first_term[vertex]; k < layout_.first_term[vertex + 1]; ++k) {
    const auto& [block, weight] = layout_.terms[k];
    const mpq_class factor(weight);
    for (int c = 0; c < layout_.dim; ++c) {
      position[c] += factor * mpq_class(x[layout_.dim * static_cast<std::size_t>(block) + c]);
    }
  }
  return position;
}

}  // namespace clearance::verify
