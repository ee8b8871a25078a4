// Motions for the CCD tests: random, degenerate, far away, nearly touching; and their exact twins.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ccd/sturm_ccd.h"
#include "clearance/ccd/ccd.h"
#include "clearance/ccd/exact_ccd.h"

namespace clearance {

using Motion = PrimitiveMotion<3, 4>;

enum class Pair { point_triangle, edge_edge };
inline constexpr Pair all_pairs[] = {Pair::point_triangle, Pair::edge_edge};
inline constexpr CcdMethod all_methods[] = {CcdMethod::clearance, CcdMethod::tight_inclusion};

inline const char* name(Pair pair) {
  return pair == Pair::point_triangle ? "point-triangle" : "edge-edge";
}
inline const char* name(CcdMethod method) {
  return method == CcdMethod::clearance ? "clearance" : "tight inclusion";
}

inline CcdResult run_ccd(Pair pair, const Motion& motion, const CcdOptions& options) {
  return pair == Pair::point_triangle ? point_triangle_ccd(motion, options) : edge_edge_ccd(motion, options);
}

inline std::vector<rational::Point> exact_corners(Pair pair, const std::array<Vec<3>, 4>& vertices) {
  std::array<rational::Point, 4> v;
  for (int k = 0; k < 4; ++k) v[k] = rational::to_point<3>(vertices[k]);
  if (pair == Pair::point_triangle) return {v[0] - v[1], v[0] - v[2], v[0] - v[3]};
  return {v[0] - v[2], v[1] - v[2], v[1] - v[3], v[0] - v[3]};
}
inline rational::RationalMotion exact_motion(Pair pair, const Motion& motion) {
  return {exact_corners(pair, motion.t0), exact_corners(pair, motion.t1)};
}

/// Returns the oracle's answer for the motion.
inline std::optional<ExactTime> exact_contact(Pair pair, const Motion& motion) {
  const QueryKind kind = pair == Pair::point_triangle ? QueryKind::point_triangle : QueryKind::edge_edge;
  return find_first_contact(CcdQuery{kind, motion});
}

/// Returns the square root of the exact squared distance, rounded.
inline double exact_distance(const rational::RationalMotion& motion, const rational::Number& t) {
  return std::sqrt(rational::hull_distance_sq(motion.at(t)).get_d());
}

struct NamedMotion {
  std::string kind;
  Motion motion;
};

/// Returns one motion of each kind.
inline std::vector<NamedMotion> random_motions(std::mt19937_64& generator, Pair pair) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::uniform_int_distribution<int> integer(-2, 2);
  const auto random_point = [&] { return Vec<3>(uniform(generator), uniform(generator), uniform(generator)); };
  const auto random_integers = [&] { return Vec<3>(integer(generator), integer(generator), integer(generator)); };
  const auto fill = [](auto draw) {
    Motion m;
    for (int k = 0; k < 4; ++k) {
      m.t0[k] = draw();
      m.t1[k] = draw();
    }
    return m;
  };
  std::vector<NamedMotion> motions;
  const Motion random = fill(random_point);
  motions.push_back({"random", random});
  motions.push_back({"integers", fill(random_integers)});
  motions.push_back({"coplanar", fill([&] { return Vec<3>(uniform(generator), uniform(generator), 0.0); })});
  motions.push_back({"coplanar integers", fill([&] { return Vec<3>(integer(generator), integer(generator), 0.0); })});
  motions.push_back({"collinear", fill([&] { return Vec<3>(integer(generator), 0.0, 0.0); })});

  // The primitives move a short way towards one another across a gap of 1e-1 to 1e-12, turning a little.
  Motion close = random;
  const double gap = std::pow(10.0, -std::uniform_real_distribution<double>(1.0, 12.0)(generator));
  const int num_first = pair == Pair::point_triangle ? 1 : 2;
  const double u = 0.5 + 0.4 * uniform(generator), v = 0.5 + 0.4 * uniform(generator);
  for (int k = 0; k < 4; ++k) {
    const bool is_first = k < num_first;
    const Vec<3> shape =
        pair == Pair::edge_edge
            ? (k < 2 ? Vec<3>(k - u, 0.0, gap) : Vec<3>(0.3 * (k - 2 - v), k - 2 - v, 0.0))
            : (k == 0 ? Vec<3>(0.1 * u, 0.1 * v, gap) : Vec<3>(k == 1, k == 2, 0.0) - Vec<3>(0.3, 0.3, 0));
    close.t0[k] = shape;
    close.t1[k] = shape + gap * (Vec<3>(0, 0, is_first ? -2.5 : 1.0) + 2.0 * random_point());
  }
  motions.push_back({"close", close});

  Motion parallel = random;  // translation only; edges parallel
  const Vec<3> edge = random_point(), shift_a = random_point(), shift_b = random_point();
  parallel.t0[1] = pair == Pair::edge_edge ? Vec<3>(parallel.t0[0] + edge) : parallel.t0[1];
  parallel.t0[3] = parallel.t0[2] + edge;
  for (int k = 0; k < 4; ++k) parallel.t1[k] = parallel.t0[k] + (k < num_first ? shift_a : shift_b);
  motions.push_back({"parallel", parallel});

  Motion zero_length = random;  // an edge, or the triangle's edge, of length zero; sometimes a triangle that is a point
  zero_length.t0[3] = zero_length.t0[2];
  zero_length.t1[3] = zero_length.t1[2];
  if (integer(generator) > 0) {
    zero_length.t0[pair == Pair::edge_edge ? 0 : 2] = zero_length.t0[1];
    zero_length.t1[pair == Pair::edge_edge ? 0 : 2] = zero_length.t1[1];
  }
  motions.push_back({"zero length", zero_length});

  Motion sliver = random;
  const double width = std::pow(10.0, -std::uniform_real_distribution<double>(3.0, 15.0)(generator));
  sliver.t0[3] = 0.5 * (sliver.t0[1] + sliver.t0[2]) + width * random_point();
  sliver.t1[3] = 0.5 * (sliver.t1[1] + sliver.t1[2]) + width * random_point();
  motions.push_back({"sliver", sliver});

  Motion far = random;  // 1e6 from the origin, moving fast together
  for (int k = 0; k < 4; ++k) {
    far.t0[k] = random.t0[k].array() + 1e6;
    far.t1[k] = random.t1[k].array() - 2e6;
  }
  motions.push_back({"far", far});

  Motion still = random;
  still.t1 = still.t0;
  motions.push_back({"still", still});
  return motions;
}

}  // namespace clearance
