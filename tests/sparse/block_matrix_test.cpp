#include <gtest/gtest.h>

#include "clearance/base/parallel.h"
#include "sparse/random_systems.h"

namespace clearance::test {
namespace {

TEST(BlockSparseMatrix, Diagonal_IsAddedWhereThePatternLacksIt) {
  const std::vector<BlockKey> keys{make_block_key(2, 0), make_block_key(1, 1), make_block_key(3, 1)};
  const BlockSparseMatrix matrix(2, 4, keys);
  EXPECT_EQ(matrix.num_stored_blocks(), 6);
  for (int b = 0; b < 4; ++b) {
    EXPECT_EQ(matrix.column_rows(b)[0], b);
    EXPECT_GE(matrix.find_slot(b, b), 0);
  }
  EXPECT_GE(matrix.find_slot(2, 0), 0);
  EXPECT_EQ(matrix.find_slot(1, 0), -1);
  EXPECT_EQ(matrix.find_slot(3, 0), -1);
}

TEST(BlockSparseMatrix, Slots_AreEntriesOfScalarColumnsInAscendingRows) {
  std::mt19937 rng(3);
  for (const int dim : {1, 2, 3}) {
    const StencilList stencils = random_stencils(30, 12, rng);
    const BlockSparseMatrix matrix(dim, 12, BlockAssembler(stencils).keys());
    std::int64_t expected = 0;
    for (int column = 0; column < 12; ++column) {
      for (int c = 0; c < dim; ++c) {
        for (const int row : matrix.column_rows(column)) {
          EXPECT_EQ(matrix.find_slot(row, column) + c * matrix.slot_stride(column), expected);
          expected += dim;
        }
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(matrix.values().size()), expected);
  }
}

TEST(BlockSparseMatrix, PatternId_IsKeptByCopiesAndDiffersBetweenPatterns) {
  const BlockSparseMatrix a(3, 2, {});
  const BlockSparseMatrix b(3, 2, {});
  const BlockSparseMatrix copy = a;
  EXPECT_NE(a.pattern_id(), b.pattern_id());
  EXPECT_EQ(a.pattern_id(), copy.pattern_id());
}

TEST(BlockSparseMatrix, Multiply_MatchesTheDenseProduct) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const BlockSparseMatrix matrix = random_positive_matrix(2 + seed % 2, 3 + seed, 4 * seed, rng);
    const VecX x = random_vector(matrix.num_rows(), rng);
    const VecX expected = to_dense(matrix) * x;
    EXPECT_LT((matrix.multiply(x) - expected).norm(), 1e-13 * (1.0 + expected.norm()));
  }
}

TEST(BlockSparseMatrix, Multiply_IgnoresTheUpperHalfOfDiagonalBlocks) {
  BlockSparseMatrix matrix(2, 1, {});
  matrix.values() = {2.0, 1.0, 1e9, 3.0};
  const VecX y = matrix.multiply(VecX::Ones(2));
  EXPECT_EQ(y[0], 3.0);
  EXPECT_EQ(y[1], 4.0);
}

TEST(BlockSparseMatrix, FixBlocks_LeavesIdentityRowsAndColumns) {
  for (int seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const int dim = 2 + seed % 2;
    BlockSparseMatrix matrix = random_positive_matrix(dim, 15, 40, rng);
    MatX expected = to_dense(matrix);
    std::vector<char> is_fixed(15);
    for (int b = 0; b < 15; ++b) {
      is_fixed[b] = rng() % 3 == 0;
      if (!is_fixed[b]) continue;
      expected.middleRows(dim * b, dim).setZero();
      expected.middleCols(dim * b, dim).setZero();
      expected.block(dim * b, dim * b, dim, dim).setIdentity();
    }
    matrix.fix_blocks(is_fixed);
    EXPECT_EQ(to_dense(matrix), expected);
  }
}

TEST(BlockSparseMatrix, FixComponents_LeavesIdentityRowsAndColumns) {
  for (int seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const int dim = 2 + seed % 2;
    BlockSparseMatrix matrix = random_positive_matrix(dim, 15, 40, rng);
    MatX expected = to_dense(matrix);
    std::vector<char> held(15);
    for (int b = 0; b < 15; ++b) {
      held[b] = static_cast<char>(rng() % 8);
      for (int c = 0; c < dim; ++c) {
        if ((held[b] >> c & 1) == 0) continue;
        expected.row(dim * b + c).setZero();
        expected.col(dim * b + c).setZero();
        expected(dim * b + c, dim * b + c) = 1.0;
      }
    }
    matrix.fix_components(held);
    EXPECT_EQ(to_dense(matrix), expected);
  }
}

TEST(BlockSparseMatrix, Principal_MatchesTheDenseTwin) {
  std::mt19937 rng(5);
  for (const int dim : {2, 3}) {
    const BlockSparseMatrix matrix = random_positive_matrix(dim, 30, 60, rng);
    const MatX dense = to_dense(matrix);
    std::vector<int> blocks;
    for (int b = 0; b < 30; ++b) {
      if (rng() % 3 == 0) blocks.push_back(b);
    }
    const MatX part = to_dense(matrix.principal(blocks));
    ASSERT_EQ(part.rows(), dim * static_cast<int>(blocks.size()));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (std::size_t j = 0; j < blocks.size(); ++j) {
        EXPECT_EQ(part.block(dim * i, dim * j, dim, dim), dense.block(dim * blocks[i], dim * blocks[j], dim, dim));
      }
    }
  }
  EXPECT_EQ(BlockSparseMatrix(3, 4, {}).principal({}).num_blocks(), 0);
}

TEST(BlockSparseMatrix, SetZero_KeepsThePattern) {
  std::mt19937 rng(5);
  BlockSparseMatrix matrix = random_positive_matrix(3, 600, 2000, rng);
  const std::uint64_t id = matrix.pattern_id();
  matrix.set_zero();
  EXPECT_EQ(matrix.pattern_id(), id);
  EXPECT_EQ(matrix.multiply(VecX::Ones(matrix.num_rows())).norm(), 0.0);
}

TEST(BlockSparseMatrix, EmptyMatrix_MultipliesToAnEmptyVector) {
  const BlockSparseMatrix matrix(3, 0, {});
  EXPECT_EQ(matrix.multiply(VecX()).size(), 0);
}

TEST(BlockAssembler, Sum_MatchesTheDenseTwinForBothNodeOrders) {
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const int dim = 2 + seed % 2;
    const int num_nodes = 1 + seed;
    const StencilList stencils = random_stencils(5 * seed, num_nodes, rng, 1 + seed % 12);
    const std::vector<double> locals = random_locals(stencils, dim, rng);
    BlockAssembler assembler(stencils);
    BlockSparseMatrix matrix(dim, num_nodes, assembler.keys());
    ASSERT_TRUE(assembler.bind(matrix));
    add_to(assembler, matrix, locals, 2.0);
    add_to(assembler, matrix, locals, -0.5);
    const MatX expected = 1.5 * dense_sum(stencils, locals, dim, num_nodes);
    EXPECT_LT((to_dense(matrix) - expected).norm(), 1e-13 * (1.0 + expected.norm()));
  }
}

TEST(BlockAssembler, Batches_AddUpToTheWhole) {
  std::mt19937 rng(10);
  const int num_nodes = 40;
  const StencilList stencils = random_stencils(60, num_nodes, rng, 10);
  const std::vector<double> locals = random_locals(stencils, 3, rng);
  for (const std::int64_t room : {1, 55, 200, 100000}) {
    SCOPED_TRACE(room);
    BlockAssembler assembler(stencils, room);
    EXPECT_EQ(assembler.keys(), BlockAssembler(stencils).keys());
    BlockSparseMatrix matrix(3, num_nodes, assembler.keys());
    ASSERT_TRUE(assembler.bind(matrix));
    int next = 0;
    for (int batch = 0; batch < assembler.num_batches(); ++batch) {
      const StencilRange range = assembler.stencils_of(batch);
      EXPECT_EQ(range.begin, next);
      next = range.end;
      const std::int64_t first = stencils.first_local_block[range.begin], end = stencils.first_local_block[range.end];
      EXPECT_TRUE(end - first <= room || range.end == range.begin + 1);
      const std::span<const double> of_batch(locals.data() + 9 * first, 9 * (end - first));
      assembler.add_to<3>(matrix, of_batch, 1.0, batch);
    }
    EXPECT_EQ(next, stencils.count());
    const MatX expected = dense_sum(stencils, locals, 3, num_nodes);
    EXPECT_LT((to_dense(matrix) - expected).norm(), 1e-13 * expected.norm());
  }
}

TEST(BlockAssembler, Keys_AreSortedAndUnique) {
  std::mt19937 rng(7);
  const StencilList stencils = random_stencils(5000, 900, rng);
  const BlockAssembler assembler(stencils);
  std::set<BlockKey> expected;
  for (int s = 0; s < stencils.count(); ++s) {
    for (const int a : stencils.nodes_of(s)) {
      for (const int b : stencils.nodes_of(s)) {
        if (a >= b) expected.insert(make_block_key(a, b));
      }
    }
  }
  EXPECT_EQ(std::vector<BlockKey>(expected.begin(), expected.end()), assembler.keys());
}

TEST(BlockAssembler, TwoAssemblers_AddUpInTheUnionOfTheirPatterns) {
  std::mt19937 rng(8);
  const StencilList elements = random_stencils(300, 80, rng);
  const StencilList contacts = random_stencils(20, 80, rng);
  BlockAssembler first(elements);
  BlockAssembler second(contacts);
  std::vector<BlockKey> keys;
  std::set_union(first.keys().begin(), first.keys().end(), second.keys().begin(), second.keys().end(),
                 std::back_inserter(keys));
  BlockSparseMatrix matrix(3, 80, keys);
  ASSERT_TRUE(first.bind(matrix));
  ASSERT_TRUE(second.bind(matrix));
  const std::vector<double> element_locals = random_locals(elements, 3, rng);
  const std::vector<double> contact_locals = random_locals(contacts, 3, rng);
  first.add_to<3>(matrix, element_locals, 1.0);
  second.add_to<3>(matrix, contact_locals, 3.0);
  const MatX expected = dense_sum(elements, element_locals, 3, 80) + 3.0 * dense_sum(contacts, contact_locals, 3, 80);
  EXPECT_LT((to_dense(matrix) - expected).norm(), 1e-13 * expected.norm());
}

TEST(BlockAssembler, Bind_RefusesAPatternThatLacksABlock) {
  StencilList stencils;
  stencils.add(std::array{0, 1});
  stencils.add(std::array{2, 1, 0});
  BlockAssembler assembler(stencils);
  const std::vector<BlockKey> keys = assembler.keys();
  for (std::size_t missing = 0; missing < keys.size(); ++missing) {
    if (block_row(keys[missing]) == block_column(keys[missing])) continue;  // diagonals are always there
    std::vector<BlockKey> fewer = keys;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_FALSE(assembler.bind(BlockSparseMatrix(2, 3, fewer)));
  }
  EXPECT_FALSE(assembler.bind(BlockSparseMatrix(2, 2, {})));
  EXPECT_TRUE(assembler.bind(BlockSparseMatrix(2, 3, keys)));
}

TEST(BlockAssembler, NoStencils_AddNothing) {
  BlockAssembler assembler(StencilList{});
  BlockSparseMatrix matrix(3, 2, assembler.keys());
  EXPECT_TRUE(assembler.bind(matrix));
  assembler.add_to<3>(matrix, {}, 1.0);
  EXPECT_EQ(to_dense(matrix).norm(), 0.0);
}

TEST(BlockAssembler, Values_AreTheSameBitsForAnyNumberOfThreads) {
  std::vector<std::vector<double>> values;
  std::vector<VecX> products;
  for (const int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    std::mt19937 rng(9);
    const BlockSparseMatrix matrix = random_positive_matrix(3, 3000, 20000, rng);
    values.push_back(matrix.values());
    products.push_back(matrix.multiply(random_vector(matrix.num_rows(), rng)));
  }
  EXPECT_EQ(values[0], values[1]);
  EXPECT_EQ(values[0], values[2]);
  EXPECT_EQ(products[0], products[1]);
  EXPECT_EQ(products[0], products[2]);
}

}  // namespace
}  // namespace clearance::test
