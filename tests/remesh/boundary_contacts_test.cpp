#include "clearance/remesh/boundary_contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bodies.h"
#include "clearance/remesh/operation.h"

namespace clearance {
namespace {

using test::make_whole;
using test::Obstacle;
using test::SceneSettings;

template <int dim>
using FacetPoints = std::array<Vec<dim>, dim>;

template <int dim>
double distance_of(const FacetPoints<dim>& f, const FacetPoints<dim>& g) {
  double least_sq = infinity;
  const auto note = [&](double distance_sq) { least_sq = std::min(least_sq, distance_sq); };
  for (const auto& [p, q] : {std::pair(f, g), std::pair(g, f)}) {
    for (const Vec<dim>& x : p) {
      if constexpr (dim == 2) note(point_edge_distance_sq<2>(x, q[0], q[1]));
      if constexpr (dim == 3) note(point_triangle_distance_sq(x, q[0], q[1], q[2]));
    }
  }
  if constexpr (dim == 3) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) note(edge_edge_distance_sq(f[i], f[(i + 1) % 3], g[j], g[(j + 1) % 3]));
    }
  }
  return std::sqrt(least_sq);
}

/// Returns the least distance, at x1 and at x0, of the facets for which NearVertices finds nothing near: from
/// obstacles, half-spaces and the parts of the body that share no vertex with them.
template <int dim>
double least_distance(const AdaptingBody<dim>& body, const NearVertices<dim>& near, const Obstacle<dim>& obstacle,
                      const std::vector<HalfSpace>& half_spaces, int& num_clear, int& num_near) {
  const SimplexMesh<dim>& mesh = body.mesh;
  double least = infinity;
  num_clear = num_near = 0;
  for (int f = 0; f < mesh.num_facets(); ++f) {
    if (!mesh.is_facet_alive(f)) continue;
    const bool is_near = near.has_any(mesh, std::array{f});
    ++(is_near ? num_near : num_clear);
    if (is_near) continue;
    for (const auto field : {&NodeFields<dim>::x1, &NodeFields<dim>::x0}) {
      const auto points = [&](int facet) {
        FacetPoints<dim> x;
        for (std::size_t i = 0; i < dim; ++i) {
          x[i] = body.fields[mesh.facet(facet)[i]].*field;
        }
        return x;
      };
      const FacetPoints<dim> own = points(f);
      const auto compare = [&](const auto& others) {
        for (const auto& other : others) {
          FacetPoints<dim> x;
          for (std::size_t i = 0; i < dim; ++i) x[i] = obstacle.x[other[i]];
          least = std::min(least, distance_of<dim>(own, x));
        }
      };
      if constexpr (dim == 2) compare(obstacle.edges);
      if constexpr (dim == 3) compare(obstacle.triangles);
      for (const HalfSpace& plane : half_spaces) {
        for (const Vec<dim>& x : own) least = std::min(least, plane.normal.head<dim>().dot(x) - plane.offset);
      }
      for (int g = 0; g < mesh.num_facets(); ++g) {
        const auto& a = mesh.facet(f);
        const auto& b = mesh.facet(g);
        const bool is_apart =
            std::none_of(a.begin(), a.end(), [&](int v) { return std::count(b.begin(), b.end(), v) > 0; });
        if (mesh.is_facet_alive(g) && is_apart) least = std::min(least, distance_of<dim>(own, points(g)));
      }
    }
  }
  return least;
}

template <int dim>
void what_is_not_near_is_far() {
  SceneSettings settings = test::with_contact();
  settings.dhat = 0.01;
  const Obstacle<dim> obstacle = test::tip<dim>();
  settings.half_spaces.push_back({Vec<3>::UnitX(), -0.53});
  const std::vector<AdaptingBody<dim>> bodies = {test::falling_block<dim>(dim == 2 ? 8 : 4)};
  const auto whole = make_whole(bodies, obstacle, settings);
  const RemeshInputs<dim> in = whole.inputs();
  const SceneSurfaces<dim> surfaces(in);
  AdaptingBody<dim> body = bodies[0];
  EditedBody<dim> edited(in, body, local_integrator<dim>(in, 0));
  const LocalSetting<dim> setting(in, edited.body(), surfaces, edited.surface());
  const BoundaryContacts<dim> contacts(setting);
  EXPECT_GT(contacts.margin(), 0.0);
  NearVertices<dim> near;
  near.renew(contacts, body);
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  int num_splits = 0;
  while (near.clear_way() > 0.1 * contacts.margin()) {
    const auto edges = body.mesh.edges();
    const auto& edge = edges[std::uniform_int_distribution<std::size_t>(0, edges.size() - 1)(random)];
    if (!body.mesh.is_boundary_edge(edge[0], edge[1])) continue;
    Change<dim> change;
    if (edited.apply({MeshEdit::Kind::split, {edge[0], edge[1], -1}, false, Vec<dim>::Zero()}, change) !=
        EditRefusal::none) {
      continue;
    }
    const int vertex = change.edit.vertex;
    Vec<dim> x = body.fields[vertex].x1;
    for (int c = 0; c < dim; ++c) x[c] += contacts.margin() * uniform(-0.05, 0.05) * num_splits / 10;
    edited.set_x1(vertex, x);
    edited.keep(change);
    edited.note_motion(std::array{vertex});
    near.note_edit(change.edit, body);
    near.note_motion(body, std::array{vertex});
    if (++num_splits % 5 != 0) continue;
    int num_clear = 0, num_near = 0;
    const double least = least_distance(body, near, obstacle, settings.half_spaces, num_clear, num_near);
    EXPECT_GE(least, settings.dhat + 2.0 * near.clear_way());
    EXPECT_GT(num_clear, 0);
    EXPECT_GT(num_near, 0);
    if (num_splits == 40) break;
  }
  EXPECT_GT(num_splits, 10);
}

TEST(NearVertices, WhatIsNotNearIsFar) {
  what_is_not_near_is_far<2>();
  what_is_not_near_is_far<3>();
}

TEST(NearVertices, ABodyWithoutContactMayGoAnywhere) {
  SceneSettings settings = test::without_contact();
  const std::vector<AdaptingBody<2>> bodies = {test::cantilever<2>(2)};
  const auto whole = make_whole(bodies, {}, settings);
  const RemeshInputs<2> in = whole.inputs();
  const SceneSurfaces<2> surfaces(in);
  const OwnSurface<2> own(in, bodies[0]);
  const LocalSetting<2> setting(in, bodies[0], surfaces, own);
  NearVertices<2> near;
  near.renew(BoundaryContacts<2>(setting), bodies[0]);
  EXPECT_EQ(near.clear_way(), infinity);
  EXPECT_EQ(BoundaryContacts<2>(setting).energies().sum, 0.0);
}

}  // namespace
}  // namespace clearance
