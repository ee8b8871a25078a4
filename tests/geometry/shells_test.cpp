#include "clearance/geometry/shells.h"

#include <gtest/gtest.h>

#include <random>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_mass.h"
#include "clearance/math/rotation.h"

namespace clearance {
namespace {

Mesh box(double size, const Vec<3>& center = Vec<3>::Zero()) {
  Mesh mesh = surface_of(make_box(Vec<3>::Constant(size), {1, 1, 1}));
  for (Vec<3>& v : mesh.vertices) v += center;
  return mesh;
}
Mesh corner(double scale, const Vec<3>& at) {
  Mesh mesh;
  mesh.vertices = {at, at + scale * Vec<3>::UnitX(), at + scale * Vec<3>::UnitY(), at + scale * Vec<3>::UnitZ()};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  return mesh;
}
Mesh mirrored(Mesh mesh) {
  for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  for (auto& edge : mesh.edges) std::swap(edge[0], edge[1]);
  return mesh;
}
Mesh joined(Mesh a, const Mesh& b) {
  const int first = static_cast<int>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& [p, q, r] : b.triangles) a.triangles.push_back({first + p, first + q, first + r});
  for (const auto& [p, q] : b.edges) a.edges.push_back({first + p, first + q});
  return a;
}

/// Returns the kinds `solid`, `cavity`, `nested`, ... in the order of the parts.
std::string kinds(const Mesh& mesh) {
  std::string text;
  for (const Shell<3>& shell : find_shells(mesh.vertices, mesh.triangles)) {
    const char* name = shell.is_inside_of_solid          ? "nested"
                       : shell.kind == ShellKind::solid  ? "solid"
                       : shell.kind == ShellKind::cavity ? "cavity"
                       : shell.kind == ShellKind::flat   ? "flat"
                                                         : "open";
    text += (text.empty() ? "" : " ") + std::string(name);
  }
  return text;
}
double volume(const Mesh& mesh) {
  return mass_of_mesh(mesh, 0.1).properties.measure;
}

TEST(Shells, MirroredPartWhoseBoxLiesInThatOfAnother_IsSolid) {
  const Mesh big = corner(1, Vec<3>::Zero()), small = corner(0.3, Vec<3>(0.6, 0.6, 0.6));
  for (const Mesh& both : {joined(big, mirrored(small)), joined(mirrored(small), big), joined(mirrored(big), small),
                           joined(mirrored(big), mirrored(small)), joined(big, small)}) {
    EXPECT_EQ(kinds(both), "solid solid");
    EXPECT_NEAR(volume(both), (1.0 + 0.027) / 6.0, 1e-15);
  }
}

TEST(Shells, PartTurnedAgainstTheSolidAroundIt_IsACavityAndOneInTheCavityIsSolid) {
  for (const bool is_inwards : {false, true}) {
    Mesh mesh = joined(joined(box(4), mirrored(box(2))), box(1));
    if (is_inwards) mesh = mirrored(mesh);
    EXPECT_EQ(kinds(mesh), "solid cavity solid");
    EXPECT_NEAR(volume(mesh), 64.0 - 8.0 + 1.0, 1e-12);
  }
  // A part in a cavity is solid, whichever way it is turned.
  EXPECT_EQ(kinds(joined(joined(box(4), mirrored(box(2))), mirrored(box(1)))), "solid cavity solid");
}

TEST(Shells, PartTurnedAsTheSolidAroundIt_CountsTwiceAndIsTold) {
  const Mesh mesh = joined(box(2), box(1, Vec<3>(0.2, 0, 0)));
  EXPECT_EQ(kinds(mesh), "solid nested");
  EXPECT_NEAR(volume(mesh), 9.0, 1e-13);
  EXPECT_EQ(mass_of_mesh(mesh, 0.1).num_nested, 1);
  EXPECT_EQ(mass_of_mesh(joined(box(2), box(1, Vec<3>(5, 0, 0))), 0.1).num_nested, 0);
}

TEST(Shells, CopyOfAPart_IsToldHoweverItsFacetsAreCutOrItsCornersRounded) {
  Mesh cut = box(2);
  const Mesh first = cut;
  // The other diagonal of every face: the opposite corners of the pairs of triangles that share one.
  std::vector<std::array<int, 3>> other;
  for (std::size_t a = 0; a < first.triangles.size(); ++a) {
    for (std::size_t b = a + 1; b < first.triangles.size(); ++b) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          const auto &s = first.triangles[a], &t = first.triangles[b];
          const auto at = [](const std::array<int, 3>& f, int k) { return f[k % 3]; };
          if (at(s, i + 1) != at(t, j + 2) || at(s, i + 2) != at(t, j + 1)) continue;
          const auto normal = [&](const std::array<int, 3>& f) {
            const auto x = [&](int k) { return first.vertices[at(f, k)]; };
            return Vec<3>((x(1) - x(0)).cross(x(2) - x(0)));
          };
          if (normal(s).cross(normal(t)).norm() > 0.0) continue;
          other.push_back({at(s, i), at(s, i + 1), at(t, j)});
          other.push_back({at(s, i), at(t, j), at(s, i + 2)});
        }
      }
    }
  }
  ASSERT_EQ(other.size(), 12u);
  cut.triangles = other;
  EXPECT_EQ(kinds(cut), "solid");
  EXPECT_NEAR(volume(cut), 8.0, 1e-14);
  Mesh on_the_same_vertices = first;
  on_the_same_vertices.triangles.insert(on_the_same_vertices.triangles.end(), other.begin(), other.end());
  EXPECT_EQ(kinds(on_the_same_vertices), "nested");
  EXPECT_EQ(kinds(joined(first, cut)), "solid nested");
  EXPECT_EQ(kinds(joined(first, mirrored(cut))), "solid nested");
  for (const double shift : {1e-15, 1e-12, -1e-10}) {
    Mesh moved = first;
    for (Vec<3>& v : moved.vertices) v += Vec<3>(shift, 0, 0);
    EXPECT_EQ(kinds(joined(first, moved)), "solid nested") << shift;
    EXPECT_EQ(kinds(joined(first, joined(moved, cut))), "solid nested nested") << shift;
  }
  // The two halves of a box along its diagonal have the same box and volume, and are no copies.
  Mesh half;
  half.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  half.triangles = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
  Mesh opposite = half;
  for (Vec<3>& v : opposite.vertices) v = Vec<3>(1 - v[0], 1 - v[1], v[2]);
  EXPECT_EQ(kinds(joined(half, opposite)), "solid solid");
  Mesh square = surface_of(make_rectangle(1, 1, 1, 1)), finer = surface_of(make_rectangle(1, 1, 2, 2));
  EXPECT_EQ(mass_of_mesh(joined(square, finer), 0.1).num_nested, 1);
}

TEST(Shells, PartsThatTouchAlongFacets_AddUpWhicheverWayTheyAreTurned) {
  for (const bool is_turned : {false, true}) {
    const Mesh beside = box(2, Vec<3>(2, 0, 0)), turned = is_turned ? mirrored(beside) : beside;
    for (const Mesh& both :
         {joined(box(2), turned), joined(turned, box(2)), joined(joined(box(2), turned), box(2, Vec<3>(0, 2, 0)))}) {
      EXPECT_NEAR(volume(both), static_cast<double>(both.vertices.size()), 1e-12) << "8 vertices and 8 m^3 a box";
      EXPECT_EQ(mass_of_mesh(both, 0.1).num_nested, 0);
      EXPECT_FALSE(mass_of_mesh(both, 0.1).has_thin_parts);
    }
  }
  // A sheet that ends on a solid does not open it.
  Mesh sheet;
  sheet.vertices = {{1, 1, 1}, {1, 1, -1}, {3, 1, 0}};
  sheet.triangles = {{0, 1, 2}};
  EXPECT_EQ(kinds(joined(box(2), sheet)), "solid open");
  Mesh square = surface_of(make_rectangle(1, 1, 1, 1)), beside = square;
  for (Vec<3>& v : beside.vertices) v[0] += 1.0;
  EXPECT_NEAR(mass_of_mesh(joined(square, mirrored(beside)), 0.1).properties.measure, 2.0, 1e-14);
}

TEST(Shells, CavityThatTouchesTheSurfaceAroundIt_IsACavity) {
  // The lower square of the small box lies in that of the large one, with all corners on its edges, faces and corners.
  EXPECT_EQ(kinds(joined(box(2), mirrored(box(1, Vec<3>(0, -0.5, 0))))), "solid cavity");
  // (With edges in common the two are one part.)
  EXPECT_NEAR(volume(joined(box(1, Vec<3>(0.5, 0.5, 0.5)), mirrored(corner(1, Vec<3>::Zero())))), 5.0 / 6.0, 1e-14);
  EXPECT_EQ(kinds(joined(box(1, Vec<3>(0.5, 0.5, 0.5)), mirrored(corner(0.5, Vec<3>(0, 0.25, 0.25))))), "solid cavity");
}

TEST(Shells, PartInTheHoleOfATorusOrTheNotchOfASolid_IsNoCavity) {
  const Mesh ring = surface_of(make_torus(1, 0.3, 24, 8));
  EXPECT_EQ(kinds(joined(ring, mirrored(box(0.3)))), "solid solid");
  const Mesh blocks = surface_of(
      make_blocks({{Vec<3>(0, 0, 0), Vec<3>(2, 1, 1)}, {Vec<3>(0, 1, 0), Vec<3>(1, 2, 1)}}, {1, 1, 1}).value());
  const BoundingBox bounds = bounding_box(blocks.vertices);
  const Vec<3> notch = bounds.min + Vec<3>(1.5, 1.5, 0.5);
  EXPECT_EQ(kinds(joined(blocks, mirrored(box(0.5, notch)))), "solid solid");
}

TEST(Shells, SmallPartsAtRandomPlaces_AreWhatAnExactTestOfTheirPlaceSays) {
  std::mt19937_64 rng(5);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  int num_inside = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vec<3> at(unit(rng), unit(rng), unit(rng));
    const Mat<3> turn = rotation_from_euler_xyz(360.0 * Vec<3>(unit(rng), unit(rng), unit(rng)));
    Mesh mesh = joined(corner(1, Vec<3>::Zero()), mirrored(corner(0.02, at)));
    const bool is_inside = at.sum()<1.0 - 0.02, is_outside = at.sum()> 1.0;
    if (!is_inside && !is_outside) continue;
    num_inside += is_inside ? 1 : 0;
    for (Vec<3>& v : mesh.vertices) v = turn * v + Vec<3>(7, 8, 9);
    EXPECT_EQ(kinds(mesh), is_inside ? "solid cavity" : "solid solid") << at.transpose();
  }
  EXPECT_GT(num_inside, 20);
}

TEST(Shells, OpenAndFlatParts_EncloseNothing) {
  Mesh open = box(1);
  open.triangles.pop_back();
  EXPECT_EQ(kinds(joined(box(3), open)), "solid open");
  const Mesh sheet = make_sheet(1, 1, 1, 1);
  EXPECT_EQ(kinds(joined(sheet, mirrored(sheet))), "flat");
  EXPECT_EQ(outward_signs(open.vertices, open.triangles), std::vector<signed char>(11, 0));
}

TEST(Shells, SignsTellForEveryFacetWhetherItPointsOutOfTheMaterial) {
  Mesh mesh = joined(joined(box(4), mirrored(box(2))), mirrored(box(1, Vec<3>(9, 0, 0))));
  mesh.triangles[0] = {mesh.triangles[0][1], mesh.triangles[0][0], mesh.triangles[0][2]};
  std::swap(mesh.triangles[5][0], mesh.triangles[5][1]);
  std::vector<signed char> expected(36, 1);
  expected[0] = expected[5] = -1;
  for (std::size_t t = 24; t < 36; ++t) expected[t] = -1;
  EXPECT_EQ(outward_signs(mesh.vertices, mesh.triangles), expected);
}

TEST(Shells, OutlinesOfThePlane_AreDecidedAlike) {
  const auto square = [](double size, const Vec<3>& center) {
    Mesh mesh = surface_of(make_rectangle(size, size, 1, 1));
    for (Vec<3>& v : mesh.vertices) v += center;
    return mesh;
  };
  Mesh angle;  // an L, whose box holds the notch
  angle.dim = 2;
  angle.vertices = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
  angle.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}};
  Mesh beside = joined(angle, mirrored(square(0.5, Vec<3>(2, 2, 0))));
  EXPECT_NEAR(volume(beside), 5.25, 1e-14);
  EXPECT_EQ(outward_signs(beside.vertices, beside.edges), (std::vector<signed char>{1, 1, 1, 1, 1, 1, -1, -1, -1, -1}));
  EXPECT_NEAR(volume(joined(angle, mirrored(square(0.5, Vec<3>(0.5, 2, 0))))), 4.75, 1e-14);
}

}  // namespace
}  // namespace clearance
