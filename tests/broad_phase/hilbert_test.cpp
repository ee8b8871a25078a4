#include "clearance/broad_phase/hilbert.h"

#include <gtest/gtest.h>

#include "surfaces.h"

namespace clearance {
namespace {

std::vector<Box> random_boxes(Rng& rng, int count, double size) {
  std::vector<Box> boxes;
  const VecX x = random_vector(rng, 3 * count, -size, size);
  compute_vertex_boxes(3, x, x, 0.0, {}, boxes);
  return boxes;
}

TEST(Hilbert, ConsecutiveCellsShareAFace) {
  // The middles of 16^3 cells, in the order of their codes: every step is to a neighbour.
  std::vector<std::pair<std::uint64_t, std::array<int, 3>>> cells;
  for (int i = 0; i < 4096; ++i) {
    const std::array<int, 3> at = {i % 16, i / 16 % 16, i / 256};
    const auto middle = [&](std::size_t k) { return (static_cast<float>(at[k]) + 0.5F) / 16.0F; };
    cells.emplace_back(hilbert_code(middle(0), middle(1), middle(2)), at);
  }
  std::sort(cells.begin(), cells.end());
  for (std::size_t i = 1; i < cells.size(); ++i) {
    int steps = 0;
    for (std::size_t k = 0; k < 3; ++k) steps += std::abs(cells[i].second[k] - cells[i - 1].second[k]);
    ASSERT_EQ(steps, 1) << "cell " << i;
  }
}

TEST(Hilbert, CodesFillTheirRangeAndTakeAnyNumber) {
  EXPECT_EQ(hilbert_code(0.0F, 0.0F, 0.0F), 0U);
  EXPECT_EQ(hilbert_code(1.0F, 0.0F, 0.0F), (std::uint64_t{1} << 63) - 1);  // the curve ends at a neighbouring corner
  EXPECT_EQ(hilbert_code(-1.0F, std::numeric_limits<float>::quiet_NaN(), -0.0F), 0U);
  EXPECT_EQ(hilbert_code(1e30F, -1e30F, -1.0F), (std::uint64_t{1} << 63) - 1);
}

TEST(Hilbert, OrderIsSortedAndAPermutation) {
  Rng rng(1);
  for (const int count : {1, 2, 7, 1000, 5000}) {
    HilbertOrder order;
    order.sort(random_boxes(rng, count, 10.0));
    std::vector<int> indices;
    for (std::size_t i = 0; i < order.keys.size(); ++i) {
      EXPECT_LE(order.keys[i == 0 ? 0 : i - 1].code, order.keys[i].code);
      indices.push_back(order.keys[i].index);
    }
    std::sort(indices.begin(), indices.end());
    ASSERT_EQ(static_cast<int>(indices.size()), count);
    for (int i = 0; i < count; ++i) EXPECT_EQ(indices[i], i);
  }
}

TEST(Hilbert, EqualCodesKeepTheOrderOfTheirIndices) {
  HilbertOrder order;
  std::vector<Box> boxes(100, Box{});
  order.sort(boxes);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order.keys[i].index, i);
}

TEST(Hilbert, NeighboursInTheOrderAreCloseInSpace) {
  // A grid of 32 by 32 boxes: the walk along the order is far shorter than a walk at random (21.7 a step).
  VecX x(3 * 1024);
  for (int i = 0; i < 1024; ++i) x.segment<3>(3 * i) = Vec<3>((i * 7) % 32, ((i * 7) / 32) % 32, 0.0);
  std::vector<Box> boxes;
  compute_vertex_boxes(3, x, x, 0.0, {}, boxes);
  HilbertOrder order;
  order.sort(boxes);
  double length = 0.0;
  for (std::size_t i = 1; i < 1024; ++i) {
    const Vec<3> a = x.segment<3>(3 * order.keys[i - 1].index);
    const Vec<3> b = x.segment<3>(3 * order.keys[i].index);
    length += (a - b).lpNorm<1>();
  }
  EXPECT_LT(length / 1023.0, 1.5);
}

}  // namespace
}  // namespace clearance
