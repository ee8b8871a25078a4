// Tight Inclusion as in [Fer23, sec. 3.5.2, 3.6]: the tightest box around the image of a box, with the
// floating-point filters of [Fer23, eq. 3.5, 3.8]. (The simulator's own, ccd/tight_inclusion.h, differs in its rounding
// bound and starts from a separating direction.)
#include <cmath>

#include "clearance/ccd/methods/box_search.h"
#include "clearance/ccd/methods/deciders.h"

namespace clearance {
namespace {

/// One coordinate of the four vertices: value at t is start + t * step.
struct Axis {
  std::array<double, 4> start, step;
  double half_width;  ///< of the box around the origin that counts as contact: separation and filter [m]
};

struct Range {
  double low, high;
};

class TightInclusion {
 public:
  TightInclusion(const CcdQuery& query, const CcdMethodOptions& options)
      : is_triangle_(query.kind == QueryKind::point_triangle), tolerance_(options.tolerance) {
    for (int k = 0; k < 3; ++k) {
      double largest = std::max(1.0, options.min_separation);  // gamma of [Fer23, eq. 3.5; 3.8 assumes d < gamma]
      for (int i = 0; i < 4; ++i) {
        const double t0 = query.motion.t0[i][k], t1 = query.motion.t1[i][k];
        axes_[k].start[i] = t0;
        axes_[k].step[i] = t1 - t0;
        largest = std::max({largest, std::abs(t0), std::abs(t1)});
      }
      axes_[k].half_width = options.min_separation + filter(options.min_separation > 0.0) * largest * largest * largest;
    }
  }

  bool is_triangle() const { return is_triangle_; }

  /// Returns kappa of [Fer23, eq. 3.7] up to its factor 3. F is linear in each parameter: the differences at the
  /// corners bound all.
  std::array<double, 3> weights() const {
    std::array<double, 3> kappa{0.0, 0.0, 0.0};
    for (const Axis& axis : axes_) {
      const auto& s = axis.step;
      const auto difference = [&](int i, int j, double t) {
        return std::abs((axis.start[i] - axis.start[j]) + t * (s[i] - s[j]));
      };
      // Compute the corners of the face t = constant of F, and its edges along u and v.
      const double last = is_triangle_ ? s[0] - (s[2] + s[3] - s[1]) : s[1] - s[3];
      kappa[0] = std::max({kappa[0], std::abs(is_triangle_ ? s[0] - s[1] : s[0] - s[2]),
                           std::abs(is_triangle_ ? s[0] - s[2] : s[1] - s[2]), std::abs(s[0] - s[3]), std::abs(last)});
      for (const double t : {0.0, 1.0}) {
        kappa[1] = std::max(kappa[1], is_triangle_ ? difference(2, 1, t) : difference(1, 0, t));
        kappa[2] = std::max(kappa[2], is_triangle_ ? difference(3, 1, t) : difference(3, 2, t));
      }
    }
    return kappa;
  }

  /// Lines 9 and 15 of [Fer23, alg. 3.2]. One coordinate at a time: most boxes are separated in the first.
  BoxVerdict check(const ParameterBox& box) const {
    double width = 0.0;
    bool is_inside = true;
    for (const Axis& axis : axes_) {
      const Range range = is_triangle_ ? point_triangle_image(axis, box) : edge_edge_image(axis, box);
      if (range.low > axis.half_width || range.high < -axis.half_width) return BoxVerdict::disjoint;
      width = std::max(width, range.high - range.low);
      is_inside = is_inside && range.low >= -axis.half_width && range.high <= axis.half_width;
    }
    return width < tolerance_ || is_inside ? BoxVerdict::root : BoxVerdict::overlapping;
  }

 private:
  double filter(bool has_separation) const {
    if (has_separation) return is_triangle_ ? 7.549516567451064e-15 : 7.105427357601002e-15;  // [Fer23, eq. 3.8]
    return is_triangle_ ? 6.661338147750939e-15 : 6.217248937900877e-15;                      // [Fer23, eq. 3.5]
  }

  static Range product(double low, double high, double factor) {
    const double a = low * factor, b = high * factor;
    return {std::min(a, b), std::max(a, b)};
  }

  // Returns the least and the largest F over the eight corners [Fer23, eq. 3.4]. Rounding is monotone: they are the
  // sums of the least and largest summands, in floating point as well.
  static Range point_triangle_image(const Axis& axis, const ParameterBox& box) {
    Range range{infinity, -infinity};
    for (const double t : {box.low[0], box.high[0]}) {
      const auto at = [&](int i) { return axis.start[i] + t * axis.step[i]; };
      const double p = at(0), v = at(1);
      const Range a = product(box.low[1], box.high[1], at(2) - v);
      const Range b = product(box.low[2], box.high[2], at(3) - v);
      range.low = std::min(range.low, p - (v + (a.high + b.high)));
      range.high = std::max(range.high, p - (v + (a.low + b.low)));
    }
    return range;
  }

  static Range edge_edge_image(const Axis& axis, const ParameterBox& box) {
    Range range{infinity, -infinity};
    for (const double t : {box.low[0], box.high[0]}) {
      const auto at = [&](int i) { return axis.start[i] + t * axis.step[i]; };
      const double a0 = at(0), b0 = at(2);
      const Range a = product(box.low[1], box.high[1], at(1) - a0);
      const Range b = product(box.low[2], box.high[2], at(3) - b0);
      range.low = std::min(range.low, (a0 + a.low) - (b0 + b.high));
      range.high = std::max(range.high, (a0 + a.high) - (b0 + b.low));
    }
    return range;
  }

  std::array<Axis, 3> axes_;
  bool is_triangle_;
  double tolerance_;
};

}  // namespace

CcdAnswer decide_by_tight_inclusion(const CcdQuery& query, const CcdMethodOptions& options) {
  return search_breadth_first(TightInclusion(query, options), options.max_iterations);
}

CcdAnswer decide_by_tight_inclusion_depth_first(const CcdQuery& query, const CcdMethodOptions& options) {
  return search_depth_first(TightInclusion(query, options), options.max_iterations);
}

}  // namespace clearance
