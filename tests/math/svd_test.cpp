#include "clearance/math/svd.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <random>

#include "clearance/math/svd_kernel.h"
#include "support/random_matrix.h"

namespace clearance {
namespace {

using test::random_matrix;

template <int dim>
Mat<dim> random_rotation(std::mt19937_64& rng) {
  Eigen::JacobiSVD<Mat<dim>> svd(random_matrix<dim>(rng), Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat<dim> u = svd.matrixU();
  if (u.determinant() < 0) u.col(0) *= -1;
  return u;
}

/// Expects everything that the header promises, to a few units of rounding of the largest entry.
template <int dim>
void expect_valid(const Mat<dim>& f, const RotationVariantSvd<dim>& svd) {
  const double size = f.cwiseAbs().maxCoeff();
  const Mat<dim> identity = Mat<dim>::Identity();
  EXPECT_LT((svd.u.transpose() * svd.u - identity).cwiseAbs().maxCoeff(), 2e-15);
  EXPECT_LT((svd.v.transpose() * svd.v - identity).cwiseAbs().maxCoeff(), 6e-15);
  EXPECT_NEAR(svd.u.determinant(), 1.0, 6e-15);
  EXPECT_NEAR(svd.v.determinant(), 1.0, 6e-15);
  const Mat<dim> product = svd.u * svd.sigma.asDiagonal() * svd.v.transpose();
  EXPECT_LE((product - f).cwiseAbs().maxCoeff(), 2e-14 * size) << f;
  for (int i = 0; i + 1 < dim; ++i) {
    EXPECT_GE(svd.sigma[i], 0.0);
    EXPECT_GE(svd.sigma[i], std::abs(svd.sigma[i + 1]) - 4e-15 * size);
  }
}

template <int dim>
void check_random() {
  std::mt19937_64 rng(11);
  for (int trial = 0; trial < 3000; ++trial) {
    SCOPED_TRACE(::testing::Message() << "seed 11, trial " << trial);
    const Mat<dim> f = random_matrix<dim>(rng);
    const auto svd = rotation_variant_svd<dim>(f);
    expect_valid<dim>(f, svd);
    const Eigen::JacobiSVD<Mat<dim>> twin(f);
    EXPECT_LT((svd.sigma.cwiseAbs() - twin.singularValues()).cwiseAbs().maxCoeff(), 2e-14 * f.norm());
    EXPECT_EQ(svd.sigma[dim - 1] < 0, f.determinant() < 0);
  }
}

TEST(Svd, IsValidAndAgreesWithEigenOnRandomMatrices) {
  check_random<2>();
  check_random<3>();
}

TEST(Svd, IsValidOnDegenerateSingularValues) {
  std::mt19937_64 rng(12);
  const double cases[][3] = {{1, 1, 1},        {1, 1, 0.5},     {2, 1, 1},          {1, 1, -1},    {1, 0, 0},
                             {0, 0, 0},        {1, 1, 0},       {1, 1e-8, 1e-16},   {1, 1e-9, 0},  {1, 1e-16, -1e-16},
                             {1, 1 - 1e-9, 1}, {1e5, 1, -1e-5}, {1, 1 + 1e-15, -1}, {3, 1e-20, 0}, {1, 0.5, -0.5}};
  for (const auto& s : cases) {
    for (int trial = 0; trial < 200; ++trial) {
      SCOPED_TRACE(::testing::Message() << "seed 12, singular values " << s[0] << " " << s[1] << " " << s[2]);
      const Mat<3> f = random_rotation<3>(rng) * Vec<3>(s[0], s[1], s[2]).asDiagonal() * random_rotation<3>(rng);
      expect_valid<3>(f, rotation_variant_svd<3>(f));
      const Mat<2> g = random_rotation<2>(rng) * Vec<2>(s[0], s[2]).asDiagonal() * random_rotation<2>(rng);
      expect_valid<2>(g, rotation_variant_svd<2>(g));
    }
  }
}

TEST(Svd, IsValidOnSparseIntegerMatrices) {
  std::mt19937_64 rng(13);
  std::uniform_int_distribution<int> digit(-1, 1);
  for (int trial = 0; trial < 3000; ++trial) {
    Mat<3> f;
    for (int i = 0; i < 9; ++i) f.data()[i] = digit(rng);
    SCOPED_TRACE(::testing::Message() << "seed 13, trial " << trial << "\n" << f);
    expect_valid<3>(f, rotation_variant_svd<3>(f));
    const Mat<2> g = f.topLeftCorner<2, 2>();
    expect_valid<2>(g, rotation_variant_svd<2>(g));
  }
}

TEST(Svd, ScalesToTheWholeRangeOfDouble) {
  std::mt19937_64 rng(14);
  for (const double scale : {1e-300, 1e-150, 1e-61, 1e61, 1e150, 1e300}) {
    for (int trial = 0; trial < 50; ++trial) {
      SCOPED_TRACE(::testing::Message() << "seed 14, scale " << scale);
      const Mat<3> f = random_matrix<3>(rng) * scale;
      expect_valid<3>(f, rotation_variant_svd<3>(f));
    }
  }
}

TEST(Svd, NearestRotationOfARotationIsItself) {
  std::mt19937_64 rng(15);
  for (int trial = 0; trial < 500; ++trial) {
    const Mat<3> r = random_rotation<3>(rng);
    EXPECT_LT((nearest_rotation<3>(r) - r).cwiseAbs().maxCoeff(), 4e-15) << "seed 15, trial " << trial;
    const Mat<2> q = random_rotation<2>(rng);
    EXPECT_LT((nearest_rotation<2>(q) - q).cwiseAbs().maxCoeff(), 4e-15) << "seed 15, trial " << trial;
  }
}

template <int dim>
void check_lanes() {
  std::mt19937_64 rng(16);
  for (int trial = 0; trial < 500; ++trial) {
    // The lanes mix matrices that need very different numbers of sweeps.
    SmallMatrix<double, dim> scalar[num_lanes];
    SmallMatrix<Lanes, dim> packed;
    for (int lane = 0; lane < num_lanes; ++lane) {
      Mat<dim> f = random_matrix<dim>(rng);
      if (lane == 1) f.setIdentity();
      if (lane == 2) f.col(0) = f.col(dim - 1) * 1e-9;
      for (int i = 0; i < dim * dim; ++i) {
        scalar[lane].m[i] = f.data()[i];
        packed.m[i].set(lane, f.data()[i]);
      }
    }
    const SvdFrame<Lanes, dim> all = compute_svd(packed);
    for (int lane = 0; lane < num_lanes; ++lane) {
      const SvdFrame<double, dim> one = compute_svd(scalar[lane]);
      for (int i = 0; i < dim; ++i) ASSERT_EQ(all.sigma[i][lane], one.sigma[i]) << "seed 16, trial " << trial;
      for (int i = 0; i < dim * dim; ++i) {
        ASSERT_EQ(all.u.m[i][lane], one.u.m[i]) << "seed 16, trial " << trial << ", lane " << lane;
        ASSERT_EQ(all.v.m[i][lane], one.v.m[i]) << "seed 16, trial " << trial << ", lane " << lane;
      }
    }
  }
}

TEST(Svd, EveryLaneHasTheBitsOfTheScalarKernel) {
  check_lanes<2>();
  check_lanes<3>();
}

}  // namespace
}  // namespace clearance
