#include "clearance/meshing/volume_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "clearance/base/parallel.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/meshing/mesh_program.h"
#include "clearance/meshing/mesh_quality.h"
#include "clearance/meshing/surface_defects.h"
#include "meshing/surfaces.h"

namespace clearance {
namespace {

using namespace test;

class VolumeMeshing : public testing::Test {
 protected:
  void SetUp() override {
    if (find_mesh_program().empty()) GTEST_SKIP() << "clearance-mesh is not built: CGAL is missing";
  }

  /// Expects the properties of every mesh. `smallest_angle` [deg]: thin walls force flatter elements.
  static void expect_good(const VolumeMesh& made, double smallest_angle = 5.0) {
    EXPECT_EQ(num_inverted(made.mesh), 0);
    Mesh surface;
    surface.vertices = made.mesh.vertices;
    surface.triangles = boundary_triangles(made.mesh.tets);
    EXPECT_EQ(describe_surface_defects(surface), "");
    EXPECT_GT(made.report.smallest_angle, smallest_angle);
    EXPECT_NEAR(made.report.volume, volume_inside(surface), 1e-9 * made.report.volume);
  }
  static VolumeMesh make(const Mesh& surface, double edge_length) {
    Result<VolumeMesh> made = make_volume_mesh(surface, {edge_length});
    if (made) return std::move(made).value();
    ADD_FAILURE() << to_string(made.issues().front());
    return {};
  }
};

TEST_F(VolumeMeshing, BoxKeepsItsEdgesAndVolume) {
  const VolumeMesh made = make(box_surface({1.0, 0.6, 0.4}), 0.2);
  expect_good(made);
  EXPECT_NEAR(made.report.volume, 0.24, 1e-3 * 0.24);
  EXPECT_LE(made.report.deviation(), 0.02 * 0.2);
  EXPECT_FALSE(made.report.was_wrapped);
  EXPECT_EQ(made.report.repairs, "");
}

TEST_F(VolumeMeshing, SphereHasItsVolumeUpToTheDeviation) {
  const Mesh sphere = sphere_surface(0.5, 6);
  const VolumeMesh made = make(sphere, 0.2);
  expect_good(made);
  const double area = std::numbers::pi;
  EXPECT_NEAR(made.report.volume, volume_inside(sphere), area * made.report.deviation());
  EXPECT_NEAR(made.report.given_volume, volume_inside(sphere), 1e-12);
  EXPECT_LE(made.report.deviation(), 0.1 * 0.2);
}

TEST_F(VolumeMeshing, CavitiesAndSeparatePartsStay) {
  const Mesh hollow = joined(box_surface({1, 1, 1}), box_surface({0.4, 0.4, 0.4}));
  const VolumeMesh made = make(joined(hollow, moved(box_surface({0.5, 0.5, 0.5}), {1.2, 0, 0})), 0.25);
  expect_good(made);
  EXPECT_NEAR(made.report.volume, 1.0 - 0.064 + 0.125, 2e-3);
}

TEST_F(VolumeMeshing, ThinPlateIsFilledWithShorterEdgesIfNeeded) {
  const VolumeMesh made = make(box_surface({1.0, 0.05, 0.8}), 0.2);
  expect_good(made);
  EXPECT_NEAR(made.report.volume, 0.04, 1e-3 * 0.04);
}

TEST_F(VolumeMeshing, SameBytesTwiceAndWithAnyNumberOfThreads) {
  const Mesh sphere = sphere_surface(0.5, 4);
  const VolumeMesh first = make(sphere, 0.25), second = make(sphere, 0.25);
  const ThreadLimit limit(1);
  const VolumeMesh third = make(sphere, 0.25);
  for (const VolumeMesh& other : {second, third}) {
    EXPECT_EQ(first.mesh.vertices, other.mesh.vertices);
    EXPECT_EQ(first.mesh.tets, other.mesh.tets);
    EXPECT_EQ(first.report.deviation(), other.report.deviation());
  }
}

TEST_F(VolumeMeshing, CornersOfAnStlAndTurnedTrianglesAreRepaired) {
  const Mesh box = box_surface({1, 1, 1});
  const VolumeMesh made = make(as_soup(with_turned(box, 3)), 0.4);
  expect_good(made);
  EXPECT_FALSE(made.report.was_wrapped);
  EXPECT_NE(made.report.repairs.find("28 vertices welded"), std::string::npos) << made.report.repairs;
  EXPECT_NE(made.report.repairs.find("4 triangles turned"), std::string::npos) << made.report.repairs;
}

TEST_F(VolumeMeshing, BrokenSurfacesAreWrappedAndSaySo) {
  const Mesh box = box_surface({1, 1, 1}), fine = surface_of(make_box({1, 1, 1}, {4, 4, 4}));
  const struct {
    const char* name;
    Mesh surface;
    double volume;
    double deviation;  ///< of the mesh from the surface
    bool is_wrapped;
  } cases[] = {
      {"hole", with_hole(fine), 1.0, 0.1, false},
      {"hole and intersection", with_hole(joined(box, moved(fine, {0.5, 0.25, 0.25}))), 2.0 - 0.5 * 0.75 * 0.75, 0.1,
       true},
      {"intersection", joined(box, moved(box, {0.5, 0.25, 0.25})), 2.0 - 0.5 * 0.75 * 0.75, 0.1, true},
      {"loose triangle", with_loose_triangle(box), 1.0, 0.1, true},
  };
  for (const auto& broken : cases) {
    SCOPED_TRACE(broken.name);
    const VolumeMesh made = make(broken.surface, 0.2);
    expect_good(made);
    EXPECT_EQ(made.report.was_wrapped, broken.is_wrapped);
    EXPECT_NE(made.report.defects, "");
    EXPECT_NEAR(made.report.volume, broken.volume, 0.12 * broken.volume);
    EXPECT_LE(made.report.farthest_of_mesh, broken.deviation);
  }
}

/// Returns a tube along z; without `inner`, a rod.
Mesh tube(double outer, double inner, double length, int sides) {
  Mesh mesh;
  for (const double radius : {outer, inner}) {
    for (const double z : {0.0, length}) {
      for (int i = 0; i < sides; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / sides;
        mesh.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
      }
    }
  }
  // Rings of vertices: outer below and above, inner below and above.
  const auto join = [&](int from, int to) {
    for (int i = 0; i < sides; ++i) {
      const int j = (i + 1) % sides;
      mesh.triangles.push_back({from * sides + i, from * sides + j, to * sides + j});
      mesh.triangles.push_back({from * sides + i, to * sides + j, to * sides + i});
    }
  };
  join(0, 1);
  join(1, 3);
  join(3, 2);
  join(2, 0);
  return mesh;
}

TEST_F(VolumeMeshing, JunctionsAreClosedWithoutAWrap) {
  Mesh box = box_surface({1, 1, 1});
  const auto [a, b, c] = box.triangles[4];
  const auto at = [&](int v) { return box.vertices[v]; };
  const Vec<3> first = at(a) + 0.25 * (at(b) - at(a)), second = at(a) + 0.75 * (at(b) - at(a));
  box.vertices.push_back(first);
  box.vertices.push_back(second);
  box.triangles[4] = {a, 8, c};
  box.triangles.push_back({8, 9, c});
  box.triangles.push_back({9, b, c});
  const VolumeMesh made = make(box, 0.25);
  expect_good(made);
  EXPECT_FALSE(made.report.was_wrapped);
  EXPECT_EQ(made.report.defects, "");
  EXPECT_NEAR(made.report.volume, 1.0, 1e-12);
  EXPECT_EQ(made.report.repairs, "1 edge split at vertices of other triangles in them");
}

TEST_F(VolumeMeshing, WallsThinnerThanEdgesKeepTheirVolume) {
  const struct {
    const char* name;
    Mesh surface;
  } cases[] = {
      {"tube", tube(0.05, 0.042, 0.6, 24)},
      {"ring", tube(0.3, 0.27, 0.03, 48)},
      {"plate", box_surface({1.0, 0.02, 0.6})},
      // (The inner box, turned inwards, is a cavity.)
      {"box with a thin floor",
       joined(box_surface({1, 1, 1}), moved(with_turned(box_surface({0.9, 0.93, 0.9}), 1), {0, 0.02, 0}))},
      {"bar", box_surface({0.02, 1.0, 0.03})},
  };
  for (const auto& thin : cases) {
    SCOPED_TRACE(thin.name);
    const VolumeMesh made = make(thin.surface, default_edge_length(thin.surface));
    expect_good(made, 3.0);
    EXPECT_NEAR(made.report.volume, volume_inside(thin.surface), 0.01 * volume_inside(thin.surface));
  }
}

TEST_F(VolumeMeshing, HolesSmallerThanEdgesStayRound) {
  // Chords of the edge length would turn the hole into a hexagon.
  const Mesh surface = tube(0.5, 0.12, 0.1, 64);
  const VolumeMesh made = make(surface, 0.12);
  expect_good(made);
  EXPECT_NEAR(made.report.volume, volume_inside(surface), 0.01 * volume_inside(surface));
}

TEST_F(VolumeMeshing, TrianglesThatEncloseNothingAreRefused) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(0.0, 1.0);
  Mesh soup;
  for (int t = 0; t < 60; ++t) {
    for (int k = 0; k < 3; ++k) soup.vertices.emplace_back(place(random), place(random), place(random));
    soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  const Result<VolumeMesh> made = make_volume_mesh(soup, {});
  ASSERT_FALSE(made);
  EXPECT_NE(to_string(made.issues().front()).find("these triangles do not enclose a volume"), std::string::npos)
      << to_string(made.issues().front());
}

TEST_F(VolumeMeshing, OutlinesBecomeTrianglesWithTheirHoles) {
  const auto outline_of = [](const Mesh& solid) {
    Mesh outline;
    outline.dim = 2;
    outline.vertices = solid.vertices;
    outline.edges = boundary_edges(solid.triangles);
    return outline;
  };
  Mesh outline = joined(outline_of(make_rectangle(1.0, 0.5, 1, 1)), outline_of(make_rectangle(0.2, 0.2, 1, 1)));
  outline.dim = 2;
  const VolumeMesh made = make(outline, 0.1);
  EXPECT_EQ(made.mesh.dim, 2);
  EXPECT_EQ(num_inverted(made.mesh), 0);
  EXPECT_NEAR(made.report.volume, 0.5 - 0.04, 1e-12);
  EXPECT_GT(made.report.smallest_angle, 20.0);
  EXPECT_LE(made.report.deviation(), 0.02 * 0.1);
}

TEST(VolumeMesh, RefusesWhatIsNoBareSurface) {
  const auto message_of = [](const Mesh& mesh, double edge_length) {
    const Result<VolumeMesh> made = make_volume_mesh(mesh, {edge_length});
    return made ? std::string() : to_string(made.issues().front());
  };
  EXPECT_EQ(message_of(make_box({1, 1, 1}, {1, 1, 1}), 0.5),
            "the mesh is not a bare surface, because it already has elements (got 6 tetrahedra)");
  EXPECT_EQ(message_of(Mesh{}, 0.5),
            "the mesh has no triangles that could be a surface; outlines are only filled in 2D");
  EXPECT_EQ(message_of(make_sheet(1, 1, 2, 2), 0.5), "the surface is flat and does not enclose a volume");
  EXPECT_NE(message_of(box_surface({1, 1, 1}), 1e-4).find("this edge length would make up to"), std::string::npos);
  EXPECT_NE(message_of(box_surface({1, 1, 1}), 3.0).find("exceeds the size of the whole body, 1.732 m"),
            std::string::npos);
  Mesh open;
  open.dim = 2;
  open.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
  open.edges = {{0, 1}, {1, 2}};
  EXPECT_NE(message_of(open, 0.5).find("the outline has 2 open ends, the first at (0, 0, 0)"), std::string::npos);
}

}  // namespace
}  // namespace clearance
