#include "clearance/contact/gcp_at_rest.h"

#include <algorithm>
#include <numbers>

#include "clearance/contact/gcp_contact_model.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/shells.h"
#include "clearance/math/dimension.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Facets of one body in the surface of the whole scene, in its vertices.
template <std::size_t n>
struct FacetsOfBody {
  Facets<n> facets;
  std::vector<std::size_t> numbers;  // numbers of the facets in the surface
};

/// Finds out which normals point out of solids: 1 or -1 per facet, 0 if that is not known.
template <std::size_t n>
std::vector<signed char> find_outside(const SurfaceAtRest& rest, const Insides& insides, const Facets<n>& facets) {
  const SurfaceTopology& surface = rest.model.surface;
  std::vector<FacetsOfBody<n>> of_body(rest.bodies.size());
  for (std::size_t f = 0; f < facets.size(); ++f) {
    const std::size_t v = facets[f][0];
    FacetsOfBody<n>& body = of_body[surface.vertex_body[v]];
    body.facets.push_back(facets[f]);
    body.numbers.push_back(f);
  }
  const VecX x = rest.model.surface_map.apply(rest.model.x_rest);
  Vertices places(surface.num_vertices, Vec<3>::Zero());
  for (int v = 0; v < surface.num_vertices; ++v) {
    places[v].head(rest.dim()) = x.segment(rest.dim() * v, rest.dim());
  }
  std::vector<signed char> outside(facets.size(), 0);
  for (std::size_t b = 0; b < of_body.size(); ++b) {
    if (insides.of_body[b] == Inside::unknown) continue;
    const std::vector<signed char> signs = insides.of_body[b] == Inside::enclosed
                                               ? outward_signs(places, of_body[b].facets)
                                               : std::vector<signed char>(of_body[b].facets.size(), 1);
    for (std::size_t f = 0; f < signs.size(); ++f) outside[of_body[b].numbers[f]] = signs[f];
  }
  return outside;
}

std::vector<signed char> find_outside(const SurfaceAtRest& rest) {
  const Insides insides = rest.find_insides();
  if (rest.dim() == 3) return find_outside(rest, insides, rest.model.surface.triangles);
  const std::vector<int>& directions = insides.direction_of_edge;
  Edges edges = rest.model.surface.edges;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    // With the material on its left, an edge turned to the right is its outward normal. A reversed edge has the
    // opposite normal: the last line turns its sign back.
    if (directions[e] < 0) std::swap(edges[e][0], edges[e][1]);
  }
  std::vector<signed char> outside = find_outside(rest, insides, edges);
  for (std::size_t e = 0; e < edges.size(); ++e) outside[e] = static_cast<signed char>(outside[e] * directions[e]);
  return outside;
}

/// Sets the areas that features of solids represent: shares of the facets around them, and at sharp features the area
/// that the surface gains there when it is moved outwards by dhat (Steiner's formula), which does not depend on the
/// mesh. An edge gains its length times dhat times the angle that it bends by. A vertex gains dhat^2 times its defect
/// of angles; in 2D a vertex gains dhat times its angle.
template <int dim>
class Offsets {
 public:
  Offsets(const SurfaceAtRest& rest, GcpRest& result)
      : rest_(rest),
        result_(result),
        star_(rest.model, result.outside),
        x_(rest.model.surface_map.apply(rest.model.x_rest)) {}

  void run() {
    const SurfaceTopology& surface = rest_.model.surface;
    set_facet_shares();
    std::vector<double>& of_vertex = result_.vertex_sharpness;
    std::vector<double>& of_edge = result_.edge_sharpness;
    of_vertex.assign(surface.num_vertices, 0.0);
    of_edge.assign(surface.edges.size(), 0.0);
    for (int e = 0; dim == 3 && e < std::ssize(surface.edges); ++e) {
      if (!star_.is_solid_edge(e)) continue;
      const std::size_t i = e;
      const auto [a, b] = surface.edges[i];
      const double area = (at(b) - at(a)).norm() * dhat(a) * std::max(0.0, bend(e));
      of_edge[i] = std::max(area, least(result_.areas.edge[i]));
      for (const int v : {a, b}) of_vertex[v] += 0.5 * area;
    }
    for (int v = 0; v < surface.num_vertices; ++v) {
      if (!star_.is_solid_vertex(v)) continue;
      const std::size_t i = v;
      const double gain = dim == 2 ? dhat(v) * turn(v) : dhat(v) * dhat(v) * defect(v);
      of_vertex[i] = std::max(of_vertex[i] + std::max(0.0, gain), least(result_.areas.vertex[i]));
    }
    for (std::size_t v = 0; v < of_vertex.size(); ++v) result_.areas.vertex[v] += of_vertex[v];
    for (std::size_t e = 0; e < of_edge.size(); ++e) result_.areas.edge[e] += of_edge[e];
  }

 private:
  Vec<dim> at(int v) const { return block<dim>(x_, v); }
  double dhat(int v) const { return rest_.dhat(v); }
  /// Returns the least area of a feature, for contacts that no facet faces. A feature that is flat at rest may be
  /// crushed to a point later, and no feature may be without a barrier.
  static double least(double area) { return least_sharpness * area; }
  void set_facet_shares() {
    const SurfaceTopology& surface = rest_.model.surface;
    if constexpr (dim == 3) {
      for (const auto& [a, b, c] : surface.triangles) {
        // A third of the area of a triangle is a sixth of the norm of its cross product; an edge gives half to each
        // end.
        result_.facet_share.push_back(cross_product(Vec<3>(at(b) - at(a)), Vec<3>(at(c) - at(a))).norm() / 6.0);
      }
    } else {
      for (const auto& [a, b] : surface.edges) result_.facet_share.push_back(0.5 * (at(b) - at(a)).norm());
    }
  }
  static double angle_between(const Vec<dim>& a, const Vec<dim>& b) {
    return elementary::acos(std::clamp(a.dot(b) / (a.norm() * b.norm()), -1.0, 1.0));
  }
  /// Returns the outward normal, not normalised.
  Vec<dim> normal(int facet) const {
    if constexpr (dim == 2) {
      const auto [a, b] = rest_.model.surface.edges[facet];
      const Vec<2> along = at(b) - at(a);
      return star_.outside(facet) * Vec<2>(along[1], -along[0]);
    } else {
      const auto& t = rest_.model.surface.triangles[facet];
      return star_.outside(facet) * cross_product(at(t[1]) - at(t[0]), at(t[2]) - at(t[0]));
    }
  }
  /// Returns the angle [rad] that an edge between two triangles of a solid bends by; negative if the edge is concave.
  double bend(int edge) const {
    const std::span<const int> triangles = star_.triangles_of_edge(edge);
    if (!star_.is_solid_edge(edge) || triangles.size() != 2) return 0.0;
    const Vec<dim> n = normal(triangles[0]);
    const int a = rest_.model.surface.edges[edge][0];
    // The edge is convex if the second triangle lies below the plane of the first one.
    const double side = n.dot(at(star_.opposite(triangles[1], edge)) - at(a));
    return (side < 0.0 ? 1.0 : -1.0) * angle_between(n, normal(triangles[1]));
  }
  /// Returns the angle [rad] between the normals of the two edges at a vertex in 2D; negative if they are concave.
  double turn(int vertex) const {
    const std::span<const int> edges = star_.edges_of(vertex);
    if (edges.size() != 2) return 0.0;
    const Vec<dim> n = normal(edges[0]);
    const double side = n.dot(at(star_.other_end(edges[1], vertex)) - at(vertex));
    return (side < 0.0 ? 1.0 : -1.0) * angle_between(n, normal(edges[1]));
  }
  /// Returns the difference [rad^2] between a full turn and the sum of the angles around a vertex; 0 if the vertex has
  /// concave edges.
  double defect(int vertex) const {
    double sum = 0.0;
    for (const int e : star_.edges_of(vertex)) {
      if (bend(e) < 0.0) return 0.0;
    }
    for (const int t : star_.facets_of(vertex)) {
      auto corners = rest_.model.surface.triangles[t];
      std::rotate(corners.begin(), std::find(corners.begin(), corners.end(), vertex), corners.end());
      sum += angle_between(at(corners[1]) - at(vertex), at(corners[2]) - at(vertex));
    }
    // The normals around a convex vertex span a spherical polygon. By the theorem of Gauss and Bonnet its area is the
    // defect of angles, and dhat^2 times it is the area that the vertex gains.
    return 2.0 * std::numbers::pi - sum;
  }

  const SurfaceAtRest& rest_;
  GcpRest& result_;
  SurfaceStar star_;
  VecX x_;  // [m] surface vertices at rest
};

}  // namespace

GcpRest find_gcp_rest(const SurfaceAtRest& rest, const GcpOptions& options) {
  GcpRest result;
  result.areas = find_areas(rest);
  set_moduli(rest, result.areas);
  result.outside = find_outside(rest);
  with_dimension(rest.dim(), [&](auto dim) {
    Offsets<dim>(rest, result).run();
    if (!options.adaptive_dhat) return;
    GcpContactModel<dim>::set_rest_distances(rest.model, rest.barrier, options,
                                             rest.model.surface_map.apply(rest.model.x_rest), result);
  });
  return result;
}

std::unique_ptr<const ContactModel<2>> GcpAtRest::make_in_plane(const Model& model,
                                                                const BarrierOptions& barrier) const {
  return std::make_unique<const GcpContactModel<2>>(model, barrier, options_, rest_);
}

std::unique_ptr<const ContactModel<3>> GcpAtRest::make_in_space(const Model& model,
                                                                const BarrierOptions& barrier) const {
  return std::make_unique<const GcpContactModel<3>>(model, barrier, options_, rest_);
}

std::shared_ptr<const ContactAtRest> GcpAtRest::narrowed(double factor) const {
  GcpRest rest = *rest_;
  for (std::vector<double>* distances : {&rest.vertex_dhat, &rest.edge_dhat, &rest.triangle_dhat}) {
    for (double& dhat : *distances) dhat *= factor;
  }
  for (auto& of_pair : rest.body_pair_dhat) of_pair.dhat *= factor;
  return std::make_shared<const GcpAtRest>(dim_, options_, std::move(rest));
}

std::shared_ptr<const ContactAtRest> GcpAtRest::restricted_to(const ContactPart& part) const {
  return std::make_shared<const GcpAtRest>(dim_, options_, rest_->restricted_to(part, dim_));
}

}  // namespace clearance
