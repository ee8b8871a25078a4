#include "clearance/remesh/operation.h"

#include <Eigen/LU>
#include <algorithm>

#include "clearance/geometry/simplex_orientation.h"
#include "clearance/solver/time_integrator.h"

namespace clearance {

namespace {

template <int dim>
std::vector<Vec<dim>> inertial_targets(const AdaptingBody<dim>& body, const State& whole,
                                       const IntegratorOptions& integrator) {
  const auto count = static_cast<Eigen::Index>(body.fields.size());
  // Gather the fields into a state, so that the integrator can predict from it.
  State state;
  for (VecX* x : {&state.x, &state.v, &state.a, &state.x_prev, &state.v_prev}) x->setZero(dim * count);
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const NodeFields<dim>& fields = body.fields[i];
    block<dim>(state.x, i) = fields.x0;
    block<dim>(state.v, i) = fields.v;
    block<dim>(state.a, i) = fields.a;
    block<dim>(state.x_prev, i) = fields.x_prev;
    block<dim>(state.v_prev, i) = fields.v_prev;
  }
  // Without a previous step the integrator must not see one.
  if (whole.x_prev.size() == 0) state.x_prev.resize(0);
  const VecX all = predict(integrator, state).x_tilde;
  std::vector<Vec<dim>> x_tilde(body.fields.size());
  for (std::size_t i = 0; i < x_tilde.size(); ++i) x_tilde[i] = block<dim>(all, static_cast<int>(i));
  return x_tilde;
}

}  // namespace

template <int dim>
EditedBody<dim>::EditedBody(const RemeshInputs<dim>& in, AdaptingBody<dim>& body, const IntegratorOptions& integrator)
    : body_(body), surface_(in, body), x_tilde_(inertial_targets<dim>(body, in.state, integrator)) {}

template <int dim>
EditRefusal EditedBody<dim>::change_mesh(const Operation<dim>& operation, MeshEdit& edit) {
  const auto [a, b, c] = operation.vertices;
  // The mesh applies the operation, or refuses it.
  switch (operation.kind) {
    case MeshEdit::Kind::split:
      return body_.mesh.split(a, b, edit);
    case MeshEdit::Kind::collapse:
      return body_.mesh.collapse(a, b, operation.at_midpoint, edit);
    case MeshEdit::Kind::swap:
      return c < 0 ? body_.mesh.swap_edge(a, b, edit) : body_.mesh.swap_face({a, b, c}, edit);
    case MeshEdit::Kind::smooth:
      break;
  }
  return body_.mesh.smooth(a, operation.rest, edit);
}

/// Computes the fields at the new place of a smoothed vertex, from the element at the vertex that contains the place.
template <int dim>
bool EditedBody<dim>::interpolate(const Operation<dim>& operation, NodeFields<dim>& fields, Vec<dim>& x_tilde) const {
  for (const int c : body_.mesh.cells_at(operation.vertices[0])) {
    const auto& nodes = body_.mesh.cell(c);
    // Compute the barycentric coordinates of the new place in the element.
    Mat<dim> sides;
    for (int k = 0; k < dim; ++k) {
      sides.col(k) = body_.mesh.rest(nodes[k + 1]) - body_.mesh.rest(nodes[0]);
    }
    const Vec<dim> local = sides.inverse() * (operation.rest - body_.mesh.rest(nodes[0]));
    if (!(local.minCoeff() >= 0.0) || !(local.sum() <= 1.0)) continue;
    std::array<const NodeFields<dim>*, dim + 1> corners{};
    std::array<double, dim + 1> weights{1.0 - local.sum()};
    for (std::size_t k = 0; k <= dim; ++k) corners[k] = &body_.fields[nodes[k]];
    for (std::size_t k = 1; k <= dim; ++k) weights[k] = local[static_cast<Eigen::Index>(k) - 1];
    // All fields, and the inertial target, are linear in the element.
    fields = NodeFields<dim>::weighted(corners, weights);
    x_tilde = (1.0 - local.sum()) * x_tilde_[nodes[0]];
    for (int k = 0; k < dim; ++k) {
      x_tilde += local[k] * x_tilde_[nodes[k + 1]];
    }
    return true;
  }
  return false;
}

template <int dim>
EditRefusal EditedBody<dim>::apply(const Operation<dim>& operation, Change<dim>& change) {
  using Kind = MeshEdit::Kind;
  const std::size_t a = operation.vertices[0], b = operation.vertices[1];
  // Interpolate before the mesh changes: the old elements hold the fields.
  NodeFields<dim> smoothed;
  Vec<dim> smoothed_x_tilde;
  if (operation.kind == Kind::smooth && !interpolate(operation, smoothed, smoothed_x_tilde)) {
    return EditRefusal::inverted;
  }
  if (const EditRefusal refusal = change_mesh(operation, change.edit); refusal != EditRefusal::none) return refusal;
  const MeshEdit& edit = change.edit;
  change.reshaped_cells.clear();
  // A new or moved vertex gets its fields: the mean of two ends, or the interpolated values.
  if (operation.kind == Kind::split) {
    body_.fields.push_back(NodeFields<dim>::midpoint(body_.fields[a], body_.fields[b]));
    x_tilde_.push_back(0.5 * (x_tilde_[a] + x_tilde_[b]));
    surface_.add_midpoint(operation.vertices[0], operation.vertices[1]);
  } else if (operation.kind == Kind::smooth || edit.is_at_midpoint) {
    const std::size_t moved = edit.vertex;
    change.fields_before = body_.fields[moved];
    change.x_tilde_before = x_tilde_[moved];
    const bool is_midpoint = operation.kind == Kind::collapse;
    x_tilde_[moved] = is_midpoint ? Vec<dim>(0.5 * (x_tilde_[a] + x_tilde_[b])) : smoothed_x_tilde;
    body_.fields[moved] = is_midpoint ? NodeFields<dim>::midpoint(body_.fields[a], body_.fields[b]) : smoothed;
    const std::span<const int> around = body_.mesh.cells_at(edit.vertex);
    std::set_difference(around.begin(), around.end(), edit.added_cells.begin(), edit.added_cells.end(),
                        std::back_inserter(change.reshaped_cells));
  }
  // Take the change back if it inverts an element.
  if (has_volume(change)) return EditRefusal::none;
  undo(change);
  return EditRefusal::inverted;
}

template <int dim>
bool EditedBody<dim>::has_volume(const Change<dim>& change) const {
  // Test all new and reshaped elements at x1 and at x0.
  for (const std::vector<int>* cells : {&change.edit.added_cells, &change.reshaped_cells}) {
    for (const int c : *cells) {
      std::array<Vec<dim>, dim + 1> x1, x0;
      for (std::size_t i = 0; i <= dim; ++i) {
        const std::size_t v = body_.mesh.cell(c)[i];
        x1[i] = body_.fields[v].x1;
        x0[i] = body_.fields[v].x0;
      }
      if (!is_positive<dim>(x1) || !is_positive<dim>(x0)) return false;
    }
  }
  return true;
}

template <int dim>
void EditedBody<dim>::undo(const Change<dim>& change) {
  const MeshEdit& edit = change.edit;
  body_.mesh.undo(edit);
  // Restore the fields as well.
  if (edit.kind == MeshEdit::Kind::split) {
    body_.fields.pop_back();
    x_tilde_.pop_back();
    surface_.drop_midpoint();
  } else if (edit.kind == MeshEdit::Kind::smooth || edit.is_at_midpoint) {
    body_.fields[edit.vertex] = change.fields_before;
    x_tilde_[edit.vertex] = change.x_tilde_before;
  }
}

template <int dim>
void EditedBody<dim>::keep(const Change<dim>& change) {
  const MeshEdit& edit = change.edit;
  body_.has_changed = true;
  body_.is_nested = body_.is_nested && edit.kind == MeshEdit::Kind::split;
  std::vector<int> vertices;
  for (const int f : edit.added_facets) {
    vertices.insert(vertices.end(), body_.mesh.facet(f).begin(), body_.mesh.facet(f).end());
  }
  // Contacts must see the new facets.
  surface_.note_change(vertices);
}

template class EditedBody<2>;
template class EditedBody<3>;

}  // namespace clearance
