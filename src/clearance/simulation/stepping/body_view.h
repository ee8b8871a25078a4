// The ranges of vertices and unknowns that belong to a body.
#pragma once

#include <string>
#include <vector>

#include "clearance/scene/body_shapes.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// A range of consecutive indices.
struct IndexRange {
  int first = 0;
  int count = 0;
  int end() const { return first + count; }
};

/// The ranges of indices of one body: a body of the scene, one copy of a body with an array, or one component of a body
/// that is split.
struct BodyView {
  std::string name;
  int entry = 0;  ///< index into SceneDesc::bodies
  BodyKind kind = BodyKind::deformable;
  bool is_obstacle = false;
  IndexRange vertices;  ///< range in positions(), contact_forces() and the meshes of frames
  /// Range in unknowns(), as blocks of `dim` numbers: one per vertex; for a stiff body its centre of mass and the
  /// columns of its affine map. The blocks of stiff parts of a deformable body follow those of its vertices.
  IndexRange blocks;
  std::vector<RoundShape> round_shapes;  ///< what the body collides with in place of its mesh, with vertices of frames
};

}  // namespace clearance
