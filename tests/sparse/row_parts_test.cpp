// A matrix cut into parts of its rows is the same matrix in another order.
#include "clearance/sparse/row_parts.h"

#include "sparse/random_systems.h"

namespace clearance::test {
namespace {

/// Returns the whole matrix from its parts, in their order of blocks.
MatX put_together(const BlockSparseMatrix& matrix, const RowParts& parts) {
  const int dim = matrix.dim();
  MatX dense = MatX::Zero(matrix.num_rows(), matrix.num_rows());
  std::vector<double> values;
  for (int part = 0; part < parts.num_parts(); ++part) {
    const RowPattern pattern = parts.pattern(matrix, part);
    EXPECT_EQ(pattern.first_row, parts.first_row(part));
    EXPECT_EQ(pattern.num_rows(), parts.num_rows(part));
    parts.copy_values(matrix, part, values);
    std::size_t next = 0;
    for (int r = 0; r < pattern.num_rows(); ++r) {
      const int begin = pattern.row_starts[r], end = pattern.row_starts[r + 1];
      EXPECT_TRUE(std::is_sorted(pattern.columns.begin() + begin, pattern.columns.begin() + end));
      for (int i = 0; i < dim; ++i) {
        for (int k = begin; k < end; ++k) {
          for (int j = 0; j < dim; ++j) {
            dense(dim * (pattern.first_row + r) + i, dim * pattern.columns[k] + j) = values.at(next++);
          }
        }
      }
    }
    EXPECT_EQ(next, values.size());
  }
  return dense;
}

TEST(RowParts, TogetherAreTheSymmetricMatrix) {
  for (int seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const int dim = 1 + seed % 3;
    const BlockSparseMatrix matrix = random_positive_matrix(dim, 1 + 7 * seed, 10 * seed, rng, 1.0, 1.0);
    for (const int num_parts : {1, 2, 3, 8}) {
      const RowParts parts(matrix, cut_rows(matrix, num_parts), num_parts);
      ASSERT_EQ(parts.num_parts(), num_parts);
      MatX expected(matrix.num_rows(), matrix.num_rows());
      const MatX dense = to_dense(matrix);
      for (int a = 0; a < matrix.num_blocks(); ++a) {
        for (int b = 0; b < matrix.num_blocks(); ++b) {
          expected.block(dim * a, dim * b, dim, dim) =
              dense.block(dim * parts.order()[a], dim * parts.order()[b], dim, dim);
        }
      }
      EXPECT_EQ(put_together(matrix, parts), expected);
    }
  }
}

TEST(RowParts, VectorsGoToThePartsAndBack) {
  std::mt19937 rng(1);
  const BlockSparseMatrix matrix = grid_matrix(6, 5, 4, rng);
  const RowParts parts(matrix, cut_rows(matrix, 3), 3);
  const VecX vector = random_vector(matrix.num_rows(), rng);
  VecX back = VecX::Zero(vector.size());
  for (int part = 0; part < 3; ++part) {
    EXPECT_NEAR(parts.num_rows(part), 40, 12) << "parts should be about as large as each other";
    const MatX rows = parts.rows_of(vector, part);
    parts.put_rows(rows.data(), part, back);
  }
  EXPECT_EQ(back, vector);
}

}  // namespace
}  // namespace clearance::test
