#include "clearance/math/psd.h"

#include "clearance/math/symmetric_modes.h"

namespace clearance {

template <int n>
Mat<n> project_to_psd(const Mat<n>& matrix) {
  const SymmetricModes modes = symmetric_modes(matrix);
  // Few eigenvalues are negative: remove them one rank-one term at a time.
  Mat<n> projected = matrix.template selfadjointView<Eigen::Lower>();
  for (int i = 0; i < n && modes.values[i] < 0.0; ++i) {
    const Vec<n> v = modes.vectors.col(i);
    projected.noalias() -= modes.values[i] * v * v.transpose();
  }
  return projected;
}

template Mat<2> project_to_psd<2>(const Mat<2>&);
template Mat<3> project_to_psd<3>(const Mat<3>&);
template Mat<4> project_to_psd<4>(const Mat<4>&);
template Mat<9> project_to_psd<9>(const Mat<9>&);

}  // namespace clearance
