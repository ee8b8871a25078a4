#include "clearance/sparse/dense_front.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/math/types.h"

namespace clearance {
namespace {

using Eigen::Index;
using Eigen::Lower;
using Panel = Eigen::Map<MatX, 0, Eigen::OuterStride<>>;
using ConstPanel = Eigen::Map<const MatX, 0, Eigen::OuterStride<>>;

// A tile is a task: at 192 a product of tiles takes 0.4 ms and runs near the peak of the processor.
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
    const ConstPanel left(panel + i * tile, height, depth, Eigen::OuterStride<>(panel_stride));
    const ConstPanel right(panel + j * tile, width, depth, Eigen::OuterStride<>(panel_stride));
    Panel corner(target + i * tile + static_cast<Index>(j) * tile * target_stride, height, width,
                 Eigen::OuterStride<>(target_stride));
    if (i != j) {
      corner.noalias() -= left * right.transpose();
      return;
    }
    corner.topRows(width).template selfadjointView<Lower>().rankUpdate(right, -1.0);
    // A last tile column narrower than its diagonal tile is high leaves rows below the triangle.
    const int rest = height - width;
    if (rest > 0) corner.bottomRows(rest).noalias() -= left.bottomRows(rest) * right.transpose();
  });
}

/// Cholesky factor of a small square; false at a pivot that is not a positive number.
bool factor_square(Panel& square) {
  if (Eigen::internal::llt_inplace<double, Lower>::blocked(square) >= 0) return false;
  // NaN and infinity pass the comparisons inside.
  const auto pivots = square.diagonal().array();
  return (pivots > 0.0).all() && pivots.isFinite().all();
}

}  // namespace

bool factor_columns(double* matrix, int rows, int columns) {
  const Eigen::OuterStride<> stride(rows);
  // Right-looking by panels of one tile: factor the square, divide the rows below, update the columns to the right.
  for (int k = 0; k < columns; k += tile) {
    const int width = std::min(tile, columns - k);
    const int rows_below = rows - k - width;
    double* corner = matrix + k + static_cast<Index>(k) * rows;
    double* below = corner + width;
    Panel square(corner, width, width, stride);
    if (!factor_square(square)) return false;
    parallel_for(num_tiles(rows_below), 1, [&](int i) {
      Panel rows_of_tile(below + i * tile, tile_size(i, rows_below), width, stride);
      square.triangularView<Lower>().transpose().solveInPlace<Eigen::OnTheRight>(rows_of_tile);
    });
    const int columns_right = columns - k - width;
    if (columns_right == 0) continue;
    double* right = below + static_cast<Index>(width) * rows;
    subtract_trapezoid(below, rows, rows_below, columns_right, width, right, rows);
  }
  return true;
}

void subtract_outer_product(const double* panel, int panel_stride, int size, int columns, double* update) {
  subtract_trapezoid(panel, panel_stride, size, size, columns, update, size);
}

void forward_solve(const double* factor, int rows, int columns, double* x_top, double* below) {
  const ConstPanel panel(factor, rows, columns, Eigen::OuterStride<>(rows));
  Eigen::Map<VecX> x(x_top, columns);
  panel.topRows(columns).triangularView<Lower>().solveInPlace(x);
  const int rows_below = rows - columns;
  if (rows_below > 0) Eigen::Map<VecX>(below, rows_below).noalias() = panel.bottomRows(rows_below) * x;
}

void backward_solve(const double* factor, int rows, int columns, double* x_top, const double* below) {
  const ConstPanel panel(factor, rows, columns, Eigen::OuterStride<>(rows));
  Eigen::Map<VecX> x(x_top, columns);
  const int rows_below = rows - columns;
  if (rows_below > 0) {
    x.noalias() -= panel.bottomRows(rows_below).transpose() * Eigen::Map<const VecX>(below, rows_below);
  }
  panel.topRows(columns).triangularView<Lower>().transpose().solveInPlace(x);
}

}  // namespace clearance
