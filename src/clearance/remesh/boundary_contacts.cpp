#include "clearance/remesh/boundary_contacts.h"

#include <algorithm>
#include <initializer_list>

#include "clearance/contact/make_contact_model.h"
#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

/// Margin in mean edges: elements are farther from their neighbours than that, and nodes seldom move as far.
constexpr double margin_share = 0.1;

template <int dim>
double mean_boundary_edge(const SimplexMesh<dim>& mesh) {
  double sum = 0.0;
  int count = 0;
  for (int f = 0; f < mesh.num_facets(); ++f) {
    if (!mesh.is_facet_alive(f)) continue;
    const auto& facet = mesh.facet(f);
    sum += (mesh.rest(facet[0]) - mesh.rest(facet[1])).norm();
    ++count;
  }
  return sum / std::max(count, 1);
}

/// False if neither a half-space, nor another body, nor the body itself can be within the extent.
template <int dim>
bool may_touch_anything(const LocalSetting<dim>& setting, const Extent<dim>& extent) {
  if (setting.body.has_self_contact) return true;
  for (const HalfSpace& plane : setting.in.model.half_spaces) {
    // The lowest corner of a box decides whether it passes the plane.
    const Vec<dim> normal = plane.normal.template head<dim>();
    const auto lowest = [&](const Vec<dim>& low, const Vec<dim>& high) {
      return (normal.array() > 0.0).select(low.array() * normal.array(), high.array() * normal.array()).sum();
    };
    if (lowest(extent.low_x1, extent.high_x1) < plane.offset || lowest(extent.low_x0, extent.high_x0) < plane.offset) {
      return true;
    }
  }
  for (int b = 0; b < setting.surroundings.num_bodies(); ++b) {
    if (b != setting.body.body && setting.surroundings.has_any(b, extent)) return true;
  }
  return false;
}

template <int dim>
double facet_distance_sq(const std::array<Vec<dim>, dim>& f, const std::array<Vec<dim>, dim>& g) {
  double least = infinity;
  // The least distance of two facets is that of a vertex to a facet or, in 3D, of two edges.
  const auto compare_points = [&](const auto& points, const auto& facet) {
    for (const Vec<dim>& p : points) {
      if constexpr (dim == 2) least = std::min(least, point_edge_distance_sq<2>(p, facet[0], facet[1]));
      if constexpr (dim == 3) least = std::min(least, point_triangle_distance_sq(p, facet[0], facet[1], facet[2]));
    }
  };
  compare_points(f, g);
  compare_points(g, f);
  if constexpr (dim == 3) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        least = std::min(least, edge_edge_distance_sq(f[i], f[(i + 1) % 3], g[j], g[(j + 1) % 3]));
      }
    }
  }
  return least;
}

/// Returns the vertices of facets that a split has parted: facets within reach of each other that share no vertex any
/// more, but did before the split.
template <int dim>
std::vector<int> vertices_of_parted(const AdaptingBody<dim>& body, const MeshEdit& edit, double reach) {
  std::vector<int> vertices;
  if (edit.kind != MeshEdit::Kind::split || !edit.is_on_boundary || !body.has_self_contact || reach == 0.0) return {};
  const SimplexMesh<dim>& mesh = body.mesh;
  // Collect the facets around those that the split replaced.
  std::vector<int> around;
  for (const int f : edit.removed_facets) {
    for (const int v : mesh.facet(f)) {
      around.insert(around.end(), mesh.facets_at(v).begin(), mesh.facets_at(v).end());
    }
  }
  make_unique(around);
  const auto places = [&](int f, auto field) {
    std::array<Vec<dim>, dim> x;
    for (std::size_t i = 0; i < dim; ++i) x[i] = body.fields[mesh.facet(f)[i]].*field;
    return x;
  };
  // Compare each new facet with those around that it shares no vertex with, at x1 and at x0.
  for (const int f : edit.added_facets) {
    const auto& own = mesh.facet(f);
    for (const int g : around) {
      const auto& other = mesh.facet(g);
      if (std::find_first_of(own.begin(), own.end(), other.begin(), other.end()) != own.end()) continue;
      for (const auto field : {&NodeFields<dim>::x1, &NodeFields<dim>::x0}) {
        if (!(facet_distance_sq<dim>(places(f, field), places(g, field)) < reach * reach)) continue;
        vertices.insert(vertices.end(), own.begin(), own.end());
        vertices.insert(vertices.end(), other.begin(), other.end());
        break;
      }
    }
  }
  return vertices;
}

}  // namespace

template <int dim>
BoundaryContacts<dim>::BoundaryContacts(const LocalSetting<dim>& setting) : setting_(setting) {
  if (!setting.own.has_contact()) return;
  const SimplexMesh<dim>& mesh = setting.body.mesh;
  // Look beyond the contact distance by a margin, so that the result stays valid for some motion of the boundary.
  const double activation = setting.own.dhat() + setting.options.barrier.min_separation;
  margin_ = std::max(activation, margin_share * mean_boundary_edge(mesh));
  reach_ = activation + margin_;
  // Skip the work if nothing can be within reach of the body's bounding box.
  Extent<dim> extent;
  for (int v = 0; v < mesh.num_vertices(); ++v) {
    if (!mesh.is_vertex_alive(v)) continue;
    const NodeFields<dim>& fields = setting.body.fields[v];
    extent.extend(fields.x1, fields.x0);
  }
  const ContactRegion<dim> around{extent.inflated(reach_), 0.0};
  if (!may_touch_anything(setting, around.extent)) return;
  // Build a problem without elements: it holds the surfaces alone.
  all_ = std::make_unique<LocalProblem<dim>>(setting, Scope(), &around);
  // The body's own surface vertices are its boundary vertices, in their order.
  const SurfaceTopology& surface = all_->model().surface;
  broad_phase_ = make_broad_phase(dim, surface);
  mesh_vertex_.assign(surface.num_vertices, -1);
  for (int v = 0; v < surface.num_vertices; ++v) {
    if (surface.vertex_body[v] != setting.body.body) continue;
    mesh_vertex_[v] = all_->vertices()[all_->model().surface_map.terms(v)[0].block];
  }
}

template <int dim>
ContactEnergies BoundaryContacts<dim>::energies() const {
  const SimplexMesh<dim>& mesh = setting_.body.mesh;
  ContactEnergies energies;
  energies.of_facet.assign(mesh.num_facets(), 0.0);
  if (!all_) return energies;
  // Build the contacts at x1 with the formulation of the step.
  const Model& model = all_->model();
  const VecX x = model.surface_map.apply(all_->x1());
  const auto contacts = make_contact_model<dim>(model, setting_.options.barrier);
  const ContactSet set = contacts->build(x, contacts->find_candidates(*broad_phase_, x, x));
  const double stiffness = setting_.options.kappa.fixed > 0.0 ? setting_.options.kappa.fixed / setting_.scale : 1.0;

  // Distribute the energy of each contact over its vertices on the body.
  std::vector<double> of_vertex(mesh.num_vertices(), 0.0);
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    std::vector<int> own;
    set.for_each_vertex(k, [&](std::size_t, int v) {
      if (mesh_vertex_[v] >= 0) own.push_back(mesh_vertex_[v]);
    });
    if (own.empty()) continue;
    const double energy = stiffness * contacts->energy(set, k, x);
    energies.sum += energy;
    for (const int v : own) of_vertex[v] += energy / static_cast<double>(own.size());
  }
  // Distribute the energy of each vertex over its facets.
  for (int f = 0; f < mesh.num_facets(); ++f) {
    if (!mesh.is_facet_alive(f)) continue;
    for (const int v : mesh.facet(f)) {
      energies.of_facet[f] += of_vertex[v] / static_cast<double>(mesh.facets_at(v).size());
    }
  }
  return energies;
}

template <int dim>
std::vector<char> BoundaryContacts<dim>::near_vertices() const {
  std::vector<char> is_near(setting_.body.mesh.num_vertices(), 0);
  if (!all_) return is_near;
  for (const VecX* x : {&all_->x1(), &all_->state().x}) mark_near(all_->model().surface_map.apply(*x), is_near);
  return is_near;
}

template <int dim>
void BoundaryContacts<dim>::mark_near(const VecX& x, std::vector<char>& is_near) const {
  const Model& model = all_->model();
  const SurfaceTopology& surface = model.surface;
  const double reach_sq = reach_ * reach_;
  const auto at = [&](int v) -> Vec<dim> { return block<dim>(x, v); };
  const auto mark = [&](double distance_sq, std::initializer_list<int> vertices) {
    if (!(distance_sq < reach_sq)) return;
    for (const int v : vertices) {
      if (mesh_vertex_[v] < 0) continue;
      is_near[mesh_vertex_[v]] = 1;
    }
  };
  // Measure all pairs within reach, whether or not the formulation makes contacts of them.
  const Candidates pairs = broad_phase_->find_candidates(x, x, BarrierOptions{reach_, 0.0}.inflation());
  if constexpr (dim == 2) {
    for (const auto& [p, e] : pairs.point_edge) {
      const auto [a, b] = surface.edges[e];
      mark(point_edge_distance_sq<2>(at(p), at(a), at(b)), {p, a, b});
    }
  } else {
    for (const auto& [p, t] : pairs.point_triangle) {
      const auto [a, b, c] = surface.triangles[t];
      mark(point_triangle_distance_sq(at(p), at(a), at(b), at(c)), {p, a, b, c});
    }
    for (const auto& [e, f] : pairs.edge_edge) {
      const auto [a, b] = surface.edges[e];
      const auto [c, d] = surface.edges[f];
      mark(edge_edge_distance_sq(at(a), at(b), at(c), at(d)), {a, b, c, d});
    }
  }
  // A vertex below a half-space is at distance zero.
  for (const HalfSpace& plane : model.half_spaces) {
    for (int v = 0; v < surface.num_vertices; ++v) {
      const double height = plane.normal.template head<dim>().dot(at(v)) - plane.offset;
      mark(height > 0.0 ? height * height : 0.0, {v});
    }
  }
}

template <int dim>
void NearVertices<dim>::renew(const BoundaryContacts<dim>& contacts, const AdaptingBody<dim>& body) {
  reach_ = contacts.reach();
  margin_ = contacts.margin();
  drift_ = 0.0;
  is_near_ = contacts.near_vertices();
  x1_.clear();
  for (const NodeFields<dim>& fields : body.fields) x1_.push_back(fields.x1);
}

template <int dim>
bool NearVertices<dim>::has_any(const SimplexMesh<dim>& mesh, std::span<const int> facets) const {
  if (margin_ == 0.0) return false;
  return std::any_of(facets.begin(), facets.end(), [&](int f) {
    const auto& facet = mesh.facet(f);
    return std::any_of(facet.begin(), facet.end(), [&](int v) { return is_near_[v] != 0; });
  });
}

template <int dim>
bool NearVertices<dim>::parts_close_ones(const AdaptingBody<dim>& body, const MeshEdit& edit) const {
  return !vertices_of_parted(body, edit, reach_).empty();
}

template <int dim>
void NearVertices<dim>::note_edit(const MeshEdit& edit, const AdaptingBody<dim>& body) {
  // A split adds a vertex at the middle of its edge.
  if (edit.kind == MeshEdit::Kind::split) {
    const auto [a, b] = edit.ends;
    x1_.push_back(0.5 * (x1_[a] + x1_[b]));
    is_near_.push_back(0);
  }
  if (!edit.is_on_boundary) return;
  // All new facets contain the edit's vertex, so marking it marks them. After a collapse the boundary is elsewhere, and
  // all marks are stale.
  char& is_near = is_near_[edit.vertex];
  for (const int f : edit.removed_facets) {
    for (const int v : body.mesh.facet(f)) is_near |= is_near_[v];
  }
  for (const int v : vertices_of_parted(body, edit, reach_)) is_near_[v] = 1;
  if (edit.kind == MeshEdit::Kind::collapse) drift_ = infinity;
}

template <int dim>
void NearVertices<dim>::note_motion(const AdaptingBody<dim>& body, std::span<const int> vertices) {
  for (const int v : vertices) {
    if (!body.mesh.is_on_boundary(v)) continue;
    const std::size_t at = v;
    drift_ = std::max(drift_, (body.fields[at].x1 - x1_[at]).norm());
  }
}

template class NearVertices<2>;
template class NearVertices<3>;
template class BoundaryContacts<2>;
template class BoundaryContacts<3>;

}  // namespace clearance
