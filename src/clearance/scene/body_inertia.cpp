#include "clearance/scene/body_inertia.h"

#include <Eigen/Eigenvalues>

namespace clearance {

Mat<3> inertia_tensor(const InertiaDesc& inertia) {
  Mat<3> tensor = inertia.moments.asDiagonal();
  tensor(0, 1) = tensor(1, 0) = inertia.products[0];
  tensor(0, 2) = tensor(2, 0) = inertia.products[1];
  tensor(1, 2) = tensor(2, 1) = inertia.products[2];
  return tensor;
}

Mat<3> second_moment_of(const Mat<3>& inertia) {
  return 0.5 * inertia.trace() * Mat<3>::Identity() - inertia;
}

bool is_inertia_of_a_body(const InertiaDesc& inertia) {
  constexpr double written_digits = 1e-6;
  const Mat<3> moment = second_moment_of(inertia_tensor(inertia));
  if (!moment.allFinite() || !(moment.trace() > 0.0)) return false;
  const Eigen::SelfAdjointEigenSolver<Mat<3>> solver(moment, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().minCoeff() >= -written_digits * moment.trace();
}

}  // namespace clearance
