#include "clearance/meshing/surface_defects.h"

#include <gtest/gtest.h>

#include "meshing/surfaces.h"

namespace clearance {
namespace {

using namespace test;

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(SurfaceDefects, GoodSurfacesHaveNone) {
  EXPECT_EQ(describe_surface_defects(box_surface({1, 2, 3})), "");
  EXPECT_EQ(describe_surface_defects(sphere_surface(1.0, 4)), "");
}

TEST(SurfaceDefects, EachIsNamedWithItsPlace) {
  const Mesh box = box_surface({1, 1, 1});
  EXPECT_TRUE(has(describe_surface_defects(with_hole(box)), "3 open edges, the first at ("));
  EXPECT_TRUE(has(describe_surface_defects(with_turned(box, 100)), "3 edges whose triangles look to different sides"));
  EXPECT_TRUE(has(describe_surface_defects(joined(box, moved(box, {0.5, 0.4, 0.3}))), "intersections, the first at ("));
  EXPECT_TRUE(has(describe_surface_defects(with_loose_triangle(box)), "open edges"));
}

TEST(SurfaceDefects, TriangleFoldedOntoItsNeighbourIsAnIntersection) {
  Mesh folded;
  folded.vertices = {{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}, {0.7, 0.8, 0}};
  folded.triangles = {{0, 1, 2}, {1, 0, 3}};
  EXPECT_EQ(find_self_intersections(folded).count, 1);
  folded.vertices[3] = {0.7, -0.8, 0};
  EXPECT_EQ(find_self_intersections(folded).count, 0);
  folded.vertices[3] = {0.7, 0.8, 1e-9};
  EXPECT_EQ(find_self_intersections(folded).count, 0);
}

TEST(SurfaceDefects, OutlinesAreClosedAndDoNotCross) {
  Mesh outline;
  outline.dim = 2;
  outline.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  outline.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  EXPECT_EQ(describe_outline_defects(outline), "");
  outline.edges.pop_back();
  EXPECT_TRUE(has(describe_outline_defects(outline), "2 open ends, the first at (0, 0, 0)"));
  outline.edges = {{0, 2}, {2, 1}, {1, 3}, {3, 0}};
  EXPECT_TRUE(has(describe_outline_defects(outline), "1 crossing"));
}

}  // namespace
}  // namespace clearance
