// The inclusion-based root finder of [Sny92] on F [Fer23, eq. 3.1, 3.2] with interval arithmetic (IRF of
// [Fer23, alg. 3.1, sec. 3.4.2]): t, u and v are halved in turn until all are narrower than the tolerance.
#include "clearance/ccd/methods/box_search.h"
#include "clearance/ccd/methods/deciders.h"
#include "clearance/math/interval.h"

namespace clearance {
namespace {

class IntervalInclusion {
 public:
  IntervalInclusion(const CcdQuery& query, const CcdMethodOptions& options)
      : is_triangle_(query.kind == QueryKind::point_triangle),
        tolerance_(options.tolerance),
        target_(-options.min_separation, options.min_separation) {
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 4; ++i) {
        start_[k][i] = query.motion.t0[i][k];
        step_[k][i] = Interval(query.motion.t1[i][k]) - Interval(query.motion.t0[i][k]);
      }
    }
  }

  bool is_triangle() const { return is_triangle_; }
  std::array<double, 3> weights() const { return {1.0, 1.0, 1.0}; }

  BoxVerdict check(const ParameterBox& box) const {
    const Interval t(box.low[0], box.high[0]), u(box.low[1], box.high[1]), v(box.low[2], box.high[2]);
    for (int k = 0; k < 3; ++k) {
      const auto at = [&](int i) { return start_[k][i] + t * step_[k][i]; };
      const Interval x0 = at(0), x1 = at(1), x2 = at(2), x3 = at(3);
      const Interval f =
          is_triangle_ ? x0 - (x1 + u * (x2 - x1) + v * (x3 - x1)) : (x0 + u * (x1 - x0)) - (x2 + v * (x3 - x2));
      if (!overlap(f, target_)) return BoxVerdict::disjoint;
    }
    const bool is_small = box.high[0] - box.low[0] < tolerance_ && box.high[1] - box.low[1] < tolerance_ &&
                          box.high[2] - box.low[2] < tolerance_;
    return is_small ? BoxVerdict::root : BoxVerdict::overlapping;
  }

 private:
  std::array<std::array<double, 4>, 3> start_;
  std::array<std::array<Interval, 4>, 3> step_;
  bool is_triangle_;
  double tolerance_;
  Interval target_;
};

}  // namespace

CcdAnswer decide_by_multivariate_interval(const CcdQuery& query, const CcdMethodOptions& options) {
  return search_depth_first(IntervalInclusion(query, options), options.max_iterations);
}

}  // namespace clearance
