// Random numbers that are the same with every standard library; it maps bits to values itself, because the libraries
// differ there.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>

#include "clearance/math/types.h"

namespace clearance::cli {

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 11U) * 0x1.0p-53;
  }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  int integer(int low, int high) { return low + static_cast<int>(bits_() % static_cast<unsigned>(high - low + 1)); }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  /// Returns a point in a cube; with dim 2 in the plane z = 0. It draws three numbers one after the other, because
  /// arguments are evaluated in no defined order.
  Vec<3> point(double half, int dim = 3) {
    Vec<3> p;
    for (int c = 0; c < 3; ++c) p[c] = uniform(-half, half);
    if (dim == 2) p[2] = 0.0;
    return p;
  }
  /// Returns a rotation vector; with dim 2 about z.
  Vec<3> turn(double half, int dim) {
    const Vec<3> all = point(half);
    return dim == 2 ? Vec<3>(0, 0, all[2]) : all;
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[integer(0, static_cast<int>(values.size()) - 1)];
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace clearance::cli
