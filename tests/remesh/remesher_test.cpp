#include "clearance/remesh/remesher.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "bodies.h"
#include "clearance/base/parallel.h"
#include "clearance/geometry/generators.h"
#include "clearance/solver/time_integrator.h"
#include "support/random.h"

namespace clearance {
namespace {

using test::make_body;
using test::make_whole;
using test::Obstacle;
using test::SceneSettings;

/// The report of one call, and the fall of the potential of the whole step.
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
  if (std::getenv("CLEARANCE_REMESH_PRINT") == nullptr) return;
  std::printf("%s: %d splits, %d collapses, %d swaps, %d smoothings, %d rejected, %d unsafe, fall %g of %g, %g s\n",
              name, r.num_splits, r.num_collapses, r.num_swaps, r.num_smoothings, r.num_rejected, r.num_unsafe, r.gain,
              outcome.before, r.seconds);
}

template <int dim>
void splits_lower_the_potential_as_foretold() {
  std::vector<AdaptingBody<dim>> bodies = {test::cantilever<dim>(dim == 2 ? 4 : 2)};
  const SceneSettings settings = test::without_contact();
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

/// A bar that is refined where it pays comes lower than one that is refined everywhere, with fewer vertices. This holds
/// also at the held end, whose own edges gain nothing and are the longest of their elements.
TEST(Remesh, HeldEdgesAreNotInTheWayOfThoseAtThem) {
  const SceneSettings settings = test::without_contact();
  // A membrane of Cook's kind: sheared elements, with long edges along the end that is held.
  const auto membrane = [](int cells) {
    Mesh mesh = make_rectangle(2.0, 4.0, cells, 2 * cells);
    for (Vec<3>& x : mesh.vertices) x[1] += 0.8 * (x[0] + 1.0);
    AdaptingBody<2> body = make_body<2>(mesh, make_material(ElasticModel::neo_hookean, 1e5, 0.3, 1000.0));
    SimplexMesh<2>::Data data = body.mesh.compact();
    for (std::size_t v = 0; v < data.rest.size(); ++v) {
      if (data.rest[v][0] < -0.999) data.sets[v] = 1;
    }
    body.mesh = SimplexMesh<2>(std::move(data), {});
    body.prescribed_sets = 1;
    body.accelerations[0][1] = 5.0;
    body.options.collapse = false;
    body.options.relative_gain = 1e-5;
    return body;
  };
  const auto potential_of = [&](std::vector<AdaptingBody<2>>& bodies) {
    EXPECT_TRUE(test::solve_step(bodies, {}, settings).is_advanced());
    return make_whole(bodies, {}, settings).objective().value();
  };
  std::vector<AdaptingBody<2>> adaptive = {membrane(1)}, fine = {membrane(16)};
  for (int step = 0; step < 6; ++step) {
    potential_of(adaptive);
    print("membrane", remesh_once<2>(adaptive, {}, settings));
  }
  EXPECT_LT(potential_of(adaptive), potential_of(fine));
  EXPECT_LT(adaptive[0].mesh.num_live_vertices(), fine[0].mesh.num_live_vertices());
}

/// A bar of one element through its thickness hangs askew, as its elements are; splits of their diagonals gain little
/// by themselves, and much together with the edges around them.
TEST(Remesh, LongEdgesThatGainLittleAreNotInTheWayOfOthers) {
  const SceneSettings settings = test::without_contact();
  const auto solve = [&](std::vector<AdaptingBody<3>>& bodies) {
    EXPECT_TRUE(test::solve_step(bodies, {}, settings).is_advanced());
  };
  const auto sideways = [](const AdaptingBody<3>& body) {
    double most = 0.0;
    for (int v = 0; v < body.mesh.num_vertices(); ++v) {
      const Vec<3> drift = body.fields[v].x1 - body.mesh.rest(v);
      if (body.mesh.rest(v)[1] < -0.4999) most = std::max(most, std::abs(drift[0]));
    }
    return most;
  };
  AdaptingBody<3> bar =
      make_body<3>(make_box({0.1, 1.0, 0.1}, {1, 4, 1}), make_material(ElasticModel::neo_hookean, 1e6, 0.0, 1000.0));
  SimplexMesh<3>::Data data = bar.mesh.compact();
  for (std::size_t v = 0; v < data.rest.size(); ++v) {
    if (data.rest[v][1] > 0.4999) data.sets[v] = 1;
  }
  bar.mesh = SimplexMesh<3>(std::move(data), {});
  bar.prescribed_sets = 1;
  bar.accelerations[0][1] = -20.0;
  std::vector<AdaptingBody<3>> bodies = {bar};
  solve(bodies);
  const double before = sideways(bodies[0]);
  const Outcome outcome = remesh_once<3>(bodies, {}, settings);
  print("hanging bar", outcome);
  EXPECT_NEAR(outcome.fall, outcome.report.gain, 1e-12 * std::abs(outcome.before));
  EXPECT_GT(outcome.report.num_splits, 20);
  solve(bodies);
  EXPECT_LT(sideways(bodies[0]), 0.2 * before);
}

template <int dim>
void edges_get_their_target_lengths() {
  std::vector<AdaptingBody<dim>> bodies = {test::cantilever<dim>(dim == 2 ? 4 : 2)};
  bodies[0].options.criterion = RemeshCriterion::size;
  bodies[0].options.size_strain = 0.2;
  bodies[0].options.largest_count = 500;
  bodies[0].options.smallest_edge = 0.02;
  const SceneSettings settings = test::without_contact();
  ASSERT_TRUE(test::solve_step(bodies, {}, settings).is_advanced());
  const Outcome outcome = remesh_once<dim>(bodies, {}, settings);
  EXPECT_GT(outcome.report.num_splits, 0);
  EXPECT_NEAR(outcome.fall, outcome.report.gain, 1e-12 * std::abs(outcome.before));
  EXPECT_TRUE(make_whole<dim>(bodies, {}, settings).is_valid());
  // The held end is bent most: while there may not be many elements, the shortest edges are there.
  double near_sum = 0.0, far_sum = 0.0;
  int num_near = 0, num_far = 0;
  for (const auto& [a, b] : bodies[0].mesh.edges()) {
    const Vec<dim> p = bodies[0].mesh.rest(a), q = bodies[0].mesh.rest(b);
    const bool is_near = 0.5 * (p + q)[0] < -1.0;
    (is_near ? near_sum : far_sum) += (p - q).norm();
    ++(is_near ? num_near : num_far);
  }
  EXPECT_LT(near_sum / num_near, 0.8 * far_sum / num_far);
}

TEST(Remesh, EdgesGetTheirTargetLengths) {
  edges_get_their_target_lengths<2>();
  edges_get_their_target_lengths<3>();
}

/// Checks everything that has to hold after steps in contact.
template <int dim>
void fall_onto_tip(int cells, int num_steps, const std::function<void(AdaptingBody<dim>&)>& choose) {
  std::vector<AdaptingBody<dim>> bodies = {test::falling_block<dim>(cells)};
  choose(bodies[0]);
  const SceneSettings settings = test::with_contact();
  const Obstacle<dim> obstacle = test::tip<dim>();
  const double volume = test::volume_of(bodies[0]);
  for (int step = 0; step < num_steps; ++step) {
    ASSERT_TRUE(test::solve_step(bodies, obstacle, settings).is_advanced());
    const Outcome outcome = remesh_once(bodies, obstacle, settings);
    print("block", outcome);
    EXPECT_NEAR(outcome.fall, outcome.report.gain, 1e-11 * std::abs(outcome.before));
    EXPECT_TRUE(make_whole(bodies, obstacle, settings).is_valid());
    EXPECT_NEAR(test::volume_of(bodies[0]), volume, 1e-12 * volume);
    test::advance_body(bodies[0], settings.h);
  }
}

TEST(Remesh, FallsInContactAreThoseOfTheWholeStep) {
  const auto choose = [](auto& body) { body.options.smallest_edge = 0.01; };
  fall_onto_tip<2>(6, 8, std::function<void(AdaptingBody<2>&)>(choose));
  fall_onto_tip<3>(3, 3, std::function<void(AdaptingBody<3>&)>(choose));
}

/// Returns all numbers of a body that operations may change.
template <int dim>
std::vector<double> numbers_of(const AdaptingBody<dim>& body) {
  std::vector<int> vertex_of;
  const auto data = body.mesh.compact(&vertex_of);
  std::vector<double> numbers;
  for (std::size_t v = 0; v < data.rest.size(); ++v) {
    const NodeFields<dim>& fields = body.fields[vertex_of[v]];
    for (const Vec<dim>* x : {&data.rest[v], &fields.x1, &fields.x0, &fields.v}) {
      numbers.insert(numbers.end(), x->data(), x->data() + dim);
    }
  }
  for (const auto& cell : data.cells) numbers.insert(numbers.end(), cell.begin(), cell.end());
  return numbers;
}

template <int dim>
void same_bits_for_any_number_of_threads(int cells) {
  std::vector<std::vector<double>> results;
  for (const int num_threads : {1, 2, 0}) {
    const ThreadLimit limit(num_threads);
    std::vector<AdaptingBody<dim>> bodies = {test::falling_block<dim>(cells)};
    bodies[0].options.relative_loss = 1e-3;
    bodies[0].options.collapse_quantile = 0.3;
    const SceneSettings settings = test::with_contact();
    const Obstacle<dim> obstacle = test::tip<dim>();
    ASSERT_TRUE(test::solve_step(bodies, obstacle, settings).is_advanced());
    const Outcome outcome = remesh_once(bodies, obstacle, settings);
    EXPECT_GT(outcome.report.num_splits, 0);
    EXPECT_GT(outcome.report.num_collapses, 0);
    results.push_back(numbers_of(bodies[0]));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Remesh, SameBitsForAnyNumberOfThreads) {
  same_bits_for_any_number_of_threads<2>(6);
  same_bits_for_any_number_of_threads<3>(3);
}

template <int dim>
bool is_inside(const AdaptingBody<dim>& body, const Vec<dim>& point, Vec<dim> NodeFields<dim>::*member) {
  for (int c = 0; c < body.mesh.num_cells(); ++c) {
    if (!body.mesh.is_cell_alive(c)) continue;
    const auto at = [&](std::size_t i) { return body.fields[body.mesh.cell(c)[i]].*member; };
    Mat<dim> sides;
    for (int k = 0; k < dim; ++k) sides.col(k) = at(static_cast<std::size_t>(k) + 1) - at(0);
    const Vec<dim> local = sides.inverse() * (point - at(0));
    if (local.minCoeff() >= 0.0 && local.sum() <= 1.0) return true;
  }
  return false;
}

/// A block has a notch in its lower side, flat at rest, with or without a point in it: every edge may collapse,
/// whatever energy that costs.
template <int dim>
int collapses_at_notch(bool has_point) {
  // In the plane there are so few elements that no other collapse of the same batch takes the notch's neighbours first.
  const Mesh mesh = dim == 2 ? make_rectangle(1.0, 1.0, 2, 2) : make_box({1.0, 1.0, 1.0}, {4, 4, 4});
  std::vector<AdaptingBody<dim>> bodies = {
      make_body<dim>(mesh, make_material(ElasticModel::neo_hookean, 1e5, 0.3, 1000.0))};
  Vec<dim> bottom = Vec<dim>::Zero();
  bottom[1] = -0.5;
  for (auto& fields : bodies[0].fields) {
    if ((fields.x0 - bottom).norm() > 1e-9) continue;
    for (Vec<dim>* x : {&fields.x1, &fields.x0, &fields.x_prev}) (*x)[1] += 0.12;
  }
  Obstacle<dim> obstacle;
  Vec<dim> point = bottom;
  point[0] += 0.01;
  point[1] += 0.05;
  if (has_point) obstacle.x.push_back(point);
  SceneSettings settings;
  settings.dhat = 0.005;
  bodies[0].options.split = false;
  bodies[0].options.loss = 1e9;
  bodies[0].options.collapse_quantile = 1.0;
  bodies[0].options.longest_collapse = 10.0;
  bodies[0].options.quality = 0.0;
  EXPECT_TRUE(make_whole(bodies, obstacle, settings).is_valid());
  const Outcome outcome = remesh_once(bodies, obstacle, settings);
  EXPECT_GT(outcome.report.num_collapses, 0);
  EXPECT_TRUE(make_whole(bodies, obstacle, settings).is_valid());
  const bool is_point_outside =
      !is_inside(bodies[0], point, &NodeFields<dim>::x1) && !is_inside(bodies[0], point, &NodeFields<dim>::x0);
  EXPECT_EQ(is_point_outside, has_point);
  return outcome.report.num_collapses;
}

TEST(Remesh, CollapsesPassOverNoPoint) {
  EXPECT_GT(collapses_at_notch<2>(false), collapses_at_notch<2>(true));
  EXPECT_GT(collapses_at_notch<3>(false), 0);
  EXPECT_GT(collapses_at_notch<3>(true), 0);
}

/// Performs operations of all kinds in contact, with random options; CLEARANCE_REMESH_FUZZ sets the least number.
template <int dim>
long fuzz(unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Random random(seed);
  std::vector<AdaptingBody<dim>> bodies = {test::falling_block<dim>(random.integer(2, dim == 2 ? 7 : 3))};
  RemeshOptions& o = bodies[0].options;
  o.swap = o.smooth = true;
  o.smallest_edge = 0.02;
  o.largest_count = 400;
  o.relative_gain = random.uniform(0.0, 1.0) < 0.5 ? 1e-6 : 1e-3;
  o.relative_loss = random.uniform(0.0, 1.0) < 0.5 ? 1e-6 : 1e-1;
  o.split_quantile = random.uniform(0.5, 1.0);
  o.collapse_quantile = random.uniform(0.0, 1.0);
  o.longest_collapse = random.uniform(0.0, 1.0);
  if (random.uniform(0.0, 1.0) < 0.3) o.criterion = RemeshCriterion::size;
  SceneSettings settings = test::with_contact();
  settings.friction = random.uniform(0.0, 1.0) < 0.5 ? 0.0 : random.uniform(0.0, 1.0);
  settings.dhat = random.uniform(0.005, 0.05);
  if (random.uniform(0.0, 1.0) < 0.5) settings.half_spaces.push_back({Vec<3>::UnitX(), -0.52});
  const std::array models = {ElasticModel::neo_hookean, ElasticModel::fixed_corotational,
                             ElasticModel::st_venant_kirchhoff};
  bodies[0].materials[0] =
      make_material(models[random.integer(0, 2)], 2e4, 0.3, 1000.0, random.uniform(0.0, 1.0) < 0.5 ? 0.0 : 1e-3);
  for (Vec<dim>& traction : bodies[0].tractions) traction = random.vector(dim, -50.0, 50.0);
  bodies[0].has_self_contact = random.uniform(0.0, 1.0) < 0.7;
  const std::array methods = {TimeIntegrator::implicit_euler, TimeIntegrator::bdf2, TimeIntegrator::implicit_newmark};
  settings.integrator = methods[random.integer(0, 2)];
  // Hold the body along its upper side.
  if (random.uniform(0.0, 1.0) < 0.3) {
    typename SimplexMesh<dim>::Data data = bodies[0].mesh.compact();
    for (std::size_t v = 0; v < data.rest.size(); ++v) data.sets[v] = data.rest[v][1] > 0.499 ? 1 : 0;
    bodies[0].mesh = SimplexMesh<dim>(std::move(data), {});
    bodies[0].prescribed_sets = 1;
  }
  // Lay another block on it.
  if (random.uniform(0.0, 1.0) < 0.4) {
    bodies.push_back(test::falling_block<dim>(2));
    bodies[1].body = 1;
    for (auto& fields : bodies[1].fields) {
      for (Vec<dim>* x : {&fields.x1, &fields.x0, &fields.x_prev}) (*x)[1] += 1.004;
    }
  }
  const Obstacle<dim> obstacle = test::tip<dim>();
  const double volume = test::volume_of(bodies[0]);
  long num_operations = 0;
  for (int step = 0; step < 3; ++step) {
    if (!test::solve_step(bodies, obstacle, settings).is_advanced()) break;
    const Outcome outcome = remesh_once(bodies, obstacle, settings);
    const RemeshReport& report = outcome.report;

    num_operations += report.num_splits + report.num_collapses + report.num_swaps + report.num_smoothings;
    EXPECT_NEAR(outcome.fall, report.gain, 1e-9 * std::abs(outcome.before));
    EXPECT_TRUE(make_whole(bodies, obstacle, settings).is_valid());
    EXPECT_NEAR(test::volume_of(bodies[0]), volume, 1e-12 * volume);
    for (AdaptingBody<dim>& body : bodies) test::advance_body(body, settings.h);
  }
  return num_operations;
}

TEST(Remesh, FuzzOfOperationsInContactKeepsEverythingValid) {
  const char* wish = std::getenv("CLEARANCE_REMESH_FUZZ");
  const long wanted = wish != nullptr ? std::atol(wish) : 200;
  long num_operations = 0;
  for (unsigned seed = 1; num_operations < wanted && !HasFailure(); ++seed) {
    num_operations += fuzz<2>(seed) + (seed % 4 == 0 ? fuzz<3>(seed) : 0);
  }
  EXPECT_GE(num_operations, wanted);
}

}  // namespace
}  // namespace clearance
