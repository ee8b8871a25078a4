// Bodies that bend and that fall, for tests of their elements.
#pragma once

#include "clearance/geometry/generators.h"
#include "whole_scene.h"

namespace clearance::test {

/// A bar along x that is held at its left end and pulled down at its right one.
template <int dim>
AdaptingBody<dim> cantilever(int cells) {
  const Mesh mesh =
      dim == 2 ? make_rectangle(4.0, 1.0, 4 * cells, cells) : make_box({4.0, 1.0, 1.0}, {4 * cells, cells, cells});
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

inline SceneSettings without_contact() {
  SceneSettings settings;
  settings.has_contact = false;
  settings.integrator = TimeIntegrator::quasi_static;
  return settings;
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
  const Mesh mesh =
      dim == 2 ? make_rectangle(1.0, 1.0, cells, cells) : make_box({1.0, 1.0, 1.0}, {cells, cells, cells});
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

inline SceneSettings with_contact() {
  SceneSettings settings;
  settings.friction = 0.4;
  return settings;
}

/// Advances the body to the state after the step, by implicit Euler.
template <int dim>
void advance_body(AdaptingBody<dim>& body, double h) {
  for (auto& fields : body.fields) {
    fields.x_prev = fields.x0;
    fields.v_prev = fields.v;
    fields.v = (fields.x1 - fields.x0) / h;
    fields.x0 = fields.x1;
  }
}

}  // namespace clearance::test
