#include "clearance/study/convergence.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/math/elementary.h"

namespace clearance::study {
namespace {

/// Returns the largest deviation from the last value.
double deviation_from_last(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value - values.back()));
  return largest;
}

/// Fills in what values that have settled have: no order, and the finest value as the limit.
void settle(const std::vector<double>& values, double size, Estimate& found) {
  found.verdict = Verdict::settled;
  found.extrapolated = values.back();
  const auto share = [&](double deviation) { return size > 0.0 ? deviation / size : 0.0; };
  found.error_of_first = share(std::abs(values.front() - values.back()));
  found.error_of_finest = share(std::abs(found.differences.back()));
}

/// Fills in the limit by Richardson, and the errors of the first and the last value. A component that is small beside
/// the others has errors as shares of `least_change`.
void extrapolate(const std::vector<double>& values, double reference, double least_change, Estimate& found) {
  const double d1 = found.differences[found.differences.size() - 2], d2 = found.differences.back();
  const double limit = values.back() + d2 / (d1 / d2 - 1.0);
  const double change = std::max(std::abs(limit - reference), least_change);
  // A limit that the finest level is far from is a guess: a force may be zero at the next level.
  constexpr double most_error = 0.5;
  if (!(std::abs(values.back() - limit) <= most_error * change)) {
    found.verdict = Verdict::slow;
    return;
  }
  found.verdict = Verdict::converges;
  found.extrapolated = limit;
  found.error_of_first = std::abs(values.front() - limit) / change;
  found.error_of_finest = std::abs(values.back() - limit) / change;
}

}  // namespace

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::converges:
      return "converges";
    case Verdict::settled:
      return "settled";
    case Verdict::slow:
      return "slow";
    case Verdict::alternates:
      return "alternates";
    case Verdict::diverges:
      return "diverges";
    case Verdict::unknown:
      return "unknown";
  }
  return "unknown";
}

Estimate estimate_convergence(const std::vector<double>& values, const Scale& scale) {
  Estimate found;
  if (values.size() < 3 || !std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
    return found;
  }
  for (std::size_t i = 1; i < values.size(); ++i) found.differences.push_back(values[i] - values[i - 1]);

  // A component that is nothing beside the others, as the deflection across a plane of symmetry, is noise.
  double own_size = 0.0;
  for (const double value : values) own_size = std::max(own_size, std::abs(value - scale.reference));
  const double size = std::max(own_size, scale.size);
  const double noise = scale.tolerance * size;
  constexpr double rounding = 1e-10;
  const double spread = deviation_from_last(values);
  if (own_size <= noise || spread <= rounding * size) {
    settle(values, size, found);
    return found;
  }

  const double d1 = found.differences[found.differences.size() - 2], d2 = found.differences.back();
  if (d2 != 0.0 && d1 != 0.0) found.order = elementary::log(std::abs(d1 / d2)) / std::numbers::ln2;
  const bool is_monotonic = d1 * d2 > 0.0;
  if (is_monotonic && found.order && *found.order >= least_order) {
    constexpr double least_share = 0.01;
    extrapolate(values, scale.reference, least_share * size, found);
  } else if (std::max(std::abs(d1), std::abs(d2)) <= noise) {
    settle(values, size, found);
  } else if (std::abs(d2) >= std::abs(d1)) {
    found.verdict = Verdict::diverges;
  } else {
    found.verdict = is_monotonic ? Verdict::slow : Verdict::alternates;
  }
  return found;
}

}  // namespace clearance::study
