// Random and degenerate surfaces for the tests of the broad phase.
#pragma once

#include <algorithm>
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

}  // namespace clearance
