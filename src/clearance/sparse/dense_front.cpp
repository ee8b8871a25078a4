#include "clearance/sparse/dense_front.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "clearance/base/parallel.h"
#include "clearance/math/lanes.h"

namespace clearance {
namespace {

using Index = std::ptrdiff_t;

// Size of a tile. A tile is a task, and a whole number of micro tiles of every kernel; at 192 a product of tiles takes
// 0.3 ms.
constexpr int tile = 192;
// Number of columns of a product that are processed together: two packed tiles of them fit into a second-level cache.
constexpr int max_depth = 256;
// Number of columns that are factored without a product of matrices.
constexpr int leaf_columns = 8;
// Number of rows that are divided by a leaf's square together.
constexpr int leaf_rows = 16;

int num_parts(int size, int part) {
  return (size + part - 1) / part;
}

/// Copies `count` rows of a panel, padded with zeros to `width`, a multiple of four.
void pack_rows(const double* panel, std::ptrdiff_t stride, int count, int width, int depth, double* packed) {
  for (int k = 0; k < depth; ++k, panel += stride, packed += width) {
    if (count == width) {
      for (int r = 0; r < width; r += 4) std::memcpy(packed + r, panel + r, 4 * sizeof(double));
    } else {
      for (int r = 0; r < width; ++r) packed[r] = r < count ? panel[r] : 0.0;
    }
  }
}

/// Rows of B in the form that the micro kernel reads.
struct Strip {
  const double* start;
  std::ptrdiff_t stride;
};

/// The target of a product of panels.
struct Target {
  double* start;
  int stride;
  bool is_overwritten;  ///< True for target = -left right^T, false for target -= left right^T.
};

/// Subtracts the product of at most `tile` rows of each panel. If `is_diagonal`, computes only the part below the
/// diagonal of the target, up to whole micro tiles.
void subtract_tile(const MicroKernel& kernel, const double* left, const double* right, int stride, int height,
                   int width, int depth, bool is_diagonal, const Target& target) {
  static thread_local std::vector<double> packed_left(max_micro_rows * max_depth);
  static thread_local std::vector<double> packed_right(tile * max_depth);
  const int strips_across = num_parts(width, kernel.columns);
  const int strips_down = num_parts(height, kernel.rows);

  // Pack rows contiguously if they are used more than twice or do not fill a micro tile.
  std::array<Strip, tile> columns;
  for (int j = 0; j < strips_across; ++j) {
    const int count = std::min(kernel.columns, width - j * kernel.columns);
    columns[j] = {right + j * kernel.columns, stride};
    if (strips_down <= 2 && count == kernel.columns) continue;
    double* packed = packed_right.data() + static_cast<std::ptrdiff_t>(j) * kernel.columns * depth;
    pack_rows(columns[j].start, stride, count, kernel.columns, depth, packed);
    columns[j] = {packed, kernel.columns};
  }
  for (int i = 0; i < strips_down; ++i) {
    const int first_row = i * kernel.rows;
    const int count = std::min(kernel.rows, height - first_row);
    Strip rows{left + first_row, stride};
    if (strips_across > 2 || count < kernel.rows) {
      pack_rows(rows.start, stride, count, kernel.rows, depth, packed_left.data());
      rows = {packed_left.data(), kernel.rows};
    }
    for (int j = 0; j < strips_across; ++j) {
      const int first_column = j * kernel.columns;
      if (is_diagonal && first_column > first_row + count - 1) break;
      const int across = std::min(kernel.columns, width - first_column);
      double* corner = target.start + first_row + static_cast<Index>(first_column) * target.stride;
      if (count == kernel.rows && across == kernel.columns) {
        kernel.subtract(depth, rows.start, rows.stride, columns[j].start, columns[j].stride, corner, target.stride,
                        target.is_overwritten);
        continue;
      }
      // For an incomplete micro tile, compute the negated sums apart and add them entry by entry.
      std::array<double, max_micro_rows * max_micro_columns> sums;
      kernel.subtract(depth, rows.start, rows.stride, columns[j].start, columns[j].stride, sums.data(), kernel.rows,
                      true);
      for (int c = 0; c < across; ++c) {
        for (int r = 0; r < count; ++r) {
          double& entry = corner[r + static_cast<Index>(c) * target.stride];
          entry = (target.is_overwritten ? 0.0 : entry) + sums[r + c * kernel.rows];
        }
      }
    }
  }
}

/// Subtracts the lower trapezoid (rows x columns) of panel panel^T.
void subtract_trapezoid(const MicroKernel& kernel, const double* panel, int stride, int rows, int columns, int depth,
                        const Target& target) {
  const int tiles_down = num_parts(rows, tile);
  const int tiles_across = num_parts(columns, tile);
  parallel_for(tiles_down * tiles_across, 1, [&](int t) {
    const int i = t % tiles_down;
    const int j = t / tiles_down;
    if (i < j) return;
    double* corner = target.start + i * tile + static_cast<Index>(j) * tile * target.stride;
    for (int k = 0; k < depth; k += max_depth) {
      const double* first = panel + static_cast<Index>(k) * stride;
      subtract_tile(kernel, first + i * tile, first + j * tile, stride, std::min(tile, rows - i * tile),
                    std::min(tile, columns - j * tile), std::min(max_depth, depth - k), i == j,
                    {corner, target.stride, target.is_overwritten && k == 0});
    }
  });
}

/// Computes the Cholesky factor of at most leaf_columns columns, entry by entry.
bool factor_square(double* square, int stride, int columns) {
  for (int j = 0; j < columns; ++j) {
    double* column = square + static_cast<Index>(j) * stride;
    double pivot = column[j];
    for (int k = 0; k < j; ++k)
      pivot -= square[j + static_cast<Index>(k) * stride] * square[j + static_cast<Index>(k) * stride];
    // The comparison also fails for NaN.
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    const double root = std::sqrt(pivot);
    column[j] = root;
    for (int i = j + 1; i < columns; ++i) {
      double sum = column[i];
      for (int k = 0; k < j; ++k)
        sum -= square[i + static_cast<Index>(k) * stride] * square[j + static_cast<Index>(k) * stride];
      column[i] = sum / root;
    }
  }
  return true;
}

/// Computes rows L^-T for up to leaf_rows rows, in registers.
template <int count>
void divide_rows(const double* square, int stride, int columns, double* rows) {
  double x[leaf_columns][count];
  for (int j = 0; j < columns; ++j) {
    const double* source = rows + static_cast<Index>(j) * stride;
    for (int r = 0; r < count; ++r) x[j][r] = source[r];
    for (int k = 0; k < j; ++k) {
      const double factor = square[j + static_cast<Index>(k) * stride];
      for (int r = 0; r < count; ++r) x[j][r] -= factor * x[k][r];
    }
    const double inverse = 1.0 / square[j + static_cast<Index>(j) * stride];
    for (int r = 0; r < count; ++r) x[j][r] *= inverse;
  }
  for (int j = 0; j < columns; ++j) {
    double* target = rows + static_cast<Index>(j) * stride;
    for (int r = 0; r < count; ++r) target[r] = x[j][r];
  }
}

bool factor_leaf(double* panel, int stride, int rows, int columns) {
  if (!factor_square(panel, stride, columns)) return false;
  int row = columns;
  for (; row + leaf_rows <= rows; row += leaf_rows) divide_rows<leaf_rows>(panel, stride, columns, panel + row);
  for (; row < rows; ++row) divide_rows<1>(panel, stride, columns, panel + row);
  return true;
}

/// Factors a panel by halves: the left columns, their product subtracted from the right ones, then the right columns.
/// Nearly all the work is in products.
bool factor_panel(const MicroKernel& kernel, double* panel, int stride, int rows, int columns) {
  if (columns <= leaf_columns) return factor_leaf(panel, stride, rows, columns);
  const int left = num_parts(columns, 2 * leaf_columns) * leaf_columns;
  if (!factor_panel(kernel, panel, stride, rows, left)) return false;
  double* right = panel + left + static_cast<Index>(left) * stride;
  subtract_trapezoid(kernel, panel + left, stride, rows - left, columns - left, left, {right, stride, false});
  return factor_panel(kernel, right, stride, rows - left, columns - left);
}

CLEARANCE_INLINE Lanes load(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof(Lanes));
  return lanes;
}

// Substitution is bound by memory: each number of a panel is read once, four columns side by side.
constexpr int columns_at_once = 4;

/// Subtracts panel x from y.
void subtract_columns(const double* panel, int stride, int rows, int columns, const double* x, double* __restrict y) {
  int k = 0;
  for (; k + columns_at_once <= columns; k += columns_at_once, x += columns_at_once) {
    const double *a = panel + static_cast<Index>(k) * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    for (int i = 0; i < rows; ++i) y[i] -= (a[i] * x[0] + b[i] * x[1]) + (c[i] * x[2] + d[i] * x[3]);
  }
  for (; k < columns; ++k, ++x) {
    const double* a = panel + static_cast<Index>(k) * stride;
    for (int i = 0; i < rows; ++i) y[i] -= a[i] * x[0];
  }
}

/// Subtracts panel^T y from x for some columns. Each lane sums every fourth row; then follow the sum over the lanes and
/// the remaining rows.
template <int columns>
void subtract_products(const double* panel, int stride, int rows, const double* y, double* x) {
  Lanes sums[columns];
  for (Lanes& sum : sums) sum = Lanes(0.0);
  int i = 0;
  for (; i + num_lanes <= rows; i += num_lanes) {
    const Lanes rows_of_y = load(y + i);
    for (int k = 0; k < columns; ++k) sums[k] += load(panel + static_cast<Index>(k) * stride + i) * rows_of_y;
  }
  for (int k = 0; k < columns; ++k) {
    double sum = (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]);
    for (int rest = i; rest < rows; ++rest) sum += panel[static_cast<Index>(k) * stride + rest] * y[rest];
    x[k] -= sum;
  }
}

void subtract_products(const double* panel, int stride, int rows, int columns, const double* y, double* x) {
  int k = 0;
  for (; k + columns_at_once <= columns; k += columns_at_once) {
    subtract_products<columns_at_once>(panel + static_cast<Index>(k) * stride, stride, rows, y, x + k);
  }
  for (; k < columns; ++k) subtract_products<1>(panel + static_cast<Index>(k) * stride, stride, rows, y, x + k);
}

}  // namespace

bool factor_columns(double* matrix, int rows, int columns, const MicroKernel& kernel) {
  return factor_panel(kernel, matrix, rows, rows, columns);
}

void negative_outer_product(const double* panel, int panel_stride, int size, int columns, double* update,
                            const MicroKernel& kernel) {
  subtract_trapezoid(kernel, panel, panel_stride, size, size, columns, {update, size, true});
}

void forward_solve(const double* factor, int rows, int columns, double* x_top, double* below) {
  for (int k = 0; k < columns; k += leaf_columns) {
    const double* square = factor + k + static_cast<Index>(k) * rows;
    const int count = std::min(leaf_columns, columns - k);
    for (int j = 0; j < count; ++j) {
      const double* column = square + static_cast<Index>(j) * rows;
      const double value = x_top[k + j] /= column[j];
      for (int i = j + 1; i < count; ++i) x_top[k + i] -= column[i] * value;
    }
    subtract_columns(square + count, rows, columns - k - count, count, x_top + k, x_top + k + count);
  }
  subtract_columns(factor + columns, rows, rows - columns, columns, x_top, below);
}

void backward_solve(const double* factor, int rows, int columns, double* x_top, const double* below) {
  subtract_products(factor + columns, rows, rows - columns, columns, below, x_top);
  for (int k = num_parts(columns, leaf_columns) * leaf_columns - leaf_columns; k >= 0; k -= leaf_columns) {
    const double* square = factor + k + static_cast<Index>(k) * rows;
    const int count = std::min(leaf_columns, columns - k);
    subtract_products(square + count, rows, columns - k - count, count, x_top + k + count, x_top + k);
    for (int j = count - 1; j >= 0; --j) {
      const double* column = square + static_cast<Index>(j) * rows;
      for (int i = j + 1; i < count; ++i) x_top[k + j] -= column[i] * x_top[k + i];
      x_top[k + j] /= column[j];
    }
  }
}

}  // namespace clearance
