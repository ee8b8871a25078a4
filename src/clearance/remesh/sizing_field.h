// How long edges should be: short where strain changes, and at contacts. The simple alternative to the energies of an
// operation, in the manner of [Fer23, fig. 6.2, 6.5].
#pragma once

#include <vector>

#include "clearance/remesh/scene_surfaces.h"

namespace clearance {

template <int dim>
class SizingField {
 public:
  /// `dhat` [m] of the body; 0: it touches nothing.
  SizingField(const AdaptingBody<dim>& body, const SceneSurfaces<dim>& surroundings, double dhat);

  /// [m] At rest, of the edge between two vertices.
  double at(int a, int b) const {
    return 0.5 * (sizes_[static_cast<std::size_t>(a)] + sizes_[static_cast<std::size_t>(b)]);
  }

 private:
  std::vector<double> sizes_;  // [m] per vertex of the mesh
};

}  // namespace clearance
