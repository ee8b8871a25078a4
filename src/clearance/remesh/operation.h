// One operation on the elements of a body, with the fields and the surface that change along with the mesh.
#pragma once

#include <array>
#include <vector>

#include "clearance/remesh/own_surface.h"

namespace clearance {

template <int dim>
struct Operation {
  MeshEdit::Kind kind = MeshEdit::Kind::split;
  /// Split and edge swap: the ends of the edge. Collapse: the vertex that is removed, then the one that stays. Face
  /// swap: the vertices of the face. Smooth: the vertex.
  std::array<int, 3> vertices = {-1, -1, -1};
  bool at_midpoint = false;          ///< of a collapse: the vertex that stays moves to the midpoint
  Vec<dim> rest = Vec<dim>::Zero();  ///< [m] smooth: the new rest position
};

/// The change that an operation made to a body, as `undo` needs it.
template <int dim>
struct Change {
  MeshEdit edit;
  std::vector<int> reshaped_cells;  ///< cells that kept their number but changed their shape
  NodeFields<dim> fields_before;    ///< of the vertex, if its rest position changed
  Vec<dim> x_tilde_before;
};

/// A body whose mesh, fields and boundary change together.
template <int dim>
class EditedBody {
 public:
  /// `in` and `body` must outlive the object.
  EditedBody(const RemeshInputs<dim>& in, AdaptingBody<dim>& body, const IntegratorOptions& integrator);

  const AdaptingBody<dim>& body() const { return body_; }
  const OwnSurface<dim>& surface() const { return surface_; }
  /// Returns the inertial target [m] of every vertex.
  const std::vector<Vec<dim>>& x_tilde() const { return x_tilde_; }

  /// Applies the operation, or leaves everything unchanged and returns the reason. The elements that it changes have
  /// positive volume at x1 and at x0, by exact arithmetic.
  EditRefusal apply(const Operation<dim>& operation, Change<dim>& change);
  /// Undoes the last operation that was neither kept nor undone.
  void undo(const Change<dim>& change);
  /// Makes an operation final.
  void keep(const Change<dim>& change);
  /// Sets the position that a local solve has found.
  void set_x1(int vertex, const Vec<dim>& x1) { body_.fields[vertex].x1 = x1; }
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
