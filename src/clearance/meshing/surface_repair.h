// Repairs the triangles of a file into one surface. Duplicates are dropped, and every triangle is oriented outwards.
#pragma once

#include <string>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Numbers of the repairs made.
struct SurfaceRepairs {
  int welded_vertices = 0;   ///< at the position of another vertex
  int near_vertices = 0;     ///< within a millionth of the size from another vertex
  int collapsed = 0;         ///< triangles or edges dropped because two corners coincided
  int repeated = 0;          ///< triangles or edges dropped because another one has the same corners
  int turned_triangles = 0;  ///< triangles whose orientation was reversed
  int num_cavities = 0;      ///< closed parts inside an odd number of others
  int closed_holes = 0;
  int flat = 0;         ///< triangles dropped that have no area
  int split_edges = 0;  ///< edges split at vertices of other triangles that lie on them

  bool empty() const {
    return welded_vertices + near_vertices + collapsed + repeated + turned_triangles + closed_holes + flat +
               split_edges ==
           0;
  }
};

/// Describes the repairs, such as `4 vertices welded to others in the same place, 12 triangles turned around`. Returns
/// an empty text if nothing was done.
std::string to_string(const SurfaceRepairs& repairs);

struct RepairedSurface {
  Mesh mesh;  ///< triangles (outlines: edges), and the vertices that they use, in their order
  SurfaceRepairs repairs;
};

/// Welds vertices at the same position, and those closer than 1e-6 of the size if that is needed to close the surface.
/// Drops triangles without area and splits edges at hanging nodes (geometry/hanging_nodes.h) if that leaves no more
/// edges open. Orients the triangles of each connected part alike, so that the part encloses a positive volume. A
/// closed part inside an odd number of others is a cavity, and its triangles face into it. Defects that these steps do
/// not mend stay.
RepairedSurface repair_surface(const Mesh& mesh);

/// Closes every loop of open edges by triangles around its centre. These triangles may cross the surface.
void close_holes(RepairedSurface& surface);

/// Welds vertices at the same position and drops repeated edges, for the edges of a mesh in the plane.
RepairedSurface repair_outline(const Mesh& mesh);

}  // namespace clearance
