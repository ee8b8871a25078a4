// Pairs that a device leaves out: they have no force, and collision detection does not stop at them.
#include "clearance/broad_phase/device_culling.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "../device/test_device.h"
#include "clearance/ccd/ccd.h"

namespace clearance {
namespace {

using Rng = std::mt19937_64;

double uniform(Rng& rng, double lo, double hi) {
  return std::uniform_real_distribution<double>(lo, hi)(rng);
}

/// Returns a number whose logarithm is uniform.
double log_uniform(Rng& rng, double lo, double hi) {
  return std::exp(uniform(rng, std::log(lo), std::log(hi)));
}

Vec<3> random_point(Rng& rng, double size) {
  return {uniform(rng, -size, size), uniform(rng, -size, size), uniform(rng, -size, size)};
}

/// Many pairs with vertices of their own.
struct Batch {
  SurfaceTopology surface;
  VecX x_t0, x_t1;
  Candidates pairs;

  std::vector<CcdQuery> queries() const {
    std::vector<CcdQuery> result;
    const auto add = [&](QueryKind kind, const std::array<int, 4>& vertices) {
      CcdQuery query{kind, {}};
      for (std::size_t k = 0; k < 4; ++k) {
        query.motion.t0[k] = x_t0.segment<3>(3 * vertices[k]);
        query.motion.t1[k] = x_t1.segment<3>(3 * vertices[k]);
      }
      result.push_back(query);
    };
    for (const auto& [p, i] : pairs.point_triangle) {
      const auto& t = surface.triangles[i];
      add(QueryKind::point_triangle, {p, t[0], t[1], t[2]});
    }
    for (const auto& [i, j] : pairs.edge_edge) {
      const auto &a = surface.edges[i], &b = surface.edges[j];
      add(QueryKind::edge_edge, {a[0], a[1], b[0], b[1]});
    }
    return result;
  }
};

/// Four points of size 1: the vertices of a pair at one time. Slivers, parallel edges, flat and tiny primitives among
/// them.
std::array<Vec<3>, 4> random_shape(Rng& rng) {
  std::array<Vec<3>, 4> x;
  for (Vec<3>& point : x) point = random_point(rng, 1.0);
  const double small = log_uniform(rng, 1e-12, 1.0);
  switch (std::uniform_int_distribution<int>(0, 5)(rng)) {
    case 0:  // parallel edges, or a triangle that is nearly a line
      x[3] = x[2] + uniform(rng, -2.0, 2.0) * (x[1] - x[0]) + small * random_point(rng, 1.0);
      break;
    case 1:  // a tiny second primitive
      for (std::size_t k = 2; k < 4; ++k) x[k] = x[1] + small * random_point(rng, 1.0);
      break;
    case 2:  // all in about one plane
      for (Vec<3>& point : x) point[2] *= small;
      break;
    case 3:  // on axes, as in grids
      for (Vec<3>& point : x) point = point.array().round();
      break;
    default:
      break;
  }
  return x;
}

Batch random_batch(Rng& rng, int num_pairs, double scale) {
  Batch batch;
  std::vector<Vec<3>> t0, t1;
  for (int i = 0; i < num_pairs; ++i) {
    std::array<Vec<3>, 4> a = random_shape(rng), b = a;
    // The first primitive lies away from the second by anything from nothing to a few sizes, and all move.
    const bool is_edge_edge = i % 2 == 1;
    const Vec<3> away = log_uniform(rng, 1e-8, 4.0) * random_point(rng, 1.0).normalized();
    for (std::size_t k = 0; k < (is_edge_edge ? 2U : 1U); ++k)
      a[k] = (is_edge_edge ? a[k] : 0.3 * (a[1] + a[2] + a[3])) + away;
    const double speed = log_uniform(rng, 1e-6, 3.0);
    for (std::size_t k = 0; k < 4; ++k) b[k] = a[k] + speed * random_point(rng, 1.0);
    const Vec<3> place = random_point(rng, 3.0);
    const int first = static_cast<int>(t0.size());
    for (std::size_t k = 0; k < 4; ++k) {
      t0.push_back(scale * (a[k] + place));
      t1.push_back(scale * (b[k] + place));
    }
    if (is_edge_edge) {
      const int edge = static_cast<int>(batch.surface.edges.size());
      batch.surface.edges.push_back({first, first + 1});
      batch.surface.edges.push_back({first + 2, first + 3});
      batch.pairs.edge_edge.push_back({edge, edge + 1});
    } else {
      batch.pairs.point_triangle.push_back({first, static_cast<int>(batch.surface.triangles.size())});
      batch.surface.triangles.push_back({first + 1, first + 2, first + 3});
    }
  }
  batch.surface.num_vertices = static_cast<int>(t0.size());
  batch.x_t0.resize(3 * batch.surface.num_vertices);
  batch.x_t1.resize(batch.x_t0.size());
  for (int v = 0; v < batch.surface.num_vertices; ++v) {
    batch.x_t0.segment<3>(3 * v) = t0[v];
    batch.x_t1.segment<3>(3 * v) = t1[v];
  }
  return batch;
}

std::shared_ptr<DeviceUse> use_of(const DeviceTuning& tuning) {
  auto use = std::make_shared<DeviceUse>();
  use->device = open_test_device(tuning);
  return use;
}

/// Returns, for every pair in the order of `queries`, whether it is left out.
std::vector<char> left_out(const Batch& batch, const CullingBounds& bounds, const std::shared_ptr<DeviceUse>& use) {
  const auto rest = DeviceCulling(batch.surface, use).without_distant(batch.pairs, batch.x_t0, batch.x_t1, {}, bounds);
  std::vector<char> result;
  const auto compare = [&](const auto& all, const auto& kept) {
    auto next = kept.begin();
    for (const auto& pair : all) {
      const bool is_kept = next != kept.end() && *next == pair;
      if (is_kept) ++next;
      result.push_back(is_kept ? 0 : 1);
    }
    EXPECT_EQ(next, kept.end());
  };
  compare(batch.pairs.point_triangle, rest->point_triangle);
  compare(batch.pairs.edge_edge, rest->edge_edge);
  return result;
}

/// Asks CCD about the pairs that are left out; returns their number.
std::size_t expect_harmless(const Batch& batch, const CullingBounds& bounds, const std::vector<char>& is_left_out) {
  const std::vector<CcdQuery> all = batch.queries();
  std::vector<CcdQuery> asked;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (is_left_out[k] != 0) asked.push_back(all[k]);
  }
  std::vector<CcdResult> results(asked.size());
  // The solver asks which part of the path keeps a part of the gap.
  CcdOptions of_step;
  of_step.min_separation = bounds.min_separation;
  of_step.gap_fraction = bounds.gap_fraction;
  of_step.max_iterations = 2000;
  find_impacts(asked, of_step, results);
  for (const CcdResult& result : results) {
    EXPECT_EQ(result.status, CcdStatus::no_impact);
    EXPECT_EQ(result.toi, 1.0);
  }
  // Is it within the activation distance anywhere? Exact arithmetic decides what is open.
  CcdOptions of_force;
  of_force.min_separation = bounds.activation;
  of_force.is_exact = true;
  find_impacts(asked, of_force, results);
  for (const CcdResult& result : results) EXPECT_EQ(result.status, CcdStatus::no_impact);
  return asked.size();
}

TEST(DeviceCulling, LeavesOutNoPairThatMattersAmongAMillion) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  // CLEARANCE_FUZZ_CULLING sets the number of millions.
  const char* millions = std::getenv("CLEARANCE_FUZZ_CULLING");
  const unsigned num_batches = 100 * (millions == nullptr ? 1U : static_cast<unsigned>(std::stoul(millions)));
  constexpr int num_pairs = 10000;
  const std::array<DeviceTuning, 4> tunings = {DeviceTuning{}, {1, 0}, {0, 3}, {5, 8}};
  std::vector<std::shared_ptr<DeviceUse>> uses;
  for (const DeviceTuning& tuning : tunings) uses.push_back(use_of(tuning));
  std::size_t num_left_out = 0;
  for (unsigned seed = 0; seed < num_batches && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const double scale = log_uniform(rng, 1e-4, 1e4);
    const Batch batch = random_batch(rng, num_pairs, scale);
    CullingBounds bounds;
    bounds.activation = scale * log_uniform(rng, 1e-5, 0.3);
    if (seed % 3 == 0) bounds.min_separation = bounds.activation * uniform(rng, 0.0, 0.9);
    bounds.gap_fraction = seed % 5 == 0 ? 0.0 : uniform(rng, 0.01, 0.9);
    const std::vector<char> is_left_out = left_out(batch, bounds, uses[0]);
    num_left_out += expect_harmless(batch, bounds, is_left_out);
    // Neither groups nor the order of work matter.
    const std::size_t other = seed % tunings.size();
    EXPECT_EQ(left_out(batch, bounds, uses[other]), is_left_out);
  }
  // It is of use: a good part of all pairs goes.
  EXPECT_GT(num_left_out, 3000U * num_batches);
}

/// A vertex above the middle of a triangle of size 1 that falls from one height to another.
Batch falling_vertex(double height_t0, double height_t1) {
  Batch batch;
  batch.surface.num_vertices = 4;
  batch.surface.triangles = {{1, 2, 3}};
  batch.pairs.point_triangle = {{0, 0}};
  batch.x_t0.resize(12);
  batch.x_t0 << 0.25, 0.25, height_t0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0;
  batch.x_t1 = batch.x_t0;
  batch.x_t1[2] = height_t1;
  return batch;
}

TEST(DeviceCulling, KnowsTheHeightOfAFallingVertex) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto use = use_of({});
  const CullingBounds bounds{0.01, 0.0, 0.2};
  const auto is_left_out = [&](double from, double to) {
    return left_out(falling_vertex(from, to), bounds, use)[0] != 0;
  };
  EXPECT_TRUE(is_left_out(0.02, 0.02));
  EXPECT_TRUE(is_left_out(0.02, 0.0114));
  EXPECT_FALSE(is_left_out(0.02, 0.0099)) << "it comes within the activation distance";
  EXPECT_FALSE(is_left_out(0.5, 0.09)) << "a fifth of the gap has to stay";
  EXPECT_TRUE(is_left_out(0.5, 0.12));
  EXPECT_FALSE(is_left_out(0.5, -0.5)) << "it goes through";
  EXPECT_TRUE(is_left_out(-0.5, -0.4)) << "from below";
}

TEST(DeviceCulling, KeepsVerticesOnCurvedPaths) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto use = use_of({});
  const Batch batch = falling_vertex(0.5, 0.4);
  DeviceCulling culling(batch.surface, use);
  const CullingBounds bounds{0.01, 0.0, 0.2};
  const auto rest = [&](const std::vector<double>& deviation) {
    return culling.without_distant(batch.pairs, batch.x_t0, batch.x_t1, deviation, bounds)->size();
  };
  EXPECT_EQ(rest({}), 0U);
  EXPECT_EQ(rest({0.0, 0.0, 0.0, 0.0}), 0U);
  EXPECT_EQ(rest({0.0, 0.0, 1e-30, 0.0}), 1U);
}

TEST(DeviceCulling, DoesNotTellWhereNumbersAreNone) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto use = use_of({});
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinity, 1e200}) {
    for (const int place : {0, 2, 11}) {
      Batch batch = falling_vertex(0.5, 0.4);
      batch.x_t1[place] = bad;
      EXPECT_FALSE(DeviceCulling(batch.surface, use).without_distant(batch.pairs, batch.x_t0, batch.x_t1, {}, {}));
    }
  }
}

TEST(DeviceCulling, FarFromTheFirstVertexItKeepsWhatItCannotTell) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto use = use_of({});
  Batch batch = falling_vertex(0.02, 0.02);
  const CullingBounds bounds{0.001, 0.0, 0.2};
  EXPECT_NE(left_out(batch, bounds, use)[0], 0);
  // A vertex at 1000 km, which is in no pair, takes the digits.
  batch.surface.num_vertices = 5;
  batch.x_t0.conservativeResize(15);
  batch.x_t0.tail<3>().setConstant(1e6);
  batch.x_t1 = batch.x_t0;
  EXPECT_EQ(left_out(batch, bounds, use)[0], 0);
}

}  // namespace
}  // namespace clearance
