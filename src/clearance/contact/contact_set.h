// Contacts as data: the culled constraint set of [Fer23, sec. 2.4.2]: all primitive pairs closer than the activation
// distance, reduced to the closest features [Fer23, sec. 2.6.1], equal stencils counted instead of repeated
// [Fer23, app. A.7.1].
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/contact/barrier.h"
#include "clearance/contact/contact.h"
#include "clearance/model/model.h"

namespace clearance {

/// Two primitives of the surface by their vertices, of which the first `num_first` make the first primitive: a point
/// and a triangle, an edge or a point, or two edges. Or a vertex and a half-space.
struct PrimitivePair {
  std::array<int, 4> vertices{-1, -1, -1, -1};  ///< those that the pair does not have are -1
  int num_first = 1;
  int plane = -1;  ///< index of the half-space

  int num_vertices() const {
    return static_cast<int>(std::find(vertices.begin(), vertices.end(), -1) - vertices.begin());
  }
  /// Returns SurfaceTopology::thickness_of the two primitives [m].
  double thickness(const SurfaceTopology& surface) const {
    return surface.thickness_of({vertices.data(), static_cast<std::size_t>(num_vertices())},
                                static_cast<std::size_t>(num_first));
  }
};

/// Returns the distance [m] of the surfaces of a contact where the set was built.
inline double gap_of(const Contact& contact) {
  return std::sqrt(contact.distance_sq) - contact.thickness;
}

/// Contacts at one configuration. The energy of a contact may depend on more vertices than those of its features. Its
/// stencil has places: four for features, of which the first num_vertices() are used, and one per neighbour.
struct ContactSet {
  std::vector<Contact> contacts;     ///< sorted by `precedes`
  std::vector<int> neighbours;       ///< surface vertices, contact by contact
  std::vector<int> first_neighbour;  ///< per contact, and one past the last; empty: no contact has neighbours
  std::vector<char> notes;           ///< per contact: what its formulation notes for itself; may be empty
  double min_distance = infinity;    ///< [m] of surfaces, over all candidates, also those that are no contacts

  /// Returns the contact with the same stencil; null if there is none.
  const Contact* find(const Contact& contact) const {
    const auto found = std::lower_bound(contacts.begin(), contacts.end(), contact, precedes);
    return found == contacts.end() || precedes(contact, *found) ? nullptr : &*found;
  }
  std::span<const int> neighbours_of(std::size_t k) const {
    if (first_neighbour.empty()) return {};
    return {neighbours.data() + first_neighbour[k], neighbours.data() + first_neighbour[k + 1]};
  }
  std::size_t num_places(std::size_t k) const { return 4 + neighbours_of(k).size(); }
  /// Returns the number of the first place of a contact, where those of all contacts follow each other.
  std::size_t first_place(std::size_t k) const { return 4 * k + (first_neighbour.empty() ? 0 : first_neighbour[k]); }
  /// Calls visit(place, vertex) for the places of contact k that are used.
  template <class Visit>
  void for_each_vertex(std::size_t k, const Visit& visit) const {
    const Contact& contact = contacts[k];
    const std::size_t num_features = contact.num_vertices();
    for (std::size_t i = 0; i < num_features; ++i) visit(i, contact.vertices[i]);
    std::size_t place = 4;
    for (const int vertex : neighbours_of(k)) visit(place++, vertex);
  }
};

/// Callback that receives the force of a contact on one of its vertices [N].
template <int dim>
using ForceVisitor = std::function<void(const Contact& contact, int vertex, const Vec<dim>& force)>;

/// Adds `value` to sums[body]: half of it for each of the two bodies of a contact, all of it for the one whose partner
/// is an obstacle or a half-space.
void add_to_bodies(const Model& model, const Contact& contact, double value, VecX& sums);

/// `point_triangle of vertices 1, 5, 6, 7 of 'a' and 'b', 1e-9 m apart`
std::string contact_text(const Contact& contact, const SurfaceTopology& surface);

/// Finds all pairs that may be nearer than their activation distance anywhere on the path from x_t0 to x_t1; see
/// BroadPhase::find_candidates.
Candidates find_contact_candidates(BroadPhase& broad_phase, const Model& model, const BarrierOptions& options,
                                   const VecX& x_t0, const VecX& x_t1, const std::vector<double>& deviation = {});

/// Returns the contact that the closest features of a pair form where its vertices are at `x`, however far apart they
/// are. Edges are taken as not parallel.
template <int dim>
Contact contact_of_pair(const Model& model, const PrimitivePair& pair, const std::array<Vec<dim>, 4>& x,
                        const BarrierOptions& options);

/// Returns the contacts of [Fer23, sec. 2.4.2] at surface positions `x` (flat). `candidates` must hold every pair
/// closer than the activation distance.
template <int dim>
ContactSet build_contact_set(const Model& model, const VecX& x, const Candidates& candidates,
                             const BarrierOptions& options);

}  // namespace clearance
