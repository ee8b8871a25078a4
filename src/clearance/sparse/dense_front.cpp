#include "clearance/sparse/dense_front.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"

extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dtrsv_(const char* uplo, const char* trans, const char* diag, const int* n, const double* a, const int* lda,
            double* x, const int* incx);
void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* incx, const double* beta, double* y, const int* incy);
void openblas_set_num_threads(int num_threads);
int openblas_get_num_threads();
}

namespace clearance {
namespace {

constexpr double one = 1.0;
constexpr double minus_one = -1.0;
constexpr double zero = 0.0;
constexpr int unit_step = 1;

// A tile is a task: at 192 a product of tiles takes about a millisecond, and BLAS runs near its peak.
constexpr int tile = 192;
int num_tiles(int size) {
  return (size + tile - 1) / tile;
}
int tile_size(int index, int size) {
  return std::min(tile, size - index * tile);
}

/// Calls body(i, j) for the tiles i >= j of a lower trapezoid.
template <class Body>
void for_each_tile(int rows, int columns, const Body& body) {
  const int tile_rows = num_tiles(rows);
  const int tile_columns = num_tiles(columns);
  parallel_for(tile_rows * tile_columns, 1, [&](int t) {
    const int i = t % tile_rows;
    const int j = t / tile_rows;
    if (i >= j) body(i, j);
  });
}

/// The lower trapezoid (rows x columns) of target -= panel panel^T, with panel rows x depth.
void subtract_trapezoid(const double* panel, int panel_stride, int rows, int columns, int depth, double* target,
                        int target_stride) {
  for_each_tile(rows, columns, [&](int i, int j) {
    const int height = tile_size(i, rows);
    const int width = tile_size(j, columns);
    double* corner = target + i * tile + static_cast<std::ptrdiff_t>(j) * tile * target_stride;
    const double* left = panel + i * tile;
    const double* right = panel + j * tile;
    if (i == j) {
      dsyrk_("L", "N", &width, &depth, &minus_one, right, &panel_stride, &one, corner, &target_stride);
      // A last tile column narrower than its diagonal tile is high leaves rows below the triangle.
      const int rest = height - width;
      if (rest > 0) {
        dgemm_("N", "T", &rest, &width, &depth, &minus_one, left + width, &panel_stride, right, &panel_stride, &one,
               corner + width, &target_stride);
      }
    } else {
      dgemm_("N", "T", &height, &width, &depth, &minus_one, left, &panel_stride, right, &panel_stride, &one, corner,
             &target_stride);
    }
  });
}

/// Cholesky factor of a small square; false at a pivot that is not a positive number (LAPACK lets NaN pass).
bool factor_square(double* square, int size, int stride) {
  int info = 0;
  dpotrf_("L", &size, square, &stride, &info);
  if (info != 0) return false;
  for (int k = 0; k < size; ++k) {
    const double pivot = square[k + static_cast<std::ptrdiff_t>(k) * stride];
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
  }
  return true;
}

}  // namespace

bool factor_columns(double* matrix, int rows, int columns) {
  // Right-looking by panels of one tile: factor the square, divide the rows below, update the columns to the right.
  for (int k = 0; k < columns; k += tile) {
    const int width = std::min(tile, columns - k);
    const int rows_below = rows - k - width;
    double* square = matrix + k + static_cast<std::ptrdiff_t>(k) * rows;
    double* below = square + width;
    if (!factor_square(square, width, rows)) return false;
    parallel_for(num_tiles(rows_below), 1, [&](int i) {
      const int height = tile_size(i, rows_below);
      dtrsm_("R", "L", "T", "N", &height, &width, &one, square, &rows, below + i * tile, &rows);
    });
    const int columns_right = columns - k - width;
    if (columns_right == 0) continue;
    double* right = below + static_cast<std::ptrdiff_t>(width) * rows;
    subtract_trapezoid(below, rows, rows_below, columns_right, width, right, rows);
  }
  return true;
}

void subtract_outer_product(const double* panel, int panel_stride, int size, int columns, double* update) {
  subtract_trapezoid(panel, panel_stride, size, size, columns, update, size);
}

void forward_solve(const double* factor, int rows, int columns, double* x_top, double* below) {
  const int rows_below = rows - columns;
  dtrsv_("L", "N", "N", &columns, factor, &rows, x_top, &unit_step);
  if (rows_below == 0) return;
  dgemv_("N", &rows_below, &columns, &one, factor + columns, &rows, x_top, &unit_step, &zero, below, &unit_step);
}

void backward_solve(const double* factor, int rows, int columns, double* x_top, const double* below) {
  const int rows_below = rows - columns;
  if (rows_below > 0) {
    dgemv_("T", &rows_below, &columns, &minus_one, factor + columns, &rows, below, &unit_step, &one, x_top, &unit_step);
  }
  dtrsv_("L", "T", "N", &columns, factor, &rows, x_top, &unit_step);
}

BlasThreadLimit::BlasThreadLimit(bool allow_threads) : saved_(allow_threads ? 0 : openblas_get_num_threads()) {
  if (saved_ > 1) openblas_set_num_threads(1);
}

BlasThreadLimit::~BlasThreadLimit() {
  if (saved_ > 1) openblas_set_num_threads(saved_);
}

}  // namespace clearance
