// The local geometry of a contact, from which gradient and Hessian of its barrier follow in closed form.
//
// Let n be the unit normal from the second feature to the first, d > 0 the distance, and e_j the unit vectors tangent
// to the second feature (for two edges: to both). A variation dx of the vertices changes the gap vector, at fixed
// closest points, by u = sum_i w_i dx_i, and tilts the feature(s) by a_j = sum_i g_ij (n . dx_i). Because the closest
// points adapt, the second variation of half the squared distance is
//   |u|^2 - |u_t + d a|^2  =  u_n^2 + |u_free|^2 - 2 d u_t . a - d^2 |a|^2,
// where u_t are the components of u along the e_j and u_free those along neither n nor any e_j. With the tangents
// chosen as principal axes of sum_i g_i g_i^T, the functionals u_t1, u_t2, a_1, a_2 are mutually orthogonal, so the
// barrier's Hessian splits into a rank-one normal term and one 2 x 2 problem per tangent, whose positive part is known
// in closed form. Only u_n and the a_j need not be orthogonal: the sum of the positive parts is at least the Hessian,
// not always its projection.
#pragma once

#include "clearance/contact/contact_set.h"

namespace clearance {

/// The part of the local geometry of a contact that the gradient needs.
template <int dim>
struct ContactGap {
  int num_vertices = 0;
  double distance = 0.0;               ///< [m]
  Vec<dim> normal = Vec<dim>::Zero();  ///< unit
  std::array<double, 4> weights{};     ///< w_i
};

template <int dim>
struct ContactFrame : ContactGap<dim> {
  int num_tangents = 0;  ///< dimension of the second feature: 0 point, 1 edge, 2 plane
  std::array<Vec<dim>, 2> tangents = {Vec<dim>::Zero(),
                                      Vec<dim>::Zero()};  ///< unit, orthogonal to the normal and to each other
  std::array<std::array<double, 4>, 2> tilts{};           ///< [1/m] g_ij: tilts[j][i]
};

/// Positions of the vertices of a contact.
template <int dim>
using ContactPositions = std::array<Vec<dim>, 4>;

template <int dim>
ContactPositions<dim> positions_of(const Contact& contact, const VecX& x) {
  ContactPositions<dim> positions;
  for (int i = 0; i < contact.num_vertices(); ++i) {
    positions[i] = block<dim>(x, contact.vertices[i]);
  }
  return positions;
}

/// The next functions compute the gap or the frame of any contact; of a mollified one that of its closest features,
/// spread over the four vertices.
template <int dim>
ContactGap<dim> compute_contact_gap(const Model& model, const Contact& contact, const ContactPositions<dim>& positions);
template <int dim>
ContactFrame<dim> compute_contact_frame(const Model& model, const Contact& contact,
                                        const ContactPositions<dim>& positions);

}  // namespace clearance
