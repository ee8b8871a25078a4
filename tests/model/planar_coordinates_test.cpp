// Rigid bodies in the plane: a turn is one number in a block of two.
#include <gtest/gtest.h>

#include "clearance/math/rotation.h"
#include "clearance/model/local_coordinates.h"
#include "support/finite_differences.h"
#include "support/random.h"

namespace clearance {
namespace {

using test::Random;
using test::relative_difference;

constexpr int num_unknowns = 16;
/// The local blocks of the two turns; their second numbers move nothing.
constexpr std::array<int, 2> turn_blocks = {2, 4};

/// Blocks: 0 free, 1-3 and 4-6 rigid, 7 free. Vertices on every body.
struct World {
  explicit World(unsigned seed) : random(seed) {
    model.layout = {2, num_unknowns / 2};
    model.stiff_bodies = {{1, 0.7, true}, {4, 1.3, true}};
    model.mass = VecX::Constant(num_unknowns / 2, 2.0);
    model.surface_map = SurfaceMap(2);
    x = random.vector(num_unknowns, -1.0, 1.0);
    for (const StiffBody& body : model.stiff_bodies) {
      const Mat<2> rotation = rotation_by<2>(random.uniform(-3.0, 3.0));
      for (int i = 0; i < 2; ++i) block<2>(x, body.first_block + 1 + i) = body.radius * rotation.col(i);
      for (int i = 0; i < 4; ++i) {
        const VecX weights = random.vector(2, -1.0, 1.0);
        model.surface_map.add_affine_vertex(body.first_block, {weights.data(), 2});
      }
    }
  }
  /// Returns a direction whose idle numbers are zero.
  VecX direction(double size) {
    VecX dy = random.vector(2 * (num_unknowns / 2 - 2), -size, size);
    for (const int turn : turn_blocks) dy[2 * turn + 1] = 0.0;
    return dy;
  }

  Random random;
  Model model;
  VecX x;
};

}  // namespace

TEST(PlanarCoordinates, RigidMotionsMoveEveryVertexAsOneBodyDoes) {
  World world(5);
  const LocalCoordinates<2> coordinates(world.model);
  const MatX motions = coordinates.rigid_motions(world.x);
  ASSERT_EQ(motions.cols(), 3);
  const VecX at = world.model.surface_map.apply(world.x);
  for (int mode = 0; mode < 3; ++mode) {
    const VecX moved = world.model.surface_map.apply_linear(coordinates.expand(world.x, motions.col(mode)));
    for (int v = 0; v < moved.size() / 2; ++v) {
      const Vec<2> p = block<2>(at, v);
      const Vec<2> expected = mode < 2 ? Vec<2>(Vec<2>::Unit(mode)) : Vec<2>(-p[1], p[0]);
      EXPECT_LT((block<2>(moved, v) - expected).norm(), 1e-14) << mode << ", vertex " << v;
    }
  }
}

TEST(PlanarCoordinates, RotationsStayRotationsAndLeadWhereTheyShould) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    World world(seed);
    const LocalCoordinates<2> coordinates(world.model);
    ASSERT_EQ(coordinates.num_blocks(), num_unknowns / 2 - 2);
    const VecX dy = world.direction(1.5);
    const VecX moved = coordinates.move(world.x, dy, 1.0);
    for (std::size_t k = 0; k < 2; ++k) {
      const StiffBody& body = world.model.stiff_bodies[k];
      const Mat<2> turned = rotation_by<2>(dy[2 * turn_blocks[k]]);
      for (int i = 1; i <= 2; ++i) {
        const Vec<2> expected = turned * block<2>(world.x, body.first_block + i);
        EXPECT_LT((block<2>(moved, body.first_block + i) - expected).norm(), 1e-14);
      }
    }
    EXPECT_LT((coordinates.from_to(world.x, moved) - dy).norm(), 1e-13) << "seed " << seed;
    const VecX rate = (coordinates.move(world.x, dy, 1e-6) - coordinates.move(world.x, dy, -1e-6)) / 2e-6;
    EXPECT_LT(relative_difference(coordinates.expand(world.x, dy), rate), 1e-8);
  }
}

TEST(PlanarCoordinates, ReducedDerivativesAreThoseAlongTheMotions) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed);
    LocalCoordinates<2> coordinates(world.model);
    const VecX linear = world.random.vector(num_unknowns, -1.0, 1.0);
    const MatX root = MatX::NullaryExpr(num_unknowns, num_unknowns, [&] { return world.random.uniform(-1.0, 1.0); });
    const MatX quadratic = root * root.transpose();
    const auto f = [&](const VecX& dy) {
      const VecX x = coordinates.move(world.x, dy, 1.0);
      return linear.dot(x) + 0.5 * x.dot(quadratic * x);
    };
    const VecX gradient_of_x = linear + quadratic * world.x;
    const VecX zero = VecX::Zero(2 * coordinates.num_blocks());
    const VecX gradient = coordinates.reduce(world.x, gradient_of_x);
    EXPECT_LT(relative_difference(gradient, test::finite_difference_gradient(f, zero)), 1e-7);

    std::vector<BlockKey> keys;
    for (int c = 0; c < num_unknowns / 2; ++c) {
      for (int r = c; r < num_unknowns / 2; ++r) keys.push_back(make_block_key(r, c));
    }
    BlockSparseMatrix full(2, num_unknowns / 2, keys), reduced;
    for (const BlockKey key : keys) {
      const int r = block_row(key), c = block_column(key);
      full.add_to_slot<2>(full.find_slot(r, c), full.slot_stride(c), Mat<2>(quadratic.block<2, 2>(2 * r, 2 * c)));
    }
    coordinates.reduce(world.x, gradient_of_x, 1.0, full, reduced, true);
    const double h = 1e-4;
    for (int trial = 0; trial < 5; ++trial) {
      const VecX dy = world.direction(1.0);
      const double expected = (f(h * dy) - 2.0 * f(zero) + f(-h * dy)) / (h * h);
      EXPECT_NEAR(dy.dot(reduced.multiply(dy)), expected, 1e-5 * std::abs(expected) + 1e-4);
    }
    // A coordinate that moves nothing is coupled to nothing, and its diagonal entry is not zero.
    for (const int turn : turn_blocks) {
      const VecX row = reduced.multiply(VecX::Unit(zero.size(), 2 * turn + 1));
      EXPECT_GT(row[2 * turn + 1], 0.0);
      EXPECT_EQ(row.norm(), row[2 * turn + 1]);
      EXPECT_EQ(gradient[2 * turn + 1], 0.0);
    }
    // With projected curvature a tenth of the inertia is left, whatever the forces are.
    BlockSparseMatrix masses(2, num_unknowns / 2, {});
    for (int b = 0; b < num_unknowns / 2; ++b) {
      masses.add_to_slot<2>(masses.find_slot(b, b), masses.slot_stride(b), Mat<2>(2.0 * Mat<2>::Identity()));
    }
    BlockSparseMatrix of_masses;
    LocalCoordinates<2> fresh(world.model);
    fresh.reduce(world.x, 1e3 * gradient_of_x, 1.0, masses, of_masses);
    for (std::size_t k = 0; k < 2; ++k) {
      const double radius = world.model.stiff_bodies[k].radius;
      EXPECT_GE(of_masses.diagonal_block<2>(turn_blocks[k])(0, 0), 0.0999 * 4.0 * radius * radius);
    }
  }
}

TEST(PlanarCoordinates, ScrewsStrayFromTheirChordByNoMoreThanTheDeviation) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    World world(seed);
    const LocalCoordinates<2> coordinates(world.model);
    const VecX dy = world.direction(4.0);
    const SurfacePath path = coordinates.surface_path(world.x, world.model.surface_map.apply(world.x), dy, 0.8);
    for (int v = 0; v < world.model.surface_map.num_vertices(); ++v) {
      const Vec<2> start = block<2>(path.x_t0, v), end = block<2>(path.x_t1, v);
      for (double s = 0.0; s <= 1.0; s += 0.05) {
        const VecX x = world.model.surface_map.apply(coordinates.move(world.x, dy, 0.8 * s));
        const Vec<2> there = block<2>(x, v);
        ASSERT_LT((path.position<2>(v, s) - there).norm(), 1e-13);
        const double bound = path.deviation[v] * 4.0 * s * (1.0 - s);
        ASSERT_LE((there - (start + s * (end - start))).norm(), bound + 1e-13) << "seed " << seed << " vertex " << v;
      }
    }
  }
}

}  // namespace clearance
