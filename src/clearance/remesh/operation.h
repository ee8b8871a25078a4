// One operation on the elements of a body, with all that travels along.
#pragma once

#include <array>
#include <vector>

#include "clearance/remesh/own_surface.h"

namespace clearance {

template <int dim>
struct Operation {
  MeshEdit::Kind kind = MeshEdit::Kind::split;
  /// split, swap of an edge: its ends. collapse: the one that goes, the one that stays. swap of a face: its vertices.
  /// smooth: the vertex.
  std::array<int, 3> vertices = {-1, -1, -1};
  bool at_midpoint = false;          ///< of a collapse
  Vec<dim> rest = Vec<dim>::Zero();  ///< [m] of smooth
};

/// What an operation did to a body, as `undo` needs it.
template <int dim>
struct Change {
  MeshEdit edit;
  std::vector<int> reshaped_cells;  ///< that kept their number and have another shape
  NodeFields<dim> fields_before;    ///< of the vertex, where it has moved at rest
  Vec<dim> x_tilde_before;
};

/// A body whose mesh, fields and boundary change together.
template <int dim>
class EditedBody {
 public:
  /// `in` and `body` outlive the object.
  EditedBody(const RemeshInputs<dim>& in, AdaptingBody<dim>& body, const IntegratorOptions& integrator);

  const AdaptingBody<dim>& body() const { return body_; }
  const OwnSurface<dim>& surface() const { return surface_; }
  /// [m] The inertial target of every vertex.
  const std::vector<Vec<dim>>& x_tilde() const { return x_tilde_; }

  /// Does it, or leaves everything as it was and says why not. Elements that it changes have volume at x1 and at x0,
  /// by exact arithmetic.
  EditRefusal apply(const Operation<dim>& operation, Change<dim>& change);
  /// Takes the last one back that was neither kept nor undone.
  void undo(const Change<dim>& change);
  /// Makes it last.
  void keep(const Change<dim>& change);
  /// New positions of a local solve.
  void set_x1(int vertex, const Vec<dim>& x1) { body_.fields[static_cast<std::size_t>(vertex)].x1 = x1; }
  void note_motion(std::span<const int> vertices) { surface_.note_change(vertices); }

 private:
  EditRefusal change_mesh(const Operation<dim>& operation, MeshEdit& edit);
  bool has_volume(const Change<dim>& change) const;
  bool interpolate(const Operation<dim>& operation, NodeFields<dim>& fields, Vec<dim>& x_tilde) const;

  AdaptingBody<dim>& body_;
  OwnSurface<dim> surface_;
  std::vector<Vec<dim>> x_tilde_;
};

extern template class EditedBody<2>;
extern template class EditedBody<3>;

}  // namespace clearance
