// Gathers pairs of indices that parallel tasks find in any order into one sorted list.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace clearance {

/// A pair as one number: ordered like the pair.
using PackedPair = std::uint64_t;
inline PackedPair pack_pair(int first, int second) {
  return static_cast<PackedPair>(static_cast<std::uint32_t>(first)) << 32 | static_cast<std::uint32_t>(second);
}

/// Collector of pairs; it keeps its memory from one use to the next.
class PairCollector {
 public:
  /// Prepares one buffer for each task; a task must write to its own only.
  void begin(int num_tasks);
  std::vector<PackedPair>& buffer(int task) { return buffers_[task]; }

  /// Returns all pairs, sorted. `first` lies in [0, num_firsts). Pairs must be distinct. The result does not depend on
  /// which task found a pair.
  std::vector<std::array<int, 2>> sorted_pairs(int num_firsts);

 private:
  // Pairs go to buckets by ranges of `first`, then each bucket is sorted on its own.
  struct Buckets {
    int shift;
    int count;
    int of(PackedPair pair) const { return static_cast<int>(pair >> (32 + shift)); }
  };
  void scatter(const Buckets& buckets);
  void sort_bucket(int bucket, const Buckets& buckets, std::vector<std::array<int, 2>>& result) const;

  int num_tasks_ = 0;
  std::vector<std::vector<PackedPair>> buffers_;
  std::vector<int> starts_;        // where the pairs of (bucket, task) start in scattered_
  std::vector<int> bucket_begin_;  // one more than buckets
  std::vector<PackedPair> scattered_;
};

}  // namespace clearance
