// The affine and rigid bodies of a scene, and the stiff parts of its deformable bodies.
#pragma once

#include "clearance/base/result.h"
#include "clearance/bodies/affine/affine_frame.h"
#include "clearance/simulation/body_instance.h"

namespace clearance {

/// What moves by one affine map.
struct StiffUnit {
  int body = 0;         ///< index into SceneModel::bodies
  int first_block = 0;  ///< of its 1 + dim
  AffineFrame frame;
  double stiffness = 0.0;  ///< [Pa] kappa
  bool is_rigid = false;
  std::string place;  ///< in the scene file
  /// Of the mesh of a deformable body, ascending: those in the region, and all nodes of the elements whose corners are
  /// in it. Empty: the unit is a body of its own.
  std::vector<int> tied_nodes;

  bool is_part() const { return !tied_nodes.empty(); }
};

/// All units without their blocks, body by body. Appends to `issues` why a body has no mass, or a part no element.
std::vector<StiffUnit> find_stiff_units(const SceneDesc& scene, const std::vector<BodyInstance>& bodies,
                                        Issues& issues);

/// Per element of the mesh of a deformable body (tetrahedra; 2D: triangles): 1 if all its nodes are tied to one unit.
std::vector<char> stiff_elements(const Mesh& mesh, const std::vector<StiffUnit>& units, int body);

}  // namespace clearance
