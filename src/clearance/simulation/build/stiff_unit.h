// An affine or rigid body of a scene, or a stiff part of a deformable one.
#pragma once

#include <string>
#include <vector>

#include "clearance/bodies/affine/affine_frame.h"

namespace clearance {

/// A body or a part of a body that moves by one affine map.
struct StiffUnit {
  int body = 0;         ///< index into SceneModel::bodies
  int first_block = 0;  ///< first of its 1 + dim blocks
  AffineFrame frame;
  double stiffness = 0.0;  ///< [Pa] kappa
  bool is_rigid = false;
  int symmetry_axis = -1;  ///< StiffBody::symmetry_axis
  std::string place;       ///< in the scene file
  /// Nodes of the mesh of a deformable body that the unit moves, in ascending order: the nodes in the region, and all
  /// nodes of the elements whose corners are in it. Empty if the unit is a body of its own.
  std::vector<int> tied_nodes;

  bool is_part() const { return !tied_nodes.empty(); }
};

}  // namespace clearance
