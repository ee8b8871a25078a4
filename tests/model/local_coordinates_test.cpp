#include "clearance/model/local_coordinates.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "clearance/math/rotation.h"
#include "support/random.h"

namespace clearance {
namespace {

using test::Random;

/// Blocks: 0 free, 1-4 affine, 5-8 rigid, 9 tied to the affine body, 10-13 rigid, 14 free. A vertex at each body.
struct World {
  explicit World(unsigned seed, bool has_rigid = true) : random(seed) {
    model.layout = {3, 15};
    model.stiff_bodies = {{1, 0.7, false}, {5, 1.3, has_rigid}, {10, 0.4, has_rigid}};
    model.ties = {{9, 1, {1.0, 0.3, -0.2, 0.5}}};
    model.mass = VecX::Constant(15, 2.0);
    x = random.vector(45, -1.0, 1.0);
    for (const StiffBody& body : model.stiff_bodies) {
      const Mat<3> rotation = rotation_from_vector(random.vector(3, -3.0, 3.0));
      for (int i = 0; i < 3; ++i) block<3>(x, body.first_block + 1 + i) = body.radius * rotation.col(i);
    }
    place_tie(x);
    model.surface_map.add_vertex(0);
    for (const StiffBody& body : model.stiff_bodies) {
      for (int i = 0; i < 5; ++i) {
        const Vec<3> weights = random.vector(3, -1.0, 1.0);
        model.surface_map.add_affine_vertex(body.first_block, {weights.data(), 3});
      }
    }
  }
  static void place_tie(VecX& x) {
    block<3>(x, 9) = block<3>(x, 1) + 0.3 * block<3>(x, 2) - 0.2 * block<3>(x, 3) + 0.5 * block<3>(x, 4);
  }

  Random random;
  Model model;
  VecX x;
};

/// f(x) = g . x + x^T H x / 2 about any x: the curvature of an objective is that of H and of the coordinates.
struct Quadratic {
  explicit Quadratic(Random& random) : gradient(random.vector(45, -1.0, 1.0)) {
    const MatX root = Eigen::Map<const MatX>(random.vector(45 * 45, -1.0, 1.0).eval().data(), 45, 45);
    hessian = root * root.transpose();
  }
  double operator()(const VecX& x) const { return gradient.dot(x) + 0.5 * x.dot(hessian * x); }
  VecX gradient_at(const VecX& x) const { return gradient + hessian * x; }
  BlockSparseMatrix matrix() const {
    std::vector<BlockKey> keys;
    for (int c = 0; c < 15; ++c) {
      for (int r = c; r < 15; ++r) keys.push_back(make_block_key(r, c));
    }
    BlockSparseMatrix full(3, 15, keys);
    for (const BlockKey key : keys) {
      const int r = block_row(key), c = block_column(key);
      full.add_to_slot<3>(full.find_slot(r, c), full.slot_stride(c), hessian.block<3, 3>(3 * r, 3 * c));
    }
    return full;
  }
  VecX gradient;
  MatX hessian;
};

MatX to_dense(const BlockSparseMatrix& matrix) {
  MatX dense(matrix.num_rows(), matrix.num_rows());
  for (int j = 0; j < matrix.num_rows(); ++j) dense.col(j) = matrix.multiply(VecX::Unit(matrix.num_rows(), j));
  return dense;
}

}  // namespace

TEST(LocalCoordinates, AreTheDisplacementWhereNothingIsRigidOrTied) {
  World world(1, false);
  world.model.ties.clear();
  const LocalCoordinates<3> coordinates(world.model);
  const VecX dy = world.random.vector(45, -1.0, 1.0);
  EXPECT_TRUE(coordinates.are_displacements());
  EXPECT_EQ(coordinates.num_blocks(), 15);
  EXPECT_EQ(coordinates.expand(world.x, dy), dy);
  EXPECT_EQ(coordinates.move(world.x, dy, 0.25), VecX(world.x + 0.25 * dy));
  EXPECT_EQ(coordinates.reduce(world.x, dy), dy);
}

TEST(LocalCoordinates, RigidMotionsMoveEveryVertexAsOneBodyDoes) {
  for (const bool has_rigid : {true, false}) {
    World world(3, has_rigid);
    const LocalCoordinates<3> coordinates(world.model);
    const MatX motions = coordinates.rigid_motions(world.x);
    ASSERT_EQ(motions.cols(), 6);
    const VecX at = world.model.surface_map.apply(world.x);
    // The bodies turn in the planes of the axes 0 and 1, 0 and 2, 1 and 2: about z, against y, about x.
    const std::array<Vec<3>, 3> axes = {Vec<3>::UnitZ(), -Vec<3>::UnitY(), Vec<3>::UnitX()};
    for (int mode = 0; mode < 6; ++mode) {
      const VecX dx = coordinates.expand(world.x, motions.col(mode));
      const VecX moved = world.model.surface_map.apply_linear(dx);
      const auto expected = [&](const Vec<3>& p) {
        return mode < 3 ? Vec<3>(Vec<3>::Unit(mode)) : Vec<3>(axes[mode - 3].cross(p));
      };
      for (int v = 0; v < moved.size() / 3; ++v) {
        EXPECT_LT((block<3>(moved, v) - expected(block<3>(at, v))).norm(), 1e-14) << mode << ", vertex " << v;
      }
      EXPECT_LT((block<3>(dx, 9) - expected(block<3>(world.x, 9))).norm(), 1e-14) << "the tied block";
    }
  }
}

TEST(LocalCoordinates, MotionsKeepRigidBodiesRigidAndTiedBlocksTied) {
  World world(2);
  const LocalCoordinates<3> coordinates(world.model);
  EXPECT_EQ(coordinates.num_blocks(), 15 - 1 - 2 * 2);
  VecX x = world.x;
  for (int step = 0; step < 200; ++step) {
    x = coordinates.move(x, world.random.vector(3 * coordinates.num_blocks(), -3.0, 3.0), 0.7);
    for (const StiffBody& body : world.model.stiff_bodies) {
      if (!body.is_rigid) continue;
      Mat<3> map;
      for (int i = 0; i < 3; ++i) map.col(i) = block<3>(x, body.first_block + 1 + i) / body.radius;
      ASSERT_LT((map.transpose() * map - Mat<3>::Identity()).cwiseAbs().maxCoeff(), 1e-14) << "step " << step;
      ASSERT_GT(map.determinant(), 0.0);
    }
    VecX tied = x;
    World::place_tie(tied);
    ASSERT_LT((tied - x).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(LocalCoordinates, ExpandIsTheDerivativeOfMove) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    World world(seed);
    const LocalCoordinates<3> coordinates(world.model);
    const VecX dy = world.random.vector(3 * coordinates.num_blocks(), -1.0, 1.0);
    const double h = 1e-6;
    const VecX expected = (coordinates.move(world.x, dy, h) - coordinates.move(world.x, dy, -h)) / (2.0 * h);
    EXPECT_LT((coordinates.expand(world.x, dy) - expected).cwiseAbs().maxCoeff(), 1e-8) << "seed " << seed;
  }
}

TEST(LocalCoordinates, ReduceIsTheTransposeOfExpand) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    World world(seed);
    const LocalCoordinates<3> coordinates(world.model);
    const VecX dy = world.random.vector(3 * coordinates.num_blocks(), -1.0, 1.0);
    const VecX g = world.random.vector(45, -1.0, 1.0);
    EXPECT_NEAR(coordinates.reduce(world.x, g).dot(dy), g.dot(coordinates.expand(world.x, dy)), 1e-12);
  }
}

TEST(LocalCoordinates, FromToLeadsThere) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    World world(seed);
    const LocalCoordinates<3> coordinates(world.model);
    const VecX target = coordinates.move(world.x, world.random.vector(3 * coordinates.num_blocks(), -1.0, 1.0), 1.0);
    const VecX dy = coordinates.from_to(world.x, target);
    EXPECT_LT((coordinates.move(world.x, dy, 1.0) - target).cwiseAbs().maxCoeff(), 1e-13) << "seed " << seed;
  }
}

TEST(LocalCoordinates, ReducedHessianIsTheSecondDerivativeAlongMotions) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    World world(seed);
    // The inertia is so large that nothing of the curvature has to be left out.
    world.model.mass.setConstant(1e4);
    LocalCoordinates<3> coordinates(world.model);
    const Quadratic f(world.random);
    BlockSparseMatrix reduced;
    coordinates.reduce(world.x, f.gradient_at(world.x), 1.0, f.matrix(), reduced);
    const MatX hessian = to_dense(reduced);
    for (int trial = 0; trial < 5; ++trial) {
      const VecX dy = world.random.vector(3 * coordinates.num_blocks(), -1.0, 1.0);
      const double h = 1e-4;
      const double expected =
          (f(coordinates.move(world.x, dy, h)) - 2.0 * f(world.x) + f(coordinates.move(world.x, dy, -h))) / (h * h);
      EXPECT_NEAR(dy.dot(hessian * dy), expected, 1e-5 * std::abs(expected) + 1e-4) << "seed " << seed;
    }
  }
}

// A tenth of the inertia stays: with none, a rigid block that balanced on a vertex of its own had a singular matrix,
// and a Newton direction of 1e12 m.
TEST(LocalCoordinates, ReducedHessianKeepsATenthOfTheInertiaWhateverTheForces) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    World world(seed);
    Quadratic f(world.random);
    f.hessian = 2.0 * MatX::Identity(45, 45);  // the mass of every block
    const auto smallest_eigenvalue = [&](const VecX& gradient) {
      BlockSparseMatrix reduced;
      LocalCoordinates<3> fresh(world.model);
      fresh.reduce(world.x, gradient, 1.0, f.matrix(), reduced);
      return Eigen::SelfAdjointEigenSolver<MatX>(to_dense(reduced)).eigenvalues()[0];
    };
    const double of_inertia = smallest_eigenvalue(VecX::Zero(45));
    EXPECT_GT(of_inertia, 0.0);
    for (const double scale : {1.0, 1e3}) {
      EXPECT_GE(smallest_eigenvalue(scale * f.gradient), 0.0999 * of_inertia) << "seed " << seed;
    }
  }
}

TEST(LocalCoordinates, BentDirectionsEndTurnedAndNotStretched) {
  World world(4, false);
  world.model.ties.clear();
  const LocalCoordinates<3> coordinates(world.model);
  const StiffBody& body = world.model.stiff_bodies[0];
  VecX dy = VecX::Zero(45);
  const Vec<3> turn(0.4, -0.8, 0.5);
  for (int i = 1; i <= 3; ++i)
    block<3>(dy, body.first_block + i) = turn.cross(Vec<3>(block<3>(world.x, body.first_block + i)));
  const VecX end = world.x + coordinates.bent(world.x, dy, std::vector<char>(15, 0));
  for (int i = 1; i <= 3; ++i) {
    const Vec<3> expected = rotation_from_vector(turn) * Vec<3>(block<3>(world.x, body.first_block + i));
    EXPECT_LT((block<3>(end, body.first_block + i) - expected).norm(), 1e-14);
  }
  std::vector<char> is_fixed(15, 0);
  is_fixed[2] = 1;
  EXPECT_EQ(coordinates.bent(world.x, dy, is_fixed), dy);
}

TEST(SurfacePath, ScrewsStrayFromTheirChordByNoMoreThanTheDeviation) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    World world(seed);
    const LocalCoordinates<3> coordinates(world.model);
    const VecX dy = world.random.vector(3 * coordinates.num_blocks(), -4.0, 4.0);
    const VecX x_surface = world.model.surface_map.apply(world.x);
    const SurfacePath path = coordinates.surface_path(world.x, x_surface, dy, 0.8);
    EXPECT_EQ(path.x_t0, x_surface);
    for (int v = 0; v < world.model.surface_map.num_vertices(); ++v) {
      const Vec<3> start = block<3>(path.x_t0, v), end = block<3>(path.x_t1, v);
      EXPECT_LT((path.position<3>(v, 1.0) - end).norm(), 1e-14);
      for (double s = 0.0; s <= 1.0; s += 0.05) {
        // Compare with the true position of the body at that time.
        const VecX x = world.model.surface_map.apply(coordinates.move(world.x, dy, 0.8 * s));
        const Vec<3> there = block<3>(x, v);
        ASSERT_LT((path.position<3>(v, s) - there).norm(), 1e-13);
        const double bound = path.deviation[v] * 4.0 * s * (1.0 - s);
        ASSERT_LE((there - (start + s * (end - start))).norm(), bound + 1e-13) << "seed " << seed << " vertex " << v;
      }
    }
  }
}

}  // namespace clearance
