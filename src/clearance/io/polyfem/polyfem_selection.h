// Selections of a PolyFEM scene: which boundary faces, nodes and elements of an entry of the geometry have which
// number.
#pragma once

#include <limits>
#include <vector>

#include "clearance/io/polyfem/polyfem_mesh.h"

namespace clearance {

/// Of what no selection has.
inline constexpr int no_id = std::numeric_limits<int>::max();

struct PolyfemSelections {
  std::vector<std::vector<int>> faces;  ///< of the boundary, in 2D sides, by all their nodes, corners first
  std::vector<int> face_ids;            ///< per face
  std::vector<int> node_ids;            ///< per vertex; only nodes of the boundary have some; empty: none
  std::vector<int> body_ids;            ///< per element of the mesh before refinements; one entry: all have it
};

/// Body numbers of the elements of an entry that is simulated: by its key `volume_selection`, else by the physical
/// groups of its mesh file, else 0.
std::vector<int> read_body_ids(const ForeignObject& entry, const PolyfemMesh& mesh);
/// By its keys `surface_selection` and `point_selection`; the mesh has all its nodes.
PolyfemSelections read_selections(const ForeignObject& entry, const PolyfemMesh& mesh, std::vector<int> body_ids);

/// The number of an obstacle, which has one for all; 0 if it says nothing.
int read_obstacle_id(const ForeignObject& entry);

/// One number or a list of them; `all` is any. False after an issue.
bool read_ids(const ForeignObject& from, std::vector<int>& ids, bool& is_any, int usual = no_id);

}  // namespace clearance
