#include "clearance/broad_phase/hilbert.h"

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

constexpr int bits_per_axis = 21;
constexpr int digit_bits = 11;  // six passes; a table of 2048 counts stays in the first-level cache
constexpr int num_digits = 6;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;
constexpr std::size_t small_count = 2048;  // below, comparisons are faster than the tables

// Puts two zero bits before each of the lowest 21 bits.
std::uint64_t spread_bits(std::uint64_t v) {
  v = (v | v << 32) & 0x001F00000000FFFFULL;
  v = (v | v << 16) & 0x001F0000FF0000FFULL;
  v = (v | v << 8) & 0x100F00F00F00F00FULL;
  v = (v | v << 4) & 0x10C30C30C30C30C3ULL;
  v = (v | v << 2) & 0x1249249249249249ULL;
  return v;
}

// Comparisons written so that not-a-number lands in a cell too.
std::uint64_t cell(float t) {
  constexpr std::uint64_t num_cells = 1ULL << bits_per_axis;
  if (!(t > 0.0F)) return 0;
  return t < 1.0F ? static_cast<std::uint64_t>(t * static_cast<float>(num_cells)) : num_cells - 1;
}

float middle(const Box& box, std::size_t k) {
  return 0.5F * box.lo[k] + 0.5F * box.hi[k];
}

// Stable sort by one digit after the other; a digit that all keys share is skipped.
void stable_sort(std::vector<HilbertKey>& keys, std::vector<HilbertKey>& scratch) {
  if (keys.size() < small_count) {
    std::sort(keys.begin(), keys.end(), [](const HilbertKey& a, const HilbertKey& b) {
      return a.code != b.code ? a.code < b.code : a.index < b.index;
    });
    return;
  }
  scratch.resize(keys.size());
  std::array<std::array<int, digit_values>, num_digits> counts{};
  const auto digit = [](std::uint64_t code, int d) { return (code >> (digit_bits * d)) & (digit_values - 1); };
  for (const HilbertKey& key : keys) {
    for (int d = 0; d < num_digits; ++d) ++counts[d][digit(key.code, d)];
  }
  for (int d = 0; d < num_digits; ++d) {
    auto& count = counts[d];
    if (count[digit(keys.front().code, d)] == static_cast<int>(keys.size())) continue;
    int start = 0;
    for (int& c : count) start += std::exchange(c, start);
    for (const HilbertKey& key : keys) scratch[count[digit(key.code, d)]++] = key;
    keys.swap(scratch);
  }
}

}  // namespace

std::uint64_t hilbert_code(float x, float y, float z) {
  // Undo, as in [Ski04], the turns of every level from the coarsest on, then the Gray code. What remains are the
  // digits, spread over the three coordinates.
  std::array<std::uint64_t, 3> axes = {cell(x), cell(y), cell(z)};
  for (std::uint64_t level = 1ULL << (bits_per_axis - 1); level > 1; level >>= 1) {
    const std::uint64_t finer = level - 1;
    for (std::uint64_t& axis : axes) {
      if ((axis & level) != 0) {
        axes[0] ^= finer;
      } else {
        const std::uint64_t difference = (axes[0] ^ axis) & finer;
        axes[0] ^= difference;
        axis ^= difference;
      }
    }
  }
  axes[1] ^= axes[0];
  axes[2] ^= axes[1];
  std::uint64_t gray = 0;
  for (std::uint64_t level = 1ULL << (bits_per_axis - 1); level > 1; level >>= 1) {
    if ((axes[2] & level) != 0) gray ^= level - 1;
  }
  return spread_bits(axes[0] ^ gray) << 2 | spread_bits(axes[1] ^ gray) << 1 | spread_bits(axes[2] ^ gray);
}

void HilbertOrder::sort(const std::vector<Box>& boxes) {
  const int count = static_cast<int>(boxes.size());
  keys.resize(boxes.size());
  if (boxes.empty()) return;

  // Cubic cells: a flat scene must not be cut as finely across as along.
  Box scene = empty_box();
  for (const Box& box : boxes) scene.extend(box);
  float extent = 0.0F;
  for (std::size_t k = 0; k < 3; ++k) extent = std::max(extent, scene.hi[k] - scene.lo[k]);
  const float scale = extent > 0.0F ? 1.0F / extent : 0.0F;

  parallel_for_chunks(count, 4096, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Box& box = boxes[i];
      const auto coordinate = [&](std::size_t k) { return (middle(box, k) - scene.lo[k]) * scale; };
      keys[i] = {hilbert_code(coordinate(0), coordinate(1), coordinate(2)), i};
    }
  });
  stable_sort(keys, scratch);
}

}  // namespace clearance
