// Dense kernels of the sparse Cholesky factorisation, in column-major storage. Large matrices are cut into tiles of
// fixed size that are processed in parallel. Every entry is summed in the same order whatever tile it lies in, so the
// bits depend neither on the number of threads nor on the micro kernel.
#pragma once

#include "clearance/sparse/micro_kernel.h"

namespace clearance {

/// Replaces the first `columns` columns (rows >= columns, leading dimension `rows`) of a symmetric matrix, of which the
/// lower triangle is read, by those of its Cholesky factor. Entries above the diagonal become undefined. Returns false
/// if the top square is not positive definite.
bool factor_columns(double* matrix, int rows, int columns,
                    const MicroKernel& kernel = available_micro_kernels().front());

/// Sets the lower triangle of `update` to -panel panel^T; entries above it become undefined. `panel` is size x columns
/// with the given leading dimension.
void negative_outer_product(const double* panel, int panel_stride, int size, int columns, double* update,
                            const MicroKernel& kernel = available_micro_kernels().front());

/// Computes x_top = L11^-1 x_top, then below -= L21 x_top, with the columns from factor_columns.
void forward_solve(const double* factor, int rows, int columns, double* x_top, double* below);
/// Computes x_top = L11^-T (x_top - L21^T below).
void backward_solve(const double* factor, int rows, int columns, double* x_top, const double* below);

}  // namespace clearance
