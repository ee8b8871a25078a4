#include "clearance/ccd/tight_inclusion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace clearance {
namespace {

/// A box in (t, u, v). The bounds are dyadic numbers of at most `max_depth` bits: exact, and so are their halves.
struct Box {
  std::array<double, 3> low{0.0, 0.0, 0.0};
  std::array<double, 3> high{1.0, 1.0, 1.0};
  int level = 0;
};
constexpr double smallest_width = 0x1p-50;

/// Orders boxes breadth-first, within a level by time (ORDER of [Fer23, alg. 3.3]). A heap keeps the largest in front,
/// hence the reversal.
bool comes_later(const Box& a, const Box& b) {
  return a.level != b.level ? a.level > b.level : a.low[0] > b.low[0];
}

/// The image of a box in one coordinate.
struct Range {
  double low, high;
};

enum class Verdict { disjoint, overlapping, root };

template <int dim>
class Solver {
 public:
  Solver(const InclusionFunction<dim>& function, const InclusionSearch& search)
      : f_(function), search_(search), tolerance_(search.tolerance) {
    set_split_weights();
    for (int k = 0; k < dim; ++k) {
      const auto size = [k](const auto& ends) { return std::max(std::abs(ends.t0[k]), std::abs(ends.t1[k])); };
      // Roundings: one in the difference, two in the interpolation (1 - t is exact), one in the product with u or v,
      // two in the sums: at most six for each of p, a and b.
      const double error = 8.0 * unit_roundoff * (size(f_.p) + size(f_.a) + size(f_.b));
      half_width_[k] = (search.separation + error) * (1.0 + 4.0 * unit_roundoff) + std::numeric_limits<double>::min();
      // Boxes of the size of the error cannot be told apart.
      tolerance_ = std::max(tolerance_, 2.0 * error);
    }
  }

  CcdResult solve() const {
    const double max_time = search_.max_time;
    std::vector<Box> queue;
    queue.reserve(256);
    queue.push_back({});
    double root_time = infinity;
    for (int i = 0; !queue.empty(); ++i) {
      if (i >= search_.max_iterations) {
        return {CcdStatus::budget_exhausted, std::max(search_.min_time, std::min(root_time, earliest_time(queue)))};
      }
      std::pop_heap(queue.begin(), queue.end(), comes_later);
      const Box box = queue.back();
      queue.pop_back();
      if (box.low[0] >= root_time) continue;
      const Verdict verdict = check(box);
      if (verdict == Verdict::root) root_time = box.low[0];
      if (verdict == Verdict::overlapping) root_time = split(box, root_time, queue);
    }
    if (root_time <= max_time) return {CcdStatus::impact, std::max(search_.min_time, root_time)};
    return {CcdStatus::no_impact, max_time};
  }

 private:
  double earliest_time(const std::vector<Box>& queue) const {
    double earliest = search_.max_time;
    for (const Box& box : queue) earliest = std::min(earliest, box.low[0]);
    return earliest;
  }

  /// Returns the smallest interval around F on the corners of the box [Fer23, eq. 3.4]. At a fixed t the least of the
  /// four corners is the sum of the least summands, in floating point as well: rounding is monotone.
  Range image(const Box& box, int k) const {
    Range range{infinity, -infinity};
    for (const double t : {box.low[0], box.high[0]}) {
      const auto at = [t, k](const auto& ends) { return (1.0 - t) * ends.t0[k] + t * ends.t1[k]; };
      const double p = at(f_.p), a = at(f_.a), b = at(f_.b);
      const double a_low = box.low[1] * a, a_high = box.high[1] * a, b_low = box.low[2] * b, b_high = box.high[2] * b;
      range.low = std::min(range.low, (p + std::min(a_low, a_high)) + std::min(b_low, b_high));
      range.high = std::max(range.high, (p + std::max(a_low, a_high)) + std::max(b_low, b_high));
    }
    return range;
  }

  /// Lines 9 and 15 of [Fer23, alg. 3.2]. One coordinate at a time: most boxes are separated in the first.
  Verdict check(const Box& box) const {
    double width = 0.0;
    bool is_inside = true;
    for (int k = 0; k < dim; ++k) {
      const Range range = image(box, k);
      if (range.low > half_width_[k] || range.high < -half_width_[k]) return Verdict::disjoint;
      width = std::max(width, range.high - range.low);
      is_inside = is_inside && range.low >= -half_width_[k] && range.high <= half_width_[k];
    }
    return width < tolerance_ || is_inside ? Verdict::root : Verdict::overlapping;
  }

  /// Sets the upper bounds of the box's width per width in t, u and v ([Fer23, eq. 3.7] up to the common factor 3).
  void set_split_weights() {
    const auto size = [](const Vec<dim>& v) { return v.cwiseAbs().maxCoeff(); };
    const Vec<dim> dp = f_.p.t1 - f_.p.t0, da = f_.a.t1 - f_.a.t0, db = f_.b.t1 - f_.b.t0;
    weights_[0] = std::max({size(dp), size(dp + da), size(dp + db), size(dp + da + db)});
    weights_[1] = std::max(size(f_.a.t0), size(f_.a.t1));
    weights_[2] = std::max(size(f_.b.t0), size(f_.b.t1));
  }

  /// Halves the dimension that contributes most [Fer23, alg. 3.3]. A box that cannot be halved counts as a root.
  double split(const Box& box, double root_time, std::vector<Box>& queue) const {
    int dimension = -1;
    double largest = -1.0;
    for (int i = 0; i <= f_.num_parameters; ++i) {
      const double width = box.high[i] - box.low[i];
      if (width > smallest_width && width * weights_[i] > largest) {
        largest = width * weights_[i];
        dimension = i;
      }
    }
    if (dimension < 0) return std::min(root_time, box.low[0]);
    const double middle = 0.5 * (box.low[dimension] + box.high[dimension]);
    Box lower = box, upper = box;
    lower.high[dimension] = upper.low[dimension] = middle;
    ++lower.level;
    ++upper.level;
    push(lower, root_time, queue);
    push(upper, root_time, queue);
    return root_time;
  }

  /// Drops boxes outside the domain and the time in question.
  void push(const Box& box, double root_time, std::vector<Box>& queue) const {
    if (box.low[0] > search_.max_time || box.low[0] >= root_time || box.high[0] <= search_.min_time) return;
    if (f_.is_triangle && box.low[1] + box.low[2] > 1.0) return;
    queue.push_back(box);
    std::push_heap(queue.begin(), queue.end(), comes_later);
  }

  const InclusionFunction<dim>& f_;
  InclusionSearch search_;
  double tolerance_;
  std::array<double, dim> half_width_{};  ///< of the box C around the origin that counts as contact [m]
  std::array<double, 3> weights_{};
};

}  // namespace

template <int dim>
CcdResult tight_inclusion_ccd(const InclusionFunction<dim>& function, const InclusionSearch& search) {
  return Solver<dim>(function, search).solve();
}

template CcdResult tight_inclusion_ccd<2>(const InclusionFunction<2>&, const InclusionSearch&);
template CcdResult tight_inclusion_ccd<3>(const InclusionFunction<3>&, const InclusionSearch&);

}  // namespace clearance
