// Curved elements made of a bare surface.
#include "clearance/meshing/curved_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "clearance/geometry/curved_boundary.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/curved_volume.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/meshing/blunt_tetrahedra.h"
#include "clearance/meshing/mesh_program.h"
#include "clearance/meshing/sharp_curves.h"
#include "clearance/meshing/surface_defects.h"
#include "clearance/meshing/volume_mesh.h"
#include "meshing/surfaces.h"
#include "support/paths.h"

namespace clearance {
namespace {

using namespace test;

class CurvedMeshing : public testing::Test {
 protected:
  void SetUp() override {
    if (find_mesh_program().empty()) GTEST_SKIP() << "clearance-mesh is not built: CGAL is missing";
  }
  static VolumeMesh make(const Mesh& surface, const VolumeMeshOptions& options) {
    Result<VolumeMesh> made = make_volume_mesh(surface, options);
    if (made) return std::move(made).value();
    ADD_FAILURE() << to_string(made.issues().front());
    return {};
  }
  static std::string refusal_of(const Mesh& surface, const VolumeMeshOptions& options) {
    const Result<VolumeMesh> made = make_volume_mesh(surface, options);
    return made ? "" : to_string(made.issues().front());
  }
  /// Expects elements that are valid everywhere, and a boundary that does not meet itself.
  static void expect_valid(const Mesh& mesh) {
    const CurvedVolume<3> volume(mesh.order_of_cell(0));
    for (std::size_t cell = 0; cell < mesh.tets.size(); ++cell) {
      std::vector<double> x;
      for (const int v : mesh.nodes_of_cell(cell)) {
        for (const double number : mesh.vertices[v]) x.push_back(number);
      }
      EXPECT_TRUE(volume.is_valid(x)) << cell;
    }
    Mesh surface;
    surface.vertices = mesh.vertices;
    surface.triangles = boundary_triangles(mesh);
    EXPECT_EQ(describe_surface_defects(surface), "");
  }
  static Vertices points_of_boundary(const Mesh& mesh) {
    return cut_boundary_faces(mesh, [](std::size_t) { return 8; }).places(mesh);
  }
};

/// Largest error of the radius of a unit ball.
double radius_error(const Vertices& points) {
  double largest = 0.0;
  for (const Vec<3>& x : points) largest = std::max(largest, std::abs(x.norm() - 1.0));
  return largest;
}

TEST_F(CurvedMeshing, BallsGetRounderByThePowerOfTheOrderPlusOne) {
  const Mesh sphere = sphere_surface(1.0, 40);  // its vertices are exact, its triangles off by 1e-4
  for (const int order : {2, 3}) {
    const VolumeMesh coarse = make(sphere, {1.0, order}), fine = make(sphere, {0.5, order});
    expect_valid(coarse.mesh);
    expect_valid(fine.mesh);
    EXPECT_EQ(fine.report.curving->num_held, 0);
    const double size_ratio = std::cbrt(1.0 * fine.mesh.tets.size() / coarse.mesh.tets.size());
    const double rate =
        std::log(radius_error(points_of_boundary(coarse.mesh)) / radius_error(points_of_boundary(fine.mesh))) /
        std::log(size_ratio);
    EXPECT_GT(rate, order + 0.6);
    // The straight elements lack 9 % of the volume.
    const double volume = 4.0 / 3.0 * std::numbers::pi;
    EXPECT_NEAR(fine.report.volume, volume, 2e-3 * volume);
    EXPECT_LT(fine.report.curving->straight_volume, 0.95 * volume);
    EXPECT_LT(fine.report.deviation(), 0.05 * fine.report.curving->straight_deviation);
  }
}

/// Edges were made shorter ten times, for hours: the ball is made of facets, which no element can be closer to.
TEST_F(CurvedMeshing, TolerancesFinerThanTheFacetsAreRefusedWithTheReachableOne) {
  const Mesh sphere = sphere_surface(1.0, 12);
  const std::string refusal = refusal_of(sphere, {{}, 2, 1e-5});
  EXPECT_NE(refusal.find("up to its own facets"), std::string::npos) << refusal;
  const std::string words = "a tolerance of at least ";
  const std::size_t at = refusal.find(words);
  ASSERT_NE(at, std::string::npos) << refusal;
  const double reachable = std::stod(refusal.substr(at + words.size()));
  const VolumeMesh made = make(sphere, {{}, 2, reachable});
  EXPECT_LE(made.report.deviation(), reachable * bounding_box(sphere.vertices).diagonal());
}

TEST_F(CurvedMeshing, CylindersKeepTheirRimsAndCaps) {
  const Mesh cylinder = surface_of(make_cylinder(0.5, 1.0, 16, 8));
  const VolumeMesh made = make(cylinder, {0.35, 3});
  expect_valid(made.mesh);
  EXPECT_NEAR(made.report.volume, made.report.given_volume, 1e-3 * made.report.given_volume);
  // Each point of the boundary is on a cap, or on the side; the input is a polygon of 96 sides.
  double off = 0.0;
  for (const Vec<3>& x : points_of_boundary(made.mesh)) {
    const double from_side = std::abs(std::hypot(x[0], x[2]) - 0.5), from_cap = std::abs(std::abs(x[1]) - 0.5);
    off = std::max(off, std::min(from_side, from_cap));
  }
  EXPECT_LT(off, 2e-3);
  EXPECT_LT(made.report.deviation(), 2e-3);
}

TEST_F(CurvedMeshing, BoxesStayExact) {
  const VolumeMesh made = make(box_surface({1.0, 0.6, 0.4}), {0.3, 2});
  expect_valid(made.mesh);
  EXPECT_NEAR(made.report.volume, 0.24, 1e-12);
  EXPECT_LT(made.report.deviation(), 1e-12);
  EXPECT_NEAR(made.report.curving->flattest, 1.0, 1e-9);
}

TEST_F(CurvedMeshing, ToleranceIsMetByFewerElementsOfHigherOrder) {
  const Mesh sphere = sphere_surface(1.0, 24);
  std::size_t previous = 1'000'000;
  for (const int order : {1, 2}) {
    const VolumeMesh made = make(sphere, {std::nullopt, order, 0.01});
    EXPECT_LE(made.report.deviation(), 0.01 * bounding_box(sphere.vertices).diagonal());
    EXPECT_LT(made.mesh.tets.size(), previous / 3);
    previous = made.mesh.tets.size();
  }
}

TEST_F(CurvedMeshing, BentTubeIsValidWhereItIsThinAndCoarse) {
  const VolumeMesh made = make(surface_of(make_torus(1.0, 0.3, 48, 16)), {0.7, 3});
  expect_valid(made.mesh);
  EXPECT_GT(made.report.curving->num_held, 0);
  EXPECT_GE(made.report.curving->flattest, 0.05);
  EXPECT_GT(made.report.volume, made.report.curving->straight_volume);
}

TEST_F(CurvedMeshing, SameBitsTwice) {
  const Mesh sphere = sphere_surface(1.0, 12);
  const VolumeMesh first = make(sphere, {0.8, 3}), second = make(sphere, {0.8, 3});
  EXPECT_EQ(first.mesh.vertices, second.mesh.vertices);
  EXPECT_EQ(first.mesh.cell_nodes, second.mesh.cell_nodes);
}

TEST_F(CurvedMeshing, PublishedOloidKeepsItsCurvedEdges) {
  const auto path = peer_data() / "rigid-ipc/meshes/oloid.obj";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Result<Mesh> oloid = read_mesh(path);
  ASSERT_TRUE(oloid);
  const VolumeMesh made = make(*oloid, {std::nullopt, 2, 0.005});
  expect_valid(made.mesh);
  EXPECT_LT(made.report.deviation(), 0.25 * made.report.curving->straight_deviation);
  const double given = made.report.given_volume;
  EXPECT_NEAR(made.report.volume, given, 0.005 * given);
  EXPECT_LT(made.report.curving->straight_volume, 0.95 * given);
}

TEST_F(CurvedMeshing, BadInputIsToldBeforeAnythingIsMade) {
  const Mesh box = box_surface({1.0, 1.0, 1.0});
  EXPECT_NE(refusal_of(box, {0.3, 5}).find("expected an order from 1 to 4 (got 5)"), std::string::npos)
      << refusal_of(box, {0.3, 5});
  EXPECT_NE(refusal_of(box, {std::nullopt, 2, 0.0}).find("expected a tolerance above 0"), std::string::npos);
  EXPECT_NE(refusal_of(with_hole(box), {0.3, 2}).find("expected a closed surface without intersections"),
            std::string::npos);
  EXPECT_NE(refusal_of(joined(box, moved(box, {0.5, 0.5, 0.5})), {0.3, 2}).find("intersect"), std::string::npos);
}

TEST(SharpCurves, BoxHasTwelveCurvesAndSixPatches) {
  const SharpCurves sharp = find_sharp_curves(surface_of(make_box({1, 2, 3}, {2, 3, 4})), 40.0);
  EXPECT_EQ(sharp.curves.size(), 12U);
  EXPECT_EQ(*std::max_element(sharp.patches.begin(), sharp.patches.end()), 5);
  double length = 0.0;
  for (const SharpCurve& curve : sharp.curves) length += curve.length();
  EXPECT_NEAR(length, 4.0 * (1 + 2 + 3), 1e-12);
}

TEST(SharpCurves, RimsOfACylinderAreLoops) {
  const SharpCurves sharp = find_sharp_curves(surface_of(make_cylinder(0.5, 1.0, 8, 4)), 40.0);
  ASSERT_EQ(sharp.curves.size(), 2U);
  for (const SharpCurve& curve : sharp.curves) {
    EXPECT_TRUE(curve.is_closed);
    EXPECT_NEAR(curve.length(), std::numbers::pi, 0.01);
    // A loop goes on beyond its end.
    EXPECT_LT((curve.at(1.25 * curve.length()) - curve.at(0.25 * curve.length())).norm(), 1e-12);
  }
}

TEST(BluntTetrahedra, NoElementKeepsTwoSmoothFaces) {
  Mesh mesh = make_sphere(1.0, 3);
  const Triangles before = boundary_triangles(mesh.tets);
  const double volume = mass_properties_of_tets(mesh.vertices, mesh.tets).measure;
  // Make elements with two and three faces on the boundary.
  mesh.tets.erase(mesh.tets.begin(), mesh.tets.begin() + 7);
  const double rest = mass_properties_of_tets(mesh.vertices, mesh.tets).measure;
  split_blunt_tetrahedra([](const std::array<int, 2>&) { return false; }, mesh);
  EXPECT_LT(rest, volume);
  EXPECT_NEAR(mass_properties_of_tets(mesh.vertices, mesh.tets).measure, rest, 1e-12);
  std::vector<int> faces(mesh.tets.size(), 0);
  for (const ElementFace& face : find_boundary_faces(mesh)) ++faces[face.cell];
  EXPECT_EQ(*std::max_element(faces.begin(), faces.end()), 1);
}

}  // namespace
}  // namespace clearance
