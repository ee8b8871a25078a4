// The derivatives of a step at its solution, for whoever differentiates through steps.
#pragma once

#include "clearance/math/types.h"
#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// Gradient and Hessian of the objective of a step, in Newton's unknowns (model/local_coordinates.h) and in units of
/// the objective (InertialTarget::scale). Fixed blocks have zero gradients and rows of the identity.
struct LinearSystem {
  VecX gradient;
  BlockSparseMatrix hessian;
};

}  // namespace clearance
