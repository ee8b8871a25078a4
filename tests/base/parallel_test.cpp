#include "clearance/base/parallel.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>

namespace clearance {
namespace {

/// Returns numbers of both signs over 60 binary orders of magnitude, so that most digits of a plain sum are lost.
std::vector<double> wild_numbers(int count, unsigned seed) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0), exponent(-30.0, 30.0);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = mantissa(rng) * std::exp2(exponent(rng));
  return numbers;
}

mpq_class exact_sum(const std::vector<double>& numbers) {
  mpq_class sum = 0;
  for (double number : numbers) sum += mpq_class(number);
  return sum;
}

CompensatedSum sum_of(const std::vector<double>& numbers) {
  return ordered_sum(static_cast<int>(numbers.size()), [&](int i) { return numbers[i]; });
}

}  // namespace

TEST(OrderedSum, SameBitsForAnyNumberOfThreads) {
  const std::vector<double> numbers = wild_numbers(100000, 1);
  const CompensatedSum reference = sum_of(numbers);
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    for (int repetition = 0; repetition < 5; ++repetition) {
      const CompensatedSum sum = sum_of(numbers);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(sum.sum), std::bit_cast<std::uint64_t>(reference.sum)) << threads;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(sum.correction), std::bit_cast<std::uint64_t>(reference.correction))
          << threads;
    }
  }
}

TEST(OrderedSum, DiffersFromExactSumByOneRoundingOnly) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::vector<double> numbers = wild_numbers(1 + 97 * static_cast<int>(seed), seed);
    const mpq_class exact = exact_sum(numbers);
    double absolute = 0.0;
    for (double number : numbers) absolute += std::abs(number);
    const double error = std::abs(mpq_class(exact - mpq_class(sum_of(numbers).value())).get_d());
    // Neumaier's bound: one rounding of the result, and second order terms of the sum of magnitudes.
    const double n = static_cast<double>(numbers.size());
    EXPECT_LE(error, 2.3e-16 * std::abs(exact.get_d()) + n * n * 5e-32 * absolute) << "seed " << seed;
  }
}

TEST(OrderedSum, CancellationLeavesTheSmallNumbers) {
  // A thousand ones stand between 1e16 and -1e16: a plain sum returns 0 or an even number.
  std::vector<double> numbers(1002, 1.0);
  numbers.front() = 1e16;
  numbers.back() = -1e16;
  EXPECT_EQ(sum_of(numbers).value(), 1000.0);
}

TEST(OrderedSum, DifferenceOfTwoSumsSeesATinyChange) {
  std::vector<double> numbers = wild_numbers(5000, 3);
  const CompensatedSum before = sum_of(numbers);
  double largest = 0.0;
  for (double number : numbers) largest = std::max(largest, std::abs(number));
  const double change = 1e-20 * largest;
  numbers.push_back(change);
  const CompensatedSum after = sum_of(numbers);
  EXPECT_NEAR(((after.sum - before.sum) + (after.correction - before.correction)) / change, 1.0, 1e-3);
}

TEST(OrderedSum, OfNothingIsZero) {
  EXPECT_EQ(sum_of({}).value(), 0.0);
}

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (int count : {0, 1, 7, 64, 1000, 4097}) {
    std::vector<int> visits(count, 0);
    parallel_for(count, 16, [&](int i) { ++visits[i]; });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), count);
  }
}

TEST(ParallelFor, ChunksCoverTheRangeAndDoNotDependOnThreads) {
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    std::vector<int> ends(10, -1), visits(1000, 0);
    parallel_for_chunks(1000, 101, [&](int begin, int end) {
      EXPECT_EQ(begin % 101, 0);
      ends[begin / 101] = end;
      for (int i = begin; i < end; ++i) ++visits[i];
    });
    EXPECT_EQ(ends, (std::vector<int>{101, 202, 303, 404, 505, 606, 707, 808, 909, 1000})) << threads;
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 1000) << threads;
  }
}

TEST(OrderedReduce, FoldsInIndexOrder) {
  // Concatenation is associative but does not commute, so any other order is seen.
  const auto digit = [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); };
  std::string expected;
  for (int i = 0; i < 3000; ++i) expected += digit(i);
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    EXPECT_EQ(ordered_reduce(3000, std::string(), digit, std::plus<std::string>(), 17), expected) << threads;
  }
}

TEST(ThreadLimit, HoldsWhileItLives) {
  const int before = num_threads();
  {
    const ThreadLimit limit(1);
    EXPECT_EQ(num_threads(), 1);
  }
  EXPECT_EQ(num_threads(), before);
}

}  // namespace clearance
