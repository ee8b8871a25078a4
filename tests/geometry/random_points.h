// Random positions for geometry tests, with as many degenerate configurations as general ones.
#pragma once

#include <cmath>
#include <random>

#include "clearance/math/types.h"

namespace clearance::test {

enum class PointFamily {
  general,      ///< uniform in a cube of side 2
  lattice,      ///< integers in [0, 2]: coincident, collinear, coplanar and parallel, all exactly
  near_lattice  ///< the same, moved by 1e-9 to 1e-14: almost so
};
inline constexpr PointFamily all_families[] = {PointFamily::general, PointFamily::lattice, PointFamily::near_lattice};

class RandomPoints {
 public:
  explicit RandomPoints(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }

  template <int dim>
  Vec<dim> point(PointFamily family) {
    Vec<dim> p;
    for (int i = 0; i < dim; ++i) {
      if (family == PointFamily::general) {
        p[i] = uniform(-1.0, 1.0);
      } else {
        p[i] = std::uniform_int_distribution<int>(0, 2)(engine_);
        if (family == PointFamily::near_lattice) p[i] += uniform(-1.0, 1.0) * std::pow(10.0, -uniform(9.0, 14.0));
      }
    }
    return p;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace clearance::test
