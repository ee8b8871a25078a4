// Pairs that are remembered: none that comes near is missing, and few others are returned.
#include "clearance/solver/remembered_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "clearance/contact/ipc_contact_model.h"
#include "contact/contact_models.h"

namespace clearance {
namespace {

using test::distances_sq;
using test::Random;

constexpr double dhat = 1e-3;

template <class Visit>
void for_each_list(const Candidates& a, const Candidates& b, const Visit& visit) {
  visit(a.point_triangle, b.point_triangle);
  visit(a.edge_edge, b.edge_edge);
  visit(a.point_edge, b.point_edge);
}

/// Number of pairs of `all` that are nearer than `activation` somewhere on the path, and are not in `found`.
int num_missed(const SurfaceTopology& surface, const SurfacePath& path, double activation, const Candidates& all,
               const Candidates& found) {
  std::vector<char> is_near(all.size(), 0);
  for (double t = 0.0; t <= 1.0; t += 0.25) {
    const std::vector<double> sq = distances_sq(surface, all, path.x_t0 + t * (path.x_t1 - path.x_t0));
    for (std::size_t k = 0; k < sq.size(); ++k) is_near[k] |= sq[k] <= activation * activation;
  }
  int missed = 0;
  std::size_t k = 0;
  for_each_list(all, found, [&](const auto& every, const auto& some) {
    EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
    for (const auto& pair : every) {
      if (is_near[k++] != 0 && !std::binary_search(some.begin(), some.end(), pair)) ++missed;
    }
  });
  return missed;
}

/// Numbers of pairs that were found on all paths, and of those whose boxes overlap.
struct Found {
  std::size_t num_remembered = 0, num_overlapping = 0;
};

/// Bodies that wander by lengths of all magnitudes, as the directions of a step do.
template <int dim>
Found wander(unsigned seed, int num_bodies) {
  SCOPED_TRACE(testing::Message() << dim << "D seed " << seed);
  Random random(seed);
  const test::ModelBuilder builder = test::random_soup(random, dim, num_bodies, 2.0, 0.6);
  const Model model = builder.build();
  const SurfaceTopology& surface = model.surface;
  const IpcContactModel<dim> contacts(model, BarrierOptions{dhat, 0.0});
  const auto trees = make_broad_phase(dim, surface), twin = make_brute_force(dim, surface);
  RememberedPairs<dim> remembered(surface, contacts, 0.1);
  SurfacePath path;
  path.x_t0 = builder.x();
  const Candidates all = twin->find_candidates(path.x_t0, path.x_t0, 100.0);
  Found sum;
  for (int k = 0; k < 40; ++k) {
    const double size = std::pow(10.0, random.uniform(-6.0, k % 10 == 9 ? 0.0 : -1.5));
    path.x_t1 = path.x_t0 + random.vector(path.x_t0.size(), -size, size);
    const Candidates found = remembered.find(*trees, path);
    EXPECT_EQ(num_missed(surface, path, dhat, all, found), 0) << "path " << k;
    sum.num_remembered += found.size();
    sum.num_overlapping += contacts.find_candidates(*trees, path.x_t0, path.x_t1).size();
    path.x_t0 += random.uniform(0.0, 1.0) * (path.x_t1 - path.x_t0);
  }
  return sum;
}

TEST(RememberedPairs, HoldEveryPairThatComesNearAndFewOthers) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    for (const Found& found : {wander<2>(seed, 60), wander<3>(seed, 25)}) {
      EXPECT_GT(found.num_remembered, 0U);
      EXPECT_LT(2 * found.num_remembered, found.num_overlapping) << "seed " << seed;
    }
  }
}

TEST(RememberedPairs, KeepToTheirLimitOfPairs) {
  Random random(1);
  const test::ModelBuilder builder = test::random_soup(random, 3, 25, 2.0, 0.6);
  const Model model = builder.build();
  const IpcContactModel<3> contacts(model, BarrierOptions{dhat, 0.0});
  const auto trees = make_broad_phase(3, model.surface);
  RememberedPairs<3> remembered(model.surface, contacts, 10.0);
  SurfacePath path;
  path.x_t0 = path.x_t1 = builder.x();
  path.x_t1[0] += 1e-4;
  const Candidates plain = contacts.find_candidates(*trees, path.x_t0, path.x_t1);
  ASSERT_GT(plain.size(), 600U);
  // With the margin there are more pairs than the limit allows: those without a margin are returned.
  trees->limit_pairs(std::max(plain.point_triangle.size(), plain.edge_edge.size()));
  for (int k = 0; k < 10; ++k) {
    const Candidates found = remembered.find(*trees, path);
    EXPECT_TRUE(found.is_complete);
    EXPECT_EQ(found.edge_edge, plain.edge_edge);
  }
}

}  // namespace
}  // namespace clearance
