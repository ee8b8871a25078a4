#include "clearance/contact/contact_frame.h"

#include <cmath>
#include <type_traits>

#include "clearance/contact/contact_stencils.h"

namespace clearance {

namespace {

// All functions below fill a ContactGap or a ContactFrame: tangents cost as much as the rest, and gradients need none.
template <class Frame, int dim>
constexpr bool has_tangents = std::is_same_v<Frame, ContactFrame<dim>>;

template <class Frame, int dim>
Frame point_point_frame(const ContactPositions<dim>& x) {
  Frame frame;
  frame.num_vertices = 2;
  const Vec<dim> gap = x[0] - x[1];
  frame.distance = gap.norm();
  frame.normal = gap / frame.distance;
  frame.weights = {1.0, -1.0};
  return frame;
}

template <class Frame, int dim>
Frame point_edge_frame(const ContactPositions<dim>& x) {
  Frame frame;
  frame.num_vertices = 3;
  const Vec<dim> edge = x[2] - x[1];
  const Vec<dim> to_p = x[0] - x[1];
  const double length = edge.norm();
  const Vec<dim> tangent = edge / length;
  // The part of to_p across the edge; one reorthogonalisation keeps its digits when the point is near the line.
  Vec<dim> gap = to_p - to_p.dot(tangent) * tangent;
  gap -= gap.dot(tangent) * tangent;
  frame.distance = gap.norm();
  frame.normal = gap / frame.distance;
  // The closest point is x1 + foot (x2 - x1). At a fixed foot the gap is sum_i w_i x_i with the weights of [Fer23, eq.
  // A.12].
  const double foot = to_p.dot(tangent) / length;
  frame.weights = {1.0, foot - 1.0, -foot};
  if constexpr (has_tangents<Frame, dim>) {
    frame.num_tangents = 1;
    frame.tangents[0] = tangent;
    // The edge turns towards the normal by the angle n . (dx_2 - dx_1) / length.
    frame.tilts[0] = {0.0, -1.0 / length, 1.0 / length};
  }
  return frame;
}

/// Rotates the tangents to the principal axes of sum_i g_i g_i^T, where the two 2 x 2 problems decouple.
void align_tangents(ContactFrame<3>& frame) {
  double a = 0.0, b = 0.0, c = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    a += frame.tilts[0][i] * frame.tilts[0][i];
    b += frame.tilts[0][i] * frame.tilts[1][i];
    c += frame.tilts[1][i] * frame.tilts[1][i];
  }
  // This Jacobi rotation makes the off-diagonal entry vanish, without trigonometric functions.
  // The angle theta satisfies tan(2 theta) = b / half_difference. Of the two rotations that do, this one turns by at
  // most 45 degrees, so that the sum in cos_sq never cancels.
  const double half_difference = 0.5 * (a - c);
  const double radius = std::sqrt(half_difference * half_difference + b * b);
  if (!(radius > 0.0)) return;
  const double cos_sq = 0.5 * (1.0 + std::abs(half_difference) / radius);
  const double cosine = std::sqrt(cos_sq);
  double sine = 0.5 * b / (radius * cosine);
  if (half_difference < 0.0) sine = -sine;
  const Vec<3> e0 = frame.tangents[0], e1 = frame.tangents[1];
  frame.tangents[0] = cosine * e0 + sine * e1;
  frame.tangents[1] = cosine * e1 - sine * e0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double g0 = frame.tilts[0][i], g1 = frame.tilts[1][i];
    frame.tilts[0][i] = cosine * g0 + sine * g1;
    frame.tilts[1][i] = cosine * g1 - sine * g0;
  }
}

/// Frame of two features that span the plane of `edge_a` and `edge_b`; `gap` is any vector from the second to the
/// first. The duals of the two edges lie in the plane: dual_a . edge_a = 1, dual_a . edge_b = 0, ...
struct Plane {
  Vec<3> dual_a, dual_b;
};

template <class Frame>
Plane set_plane(Frame& frame, const Vec<3>& edge_a, const Vec<3>& edge_b, const Vec<3>& gap) {
  const Vec<3> cross = cross_product(edge_a, edge_b);
  const double area_sq = cross.squaredNorm();
  frame.num_vertices = 4;
  frame.normal = cross / std::sqrt(area_sq);
  frame.distance = frame.normal.dot(gap);
  if (frame.distance < 0.0) {
    frame.normal = -frame.normal;
    frame.distance = -frame.distance;
  }
  // By the cyclic rule edge_a . (edge_b x cross) = cross . (edge_a x edge_b) = area_sq, and edge_b is orthogonal to
  // edge_b x cross; dual_b follows in the same way.
  return {cross_product(edge_b, cross) / area_sq, cross_product(cross, edge_a) / area_sq};
}

/// Tangents of the plane and how they tilt: `tilts_of` spreads the changes of edge_a and edge_b over the vertices.
template <class TiltsOf>
void set_tangents(ContactFrame<3>& frame, const Plane& plane, const Vec<3>& edge_a, const TiltsOf& tilts_of) {
  frame.num_tangents = 2;
  // If the ends of the edges move by da and db, the plane rises by n . da at edge_a and by n . db at edge_b. A linear
  // function with these values has the gradient dual_a (n . da) + dual_b (n . db), whose component along e_j is the
  // tilt a_j.
  frame.tangents[0] = edge_a.normalized();
  frame.tangents[1] = cross_product(frame.normal, frame.tangents[0]);
  for (std::size_t j = 0; j < 2; ++j) {
    frame.tilts[j] = tilts_of(plane.dual_a.dot(frame.tangents[j]), plane.dual_b.dot(frame.tangents[j]));
  }
  align_tangents(frame);
}

template <class Frame>
Frame point_triangle_frame(const ContactPositions<3>& x) {
  Frame frame;
  const Vec<3> edge_a = x[2] - x[1], edge_b = x[3] - x[1], gap = x[0] - x[1];
  const Plane plane = set_plane(frame, edge_a, edge_b, gap);
  // The duals give the coordinates beta of the foot [Fer23, eq. 2.18]; the weights are a row of [Fer23, eq. A.8].
  const double beta1 = plane.dual_a.dot(gap), beta2 = plane.dual_b.dot(gap);
  frame.weights = {1.0, beta1 + beta2 - 1.0, -beta1, -beta2};
  if constexpr (has_tangents<Frame, 3>) {
    set_tangents(frame, plane, edge_a, [](double a, double b) { return std::array{0.0, -a - b, a, b}; });
  }
  return frame;
}

template <class Frame>
Frame edge_edge_frame(const ContactPositions<3>& x) {
  Frame frame;
  const Vec<3> edge_a = x[1] - x[0], edge_b = x[3] - x[2], gap = x[0] - x[2];
  const Plane plane = set_plane(frame, edge_a, edge_b, gap);
  // At the closest points, gap + s edge_a - t edge_b is along the normal.
  // Its products with the duals vanish, which gives s and t, the gamma of [Fer23, eq. 2.19]; the weights are a row of
  // [Fer23, eq. A.10].
  const double s = -plane.dual_a.dot(gap), t = plane.dual_b.dot(gap);
  frame.weights = {1.0 - s, s, t - 1.0, -t};
  if constexpr (has_tangents<Frame, 3>) {
    set_tangents(frame, plane, edge_a, [](double a, double b) { return std::array{-a, a, -b, b}; });
  }
  return frame;
}

template <class Frame, int dim>
Frame compute(const Model& model, const Contact& contact, const ContactPositions<dim>& positions);

/// Frame of the closest features of a mollified contact, with weights and tilts moved to the four vertices of the
/// edges, and its normal towards the first edge whichever of them has the point that is closest.
template <class Frame>
Frame mollified_frame(const Model& model, const Contact& contact, const ContactPositions<3>& x) {
  const ClosestStencil& reduced = stencil_of(contact.edge_edge_type);
  Contact inner = contact;
  inner.kind = reduced.kind;
  const std::size_t num_inner = inner.num_vertices();
  const auto at = [&](std::size_t i) { return reduced.local[i]; };
  ContactPositions<3> inner_x;
  for (std::size_t i = 0; i < num_inner; ++i) inner_x[i] = x[at(i)];
  const auto narrow = compute<Frame, 3>(model, inner, inner_x);
  Frame frame = narrow;
  frame.num_vertices = 4;
  frame.weights = {};
  // The normal, the weights, the part u_t of u along the tangents and the tilt a change their signs together, and u_n
  // does not change. The Hessian consists of u_n^2 and of products of u_t and a, and stays the same.
  const double sign = at(0) < 2 ? 1.0 : -1.0;
  frame.normal *= sign;
  for (std::size_t i = 0; i < num_inner; ++i) frame.weights[at(i)] = sign * narrow.weights[i];
  if constexpr (has_tangents<Frame, 3>) {
    frame.tilts = {};
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t i = 0; i < num_inner; ++i) frame.tilts[j][at(i)] = narrow.tilts[j][i];
    }
  }
  return frame;
}

template <class Frame, int dim>
Frame half_space_frame(const HalfSpace& plane, const Vec<dim>& x) {
  Frame frame;
  frame.num_vertices = 1;
  frame.normal = plane.normal.template head<dim>();
  frame.distance = frame.normal.dot(x) - plane.offset;
  frame.weights = {1.0};
  // A vertex slides along the plane for free: the tangents do not tilt.
  if constexpr (has_tangents<Frame, dim>) {
    frame.num_tangents = dim - 1;
    if constexpr (dim == 2) {
      frame.tangents[0] = {-frame.normal[1], frame.normal[0]};
    } else {
      const Vec<3> axis = std::abs(frame.normal[0]) < 0.5 ? Vec<3>::UnitX() : Vec<3>::UnitY();
      frame.tangents[0] = cross_product(frame.normal, axis).normalized();
      frame.tangents[1] = cross_product(frame.normal, frame.tangents[0]);
    }
  }
  return frame;
}

template <class Frame, int dim>
Frame compute(const Model& model, const Contact& contact, const ContactPositions<dim>& positions) {
  switch (contact.kind) {
    case ContactKind::half_space:
      return half_space_frame<Frame, dim>(model.half_spaces[contact.plane], positions[0]);
    case ContactKind::point_point:
      return point_point_frame<Frame, dim>(positions);
    case ContactKind::point_edge:
      return point_edge_frame<Frame, dim>(positions);
    case ContactKind::point_triangle:
    case ContactKind::edge_edge:
    case ContactKind::mollified_edge_edge:
      break;  // in space alone
  }
  if constexpr (dim == 3) {
    if (contact.kind == ContactKind::mollified_edge_edge) return mollified_frame<Frame>(model, contact, positions);
    return contact.kind == ContactKind::point_triangle ? point_triangle_frame<Frame>(positions)
                                                       : edge_edge_frame<Frame>(positions);
  } else {
    return {};
  }
}

}  // namespace

template <int dim>
ContactGap<dim> compute_contact_gap(const Model& model, const Contact& contact,
                                    const ContactPositions<dim>& positions) {
  return compute<ContactGap<dim>, dim>(model, contact, positions);
}

template <int dim>
ContactFrame<dim> compute_contact_frame(const Model& model, const Contact& contact,
                                        const ContactPositions<dim>& positions) {
  return compute<ContactFrame<dim>, dim>(model, contact, positions);
}

template ContactGap<2> compute_contact_gap<2>(const Model&, const Contact&, const ContactPositions<2>&);
template ContactGap<3> compute_contact_gap<3>(const Model&, const Contact&, const ContactPositions<3>&);
template ContactFrame<2> compute_contact_frame<2>(const Model&, const Contact&, const ContactPositions<2>&);
template ContactFrame<3> compute_contact_frame<3>(const Model&, const Contact&, const ContactPositions<3>&);

}  // namespace clearance
