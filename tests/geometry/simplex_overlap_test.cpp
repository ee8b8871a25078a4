#include "clearance/geometry/simplex_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "clearance/geometry/generators.h"
#include "geometry/random_points.h"
#include "geometry/rational_geometry.h"

namespace clearance {
namespace {

using test::PointFamily;
using test::RandomPoints;

/// Returns the number of random tests: `few` in each build, CLEARANCE_FUZZ_OVERLAP for many.
int num_runs(int few) {
  const char* text = std::getenv("CLEARANCE_FUZZ_OVERLAP");
  return text == nullptr ? few : std::atoi(text);
}

/// Returns a simplex of positive volume; nothing if the corners drawn lie in one plane.
template <int dim>
std::optional<SimplexCorners<dim>> random_simplex(RandomPoints& random, PointFamily family) {
  SimplexCorners<dim> corners;
  for (Vec<dim>& x : corners) x = random.point<dim>(family);
  if (signed_volume<dim>(corners) < 0.0) std::swap(corners[0], corners[1]);
  if (!(signed_volume<dim>(corners) > 0.0)) return std::nullopt;
  return corners;
}

// --- the slow twin: exact, halves simplices at one crossing edge after the other ---

using rational::Number;

template <int dim>
using ExactPoint = std::array<Number, dim>;
template <int dim>
using ExactSimplex = std::array<ExactPoint<dim>, dim + 1>;

template <int dim>
ExactSimplex<dim> to_exact(const SimplexCorners<dim>& corners) {
  ExactSimplex<dim> exact;
  for (int k = 0; k <= dim; ++k) {
    for (int c = 0; c < dim; ++c) exact[k][c] = Number(corners[k][c]);
  }
  return exact;
}

/// Returns the volume times dim!.
template <int dim>
Number exact_volume(const ExactSimplex<dim>& s) {
  const auto e = [&](int k, int c) -> Number { return s[k][c] - s[0][c]; };
  if constexpr (dim == 2) {
    return e(1, 0) * e(2, 1) - e(1, 1) * e(2, 0);
  } else {
    return e(1, 0) * (e(2, 1) * e(3, 2) - e(2, 2) * e(3, 1)) + e(1, 1) * (e(2, 2) * e(3, 0) - e(2, 0) * e(3, 2)) +
           e(1, 2) * (e(2, 0) * e(3, 1) - e(2, 1) * e(3, 0));
  }
}

template <int dim>
Number exact_lambda(const ExactSimplex<dim>& s, int k, const ExactPoint<dim>& x) {
  ExactSimplex<dim> replaced = s;
  replaced[k] = x;
  return exact_volume<dim>(replaced) / exact_volume<dim>(s);
}

/// A corner of a piece of a, by its coordinates in a and in b.
template <int dim>
struct ExactCorner {
  std::array<Number, dim + 1> in_a, in_b;
};
template <int dim>
using ExactPiece = std::array<ExactCorner<dim>, dim + 1>;

template <int dim, class Visit>
void exact_cut(const ExactPiece<dim>& piece, int face, const Visit& visit) {
  if (face > dim) return visit(piece);
  int inside = -1, outside = -1;
  for (int k = 0; k <= dim; ++k) {
    if (piece[k].in_b[face] > 0) inside = k;
    if (piece[k].in_b[face] < 0) outside = k;
  }
  if (inside < 0) return;
  if (outside < 0) return exact_cut<dim>(piece, face + 1, visit);
  const Number t = piece[inside].in_b[face] / (piece[inside].in_b[face] - piece[outside].in_b[face]);
  ExactCorner<dim> middle;
  for (int i = 0; i <= dim; ++i) {
    middle.in_a[i] = piece[inside].in_a[i] + t * (piece[outside].in_a[i] - piece[inside].in_a[i]);
    middle.in_b[i] = piece[inside].in_b[i] + t * (piece[outside].in_b[i] - piece[inside].in_b[i]);
  }
  for (const int end : {inside, outside}) {
    ExactPiece<dim> half = piece;
    half[end] = middle;
    exact_cut<dim>(half, face, visit);
  }
}

template <int dim>
Mat<dim + 1> exact_moments(const SimplexCorners<dim>& a_corners, const SimplexCorners<dim>& b_corners) {
  const ExactSimplex<dim> a = to_exact<dim>(a_corners), b = to_exact<dim>(b_corners);
  ExactPiece<dim> whole;
  for (int k = 0; k <= dim; ++k) {
    for (int i = 0; i <= dim; ++i) {
      whole[k].in_a[i] = i == k ? 1 : 0;
      whole[k].in_b[i] = exact_lambda<dim>(b, i, a[k]);
    }
  }
  std::array<std::array<Number, dim + 1>, dim + 1> sums;
  exact_cut<dim>(whole, 0, [&](const ExactPiece<dim>& piece) {
    ExactSimplex<dim> in_a;
    for (int p = 0; p <= dim; ++p) std::copy_n(piece[p].in_a.begin() + 1, dim, in_a[p].begin());
    const Number volume = exact_volume<dim>(in_a);
    for (int i = 0; i <= dim; ++i) {
      for (int j = 0; j <= dim; ++j) {
        Number sum = 0, of_a = 0, of_b = 0;
        for (const ExactCorner<dim>& corner : piece) {
          sum += corner.in_a[i] * corner.in_b[j];
          of_a += corner.in_a[i];
          of_b += corner.in_b[j];
        }
        sums[i][j] += volume * (sum + of_a * of_b);
      }
    }
  });
  Mat<dim + 1> moments;
  const Number factor = exact_volume<dim>(a) / ((dim == 2 ? 2 : 6) * (dim + 1) * (dim + 2));
  for (int i = 0; i <= dim; ++i) {
    for (int j = 0; j <= dim; ++j) moments(i, j) = Number(sums[i][j] * factor).get_d();
  }
  return moments;
}

/// Coordinates are up to 2: rounding of these times the faces is 1e-15.
template <int dim>
void check_against_exact() {
  RandomPoints random(dim);
  for (const PointFamily family : test::all_families) {
    int num_overlapping = 0;
    for (int run = 0; run < num_runs(dim == 2 ? 200 : 30); ++run) {
      const auto a = random_simplex<dim>(random, family), b = random_simplex<dim>(random, family);
      if (!a || !b) continue;
      Mat<dim + 1> moments;
      const double volume = overlap_moments<dim>(*a, *b, moments);
      const Mat<dim + 1> exact = exact_moments<dim>(*a, *b);
      EXPECT_LT((moments - exact).cwiseAbs().maxCoeff(), 2e-15) << "run " << run;
      EXPECT_NEAR(volume, exact.sum(), 5e-15) << "run " << run;
      if (exact.sum() > 1e-4) ++num_overlapping;
    }
    EXPECT_GT(num_overlapping, 2);
  }
}

TEST(SimplexOverlap, MomentsAreTheExactOnesEvenOfDegeneratePairs) {
  check_against_exact<2>();
  check_against_exact<3>();
}

/// Returns the integral of lambda_i lambda_j over the whole simplex.
template <int dim>
Mat<dim + 1> own_moments(double volume) {
  return volume / ((dim + 1) * (dim + 2)) * (Mat<dim + 1>::Ones() + Mat<dim + 1>::Identity());
}

template <int dim>
void check_same_simplex() {
  RandomPoints random(11);
  for (int run = 0; run < 100; ++run) {
    const auto a = random_simplex<dim>(random, PointFamily::general);
    ASSERT_TRUE(a);
    Mat<dim + 1> moments;
    const double volume = overlap_moments<dim>(*a, *a, moments);
    EXPECT_EQ(volume, signed_volume<dim>(*a));
    EXPECT_LT((moments - own_moments<dim>(volume)).norm(), 1e-15 * volume);
    for (int k = 0; k <= dim; ++k) {
      EXPECT_EQ(barycentric_coordinates<dim>(*a, (*a)[k]), (Vec<dim + 1>::Unit(k)));
    }
  }
}

TEST(SimplexOverlap, OfASimplexWithItselfIsItsMassMatrix) {
  check_same_simplex<2>();
  check_same_simplex<3>();
}

template <int dim>
void check_neighbours() {
  RandomPoints random(12);
  for (int run = 0; run < 200; ++run) {
    const auto a = random_simplex<dim>(random, PointFamily::general);
    ASSERT_TRUE(a);
    // b stands over the same face on its other side: one corner is mirrored at the middle of the others.
    SimplexCorners<dim> b = *a;
    Vec<dim> middle = Vec<dim>::Zero();
    for (int k = 1; k <= dim; ++k) middle += b[k] / dim;
    b[0] = 2.0 * middle - b[0];
    std::swap(b[1], b[2]);
    Mat<dim + 1> moments;
    EXPECT_EQ(overlap_moments<dim>(*a, b, moments), 0.0);
    EXPECT_EQ(moments.norm(), 0.0);
  }
}

TEST(SimplexOverlap, OfNeighboursIsNothingAtAll) {
  check_neighbours<2>();
  check_neighbours<3>();
}

/// Returns a mesh of the square or cube of side 2 with inner vertices moved at random.
template <int dim>
std::vector<SimplexCorners<dim>> random_partition(RandomPoints& random, int cells, double noise) {
  Mesh mesh;
  if constexpr (dim == 2) {
    mesh = make_rectangle(2.0, 2.0, cells, cells);
  } else {
    mesh = make_box({2.0, 2.0, 2.0}, {cells, cells, cells});
  }
  for (Vec<3>& x : mesh.vertices) {
    if (x.head<dim>().cwiseAbs().maxCoeff() > 0.999) continue;
    for (int c = 0; c < dim; ++c) x[c] += noise * 2.0 / cells * random.uniform(-1.0, 1.0);
  }
  std::vector<SimplexCorners<dim>> simplices;
  const auto add = [&](const auto& cells_of_mesh) {
    for (const auto& cell : cells_of_mesh) {
      SimplexCorners<dim> corners;
      for (int k = 0; k <= dim; ++k) corners[k] = mesh.vertices[cell[k]].template head<dim>();
      simplices.push_back(corners);
    }
  };
  if constexpr (dim == 2) {
    add(mesh.triangles);
  } else {
    add(mesh.tets);
  }
  return simplices;
}

/// Returns the largest difference of the sums over a partition from the moments of a itself, relative to its volume.
template <int dim>
double partition_error(const SimplexCorners<dim>& a, const std::vector<SimplexCorners<dim>>& partition) {
  Vec<dim + 1> sums = Vec<dim + 1>::Zero();
  for (const auto& b : partition) {
    Mat<dim + 1> moments, transposed;
    overlap_moments<dim>(a, b, moments);
    overlap_moments<dim>(b, a, transposed);
    EXPECT_LT((moments - transposed.transpose()).norm(), 1e-14);
    sums += moments.rowwise().sum();
  }
  const double volume = signed_volume<dim>(a);
  return (sums - Vec<dim + 1>::Constant(volume / (dim + 1))).cwiseAbs().maxCoeff() / volume;
}

template <int dim>
void check_partition() {
  RandomPoints random(13);
  for (int run = 0; run < 10; ++run) {
    const auto fine = random_partition<dim>(random, 4, 0.15), coarse = random_partition<dim>(random, 3, 0.15);
    for (std::size_t k = 0; k < coarse.size(); k += 7) EXPECT_LT(partition_error<dim>(coarse[k], fine), 1e-13);
    // A sliver as high as 1e-6 of its length: rounding is relative to that length.
    SimplexCorners<dim> sliver;
    for (Vec<dim>& x : sliver) x = 0.9 * random.point<dim>(PointFamily::general);
    Vec<dim> middle = Vec<dim>::Zero();
    for (int k = 1; k <= dim; ++k) middle += sliver[k] / dim;
    sliver[0] = middle + 1e-6 * (sliver[0] - middle);
    if (signed_volume<dim>(sliver) < 0.0) std::swap(sliver[1], sliver[2]);
    EXPECT_LT(partition_error<dim>(sliver, fine) * signed_volume<dim>(sliver), 2e-15);
  }
}

TEST(SimplexOverlap, SumsOverAPartitionAreTheOwnMassMatrix) {
  check_partition<2>();
  check_partition<3>();
}

}  // namespace
}  // namespace clearance
