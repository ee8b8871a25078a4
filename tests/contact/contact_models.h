// Small models made by hand for the tests of contact and solver: surfaces whose vertices are the unknowns.
#pragma once

#include <cmath>
#include <map>
#include <memory>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/contact/areas_at_rest.h"
#include "clearance/contact/contact_potential.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/surface.h"
#include "clearance/model/model.h"
#include "support/random.h"

namespace clearance::test {

/// Collects bodies, then makes the model; vertex i is block i.
class ModelBuilder {
 public:
  explicit ModelBuilder(int dim) : dim_(dim) {
    model_.layout.dim = dim;
    model_.surface_map = SurfaceMap(dim);
  }

  /// Adds one body with its vertices, triangles (3D) and edges; the edges of triangles are added.
  int add_body(const std::vector<Vec<3>>& vertices, const Triangles& triangles, const Edges& edges = {}) {
    const int first = model_.surface.num_vertices;
    for (const Vec<3>& v : vertices) {
      x_.insert(x_.end(), v.data(), v.data() + dim_);
      model_.surface_map.add_vertex(model_.surface.num_vertices++);
      model_.surface.vertex_body.push_back(num_bodies_);
      model_.surface.vertex_group.push_back(-1);
    }
    for (const auto& t : triangles) model_.surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    for (const auto& e : unique_edges(triangles)) model_.surface.edges.push_back({first + e[0], first + e[1]});
    for (const auto& e : edges) model_.surface.edges.push_back({first + e[0], first + e[1]});
    ++num_bodies_;
    return first;
  }

  /// Adds a tetrahedron of random shape and about the given size.
  int add_tet(Random& random, const Vec<3>& centre, double size) {
    const double s = size / std::sqrt(3.0);
    std::vector<Vec<3>> v = {{s, s, s}, {s, -s, -s}, {-s, s, -s}, {-s, -s, s}};
    for (Vec<3>& p : v) p = centre + p + 0.4 * size * Vec<3>(random.vector(3, -1.0, 1.0));
    return add_body(v, {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}});
  }

  /// Adds a closed polygon of random radii (2D).
  int add_polygon(Random& random, const Vec<3>& centre, double size, int sides) {
    std::vector<Vec<3>> v;
    Edges edges;
    const double start = random.uniform(0.0, 6.0);
    for (int i = 0; i < sides; ++i) {
      const double angle = start + 6.283185307179586 * i / sides, radius = size * random.uniform(0.7, 1.3);
      v.push_back(centre + radius * Vec<3>(std::cos(angle), std::sin(angle), 0.0));
      edges.push_back({i, (i + 1) % sides});
    }
    return add_body(v, {}, edges);
  }

  void add_half_space(const Vec<3>& normal, double offset) {
    model_.half_spaces.push_back({normal.normalized(), offset});
  }
  /// Adds a half-space whose boundary is `gap` [m] below the lowest vertex so far.
  void add_floor(const Vec<3>& normal, double gap) {
    const Vec<3> n = normal.normalized();
    double lowest = infinity;
    for (std::size_t i = 0; i < x_.size(); i += static_cast<std::size_t>(dim_)) {
      double height = 0.0;
      for (int c = 0; c < dim_; ++c) height += n[static_cast<int>(c)] * x_[i + c];
      lowest = std::min(lowest, height);
    }
    model_.half_spaces.push_back({n, lowest - gap});
  }

  VecX x() const { return Eigen::Map<const VecX>(x_.data(), static_cast<Eigen::Index>(x_.size())); }

  Model build() const {
    Model model = model_;
    const int n = model.surface.num_vertices;
    model.layout.num_blocks = n;
    model.mass = VecX::Constant(n, 0.5);
    model.x_rest = x();
    for (const auto& e : model.surface.edges) {
      model.edge_rest_length_sq.push_back(
          (model.x_rest.segment(dim_ * e[0], dim_) - model.x_rest.segment(dim_ * e[1], dim_)).squaredNorm());
    }
    model.is_always_prescribed.assign(n, 0);
    model.is_obstacle_vertex.assign(n, 0);
    return model;
  }

 private:
  int dim_;
  int num_bodies_ = 0;
  Model model_;
  std::vector<double> x_;
};

/// Returns all pairs that share no vertex and can touch: the slowest broad phase.
inline Candidates all_pairs(int dim, const SurfaceTopology& surface) {
  Candidates pairs;
  const int num_edges = static_cast<int>(surface.edges.size()),
            num_triangles = static_cast<int>(surface.triangles.size());
  for (int p = 0; p < surface.num_vertices; ++p) {
    for (int t = 0; dim == 3 && t < num_triangles; ++t) {
      const auto& v = surface.triangles[t];
      if (v[0] != p && v[1] != p && v[2] != p && surface.can_touch(p, v[0])) pairs.point_triangle.push_back({p, t});
    }
    for (int e = 0; dim == 2 && e < num_edges; ++e) {
      const auto& v = surface.edges[e];
      if (v[0] != p && v[1] != p && surface.can_touch(p, v[0])) pairs.point_edge.push_back({p, e});
    }
  }
  for (int i = 0; dim == 3 && i < num_edges; ++i) {
    for (int k = i + 1; k < num_edges; ++k) {
      const auto& a = surface.edges[i];
      const auto& b = surface.edges[k];
      if (a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1] && surface.can_touch(a[0], b[0])) {
        pairs.edge_edge.push_back({i, k});
      }
    }
  }
  return pairs;
}

/// Returns the squared distance [m^2] of every pair of `pairs`, in the order point_triangle, edge_edge, point_edge.
inline std::vector<double> distances_sq(const SurfaceTopology& surface, const Candidates& pairs, const VecX& x) {
  std::vector<double> result;
  for (const auto& [p, t] : pairs.point_triangle) {
    const auto& v = surface.triangles[t];
    result.push_back(
        point_triangle_distance_sq(block<3>(x, p), block<3>(x, v[0]), block<3>(x, v[1]), block<3>(x, v[2])));
  }
  for (const auto& [i, k] : pairs.edge_edge) {
    const auto& a = surface.edges[i];
    const auto& b = surface.edges[k];
    result.push_back(edge_edge_distance_sq(block<3>(x, a[0]), block<3>(x, a[1]), block<3>(x, b[0]), block<3>(x, b[1])));
  }
  for (const auto& [p, e] : pairs.point_edge) {
    const auto& v = surface.edges[e];
    result.push_back(point_edge_distance_sq<2>(block<2>(x, p), block<2>(x, v[0]), block<2>(x, v[1])));
  }
  return result;
}

/// Returns random areas and moduli, the latter per body.
inline AreasAtRest random_areas(Random& random, const Model& model) {
  AreasAtRest areas;
  for (int v = 0; v < model.surface.num_vertices; ++v) areas.vertex.push_back(random.uniform(0.5, 2.0));
  for (std::size_t e = 0; e < model.surface.edges.size(); ++e) areas.edge.push_back(random.uniform(0.5, 2.0));
  std::map<int, double> of_body;
  for (const int body : model.surface.vertex_body) {
    areas.modulus.push_back(of_body.try_emplace(body, random.uniform(1.0, 3.0)).first->second);
  }
  return areas;
}

/// A set of numbers at rest as contact models share it.
template <class Rest>
std::shared_ptr<const Rest> shared(const Rest& rest) {
  return std::make_shared<const Rest>(rest);
}

/// Two tetrahedra well apart.
inline ModelBuilder two_tets(Random& random) {
  ModelBuilder builder(3);
  builder.add_tet(random, Vec<3>::Zero(), 0.5);
  builder.add_tet(random, 3.0 * Vec<3>(random.vector(3, -1.0, 1.0)).normalized(), 0.5);
  return builder;
}

/// A path on which the second body and all after it move straight, so that its first vertex goes to that of the first
/// body: towards intersection, whatever meets on the way.
template <int dim>
class PathToIntersection {
 public:
  PathToIntersection(const Model& model, const ContactModel<dim>& contacts, const VecX& x, double least)
      : model_(model), contacts_(contacts), pairs_(all_pairs(dim, model.surface)), x_(x) {
    while (model.surface.vertex_body[first_] == 0) ++first_;
    towards_ = block<dim>(x, 0) - block<dim>(x, first_);
    // Find the first time at which the distance is no longer positive, by conservative steps.
    double distance = contacts.build(x, pairs_).min_distance;
    while (end_ < 1.0 && distance > least) {
      end_ += 0.9 * distance / towards_.norm();
      distance = contacts.build(moved(end_), pairs_).min_distance;
    }
    has_met_ = distance <= least;
  }

  bool has_met() const { return has_met_; }
  /// Returns the energy of all contacts where the smallest distance is `distance`, on the way before the end.
  double energy_at(double distance) const {
    double low = 0.0, high = end_;
    for (int i = 0; i < 80; ++i) {
      const double middle = 0.5 * (low + high);
      (contacts_.build(moved(middle), pairs_).min_distance > distance ? low : high) = middle;
    }
    const VecX at = moved(low);
    return ContactPotential<dim>(model_, contacts_).energy(contacts_.build(at, pairs_), at).value();
  }

 private:
  VecX moved(double t) const {
    VecX at = x_;
    for (int v = first_; v < model_.surface.num_vertices; ++v) block<dim>(at, v) += t * towards_;
    return at;
  }

  const Model& model_;
  const ContactModel<dim>& contacts_;
  Candidates pairs_;
  VecX x_;
  int first_ = 0;
  Vec<dim> towards_;
  double end_ = 0.0;
  bool has_met_ = false;
};

/// Returns `count` bodies (tetrahedra; 2D: polygons) at random places in a cube of side `side`; they may intersect.
inline ModelBuilder random_soup(Random& random, int dim, int count, double side, double size) {
  ModelBuilder builder(dim);
  for (int i = 0; i < count; ++i) {
    Vec<3> centre = random.vector(3, -0.5 * side, 0.5 * side);
    if (dim == 3) {
      builder.add_tet(random, centre, size);
    } else {
      builder.add_polygon(random, centre, size, random.integer(3, 6));
    }
  }
  return builder;
}

}  // namespace clearance::test
