// Claims about conjugate gradients with the corners of curved elements, on a grid of springs whose nodes at even places
// are the corners.
#include <gtest/gtest.h>

#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/sparse/corner_preconditioner.h"
#include "clearance/sparse/linear_solver.h"
#include "clearance/sparse/pcg_solver.h"
#include "sparse/random_systems.h"

namespace clearance::test {
namespace {

struct Grid {
  BlockSparseMatrix matrix;
  Interpolation interpolation;
};

/// Returns springs along the edges and diagonals of `cells` cells of two springs in each direction. Springs are stiffer
/// towards one end, and some pairs of distant nodes are in contact.
Grid make_grid(int dim, int cells, int num_contacts = 0, double contact_stiffness = 1.0) {
  const int side = 2 * cells + 1;
  const int count = dim == 3 ? side * side * side : side * side;
  const auto place_of = [&](int node) {
    return std::array{node % side, node / side % side, dim == 3 ? node / side / side : 0};
  };
  std::vector<VecX> positions;
  for (int node = 0; node < count; ++node) {
    const std::array<int, 3> place = place_of(node);
    positions.push_back(VecX::NullaryExpr(dim, [&](Eigen::Index c) { return place[c]; }));
  }
  Springs springs(positions);
  const int reach = dim == 3 ? side * side + side + 1 : side + 1;
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b <= std::min(count - 1, a + reach); ++b) {
      if ((positions[b] - positions[a]).squaredNorm() < 2.1) springs.add(a, b, 1.0 + place_of(a)[0]);
    }
  }
  std::mt19937 rng(3);
  for (int c = 0; c < num_contacts; ++c) {
    const int a = static_cast<int>(rng() % count), b = static_cast<int>(rng() % count);
    if (a != b) springs.add(a, b, contact_stiffness);
  }
  Grid grid{springs.matrix(1e-2), {}};

  // A node follows the corners at the even places around it.
  const auto corner_at = [&](const std::array<int, 3>& at) {
    return (at[2] / 2 * (cells + 1) + at[1] / 2) * (cells + 1) + at[0] / 2;
  };
  Interpolation& interpolation = grid.interpolation;
  interpolation.num_coarse = dim == 3 ? (cells + 1) * (cells + 1) * (cells + 1) : (cells + 1) * (cells + 1);
  for (int node = 0; node < count; ++node) {
    std::vector<std::array<int, 3>> corners = {place_of(node)};
    for (int c = 0; c < dim; ++c) {
      if (place_of(node)[c] % 2 == 0) continue;
      const std::vector<std::array<int, 3>> lower = corners;
      for (std::array<int, 3>& at : corners) --at[c];
      for (std::array<int, 3> at : lower) {
        ++at[c];
        corners.push_back(at);
      }
    }
    for (const auto& at : corners) {
      interpolation.terms.push_back({corner_at(at), 1.0 / static_cast<double>(corners.size())});
    }
    interpolation.starts.push_back(static_cast<int>(interpolation.terms.size()));
  }
  return grid;
}

PcgSolver make_corner_solver(const Grid& grid, const PcgOptions& options = {}) {
  auto corners = std::make_shared<CornerPreconditioner>();
  corners->set_interpolation(grid.interpolation);
  return {std::move(corners), options};
}

VecX random_forces(const Grid& grid) {
  std::mt19937 rng(11);
  return random_vector(grid.matrix.num_rows(), rng);
}

TEST(CornerPreconditioner, IsTheInverseDiagonalPlusTheInverseOfTheCorners) {
  for (const int dim : {2, 3}) {
    SCOPED_TRACE(dim);
    const Grid grid = make_grid(dim, 2, 4, 1e3);
    const MatX a = to_dense(grid.matrix);
    MatX p = MatX::Zero(a.rows(), dim * grid.interpolation.num_coarse);
    MatX diagonal = MatX::Zero(a.rows(), a.cols());
    for (int b = 0; b < grid.interpolation.num_blocks(); ++b) {
      for (const Interpolation::Term& term : grid.interpolation.of(b)) {
        p.block(dim * b, dim * term.block, dim, dim) += term.weight * MatX::Identity(dim, dim);
      }
      diagonal.block(dim * b, dim * b, dim, dim) = a.block(dim * b, dim * b, dim, dim);
    }
    const VecX r = random_forces(grid);
    const VecX expected = diagonal.ldlt().solve(r) + p * (p.transpose() * a * p).ldlt().solve(VecX(p.transpose() * r));
    CornerPreconditioner corners;
    corners.set_interpolation(grid.interpolation);
    ASSERT_EQ(corners.build(grid.matrix), LinearSolveStatus::solved);
    VecX z;
    corners.apply(r, z);
    EXPECT_LT((z - expected).norm(), 1e-10 * expected.norm());
  }
}

TEST(CornerPreconditioner, GivesTheSolutionOfTheFactorization) {
  for (const double contact_stiffness : {1.0, 1e4}) {
    SCOPED_TRACE(contact_stiffness);
    const Grid grid = make_grid(3, 4, 20, contact_stiffness);
    const VecX b = random_forces(grid);
    const VecX expected = solve(*make_cholmod_solver(), grid.matrix, b);
    PcgSolver iterative = make_corner_solver(grid, {.relative_tolerance = 1e-12});
    EXPECT_LT((solve(iterative, grid.matrix, b) - expected).norm(), 1e-8 * expected.norm());
  }
}

TEST(CornerPreconditioner, IterationsDoNotGrowWithTheGrid) {
  std::vector<long> iterations;
  for (const int cells : {3, 6, 12}) {
    const Grid grid = make_grid(3, cells);
    PcgSolver solver = make_corner_solver(grid);
    solve(solver, grid.matrix, random_forces(grid));
    iterations.push_back(solver.counters().num_iterations);
  }
  EXPECT_LE(iterations[2], iterations[1] + iterations[1] / 4);
  EXPECT_LE(iterations[1], iterations[0] + iterations[0] / 2);
}

TEST(CornerPreconditioner, RoughSolutionIsADirectionOfDescentOfASmallError) {
  const Grid grid = make_grid(3, 6);
  const VecX b = random_forces(grid);
  PcgSolver solver = make_corner_solver(grid);
  const VecX exact = solve(solver, grid.matrix, b);
  const long accurate = solver.counters().num_iterations;
  VecX rough;
  ASSERT_EQ(solver.solve_roughly(b, rough), LinearSolveStatus::solved);
  EXPECT_LT(solver.counters().num_iterations - accurate, 3 * accurate / 4);
  EXPECT_GT(b.dot(rough), 0.0);
  const auto energy = [&](const VecX& x) { return std::sqrt(x.dot(grid.matrix.multiply(x))); };
  EXPECT_LT(energy(rough - exact), 1e-3 * energy(exact));
}

TEST(CornerPreconditioner, SolutionIsTheSameBitsForAnyNumberOfThreads) {
  const Grid grid = make_grid(3, 6, 10, 1e3);
  const VecX b = random_forces(grid);
  std::vector<VecX> solutions;
  for (const int threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    PcgSolver solver = make_corner_solver(grid);
    solutions.push_back(solve(solver, grid.matrix, b));
  }
  EXPECT_EQ(solutions[0], solutions[1]);
  EXPECT_EQ(solutions[0], solutions[2]);
}

TEST(CornerPreconditioner, IndefiniteMatrixIsToldToBeSo) {
  Grid grid = make_grid(3, 3);
  add_to_diagonal(grid.matrix, -1.0);
  PcgSolver solver = make_corner_solver(grid);
  VecX x;
  LinearSolveStatus status = solver.factorize(grid.matrix);
  if (status == LinearSolveStatus::solved) status = solver.solve(random_forces(grid), x);
  EXPECT_EQ(status, LinearSolveStatus::not_positive_definite);
}

/// The automatic solver for a grid that is dear enough to factorise.
class AutomaticWithCorners : public testing::Test {
 protected:
  std::unique_ptr<LinearSolver> make(bool has_many_solves = false) const {
    auto solver = make_automatic_solver();
    solver->set_interpolation(grid_.interpolation);
    if (has_many_solves) solver->expect_many_solves();
    solver->set_common_pattern(grid_.matrix);
    return solver;
  }
  Grid grid_ = make_grid(3, 8);
  VecX b_ = random_forces(grid_);
};

TEST_F(AutomaticWithCorners, IteratesInPlaceOfADearFactorization) {
  const auto solver = make();
  const VecX x = solve(*solver, grid_.matrix, b_);
  EXPECT_GT(solver->counters().num_iterations, 0);
  const VecX expected = solve(*make_cholmod_solver(), grid_.matrix, b_);
  EXPECT_LT((x - expected).norm(), 1e-6 * expected.norm());
}

TEST_F(AutomaticWithCorners, FactorsWhereOneMatrixHasManySolves) {
  const auto solver = make(true);
  solve(*solver, grid_.matrix, b_);
  EXPECT_EQ(solver->counters().num_iterations, 0);
}

TEST_F(AutomaticWithCorners, FactorsAfterTooManyIterations_UntilItForgets) {
  // Springs between distant nodes, a million times as stiff as the grid, are more than corners and a diagonal can do.
  const Grid hard = make_grid(3, 8, 300, 1e6);
  const auto solver = make();
  const VecX x = solve(*solver, hard.matrix, b_);
  const long tried = solver->counters().num_iterations;
  EXPECT_GT(tried, 0);
  const VecX expected = solve(*make_cholmod_solver(), hard.matrix, b_);
  EXPECT_LT((x - expected).norm(), 1e-6 * expected.norm());
  solve(*solver, grid_.matrix, b_);
  EXPECT_EQ(solver->counters().num_iterations, tried);
  solver->forget_history();
  const auto fresh = make();
  EXPECT_EQ(solve(*solver, grid_.matrix, b_), solve(*fresh, grid_.matrix, b_));
  EXPECT_GT(solver->counters().num_iterations, tried);
}

}  // namespace
}  // namespace clearance::test
