// The innermost loop of the dense factorisation for the vector unit of the processor. It is chosen at run time, so that
// one program uses AVX-512 where it exists. All kernels give the same bits; without fused multiply-add it is emulated.
#pragma once

#include <cstddef>
#include <span>

namespace clearance {

struct MicroKernel {
  const char* name;
  int rows;     ///< of a full tile
  int columns;  ///< of a full tile
  /// Computes tile -= A B^T for a full tile, or tile = -A B^T if `overwrites`. Column k of A (`rows` numbers) starts at
  /// a + k * a_stride, that of B (`columns` numbers) at b + k * b_stride. Every entry is the sum over ascending k, each
  /// product fused with its addition, subtracted at the end.
  void (*subtract)(int depth, const double* a, std::ptrdiff_t a_stride, const double* b, std::ptrdiff_t b_stride,
                   double* tile, std::ptrdiff_t tile_stride, bool overwrites);
};

inline constexpr int max_micro_rows = 24;
inline constexpr int max_micro_columns = 8;

/// Returns all kernels that this processor can run, the fastest first.
std::span<const MicroKernel> available_micro_kernels();

}  // namespace clearance
