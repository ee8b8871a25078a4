#include "clearance/sparse/micro_kernel.h"

#include <cstring>
#include <vector>

#include "clearance/base/processor.h"
#include "clearance/math/fused.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace clearance {
namespace {

constexpr int portable_vectors = 2;
constexpr int portable_columns = 4;

void subtract_portable(int depth, const double* a, std::ptrdiff_t a_stride, const double* b, std::ptrdiff_t b_stride,
                       double* tile, std::ptrdiff_t tile_stride, bool overwrites) {
  Lanes sum[portable_columns][portable_vectors];
  for (auto& column : sum) column[0] = column[1] = Lanes(0.0);
  // The sums stay in registers over the whole depth.
  for (int k = 0; k < depth; ++k, a += a_stride, b += b_stride) {
    Lanes rows[portable_vectors];
    std::memcpy(rows, a, sizeof(rows));
    for (int j = 0; j < portable_columns; ++j) {
      for (int v = 0; v < portable_vectors; ++v) sum[j][v] = fused_multiply_add(rows[v], Lanes(b[j]), sum[j][v]);
    }
  }
  for (int j = 0; j < portable_columns; ++j, tile += tile_stride) {
    for (int i = 0; i < num_lanes * portable_vectors; ++i) {
      tile[i] = (overwrites ? 0.0 : tile[i]) - sum[j][i / num_lanes][i % num_lanes];
    }
  }
}

#if defined(__x86_64__)

// Sums take 12 of 16 registers: two fused operations per cycle with a latency of 4 need at least 8.
__attribute__((target("avx2,fma"))) void subtract_avx2(int depth, const double* a, std::ptrdiff_t a_stride,
                                                       const double* b, std::ptrdiff_t b_stride, double* tile,
                                                       std::ptrdiff_t tile_stride, bool overwrites) {
  constexpr int vectors = 3, columns = 4;
  __m256d sum[columns][vectors];
  for (auto& column : sum) {
    for (auto& part : column) part = _mm256_setzero_pd();
  }
  for (int k = 0; k < depth; ++k, a += a_stride, b += b_stride) {
    const __m256d a0 = _mm256_loadu_pd(a), a1 = _mm256_loadu_pd(a + 4), a2 = _mm256_loadu_pd(a + 8);
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) {
      const __m256d factor = _mm256_broadcast_sd(b + j);
      sum[j][0] = _mm256_fmadd_pd(a0, factor, sum[j][0]);
      sum[j][1] = _mm256_fmadd_pd(a1, factor, sum[j][1]);
      sum[j][2] = _mm256_fmadd_pd(a2, factor, sum[j][2]);
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < columns; ++j, tile += tile_stride) {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      const __m256d before = overwrites ? _mm256_setzero_pd() : _mm256_loadu_pd(tile + 4 * v);
      _mm256_storeu_pd(tile + 4 * v, _mm256_sub_pd(before, sum[j][v]));
    }
  }
}

// Sums take 24 of 32 registers.
__attribute__((target("avx512f"))) void subtract_avx512(int depth, const double* a, std::ptrdiff_t a_stride,
                                                        const double* b, std::ptrdiff_t b_stride, double* tile,
                                                        std::ptrdiff_t tile_stride, bool overwrites) {
  constexpr int vectors = 3, columns = 8;
  __m512d sum[columns][vectors];
#pragma GCC unroll 8
  for (int j = 0; j < columns; ++j) sum[j][0] = sum[j][1] = sum[j][2] = _mm512_setzero_pd();
  for (int k = 0; k < depth; ++k, a += a_stride, b += b_stride) {
    const __m512d a0 = _mm512_loadu_pd(a), a1 = _mm512_loadu_pd(a + 8), a2 = _mm512_loadu_pd(a + 16);
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
      const __m512d factor = _mm512_set1_pd(b[j]);
      sum[j][0] = _mm512_fmadd_pd(a0, factor, sum[j][0]);
      sum[j][1] = _mm512_fmadd_pd(a1, factor, sum[j][1]);
      sum[j][2] = _mm512_fmadd_pd(a2, factor, sum[j][2]);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < columns; ++j, tile += tile_stride) {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      const __m512d before = overwrites ? _mm512_setzero_pd() : _mm512_loadu_pd(tile + 8 * v);
      _mm512_storeu_pd(tile + 8 * v, _mm512_sub_pd(before, sum[j][v]));
    }
  }
}

#endif

std::vector<MicroKernel> find_kernels() {
  std::vector<MicroKernel> kernels;
#if defined(__x86_64__)
  if (processor_in_use() >= Processor::avx512) kernels.push_back({"avx512", 24, 8, subtract_avx512});
  if (processor_in_use() >= Processor::avx2) kernels.push_back({"avx2", 12, 4, subtract_avx2});
#endif
  kernels.push_back({"portable", num_lanes * portable_vectors, portable_columns, subtract_portable});
  return kernels;
}

}  // namespace

std::span<const MicroKernel> available_micro_kernels() {
  static const std::vector<MicroKernel> kernels = find_kernels();
  return kernels;
}

}  // namespace clearance
