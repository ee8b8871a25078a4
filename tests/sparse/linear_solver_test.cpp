// Claims that hold for every linear solver.
#include "clearance/sparse/linear_solver.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "clearance/base/parallel.h"
#include "sparse/random_systems.h"

namespace clearance::test {
namespace {

struct SolverCase {
  const char* name;
  std::unique_ptr<LinearSolver> (*make)();
};

class LinearSolverTest : public testing::TestWithParam<SolverCase> {
 protected:
  std::unique_ptr<LinearSolver> solver_ = GetParam().make();

  /// Expects a small |A x - b| / (|A| |x| + |b|) of the solution, a measure that does not depend on the condition of A.
  void expect_solves(const BlockSparseMatrix& matrix, std::mt19937& rng, double tolerance) {
    const VecX b = random_vector(matrix.num_rows(), rng);
    VecX x;
    ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
    ASSERT_EQ(solver_->solve(b, x), LinearSolveStatus::solved);
    const MatX dense = to_dense(matrix);
    EXPECT_LE((dense * x - b).norm(), tolerance * (dense.norm() * x.norm() + b.norm()));
  }
};

TEST_P(LinearSolverTest, Solution_MatchesDenseFactorization) {
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const BlockSparseMatrix matrix = random_positive_matrix(2 + seed % 2, 1 + 2 * seed, 4 * seed, rng, 1.0, 1.0);
    const VecX b = random_vector(matrix.num_rows(), rng);
    const VecX expected = Eigen::LDLT<MatX>(to_dense(matrix)).solve(b);
    VecX x;
    ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
    ASSERT_EQ(solver_->solve(b, x), LinearSolveStatus::solved);
    EXPECT_LT((x - expected).norm(), 1e-6 * (1.0 + expected.norm()));
  }
}

TEST_P(LinearSolverTest, Contrast_Of1e8IsSolved) {
  for (int seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    expect_solves(random_positive_matrix(2 + seed % 2, 60, 100, rng, 1e8, 1e-2), rng, 1e-7);
  }
}

TEST_P(LinearSolverTest, Grid_LargerThanOnePatchAndOneTaskIsSolved) {
  std::mt19937 rng(1);
  expect_solves(grid_matrix(9, 8, 7, rng), rng, 1e-7);
}

TEST_P(LinearSolverTest, ScalarBlocks_AreSolved) {
  BlockSparseMatrix matrix(1, 1, {});
  matrix.values() = {4.0};
  VecX x;
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(VecX::Constant(1, 2.0), x), LinearSolveStatus::solved);
  EXPECT_EQ(x[0], 0.5);
}

TEST_P(LinearSolverTest, EmptyOffDiagonals_AreSolvedBlockByBlock) {
  std::mt19937 rng(2);
  BlockSparseMatrix matrix(3, 200, {});
  add_to_diagonal(matrix, 8.0);
  const VecX b = random_vector(600, rng);
  VecX x;
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(b, x), LinearSolveStatus::solved);
  EXPECT_LT((x - b / 8.0).norm(), 1e-14 * b.norm());
}

TEST_P(LinearSolverTest, EmptySystem_HasAnEmptySolution) {
  const BlockSparseMatrix matrix(3, 0, {});
  VecX x = VecX::Ones(3);
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(VecX(), x), LinearSolveStatus::solved);
  EXPECT_EQ(x.size(), 0);
}

TEST_P(LinearSolverTest, ZeroRightHandSide_HasZeroSolution) {
  std::mt19937 rng(3);
  const BlockSparseMatrix matrix = random_positive_matrix(3, 20, 40, rng);
  VecX x;
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(VecX::Zero(60), x), LinearSolveStatus::solved);
  EXPECT_EQ(x, VecX::Zero(60));
}

TEST_P(LinearSolverTest, UpperHalfOfDiagonalBlocks_IsNotRead) {
  std::mt19937 rng(4);
  BlockSparseMatrix matrix = grid_matrix(4, 4, 4, rng);
  const VecX b = random_vector(matrix.num_rows(), rng);
  VecX expected;
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(b, expected), LinearSolveStatus::solved);
  for (int node = 0; node < matrix.num_blocks(); ++node) {
    const std::int64_t slot = matrix.find_slot(node, node);
    for (int c = 1; c < 3; ++c) {
      for (int r = 0; r < c; ++r) matrix.values()[slot + c * matrix.slot_stride(node) + r] = 1e30;
    }
  }
  VecX x;
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(b, x), LinearSolveStatus::solved);
  EXPECT_EQ(x, expected);
}

TEST_P(LinearSolverTest, FixedBlocks_KeepTheirRightHandSide) {
  std::mt19937 rng(5);
  BlockSparseMatrix matrix = grid_matrix(5, 5, 3, rng);
  std::vector<char> is_fixed(75, 0);
  for (int node = 0; node < 75; node += 4) is_fixed[node] = 1;
  matrix.fix_blocks(is_fixed);
  const VecX b = random_vector(225, rng);
  VecX x;
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(b, x), LinearSolveStatus::solved);
  for (int node = 0; node < 75; node += 4) EXPECT_LT((x - b).segment<3>(3 * node).norm(), 1e-6);
}

TEST_P(LinearSolverTest, IndefiniteMatrix_IsReported) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    BlockSparseMatrix matrix = grid_matrix(5, 5, 4, rng);
    // One strongly negative direction at one node.
    const int node = static_cast<int>(rng() % 100);
    matrix.values()[matrix.find_slot(node, node)] = -50.0;
    VecX x;
    LinearSolveStatus status = solver_->factorize(matrix);
    if (status == LinearSolveStatus::solved) status = solver_->solve(random_vector(300, rng), x);
    EXPECT_EQ(status, LinearSolveStatus::not_positive_definite);
  }
}

TEST_P(LinearSolverTest, IndefiniteCoupling_IsReportedAlthoughDiagonalBlocksArePositive) {
  BlockSparseMatrix matrix(2, 100, std::vector<BlockKey>{make_block_key(99, 0)});
  add_to_diagonal(matrix, 1.0);
  matrix.values()[matrix.find_slot(99, 0)] = 2.0;
  std::mt19937 rng(6);
  VecX x;
  LinearSolveStatus status = solver_->factorize(matrix);
  if (status == LinearSolveStatus::solved) status = solver_->solve(random_vector(200, rng), x);
  EXPECT_EQ(status, LinearSolveStatus::not_positive_definite);
}

TEST_P(LinearSolverTest, SingularMatrix_IsReported) {
  BlockSparseMatrix matrix(3, 5, {});
  add_to_diagonal(matrix, 1.0);
  matrix.values()[matrix.find_slot(3, 3)] = 0.0;
  EXPECT_EQ(solver_->factorize(matrix), LinearSolveStatus::not_positive_definite);
  VecX x;
  EXPECT_EQ(solver_->solve(VecX::Ones(15), x), LinearSolveStatus::not_positive_definite);
}

TEST_P(LinearSolverTest, NotANumber_IsReportedNotReturned) {
  BlockSparseMatrix matrix(3, 5, std::vector<BlockKey>{make_block_key(4, 1)});
  add_to_diagonal(matrix, 1.0);
  for (const std::int64_t slot : {matrix.find_slot(3, 3), matrix.find_slot(4, 1)}) {
    BlockSparseMatrix broken = matrix;
    broken.values()[slot] = std::numeric_limits<double>::quiet_NaN();
    VecX x;
    LinearSolveStatus status = solver_->factorize(broken);
    if (status == LinearSolveStatus::solved) status = solver_->solve(VecX::Ones(15), x);
    EXPECT_EQ(status, LinearSolveStatus::not_positive_definite);
  }
}

TEST_P(LinearSolverTest, Failure_DoesNotSpoilTheNextSystem) {
  std::mt19937 rng(7);
  BlockSparseMatrix matrix = grid_matrix(6, 5, 4, rng);
  BlockSparseMatrix indefinite = matrix;
  indefinite.values()[indefinite.find_slot(50, 50)] = -1e3;
  EXPECT_EQ(solver_->factorize(indefinite), LinearSolveStatus::not_positive_definite);
  expect_solves(matrix, rng, 1e-7);
}

TEST_P(LinearSolverTest, ChangingPatterns_StayCorrect) {
  // Contacts come and go on a fixed mesh, and the size changes once.
  std::mt19937 rng(8);
  for (int step = 0; step < 12; ++step) {
    SCOPED_TRACE(step);
    const int num_nodes = step < 8 ? 150 : 90;
    std::mt19937 mesh_rng(1);
    StencilList stencils = random_stencils(120, num_nodes, mesh_rng);
    const StencilList contacts = random_stencils(step % 4 * 10, num_nodes, rng);
    for (int s = 0; s < contacts.count(); ++s) stencils.add(contacts.nodes_of(s));
    BlockAssembler assembler(stencils);
    BlockSparseMatrix matrix(3, num_nodes, assembler.keys());
    ASSERT_TRUE(assembler.bind(matrix));
    assembler.add_to<3>(matrix, random_locals(stencils, 3, rng), 1.0);
    add_to_diagonal(matrix, 0.1);
    expect_solves(matrix, rng, 1e-7);
  }
}

TEST_P(LinearSolverTest, Solution_IsTheSameBitsForAnyNumberOfThreads) {
  std::vector<VecX> solutions;
  for (const int threads : {1, 2, 3, 2}) {
    const ThreadLimit limit(threads);
    const std::unique_ptr<LinearSolver> solver = GetParam().make();
    std::mt19937 rng(9);
    const BlockSparseMatrix matrix = grid_matrix(14, 12, 8, rng, 1e3);
    VecX x;
    ASSERT_EQ(solver->factorize(matrix), LinearSolveStatus::solved);
    ASSERT_EQ(solver->solve(random_vector(matrix.num_rows(), rng), x), LinearSolveStatus::solved);
    solutions.push_back(x);
  }
  for (const VecX& x : solutions) EXPECT_EQ(x, solutions.front());
}

TEST_P(LinearSolverTest, RepeatedFactorization_GivesTheSameBits) {
  std::mt19937 rng(10);
  const BlockSparseMatrix matrix = grid_matrix(8, 8, 4, rng);
  const VecX b = random_vector(matrix.num_rows(), rng);
  VecX first;
  VecX second;
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(b, first), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(b, second), LinearSolveStatus::solved);
  EXPECT_EQ(first, second);
}

INSTANTIATE_TEST_SUITE_P(All, LinearSolverTest,
                         testing::Values(SolverCase{"Cholmod", [] { return make_cholmod_solver(); }},
                                         SolverCase{"Automatic", [] { return make_automatic_solver(); }},
                                         SolverCase{"Pcg",
                                                    [] { return make_pcg_solver({.relative_tolerance = 1e-12}); }}),
                         [](const testing::TestParamInfo<SolverCase>& tested) { return tested.param.name; });

}  // namespace
}  // namespace clearance::test
