#include "clearance/broad_phase/pair_collector.h"

#include <gtest/gtest.h>

#include "clearance/base/parallel.h"
#include "surfaces.h"

namespace clearance {
namespace {

using Pairs = std::vector<std::array<int, 2>>;

// Returns distinct pairs; some rows are long (more than 128), most short or empty.
std::set<std::array<int, 2>> random_pairs(Rng& rng, int num_firsts, int count) {
  std::set<std::array<int, 2>> pairs;
  for (int i = 0; i < count; ++i) {
    const double skew = std::pow(uniform(rng, 0.0, 1.0), 4.0);
    pairs.insert({static_cast<int>(skew * num_firsts), static_cast<int>(uniform(rng, 0.0, 100000.0))});
  }
  return pairs;
}

Pairs collect(PairCollector& collector, Rng& rng, const std::set<std::array<int, 2>>& pairs, int num_tasks,
              int num_firsts) {
  collector.begin(num_tasks);
  Pairs shuffled(pairs.begin(), pairs.end());
  std::shuffle(shuffled.begin(), shuffled.end(), rng);
  for (const auto& pair : shuffled) {
    const int task = static_cast<int>(uniform(rng, 0.0, num_tasks));
    collector.buffer(task).push_back(pack_pair(pair[0], pair[1]));
  }
  return collector.sorted_pairs(num_firsts);
}

TEST(PairCollector, SortsWhateverTheTasks) {
  PairCollector collector;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const int num_firsts = static_cast<int>(std::pow(10.0, uniform(rng, 0.1, 5.0)));
    const auto pairs = random_pairs(rng, num_firsts, static_cast<int>(uniform(rng, 0.0, 20000.0)));
    const Pairs expected(pairs.begin(), pairs.end());
    EXPECT_EQ(collect(collector, rng, pairs, 1 + static_cast<int>(seed), num_firsts), expected);
  }
}

TEST(PairCollector, ForgetsTheLastUse) {
  PairCollector collector;
  Rng rng(1);
  collect(collector, rng, random_pairs(rng, 100, 5000), 8, 100);
  collector.begin(2);
  collector.buffer(1).push_back(pack_pair(3, 4));
  EXPECT_EQ(collector.sorted_pairs(100), (Pairs{{3, 4}}));
  collector.begin(0);
  EXPECT_TRUE(collector.sorted_pairs(100).empty());
}

TEST(PairCollector, LargestIndicesKeepTheirOrder) {
  // The input has two long rows, and a pair in the last of a million rows.
  constexpr int num_firsts = 1 << 20;
  constexpr int last = std::numeric_limits<int>::max();
  Pairs expected;
  for (int first = 0; first < 2; ++first) {
    for (int i = 2000; i >= 0; --i) expected.push_back({first, last - i});
  }
  expected.push_back({num_firsts - 1, 0});
  PairCollector collector;
  collector.begin(1);
  for (auto pair = expected.rbegin(); pair != expected.rend(); ++pair) {
    collector.buffer(0).push_back(pack_pair((*pair)[0], (*pair)[1]));
  }
  EXPECT_EQ(collector.sorted_pairs(num_firsts), expected);
}

}  // namespace
}  // namespace clearance
