// Orders boxes along the Morton curve: neighbours in the order are neighbours in space.
#pragma once

#include <cstdint>
#include <vector>

#include "clearance/broad_phase/box.h"

namespace clearance {

/// 63 bits: 21 for each coordinate in [0, 1) (clamped), interleaved. Coarser codes tie inside small dense bodies of
/// large scenes, where the order matters most.
std::uint64_t morton_code(float x, float y, float z);

struct MortonKey {
  std::uint64_t code;
  int index;
};

/// Order of the boxes by the Morton codes of their middles, ties by index. The buffers are reused.
struct MortonOrder {
  std::vector<MortonKey> keys;  ///< the result: index of each box, in order
  std::vector<MortonKey> scratch;

  void sort(const std::vector<Box>& boxes);
};

}  // namespace clearance
