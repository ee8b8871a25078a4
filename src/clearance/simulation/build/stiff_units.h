// The affine and rigid bodies of a scene, and the stiff parts of its deformable bodies.
#pragma once

#include "clearance/base/result.h"
#include "clearance/bodies/affine/affine_frame.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// A body or a part of a body that moves by one affine map.
struct StiffUnit {
  int body = 0;         ///< index into SceneModel::bodies
  int first_block = 0;  ///< first of its 1 + dim blocks
  AffineFrame frame;
  double stiffness = 0.0;  ///< [Pa] kappa
  bool is_rigid = false;
  std::string place;  ///< in the scene file
  /// Nodes of the mesh of a deformable body that the unit moves, in ascending order: the nodes in the region, and all
  /// nodes of the elements whose corners are in it. Empty if the unit is a body of its own.
  std::vector<int> tied_nodes;

  bool is_part() const { return !tied_nodes.empty(); }
};

/// Finds all units, body by body; their blocks are not set. Appends to `issues` why a body has no mass, or why a part
/// has no element.
std::vector<StiffUnit> find_stiff_units(const SceneDesc& scene, const std::vector<BodyInstance>& bodies,
                                        Issues& issues);

/// Returns for each element of the mesh of a deformable body (tetrahedra; 2D: triangles) 1 if all its nodes are tied to
/// one unit.
std::vector<char> stiff_elements(const Mesh& mesh, const std::vector<StiffUnit>& units, int body);

}  // namespace clearance
