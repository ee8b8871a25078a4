// The elements of a deformable body that adapt during a run, with all data that changes along with them [Fer23, ch. 6].
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mesh.h"
#include "clearance/math/types.h"

namespace clearance {

/// A face (2D: edge, the third vertex is -1) of the boundary, oriented outwards.
struct BoundaryFacet {
  std::array<int, 3> vertices = {-1, -1, -1};
  int origin = 0;  ///< number of the boundary face at the start of the run whose plane and groups it shares
};

/// Simplices of a deformable body at some time of a run. A vertex, cell or facet inherits the regions, materials and
/// groups of the one at the start that it comes from; they are not selected again.
struct BodyMesh {
  int body = 0;
  Mesh mesh;                          ///< at rest: vertices, and tets (2D: triangles)
  std::vector<Vec<3>> start;          ///< [m] per vertex: its position at the scene's start
  std::vector<int> origin_of_vertex;  ///< per vertex: its number at the start of the run, or -1
  std::vector<int> origin_of_cell;    ///< per cell: a cell at the start of the run of the same material and groups
  std::vector<BoundaryFacet> facets;  ///< the whole boundary
  /// Per region of the body, in the order of node_regions: its nodes, ascending.
  std::vector<std::vector<int>> nodes_of_region;
};

/// An operation on an edge that was rejected; it is not tried again while it has no prospects.
struct RejectedOperation {
  int body = 0;
  std::array<int, 2> edge = {-1, -1};  ///< vertices of the body
  bool is_collapse = false;            ///< True for a collapse, false for a split.
  double share = 0.0;  ///< largest decrease of the incremental potential, as a fraction of the energy around the edge
  int step = 0;        ///< number of the step that tried it, as in State
};

}  // namespace clearance
