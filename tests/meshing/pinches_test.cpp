#include "clearance/meshing/pinches.h"

#include <gtest/gtest.h>

#include <random>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/surface.h"

namespace clearance {
namespace {

/// Returns a box of tetrahedra, none of which is solid.
CellComplex block(const std::array<int, 3>& counts) {
  const Mesh box = make_box({1, 1, 1}, counts);
  return {box.vertices, box.tets, std::vector<char>(box.tets.size(), 0)};
}

Vec<3> middle_of(const CellComplex& complex, std::size_t cell) {
  Vec<3> middle = Vec<3>::Zero();
  for (const int v : complex.tets[cell]) middle += 0.25 * complex.vertices[v];
  return middle;
}

template <class Holds>
void fill(CellComplex& complex, const Holds& holds) {
  for (std::size_t c = 0; c < complex.tets.size(); ++c) {
    if (holds(middle_of(complex, c))) complex.is_solid[c] = 1;
  }
}

SurfaceDefects defects_of(const CellComplex& complex) {
  std::vector<std::array<int, 4>> solid;
  for (std::size_t c = 0; c < complex.tets.size(); ++c) {
    if (complex.is_solid[c] != 0) solid.push_back(complex.tets[c]);
  }
  return find_surface_defects(boundary_triangles(solid));
}

TEST(Pinches, GoodSolidsStay) {
  CellComplex complex = block({4, 4, 4});
  fill(complex, [](const Vec<3>& x) { return x[0] < 0.0; });
  const CellComplex before = complex;
  EXPECT_EQ(count_pinches(complex), 0);
  EXPECT_EQ(mend_pinches(complex), 0);
  EXPECT_EQ(complex.is_solid, before.is_solid);
}

TEST(Pinches, BlocksThatTouchInAVertexComeApart) {
  CellComplex complex = block({4, 4, 4});
  fill(complex, [](const Vec<3>& x) { return x.maxCoeff() < 0.0 || x.minCoeff() > 0.0; });
  EXPECT_FALSE(defects_of(complex).is_manifold());
  EXPECT_GT(count_pinches(complex), 0);
  EXPECT_GT(mend_pinches(complex), 0);
  EXPECT_EQ(count_pinches(complex), 0);
  EXPECT_TRUE(defects_of(complex).is_closed_manifold());
}

TEST(Pinches, BlocksThatTouchInAnEdgeBecomeManifold) {
  CellComplex complex = block({4, 4, 4});
  fill(complex, [](const Vec<3>& x) { return (x[0] < 0.0) == (x[1] < 0.0); });
  EXPECT_FALSE(defects_of(complex).is_manifold());
  EXPECT_GT(mend_pinches(complex), 0);
  EXPECT_TRUE(defects_of(complex).is_closed_manifold());
}

TEST(Pinches, MissingAndExtraTetrahedraInAFlatSurfaceAreFewChanges) {
  // Elements at a plane are included or left out at random, as Delaunay refinement leaves them in thin walls.
  std::mt19937 random(7);
  CellComplex complex = block({6, 6, 6});
  fill(complex, [&](const Vec<3>& x) { return x[1] + 0.1 * (static_cast<double>(random() % 100) / 50.0 - 1.0) < 0.0; });
  const CellComplex before = complex;
  ASSERT_FALSE(defects_of(complex).is_manifold());
  mend_pinches(complex);
  EXPECT_EQ(count_pinches(complex) == 0, defects_of(complex).is_manifold());
  EXPECT_LT(count_pinches(complex), count_pinches(before) / 4 + 1);
}

TEST(Pinches, SameChangesTwice) {
  CellComplex one = block({4, 4, 4});
  fill(one, [](const Vec<3>& x) { return (x[0] < 0.0) == (x[2] < 0.0); });
  CellComplex two = one;
  EXPECT_EQ(mend_pinches(one), mend_pinches(two));
  EXPECT_EQ(one.is_solid, two.is_solid);
}

}  // namespace
}  // namespace clearance
