#include "clearance/remesh/remesher.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "clearance/base/parallel.h"
#include "clearance/geometry/generators.h"
#include "clearance/solver/time_integrator.h"
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

/// What one call did, and what the potential of the whole step fell by.
struct Outcome {
  RemeshReport report;
  double fall = 0.0, before = 0.0;
};

template <int dim>
Outcome remesh_once(std::vector<AdaptingBody<dim>>& bodies, const Obstacle<dim>& obstacle,
                    const SceneSettings& settings) {
  auto scene = make_whole(bodies, obstacle, settings);
  const double scale = predict(scene.options.integrator, scene.state).scale;
  const CompensatedSum before = scene.objective();
  Outcome outcome;
  outcome.report = remesh(scene.inputs(), bodies);
  const CompensatedSum after = make_whole(bodies, obstacle, settings).objective();
  outcome.before = before.value() / scale;
  outcome.fall = ((before.sum - after.sum) + (before.correction - after.correction)) / scale;
  return outcome;
}

void print(const char* name, const Outcome& outcome) {
  const RemeshReport& r = outcome.report;
  std::printf("%s: %d splits, %d collapses, %d swaps, %d smoothings, %d rejected, %d unsafe, fall %g of %g, %g s\n", name,
              r.num_splits, r.num_collapses, r.num_swaps, r.num_smoothings, r.num_rejected, r.num_unsafe, r.gain,
              outcome.before, r.seconds);
}

template <int dim>
void splits_lower_the_potential_as_foretold() {
  std::vector<AdaptingBody<dim>> bodies = {cantilever<dim>(dim == 2 ? 4 : 2)};
  const SceneSettings settings = without_contact();
  const Obstacle<dim> none;
  ASSERT_TRUE(test::solve_step(bodies, none, settings).is_advanced());
  const double volume = test::volume_of(bodies[0]);
  const Outcome outcome = remesh_once(bodies, none, settings);
  print("cantilever", outcome);
  EXPECT_GT(outcome.report.num_splits, 0);
  EXPECT_GT(outcome.fall, 0.0);
  EXPECT_NEAR(outcome.fall, outcome.report.gain, 1e-12 * std::abs(outcome.before));
  EXPECT_NEAR(test::volume_of(bodies[0]), volume, 1e-12 * volume);
  EXPECT_TRUE(make_whole(bodies, none, settings).is_valid());
}

TEST(Remesh, SplitsLowerThePotentialAsForetold) {
  splits_lower_the_potential_as_foretold<2>();
  splits_lower_the_potential_as_foretold<3>();
}

/// A ridge or a pyramid, its tip at the origin.
template <int dim>
Obstacle<dim> tip() {
  Obstacle<dim> obstacle;
  if constexpr (dim == 2) {
    obstacle.x = {{-2.0, -0.5}, {0.01, 0.0}, {2.0, -0.5}};
    obstacle.edges = {{0, 1}, {1, 2}};
  } else {
    obstacle.x = {{-2.0, -0.5, -2.0}, {2.0, -0.5, -2.0}, {2.0, -0.5, 2.0}, {-2.0, -0.5, 2.0}, {0.01, 0.0, 0.02}};
    obstacle.triangles = {{4, 1, 0}, {4, 2, 1}, {4, 3, 2}, {4, 0, 3}};
    obstacle.edges = unique_edges(obstacle.triangles);
  }
  return obstacle;
}

/// A block above the tip that falls onto it, sideways.
template <int dim>
AdaptingBody<dim> falling_block(int cells) {
  const Mesh mesh = dim == 2 ? make_rectangle(1.0, 1.0, cells, cells) : make_box({1.0, 1.0, 1.0}, {cells, cells, cells});
  AdaptingBody<dim> body = make_body<dim>(mesh, make_material(ElasticModel::neo_hookean, 2e4, 0.3, 1000.0));
  body.accelerations[0][1] = -10.0;
  body.has_self_contact = true;
  for (auto& fields : body.fields) {
    for (Vec<dim>* x : {&fields.x1, &fields.x0, &fields.x_prev}) (*x)[1] += 0.512;
    fields.v[0] = 0.3;
    fields.v[1] = -2.0;
  }
  return body;
}

SceneSettings with_contact() {
  SceneSettings settings;
  settings.friction = 0.4;
  return settings;
}

/// The state after the step, by implicit Euler.
template <int dim>
void advance_body(AdaptingBody<dim>& body, double h) {
  for (auto& fields : body.fields) {
    fields.x_prev = fields.x0;
    fields.v_prev = fields.v;
    fields.v = (fields.x1 - fields.x0) / h;
    fields.x0 = fields.x1;
  }
}

/// All that has to hold after steps in contact.
template <int dim>
void fall_onto_tip(int cells, int num_steps, const std::function<void(AdaptingBody<dim>&)>& choose) {
  std::vector<AdaptingBody<dim>> bodies = {falling_block<dim>(cells)};
  choose(bodies[0]);
  const SceneSettings settings = with_contact();
  const Obstacle<dim> obstacle = tip<dim>();
  const double volume = test::volume_of(bodies[0]);
  for (int step = 0; step < num_steps; ++step) {
    ASSERT_TRUE(test::solve_step(bodies, obstacle, settings).is_advanced());
    const Outcome outcome = remesh_once(bodies, obstacle, settings);
    print("block", outcome);
    EXPECT_NEAR(outcome.fall, outcome.report.gain, 1e-11 * std::abs(outcome.before));
    EXPECT_TRUE(make_whole(bodies, obstacle, settings).is_valid());
    EXPECT_NEAR(test::volume_of(bodies[0]), volume, 1e-12 * volume);
    advance_body(bodies[0], settings.h);
  }
}

TEST(Remesh, FallsInContactAreThoseOfTheWholeStep) {
  const auto choose = [](auto& body) { body.options.smallest_edge = 0.01; };
  fall_onto_tip<2>(6, 8, std::function<void(AdaptingBody<2>&)>(choose));
  fall_onto_tip<3>(4, 4, std::function<void(AdaptingBody<3>&)>(choose));
}

}  // namespace
}  // namespace clearance
