// Dense kernels of the sparse Cholesky factorisation, in column-major storage. Large matrices are cut into tiles of
// fixed size that are worked on in parallel; every entry is summed in the same order whatever tile it lies in, so the
// bits do not depend on the number of threads. Nor on the micro kernel.
#pragma once

#include "clearance/sparse/micro_kernel.h"

namespace clearance {

/// Replaces the first `columns` columns (rows >= columns, leading dimension `rows`) of a symmetric matrix, of which the
/// lower triangle is read, by those of its Cholesky factor; above the diagonal it leaves rubbish. False if the top
/// square is not positive definite.
bool factor_columns(double* matrix, int rows, int columns,
                    const MicroKernel& kernel = available_micro_kernels().front());

/// update = -panel panel^T in the lower triangle, rubbish above it; `panel` is size x columns with the given leading
/// dimension.
void negative_outer_product(const double* panel, int panel_stride, int size, int columns, double* update,
                            const MicroKernel& kernel = available_micro_kernels().front());

/// x_top = L11^-1 x_top; below -= L21 x_top, for the columns that factor_columns left.
void forward_solve(const double* factor, int rows, int columns, double* x_top, double* below);
/// x_top = L11^-T (x_top - L21^T below)
void backward_solve(const double* factor, int rows, int columns, double* x_top, const double* below);

}  // namespace clearance
