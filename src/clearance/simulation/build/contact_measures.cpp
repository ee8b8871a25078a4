#include "clearance/simulation/build/contact_measures.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "clearance/base/log.h"
#include "clearance/contact/barrier.h"
#include "clearance/contact/gcp_contact_model.h"
#include "clearance/contact/surface_star.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/shells.h"
#include "clearance/math/dimension.h"
#include "clearance/math/elementary.h"
#include "clearance/simulation/build/contact_scales.h"
#include "clearance/simulation/build/solid.h"

namespace clearance {

namespace {

/// Share of Young's modulus that resists a gap becoming smaller [Li23].
constexpr double elastic_share = 0.1;

double dhat_of_vertex(const SceneModel& scene, int v) {
  const std::vector<double>& of_vertex = scene.model.contact_scales.dhat;
  return of_vertex.empty() ? scene.options.barrier.dhat : of_vertex[static_cast<std::size_t>(v)];
}

/// Areas at rest per surface vertex and edge. Segments and points count as strips and squares that are as wide as dhat.
template <int dim>
class Measures {
 public:
  explicit Measures(SceneModel& scene)
      : scene_(scene), surface_(scene.model.surface), x_(scene.model.surface_map.apply(scene.model.x_rest)) {}

  void run() {
    ContactMeasures& measures = scene_.model.contact_measures;
    measures.vertex.assign(static_cast<std::size_t>(surface_.num_vertices), 0.0);
    measures.edge.assign(surface_.edges.size(), 0.0);
    if constexpr (dim == 3) add_triangles(measures);
    for (std::size_t e = 0; e < surface_.edges.size(); ++e) {
      const auto [a, b] = surface_.edges[e];
      const double length = (block<dim>(x_, a) - block<dim>(x_, b)).norm();
      if (measures.edge[e] > 0.0) continue;
      measures.edge[e] = dim == 2 ? length : length * dhat(a);
      for (const int v : {a, b}) measures.vertex[static_cast<std::size_t>(v)] += 0.5 * measures.edge[e];
    }
    for (int v = 0; v < surface_.num_vertices; ++v) {
      double& measure = measures.vertex[static_cast<std::size_t>(v)];
      if (measure == 0.0) measure = dim == 2 ? dhat(v) : dhat(v) * dhat(v);
    }
  }

 private:
  double dhat(int v) const { return dhat_of_vertex(scene_, v); }

  void add_triangles(ContactMeasures& measures) const {
    const SurfaceStar star(scene_.model);
    for (int k = 0; k < std::ssize(surface_.triangles); ++k) {
      const auto& t = surface_.triangles[static_cast<std::size_t>(k)];
      const Vec<3> x0 = block<3>(x_, t[0]);
      const double third = 0.5 * cross_product(block<3>(x_, t[1]) - x0, block<3>(x_, t[2]) - x0).norm() / 3.0;
      for (const int v : t) measures.vertex[static_cast<std::size_t>(v)] += third;
      for (const int e : star.edges_of_triangle(k)) measures.edge[static_cast<std::size_t>(e)] += third;
    }
  }

  SceneModel& scene_;
  const SurfaceTopology& surface_;
  VecX x_;  // [m] surface vertices at rest
};

/// Returns the smallest Young's modulus of a deformable body.
double youngs_modulus(const BodyDesc& body) {
  double modulus = body.material.youngs_modulus;
  for (const MaterialPartDesc& part : body.material_parts) modulus = std::min(modulus, part.material.youngs_modulus);
  return modulus;
}

/// Computes the modulus of a stiff body [Pa]. Halfway to contact, the pressure of the barrier over the whole surface of
/// the body is then inertial_reach times the force that accelerates it by dhat / h^2 (quasi-static: by gravity, at
/// least 1 m/s^2).
double inertial_modulus(const SceneDesc& desc, double mass, double area, double dhat) {
  const bool is_static = desc.time.integrator == TimeIntegrator::quasi_static;
  const double acceleration = is_static ? std::max(1.0, desc.gravity.norm()) : dhat / (desc.time.step * desc.time.step);
  const BarrierOptions barrier{dhat, 0.0};
  const double pressure_of_unit = middle_force(barrier) / (dhat * dhat * dhat);
  return inertial_reach * mass * acceleration / (area * pressure_of_unit);
}

const char* origin_of_modulus(const SceneDesc& desc, const BodyInstance& body) {
  if (desc.contact.kappa > 0.0) return "given";
  if (body.is_obstacle) return "that of the other body";
  return is_stiff(body.kind) ? "by its inertia in a step" : "a tenth of its smallest Young's modulus";
}

/// Facets of one body in the surface of the whole scene, in its vertices.
template <std::size_t n>
struct FacetsOfBody {
  Facets<n> facets;
  std::vector<std::size_t> numbers;  // numbers of the facets in the surface
};

/// Finds out which normals point out of solids: 1 or -1 per facet, 0 if that is not known. Obstacles may be containers,
/// so that theirs are not known. For a stiff body or a separate surface, the sign follows from what its parts enclose.
template <std::size_t n>
std::vector<signed char> find_outside(const SceneDesc& desc, const SceneModel& scene, const Facets<n>& facets) {
  const SurfaceTopology& surface = scene.model.surface;
  std::vector<FacetsOfBody<n>> of_body(scene.bodies.size());
  for (std::size_t f = 0; f < facets.size(); ++f) {
    const auto v = static_cast<std::size_t>(facets[f][0]);
    FacetsOfBody<n>& body = of_body[static_cast<std::size_t>(surface.vertex_body[v])];
    body.facets.push_back(facets[f]);
    body.numbers.push_back(f);
  }
  const VecX x = scene.model.surface_map.apply(scene.model.x_rest);
  Vertices places(static_cast<std::size_t>(surface.num_vertices), Vec<3>::Zero());
  for (int v = 0; v < surface.num_vertices; ++v) {
    places[static_cast<std::size_t>(v)].head(scene.dim) = x.segment(scene.dim * v, scene.dim);
  }
  std::vector<signed char> outside(facets.size(), 0);
  for (std::size_t b = 0; b < of_body.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    if (body.is_obstacle || !Solid::of(desc, scene, static_cast<int>(b))) continue;
    const bool is_either_way = is_stiff(body.kind) || body.proxy;
    const std::vector<signed char> signs = is_either_way ? outward_signs(places, of_body[b].facets)
                                                         : std::vector<signed char>(of_body[b].facets.size(), 1);
    for (std::size_t f = 0; f < signs.size(); ++f) outside[of_body[b].numbers[f]] = signs[f];
  }
  return outside;
}

/// Returns 1 or -1 for each edge of the surface of the whole scene: -1 if the edge has to be reversed to have the
/// material on its left. The surface itself has lost the direction of edges.
std::vector<int> directions_of_edges(const SceneModel& scene) {
  Edges sides = scene.frame_mesh.edges;  // edges of bodies without elements, and of surfaces that are not between nodes
  int first_vertex = 0;
  for (const BodyInstance& body : scene.bodies) {
    for (const auto& [a, b] : boundary_edges(body)) sides.push_back({first_vertex + a, first_vertex + b});
    first_vertex += static_cast<int>(body.mesh.vertices.size());
  }
  std::sort(sides.begin(), sides.end());
  std::vector<int> directions;
  for (const auto& [a, b] : scene.model.surface.edges) {
    const std::array<int, 2> side = {scene.vertex_of_surface[static_cast<std::size_t>(a)],
                                     scene.vertex_of_surface[static_cast<std::size_t>(b)]};
    directions.push_back(std::binary_search(sides.begin(), sides.end(), side) ? 1 : -1);
  }
  return directions;
}

void set_outside(const SceneDesc& desc, SceneModel& scene) {
  std::vector<signed char>& outside = scene.model.contact_measures.outside;
  if (scene.dim == 3) {
    outside = find_outside(desc, scene, scene.model.surface.triangles);
    return;
  }
  const std::vector<int> directions = directions_of_edges(scene);
  Edges edges = scene.model.surface.edges;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (directions[e] < 0) std::swap(edges[e][0], edges[e][1]);
  }
  outside = find_outside(desc, scene, edges);
  for (std::size_t e = 0; e < edges.size(); ++e) outside[e] = static_cast<signed char>(outside[e] * directions[e]);
}

/// Sets the areas that features of solids represent: shares of the facets around them, and at sharp features the area
/// that the surface gains there when it is moved outwards by dhat (Steiner's formula), which does not depend on the
/// mesh. An edge gains its length times dhat times the angle that it bends by. A vertex gains dhat^2 times its defect
/// of angles; in 2D a vertex gains dhat times its angle.
template <int dim>
class Offsets {
 public:
  explicit Offsets(SceneModel& scene)
      : scene_(scene),
        measures_(scene.model.contact_measures),
        star_(scene.model),
        x_(scene.model.surface_map.apply(scene.model.x_rest)) {}

  void run() {
    const SurfaceTopology& surface = scene_.model.surface;
    set_facet_shares();
    std::vector<double>& of_vertex = measures_.vertex_sharpness;
    std::vector<double>& of_edge = measures_.edge_sharpness;
    of_vertex.assign(static_cast<std::size_t>(surface.num_vertices), 0.0);
    of_edge.assign(surface.edges.size(), 0.0);
    for (int e = 0; dim == 3 && e < std::ssize(surface.edges); ++e) {
      if (!star_.is_solid_edge(e)) continue;
      const auto i = static_cast<std::size_t>(e);
      const auto [a, b] = surface.edges[i];
      const double area = (at(b) - at(a)).norm() * dhat(a) * std::max(0.0, bend(e));
      of_edge[i] = std::max(area, least(measures_.edge[i]));
      for (const int v : {a, b}) of_vertex[static_cast<std::size_t>(v)] += 0.5 * area;
    }
    for (int v = 0; v < surface.num_vertices; ++v) {
      if (!star_.is_solid_vertex(v)) continue;
      const auto i = static_cast<std::size_t>(v);
      const double gain = dim == 2 ? dhat(v) * turn(v) : dhat(v) * dhat(v) * defect(v);
      of_vertex[i] = std::max(of_vertex[i] + std::max(0.0, gain), least(measures_.vertex[i]));
    }
    for (std::size_t v = 0; v < of_vertex.size(); ++v) measures_.vertex[v] += of_vertex[v];
    for (std::size_t e = 0; e < of_edge.size(); ++e) measures_.edge[e] += of_edge[e];
  }

 private:
  Vec<dim> at(int v) const { return block<dim>(x_, v); }
  double dhat(int v) const { return dhat_of_vertex(scene_, v); }
  /// Returns the least area of a feature, for contacts that no facet faces. A feature that is flat at rest may be
  /// crushed to a point later, and no feature may be without a barrier.
  static double least(double area) { return 0.1 * area; }
  void set_facet_shares() {
    const SurfaceTopology& surface = scene_.model.surface;
    if constexpr (dim == 3) {
      for (const auto& [a, b, c] : surface.triangles) {
        measures_.facet_share.push_back(cross_product(Vec<3>(at(b) - at(a)), Vec<3>(at(c) - at(a))).norm() / 6.0);
      }
    } else {
      for (const auto& [a, b] : surface.edges) measures_.facet_share.push_back(0.5 * (at(b) - at(a)).norm());
    }
  }
  static double angle_between(const Vec<dim>& a, const Vec<dim>& b) {
    return elementary::acos(std::clamp(a.dot(b) / (a.norm() * b.norm()), -1.0, 1.0));
  }
  /// Returns the outward normal, not normalised.
  Vec<dim> normal(int facet) const {
    if constexpr (dim == 2) {
      const auto [a, b] = scene_.model.surface.edges[static_cast<std::size_t>(facet)];
      const Vec<2> along = at(b) - at(a);
      return star_.outside(facet) * Vec<2>(along[1], -along[0]);
    } else {
      const auto& t = scene_.model.surface.triangles[static_cast<std::size_t>(facet)];
      return star_.outside(facet) * cross_product(at(t[1]) - at(t[0]), at(t[2]) - at(t[0]));
    }
  }
  /// Returns the angle [rad] that an edge between two triangles of a solid bends by; negative if the edge is concave.
  double bend(int edge) const {
    const std::span<const int> triangles = star_.triangles_of_edge(edge);
    if (!star_.is_solid_edge(edge) || triangles.size() != 2) return 0.0;
    const Vec<dim> n = normal(triangles[0]);
    const int a = scene_.model.surface.edges[static_cast<std::size_t>(edge)][0];
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
      auto corners = scene_.model.surface.triangles[static_cast<std::size_t>(t)];
      std::rotate(corners.begin(), std::find(corners.begin(), corners.end(), vertex), corners.end());
      sum += angle_between(at(corners[1]) - at(vertex), at(corners[2]) - at(vertex));
    }
    return 2.0 * std::numbers::pi - sum;
  }

  const SceneModel& scene_;
  ContactMeasures& measures_;
  SurfaceStar star_;
  VecX x_;  // [m] surface vertices at rest
};

void set_orientation(const SceneDesc& desc, SceneModel& scene) {
  Model& model = scene.model;
  set_outside(desc, scene);
  with_dimension(scene.dim, [&](auto dim) { Offsets<dim>(scene).run(); });
  if (!scene.options.formulation.orientation->has_adaptive_dhat) return;
  scene.rest_gap = with_dimension(scene.dim, [&](auto dim) {
    return GcpContactModel<dim>::set_rest_distances(
        model, scene.options.barrier, *scene.options.formulation.orientation, model.surface_map.apply(model.x_rest));
  });
}

}  // namespace

FormulationOptions formulation_of(const ContactDesc& contact) {
  const bool is_convergent = contact.formulation == ContactFormulation::convergent;
  FormulationOptions options{contact.area_weights.value_or(is_convergent), contact.improved_max.value_or(is_convergent),
                             contact.is_physical()};
  if (contact.formulation == ContactFormulation::gcp) {
    options.has_areas = true;
    options.orientation = {contact.alpha_t, contact.alpha_n, contact.adaptive_dhat, contact.published};
  }
  return options;
}

void set_contact_measures(const SceneDesc& desc, SceneModel& scene) {
  const FormulationOptions& formulation = scene.options.formulation;
  if (!scene.options.has_contact || (!formulation.has_areas && !formulation.has_physical_barrier)) return;
  if (scene.dim == 2) {
    Measures<2>(scene).run();
  } else {
    Measures<3>(scene).run();
  }
  if (!formulation.has_physical_barrier) return;

  Model& model = scene.model;
  const auto num_bodies = scene.bodies.size();
  std::vector<double> area(num_bodies, 0.0), mass(num_bodies, 0.0), dhat(num_bodies, scene.options.barrier.dhat);
  for (int v = 0; v < model.surface.num_vertices; ++v) {
    const auto at = static_cast<std::size_t>(v);
    const auto body = static_cast<std::size_t>(model.surface.vertex_body[at]);
    area[body] += model.contact_measures.vertex[at];
    if (!model.contact_scales.is_empty()) dhat[body] = model.contact_scales.dhat[at];
  }
  for (const StiffUnit& unit : scene.stiff_units) {
    if (!unit.is_part()) mass[static_cast<std::size_t>(unit.body)] = unit.frame.mass;
  }
  std::vector<double> modulus;
  for (std::size_t b = 0; b < num_bodies; ++b) {
    const BodyInstance& body = scene.bodies[b];
    const BodyDesc& body_desc = desc.bodies[static_cast<std::size_t>(body.desc)];
    if (desc.contact.kappa > 0.0) {
      modulus.push_back(desc.contact.kappa);
    } else if (body.is_obstacle) {
      modulus.push_back(infinity);
    } else if (is_stiff(body.kind)) {
      modulus.push_back(inertial_modulus(desc, mass[b], area[b], dhat[b]));
    } else {
      modulus.push_back(elastic_share * youngs_modulus(body_desc));
    }
  }
  for (const int body : model.surface.vertex_body) {
    model.contact_measures.modulus.push_back(modulus[static_cast<std::size_t>(body)]);
  }
  if (formulation.orientation) set_orientation(desc, scene);
}

void log_contact_moduli(const SceneDesc& desc, const SceneModel& scene) {
  const Model& model = scene.model;
  std::vector<char> is_told(scene.bodies.size(), 0);
  for (std::size_t v = 0; v < model.contact_measures.modulus.size(); ++v) {
    const auto b = static_cast<std::size_t>(model.surface.vertex_body[v]);
    if (std::exchange(is_told[b], 1) != 0) continue;
    const BodyInstance& body = scene.bodies[b];
    log_info("contact of '{}': kappa {:.4g} Pa, {}; dhat {:.4g} m", body.name, model.contact_measures.modulus[v],
             origin_of_modulus(desc, body), dhat_of_vertex(scene, static_cast<int>(v)));
  }
}

}  // namespace clearance
