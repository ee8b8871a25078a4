// What contacts remember of their sticking from step to step: the elastic sliding that friction holds them with, as
// bristles do. Without it, friction needs a speed to have a force, and a load that it should hold creeps for ever.
//
// A contact finds its own displacement where its stencil was in the list. Where its closest features have changed, it
// takes the mean of what contacts of the same two bodies at its vertices had. Between the start of the step and the
// positions where friction is evaluated the displacement turns with the features.
#pragma once

#include <map>
#include <vector>

#include "clearance/contact/contact_set.h"

namespace clearance {

/// The features of a contact, as StickContact names them.
std::array<int, 6> stencil_of(const Contact& contact);

template <int dim>
class StickMemory {
 public:
  /// `contacts` are those at the surface positions x_t0. Both must outlive the object.
  StickMemory(const Model& model, const std::vector<StickContact>& contacts, const VecX& x_t0);

  /// [m] Elastic sliding of the first feature against the second, at the positions x; zero for a contact that is new.
  Vec<dim> displacement(const Contact& contact, const VecX& x) const;

 private:
  /// What the vertices of one body remember of another one.
  struct OfVertex {
    Vec<dim> sum = Vec<dim>::Zero();
    double weight = 0.0;
  };
  /// The vertex, and the body (or -1 - plane) against which it rubs.
  using Key = std::pair<int, int>;

  Vec<dim> remembered(const Contact& contact) const;

  const Model& model_;
  const std::vector<StickContact>& contacts_;
  const VecX& x_t0_;
  std::map<Key, OfVertex> of_vertex_;
};

}  // namespace clearance
