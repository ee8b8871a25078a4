// Four numbers processed at once, one per element: the same source as for a double, compiled to AVX2 or to pairs of
// SSE2 instructions. Every lane rounds exactly as a scalar would, so results do not depend on the processor or on the
// neighbouring lanes. Kernels are templates on T = double or Lanes and use `select` instead of `if`.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#if defined(__AVX__)
#include <immintrin.h>
#endif

// Without AVX, GCC notes that 32-byte vectors are passed in memory; everything here is inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

#define CLEARANCE_INLINE inline __attribute__((always_inline))

namespace clearance {

inline constexpr int num_lanes = 4;

/// Result of comparing Lanes: all bits set where true.
struct LaneMask {
  using Bits = long long __attribute__((vector_size(8 * num_lanes)));
  Bits bits;
};

struct Lanes {
  using Vector = double __attribute__((vector_size(8 * num_lanes)));
  Vector v;

  Lanes() = default;
  CLEARANCE_INLINE Lanes(double x) : v{x, x, x, x} {}
  CLEARANCE_INLINE explicit Lanes(const Vector& x) : v(x) {}
  CLEARANCE_INLINE double operator[](int lane) const { return v[lane]; }
  CLEARANCE_INLINE void set(int lane, double x) { v[lane] = x; }

  CLEARANCE_INLINE Lanes& operator+=(const Lanes& b) { return v += b.v, *this; }
  CLEARANCE_INLINE Lanes& operator-=(const Lanes& b) { return v -= b.v, *this; }
  CLEARANCE_INLINE Lanes& operator*=(const Lanes& b) { return v *= b.v, *this; }
};

CLEARANCE_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
  return Lanes(a.v + b.v);
}
CLEARANCE_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
  return Lanes(a.v - b.v);
}
CLEARANCE_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
  return Lanes(a.v * b.v);
}
CLEARANCE_INLINE Lanes operator/(const Lanes& a, const Lanes& b) {
  return Lanes(a.v / b.v);
}
CLEARANCE_INLINE Lanes operator-(const Lanes& a) {
  return Lanes(-a.v);
}
CLEARANCE_INLINE LaneMask operator>(const Lanes& a, const Lanes& b) {
  return {a.v > b.v};
}
CLEARANCE_INLINE LaneMask operator<(const Lanes& a, const Lanes& b) {
  return {a.v < b.v};
}
CLEARANCE_INLINE LaneMask operator>=(const Lanes& a, const Lanes& b) {
  return {a.v >= b.v};
}
CLEARANCE_INLINE LaneMask operator&(const LaneMask& a, const LaneMask& b) {
  return {a.bits & b.bits};
}
CLEARANCE_INLINE LaneMask operator|(const LaneMask& a, const LaneMask& b) {
  return {a.bits | b.bits};
}
CLEARANCE_INLINE LaneMask operator!(const LaneMask& a) {
  return {~a.bits};
}

/// Returns a where the mask is true, else b.
CLEARANCE_INLINE Lanes select(const LaneMask& mask, const Lanes& a, const Lanes& b) {
  return Lanes(mask.bits ? a.v : b.v);
}
CLEARANCE_INLINE double select(bool mask, double a, double b) {
  return mask ? a : b;
}

/// Transposes four rows that start with a point each to the x, y and z of the four points.
CLEARANCE_INLINE void transpose(const Lanes (&rows)[num_lanes], Lanes& x, Lanes& y, Lanes& z) {
  const Lanes::Vector xz0 = __builtin_shufflevector(rows[0].v, rows[1].v, 0, 4, 2, 6);
  const Lanes::Vector xz1 = __builtin_shufflevector(rows[2].v, rows[3].v, 0, 4, 2, 6);
  const Lanes::Vector y0 = __builtin_shufflevector(rows[0].v, rows[1].v, 1, 5, 3, 7);
  const Lanes::Vector y1 = __builtin_shufflevector(rows[2].v, rows[3].v, 1, 5, 3, 7);
  x = Lanes(__builtin_shufflevector(xz0, xz1, 0, 1, 4, 5));
  y = Lanes(__builtin_shufflevector(y0, y1, 0, 1, 4, 5));
  z = Lanes(__builtin_shufflevector(xz0, xz1, 2, 3, 6, 7));
}

CLEARANCE_INLINE bool any_lane(const LaneMask& mask) {
#if defined(__AVX__)
  return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask.bits)) != 0;
#else
  return (mask.bits[0] | mask.bits[1] | mask.bits[2] | mask.bits[3]) != 0;
#endif
}
CLEARANCE_INLINE bool any_lane(bool mask) {
  return mask;
}

CLEARANCE_INLINE Lanes square_root(const Lanes& a) {
#if defined(__AVX__)
  return Lanes(reinterpret_cast<Lanes::Vector>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(a.v))));
#else
  return Lanes(Lanes::Vector{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])});
#endif
}
CLEARANCE_INLINE double square_root(double a) {
  return std::sqrt(a);
}

using LaneWords = std::uint64_t __attribute__((vector_size(8 * num_lanes)));

/// Returns the bits of a number.
CLEARANCE_INLINE std::uint64_t words_of(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
CLEARANCE_INLINE LaneWords words_of(const Lanes& x) {
  return reinterpret_cast<LaneWords>(x.v);
}
CLEARANCE_INLINE double number_of(std::uint64_t words) {
  return std::bit_cast<double>(words);
}
CLEARANCE_INLINE Lanes number_of(const LaneWords& words) {
  return Lanes(reinterpret_cast<Lanes::Vector>(words));
}

template <class T>
CLEARANCE_INLINE T absolute(const T& a) {
  return select(a < T(0.0), -a, a);
}
/// Returns the number if it is positive, else zero, also for NaN.
template <class T>
CLEARANCE_INLINE T positive_part(const T& a) {
  return select(a > T(0.0), a, T(0.0));
}

}  // namespace clearance

#pragma GCC diagnostic pop
