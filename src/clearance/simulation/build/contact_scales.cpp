#include "clearance/simulation/build/contact_scales.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <queue>

#include "clearance/contact/contact_set.h"
#include "clearance/contact/surface_at_rest.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/math/dimension.h"
#include "clearance/model/blocks.h"
#include "clearance/simulation/build/affine_stiffness.h"

namespace clearance {

namespace {

/// Share of a distance at rest that the barrier may reach over, for features of one body and for its thickness.
constexpr double own_share = 1.0 / 3.0;
/// Motion of a stiff or thin body in statics, in dhat, under all loads of the scene at one vertex. Its gap is then an
/// eightieth of dhat, and half of dhat if a hundred vertices share the loads.
constexpr double static_softness = 80.0;
/// Most times that a stiff body resists more than its inertia.
constexpr double most_growth = 16.0;
/// Halvings of a step with an accuracy whose shortest part the inertia of stiff bodies is resisted in. In shorter parts
/// their contacts act like springs.
constexpr int most_halvings = 6;
/// Smallest share of dhat that a small gap at the start leaves.
constexpr double least_share = 1e-3;

/// Returns the thickness [m] of a plate with the volume and the surface of a solid; infinity for bodies that are no
/// solids.
double thickness(int dim, const Mesh& mesh) {
  double area = 0.0, volume = 0.0;
  if (dim == 2) {
    if (mesh.triangles.empty()) return infinity;
    volume = mass_properties_of_triangles(mesh.vertices, mesh.triangles).measure;
    area = mass_properties_of_edges(mesh.vertices, boundary_edges(mesh.triangles)).measure;
  } else {
    const Triangles surface = mesh.tets.empty() ? mesh.triangles : boundary_triangles(mesh.tets);
    if (surface.empty()) return infinity;
    volume = std::abs(mass_properties_of_solid(mesh.vertices, surface).measure);
    area = mass_properties_of_triangles(mesh.vertices, surface).measure;
    // Open surfaces have no volume.
    if (mesh.tets.empty() && !is_closed_manifold(surface)) return infinity;
  }
  // Parts of a stiff body that point opposite ways may cancel.
  return volume > 0.0 ? 2.0 * volume / area : infinity;
}

/// Contact lengths that follow from a body alone.
struct BodyScales {
  double dhat = 0.0, eps_v = 0.0, stick = 0.0;
};

/// Returns the largest activation distance [m] of a thin body: its thickness, or a third of the diameter of particles.
double reach_of_thin(const BodyDesc& body) {
  return (body.kind == BodyKind::particles ? own_share : 1.0) * *body.thickness;
}

/// Returns the size of a body [m] that lengths of contact are fractions of; that of a cloud of particles is their
/// diameter.
double size_of(const SceneDesc& desc, const BodyInstance& body) {
  const double diagonal = bounding_box(body.mesh.vertices).diagonal();
  if (!is_thin(body.kind)) return diagonal;
  const double thickness = *desc.bodies[body.desc].thickness;
  return body.kind == BodyKind::particles ? thickness : std::max(diagonal, thickness);
}

BodyScales scales_of(const SceneDesc& desc, double scene_size, const BodyInstance& body) {
  const bool is_local = desc.contact.scales == ContactScaleKind::bodies;
  const double size = is_local ? size_of(desc, body) : scene_size;
  BodyScales scales;
  scales.dhat = desc.contact.dhat * (desc.contact.dhat_is_absolute ? 1.0 : size);
  if (is_local && !desc.contact.dhat_is_absolute) {
    scales.dhat = std::min(scales.dhat, is_thin(body.kind) ? reach_of_thin(desc.bodies[body.desc])
                                                           : own_share * thickness(desc.dimension, body.mesh));
  }
  scales.eps_v = desc.friction.eps_v * (desc.friction.eps_v_is_absolute ? 1.0 : size);
  scales.stick = desc.friction.stick * size;
  return scales;
}

/// Compliance [m/N] of surface vertices: the displacement that a unit force causes.
class Compliance {
 public:
  Compliance(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const std::vector<StiffUnit>& units,
             const Model& model, double h)
      : model_(model) {
    const VecX& elastic = model.elastic_stiffness;
    const bool is_static = desc.time.integrator == TimeIntegrator::quasi_static;
    // Parts of a step with an accuracy have many lengths. Contacts keep one resistance in all of them, because a body
    // at rest would be thrown where it grows: that of what is elastic, and of inertia in short parts.
    const bool is_accurate = desc.time.accuracy > 0.0;
    const double length =
        is_accurate ? std::ldexp(desc.time.step, -std::min(desc.time.max_halvings, most_halvings)) : h;
    for (int b = 0; b < model.layout.num_blocks; ++b) {
      const double inertia = inertial_reach * model.mass[b] / (length * length);
      const bool is_elastic = elastic[b] > 0.0 && (is_static || is_accurate);
      stiffness_.push_back(is_elastic ? elastic[b] : inertia + elastic[b]);
    }
    if (is_static) {
      set_static(desc, bodies, units);
    } else {
      set_falling(desc, bodies, units, length);
    }
    for (const Tie& tie : model.ties) tie_of_block_[tie.block] = &tie;
  }

  double at(int surface_vertex) const {
    double sum = 0.0;
    for (const SurfaceMap::Term& term : model_.surface_map.terms(surface_vertex)) {
      const auto tie = tie_of_block_.find(term.block);
      if (tie == tie_of_block_.end()) {
        add(term.block, term.weight, sum);
        continue;
      }
      for (int i = 0; i <= model_.layout.dim; ++i) {
        add(tie->second->first_block + i, term.weight * tie->second->weights[i], sum);
      }
    }
    return sum;
  }

 private:
  /// Lets stiff and thin bodies resist as the loads of the scene ask. Neither their mass nor the time step has a
  /// meaning in statics.
  void set_static(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const std::vector<StiffUnit>& units) {
    const double force = sum_of_loads(desc, bodies, units, thin_masses(bodies));
    for (const StiffUnit& unit : units) {
      const double dhat = scales_of(desc, model_.bbox_diagonal, bodies[unit.body]).dhat;
      // Without loads the elastic modulus of the body, 8 kappa, resists what moves it.
      const double of_body = 8.0 * unit.stiffness * (desc.dimension == 3 ? unit.frame.radius : 1.0);
      const double resistance = force > 0.0 ? force / (static_softness * dhat) : of_body;
      for (int i = 0; i <= model_.layout.dim; ++i) stiffness_[unit.first_block + i] = resistance;
    }
    set_static_thin(desc, bodies, force);
  }

  /// Lets thin bodies resist at least as stiff ones do, because they carry loads by tension, after they have given way,
  /// and not by the bending that resists at rest. Under a ball on a sheet that bending alone weighed, the gap was 2e-9
  /// m of 1e-3 m, and facets of the dimple, which turn towards the ball, cut directions to a hundredth.
  void set_static_thin(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, double force) {
    std::vector<double> resistance(bodies.size(), 0.0);  // [N/m]
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (!is_thin(bodies[b].kind) || bodies[b].is_obstacle) continue;
      const double dhat = scales_of(desc, model_.bbox_diagonal, bodies[b]).dhat;
      resistance[b] = force > 0.0 ? force / (static_softness * dhat) : tension_of(desc.bodies[bodies[b].desc]);
    }
    for (int block = 0; block < model_.layout.num_blocks; ++block) {
      stiffness_[block] = std::max(stiffness_[block], resistance[body_of_block(model_, block)]);
    }
  }

  /// Lets half of dhat end the fall of a stiff body through the height of the scene within half a step of length h. A
  /// heap presses on one of its bodies with many times the inertia of that body.
  void set_falling(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const std::vector<StiffUnit>& units,
                   double h) {
    const double gravity = desc.gravity.norm();
    if (!(gravity > 0.0)) return;
    double low = infinity, high = -infinity;
    for (const BodyInstance& body : bodies) {
      for (const Vec<3>& vertex : body.mesh.vertices) {
        const double height = -desc.gravity.dot(vertex) / gravity;
        low = std::min(low, height);
        high = std::max(high, height);
      }
    }
    const double speed = std::sqrt(2.0 * gravity * (high - low));
    for (const StiffUnit& unit : units) {
      const double dhat = scales_of(desc, model_.bbox_diagonal, bodies[unit.body]).dhat;
      const double growth = std::clamp(2.0 * speed * h / (inertial_reach * dhat), 1.0, most_growth);
      for (int i = 0; i <= model_.layout.dim; ++i) stiffness_[unit.first_block + i] *= growth;
    }
  }

  /// Returns the tension per length [N/m] of a sheet at a strain of 1. It resists across the sheet where this slopes by
  /// 1; motions alone may press that far. Bending of a rod is as stiff as that.
  static double tension_of(const BodyDesc& body) {
    if (body.kind != BodyKind::shell) return 0.0;
    const std::optional<OrthotropyDesc> woven = body.shell ? body.shell->orthotropy : std::nullopt;
    const double modulus =
        woven ? std::max(woven->youngs_modulus_warp, woven->youngs_modulus_weft) : body.material.youngs_modulus;
    return modulus * *body.thickness;
  }

  /// Returns the masses [kg] of thin bodies; 0 for all others.
  std::vector<double> thin_masses(const std::vector<BodyInstance>& bodies) const {
    std::vector<char> is_inner(model_.layout.num_blocks, 0);
    for (const int block : model_.inner_blocks) is_inner[block] = 1;
    std::vector<double> masses(bodies.size(), 0.0);
    for (int block = 0; block < model_.layout.num_blocks; ++block) {
      const std::size_t body = body_of_block(model_, block);
      if (is_inner[block] == 0 && is_thin(bodies[body].kind)) masses[body] += model_.mass[block];
    }
    return masses;
  }

  void add(int block, double weight, double& sum) const {
    const double stiffness = stiffness_[block];
    if (stiffness > 0.0) sum += weight * weight / stiffness;
  }

  const Model& model_;
  std::vector<double> stiffness_;  // per block
  std::map<int, const Tie*> tie_of_block_;
};

bool has_own_stiffness(const SceneDesc& desc) {
  return desc.contact.stiffness == ContactStiffnessKind::bodies && desc.contact.kappa == 0.0 &&
         is_plain(desc.contact.options);
}

/// Limits the growth of dhat along the surface to `slope` times the distance. Without the limit, dhat would follow the
/// gap of two curved bodies at the start, and the bodies would meet on the whole patch at once: a ball pressed into a
/// block (Hertz) had 1.5 times the force.
template <int dim>
void limit_growth(const SurfaceTopology& surface, const VecX& x, double slope, std::vector<double>& dhat) {
  std::vector<std::vector<int>> neighbours(dhat.size());
  for (const auto& [i, j] : surface.edges) {
    neighbours[i].push_back(j);
    neighbours[j].push_back(i);
  }
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t v = 0; v < dhat.size(); ++v) queue.emplace(dhat[v], static_cast<int>(v));
  while (!queue.empty()) {
    const auto [limit, v] = queue.top();
    queue.pop();
    if (limit > dhat[v]) continue;
    for (int w : neighbours[v]) {
      const double next = limit + slope * (block<dim>(x, v) - block<dim>(x, w)).norm();
      if (next >= dhat[w]) continue;
      dhat[w] = next;
      queue.emplace(next, w);
    }
  }
}

/// Makes dhat so small that nothing that is close at the start, at `x_start` [m], has a force.
template <int dim>
void clear_start(const std::vector<BodyInstance>& bodies, const Model& model, const VecX& x_start,
                 BarrierOptions options, double slope, ContactScales& scales) {
  // The search reaches as far as features of one body limit each other.
  options.dhat /= own_share;
  Model searched = model;
  searched.contact_scales = scales;
  for (double& d : searched.contact_scales.dhat) d /= own_share;
  const VecX x = model.surface_map.apply(x_start);
  const auto broad_phase = make_broad_phase(dim, model.surface);
  const ContactSet set =
      build_contact_set<dim>(searched, x, find_contact_candidates(*broad_phase, searched, options, x, x), options);
  std::vector<double>& dhat = scales.dhat;
  const std::vector<double> dhat_of_body = dhat;
  for (const Contact& contact : set.contacts) {
    const auto body = [&](int i) { return model.surface.vertex_body[contact.vertices[i]]; };
    const int n = contact.num_vertices();
    // A body that starts bent is pressed against something and keeps its dhat.
    const auto is_bent = [&](int i) { return !bodies[body(i)].displacements.empty(); };
    if (is_bent(0) || is_bent(n - 1)) continue;
    const bool is_within = contact.kind != ContactKind::half_space && body(0) == body(n - 1);
    const double gap = (is_within ? own_share : 1.0) * (gap_of(contact) - options.min_separation);
    for (int i = 0; i < n; ++i) {
      const std::size_t v = contact.vertices[i];
      dhat[v] = std::min(dhat[v], std::max(gap, least_share * dhat_of_body[v]));
    }
  }
  limit_growth<dim>(model.surface, x, slope, dhat);
}

/// Returns the lengths of each body.
std::vector<BodyScales> scales_of_bodies(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                         double scene_size, BodyScales& largest) {
  std::vector<BodyScales> of_body;
  for (const BodyInstance& body : bodies) {
    of_body.push_back(body.is_obstacle ? BodyScales{} : scales_of(desc, scene_size, body));
    largest.dhat = std::max(largest.dhat, of_body.back().dhat);
    largest.eps_v = std::max(largest.eps_v, of_body.back().eps_v);
    largest.stick = std::max(largest.stick, of_body.back().stick);
  }
  // Only one body of a pair can be an obstacle, so that the smaller scales of the other one count.
  for (std::size_t b = 0; b < of_body.size(); ++b) {
    if (bodies[b].is_obstacle) of_body[b] = largest;
  }
  return of_body;
}

}  // namespace

std::vector<double> contact_compliance(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                       const std::vector<StiffUnit>& units, const Model& model, double h) {
  std::vector<double> of_vertex;
  if (!has_own_stiffness(desc)) return of_vertex;
  const Compliance compliance(desc, bodies, units, model, h);
  for (int v = 0; v < model.surface.num_vertices; ++v) {
    of_vertex.push_back(model.is_obstacle_vertex[v] ? 0.0 : compliance.at(v));
  }
  return of_vertex;
}

ScaledContact make_contact_scales(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                  const std::vector<StiffUnit>& units, const Model& model, const VecX& x_start,
                                  const SolverOptions& options) {
  const bool is_local = desc.contact.scales == ContactScaleKind::bodies;
  const bool has_own_distances = is_plain(desc.contact.options);
  if (!is_local && !has_own_stiffness(desc)) return {{}, options.barrier.dhat};
  BodyScales largest;
  const std::vector<BodyScales> of_body = scales_of_bodies(desc, bodies, model.bbox_diagonal, largest);
  ScaledContact contact;
  contact.dhat = largest.dhat;
  for (int v = 0; v < model.surface.num_vertices; ++v) {
    const std::size_t at = v;
    const BodyScales& body = of_body[model.surface.vertex_body[at]];
    contact.scales.dhat.push_back(body.dhat);
    contact.scales.eps_v.push_back(body.eps_v);
    contact.scales.stick.push_back(body.stick);
  }
  contact.scales.compliance = contact_compliance(desc, bodies, units, model, desc.time.step);
  // Formulations that subtract what is counted twice need one distance for the whole body. An absolute length is kept
  // as the scene gives it.
  if (!has_own_distances || !options.has_contact || !is_local || desc.contact.dhat_is_absolute) return contact;
  BarrierOptions barrier = options.barrier;
  barrier.dhat = contact.dhat;
  with_dimension(model.layout.dim, [&](auto dim) {
    clear_start<dim>(bodies, model, x_start, barrier, desc.contact.dhat, contact.scales);
  });
  return contact;
}

}  // namespace clearance
