#include "clearance/broad_phase/pair_collector.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "clearance/base/parallel.h"
#include "clearance/broad_phase/pack.h"

namespace clearance {
namespace {

// Below this many pairs one plain sort is faster than the bookkeeping of buckets.
constexpr std::size_t small_count = 2048;
// Rows (pairs with the same first) are short, from about ten pairs to a hundred: up to here counting the smaller ones
// for each member, without branches, beats std::sort.
constexpr int small_row = 128;

std::array<int, 2> unpack(PackedPair pair) {
  return {static_cast<int>(pair >> 32), static_cast<int>(pair & 0xFFFFFFFFU)};
}

// Writes the pairs (first, seconds) to `out` in order. The seconds are distinct; eight more numbers after them may be
// read.
void sort_row(int first, int* seconds, int count, std::array<int, 2>* out) {
  if (count > small_row) {
    std::sort(seconds, seconds + count);
    for (int i = 0; i < count; ++i) out[i] = {first, seconds[i]};
    return;
  }
  for (int begin = 0; begin < count; begin += lanes_per_step) {
    IntLanes members;
    std::memcpy(&members, seconds + begin, sizeof(members));
    IntLanes rank{};
    for (int i = 0; i < count; ++i) rank -= members > seconds[i];  // true is -1
    for (int i = 0; i < std::min(lanes_per_step, count - begin); ++i) out[rank[i]] = {first, seconds[begin + i]};
  }
}

}  // namespace

void PairCollector::begin(int num_tasks) {
  num_tasks_ = num_tasks;
  if (std::ssize(buffers_) < num_tasks) buffers_.resize(num_tasks);
  for (auto& buffer : buffers_) buffer.clear();
}

std::vector<std::array<int, 2>> PairCollector::sorted_pairs(int num_firsts) {
  std::size_t total = 0;
  for (const auto& buffer : buffers_) total += buffer.size();
  std::vector<std::array<int, 2>> result(total);
  scattered_.resize(std::max(scattered_.size(), total));

  if (total < small_count) {
    auto* end = scattered_.data();
    for (const auto& buffer : buffers_) end = std::copy(buffer.begin(), buffer.end(), end);
    std::sort(scattered_.data(), end);
    std::transform(scattered_.data(), end, result.begin(), unpack);
    return result;
  }

  // About 256 buckets: enough for all threads, and the tables of a bucket stay in the first-level cache.
  const int bits = static_cast<int>(std::bit_width(static_cast<unsigned>(num_firsts)));
  const int shift = std::max(0, bits - 8);
  const Buckets buckets{shift, ((num_firsts - 1) >> shift) + 1};
  scatter(buckets);
  parallel_for(buckets.count, 8, [&](int b) { sort_bucket(b, buckets, result); });
  return result;
}

void PairCollector::scatter(const Buckets& buckets) {
  const std::size_t num_buckets = buckets.count;
  const auto slots = [&](int task) { return starts_.data() + task * num_buckets; };

  // How many pairs each task has for each bucket.
  starts_.assign(num_buckets * num_tasks_, 0);
  parallel_for(num_tasks_, 4, [&](int task) {
    int* count = slots(task);
    for (const PackedPair pair : buffer(task)) ++count[buckets.of(pair)];
  });

  // Places: bucket by bucket, within it task by task.
  bucket_begin_.resize(num_buckets + 1);
  int start = 0;
  for (std::size_t b = 0; b < num_buckets; ++b) {
    bucket_begin_[b] = start;
    for (int task = 0; task < num_tasks_; ++task) start += std::exchange(slots(task)[b], start);
  }
  bucket_begin_[num_buckets] = start;

  parallel_for(num_tasks_, 4, [&](int task) {
    int* place = slots(task);
    for (const PackedPair pair : buffer(task)) scattered_[place[buckets.of(pair)]++] = pair;
  });
}

void PairCollector::sort_bucket(int bucket, const Buckets& buckets, std::vector<std::array<int, 2>>& result) const {
  const PackedPair* begin = scattered_.data() + bucket_begin_[bucket];
  const PackedPair* end = scattered_.data() + bucket_begin_[bucket + 1];
  std::array<int, 2>* out = result.data() + bucket_begin_[bucket];

  // Sort by the first number, by counting.
  const int first_begin = bucket << buckets.shift;
  const auto width = std::size_t{1} << buckets.shift;
  thread_local std::vector<int> row_end;
  thread_local std::vector<int> seconds;
  row_end.assign(width, 0);
  seconds.resize(std::max(seconds.size(), static_cast<std::size_t>(end - begin) + pack_width));
  const auto row = [&](PackedPair pair) { return static_cast<int>(pair >> 32) - first_begin; };
  for (const PackedPair* pair = begin; pair != end; ++pair) ++row_end[row(*pair)];
  int start = 0;
  for (int& place : row_end) start += std::exchange(place, start);
  for (const PackedPair* pair = begin; pair != end; ++pair) {
    seconds[row_end[row(*pair)]++] = unpack(*pair)[1];
  }

  // Sort each row by the second number.
  start = 0;
  for (std::size_t r = 0; r < width; start = row_end[r++]) {
    sort_row(first_begin + static_cast<int>(r), seconds.data() + start, row_end[r] - start, out + start);
  }
}

}  // namespace clearance
