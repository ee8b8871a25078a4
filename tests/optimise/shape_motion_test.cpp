#include "clearance/optimise/shape_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace clearance::optimise {
namespace {

/// A square [0, 1]^2 of 2 n^2 triangles.
StateMesh square(int n) {
  StateMesh mesh;
  mesh.dim = 2;
  mesh.x_rest.resize(2 * (n + 1) * (n + 1));
  const auto node = [n](int i, int j) { return i + (n + 1) * j; };
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i) {
      mesh.x_rest.segment(2 * node(i, j), 2) << static_cast<double>(i) / n, static_cast<double>(j) / n;
    }
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      mesh.cells.push_back({{node(i, j), node(i + 1, j), node(i + 1, j + 1)}});
      mesh.cells.push_back({{node(i, j), node(i + 1, j + 1), node(i, j + 1)}});
    }
    mesh.faces.push_back({{node(j, 0), node(j + 1, 0)}});
    mesh.faces.push_back({{node(j, n), node(j + 1, n)}});
    mesh.faces.push_back({{node(0, j), node(0, j + 1)}});
    mesh.faces.push_back({{node(n, j), node(n, j + 1)}});
  }
  mesh.entry_of_node.assign(static_cast<std::size_t>((n + 1) * (n + 1)), 0);
  mesh.entry_of_cell.assign(mesh.cells.size(), 0);
  return mesh;
}

/// The vertices of the upper side without its ends.
std::vector<int> upper_side(int n) {
  std::vector<int> nodes;
  for (int i = 1; i < n; ++i) nodes.push_back(i + (n + 1) * n);
  return nodes;
}

VecX random_numbers(Eigen::Index size) {
  std::mt19937 random(3);
  VecX numbers(size);
  for (double& number : numbers) number = static_cast<double>(random()) / 4294967296.0 - 0.5;
  return numbers;
}

TEST(ShapeMotion, InsideFollowsTheBoundary) {
  constexpr int n = 8;
  const StateMesh mesh = square(n);
  const std::vector<int> moved = upper_side(n);
  const InsideMotion inside(mesh, moved);
  VecX x = mesh.x_rest;
  for (const int node : moved) x[2 * node + 1] += 0.4;
  inside.follow(x);
  // The middle of a square whose upper side is lifted is lifted by a quarter, if its ends are lifted by half.
  const int middle = n / 2 + (n + 1) * (n / 2);
  EXPECT_NEAR(x[2 * middle + 1], 0.5 + 0.4 * 0.25, 0.4 * 0.03);
  EXPECT_NEAR(x[2 * middle], 0.5, 1e-12);
  for (int i = 0; i <= n; ++i) EXPECT_EQ(x[2 * i + 1], 0.0) << "the lower side stays";
  EXPECT_EQ(longest_motion(mesh, mesh.x_rest, x), 1.0);
}

TEST(ShapeMotion, DerivativesOfTheInsideAreThoseOfTheMovedVertices) {
  constexpr int n = 6;
  const StateMesh mesh = square(n);
  const std::vector<int> moved = upper_side(n);
  const InsideMotion inside(mesh, moved);
  const VecX slope = random_numbers(mesh.x_rest.size()), change = random_numbers(2 * std::ssize(moved));
  VecX x = mesh.x_rest, collected = slope;
  for (std::size_t k = 0; k < moved.size(); ++k)
    x.segment(2 * moved[k], 2) += change.segment(2 * static_cast<int>(k), 2);
  inside.follow(x);
  inside.collect(collected);
  double of_moved = 0.0;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    of_moved += collected.segment(2 * moved[k], 2).dot(change.segment(2 * static_cast<int>(k), 2));
  }
  EXPECT_NEAR(slope.dot(x - mesh.x_rest), of_moved, 1e-12);
}

TEST(ShapeMotion, SmoothChangesHaveNoShortWaves) {
  constexpr int n = 64;
  const StateMesh mesh = square(n);
  const std::vector<int> moved = upper_side(n);
  constexpr double length = 0.1;
  const SmoothChange smooth(mesh, moved, length);
  for (const int waves : {1, 4, 16}) {
    // A wave with zeros at the ends is damped by 1 + (pi waves length)^2.
    VecX z = VecX::Zero(2 * std::ssize(moved));
    for (std::size_t k = 0; k < moved.size(); ++k) {
      z[2 * static_cast<int>(k) + 1] = std::sin(M_PI * waves * mesh.x_rest[2 * moved[k]]);
    }
    const VecX change = smooth.of_numbers(z);
    const double expected = 1.0 / (1.0 + std::pow(M_PI * waves * length, 2));
    EXPECT_NEAR(change.dot(z) / z.squaredNorm(), expected, 0.06 * expected) << waves;
  }
  const VecX z = random_numbers(2 * std::ssize(moved)), slope = random_numbers(2 * std::ssize(moved)).reverse();
  EXPECT_NEAR(smooth.of_numbers(z).dot(slope), z.dot(smooth.pull_back(slope)), 1e-12);
}

TEST(ShapeMotion, ElementsKeepAPartOfTheirVolumeOnTheWay) {
  const StateMesh mesh = square(2);
  VecX x = mesh.x_rest;
  x[2 * 4 + 1] += 1.0;  // the vertex in the middle through the upper side, which is 0.5 away
  const double share = longest_motion(mesh, mesh.x_rest, x);
  EXPECT_NEAR(share, 0.5 * (1.0 - 0.2), 1e-3);
  EXPECT_EQ(longest_motion(mesh, mesh.x_rest, mesh.x_rest + share * (x - mesh.x_rest)), 1.0);
  // A turn by half a turn is no way on straight lines.
  EXPECT_LT(longest_motion(mesh, mesh.x_rest, -mesh.x_rest), 0.5);
}

}  // namespace
}  // namespace clearance::optimise
