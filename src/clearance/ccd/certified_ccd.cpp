#include "clearance/ccd/certified_ccd.h"

#include <algorithm>
#include <cmath>

#include "clearance/ccd/separating_direction.h"

namespace clearance {
namespace {

// The search ends when this part of the initial gap above the target is left. Convergence is quadratic, so that a small
// number costs an iteration or two and spares false impacts: published near misses pass at 5e-10 of the initial gap.
constexpr double remaining_gap_fraction = 1e-14;
// With a gap_fraction the target is a choice, not an impact: this part of it is near enough.
constexpr double remaining_target_fraction = 1e-3;

// Coordinates beyond this could overflow in products.
constexpr double largest_coordinate = 0x1p400;

// With exact arithmetic to decide the rest, more certificates than this are not worth their cost.
constexpr int max_exact_advances = 64;

/// The largest magnitude of all coordinates; infinite if one of them is not a number or too large.
template <int dim, int num_corners>
double max_coordinate(const std::array<Vec<dim>, num_corners>& corners) {
  double largest = 0.0;
  for (const Vec<dim>& x : corners) {
    for (int k = 0; k < dim; ++k) {
      const double magnitude = std::abs(x[k]);
      largest = std::max(largest, magnitude < largest_coordinate ? magnitude : infinity);
    }
  }
  return largest;
}

/// Certificates of separation of one relative motion.
template <int dim, int num_corners>
class Certifier {
 public:
  Certifier(const RelativeMotion<dim, num_corners>& motion, CcdNorm norm) : motion_(motion), norm_(norm) {
    const double largest_t0 = max_coordinate<dim, num_corners>(motion.t0);
    const double largest_t1 = max_coordinate<dim, num_corners>(motion.t1);
    is_valid_ = largest_t0 < infinity && largest_t1 < infinity;
    // n . r has one rounding in r, one per product, dim - 1 per sum and one in subtracting the threshold, and |n|_1 <=
    // sqrt(3). That is below 6 sqrt(3) < 11 units; 16 leave room for the rounding of the thresholds.
    error_t0_ = 16.0 * unit_roundoff * largest_t0 + std::numeric_limits<double>::min();
    error_t1_ = 16.0 * unit_roundoff * largest_t1 + std::numeric_limits<double>::min();
  }

  bool is_valid() const { return is_valid_; }
  double error_t0() const { return error_t0_; }

  /// Returns the direction at time t that separates the hull of the corners most from the ball of `separation` in the
  /// norm.
  SeparatingDirection<dim> find_direction(double t, double separation) const {
    std::array<Vec<dim>, num_corners> corners;
    for (int k = 0; k < num_corners; ++k) {
      corners[k] = t == 0.0 ? motion_.t0[k] : Vec<dim>((1.0 - t) * motion_.t0[k] + t * motion_.t1[k]);
    }
    SeparatingDirection<dim> best = find_separating_direction<dim, num_corners>(corners);
    if (norm_ == CcdNorm::euclidean || separation == 0.0) return best;
    // The closest points of hull and cube, by projecting from the one to the other and back; a few times will do.
    SeparatingDirection<dim> direction = best;
    Vec<dim> in_cube = Vec<dim>::Zero();
    for (int i = 0; i < 4; ++i) {
      in_cube = (in_cube + direction.separation * direction.n).cwiseMax(-separation).cwiseMin(separation);
      std::array<Vec<dim>, num_corners> shifted = corners;
      for (Vec<dim>& x : shifted) x -= in_cube;
      direction = find_separating_direction<dim, num_corners>(shifted);
      double least = infinity;
      for (const Vec<dim>& x : corners) least = std::min(least, direction.n.dot(x));
      const double gap = least - reach(direction.n, separation);
      if (gap > best.separation - reach(best.n, separation)) best = {direction.n, least};
    }
    return best;
  }

  /// Returns how far the ball of `separation` reaches along n.
  double reach(const Vec<dim>& n, double separation) const {
    return norm_ == CcdNorm::euclidean ? separation : separation * n.template lpNorm<1>();
  }

  /// Returns the end of the interval from t on which n certifies a distance above `separation`; t itself if there is
  /// none.
  double advance(double t, const Vec<dim>& n, double separation) const {
    // |n| may exceed 1 by four units of rounding.
    const double threshold = reach(n, separation) * (1.0 + 8.0 * unit_roundoff);
    const double threshold_t0 = threshold + error_t0_, threshold_t1 = threshold + error_t1_;
    double begin = 0.0, end = infinity;
    for (int k = 0; k < num_corners; ++k) {
      const double s0 = n.dot(motion_.t0[k]) - threshold_t0;
      const double s1 = n.dot(motion_.t1[k]) - threshold_t1;
      if (s0 > 0.0) {
        if (s1 <= 0.0) end = std::min(end, s0 / (s0 - s1));
      } else if (s1 > 0.0) {
        begin = std::max(begin, s0 / (s0 - s1));
      } else {
        return t;
      }
    }
    // The quotients have three roundings.
    begin *= 1.0 + 8.0 * unit_roundoff;
    end *= 1.0 - 8.0 * unit_roundoff;
    return begin <= t && end > t ? end : t;
  }

 private:
  const RelativeMotion<dim, num_corners>& motion_;
  CcdNorm norm_;
  bool is_valid_;
  double error_t0_, error_t1_;
};

template <int dim, int num_corners>
CcdStart find_start(const Certifier<dim, num_corners>& certifier, const CcdOptions& options) {
  CcdStart start;
  start.separation = options.min_separation;
  if (!certifier.is_valid()) return start;
  const SeparatingDirection<dim> direction = certifier.find_direction(0.0, options.min_separation);
  start.distance = std::max(0.0, (direction.separation - certifier.error_t0()) * (1.0 - 8.0 * unit_roundoff));
  const double gap = start.distance - certifier.reach(direction.n, options.min_separation);
  if (!(gap > 0.0)) return start;
  start.separation = options.min_separation + options.gap_fraction * gap;
  start.safe_time = certifier.advance(0.0, direction.n, start.separation);
  return start;
}

}  // namespace

template <int dim, int num_corners>
CcdStart find_ccd_start(const RelativeMotion<dim, num_corners>& motion, const CcdOptions& options) {
  return find_start(Certifier<dim, num_corners>(motion, options.norm), options);
}

template <int dim, int num_corners>
CcdResult certified_ccd(const RelativeMotion<dim, num_corners>& motion, const CcdOptions& options) {
  const Certifier<dim, num_corners> certifier(motion, options.norm);
  const CcdStart start = find_start(certifier, options);
  // Invariant: the distance exceeds start.separation on [0, t].
  double t = start.safe_time;
  if (t >= options.max_time) return {CcdStatus::no_impact, options.max_time, true};
  if (!(t > 0.0)) return {CcdStatus::impact, 0.0, false};

  const double remaining_gap = remaining_gap_fraction * (start.distance - start.separation) +
                               remaining_target_fraction * (start.separation - options.min_separation);
  const bool is_exact = options.is_exact && options.gap_fraction == 0.0;
  const int max_advances = is_exact ? std::min(max_exact_advances, options.max_iterations) : options.max_iterations;
  for (int i = 1;; ++i) {
    if (i >= max_advances) return {CcdStatus::budget_exhausted, t, false};
    const SeparatingDirection<dim> direction = certifier.find_direction(t, start.separation);
    if (direction.separation - certifier.reach(direction.n, start.separation) <= remaining_gap) break;
    const double next = certifier.advance(t, direction.n, start.separation);
    // No certificate is left: the rest of the gap is rounding.
    if (!(next > t)) break;
    t = next;
    if (t >= options.max_time) return {CcdStatus::no_impact, options.max_time, true};
  }
  return {CcdStatus::impact, t, false};
}

#define CLEARANCE_INSTANTIATE(dim, num_corners)                                                                   \
  template CcdStart find_ccd_start<dim, num_corners>(const RelativeMotion<dim, num_corners>&, const CcdOptions&); \
  template CcdResult certified_ccd<dim, num_corners>(const RelativeMotion<dim, num_corners>&, const CcdOptions&);
CLEARANCE_INSTANTIATE(2, 1)
CLEARANCE_INSTANTIATE(2, 2)
CLEARANCE_INSTANTIATE(3, 1)
CLEARANCE_INSTANTIATE(3, 2)
CLEARANCE_INSTANTIATE(3, 3)
CLEARANCE_INSTANTIATE(3, 4)
#undef CLEARANCE_INSTANTIATE

}  // namespace clearance
