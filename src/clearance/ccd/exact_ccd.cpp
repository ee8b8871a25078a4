#include "clearance/ccd/exact_ccd.h"

#include <utility>

#include "clearance/ccd/exact_directions.h"
#include "clearance/ccd/exact_filter.h"

namespace clearance {
namespace {

/// The separation along one direction from some time on.
struct Separation {
  bool is_separated = false;     ///< at that time
  std::optional<ExactTime> end;  ///< the first time at which it is no longer; none: it is until 1
};

Separation separation_from(ExactTime& time, const SeparatingDirections& directions, int i) {
  SeparatingDirections::Direction direction = directions.direction(i);
  // All corners must be on one side, and beyond the cube.
  const int side = time.sign_of(direction.heights[0]);
  if (side == 0) return {};
  for (std::size_t k = 1; k < direction.heights.size(); ++k) {
    if (time.sign_of(direction.heights[k]) != side) return {};
  }
  const std::vector<ExactPolynomial> margins = directions.margins(std::move(direction), side);
  for (std::size_t m = 0; directions.has_min_separation() && m < margins.size(); ++m) {
    if (time.sign_of(margins[m]) <= 0) return {};
  }
  Separation result{true, std::nullopt};
  for (const ExactPolynomial& margin : margins) {
    std::optional<ExactTime> root = first_root_after(margin, time);
    if (root && (!result.end || compare(*root, *result.end) < 0)) result.end = std::move(root);
  }
  return result;
}

}  // namespace

std::optional<ExactTime> find_first_contact(const ExactQuery& query, double t_begin) {
  const SeparatingDirections directions(query);
  ExactTime time(t_begin);
  // In turn, since a direction that has just ended does not separate again before others did.
  int num_failures = 0;
  for (int i = 0; num_failures < directions.count(); i = (i + 1) % directions.count()) {
    Separation separation = separation_from(time, directions, i);
    if (!separation.is_separated) {
      ++num_failures;
    } else if (!separation.end) {
      return std::nullopt;
    } else {
      time = std::move(*separation.end);
      num_failures = 1;  // this direction
    }
  }
  return time;
}

std::optional<ExactTime> find_first_contact(const CcdQuery& query, double min_separation, double t_begin) {
  if (!is_finite(query)) return ExactTime(t_begin);
  return find_first_contact(to_exact(query, min_separation), t_begin);
}

bool is_hit(const CcdQuery& query, double min_separation, double t_begin) {
  return is_certainly_touching(query, t_begin) || find_first_contact(query, min_separation, t_begin).has_value();
}

}  // namespace clearance
