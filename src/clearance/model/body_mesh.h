// The elements of a deformable body that adapt during a run, with everything that travels along [Fer23, ch. 6].
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mesh.h"
#include "clearance/math/types.h"

namespace clearance {

/// A face (2D: edge, the third is -1) of the boundary, turned outwards.
struct BoundaryFacet {
  std::array<int, 3> vertices = {-1, -1, -1};
  int origin = 0;  ///< number of a face of the boundary at the start of the run, in whose plane and groups it is
};

/// Simplices of a deformable body at some time of a run. A vertex, cell or facet stands for what the scene says of the
/// one at the start that it comes from: regions, materials and groups travel, they are not selected again.
struct BodyMesh {
  int body = 0;
  Mesh mesh;                          ///< at rest: vertices, and tets (2D: triangles)
  std::vector<Vec<3>> start;          ///< [m] per vertex: where the scene's start has it
  std::vector<int> origin_of_vertex;  ///< per vertex: its number at the start of the run, or -1
  std::vector<int> origin_of_cell;    ///< per cell: a cell at the start of the run of the same material and groups
  std::vector<BoundaryFacet> facets;  ///< all of the boundary
  /// Per region of the body, in the order of node_regions: its nodes, ascending.
  std::vector<std::vector<int>> nodes_of_region;
};

/// An operation on an edge that was tried in vain: it is not tried again as long as it has no prospects.
struct RejectedOperation {
  int body = 0;
  std::array<int, 2> edge = {-1, -1};  ///< vertices of the body
  bool is_collapse = false;            ///< else a split
  double share = 0.0;  ///< of the energy around the edge: what the incremental potential would fall by, at most
  int step = 0;        ///< that tried it, as State counts them
};

}  // namespace clearance
