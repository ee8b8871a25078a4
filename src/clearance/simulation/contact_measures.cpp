#include "clearance/simulation/contact_measures.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/log.h"
#include "clearance/contact/barrier.h"
#include "clearance/geometry/distance.h"
#include "clearance/simulation/contact_scales.h"

namespace clearance {

namespace {

/// Share of Young's modulus that resists a gap becoming smaller [Li23].
constexpr double elastic_share = 0.1;

/// Areas at rest per surface vertex and edge. Segments and points stand for strips and squares as wide as dhat.
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
  double dhat(int v) const {
    const std::vector<double>& of_vertex = scene_.model.contact_scales.dhat;
    return of_vertex.empty() ? scene_.options.barrier.dhat : of_vertex[static_cast<std::size_t>(v)];
  }

  void add_triangles(ContactMeasures& measures) const {
    // Edges are sorted within a body only: found by their ends.
    std::vector<std::array<int, 3>> order;
    for (std::size_t e = 0; e < surface_.edges.size(); ++e) {
      const auto [a, b] = surface_.edges[e];
      order.push_back({std::min(a, b), std::max(a, b), static_cast<int>(e)});
    }
    std::sort(order.begin(), order.end());
    for (const auto& t : surface_.triangles) {
      const Vec<3> x0 = block<3>(x_, t[0]);
      const double third = 0.5 * cross_product(block<3>(x_, t[1]) - x0, block<3>(x_, t[2]) - x0).norm() / 3.0;
      for (std::size_t i = 0; i < 3; ++i) {
        measures.vertex[static_cast<std::size_t>(t[i])] += third;
        const int a = t[i], b = t[(i + 1) % 3];
        const auto found = std::lower_bound(order.begin(), order.end(), std::array{std::min(a, b), std::max(a, b), -1});
        measures.edge[static_cast<std::size_t>((*found)[2])] += third;
      }
    }
  }

  SceneModel& scene_;
  const SurfaceTopology& surface_;
  VecX x_;  // [m] surface vertices at rest
};

/// The smallest Young's modulus of a deformable body.
double youngs_modulus(const BodyDesc& body) {
  double modulus = body.material.youngs_modulus;
  for (const MaterialPartDesc& part : body.material_parts) modulus = std::min(modulus, part.material.youngs_modulus);
  return modulus;
}

/// [Pa] per body: halfway to contact the barrier pushes the stiff body that all of its surface is part of.
double inertial_modulus(const SceneDesc& desc, double mass, double area, double dhat) {
  const bool is_static = desc.time.integrator == TimeIntegrator::quasi_static;
  const double acceleration = is_static ? std::max(1.0, desc.gravity.norm()) : dhat / (desc.time.step * desc.time.step);
  const BarrierOptions barrier{dhat, 0.0};
  const double pressure_of_unit = middle_force(barrier) / (dhat * dhat * dhat);
  return inertial_reach * mass * acceleration / (area * pressure_of_unit);
}

}  // namespace

ContactWeighting weighting_of(const ContactDesc& contact) {
  const bool is_convergent = contact.formulation == ContactFormulation::convergent;
  return {contact.area_weights.value_or(is_convergent), contact.improved_max.value_or(is_convergent),
          contact.physical_barrier.value_or(is_convergent)};
}

void set_contact_measures(const SceneDesc& desc, SceneModel& scene) {
  const ContactWeighting& weighting = scene.options.weighting;
  if (!scene.options.has_contact || (!weighting.has_areas && !weighting.has_physical_barrier)) return;
  if (scene.dim == 2) {
    Measures<2>(scene).run();
  } else {
    Measures<3>(scene).run();
  }
  if (!weighting.has_physical_barrier) return;

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
    const char* reason = "given";
    if (desc.contact.kappa > 0.0) {
      modulus.push_back(desc.contact.kappa);
    } else if (body.is_obstacle) {
      modulus.push_back(infinity);
      reason = "that of the other body";
    } else if (is_stiff(body.kind)) {
      modulus.push_back(inertial_modulus(desc, mass[b], area[b], dhat[b]));
      reason = "by its inertia in a step";
    } else {
      modulus.push_back(elastic_share * youngs_modulus(body_desc));
      reason = "a tenth of its smallest Young's modulus";
    }
    log_info("contact of '{}': kappa {:.4g} Pa, {}; dhat {:.4g} m", body.name, modulus.back(), reason, dhat[b]);
  }
  for (const int body : model.surface.vertex_body) {
    model.contact_measures.modulus.push_back(modulus[static_cast<std::size_t>(body)]);
  }
}

}  // namespace clearance
