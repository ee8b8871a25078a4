// Random numbers with a seed.
#pragma once

#include <random>

#include "clearance/math/types.h"

namespace clearance::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  VecX vector(Eigen::Index size, double low, double high) {
    VecX x(size);
    for (double& entry : x) entry = uniform(low, high);
    return x;
  }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace clearance::test
