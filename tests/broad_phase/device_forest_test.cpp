// The broad phase on a device: the pairs of the CPU in the same order, for any work groups and orders of work.
#include "clearance/broad_phase/device_forest.h"

#include "../device/test_device.h"
#include "expect_candidates.h"
#include "surfaces.h"

namespace clearance {
namespace {

std::vector<DeviceTuning> tunings() {
  return {{}, {1, 0}, {3, 0}, {0, 11}, {5, 7}};
}

std::shared_ptr<DeviceUse> use_of(const DeviceTuning& tuning) {
  auto use = std::make_shared<DeviceUse>();
  use->device = open_test_device(tuning);
  return use;
}

std::size_t expect_device_equals_forest(const TestSurface& s, const std::shared_ptr<DeviceUse>& use, Rng& rng) {
  DeviceForest device(s.dim, s.topology, use);
  Forest forest(s.dim, s.topology);
  const double inflation = uniform(rng, 0.0, 0.05);
  const std::vector<double> deviation = random_deviation(rng, s);
  const Candidates expected = forest.find_candidates(s.x_t0, s.x_t1, inflation);
  expect_equal(device.find_candidates(s.x_t0, s.x_t1, inflation), expected);
  expect_equal(device.find_candidates(s.x_t0, s.x_t1, inflation, deviation),
               forest.find_candidates(s.x_t0, s.x_t1, inflation, deviation));
  EXPECT_EQ(device.find_intersection_candidates(s.x_t1), forest.find_intersection_candidates(s.x_t1));
  EXPECT_EQ(use->failure, "");
  return expected.size();
}

class DeviceForestInDimension : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimension, DeviceForestInDimension, testing::Values(2, 3));

TEST_P(DeviceForestInDimension, EqualsTheForestOnManyBodies) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  std::size_t num_candidates = 0;
  for (const DeviceTuning& tuning : tunings()) {
    const auto use = use_of(tuning);
    for (unsigned seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(seed);
      Rng rng(seed);
      const TestSurface bodies = random_bodies(rng, GetParam(), 1 + random_index(rng, 30), uniform(rng, 0.1, 6.0));
      num_candidates += expect_device_equals_forest(bodies, use, rng);
      expect_device_equals_forest(shuffled(bodies, rng), use, rng);
    }
    EXPECT_GT(use->broad_phase.times.num_on_device, 0);
    EXPECT_EQ(use->broad_phase.times.num_on_cpu, 0);
  }
  EXPECT_GT(num_candidates, 10000U);
}

TEST_P(DeviceForestInDimension, EqualsTheForestOnSpheresAndCapsules) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto use = use_of({});
  for (unsigned seed = 300; seed < 310; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    TestSurface bodies = random_bodies(rng, GetParam(), 30, uniform(rng, 0.1, 2.0));
    bodies.topology.radius.assign(bodies.topology.num_vertices, 0.0);
    for (double& r : bodies.topology.radius) r = std::max(0.0, uniform(rng, -0.1, 0.1));
    expect_device_equals_forest(bodies, use, rng);
    expect_device_equals_forest(shuffled(bodies, rng), use, rng);
  }
}

TEST_P(DeviceForestInDimension, EqualsTheForestOnNumbersAtTheEndsOfFloat) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto use = use_of({});
  for (unsigned seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const TestSurface bodies = random_bodies(rng, GetParam(), 8, 0.5);
    // Denormal numbers, which devices may take for zero; infinite boxes; no numbers; all in one point, with both zeros.
    for (const double scale : {1e-42, 1e-60, 1e300, 0.0, -0.0}) {
      TestSurface scaled = bodies;
      scaled.x_t0 *= scale;
      scaled.x_t1 *= scale;
      Forest forest(scaled.dim, scaled.topology);
      DeviceForest device(scaled.dim, scaled.topology, use);
      for (const double inflation : {0.0, 1e-43}) {
        expect_equal(device.find_candidates(scaled.x_t0, scaled.x_t1, inflation),
                     forest.find_candidates(scaled.x_t0, scaled.x_t1, inflation));
      }
    }
    TestSurface broken = bodies;
    for (Eigen::Index i = 0; i < broken.x_t1.size(); i += 7) broken.x_t1[i] = std::numeric_limits<double>::quiet_NaN();
    Forest forest(broken.dim, broken.topology);
    DeviceForest device(broken.dim, broken.topology, use);
    expect_equal(device.find_candidates(broken.x_t0, broken.x_t1, 0.01),
                 forest.find_candidates(broken.x_t0, broken.x_t1, 0.01));
  }
}

TEST_P(DeviceForestInDimension, AnswersDoNotDependOnEarlierQueries) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto use = use_of({});
  Rng rng(5);
  TestSurface s = random_bodies(rng, GetParam(), 20, 2.0);
  DeviceForest device(s.dim, s.topology, use);
  Forest forest(s.dim, s.topology);
  // More queries than between two sorts, with bodies that leave their order.
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    s.x_t0 = s.x_t1;
    s.x_t1 += random_vector(rng, s.x_t1.size(), -0.05, 0.05);
    expect_equal(device.find_candidates(s.x_t0, s.x_t1, 0.01), forest.find_candidates(s.x_t0, s.x_t1, 0.01));
  }
}

TEST(DeviceForest, ManyPairsGrowTheMemoryAndTooManyAreNone) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto use = use_of({});
  Rng rng(9);
  TestSurface s;
  add_body(s, rng, 20, Vec<3>::Zero(), 1.0, 0, -1);
  s.x_t1 = s.x_t0;
  DeviceForest device(3, s.topology, use);
  Forest forest(3, s.topology);
  // All boxes overlap.
  const Candidates expected = forest.find_candidates(s.x_t0, s.x_t1, 100.0);
  ASSERT_GT(expected.edge_edge.size(), 500000U);
  expect_equal(device.find_candidates(s.x_t0, s.x_t1, 100.0), expected);
  device.limit_pairs(expected.edge_edge.size() - 1);
  const Candidates none = device.find_candidates(s.x_t0, s.x_t1, 100.0);
  EXPECT_FALSE(none.is_complete);
  EXPECT_EQ(none.size(), 0U);
  device.limit_pairs(expected.edge_edge.size());
  expect_equal(device.find_candidates(s.x_t0, s.x_t1, 100.0), expected);
  EXPECT_EQ(use->failure, "");
}

TEST(DeviceForest, GoesOnWithTheCpuWhenTheDeviceFails) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto use = use_of({});
  Rng rng(3);
  const TestSurface s = random_bodies(rng, 3, 10, 1.0);
  DeviceForest device(3, s.topology, use);
  use->failure = "told so";
  expect_equal(device.find_candidates(s.x_t0, s.x_t1, 0.02),
               Forest(3, s.topology).find_candidates(s.x_t0, s.x_t1, 0.02));
  EXPECT_EQ(use->broad_phase.times.num_on_device, 0);
  EXPECT_EQ(use->broad_phase.times.num_on_cpu, 1);
}

TEST(DeviceForest, IsMadeWithinAScopeOnly) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  Rng rng(3);
  const TestSurface s = random_bodies(rng, 3, 10, 1.0);
  const auto use = use_of({});
  {
    const DeviceScope scope(use);
    EXPECT_NE(dynamic_cast<DeviceForest*>(make_broad_phase(3, s.topology).get()), nullptr);
  }
  EXPECT_NE(dynamic_cast<Forest*>(make_broad_phase(3, s.topology).get()), nullptr);
}

}  // namespace
}  // namespace clearance
