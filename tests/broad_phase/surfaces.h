// Random and degenerate surfaces for the tests of the broad phase.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "clearance/geometry/surface.h"

namespace clearance {

using Rng = std::mt19937_64;

inline double uniform(Rng& rng, double lo, double hi) {
  return std::uniform_real_distribution<double>(lo, hi)(rng);
}

inline VecX random_vector(Rng& rng, Eigen::Index size, double lo, double hi) {
  VecX x(size);
  for (Eigen::Index i = 0; i < size; ++i) x[i] = uniform(rng, lo, hi);
  return x;
}

/// A surface and its positions; x_t1 is where it moves to.
struct TestSurface {
  int dim = 3;
  SurfaceTopology topology;
  VecX x_t0, x_t1;

  int add_vertex(const Vec<3>& position, int body, int group) {
    const Eigen::Index begin = x_t0.size();
    x_t0.conservativeResize(begin + dim);
    for (int k = 0; k < dim; ++k) x_t0[begin + k] = position[k];
    topology.vertex_body.push_back(body);
    topology.vertex_group.push_back(group);
    return topology.num_vertices++;
  }

  /// Adds triangles and their edges, each edge once.
  void add_triangles(const std::vector<std::array<int, 3>>& triangles) {
    std::set<std::array<int, 2>> edges(topology.edges.begin(), topology.edges.end());
    for (const auto& t : triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::array<int, 2> edge = {std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])};
        if (edges.insert(edge).second) topology.edges.push_back(edge);
      }
      topology.triangles.push_back(t);
    }
  }
};

/// Adds a patch of n by n cells of `cell` length, bent at random: a body with shared vertices, and with a segment and a
/// point beside it. In 2D, adds a closed polygon of n * n vertices.
inline void add_body(TestSurface& surface, Rng& rng, int n, const Vec<3>& place, double cell, int body, int group) {
  const int first = surface.topology.num_vertices;
  if (surface.dim == 2) {
    for (int i = 0; i < n * n; ++i) {
      const double angle = 6.283185307179586 * i / (n * n);
      const double radius = cell * n * uniform(rng, 0.8, 1.2);
      surface.add_vertex(place + radius * Vec<3>(std::cos(angle), std::sin(angle), 0.0), body, group);
      surface.topology.edges.push_back({first + i, first + (i + 1) % (n * n)});
    }
  } else {
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j) {
        const Vec<3> offset(i, j, uniform(rng, -0.5, 0.5));
        surface.add_vertex(place + cell * offset, body, group);
      }
    }
    std::vector<std::array<int, 3>> triangles;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int v = first + i * (n + 1) + j;
        triangles.push_back({v, v + n + 1, v + 1});
        triangles.push_back({v + n + 2, v + 1, v + n + 1});
      }
    }
    surface.add_triangles(triangles);
  }
  // A segment and a point of their own.
  const int a = surface.add_vertex(place + cell * Vec<3>(0.3, 0.2, 0.1), body, group);
  const int b = surface.add_vertex(place + cell * Vec<3>(1.7, 0.9, 0.4), body, group);
  surface.topology.edges.push_back({a, b});
  surface.add_vertex(place + cell * Vec<3>(0.6, 0.6, 0.2), body, group);
}

/// Returns bodies near each other, some in groups that never touch; sizes, numbers and motion are random.
inline TestSurface random_surface(Rng& rng, int dim) {
  TestSurface surface;
  surface.dim = dim;
  const int num_bodies = static_cast<int>(uniform(rng, 1.0, 6.0));
  for (int body = 0; body < num_bodies; ++body) {
    const auto n = static_cast<int>(uniform(rng, 1.0, 9.0));
    const Vec<3> place(uniform(rng, 0.0, 2.0), uniform(rng, 0.0, 2.0), uniform(rng, 0.0, 0.5));
    const int group = static_cast<int>(uniform(rng, -2.5, 2.5));  // -1 and below: none
    add_body(surface, rng, n, place, uniform(rng, 0.02, 0.4), body, std::max(group, -1));
  }
  surface.x_t1 = surface.x_t0 + random_vector(rng, surface.x_t0.size(), -0.1, 0.1);
  return surface;
}

inline int random_index(Rng& rng, int count) {
  return static_cast<int>(uniform(rng, 0.0, count));
}

/// A body of any kind: a point, a segment, a few primitives (fewer than one leaf), or a patch of n * n cells.
inline void add_any_body(TestSurface& surface, Rng& rng, int body, int group, double room) {
  const Vec<3> place = 0.5 * (random_vector(rng, 3, 0.0, room) + random_vector(rng, 3, 0.0, room));
  const int kind = random_index(rng, 5);
  if (kind >= 2) {
    add_body(surface, rng, kind == 4 ? 6 : 1 + random_index(rng, 2), place, uniform(rng, 0.05, 0.3), body, group);
    return;
  }
  const int a = surface.add_vertex(place, body, group);
  if (kind == 0) return;
  const int b = surface.add_vertex(place + random_vector(rng, 3, -0.3, 0.3), body, group);
  surface.topology.edges.push_back({a, b});
}

/// Returns bodies in random groups: -1 (touches itself), one of its own, or the one that all obstacles share.
inline TestSurface random_bodies(Rng& rng, int dim, int num_bodies, double room) {
  TestSurface surface;
  surface.dim = dim;
  for (int body = 0; body < num_bodies; ++body) {
    const std::array<int, 3> groups = {-1, body + 1, 0};
    add_any_body(surface, rng, body, groups[random_index(rng, 3)], room);
  }
  surface.x_t1 = surface.x_t0 + random_vector(rng, surface.x_t0.size(), -0.05, 0.05);
  return surface;
}

/// Returns the same surface with its vertices, edges and triangles in random order, so that bodies are no ranges.
inline TestSurface shuffled(const TestSurface& surface, Rng& rng) {
  TestSurface result = surface;
  std::vector<int> place(surface.topology.num_vertices);
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), rng);
  for (int v = 0; v < surface.topology.num_vertices; ++v) {
    const int to = place[v];
    for (int k = 0; k < surface.dim; ++k) {
      result.x_t0[surface.dim * to + k] = surface.x_t0[surface.dim * v + k];
      result.x_t1[surface.dim * to + k] = surface.x_t1[surface.dim * v + k];
    }
    result.topology.vertex_body[to] = surface.topology.vertex_body[v];
    result.topology.vertex_group[to] = surface.topology.vertex_group[v];
    if (!surface.topology.radius.empty()) result.topology.radius[to] = surface.topology.radius[v];
  }
  for (auto& edge : result.topology.edges) {
    for (int& v : edge) v = place[v];
  }
  for (auto& triangle : result.topology.triangles) {
    for (int& v : triangle) v = place[v];
  }
  std::shuffle(result.topology.edges.begin(), result.topology.edges.end(), rng);
  std::shuffle(result.topology.triangles.begin(), result.topology.triangles.end(), rng);
  return result;
}

inline std::vector<double> random_deviation(Rng& rng, const TestSurface& s) {
  std::vector<double> deviation(s.topology.num_vertices);
  for (double& d : deviation) d = std::max(0.0, uniform(rng, -0.1, 0.1));
  return deviation;
}

}  // namespace clearance
