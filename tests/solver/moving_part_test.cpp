// The part of a scene that the next direction moves.
#include "clearance/solver/moving_part.h"

#include <gtest/gtest.h>

namespace clearance {
namespace {

/// Returns a matrix that couples every block to the next.
BlockSparseMatrix chain(int num_blocks) {
  std::vector<BlockKey> keys;
  for (int b = 0; b < num_blocks; ++b) {
    keys.push_back(make_block_key(b, b));
    if (b + 1 < num_blocks) keys.push_back(make_block_key(b + 1, b));
  }
  return BlockSparseMatrix(3, num_blocks, keys);
}

/// Returns a motion in which all blocks creep, and those in [first, last] move by `length`.
VecX motion(int num_blocks, int first, int last, double length) {
  VecX dy = VecX::Constant(3 * num_blocks, 1e-6);
  for (int b = first; b <= last; ++b) dy[3 * b + 1] = -length;
  return dy;
}

/// Returns the moving part after the first directions of everything.
MovingPart<3> warmed_up() {
  MovingPart<3> part;
  for (int i = 0; i < 2; ++i) {
    part.choose(motion(1000, 400, 402, 0.1), chain(1000), 0.0);
    EXPECT_TRUE(part.is_everything());
  }
  return part;
}

}  // namespace

TEST(MovingPart, HoldsWhatMovesAndItsNeighbours) {
  const BlockSparseMatrix matrix = chain(1000);
  MovingPart<3> part = warmed_up();
  part.choose(motion(1000, 400, 402, 0.1), matrix, 1e-3);
  EXPECT_EQ(part.blocks(), (std::vector<int>{398, 399, 400, 401, 402, 403, 404}));
  EXPECT_EQ(std::count(part.marks().begin(), part.marks().end(), 1), 7);
  // The part follows the motion.
  part.choose(motion(1000, 404, 404, 0.05), matrix, 1e-3);
  EXPECT_EQ(part.blocks(), (std::vector<int>{402, 403, 404, 405, 406}));
}

TEST(MovingPart, IsEverythingOnceItsDirectionsAreShort) {
  const BlockSparseMatrix matrix = chain(1000);
  for (const double tolerance : {0.0, 2e-2}) {
    MovingPart<3> part = warmed_up();
    part.choose(motion(1000, 10, 20, 0.1), matrix, tolerance);
    ASSERT_FALSE(part.is_everything());
    part.choose(motion(1000, 10, 20, tolerance > 0.0 ? 0.019 : 0.009), matrix, tolerance);
    EXPECT_TRUE(part.is_everything());
    EXPECT_TRUE(part.marks().empty());
  }
}

TEST(MovingPart, NeverMovesAloneForEver) {
  const BlockSparseMatrix matrix = chain(1000);
  MovingPart<3> part = warmed_up();
  part.choose(motion(1000, 10, 20, 0.1), matrix, 0.0);
  int num_directions = 0;
  for (; !part.is_everything() && num_directions < 100; ++num_directions) {
    part.choose(motion(1000, 10, 20, 0.1), matrix, 0.0);
  }
  EXPECT_LE(num_directions, 20);
}

TEST(MovingPart, IsEverythingWhereMostMovesOrLittleIsSaved) {
  MovingPart<3> part = warmed_up();
  part.choose(motion(1000, 0, 600, 0.1), chain(1000), 0.0);
  EXPECT_TRUE(part.is_everything());
  part.choose(motion(100, 5, 6, 0.1), chain(100), 0.0);
  EXPECT_TRUE(part.is_everything());
  part.choose(VecX::Zero(3000), chain(1000), 0.0);
  EXPECT_TRUE(part.is_everything());
}

}  // namespace clearance
