// Points near the boundary of elements that follow it.
#pragma once

#include <vector>

#include "clearance/geometry/curved_boundary.h"
#include "clearance/meshing/triangle_tree.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Finds how points outside of the elements follow them: as the tangent map of the elements at the nearest point of
/// their boundary says. The weights of a point sum to 1 and reproduce its place, so that rotations and strains that are
/// the same everywhere move it exactly.
class BoundaryFollower {
 public:
  /// The mesh must outlive the object.
  explicit BoundaryFollower(const Mesh& mesh);

  struct Followed {
    std::vector<NodeWeight> weights;
    double outside;  ///< distance from the boundary in sizes of the element there
  };
  Followed follow(const Vec<3>& x) const;

 private:
  const Mesh& mesh_;
  BoundaryPieces pieces_;
  TriangleTree tree_;
};

}  // namespace clearance
