#include "clearance/broad_phase/morton.h"

#include <gtest/gtest.h>

#include "surfaces.h"

namespace clearance {
namespace {

std::vector<Box> random_boxes(Rng& rng, int count, double size) {
  std::vector<Box> boxes;
  const VecX x = random_vector(rng, 3 * count, -size, size);
  compute_vertex_boxes(3, x, x, 0.0, boxes);
  return boxes;
}

TEST(Morton, CodeInterleavesBits) {
  EXPECT_EQ(morton_code(0.0F, 0.0F, 0.0F), 0U);
  EXPECT_EQ(morton_code(0.5F, 0.0F, 0.0F), std::uint64_t{1} << 60);
  EXPECT_EQ(morton_code(0.0F, 0.5F, 0.0F), std::uint64_t{1} << 61);
  EXPECT_EQ(morton_code(0.0F, 0.0F, 0.5F), std::uint64_t{1} << 62);
  EXPECT_EQ(morton_code(1.0F, 2.0F, 1e30F), (std::uint64_t{1} << 63) - 1);
  EXPECT_EQ(morton_code(-1.0F, std::numeric_limits<float>::quiet_NaN(), -0.0F), 0U);
}

TEST(Morton, OrderIsSortedAndAPermutation) {
  Rng rng(1);
  for (const int count : {1, 2, 7, 1000, 5000}) {
    MortonOrder order;
    order.sort(random_boxes(rng, count, 10.0));
    std::vector<int> indices;
    for (std::size_t i = 0; i < order.keys.size(); ++i) {
      EXPECT_LE(order.keys[i == 0 ? 0 : i - 1].code, order.keys[i].code);
      indices.push_back(order.keys[i].index);
    }
    std::sort(indices.begin(), indices.end());
    ASSERT_EQ(static_cast<int>(indices.size()), count);
    for (int i = 0; i < count; ++i) EXPECT_EQ(indices[static_cast<std::size_t>(i)], i);
  }
}

TEST(Morton, EqualCodesKeepTheOrderOfTheirIndices) {
  MortonOrder order;
  std::vector<Box> boxes(100, Box{});
  order.sort(boxes);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order.keys[static_cast<std::size_t>(i)].index, i);
}

TEST(Morton, NeighboursInTheOrderAreCloseInSpace) {
  // A grid of 32 by 32 boxes: the walk along the order is far shorter than a walk at random (21.7 a step).
  VecX x(3 * 1024);
  for (int i = 0; i < 1024; ++i) x.segment<3>(3 * i) = Vec<3>((i * 7) % 32, ((i * 7) / 32) % 32, 0.0);
  std::vector<Box> boxes;
  compute_vertex_boxes(3, x, x, 0.0, boxes);
  MortonOrder order;
  order.sort(boxes);
  double length = 0.0;
  for (std::size_t i = 1; i < 1024; ++i) {
    const Vec<3> a = x.segment<3>(3 * order.keys[i - 1].index);
    const Vec<3> b = x.segment<3>(3 * order.keys[i].index);
    length += (a - b).lpNorm<1>();
  }
  EXPECT_LT(length / 1023.0, 4.0);
}

}  // namespace
}  // namespace clearance
