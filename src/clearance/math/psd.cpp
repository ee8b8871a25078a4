#include "clearance/math/psd.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace clearance {

template <int n>
Mat<n> project_to_psd(const Mat<n>& matrix) {
  Eigen::SelfAdjointEigenSolver<Mat<n>> solver(matrix);
  const Vec<n>& lambda = solver.eigenvalues();
  if (lambda[0] >= 0.0) return matrix.template selfadjointView<Eigen::Lower>();
  // Few eigenvalues are negative: remove them one rank-one term at a time.
  Mat<n> projected = matrix.template selfadjointView<Eigen::Lower>();
  for (int i = 0; i < n && lambda[i] < 0.0; ++i) {
    const Vec<n> v = solver.eigenvectors().col(i);
    projected.noalias() -= lambda[i] * v * v.transpose();
  }
  return projected;
}

template Mat<2> project_to_psd<2>(const Mat<2>&);
template Mat<3> project_to_psd<3>(const Mat<3>&);
template Mat<4> project_to_psd<4>(const Mat<4>&);
template Mat<6> project_to_psd<6>(const Mat<6>&);
template Mat<8> project_to_psd<8>(const Mat<8>&);
template Mat<9> project_to_psd<9>(const Mat<9>&);
template Mat<12> project_to_psd<12>(const Mat<12>&);

}  // namespace clearance
