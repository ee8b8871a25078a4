#include "clearance/bodies/shell/quartic.h"

#include <algorithm>

namespace clearance {

namespace {

constexpr int most_halvings = 40;

/// Returns the bound on [begin, end], where the quartic has these Bernstein coefficients.
double first_root_bound(const std::array<double, 5>& b, double begin, double end, int depth) {
  if (std::all_of(b.begin(), b.end(), [](double value) { return value > 0.0; })) return end;
  if (depth == 0) return begin;
  // De Casteljau's algorithm halves the interval.
  std::array<double, 5> left{}, right = b;
  for (std::size_t k = 0; k < 5; ++k) {
    left[k] = right[0];
    for (std::size_t i = 0; i + k + 1 < 5; ++i) right[i] = 0.5 * (right[i] + right[i + 1]);
  }
  const double middle = 0.5 * (begin + end);
  const double found = first_root_bound(left, begin, middle, depth - 1);
  if (found < middle) return found;
  return first_root_bound(right, middle, end, depth - 1);
}

}  // namespace

double first_root_bound(const Quartic& c) {
  // b_k = sum over j <= k of binomial(k, j) / binomial(4, j) c_j
  const std::array<double, 5> b = {c[0], c[0] + c[1] / 4.0, c[0] + c[1] / 2.0 + c[2] / 6.0,
                                   c[0] + 3.0 * c[1] / 4.0 + c[2] / 2.0 + c[3] / 4.0, c[0] + c[1] + c[2] + c[3] + c[4]};
  return first_root_bound(b, 0.0, 1.0, most_halvings);
}

}  // namespace clearance
