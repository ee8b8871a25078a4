#include "clearance/meshing/flat_tetrahedra.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "meshing/surfaces.h"

namespace clearance {
namespace {

/// Returns the vertices of the two triangles of the top of a box, those of their common edge first.
std::array<int, 4> top_of(const Mesh& box) {
  std::vector<std::array<int, 3>> top;
  for (const auto& t : boundary_triangles(box.tets)) {
    const auto is_up = [&](int v) { return box.vertices[v][1] > 0.4; };
    if (std::all_of(t.begin(), t.end(), is_up)) top.push_back(t);
  }
  std::vector<int> common, others;
  for (const int v : top.at(0)) {
    (std::find(top[1].begin(), top[1].end(), v) != top[1].end() ? common : others).push_back(v);
  }
  for (const int v : top[1]) {
    if (std::find(top[0].begin(), top[0].end(), v) == top[0].end()) others.push_back(v);
  }
  return {common[0], common[1], others[0], others[1]};
}

TEST(FlatTetrahedra, OnTheSurfaceAreTakenOff) {
  const Mesh box = make_box({1, 1, 1}, {1, 1, 1});
  Mesh mesh = box;
  mesh.tets.insert(mesh.tets.begin() + 2, top_of(box));
  take_off_flat_tetrahedra(1.0, mesh);
  EXPECT_EQ(mesh.tets, box.tets);
}

TEST(FlatTetrahedra, GoodOnesAndThoseInsideStay) {
  Mesh box = make_box({1, 1, 1}, {2, 2, 2});
  const auto tets = box.tets;
  take_off_flat_tetrahedra(1.0, box);
  EXPECT_EQ(box.tets, tets);
  // A lone flat tetrahedron shows four faces.
  Mesh lone;
  lone.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-6}};
  lone.tets = {{0, 1, 2, 3}};
  take_off_flat_tetrahedra(1.0, lone);
  EXPECT_EQ(lone.tets.size(), 1U);
}

}  // namespace
}  // namespace clearance
