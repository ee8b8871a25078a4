// dim x dim matrices of a generic number type (double or Lanes) with loops that unroll completely. Column-major.
#pragma once

#include "clearance/math/lanes.h"

namespace clearance {

template <class T, int dim>
struct SmallVector {
  T m[dim];
  CLEARANCE_INLINE T& operator[](int i) { return m[i]; }
  CLEARANCE_INLINE const T& operator[](int i) const { return m[i]; }
};

template <class T, int dim>
struct SmallMatrix {
  T m[dim * dim];
  CLEARANCE_INLINE T& operator()(int r, int c) { return m[r + dim * c]; }
  CLEARANCE_INLINE const T& operator()(int r, int c) const { return m[r + dim * c]; }
};

template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> small_identity() {
  SmallMatrix<T, dim> result;
#pragma GCC unroll 9
  for (int i = 0; i < dim * dim; ++i) result.m[i] = T(i % (dim + 1) == 0 ? 1.0 : 0.0);
  return result;
}

/// Returns a b.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> multiply(const SmallMatrix<T, dim>& a, const SmallMatrix<T, dim>& b) {
  SmallMatrix<T, dim> result;
#pragma GCC unroll 3
  for (int c = 0; c < dim; ++c) {
#pragma GCC unroll 3
    for (int r = 0; r < dim; ++r) {
      T sum = a(r, 0) * b(0, c);
#pragma GCC unroll 3
      for (int k = 1; k < dim; ++k) sum += a(r, k) * b(k, c);
      result(r, c) = sum;
    }
  }
  return result;
}

/// Returns a b^T.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> multiply_transposed(const SmallMatrix<T, dim>& a, const SmallMatrix<T, dim>& b) {
  SmallMatrix<T, dim> result;
#pragma GCC unroll 3
  for (int c = 0; c < dim; ++c) {
#pragma GCC unroll 3
    for (int r = 0; r < dim; ++r) {
      T sum = a(r, 0) * b(c, 0);
#pragma GCC unroll 3
      for (int k = 1; k < dim; ++k) sum += a(r, k) * b(c, k);
      result(r, c) = sum;
    }
  }
  return result;
}

/// Returns a^T b.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> transposed_multiply(const SmallMatrix<T, dim>& a, const SmallMatrix<T, dim>& b) {
  SmallMatrix<T, dim> result;
#pragma GCC unroll 3
  for (int c = 0; c < dim; ++c) {
#pragma GCC unroll 3
    for (int r = 0; r < dim; ++r) {
      T sum = a(0, r) * b(0, c);
#pragma GCC unroll 3
      for (int k = 1; k < dim; ++k) sum += a(k, r) * b(k, c);
      result(r, c) = sum;
    }
  }
  return result;
}

/// Returns the sum of the products of corresponding entries.
template <class T, int dim>
CLEARANCE_INLINE T dot(const SmallMatrix<T, dim>& a, const SmallMatrix<T, dim>& b) {
  T sum = a.m[0] * b.m[0];
#pragma GCC unroll 9
  for (int i = 1; i < dim * dim; ++i) sum += a.m[i] * b.m[i];
  return sum;
}

template <class T, int dim>
CLEARANCE_INLINE T trace(const SmallMatrix<T, dim>& a) {
  T sum = a(0, 0);
#pragma GCC unroll 3
  for (int i = 1; i < dim; ++i) sum += a(i, i);
  return sum;
}

/// Returns d det(a) / d a.
template <class T, int dim>
CLEARANCE_INLINE SmallMatrix<T, dim> cofactor_matrix(const SmallMatrix<T, dim>& a) {
  SmallMatrix<T, dim> result;
  if constexpr (dim == 2) {
    result(0, 0) = a(1, 1);
    result(1, 0) = -a(0, 1);
    result(0, 1) = -a(1, 0);
    result(1, 1) = a(0, 0);
  } else {
    // Column c is the cross product of the other two columns.
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      const int p = (c + 1) % 3, q = (c + 2) % 3;
#pragma GCC unroll 3
      for (int r = 0; r < 3; ++r) {
        result(r, c) = a((r + 1) % 3, p) * a((r + 2) % 3, q) - a((r + 2) % 3, p) * a((r + 1) % 3, q);
      }
    }
  }
  return result;
}

/// Returns det(a), given its cofactor matrix.
template <class T, int dim>
CLEARANCE_INLINE T determinant(const SmallMatrix<T, dim>& a, const SmallMatrix<T, dim>& cofactors) {
  T sum = a(0, 0) * cofactors(0, 0);
#pragma GCC unroll 3
  for (int r = 1; r < dim; ++r) sum += a(r, 0) * cofactors(r, 0);
  return sum;
}

template <class T, int dim>
CLEARANCE_INLINE T determinant(const SmallMatrix<T, dim>& a) {
  return determinant(a, cofactor_matrix(a));
}

}  // namespace clearance
