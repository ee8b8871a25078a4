// Unions of boxes: exact volumes, manifold surfaces, and an error wherever the union is no solid.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "clearance/geometry/brick.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh_checks.h"

namespace clearance {
namespace {

using Corners = std::array<Vec<3>, 2>;
using Blocks = std::vector<Corners>;

Corners box(double x0, double y0, double z0, double x1, double y1, double z1) {
  return {Vec<3>(x0, y0, z0), Vec<3>(x1, y1, z1)};
}

/// Two towers on a base.
Blocks towers() {
  return {box(0, 0, 0, 2, 0.5, 1), box(0, 0.5, 0, 0.5, 2, 1), box(1.5, 0.25, 0, 2, 2, 1)};
}

/// Returns the volume; it first sums six times the volumes, which are exact for dyadic corners.
double volume(const Mesh& mesh) {
  double sum = 0.0;
  for (const auto& [a, b, c, d] : mesh.tets) {
    const auto at = [&](int v) { return mesh.vertices[v]; };
    sum += cross_product(at(b) - at(a), at(c) - at(a)).dot(at(d) - at(a));
  }
  return sum / 6.0;
}

void expect_solid(const Mesh& mesh, double exact_volume, int euler) {
  EXPECT_TRUE(find_element_defects(mesh).empty());
  EXPECT_EQ(volume(mesh), exact_volume);
  const Triangles surface = boundary_triangles(mesh.tets);
  EXPECT_TRUE(is_closed_manifold(surface));
  EXPECT_EQ(euler_characteristic(surface), euler);
  EXPECT_NEAR(mass_properties_of_solid(mesh.vertices, surface).measure, exact_volume, 1e-12 * exact_volume);
  const std::vector<int> component = connected_components(mesh);
  EXPECT_EQ(*std::max_element(component.begin(), component.end()), 0);
}

Mesh mesh_of(const Blocks& blocks, const Vec<3>& max_cell) {
  Result<Mesh> mesh = make_blocks(blocks, max_cell);
  for (const Issue& issue : mesh.issues()) ADD_FAILURE() << to_string(issue);
  return mesh ? std::move(mesh).value() : Mesh{};
}

std::vector<std::string> problems(const Blocks& blocks) {
  const Result<Mesh> mesh = make_blocks(blocks, Vec<3>::Ones());
  std::vector<std::string> lines;
  for (const Issue& issue : mesh.issues()) lines.push_back(to_string(issue));
  return lines;
}
using Lines = std::vector<std::string>;

TEST(Blocks, VolumeIsExactlyThatOfTheUnion) {
  for (const double cell : {4.0, 0.5, 0.125}) {
    const Vec<3> cells(cell, cell, 2.0 * cell);
    expect_solid(mesh_of({box(-1, 0, 0, 1, 2, 3)}, cells), 12.0, 2);
    // One box is inside another, and two overlap in a corner.
    expect_solid(mesh_of({box(0, 0, 0, 2, 2, 2), box(0.5, 0.5, 0.5, 1, 1, 1)}, cells), 8.0, 2);
    expect_solid(mesh_of({box(0, 0, 0, 1, 1, 1), box(0.5, 0.5, 0.5, 2, 2, 2)}, cells), 1.0 + 3.375 - 0.125, 2);
    expect_solid(mesh_of(towers(), cells), 2.5, 2);
    // A sail is thin against its ship.
    expect_solid(mesh_of({box(0, 0, 0, 2, 0.5, 1), box(1, 0.5, 0, 1.0078125, 2.5, 1)}, cells), 1.0 + 2.0 / 128.0, 2);
  }
}

TEST(Blocks, HolesAndHollowsGiveTheirTopology) {
  // A ring has genus 1. A closed shell has two spheres.
  const Blocks ring = {box(0, 0, 0, 3, 1, 1), box(0, 0, 2, 3, 1, 3), box(0, 0, 0, 1, 1, 3), box(2, 0, 0, 3, 1, 3)};
  expect_solid(mesh_of(ring, Vec<3>::Constant(1.0)), 8.0, 0);
  Blocks shell = {box(0, 0, 0, 3, 1, 3), box(0, 2, 0, 3, 3, 3)};
  for (const Corners& side : ring) shell.push_back(box(side[0][0], 0, side[0][2], side[1][0], 3, side[1][2]));
  expect_solid(mesh_of(shell, Vec<3>::Constant(0.5)), 26.0, 4);
}

TEST(Blocks, NoCellIsLongerThanAsked) {
  const Mesh mesh = mesh_of(towers(), Vec<3>(0.3, 0.2, 0.7));
  Vec<3> longest = Vec<3>::Zero();
  for (const auto& tet : mesh.tets) {
    for (const int a : tet) {
      for (const int b : tet) {
        const auto at = [&](int v) { return mesh.vertices[v]; };
        longest = longest.cwiseMax(at(a) - at(b));
      }
    }
  }
  EXPECT_LE(longest[0], 0.3);
  EXPECT_LE(longest[1], 0.2);
  EXPECT_LE(longest[2], 0.7);
  // A multiple up to rounding is a multiple.
  EXPECT_EQ(mesh_of({box(0, 0, 0, 0.3, 1, 1)}, Vec<3>(0.1, 1, 1)).tets.size(), 18u);
}

TEST(Blocks, FacesThatDifferByRoundingAreOne) {
  const double sum = 0.1 + 0.2;
  ASSERT_NE(sum, 0.3);
  for (const auto& [first, second] : {std::pair(sum, 0.3), std::pair(0.3, sum)}) {
    const Mesh mesh = mesh_of({box(0, 0, 0, first, 1, 1), box(second, 0, 0, 1, 1, 1)}, Vec<3>::Ones());
    EXPECT_EQ(mesh.tets.size(), 12u);
    EXPECT_TRUE(find_element_defects(mesh).empty());
  }
}

TEST(Blocks, SayWhichBoxesMakeNoSolid) {
  const Corners cube = box(0, 0, 0, 1, 1, 1);
  EXPECT_EQ(problems({}), Lines{"blocks: a generator of kind blocks needs at least one box"});
  const std::string no_volume = "the box has no volume; the first corner must be below the second along x, y and z";
  EXPECT_EQ(problems({cube, box(0, 1, 0, 1, 1, 1), box(2, 0, 0, 1, 1, 1)}),
            (Lines{"blocks[1]: " + no_volume, "blocks[2]: " + no_volume}));
  EXPECT_EQ(
      problems({cube, box(2, 0, 0, 3, 1, 1), box(1, 0, 0, 1.5, 1, 1)}),
      Lines{"blocks[1]: this block is not joined to the first block by a face, neither directly nor through others"});
  EXPECT_EQ(problems({cube, box(0, 0, 0, 1e6, 1e6, 1e6)}),
            Lines{"blocks: the grid around them has 1e+18 cells; at most 1e8 are possible"});
}

TEST(Blocks, SayWhereTheirSurfaceTouchesItself) {
  const std::string no_face =
      "blocks[1]: this block is not joined to the first block by a face, neither directly nor through others";
  const auto touch = [](const std::string& place) {
    return "blocks: blocks, or holes between them, meet only in an edge or a point at " + place +
           "; let them overlap, or move them apart";
  };
  const Corners cube = box(0, 0, 0, 1, 1, 1);
  EXPECT_EQ(problems({cube, box(1, 1, 1, 2, 2, 2)}), (Lines{no_face, touch("(1, 1, 1)")}));
  EXPECT_EQ(problems({cube, box(1, 1, 0, 2, 2, 1)}), (Lines{no_face, touch("(1, 1, 0) and 1 more grid points")}));
  // The cubes are joined by a base, and are still in contact along an edge above it.
  EXPECT_EQ(problems({cube, box(1, 1, 0, 2, 2, 1), box(0, 0, -1, 2, 2, 0)}),
            Lines{touch("(1, 1, 0) and 1 more grid points")});
}

/// Covers unit cells of a lattice, one by one, without regard to whether the result is a solid.
Mesh brute_force(const Blocks& blocks, int size) {
  const auto index = [&](int i, int j, int k) { return (i * (size + 1) + j) * (size + 1) + k; };
  Mesh mesh;
  for (int i = 0; i <= size; ++i) {
    for (int j = 0; j <= size; ++j) {
      for (int k = 0; k <= size; ++k) {
        mesh.vertices.emplace_back(i, j, k);
        const Vec<3> middle = mesh.vertices.back() + Vec<3>::Constant(0.5);
        const auto holds = [&](const Corners& b) {
          return (b[0].array() < middle.array()).all() && (middle.array() < b[1].array()).all();
        };
        if (std::none_of(blocks.begin(), blocks.end(), holds)) continue;
        std::array<int, 8> corners{};
        for (int c = 0; c < 8; ++c) {
          corners[c] = index(i + c / 4, j + c / 2 % 2, k + c % 2);
        }
        add_brick(mesh, corners);
      }
    }
  }
  return mesh;
}

TEST(Blocks, AreTakenExactlyIfTheirUnionIsAManifoldInOnePiece) {
  const unsigned seed = 20;
  std::mt19937 engine(seed);
  const int size = 4;
  const auto random = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine); };
  int num_taken = 0, num_refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Blocks blocks;
    for (int b = random(1, 6); b > 0; --b) {
      Corners block;
      for (int axis = 0; axis < 3; ++axis) {
        block[0][axis] = random(0, size - 1);
        block[1][axis] = random(static_cast<int>(block[0][axis]) + 1, size);
      }
      blocks.push_back(block);
    }
    const Mesh expected = brute_force(blocks, size);
    const std::vector<int> component = connected_components(expected);
    const int piece = component[expected.tets[0][0]];
    const bool is_one = std::all_of(expected.tets.begin(), expected.tets.end(),
                                    [&](const auto& tet) { return component[tet[0]] == piece; });
    const bool is_solid = is_one && is_closed_manifold(boundary_triangles(expected.tets));

    const Result<Mesh> mesh = make_blocks(blocks, Vec<3>::Ones());
    ASSERT_EQ(mesh.has_value(), is_solid) << "seed " << seed << ", trial " << trial;
    ++(is_solid ? num_taken : num_refused);
    if (!is_solid) continue;
    ASSERT_EQ(mesh->tets.size(), expected.tets.size());
    ASSERT_EQ(volume(*mesh), static_cast<double>(expected.tets.size()) / 6.0);
    ASSERT_TRUE(is_closed_manifold(boundary_triangles(mesh->tets)));
  }
  EXPECT_GT(num_taken, 200);
  EXPECT_GT(num_refused, 200);
}

}  // namespace
}  // namespace clearance
