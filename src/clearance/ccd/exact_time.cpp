#include "clearance/ccd/exact_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace clearance {
namespace {

/// Equality is tested once cells of this depth did not tell two roots apart: before, that is dearer than halving.
constexpr unsigned long equality_depth = 64;
/// Roots that cells of this depth do not tell apart are likely to be one repeated root.
constexpr unsigned long repeated_depth = 24;

}  // namespace

ExactTime::ExactTime(ExactPolynomial p, DyadicCell cell) : polynomial_(std::move(p)), cell_(std::move(cell)) {
  if (polynomial_.degree() == 1) {
    mpq_class root(-polynomial_.c[0], polynomial_.c[1]);
    root.canonicalize();
    set_value(std::move(root));
  } else {
    sign_below_ = count_sign_changes(polynomial_, cell_).first_sign;
  }
}

void ExactTime::set_value(mpq_class value) {
  value_ = std::move(value);
  polynomial_ = {};
}

void ExactTime::bisect() {
  DyadicCell upper = cell_.upper_half();
  const int s = sgn(scaled_value(polynomial_, upper.index, upper.depth));
  if (s == 0) return set_value(upper.low());
  cell_ = s == sign_below_ ? std::move(upper) : cell_.lower_half();
}

/// Gains num_bits_ bits if the root lies where the secant says (quadratic interval refinement [Abb06]): the number
/// of bits doubles with every success.
bool ExactTime::try_secant() {
  const mpz_class low = scaled_value(polynomial_, cell_.index, cell_.depth);
  const mpz_class high = scaled_value(polynomial_, cell_.index + 1, cell_.depth);
  // An end of the cell may be another root: then the secant says nothing.
  if (sgn(low) * sgn(high) >= 0) return false;
  mpz_class part = (low << num_bits_) / (low - high);
  const mpz_class last = (mpz_class(1) << num_bits_) - 1;
  if (part > last) part = last;
  DyadicCell cell{(cell_.index << num_bits_) + part, cell_.depth + num_bits_};
  const int s_low = sgn(scaled_value(polynomial_, cell.index, cell.depth));
  const int s_high = sgn(scaled_value(polynomial_, cell.index + 1, cell.depth));
  if (s_low == 0 || s_high == 0) {
    set_value(s_low == 0 ? cell.low() : cell.high());
    return true;
  }
  if (s_low != sign_below_ || s_high == sign_below_) return false;
  cell_ = std::move(cell);
  return true;
}

void ExactTime::refine() {
  if (is_rational()) return;
  if (try_secant()) {
    num_bits_ *= 2;
  } else {
    num_bits_ = std::max(1UL, num_bits_ / 2);
    bisect();
  }
}

int ExactTime::sign_of(const ExactPolynomial& p) {
  while (!is_rational()) {
    const SignChanges changes = count_sign_changes(p, cell_);
    if (changes.count == 0) return changes.first_sign;
    if (cell_.depth >= equality_depth) break;
    refine();
  }
  if (is_rational()) return sign_at(p, value_);
  // A common root is one of the common divisor, which is a simpler polynomial for this time.
  ExactPolynomial common = greatest_common_divisor(p, polynomial_);
  if (count_sign_changes(common, cell_).count % 2 == 1) {
    *this = ExactTime(std::move(common), std::move(cell_));
    return 0;
  }
  for (;;) {
    const SignChanges changes = count_sign_changes(p, cell_);
    if (changes.count == 0) return changes.first_sign;
    refine();
    if (is_rational()) return sign_at(p, value_);
  }
}

int ExactTime::compare_to(const mpq_class& t) {
  if (is_rational()) return cmp(value_, t);
  if (t <= cell_.low()) return 1;
  if (t >= cell_.high()) return -1;
  const int s = sign_at(polynomial_, t);
  if (s != 0) return s == sign_below_ ? 1 : -1;
  set_value(t);
  return 0;
}

int compare(ExactTime& a, ExactTime& b) {
  bool is_different = false;
  while (!a.is_rational() && !b.is_rational()) {
    // Cells are disjoint, or the deeper one lies in the other.
    const bool is_a_deeper = a.cell_.depth >= b.cell_.depth;
    ExactTime& deep = is_a_deeper ? a : b;
    ExactTime& shallow = is_a_deeper ? b : a;
    const mpz_class ancestor = deep.cell_.index >> (deep.cell_.depth - shallow.cell_.depth);
    if (ancestor != shallow.cell_.index) return (ancestor < shallow.cell_.index) == is_a_deeper ? -1 : 1;
    if (!is_different && shallow.cell_.depth >= equality_depth) {
      const ExactPolynomial common = greatest_common_divisor(a.polynomial_, b.polynomial_);
      if (count_sign_changes(common, deep.cell_).count % 2 == 1) return 0;
      is_different = true;
    }
    shallow.refine();
  }
  return b.is_rational() ? a.compare_to(b.value_) : -b.compare_to(a.value_);
}

bool ExactTime::is_before(double t) {
  return compare_to(mpq_class(t)) < 0;
}
bool ExactTime::is_after(double t) {
  return compare_to(mpq_class(t)) > 0;
}

ExactTime::Bracket ExactTime::bracket(const mpq_class& width) {
  while (!is_rational() && cell_.high() - cell_.low() > width) refine();
  if (is_rational()) return {value_, value_};
  return {cell_.low(), cell_.high()};
}

double ExactTime::round_down() {
  // get_d() cuts off: t is not above the time, and next to it once the cell is narrow.
  const auto above = [](double t) { return std::nextafter(t, std::numeric_limits<double>::infinity()); };
  double t = is_rational() ? value_.get_d() : cell_.low().get_d();
  while (!is_rational() && above(t) < cell_.high()) {
    refine();
    t = is_rational() ? value_.get_d() : cell_.low().get_d();
  }
  return is_before(above(t)) ? t : above(t);
}

bool ExactTime::is_certainly_at_or_after(const DyadicCell& cell) const {
  return (is_rational() ? value_ : cell_.low()) >= cell.high();
}

std::optional<ExactTime> first_root_after(const ExactPolynomial& p, ExactTime& time) {
  // Halves [0, 1] until every cell has at most one root, in ascending order: the last cell is the next.
  std::vector<DyadicCell> cells(1);
  std::optional<ExactTime> root;
  ExactPolynomial q = p;
  bool has_simple_roots = false;
  const auto is_found = [&](ExactTime candidate) {
    if (compare(candidate, time) > 0) root = std::move(candidate);
    return root.has_value();
  };
  while (!cells.empty()) {
    const DyadicCell cell = std::move(cells.back());
    cells.pop_back();
    if (time.is_certainly_at_or_after(cell)) continue;
    // Cells are open: the middle of a halved one is the lower end of its upper half, whose index is odd.
    const bool is_upper_half = mpz_odd_p(cell.index.get_mpz_t()) != 0;
    if (is_upper_half && scaled_value(q, cell.index, cell.depth) == 0 && is_found(ExactTime(cell.low()))) return root;
    const SignChanges changes = count_sign_changes(q, cell);
    if (changes.count == 1 && is_found(ExactTime(q, cell))) return root;
    if (changes.count <= 1) continue;
    if (cell.depth >= repeated_depth && !has_simple_roots) {
      // A repeated root would be halved for ever.
      q = without_repeated_roots(q);
      has_simple_roots = true;
      cells.push_back(cell);
    } else {
      cells.push_back(cell.upper_half());
      cells.push_back(cell.lower_half());
    }
  }
  if (q.c[0] + q.c[1] + q.c[2] + q.c[3] == 0 && is_found(ExactTime(mpq_class(1)))) return root;
  return std::nullopt;
}

}  // namespace clearance
