#include "clearance/remesh/remesher.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "clearance/base/parallel.h"
#include "clearance/geometry/generators.h"
#include "whole_scene.h"

namespace clearance {
namespace {

using test::make_body;
using test::make_whole;
using test::Obstacle;
using test::SceneSettings;

/// A bar along x that is held at its left end and pulled down at its right one.
template <int dim>
AdaptingBody<dim> cantilever(int cells) {
  const Mesh mesh = dim == 2 ? make_rectangle(4.0, 1.0, 4 * cells, cells)
                             : make_box({4.0, 1.0, 1.0}, {4 * cells, cells, cells});
  AdaptingBody<dim> body = make_body<dim>(mesh, make_material(ElasticModel::neo_hookean, 1e5, 0.3, 1000.0));
  typename SimplexMesh<dim>::Data data = body.mesh.compact();
  for (std::size_t v = 0; v < data.rest.size(); ++v) {
    if (data.rest[v][0] < -1.999) data.sets[v] = 1;
  }
  body.mesh = SimplexMesh<dim>(std::move(data), {});
  body.prescribed_sets = 1;
  body.accelerations[0][1] = -2.0;
  body.options.collapse = false;
  return body;
}

SceneSettings without_contact() {
  SceneSettings settings;
  settings.has_contact = false;
  settings.integrator = TimeIntegrator::quasi_static;
  return settings;
}

template <int dim>
double potential(const std::vector<AdaptingBody<dim>>& bodies, const Obstacle<dim>& obstacle,
                 const SceneSettings& settings) {
  auto scene = make_whole(bodies, obstacle, settings);
  return scene.objective().value();
}

template <int dim>
void splits_lower_the_potential_as_foretold() {
  std::vector<AdaptingBody<dim>> bodies = {cantilever<dim>(dim == 2 ? 4 : 2)};
  const SceneSettings settings = without_contact();
  const Obstacle<dim> none;
  ASSERT_TRUE(test::solve_step(bodies, none, settings).is_advanced());
  const double before = potential(bodies, none, settings);
  const double volume = test::volume_of(bodies[0]);
  const auto scene = make_whole(bodies, none, settings);
  const RemeshReport report = remesh(scene.inputs(), bodies);
  EXPECT_GT(report.num_splits, 0);
  const double fallen = before - potential(bodies, none, settings);
  EXPECT_NEAR(fallen, report.gain, 1e-9 * std::abs(before) + 1e-6 * report.gain);
  EXPECT_NEAR(test::volume_of(bodies[0]), volume, 1e-12 * volume);
  EXPECT_TRUE(make_whole(bodies, none, settings).is_valid());
  std::printf("%d splits, %d rejected, %d unsafe, gain %g of %g, %g s\n", report.num_splits, report.num_rejected,
              report.num_unsafe, report.gain, before, report.seconds);
}

TEST(Remesh, SplitsLowerThePotentialAsForetold) {
  splits_lower_the_potential_as_foretold<2>();
  splits_lower_the_potential_as_foretold<3>();
}

}  // namespace
}  // namespace clearance
