// Eight boxes side by side, compared with one box by a few SIMD instructions.
#pragma once

#include <cstring>

#include "clearance/broad_phase/box.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace clearance {

inline constexpr int pack_width = 8;

/// Eight boxes, coordinate by coordinate; a slot without a box overlaps nothing.
struct alignas(32) Pack {
  float lo[3][pack_width];
  float hi[3][pack_width];
};

/// The six numbers of a box where they lie: in a Box or in a slot of a Pack.
struct BoxView {
  const float* lo;
  const float* hi;
  std::ptrdiff_t stride;  ///< from one coordinate to the next

  static BoxView of(const Box& box) { return {box.lo.data(), box.hi.data(), 1}; }
  static BoxView of_slot(const Pack& pack, int slot) { return {pack.lo[0] + slot, pack.hi[0] + slot, pack_width}; }
};

// One register of lanes: vectors of the compiler, so that arithmetic reads as such; only the conversion of a comparison
// to a bit mask has no portable spelling.
#if defined(__AVX2__)
inline constexpr int lanes_per_step = 8;
#else
inline constexpr int lanes_per_step = 4;
#endif
using FloatLanes = float __attribute__((vector_size(4 * lanes_per_step), may_alias));
using IntLanes = int __attribute__((vector_size(4 * lanes_per_step), may_alias));

inline unsigned sign_mask(const IntLanes& lanes) {
#if defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<const __m256&>(lanes)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<const __m128&>(lanes)));
#else
  unsigned mask = 0;
  for (int k = 0; k < lanes_per_step; ++k) mask |= lanes[k] < 0 ? 1U << k : 0U;
  return mask;
#endif
}

inline const FloatLanes& lanes_at(const float* row, int first) {
  return *reinterpret_cast<const FloatLanes*>(row + first);
}
inline const IntLanes& lanes_at(const int* row, int first) {
  return *reinterpret_cast<const IntLanes*>(row + first);
}

/// Bit s is set if the box in slot s overlaps `probe`.
inline unsigned overlap_mask(const Pack& pack, const BoxView& probe) {
  unsigned mask = 0;
  for (int first = 0; first < pack_width; first += lanes_per_step) {
    IntLanes hit = lanes_at(pack.lo[0], first) <= probe.hi[0];
    hit &= lanes_at(pack.hi[0], first) >= probe.lo[0];
    // Unrolled, each number of the probe goes from memory to all lanes in one instruction.
#pragma GCC unroll 2
    for (int k = 1; k < 3; ++k) {
      hit &= lanes_at(pack.lo[k], first) <= probe.hi[k * probe.stride];
      hit &= lanes_at(pack.hi[k], first) >= probe.lo[k * probe.stride];
    }
    mask |= sign_mask(hit) << first;
  }
  return mask;
}

/// Bit s is set if ids[s] == id.
inline unsigned equal_mask(const int* ids, int id) {
  unsigned mask = 0;
  for (int first = 0; first < pack_width; first += lanes_per_step) {
    const IntLanes equal = lanes_at(ids, first) == id;
    mask |= sign_mask(equal) << first;
  }
  return mask;
}

}  // namespace clearance
