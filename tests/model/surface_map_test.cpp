#include "clearance/model/surface_map.h"

#include <gtest/gtest.h>

#include <random>

#include "clearance/base/parallel.h"
#include "clearance/model/model.h"

namespace clearance {
namespace {

VecX random_vector(std::mt19937_64& rng, Eigen::Index size) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  VecX x(size);
  for (double& entry : x) entry = uniform(rng);
  return x;
}

/// Returns vertices of one to four blocks each, with weights of both signs; blocks may repeat among vertices.
SurfaceMap random_map(std::mt19937_64& rng, int dim, int num_vertices, int num_blocks) {
  std::uniform_int_distribution<int> block(0, num_blocks - 1), count(1, 4);
  std::uniform_real_distribution<double> weight(-2.0, 2.0);
  SurfaceMap map(dim);
  for (int i = 0; i < num_vertices; ++i) {
    std::vector<SurfaceMap::Term> terms(count(rng));
    for (SurfaceMap::Term& term : terms) term = {block(rng), weight(rng)};
    map.add_vertex(terms);
  }
  return map;
}

}  // namespace

TEST(SurfaceMap, TransposeIsAdjoint) {
  // (J x) . y = x . (J^T y)
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 rng(seed);
    const int dim = 2 + static_cast<int>(seed % 2), num_vertices = 50, num_blocks = 30;
    const SurfaceMap map = random_map(rng, dim, num_vertices, num_blocks);
    const VecX x = random_vector(rng, dim * num_blocks), y = random_vector(rng, dim * num_vertices);
    VecX pulled = VecX::Zero(dim * num_blocks);
    map.add_transposed(y, pulled);
    const double forward = map.apply(x).dot(y);
    EXPECT_NEAR(forward, x.dot(pulled), 1e-12) << "seed " << seed;
    EXPECT_GT(std::abs(forward), 1e-6) << "seed " << seed;
  }
}

TEST(SurfaceMap, TransposeAddsToWhatIsThere) {
  std::mt19937_64 rng(5);
  const SurfaceMap map = random_map(rng, 3, 10, 8);
  const VecX y = random_vector(rng, 30), start = random_vector(rng, 24);
  VecX sum = start, alone = VecX::Zero(24);
  map.add_transposed(y, sum);
  map.add_transposed(y, alone);
  EXPECT_LT((sum - start - alone).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(SurfaceMap, AffineBodyMapsItsRestPositions) {
  // Blocks: translation and the columns of A; weights 1 and the rest position.
  std::mt19937_64 rng(7);
  const VecX unknowns = random_vector(rng, 12);
  SurfaceMap map(3);
  std::vector<Vec<3>> rest;
  for (int i = 0; i < 10; ++i) {
    rest.emplace_back(random_vector(rng, 3));
    const std::array<SurfaceMap::Term, 4> terms = {{{0, 1.0}, {1, rest[i][0]}, {2, rest[i][1]}, {3, rest[i][2]}}};
    map.add_vertex(terms);
  }
  Mat<3> a;
  a << unknowns.segment<3>(3), unknowns.segment<3>(6), unknowns.segment<3>(9);
  const VecX positions = map.apply(unknowns);
  for (int i = 0; i < 10; ++i) {
    EXPECT_LT((positions.segment<3>(3 * i) - (unknowns.head<3>() + a * rest[i])).norm(), 1e-14);
  }
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(map.is_block(i));
}

TEST(SurfaceMap, SelectionCopiesBlocksBitForBit) {
  std::mt19937_64 rng(9);
  const VecX x = random_vector(rng, 2 * 5000);
  SurfaceMap map(2);
  for (int i = 0; i < 5000; ++i) map.add_vertex(4999 - i);
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(map.is_block(i));
  EXPECT_EQ(map.num_vertices(), 5000);
  for (int threads : {1, 2}) {
    const ThreadLimit limit(threads);
    const VecX positions = map.apply(x);
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(positions.segment<2>(2 * i), x.segment<2>(2 * (4999 - i)));
  }
}

TEST(SurfaceMap, OffsetsMovePositionsButNotDisplacements) {
  // A proxy that follows the displacements of elements: V_S + W (x - X), copied from map to map.
  std::mt19937_64 rng(11);
  const VecX x_rest = random_vector(rng, 12), x = random_vector(rng, 12);
  SurfaceMap map(3), copy(3);
  map.add_vertex(2);
  const std::array<SurfaceMap::Term, 2> terms = {{{0, 0.25}, {3, 0.75}}};
  const Vec<3> start(1.0, 2.0, 3.0);
  map.add_vertex(terms, start - 0.25 * x_rest.segment<3>(0) - 0.75 * x_rest.segment<3>(9));
  map.add_vertex(1);
  for (int v = 0; v < 3; ++v) copy.add_vertex_of(map, v);
  for (const SurfaceMap* of : {&map, &copy}) {
    EXPECT_LT((of->apply(x_rest).segment<3>(3) - start).norm(), 1e-15);
    const VecX moved = of->apply(x) - of->apply(x_rest);
    EXPECT_LT((moved - of->apply_linear(x - x_rest)).norm(), 1e-14);
    EXPECT_EQ(of->apply(x).segment<3>(0), x.segment<3>(6));
    EXPECT_EQ(of->apply(x).segment<3>(6), x.segment<3>(3));
  }
}

TEST(SurfaceMap, WeightOtherThanOneIsNoBlock) {
  SurfaceMap whole(3), half(3);
  const SurfaceMap::Term one = {0, 1.0}, other = {0, 0.5};
  whole.add_vertex(std::span(&one, 1));
  half.add_vertex(std::span(&other, 1));
  EXPECT_TRUE(whole.is_block(0));
  EXPECT_FALSE(half.is_block(0));
}

TEST(Model, ObstacleVerticesDoNotMeetHalfSpaces) {
  Model model;
  model.is_obstacle_vertex = {0, 1};
  EXPECT_TRUE(model.meets_half_spaces(0));
  EXPECT_FALSE(model.meets_half_spaces(1));
}

}  // namespace clearance
