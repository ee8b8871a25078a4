// Memory of sticking contacts from step to step: the elastic sliding by which friction holds them, as bristles do.
// Without it, friction exerts a force only at a nonzero speed, and a load that friction should hold creeps without end.
//
// The memory is a field on surface vertices: how far the vertex has been dragged elastically against its partner, a
// body or a half-space. A contact has the mean of its vertices by the weights of its closest points, which changes
// continuously where closest features change, so that friction has no jumps there. It turns with the features from the
// start of the step on. Vertices take up increments, not the means themselves: where nothing slides, nothing changes.
#pragma once

#include "clearance/contact/contact_set.h"

namespace clearance {

/// Returns the partner that vertex i of a contact rubs against: a body, or -1 - half-space.
int partner_of(const Model& model, const Contact& contact, int i);
/// Returns the entry of a vertex against a partner in a sorted list; null if there is none.
const StickVertex* find_stick(const std::vector<StickVertex>& list, int vertex, int partner);
/// Sine of the angle between two edges below which these hardly determine the turn about their common direction: the
/// shortest turn of the first edge then stands for the whole.
inline constexpr double least_sine_of_memory = 1e-2;

template <int dim>
class StickMemory {
 public:
  /// `vertices` are those at the surface positions x_t0. All three must outlive the object.
  StickMemory(const Model& model, const std::vector<StickVertex>& vertices, const VecX& x_t0)
      : model_(model), vertices_(vertices), x_t0_(x_t0) {}

  /// [m] Elastic sliding of the first feature against the second, at the positions x; zero where nothing is remembered.
  Vec<dim> displacement(const Contact& contact, const std::array<double, 4>& weights, const VecX& x) const;

  /// A contact at the positions x that has `displacement` of before and `increment` of this step.
  struct Update {
    Contact contact;
    std::array<double, 4> weights{};
    Vec<dim> displacement, increment;
    double force = 0.0;  ///< in any unit: contacts of one vertex count by it
  };
  /// Returns the memory after a step, sorted: an entry for each vertex in `updates`.
  std::vector<StickVertex> updated(const std::vector<Update>& updates, const VecX& x) const;

 private:
  const StickVertex* find(const Contact& contact, int i) const {
    return find_stick(vertices_, contact.vertices[i], partner_of(model_, contact, i));
  }

  const Model& model_;
  const std::vector<StickVertex>& vertices_;
  const VecX& x_t0_;
};

}  // namespace clearance
