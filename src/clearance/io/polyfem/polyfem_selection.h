// Selections of a PolyFEM scene: the numbers of the boundary faces, nodes and elements of an entry of the geometry.
#pragma once

#include <limits>
#include <vector>

#include "clearance/io/polyfem/polyfem_mesh.h"

namespace clearance {

/// Number of everything that no selection covers.
inline constexpr int no_id = std::numeric_limits<int>::max();

struct PolyfemSelections {
  std::vector<std::vector<int>> faces;  ///< nodes of each boundary face (2D: side), corners first
  std::vector<int> face_ids;            ///< per face
  std::vector<int> node_ids;            ///< per vertex; only nodes of the boundary have a number; empty: none
  std::vector<int> body_ids;            ///< per element of the mesh before refinements; one entry: all have it
};

/// Returns the body numbers of the elements of a simulated entry: from its key `volume_selection`, else from the
/// physical groups of its mesh file, else 0.
std::vector<int> read_body_ids(const ForeignObject& entry, const PolyfemMesh& mesh);
/// Reads the keys `surface_selection` and `point_selection` of the entry. The mesh must have all its nodes.
PolyfemSelections read_selections(const ForeignObject& entry, const PolyfemMesh& mesh, std::vector<int> body_ids);

/// Returns the number of an obstacle, which has a single one; 0 if the entry gives none.
int read_obstacle_id(const ForeignObject& entry);

/// Reads one number or a list of numbers; `all` sets `is_any`. Returns false after an issue.
bool read_ids(const ForeignObject& from, std::vector<int>& ids, bool& is_any, int usual = no_id);

}  // namespace clearance
