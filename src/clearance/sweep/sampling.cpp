#include "clearance/sweep/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clearance/math/elementary.h"

namespace clearance::sweep {
namespace {

/// The finaliser of SplitMix64: every bit of the word influences every bit of the result.
std::uint64_t mix(std::uint64_t word) {
  word += 0x9E3779B97F4A7C15ULL;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ULL;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBULL;
  return word ^ (word >> 31);
}

std::uint64_t random_word(std::uint64_t seed, std::uint64_t parameter, std::uint64_t index) {
  return mix(mix(mix(seed) ^ parameter) ^ index);
}

/// Returns the probability that a standard normal number exceeds x >= 0. It sums the series of the probability below x:
/// 1/2 - phi(x) (x + x^3/3 + x^5/15 + ...). All terms are positive; the remainder is below an ulp of the sum.
double upper_tail(double x) {
  double term = x, sum = x;
  for (int k = 1; term > sum * 0x1p-60; ++k) {
    term *= x * x / (2 * k + 1);
    sum += term;
  }
  constexpr double root_two_pi = 2.5066282746310002;
  return 0.5 - sum * elementary::exp(-0.5 * x * x) / root_two_pi;
}

/// Computes the quantile by bisection, which needs no table of coefficients. It is limited to 8 deviations, beyond
/// which one in 1e15 numbers lies.
double normal_quantile(double share) {
  const double tail = std::min(share, 1.0 - share);
  double low = 0.0, high = 8.0;
  for (int i = 0; i < 64; ++i) {
    const double middle = 0.5 * (low + high);
    (upper_tail(middle) > tail ? low : high) = middle;
  }
  return share < 0.5 ? -low : low;
}

Json number_json(const Parameter& parameter, double value) {
  if (!parameter.is_whole) return value;
  return static_cast<long long>(std::floor(value));
}

std::vector<Values> sample_grid(const Plan& plan) {
  std::vector<Values> runs = {{}};
  for (const Parameter& parameter : plan.parameters) {
    std::vector<Values> longer;
    for (const Values& run : runs) {
      for (const Json& value : parameter.values) {
        longer.push_back(run);
        longer.back().push_back(value);
      }
    }
    runs = std::move(longer);
  }
  return runs;
}

std::vector<Values> sample_list(const Plan& plan) {
  std::vector<Values> runs(plan.parameters[0].values.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const Parameter& parameter : plan.parameters) runs[i].push_back(parameter.values[i]);
  }
  return runs;
}

/// Returns the numbers below `count` in an order that depends on the seed and the parameter.
std::vector<int> shuffled(int count, std::uint64_t seed, std::uint64_t parameter) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  // The offset makes these random numbers differ from those within the parts.
  constexpr std::uint64_t offset = 1ULL << 32U;
  for (int i = count - 1; i > 0; --i) {
    const auto j = static_cast<int>(random_number(seed, parameter, offset + static_cast<std::uint64_t>(i)) * (i + 1));
    std::swap(order[i], order[std::min(i, j)]);
  }
  return order;
}

std::vector<Values> sample_drawn(const Plan& plan) {
  std::vector<Values> runs(plan.count);
  for (std::size_t p = 0; p < plan.parameters.size(); ++p) {
    std::vector<int> parts;
    if (plan.sampling == Sampling::latin_hypercube) parts = shuffled(plan.count, plan.seed, p);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      double share = random_number(plan.seed, p, i);
      if (!parts.empty()) share = (parts[i] + share) / plan.count;
      runs[i].push_back(quantile(plan.parameters[p], share));
    }
  }
  return runs;
}

}  // namespace

double random_number(std::uint64_t seed, std::uint64_t parameter, std::uint64_t index) {
  return (static_cast<double>(random_word(seed, parameter, index) >> 12U) + 0.5) * 0x1p-52;
}

Json quantile(const Parameter& parameter, double share) {
  const double width = parameter.to - parameter.from + (parameter.is_whole ? 1.0 : 0.0);
  switch (parameter.distribution) {
    case Distribution::choice: {
      const auto size = parameter.values.size();
      return parameter.values[std::min(size - 1, static_cast<std::size_t>(share * static_cast<double>(size)))];
    }
    case Distribution::uniform:
      return number_json(parameter, std::min(parameter.from + share * width, parameter.to));
    case Distribution::log_uniform: {
      const double first = elementary::log(parameter.from);
      const double last = elementary::log(parameter.from + width);
      return number_json(
          parameter, std::clamp(elementary::exp((1.0 - share) * first + share * last), parameter.from, parameter.to));
    }
    case Distribution::normal: {
      const double value = parameter.mean + parameter.deviation * normal_quantile(share);
      return number_json(parameter, parameter.is_whole ? value + 0.5 : value);
    }
  }
  return {};
}

std::vector<Values> sample(const Plan& plan) {
  switch (plan.sampling) {
    case Sampling::grid:
      return sample_grid(plan);
    case Sampling::list:
      return sample_list(plan);
    case Sampling::random:
    case Sampling::latin_hypercube:
      return sample_drawn(plan);
  }
  return {};
}

}  // namespace clearance::sweep
