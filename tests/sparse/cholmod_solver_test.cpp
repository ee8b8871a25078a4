#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>
#include <numeric>

#include "clearance/sparse/dense_front.h"
#include "clearance/sparse/elimination_order.h"
#include "clearance/sparse/linear_solver.h"
#include "clearance/sparse/supernodal_pattern.h"
#include "sparse/random_systems.h"

namespace clearance::test {
namespace {

BlockSparseMatrix with_extra_couplings(const BlockSparseMatrix& matrix, int count, std::mt19937& rng) {
  std::set<BlockKey> keys;
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    for (const int row : matrix.column_rows(column)) keys.insert(make_block_key(row, column));
  }
  for (int i = 0; i < count; ++i) {
    const int a = static_cast<int>(rng() % matrix.num_blocks());
    const int b = static_cast<int>(rng() % matrix.num_blocks());
    keys.insert(make_block_key(std::max(a, b), std::min(a, b)));
  }
  BlockSparseMatrix result(3, matrix.num_blocks(), std::vector<BlockKey>(keys.begin(), keys.end()));
  add_to_diagonal(result, 1.0);
  return result;
}

TEST(CholmodSolver, SamePattern_IsAnalyzedOnce) {
  std::mt19937 rng(1);
  BlockSparseMatrix matrix = grid_matrix(6, 6, 3, rng);
  const auto solver = make_cholmod_solver();
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(solver->factorize(matrix), LinearSolveStatus::solved);
    add_to_diagonal(matrix, 1.0);
  }
  EXPECT_EQ(solver->counters().num_orderings, 1);
  EXPECT_EQ(solver->counters().num_analyses, 1);
  EXPECT_EQ(solver->counters().num_factorizations, 5);
}

TEST(CholmodSolver, FewNewCouplings_KeepTheOrder) {
  std::mt19937 rng(2);
  const BlockSparseMatrix mesh = grid_matrix(10, 10, 4, rng);
  const auto solver = make_cholmod_solver();
  ASSERT_EQ(solver->factorize(mesh), LinearSolveStatus::solved);
  const int num_orderings = solver->counters().num_orderings;
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(solver->factorize(with_extra_couplings(mesh, 1, rng)), LinearSolveStatus::solved);
  }
  EXPECT_EQ(solver->counters().num_orderings, num_orderings);
  EXPECT_GE(solver->counters().num_analyses, 5);
}

TEST(CholmodSolver, MuchFill_BringsANewOrder) {
  std::mt19937 rng(3);
  const BlockSparseMatrix mesh = grid_matrix(10, 10, 2, rng);
  const auto solver = make_cholmod_solver();
  ASSERT_EQ(solver->factorize(mesh), LinearSolveStatus::solved);
  const int num_orderings = solver->counters().num_orderings;
  ASSERT_EQ(solver->factorize(with_extra_couplings(mesh, 200, rng)), LinearSolveStatus::solved);
  EXPECT_GT(solver->counters().num_orderings, num_orderings);
}

TEST(CholmodSolver, AfterForgetting_EarlierLossesOfAPatternThatStaysBringNoNewOrder) {
  std::mt19937 rng(4);
  const BlockSparseMatrix mesh = grid_matrix(10, 10, 2, rng);
  const BlockSparseMatrix busy = with_extra_couplings(mesh, 4, rng);
  const BlockSparseMatrix next = with_extra_couplings(busy, 1, rng);
  const auto used = make_cholmod_solver(), fresh = make_cholmod_solver();
  for (const auto& solver : {used.get(), fresh.get()}) solver->set_common_pattern(mesh);
  // Each factorisation loses a little by the order of the common pattern.
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(used->factorize(busy), LinearSolveStatus::solved);
  std::vector<int> num_orderings;
  for (const auto& solver : {used.get(), fresh.get()}) {
    solver->forget_history();
    ASSERT_EQ(solver->factorize(busy), LinearSolveStatus::solved);
    const int before = solver->counters().num_orderings;
    ASSERT_EQ(solver->factorize(next), LinearSolveStatus::solved);
    num_orderings.push_back(solver->counters().num_orderings - before);
  }
  EXPECT_EQ(num_orderings[0], num_orderings[1]);
}

TEST(CholmodSolver, BeforeFactorization_SolveReportsFailure) {
  VecX x;
  EXPECT_EQ(make_cholmod_solver()->solve(VecX::Ones(3), x), LinearSolveStatus::not_positive_definite);
}

TEST(LeadingSolver, SystemsWithFixedBlocksBehind_AreSolvedAsByTheOther) {
  for (int seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const int num_blocks = 40, num_leading = seed == 0 ? 0 : 1 + seed;
    const auto leading = make_leading_solver(num_leading), whole = make_cholmod_solver();
    VecX x, expected;
    EXPECT_EQ(leading->solve(VecX::Ones(3), x), LinearSolveStatus::not_positive_definite);
    for (int again = 0; again < 2; ++again) {
      BlockSparseMatrix matrix = random_positive_matrix(2 + seed % 2, num_blocks, 120, rng, 1.0, 1.0);
      std::vector<char> is_fixed(num_blocks, 0);
      std::fill(is_fixed.begin() + num_leading, is_fixed.end(), 1);
      matrix.fix_blocks(is_fixed);
      const VecX b = random_vector(matrix.num_rows(), rng);
      ASSERT_EQ(whole->factorize(matrix), LinearSolveStatus::solved);
      ASSERT_EQ(whole->solve(b, expected), LinearSolveStatus::solved);
      ASSERT_EQ(leading->factorize(matrix), LinearSolveStatus::solved);
      ASSERT_EQ(leading->solve(b, x), LinearSolveStatus::solved);
      EXPECT_LT((x - expected).norm(), 1e-9 * (1.0 + expected.norm()));
    }
  }
}

TEST(CholmodSolver, IllConditionedSystem_HasSmallBackwardError) {
  // Springs of stiffness 1 to 1e12 beside each other: a forward error means nothing, the residual must still be tiny.
  std::mt19937 rng(4);
  const BlockSparseMatrix matrix = grid_matrix(8, 6, 4, rng, 1e12);
  const VecX b = random_vector(matrix.num_rows(), rng);
  const auto solver = make_cholmod_solver();
  VecX x;
  ASSERT_EQ(solver->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver->solve(b, x), LinearSolveStatus::solved);
  const MatX dense = to_dense(matrix);
  EXPECT_LT((dense * x - b).norm(), 1e-15 * dense.norm() * x.norm());
}

TEST(EliminationOrder, BothMethods_ReturnPermutations) {
  std::mt19937 rng(5);
  const BlockSparseMatrix matrix = grid_matrix(7, 6, 5, rng);
  std::vector<int> identity(matrix.num_blocks());
  std::iota(identity.begin(), identity.end(), 0);
  for (std::vector<int> order : {compute_amd_order(matrix), compute_dissection_order(matrix)}) {
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, identity);
  }
}

TEST(EliminationOrder, Partition_UsesEveryPatchAndKeepsStrongCouplingsInside) {
  // A chain of 400 blocks whose every fourth coupling is weak.
  std::vector<BlockKey> keys;
  for (int b = 0; b + 1 < 400; ++b) keys.push_back(make_block_key(b + 1, b));
  const BlockSparseMatrix matrix(3, 400, keys);
  std::vector<double> strengths;
  for (int column = 0; column < 400; ++column) {
    for (const int row : matrix.column_rows(column)) strengths.push_back(row % 4 == 0 ? 1e-9 : 1.0);
  }
  const std::vector<int> patch_of = compute_partition(matrix, strengths, 20);
  std::vector<int> sizes(static_cast<std::size_t>(1 + *std::max_element(patch_of.begin(), patch_of.end())), 0);
  for (const int p : patch_of) ++sizes[p];
  EXPECT_GE(sizes.size(), 15u);
  EXPECT_GT(*std::min_element(sizes.begin(), sizes.end()), 0);
  int num_strong_cuts = 0;
  for (int b = 0; b + 1 < 400; ++b) num_strong_cuts += (b + 1) % 4 != 0 && patch_of[b] != patch_of[b + 1];
  EXPECT_LE(num_strong_cuts, 2);
}

TEST(SupernodalPattern, Structure_IsConsistentForRandomPatterns) {
  for (int seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const BlockSparseMatrix matrix = random_positive_matrix(2, 1 + 5 * seed, 3 * seed, rng);
    const SupernodalPattern pattern = analyze_supernodes(matrix, compute_amd_order(matrix));
    EXPECT_EQ(pattern.first_column.back(), matrix.num_blocks());
    EXPECT_EQ(static_cast<std::int64_t>(pattern.entries.size()), matrix.num_stored_blocks());
    for (int s = 0; s < pattern.num_supernodes(); ++s) {
      const std::span<const int> rows = pattern.supernode_rows(s);
      EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
      for (int c = 0; c < pattern.num_block_columns(s); ++c) EXPECT_EQ(rows[c], pattern.first_column[s] + c);
      if (pattern.parent[s] < 0) continue;
      EXPECT_GT(pattern.parent[s], s);
      const std::span<const int> above = pattern.supernode_rows(pattern.parent[s]);
      for (std::size_t i = pattern.num_block_columns(s); i < rows.size(); ++i) {
        EXPECT_EQ(above[pattern.parent_rows[pattern.row_starts[s] + static_cast<std::int64_t>(i)]], rows[i]);
      }
    }
  }
}

class DenseFrontTest : public testing::TestWithParam<MicroKernel> {};

TEST_P(DenseFrontTest, TiledFactor_MatchesDenseCholesky) {
  // Sizes around leaves of 8, micro tiles, and one and two tiles of 192, with and without rows below.
  std::mt19937 rng(6);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const auto& [rows, columns] : {std::pair{1, 1},
                                      {5, 3},
                                      {8, 8},
                                      {9, 9},
                                      {24, 12},
                                      {25, 17},
                                      {47, 24},
                                      {192, 192},
                                      {193, 193},
                                      {300, 200},
                                      {450, 10},
                                      {450, 400}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns);
    const MatX random = MatX::NullaryExpr(rows, rows, [&] { return uniform(rng); });
    const MatX full = random * random.transpose() + MatX::Identity(rows, rows);
    const MatX expected = Eigen::LLT<MatX>(full).matrixL();
    MatX front = full.leftCols(columns);
    ASSERT_TRUE(factor_columns(front.data(), rows, columns, GetParam()));
    const MatX factor = front.triangularView<Eigen::Lower>();
    EXPECT_LT((factor - expected.leftCols(columns)).norm(), 1e-11 * expected.norm());

    // With the part of the other columns that it changes, the result is the Schur complement. Nothing is read from the
    // target.
    const int below = rows - columns;
    MatX update = MatX::Constant(below, below, std::numeric_limits<double>::quiet_NaN());
    negative_outer_product(front.data() + columns, rows, below, columns, update.data(), GetParam());
    const MatX corner = expected.bottomRightCorner(below, below);
    const MatX difference =
        (full.bottomRightCorner(below, below) + update - corner * corner.transpose()).triangularView<Eigen::Lower>();
    EXPECT_LT(difference.norm(), 1e-11 * full.norm());
  }
}

TEST_P(DenseFrontTest, EveryKernel_GivesTheSameBits) {
  std::mt19937 rng(16);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const auto& [rows, columns] : {std::pair{5, 3}, {25, 17}, {193, 193}, {300, 200}, {450, 10}, {450, 400}}) {
    const MatX random = MatX::NullaryExpr(rows, rows, [&] { return uniform(rng); });
    const MatX full = random * random.transpose() + MatX::Identity(rows, rows);
    const int below = rows - columns;
    const auto factored = [&](const MicroKernel& kernel) {
      MatX front = full.leftCols(columns), update = MatX::Zero(below, below);
      EXPECT_TRUE(factor_columns(front.data(), rows, columns, kernel));
      negative_outer_product(front.data() + columns, rows, below, columns, update.data(), kernel);
      // Entries above the diagonal are left over and mean nothing.
      return std::pair<MatX, MatX>(front.triangularView<Eigen::Lower>(), update.triangularView<Eigen::Lower>());
    };
    EXPECT_EQ(factored(GetParam()), factored(available_micro_kernels().back())) << rows << " x " << columns;
  }
}

TEST_P(DenseFrontTest, BadPivots_AreReportedInEveryColumn) {
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (int column = 0; column < 30; ++column) {
      MatX front = MatX::Identity(40, 40);
      front(column, column) = bad;
      EXPECT_FALSE(factor_columns(front.data(), 40, 30, GetParam())) << bad << " in column " << column;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DenseFrontTest,
                         testing::ValuesIn(available_micro_kernels().begin(), available_micro_kernels().end()),
                         [](const testing::TestParamInfo<MicroKernel>& tested) { return tested.param.name; });

TEST(PcgSolver, TooFewIterations_AreReported) {
  std::mt19937 rng(7);
  const BlockSparseMatrix matrix = grid_matrix(8, 8, 8, rng, 1e4);
  const auto solver = make_pcg_solver({.relative_tolerance = 1e-12, .max_iterations = 2});
  VecX x;
  ASSERT_EQ(solver->factorize(matrix), LinearSolveStatus::solved);
  EXPECT_EQ(solver->solve(random_vector(matrix.num_rows(), rng), x), LinearSolveStatus::not_converged);
  EXPECT_EQ(solver->counters().num_iterations, 2);
}

TEST(PcgSolver, OnePatch_IsADirectSolve) {
  std::mt19937 rng(8);
  const BlockSparseMatrix matrix = grid_matrix(3, 3, 3, rng);
  const auto solver = make_pcg_solver();
  VecX x;
  ASSERT_EQ(solver->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver->solve(random_vector(matrix.num_rows(), rng), x), LinearSolveStatus::solved);
  // The coarse level adds three directions to the exact inverse of the patch.
  EXPECT_LE(solver->counters().num_iterations, 5);
}

}  // namespace
}  // namespace clearance::test
