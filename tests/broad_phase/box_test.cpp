#include "clearance/broad_phase/box.h"

#include <gtest/gtest.h>

#include <cmath>

#include "surfaces.h"

namespace clearance {
namespace {

constexpr double max_float = std::numeric_limits<float>::max();
constexpr float inf = std::numeric_limits<float>::infinity();

// Returns the value rounded down; every lane rounds alike.
float down(double value) {
  const BoxRow row = round_down(Lanes(value));
  EXPECT_EQ(row[0], row[3]);
  return row[0];
}
float up(double value) {
  const BoxRow row = round_up(Lanes(value));
  EXPECT_EQ(row[0], row[3]);
  return row[0];
}

void expect_tight_rounding(double value) {
  const float lo = down(value);
  const float hi = up(value);
  EXPECT_LE(static_cast<double>(lo), value);
  EXPECT_GE(static_cast<double>(hi), value);
  // The bounds are tight: no float lies between a bound and the value.
  EXPECT_GT(static_cast<double>(std::nextafter(lo, inf)), value) << value;
  EXPECT_LT(static_cast<double>(std::nextafter(hi, -inf)), value) << value;
}

TEST(Box, RoundingIsOutwardsAndTight) {
  Rng rng(1);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::ldexp(uniform(rng, -1.0, 1.0), static_cast<int>(uniform(rng, -160.0, 127.0)));
    expect_tight_rounding(value);
  }
  for (const double value : {1.0 + 1e-15, 1.0 - 1e-15, 0.1, -0.1, 1e-300, -1e-300, 1e-45, -1e-45, 1e-38, -1e-38}) {
    expect_tight_rounding(value);
  }
}

TEST(Box, FloatsRoundToThemselves) {
  for (const float value : {0.0F, 1.0F, -1.5F, 3.0e38F, -3.0e38F, 1.0e-45F, -1.0e-45F}) {
    EXPECT_EQ(down(value), value);
    EXPECT_EQ(up(value), value);
  }
}

TEST(Box, RoundingOutsideOfTheRangeOfFloatStaysOutwards) {
  EXPECT_EQ(up(1e300), inf);
  EXPECT_EQ(down(1e300), static_cast<float>(max_float));
  EXPECT_EQ(down(-1e300), -inf);
  EXPECT_EQ(up(-1e300), static_cast<float>(-max_float));
}

TEST(Box, VertexBoxesHoldTheInflatedPathUpToTheShiftOfTheOrigin) {
  Rng rng(2);
  for (const double far_away : {0.0, 1e3, 1e9}) {
    const VecX x_t0 = random_vector(rng, 300, -1.0, 1.0).array() + far_away;
    const VecX x_t1 = random_vector(rng, 300, -1.0, 1.0).array() + far_away;
    std::vector<Box> boxes;
    compute_vertex_boxes(3, x_t0, x_t1, 0.25, {}, boxes);
    ASSERT_EQ(boxes.size(), 100U);
    // All boxes are shifted by the same amount: compare differences to the first one.
    for (std::size_t v = 0; v < 100; ++v) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto i = static_cast<Eigen::Index>(3 * v + k);
        const auto j = static_cast<Eigen::Index>(k);
        const double lo_to_hi = (std::min(x_t0[i], x_t1[i]) - 0.25) - (std::max(x_t0[j], x_t1[j]) + 0.25);
        const double tolerance = 1e-15 * far_away;  // the test's own rounding
        EXPECT_LE(static_cast<double>(boxes[v].lo[k]) - boxes[0].hi[k], lo_to_hi + tolerance);
        EXPECT_NEAR(static_cast<double>(boxes[v].lo[k]) - boxes[0].hi[k], lo_to_hi, 1e-6 + tolerance);
      }
    }
  }
}

TEST(Box, BoundHoldsTheBoxesOfItsVerticesAndIsHardlyLarger) {
  Rng rng(4);
  for (const int dim : {2, 3}) {
    for (const double far_away : {0.0, 1e3, 1e9}) {
      const VecX x_t0 = random_vector(rng, 100 * dim, -1.0, 1.0).array() + far_away;
      const VecX x_t1 = random_vector(rng, 100 * dim, -1.0, 1.0).array() + far_away;
      const std::vector<double> deviation(100, 0.125);
      const VertexBoxes vertices(dim, x_t0, x_t1, 0.25, deviation);
      const std::vector<int> some = {5, 3, 99, 42};
      std::vector<Box> boxes(100);
      vertices.compute(some, boxes);
      Box all = empty_box();
      for (const int v : some) all.extend(boxes[v]);
      const Box bound = vertices.bound(some);
      EXPECT_EQ(bound.lo, all.lo);
      EXPECT_EQ(bound.hi, all.hi);
      // A vertex that strays farther makes the bound larger than need be, never smaller.
      std::vector<double> uneven = deviation;
      uneven[3] = 1.0;
      const VertexBoxes others(dim, x_t0, x_t1, 0.25, uneven);
      others.compute(some, boxes);
      for (const int v : some) {
        Box both = others.bound(some);
        const Box before = both;
        both.extend(boxes[v]);
        EXPECT_EQ(both.lo, before.lo);
        EXPECT_EQ(both.hi, before.hi);
      }
    }
  }
}

TEST(Box, OverlapInDoubleIsNeverLostInFloat) {
  // Boxes that touch in one number, far from the origin and of all sizes.
  Rng rng(3);
  int num_overlaps = 0;
  for (int i = 0; i < 20000; ++i) {
    const double scale = std::pow(10.0, uniform(rng, -9.0, 9.0));
    const double r = std::pow(10.0, uniform(rng, -12.0, 0.0)) * scale;
    VecX x(6);
    x << scale, scale, scale, scale, scale, scale;
    x[3] += r * uniform(rng, 1.9, 2.0000000001);
    if (x[0] + r < x[3] - r) continue;
    ++num_overlaps;
    std::vector<Box> boxes;
    compute_vertex_boxes(3, x, x, r, {}, boxes);
    EXPECT_TRUE(boxes[0].overlaps(boxes[1])) << x.transpose() << " r " << r;
  }
  EXPECT_GT(num_overlaps, 15000);
}

TEST(Box, PathsWithinTheDeviationStayInTheBox) {
  Rng rng(4);
  const VecX x_t0 = random_vector(rng, 300, -1.0, 1.0);
  const VecX x_t1 = random_vector(rng, 300, -1.0, 1.0);
  std::vector<double> deviation(100);
  for (double& d : deviation) d = uniform(rng, 0.0, 0.5);
  deviation[0] = 0.0;
  std::vector<Box> straight;
  std::vector<Box> boxes;
  compute_vertex_boxes(3, x_t0, x_t1, 0.25, {}, straight);
  compute_vertex_boxes(3, x_t0, x_t1, 0.25, deviation, boxes);
  EXPECT_EQ(boxes[0].lo, straight[0].lo);
  EXPECT_EQ(boxes[0].hi, straight[0].hi);
  for (std::size_t v = 1; v < 100; ++v) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(straight[v].lo[k] - boxes[v].lo[k], deviation[v], 1e-6);
      EXPECT_NEAR(boxes[v].hi[k] - straight[v].hi[k], deviation[v], 1e-6);
    }
  }
}

TEST(Box, FarFromTheOriginBoxesKeepTheirResolution) {
  // At 1e6 neighbouring floats are 0.0625 apart: without the shift to the middle these points would overlap.
  VecX x(6);
  x << 1e6, 1e6, 1e6, 1e6 + 1e-3, 1e6, 1e6;
  std::vector<Box> boxes;
  compute_vertex_boxes(3, x, x, 1e-4, {}, boxes);
  EXPECT_FALSE(boxes[0].overlaps(boxes[1]));
  compute_vertex_boxes(3, x, x, 1e-3, {}, boxes);
  EXPECT_TRUE(boxes[0].overlaps(boxes[1]));
}

}  // namespace
}  // namespace clearance
