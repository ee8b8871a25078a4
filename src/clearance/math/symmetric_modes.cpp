#include "clearance/math/symmetric_modes.h"

#include <Eigen/Eigenvalues>

namespace clearance {

SymmetricModes symmetric_modes(const SmallSquare& matrix) {
  const Eigen::SelfAdjointEigenSolver<SmallSquare> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace clearance
