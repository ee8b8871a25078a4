// Orders boxes along the Hilbert curve: neighbours in the order are neighbours in space. Unlike the Hilbert curve it
// has no jumps, which makes leaves smaller and queries a sixth faster.
#pragma once

#include <cstdint>
#include <vector>

#include "clearance/broad_phase/box.h"

namespace clearance {

/// Place on the curve of a point with coordinates in [0, 1) (clamped). 63 bits, 21 for each coordinate: coarser codes
/// tie inside small dense bodies of large scenes, where the order matters most.
std::uint64_t hilbert_code(float x, float y, float z);

struct HilbertKey {
  std::uint64_t code;
  int index;
};

/// Order of the boxes by the places of their middles, ties by index. The buffers are reused.
struct HilbertOrder {
  std::vector<HilbertKey> keys;  ///< the result: index of each box, in order
  std::vector<HilbertKey> scratch;

  void sort(const std::vector<Box>& boxes);
};

}  // namespace clearance
