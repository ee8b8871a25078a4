#include "clearance/math/psd.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

namespace clearance {
namespace {

TEST(Psd, Projection_HasNoNegativeEigenvalueAndKeepsThePositiveOnes) {
  std::srand(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Mat<9> random = Mat<9>::Random();
    const Mat<9> symmetric = random + random.transpose();
    const Eigen::SelfAdjointEigenSolver<Mat<9>> before(symmetric);
    const Eigen::SelfAdjointEigenSolver<Mat<9>> after(project_to_psd(symmetric));
    EXPECT_LT((before.eigenvalues().cwiseMax(0.0) - after.eigenvalues()).norm(), 1e-12);
  }
}

TEST(Psd, Projection_LeavesPositiveMatricesUntouched) {
  const Mat<3> factor = Mat<3>::Random();
  const Mat<3> positive = Mat<3>((factor + factor.transpose()) * 0.1) + Mat<3>::Identity();
  EXPECT_EQ(project_to_psd(positive), positive);
}

}  // namespace
}  // namespace clearance
