#include "clearance/contact/areas_at_rest.h"

#include <algorithm>

#include "clearance/contact/surface_star.h"
#include "clearance/geometry/distance.h"
#include "clearance/math/dimension.h"

namespace clearance {

namespace {

/// Share of Young's modulus that resists a gap becoming smaller [Li23].
constexpr double elastic_share = 0.1;

template <int dim>
class Areas {
 public:
  explicit Areas(const SurfaceAtRest& rest)
      : rest_(rest), surface_(rest.model.surface), x_(rest.model.surface_map.apply(rest.model.x_rest)) {}

  AreasAtRest find() const {
    AreasAtRest areas;
    areas.vertex.assign(surface_.num_vertices, 0.0);
    areas.edge.assign(surface_.edges.size(), 0.0);
    if constexpr (dim == 3) add_triangles(areas);
    // Edges without triangles have strips,
    for (std::size_t e = 0; e < surface_.edges.size(); ++e) {
      const auto [a, b] = surface_.edges[e];
      const double length = (block<dim>(x_, a) - block<dim>(x_, b)).norm();
      if (areas.edge[e] > 0.0) continue;
      areas.edge[e] = dim == 2 ? length : length * rest_.dhat(a);
      for (const int v : {a, b}) areas.vertex[v] += 0.5 * areas.edge[e];
    }
    // and vertices without edges have squares.
    for (int v = 0; v < surface_.num_vertices; ++v) {
      double& area = areas.vertex[v];
      if (area == 0.0) area = dim == 2 ? rest_.dhat(v) : rest_.dhat(v) * rest_.dhat(v);
    }
    return areas;
  }

 private:
  void add_triangles(AreasAtRest& areas) const {
    const SurfaceStar star(rest_.model);
    for (int k = 0; k < std::ssize(surface_.triangles); ++k) {
      const auto& t = surface_.triangles[k];
      const Vec<3> x0 = block<3>(x_, t[0]);
      // A triangle gives a third of its area to each corner and a third to each edge. The areas of all vertices then
      // sum up to that of the surface, and so do those of all edges: each kind of owner integrates over the surface
      // once.
      const double third = 0.5 * cross_product(block<3>(x_, t[1]) - x0, block<3>(x_, t[2]) - x0).norm() / 3.0;
      for (const int v : t) areas.vertex[v] += third;
      for (const int e : star.edges_of_triangle(k)) areas.edge[e] += third;
    }
  }

  const SurfaceAtRest& rest_;
  const SurfaceTopology& surface_;
  VecX x_;  // [m] surface vertices at rest
};

/// Computes the modulus of a stiff body [Pa]. Halfway to contact, the pressure of the barrier over the whole surface of
/// the body is then inertial_reach times the force that accelerates it by dhat / h^2 (quasi-static: by gravity,
/// which SurfaceAtRest has as 1 m/s^2 at least).
double inertial_modulus(const SurfaceAtRest& rest, double mass, double area, double dhat) {
  // With b / dhat^3 per area [Li23] and kappa = 1, the pressure halfway to contact has no unit and does not depend on
  // dhat: middle_force grows with dhat^3 where min_separation is 0. The result solves modulus * pressure_of_unit *
  // area = inertial_reach * mass * acceleration.
  const bool is_static = rest.step == 0.0;
  const double acceleration = is_static ? rest.gravity : dhat / (rest.step * rest.step);
  const BarrierOptions barrier{dhat, 0.0};
  const double pressure_of_unit = middle_force(barrier) / (dhat * dhat * dhat);
  return inertial_reach * mass * acceleration / (area * pressure_of_unit);
}

}  // namespace

AreasAtRest find_areas(const SurfaceAtRest& rest) {
  return with_dimension(rest.dim(), [&](auto dim) { return Areas<dim>(rest).find(); });
}

void set_moduli(const SurfaceAtRest& rest, AreasAtRest& areas) {
  const SurfaceTopology& surface = rest.model.surface;
  const std::size_t num_bodies = rest.bodies.size();
  std::vector<double> area(num_bodies, 0.0), dhat(num_bodies, rest.barrier.dhat), modulus;
  for (int v = 0; v < surface.num_vertices; ++v) {
    const std::size_t at = v;
    const std::size_t body = surface.vertex_body[at];
    area[body] += areas.vertex[at];
    dhat[body] = rest.dhat(v);
  }
  for (std::size_t b = 0; b < num_bodies; ++b) {
    const BodyAtRest& body = rest.bodies[b];
    if (rest.kappa > 0.0) {
      modulus.push_back(rest.kappa);
    } else if (body.is_obstacle) {
      // A pair has the smaller modulus, which is that of the obstacle's partner.
      modulus.push_back(infinity);
    } else if (body.is_stiff) {
      modulus.push_back(inertial_modulus(rest, body.mass, area[b], dhat[b]));
    } else {
      modulus.push_back(elastic_share * body.youngs_modulus);
    }
  }
  for (const int body : surface.vertex_body) areas.modulus.push_back(modulus[body]);
}

AreasAtRest AreasAtRest::restricted_to(const ContactPart& part) const {
  AreasAtRest result;
  for (const ContactPart::Feature& v : part.vertices) {
    const std::size_t like = v.like;
    if (!vertex.empty()) result.vertex.push_back(v.area ? *v.area : vertex[like]);
    if (!modulus.empty()) result.modulus.push_back(modulus[like]);
  }
  for (const ContactPart::Feature& e : part.edges) {
    if (!edge.empty()) result.edge.push_back(e.area ? *e.area : edge[e.like]);
  }
  return result;
}

}  // namespace clearance
