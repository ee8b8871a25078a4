#include "clearance/geometry/distance_derivatives.h"

#include <gtest/gtest.h>

#include "clearance/geometry/distance.h"
#include "geometry/random_points.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::finite_difference_gradient;
using test::finite_difference_jacobian;
using test::PointFamily;
using test::RandomPoints;
using test::relative_difference;

constexpr int num_trials = 200;
/// Differences of step 6e-6 are good to 1e-9; pairs that are close to parallel have large third derivatives.
constexpr double derivative_tolerance = 1e-6;

template <int size>
VecX random_state(RandomPoints& random) {
  VecX x(size);
  for (int i = 0; i < size; ++i) x[i] = random.uniform(-1.0, 1.0);
  return x;
}

/// Compares gradient and Hessian (derivatives : state, gradient&, Hessian&) and the gradient alone with differences of
/// the value, at random states where `is_regular` says that the formula is far from its singularity.
template <int size, class Value, class Gradient, class Derivatives, class Regular>
void check_derivatives(unsigned seed, const Value& value, const Gradient& gradient, const Derivatives& derivatives,
                       const Regular& is_regular) {
  RandomPoints random(seed);
  int num_checked = 0;
  for (int trial = 0; trial < num_trials; ++trial) {
    const VecX x = random_state<size>(random);
    if (!is_regular(x)) continue;
    ++num_checked;
    Vec<size> g;
    Mat<size> h;
    derivatives(x, g, h);
    const VecX gradient_alone = gradient(x);
    ASSERT_LT(relative_difference(g, finite_difference_gradient(value, x)), derivative_tolerance) << "seed " << seed;
    ASSERT_LT(relative_difference(gradient_alone, g), 1e-14) << "seed " << seed;
    const MatX jacobian = finite_difference_jacobian([&](const VecX& y) -> VecX { return gradient(y); }, x);
    ASSERT_LT(relative_difference(h, jacobian), derivative_tolerance) << "seed " << seed << " trial " << trial;
    ASSERT_LT(relative_difference(h, h.transpose()), 1e-14);
    ASSERT_GT(g.norm(), 0.0);
    ASSERT_GT(h.norm(), 0.0);
  }
  EXPECT_GT(num_checked, num_trials / 4);
}

constexpr auto always = [](const VecX&) { return true; };

/// Vertex v of a state of vertices.
template <int dim>
Vec<dim> at(const VecX& x, int v) {
  return x.segment<dim>(dim * v);
}

template <int dim>
void check_point_point() {
  check_derivatives<2 * dim>(
      1, [](const VecX& x) { return point_point_distance_sq<dim>(at<dim>(x, 0), at<dim>(x, 1)); },
      [](const VecX& x) { return point_point_distance_sq_gradient<dim>(at<dim>(x, 0), at<dim>(x, 1)); },
      [](const VecX& x, auto& g, auto& h) {
        point_point_distance_sq_derivatives<dim>(at<dim>(x, 0), at<dim>(x, 1), g, h);
      },
      always);
}

template <int dim>
void check_point_line() {
  const auto has_length = [](const VecX& x) { return (at<dim>(x, 2) - at<dim>(x, 1)).norm() > 0.3; };
  check_derivatives<3 * dim>(
      2, [](const VecX& x) { return point_line_distance_sq<dim>(at<dim>(x, 0), at<dim>(x, 1), at<dim>(x, 2)); },
      [](const VecX& x) { return point_line_distance_sq_gradient<dim>(at<dim>(x, 0), at<dim>(x, 1), at<dim>(x, 2)); },
      [](const VecX& x, auto& g, auto& h) {
        point_line_distance_sq_derivatives<dim>(at<dim>(x, 0), at<dim>(x, 1), at<dim>(x, 2), g, h);
      },
      has_length);
}

TEST(DistanceDerivatives, PointPoint2d_MatchesFiniteDifferences) {
  check_point_point<2>();
}
TEST(DistanceDerivatives, PointPoint3d_MatchesFiniteDifferences) {
  check_point_point<3>();
}
TEST(DistanceDerivatives, PointLine2d_MatchesFiniteDifferences) {
  check_point_line<2>();
}
TEST(DistanceDerivatives, PointLine3d_MatchesFiniteDifferences) {
  check_point_line<3>();
}

TEST(DistanceDerivatives, PointPlane_MatchesFiniteDifferences) {
  const auto value = [](const VecX& x) {
    return point_plane_distance_sq(at<3>(x, 0), at<3>(x, 1), at<3>(x, 2), at<3>(x, 3));
  };
  const auto gradient = [](const VecX& x) {
    return point_plane_distance_sq_gradient(at<3>(x, 0), at<3>(x, 1), at<3>(x, 2), at<3>(x, 3));
  };
  const auto derivatives = [](const VecX& x, Vec<12>& g, Mat<12>& h) {
    point_plane_distance_sq_derivatives(at<3>(x, 0), at<3>(x, 1), at<3>(x, 2), at<3>(x, 3), g, h);
  };
  const auto has_area = [](const VecX& x) {
    return cross_product(at<3>(x, 2) - at<3>(x, 1), at<3>(x, 3) - at<3>(x, 1)).norm() > 0.3;
  };
  check_derivatives<12>(3, value, gradient, derivatives, has_area);
}

TEST(DistanceDerivatives, LineLine_MatchesFiniteDifferences) {
  const auto value = [](const VecX& x) {
    return line_line_distance_sq(at<3>(x, 0), at<3>(x, 1), at<3>(x, 2), at<3>(x, 3));
  };
  const auto gradient = [](const VecX& x) {
    return line_line_distance_sq_gradient(at<3>(x, 0), at<3>(x, 1), at<3>(x, 2), at<3>(x, 3));
  };
  const auto derivatives = [](const VecX& x, Vec<12>& g, Mat<12>& h) {
    line_line_distance_sq_derivatives(at<3>(x, 0), at<3>(x, 1), at<3>(x, 2), at<3>(x, 3), g, h);
  };
  const auto has_angle = [](const VecX& x) {
    return cross_product(at<3>(x, 1) - at<3>(x, 0), at<3>(x, 3) - at<3>(x, 2)).norm() > 0.3;
  };
  check_derivatives<12>(4, value, gradient, derivatives, has_angle);
}

TEST(DistanceDerivatives, Reduced_MatchesFiniteDifferences) {
  const auto plane_value = [](const VecX& z) {
    return point_plane_distance_sq(at<3>(z, 0), Vec<3>(0, 0, 0), at<3>(z, 1), at<3>(z, 2));
  };
  check_derivatives<9>(
      5, plane_value,
      [](const VecX& z) { return relative_plane_distance_sq_gradient(at<3>(z, 0), at<3>(z, 1), at<3>(z, 2)); },
      [](const VecX& z, Vec<9>& g, Mat<9>& h) {
        relative_plane_distance_sq_derivatives(at<3>(z, 0), at<3>(z, 1), at<3>(z, 2), g, h);
      },
      [](const VecX& z) { return cross_product(at<3>(z, 1), at<3>(z, 2)).norm() > 0.3; });
  check_derivatives<6>(
      6, [](const VecX& z) { return point_line_distance_sq<3>(at<3>(z, 0), Vec<3>(0, 0, 0), at<3>(z, 1)); },
      [](const VecX& z) { return relative_line_distance_sq_gradient<3>(at<3>(z, 0), at<3>(z, 1)); },
      [](const VecX& z, Vec<6>& g, Mat<6>& h) {
        relative_line_distance_sq_derivatives<3>(at<3>(z, 0), at<3>(z, 1), g, h);
      },
      [](const VecX& z) { return at<3>(z, 1).norm() > 0.3; });
}

TEST(DistanceDerivatives, Full_AnnihilatesTranslationsAndRotations) {
  RandomPoints random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const VecX x = random_state<12>(random);
    Vec<12> g;
    Mat<12> h;
    point_plane_distance_sq_derivatives(at<3>(x, 0), at<3>(x, 1), at<3>(x, 2), at<3>(x, 3), g, h);
    for (int axis = 0; axis < 3; ++axis) {
      Vec<12> shift = Vec<12>::Zero(), turn;
      for (int v = 0; v < 4; ++v) {
        shift[3 * v + axis] = 1.0;
        turn.segment<3>(3 * v) = cross_product(Vec<3>::Unit(axis), at<3>(x, v));
      }
      ASSERT_LT(std::abs(g.dot(shift)), 1e-12 * g.norm());
      ASSERT_LT((h * shift).norm(), 1e-12 * h.norm());
      ASSERT_LT(std::abs(g.dot(turn)), 1e-12 * g.norm());
    }
  }
}

TEST(DistanceDerivatives, Map_GivesTheDocumentedRelativePositions) {
  // R x for vertices at distinct positions, against the differences in the header.
  RandomPoints random(8);
  const VecX x = random_state<12>(random);
  const auto relative = [&](const RelativeMap<3, 4>& map, int k) {
    Vec<3> z = Vec<3>::Zero();
    for (int v = 0; v < 4; ++v) z += map.sign[k][v] * at<3>(x, v);
    return z;
  };
  EXPECT_LT((relative(point_plane_relative, 0) - (at<3>(x, 0) - at<3>(x, 1))).norm(), 1e-15);
  EXPECT_LT((relative(point_plane_relative, 1) - (at<3>(x, 2) - at<3>(x, 1))).norm(), 1e-15);
  EXPECT_LT((relative(point_plane_relative, 2) - (at<3>(x, 3) - at<3>(x, 1))).norm(), 1e-15);
  EXPECT_LT((relative(line_line_relative, 0) - (at<3>(x, 2) - at<3>(x, 0))).norm(), 1e-15);
  EXPECT_LT((relative(line_line_relative, 1) - (at<3>(x, 1) - at<3>(x, 0))).norm(), 1e-15);
  EXPECT_LT((relative(line_line_relative, 2) - (at<3>(x, 3) - at<3>(x, 2))).norm(), 1e-15);
}

TEST(DistanceDerivatives, DegenerateInput_IsFinite) {
  RandomPoints random(9);
  for (int trial = 0; trial < 2000; ++trial) {
    Vec<3> v[4];
    for (Vec<3>& vertex : v) vertex = random.point<3>(PointFamily::lattice);
    Vec<12> g;
    Mat<12> h;
    point_plane_distance_sq_derivatives(v[0], v[1], v[2], v[3], g, h);
    ASSERT_TRUE(g.allFinite() && h.allFinite());
    line_line_distance_sq_derivatives(v[0], v[1], v[2], v[3], g, h);
    ASSERT_TRUE(g.allFinite() && h.allFinite());
    Vec<9> line_g;
    Mat<9> line_h;
    point_line_distance_sq_derivatives<3>(v[0], v[1], v[2], line_g, line_h);
    ASSERT_TRUE(line_g.allFinite() && line_h.allFinite());
  }
}

}  // namespace
}  // namespace clearance
