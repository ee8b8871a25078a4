// Estimated errors of elements, and elements that adapt by them.
#include "clearance/remesh/cell_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bodies.h"
#include "clearance/remesh/remesher.h"
#include "clearance/remesh/target_lengths.h"

namespace clearance {
namespace {

using test::make_body;
using test::make_whole;
using test::SceneSettings;

template <int dim>
AdaptingBody<dim> block(int cells) {
  const Mesh mesh =
      dim == 2 ? make_rectangle(1.0, 1.0, cells, cells) : make_box({1.0, 1.0, 1.0}, {cells, cells, cells});
  return make_body<dim>(mesh, make_material(ElasticModel::neo_hookean, 1e5, 0.3, 1000.0));
}

/// Displaces the first coordinate by a small multiple of the square of the second.
template <int dim>
void bend(AdaptingBody<dim>& body, double strain) {
  for (int v = 0; v < body.mesh.num_vertices(); ++v) {
    const Vec<dim>& rest = body.mesh.rest(v);
    body.fields[v].x1 = rest;
    body.fields[v].x1[0] += strain * rest[1] * rest[1];
  }
}

template <int dim>
void linear_fields_have_no_error() {
  AdaptingBody<dim> body = block<dim>(3);
  for (int v = 0; v < body.mesh.num_vertices(); ++v) {
    body.fields[v].x1 = 1.2 * body.mesh.rest(v);
    body.fields[v].x1[0] += 0.3 * body.mesh.rest(v)[1];
  }
  const CellErrors errors = cell_errors(body);
  EXPECT_GT(errors.elastic, 0.0);
  EXPECT_LT(errors.sum(), 1e-20 * errors.elastic);
}

TEST(CellErrors, LinearFieldsHaveNone) {
  linear_fields_have_no_error<2>();
  linear_fields_have_no_error<3>();
}

/// The error of an interpolated parabola u = s y^2 is one of shear alone: with cells of height h the gradient is
/// wrong by s times -h to h, so that its energy is mu / 2 s^2 h^2 / 3 per volume.
template <int dim>
void parabolas_have_their_error() {
  constexpr double strain = 1e-4;
  double before = 0.0;
  for (const int cells : {4, 8, 16}) {
    AdaptingBody<dim> body = block<dim>(cells);
    bend(body, strain);
    const double h = 1.0 / cells, truth = 0.5 * body.materials[0].mu * strain * strain * h * h / 3.0;
    const double estimate = cell_errors(body).sum();
    EXPECT_GT(estimate, 0.6 * truth);
    EXPECT_LT(estimate, 1.6 * truth);
    if (before > 0.0) {
      EXPECT_NEAR(before / estimate, 4.0, 1.0) << "halves of cells have a quarter of the error";
    }
    before = estimate;
  }
}

TEST(CellErrors, OfAParabolaIsThatOfTheory) {
  parabolas_have_their_error<2>();
  parabolas_have_their_error<3>();
}

TEST(CellErrors, WantedLengthsBringTheErrorAllowed) {
  for (const int dim : {2, 3}) {
    for (const double error : {1e-3, 0.5, 20.0}) {
      EXPECT_NEAR(error * std::pow(wanted_length(dim, error, 0.5), dim + 2), 0.5, 1e-12);
    }
    EXPECT_EQ(wanted_length(dim, 0.5, 0.5), 1.0);
    EXPECT_EQ(wanted_length(dim, 0.0, 0.5), 1e3);
  }
}

struct Refined {
  int num_vertices = 0;
  double potential = 0.0;
};

/// Solves a step and adapts its elements until nothing changes.
template <int dim>
Refined refine_by_error(AdaptingBody<dim> body, double error) {
  const SceneSettings settings = test::without_contact();
  body.options.error = error;
  std::vector<AdaptingBody<dim>> bodies = {body};
  Refined refined;
  for (int round = 0; round < 12 && refined.num_vertices != bodies[0].mesh.num_live_vertices(); ++round) {
    refined.num_vertices = bodies[0].mesh.num_live_vertices();
    EXPECT_TRUE(test::solve_step(bodies, {}, settings).is_advanced());
    auto scene = make_whole<dim>(bodies, {}, settings);
    refined.potential = scene.objective().value();
    remesh(scene.inputs(), bodies);
    const double after = make_whole<dim>(bodies, {}, settings).objective().value();
    EXPECT_NEAR(after, refined.potential, 1e-10 * std::abs(refined.potential)) << "splits change no field";
    EXPECT_TRUE(make_whole<dim>(bodies, {}, settings).is_valid());
  }
  return refined;
}

/// Returns the potential of a bar with so many elements through its thickness.
template <int dim>
Refined uniform(int cells) {
  std::vector<AdaptingBody<dim>> bodies = {test::cantilever<dim>(cells)};
  const SceneSettings settings = test::without_contact();
  EXPECT_TRUE(test::solve_step(bodies, {}, settings).is_advanced());
  return {bodies[0].mesh.num_live_vertices(), make_whole<dim>(bodies, {}, settings).objective().value()};
}

template <int dim>
void fewer_elements_are_more_accurate() {
  const double error = dim == 2 ? 6e-6 : 5e-5;
  const Refined adaptive = refine_by_error(test::cantilever<dim>(2), error);
  const Refined fine = uniform<dim>(dim == 2 ? 16 : 5);
  EXPECT_LT(adaptive.potential, fine.potential) << "a lower potential is a better solution";
  EXPECT_LT(adaptive.num_vertices, fine.num_vertices);
}

TEST(RemeshByError, FewerElementsAreMoreAccurateThanUniformOnes) {
  fewer_elements_are_more_accurate<2>();
  fewer_elements_are_more_accurate<3>();
}

/// Returns the number of splits of a bar, solved once, if elements may have an error that so many of them exceed.
int splits_by_share_of_wanting(double share) {
  std::vector<AdaptingBody<3>> bodies = {test::cantilever<3>(2)};
  const SceneSettings settings = test::without_contact();
  EXPECT_TRUE(test::solve_step(bodies, {}, settings).is_advanced());
  const CellErrors errors = cell_errors(bodies[0]);
  std::vector<double> largest_first;
  for (const double error : errors.error) largest_first.push_back(error);
  std::sort(largest_first.rbegin(), largest_first.rend());
  std::size_t count = 0;
  for (double wanting = 0.0; wanting < share * errors.sum(); ++count) wanting += largest_first[count];
  // A cell is split whose edges are longer than long_share of what the error allows.
  bodies[0].options.error = largest_first[count] / std::pow(long_share, 5) / errors.elastic;
  bodies[0].options.collapse = false;
  auto scene = make_whole<3>(bodies, {}, settings);
  return remesh(scene.inputs(), bodies).num_splits;
}

TEST(RemeshByError, LittleErrorIsNoReasonForASecondSolve) {
  EXPECT_EQ(splits_by_share_of_wanting(0.15), 0);
  EXPECT_GT(splits_by_share_of_wanting(0.5), 0);
}

TEST(RemeshByError, BodiesWithoutStrainKeepTheirElements) {
  std::vector<AdaptingBody<3>> bodies = {test::cantilever<3>(2)};
  bodies[0].options.error = 0.1;
  for (auto& fields : bodies[0].fields) fields.x1 = fields.x0;
  auto scene = make_whole<3>(bodies, {}, test::without_contact());
  EXPECT_EQ(cell_errors(bodies[0]).elastic, 0.0);
  EXPECT_EQ(remesh(scene.inputs(), bodies).num_collapses, 0);
  EXPECT_FALSE(bodies[0].has_changed);
}

TEST(RemeshByError, SplitsReachWhereLongEdgesAreHeld) {
  // Elements at the clamp share edges that are held and gain nothing by themselves.
  const Refined coarse = refine_by_error(test::cantilever<2>(1), 1e-3),
                fine = refine_by_error(test::cantilever<2>(1), 1e-5);
  EXPECT_GT(fine.num_vertices, 4 * coarse.num_vertices);
  EXPECT_LT(fine.potential, coarse.potential);
}

}  // namespace
}  // namespace clearance
