#include "clearance/optimise/form.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"

namespace clearance::optimise {
namespace {

/// A box of several elements, with faces numbered by the side that they lie on: 1 is that of the largest x.
StateMesh box(int dim, int order, ElasticModel law = ElasticModel::neo_hookean) {
  PolyfemBody body;
  body.placed = dim == 3 ? make_box({1, 2, 0.5}, {2, 2, 1}) : make_rectangle(1, 2, 2, 3);
  change_order(body.placed, order);
  const std::vector<PolyfemFace> faces = boundary_faces(body.placed);
  for (const PolyfemFace& face : faces) {
    const bool is_right =
        std::all_of(face.nodes.begin(), face.nodes.end(), [&](int v) { return body.placed.vertices[v].x() > 0.4999; });
    body.selections.face_ids.push_back(is_right ? 1 : 2);
  }
  for (std::size_t c = 0; c < body.placed.num_solid_cells(); ++c) {
    body.selections.body_ids.push_back(c % 2 == 0 ? 5 : 4);
  }
  PolyfemState state;
  state.loaded.scene.dimension = dim;
  state.loaded.scene.bodies.resize(1);
  state.loaded.scene.bodies[0].material.model = law;
  state.bodies.push_back(std::move(body));
  Result<StateMesh> mesh = make_state_mesh(state);
  EXPECT_TRUE(mesh);
  return std::move(*mesh);
}

std::vector<int> all(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

VecX noise(Eigen::Index size, double amount, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-amount, amount);
  VecX x(size);
  for (double& value : x) value = number(random);
  return x;
}

/// A run of four times and its target, all of them deformed.
Histories deformed(const StateMesh& mesh, unsigned seed) {
  std::mt19937 random(seed);
  Histories histories(2);
  for (StateHistory& history : histories) {
    history.x_rest = mesh.x_rest + noise(mesh.x_rest.size(), 0.01, random);
    history.lame = VecX::Constant(2 * mesh.num_cells(), 2.0) + noise(2 * mesh.num_cells(), 1.0, random);
    history.times = {0.0, 0.1, 0.2, 0.3};
    for (int i = 0; i < 4; ++i) history.x.push_back(mesh.x_rest + noise(mesh.x_rest.size(), 0.015, random));
  }
  return histories;
}

/// Compares the derivatives of a form with differences along random directions of each kind of number.
void expect_differences(const StateMesh& mesh, const Form& form, const char* name) {
  constexpr double h = 1e-6;
  const Histories here = deformed(mesh, 11);
  Seeds seeds = Seeds::like(here[0]);
  const std::size_t step = 2;
  form.add_gradient(here, step, 0, 1.0, seeds);
  std::mt19937 random(12);
  const auto compare = [&](const char* kind, double derivative, const auto& change) {
    Histories above = here, below = here;
    change(above[0], h);
    change(below[0], -h);
    const double difference = (form.value(above, step) - form.value(below, step)) / (2.0 * h);
    EXPECT_NEAR(derivative, difference, 1e-6 * std::max(1.0, std::abs(difference))) << name << " by " << kind;
    return std::abs(difference);
  };
  double largest = 0.0;
  for (int direction = 0; direction < 3; ++direction) {
    std::vector<VecX> dx;
    double by_x = 0.0;
    for (std::size_t i = 0; i < here[0].x.size(); ++i) {
      dx.push_back(noise(mesh.x_rest.size(), 1.0, random));
      by_x += seeds.by_x[i].dot(dx.back());
    }
    const VecX rest = noise(mesh.x_rest.size(), 1.0, random), lame = noise(here[0].lame.size(), 1.0, random);
    largest = std::max(largest, compare("x", by_x, [&](StateHistory& history, double by) {
                         for (std::size_t i = 0; i < dx.size(); ++i) history.x[i] += by * dx[i];
                       }));
    largest = std::max(largest, compare("rest", seeds.by_rest.dot(rest),
                                        [&](StateHistory& history, double by) { history.x_rest += by * rest; }));
    largest = std::max(largest, compare("lame", seeds.by_lame.dot(lame),
                                        [&](StateHistory& history, double by) { history.lame += by * lame; }));
  }
  EXPECT_GT(largest, 1e-4) << name << ": the derivative has something to say";
}

TEST(Form, DerivativesAreThoseOfDifferences) {
  for (const int dim : {2, 3}) {
    for (const int order : {1, 2, 3}) {
      for (const ElasticModel law : {ElasticModel::neo_hookean, ElasticModel::linear_elasticity,
                                     ElasticModel::st_venant_kirchhoff, ElasticModel::fixed_corotational}) {
        const StateMesh mesh = box(dim, order, law);
        const std::vector<int> cells = all(mesh.cells.size()), faces = all(mesh.faces.size());
        expect_differences(mesh, *stress_norm(mesh, 0, cells, 2.0), "stress_norm");
        expect_differences(mesh, *power_of(stress_norm(mesh, 0, cells, 8.0), 0.125), "stress_norm");
        if (law != ElasticModel::neo_hookean) continue;
        expect_differences(mesh, *position(mesh, 0, cells, 1), "position");
        expect_differences(mesh, *volume(mesh, 0, cells), "volume");
        expect_differences(mesh, *target(mesh, 0, 1, cells, false), "target");
        expect_differences(mesh, *target(mesh, 0, 1, faces, true), "target");
        expect_differences(mesh, *center_target(mesh, 0, 1, cells), "center-target");
        expect_differences(mesh, *node_target(mesh, 0, {0, 3}, VecX::Constant(2 * dim, 0.3)), "node-target");
        expect_differences(mesh, *smallest_determinant(mesh, 0), "min_jacobian");
        expect_differences(mesh, *boundary_smoothing(mesh, 0, faces, false, 2.0), "boundary_smoothing");
        expect_differences(mesh, *boundary_smoothing(mesh, 0, faces, true, 4.0), "boundary_smoothing");
      }
    }
  }
}

TEST(Form, DerivativesOfFormsOfFormsAreThoseOfDifferences) {
  const StateMesh mesh = box(2, 2);
  const std::vector<int> cells = all(mesh.cells.size());
  const auto inner = [&] { return target(mesh, 0, 1, cells, false); };
  for (const TimeWeights weights : {TimeWeights::uniform, TimeWeights::final_step, TimeWeights::steps,
                                    TimeWeights::trapezoidal, TimeWeights::simpson}) {
    expect_differences(mesh, *transient_integral(inner(), 0, weights, {1, 3}), "transient_integral");
  }
  expect_differences(mesh, *quotient(position(mesh, 0, cells, 0), volume(mesh, 0, cells)), "divide");
  expect_differences(mesh, *plus_constant(inner(), 3.0), "plus-const");
  expect_differences(mesh, *power_of(volume(mesh, 0, cells), 2.5), "power");
  expect_differences(mesh, *soft_constraint(volume(mesh, 0, cells), 3.0, 4.0, 2.0), "soft_constraint");
  expect_differences(mesh, *soft_constraint(volume(mesh, 0, cells), 0.0, 1.0, 3.0), "soft_constraint");
}

TEST(Form, HasTheValuesOfTheory) {
  for (const int dim : {2, 3}) {
    for (const int order : {1, 2, 4}) {
      const StateMesh mesh = box(dim, order);
      const std::vector<int> cells = all(mesh.cells.size());
      Histories histories(2);
      const double size = dim == 3 ? 1.0 : 2.0;
      for (StateHistory& history : histories) {
        history.x_rest = mesh.x_rest;
        history.lame = mesh.lame;
        history.times = {0.0};
        history.x = {mesh.x_rest};
      }
      for (Eigen::Index i = 0; i < mesh.x_rest.size(); ++i) histories[0].x[0][i] += i % dim == 0 ? 0.3 : -0.4;
      const double shift_sq = 0.09 + 0.16 * (dim - 1);
      EXPECT_NEAR(volume(mesh, 0, cells)->value(histories, 0), size, 1e-14);
      EXPECT_NEAR(position(mesh, 0, cells, 0)->value(histories, 0), 0.3 * size, 1e-13);
      EXPECT_NEAR(target(mesh, 0, 1, cells, false)->value(histories, 0), shift_sq * size, 1e-13);
      std::vector<int> right;
      for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
        if (mesh.faces[f].id == 1) right.push_back(static_cast<int>(f));
      }
      EXPECT_NEAR(target(mesh, 0, 1, right, true)->value(histories, 0), shift_sq * (dim == 3 ? 1.0 : 2.0), 1e-13);
      EXPECT_NEAR(center_target(mesh, 0, 1, cells)->value(histories, 0), shift_sq * size * size, 1e-12);
      EXPECT_NEAR(stress_norm(mesh, 0, cells, 2.0)->value(histories, 0), 0.0, 1e-12) << "a translation";
    }
  }
}

TEST(Form, StressOfAPulledBoxIsThatOfTheory) {
  const StateMesh mesh = box(3, 2, ElasticModel::linear_elasticity);
  Histories histories(1);
  histories[0].x_rest = mesh.x_rest;
  histories[0].lame = VecX::Constant(2 * mesh.num_cells(), 3.0);
  histories[0].lame.tail(mesh.num_cells()).setConstant(2.0);
  histories[0].times = {0.0};
  histories[0].x = {mesh.x_rest};
  for (Eigen::Index i = 0; i < mesh.x_rest.size(); i += 3) histories[0].x[0][i] *= 1.1;
  // Stress: 2 mu e + lambda e along x, and lambda e across, with e = 0.1.
  const double along = 0.7, across = 0.3, norm = std::sqrt(along * along + 2.0 * across * across);
  const FormPtr form = power_of(stress_norm(mesh, 0, all(mesh.cells.size()), 8.0), 0.125);
  EXPECT_NEAR(form->value(histories, 0), norm, 1e-12) << "the volume is one";
}

TEST(Form, TimeIntegralsAreExactForWhatTheirRuleIntegrates) {
  const StateMesh mesh = box(2, 1);
  const std::vector<int> cells = all(mesh.cells.size());
  for (const int steps : {4, 5}) {
    Histories histories(1);
    histories[0].x_rest = mesh.x_rest;
    for (int i = 0; i <= steps; ++i) {
      const double t = 0.5 * i;
      histories[0].times.push_back(t);
      histories[0].x.push_back(mesh.x_rest + VecX::Constant(mesh.x_rest.size(), 0.5 * t));  // the integral is 2 x 0.5 t
    }
    const auto integral = [&](TimeWeights weights) {
      return transient_integral(position(mesh, 0, cells, 0), 0, weights, {2})->value(histories, 0);
    };
    const double end = 0.5 * steps;
    EXPECT_NEAR(integral(TimeWeights::trapezoidal), 0.5 * end * end, 1e-13);
    EXPECT_NEAR(integral(TimeWeights::simpson), 0.5 * end * end, 1e-13);
    EXPECT_NEAR(integral(TimeWeights::uniform), 0.5 * end * end + 0.25 * end, 1e-13) << "values of ends of steps";
    EXPECT_NEAR(integral(TimeWeights::final_step), end, 1e-13);
    EXPECT_NEAR(integral(TimeWeights::steps), 1.0, 1e-13);
  }
}

TEST(StateMesh, CountsBodiesInTheOrderOfTheirElements) {
  const StateMesh mesh = box(2, 1);
  const std::vector<int> bodies = mesh.body_of_cell();
  EXPECT_EQ(bodies[0], 0) << "the first element has the number 5";
  EXPECT_EQ(bodies[1], 1);
  const std::vector<int> boundary = mesh.boundary_without({}), rest = mesh.boundary_without({1});
  EXPECT_EQ(boundary.size(), 10U);
  EXPECT_EQ(rest.size(), 6U) << "four vertices lie on the side";
}

}  // namespace
}  // namespace clearance::optimise
