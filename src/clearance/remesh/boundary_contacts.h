// The boundary of a body among all that it could touch.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/remesh/local_problem.h"

namespace clearance {

/// [J] Of the boundary of a body at x1.
struct ContactEnergies {
  std::vector<double> of_facet;  ///< per facet of the mesh; a contact's energy is shared by its vertices and theirs
  double sum = 0.0;
};

/// Of a body as it is while the object is made, with all surfaces within reach of it.
template <int dim>
class BoundaryContacts {
 public:
  /// `setting` outlives the object.
  explicit BoundaryContacts(const LocalSetting<dim>& setting);

  /// [m] How much farther off than contacts `near_vertices` looks; 0: there is nothing to touch.
  double margin() const { return margin_; }
  /// [m] What is farther off is not near: the margin, and what contacts have.
  double reach() const { return reach_; }
  ContactEnergies energies() const;
  /// Per vertex of the mesh: at x1 or at x0, a facet or edge with it is closer to something that it could touch than
  /// contacts are, by less than the margin. By all pairs there are, also those whose contacts cancel.
  std::vector<char> near_vertices() const;

 private:
  void mark_near(const VecX& x, std::vector<char>& is_near) const;

  const LocalSetting<dim>& setting_;
  double reach_ = 0.0, margin_ = 0.0;
  std::unique_ptr<LocalProblem<dim>> all_;   // none: nothing is near
  std::unique_ptr<BroadPhase> broad_phase_;  // of its surface
  std::vector<int> mesh_vertex_;             // per vertex of its surface; -1: of something else
};

/// Vertices of a body's boundary that are near something that they could touch, while its elements change.
template <int dim>
class NearVertices {
 public:
  /// What `contacts` have found of the body, which is as it was then.
  void renew(const BoundaryContacts<dim>& contacts, const AdaptingBody<dim>& body);
  /// The boundary has changed so much since that not much can be said.
  bool is_stale() const { return drift_ > 0.25 * margin_; }
  /// [m] Vertices at facets that are near nothing may go so far and touch nothing.
  double clear_way() const { return margin_ > 0.0 ? std::max(0.5 * margin_ - drift_, 0.0) : infinity; }
  bool has_any(const SimplexMesh<dim>& mesh, std::span<const int> facets) const;
  /// A split of the body, which has been done, leaves facets near each other that had a vertex in common before, so
  /// that they now could touch.
  bool parts_close_ones(const AdaptingBody<dim>& body, const MeshEdit& edit) const;
  void note_edit(const MeshEdit& edit, const AdaptingBody<dim>& body);
  void note_motion(const AdaptingBody<dim>& body, std::span<const int> vertices);

 private:
  double reach_ = 0.0, margin_ = 0.0;  // [m] of the contacts
  double drift_ = 0.0;                 // [m] at most so far has the boundary moved
  std::vector<char> is_near_;
  std::vector<Vec<dim>> x1_;  // [m] then
};

extern template class NearVertices<2>;
extern template class NearVertices<3>;
extern template class BoundaryContacts<2>;
extern template class BoundaryContacts<3>;

}  // namespace clearance
