// Ways out of a body: its sides, what lies behind them, overlaps, sheets, the plane.
#include "clearance/geometry/open_ways.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"

namespace clearance {
namespace {

std::vector<SurfacePiece> boundary_of(const Mesh& mesh) {
  std::vector<SurfacePiece> pieces;
  if (mesh.dim == 3) {
    for (const auto& t : mesh.tets.empty() ? mesh.triangles : boundary_triangles(mesh)) pieces.push_back(t);
  } else {
    for (const auto& e : boundary_edges(mesh)) pieces.push_back({e[0], e[1], -1});
  }
  return pieces;
}

OpenWays ways_of(const Mesh& mesh) {
  return {mesh.dim, boundary_of(mesh), mesh.vertices, mesh.dim == 2 || !mesh.tets.empty()};
}

/// A pad of 0.1 x 0.002 x 0.1 m on the plane y = 0, with quadratic elements.
Mesh pad() {
  Mesh mesh = make_box({0.1, 0.002, 0.1}, {4, 2, 4});
  change_order(mesh, 2);
  for (Vec<3>& v : mesh.vertices) v[1] += 0.001;
  return mesh;
}

constexpr double touching = 1e-7;

// The nodes inside of a thin pad and on its far side are as near to what it is glued to as the gap of others may be.
TEST(OpenWays, OnlyTheNearSideOfAPadLooksAtWhatIsBelow) {
  const Mesh mesh = pad();
  const OpenWays ways = ways_of(mesh);
  for (const double gap : {0.0, 1e-4, 5e-3}) {
    for (int v = 0; v < static_cast<int>(mesh.vertices.size()); ++v) {
      const Vec<3>& p = mesh.vertices[static_cast<std::size_t>(v)];
      EXPECT_EQ(ways.is_open(v, {p[0], -gap, p[2]}, touching), p[1] < 1e-9) << p.transpose() << ", gap " << gap;
      EXPECT_EQ(ways.is_open(v, {p[0], 0.002 + gap, p[2]}, touching), p[1] > 0.002 - 1e-9) << p.transpose();
    }
  }
}

// Meshes of one curved surface overlap by their sagitta, or where another mesh was moved a little too far.
TEST(OpenWays, SurfacesThatOverlapALittleStillFaceEachOther) {
  const Mesh mesh = pad();
  const OpenWays ways = ways_of(mesh);
  for (int v = 0; v < static_cast<int>(mesh.vertices.size()); ++v) {
    const Vec<3>& p = mesh.vertices[static_cast<std::size_t>(v)];
    EXPECT_EQ(ways.is_open(v, {p[0], 3e-4, p[2]}, touching), p[1] < 1e-9) << p.transpose();
  }
}

// Ways along the diagonal of a cube: closed from the corner behind alone. A way that ends where it starts is open.
TEST(OpenWays, ACornerLooksAtThePlaneOnWhichItStands) {
  Mesh mesh = make_box({1, 1, 1}, {1, 1, 1});
  const Vec<3> diagonal = Vec<3>(1, 1, 1).normalized();
  const OpenWays ways = ways_of(mesh);
  for (int v = 0; v < 8; ++v) {
    const Vec<3>& p = mesh.vertices[static_cast<std::size_t>(v)];
    EXPECT_EQ(ways.is_open(v, p + 1.5 * diagonal, touching), p.dot(diagonal) > -0.5) << p.transpose();
    EXPECT_TRUE(ways.is_open(v, p, touching));
  }
}

// A way through a wall and the cavity behind it is closed, though the inner face looks along it.
TEST(OpenWays, AWallIsInTheWay) {
  Mesh mesh = make_box({1, 1, 1}, {3, 3, 3});
  // Without the cell in the middle, whose edges are a third long.
  std::erase_if(mesh.tets, [&](const std::array<int, 4>& t) {
    Vec<3> middle = Vec<3>::Zero();
    for (const int v : t) middle += 0.25 * mesh.vertices[static_cast<std::size_t>(v)];
    return middle.cwiseAbs().maxCoeff() < 1.0 / 6.0;
  });
  const OpenWays ways = ways_of(mesh);
  int num_inner = 0;
  for (int v = 0; v < static_cast<int>(mesh.vertices.size()); ++v) {
    const Vec<3>& p = mesh.vertices[static_cast<std::size_t>(v)];
    if (std::abs(p.cwiseAbs().maxCoeff() - 1.0 / 6.0) > 1e-9) continue;
    ++num_inner;
    EXPECT_FALSE(ways.is_open(v, {p[0], -0.6, p[2]}, touching)) << p.transpose();
    // Into the cavity it is open from its ceiling.
    EXPECT_EQ(ways.is_open(v, {p[0], 0.0, p[2]}, touching), true) << p.transpose();
  }
  EXPECT_EQ(num_inner, 8);
}

// A sheet has air on each side. Ways along a sheet that stands are open, those through another part of it not.
TEST(OpenWays, ASheetIsInItsOwnWayOnlyWhereItLiesAcross) {
  Mesh flat;
  flat.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {0, 0.1, 0}, {1, 0.1, 0}, {1, 0.1, 1}, {0, 0.1, 1}};
  flat.triangles = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4}};  // folded at z = 0
  const OpenWays ways = ways_of(flat);
  for (int v = 0; v < 4; ++v) {
    const Vec<3>& p = flat.vertices[static_cast<std::size_t>(v)];
    EXPECT_TRUE(ways.is_open(v, p + Vec<3>(0, -0.1, 0), touching)) << v;
    EXPECT_TRUE(ways.is_open(v, p + Vec<3>(0, 0.05, 0), touching)) << v;
  }
  EXPECT_FALSE(ways.is_open(6, {1, -0.1, 1}, touching));
  EXPECT_FALSE(ways.is_open(6, {1, 0, 1}, touching));
  EXPECT_TRUE(ways.is_open(4, {0, 0.02, 0}, touching)) << "along the part of the sheet that stands";
}

TEST(OpenWays, WorkInThePlane) {
  Mesh mesh = make_rectangle(1, 0.1, 4, 2);
  const OpenWays ways = ways_of(mesh);
  for (int v = 0; v < static_cast<int>(mesh.vertices.size()); ++v) {
    const Vec<3>& p = mesh.vertices[static_cast<std::size_t>(v)];
    for (const double end : {-0.05, -0.06}) {
      EXPECT_EQ(ways.is_open(v, {p[0], end, 0}, touching), p[1] < -0.049) << p.transpose();
    }
  }
}

// A slow twin: samples of the way from a node of a ball to a point beyond, clear of ways along the surface.
TEST(OpenWays, AgreeWithSamplesOfTheWayOnABall) {
  const Mesh mesh = make_sphere(1.0, 4);
  const OpenWays ways = ways_of(mesh);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int num_open = 0, num_closed = 0;
  for (const SurfacePiece& piece : boundary_of(mesh)) {
    const Vec<3>& p = mesh.vertices[static_cast<std::size_t>(piece[0])];
    const Vec<3> way = 1.6 * Vec<3>(normal(random), normal(random), normal(random)).normalized();
    if (std::abs(way.dot(p)) < 0.7 * 1.6) continue;
    bool is_outside = true;
    for (int k = 1; k <= 20; ++k) is_outside = is_outside && (p + 0.05 * k * way).norm() > 0.999;
    EXPECT_EQ(ways.is_open(piece[0], p + way, touching), is_outside) << p.transpose() << ", " << way.transpose();
    (is_outside ? num_open : num_closed)++;
  }
  EXPECT_GT(num_open, 5);
  EXPECT_GT(num_closed, 5);
}

}  // namespace
}  // namespace clearance
