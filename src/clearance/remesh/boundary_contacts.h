// The boundary of a body and its contacts with everything that it could touch.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/remesh/local_problem.h"

namespace clearance {

/// Contact energies [J] of the boundary of a body at x1.
struct ContactEnergies {
  /// There is one energy per facet of the mesh. A contact shares its energy among its vertices on the body, and each of
  /// these among its facets.
  std::vector<double> of_facet;
  double sum = 0.0;
};

/// The contacts of a body with all surfaces within reach, in the state in which the constructor finds the body.
template <int dim>
class BoundaryContacts {
 public:
  /// `setting` must outlive the object.
  explicit BoundaryContacts(const LocalSetting<dim>& setting);

  /// Returns the distance [m] by which `near_vertices` looks beyond the reach of contacts; 0 if the body takes part in
  /// no contact.
  double margin() const { return margin_; }
  /// Returns the distance [m] beyond which nothing is near: the contact distance plus the margin.
  double reach() const { return reach_; }
  ContactEnergies energies() const;
  /// Returns 1 for each vertex of the mesh with a facet or edge that is near something that it could touch, at x1 or at
  /// x0: closer than the contact distance plus the margin. All pairs count, also those whose contacts cancel.
  std::vector<char> near_vertices() const;

 private:
  void mark_near(const VecX& x, std::vector<char>& is_near) const;

  const LocalSetting<dim>& setting_;
  double reach_ = 0.0, margin_ = 0.0;
  std::unique_ptr<LocalProblem<dim>> all_;   // null if nothing is near
  std::unique_ptr<BroadPhase> broad_phase_;  // of the surface of `all_`
  std::vector<int> mesh_vertex_;             // per vertex of that surface; -1 if it belongs to another body
};

/// Vertices of a body's boundary that are near something that they could touch, while its elements change.
template <int dim>
class NearVertices {
 public:
  /// Starts anew from what `contacts` found. The body must not have changed since `contacts` was made.
  void renew(const BoundaryContacts<dim>& contacts, const AdaptingBody<dim>& body);
  /// True if the boundary has moved by so much since `renew` that the marks say little.
  bool is_stale() const { return drift_ > 0.25 * margin_; }
  /// Returns the distance [m] that vertices of facets that are near nothing may move without touching anything.
  double clear_way() const { return margin_ > 0.0 ? std::max(0.5 * margin_ - drift_, 0.0) : infinity; }
  bool has_any(const SimplexMesh<dim>& mesh, std::span<const int> facets) const;
  /// True if a split, which the body has already undergone, leaves two facets within reach of each other that shared a
  /// vertex before it. Such facets can now touch.
  bool parts_close_ones(const AdaptingBody<dim>& body, const MeshEdit& edit) const;
  void note_edit(const MeshEdit& edit, const AdaptingBody<dim>& body);
  void note_motion(const AdaptingBody<dim>& body, std::span<const int> vertices);

 private:
  double reach_ = 0.0, margin_ = 0.0;  // [m] as in BoundaryContacts
  double drift_ = 0.0;                 // [m] bound on the motion of the boundary since `renew`
  std::vector<char> is_near_;
  std::vector<Vec<dim>> x1_;  // [m] at the time of `renew`
};

extern template class NearVertices<2>;
extern template class NearVertices<3>;
extern template class BoundaryContacts<2>;
extern template class BoundaryContacts<3>;

}  // namespace clearance
