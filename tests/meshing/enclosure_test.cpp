#include "clearance/meshing/enclosure.h"

#include <gtest/gtest.h>

#include <random>

#include "meshing/surfaces.h"

namespace clearance {
namespace {

using namespace test;

TEST(Enclosure, ClosedSurfacesAreCrossedTwiceWhicheverWayTheyAreTurned) {
  const Mesh box = box_surface({1, 2, 3}), sphere = sphere_surface(1.0, 4);
  for (const Mesh& mesh : {box, sphere, with_turned(box, 3), as_soup(sphere), joined(box, sphere),
                           joined(sphere, moved(sphere, {0.5, 0.1, 0.2}))}) {
    EXPECT_GE(enclosing_share(mesh), 0.99);
  }
}

TEST(Enclosure, SmallHolesAndLooseTrianglesChangeLittle) {
  EXPECT_GE(enclosing_share(with_hole(sphere_surface(1.0, 4))), 0.95);
  EXPECT_GE(enclosing_share(with_loose_triangle(box_surface({1, 1, 1}))), 0.9);
}

TEST(Enclosure, SheetsEncloseNothing) {
  EXPECT_EQ(enclosing_share(make_sheet(1, 1, 3, 3)), 0.0);
  EXPECT_EQ(enclosing_share(Mesh{}), 0.0);
}

TEST(Enclosure, TrianglesAtRandomEncloseHalf) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> place(0.0, 1.0);
    Mesh soup;
    for (int t = 0; t < 100; ++t) {
      for (int k = 0; k < 3; ++k) soup.vertices.emplace_back(place(random), place(random), place(random));
      soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    EXPECT_NEAR(enclosing_share(soup), 0.5, 0.14) << seed;
  }
}

}  // namespace
}  // namespace clearance
