// Triangles of a file as one surface: what says the same thing twice is dropped, and every triangle looks outwards.
#pragma once

#include <string>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// What was done, in numbers.
struct SurfaceRepairs {
  int welded_vertices = 0;   ///< in the same place as another one
  int near_vertices = 0;     ///< within a millionth of the size of another one
  int collapsed = 0;         ///< triangles or edges dropped that had two corners in one place
  int repeated = 0;          ///< and those that had the corners of another one
  int turned_triangles = 0;  ///< looked into the solid
  int num_cavities = 0;      ///< closed parts inside of others
  int closed_holes = 0;
  int flat = 0;         ///< triangles dropped that have no area
  int split_edges = 0;  ///< at vertices of other triangles that lie in them

  bool empty() const {
    return welded_vertices + near_vertices + collapsed + repeated + turned_triangles + closed_holes + flat +
               split_edges ==
           0;
  }
};

/// `4 vertices welded, 12 triangles turned outwards`; empty if nothing was done.
std::string to_string(const SurfaceRepairs& repairs);

struct RepairedSurface {
  Mesh mesh;  ///< triangles (outlines: edges), and the vertices that they use in their order
  SurfaceRepairs repairs;
};

/// Welds vertices in the same place, and those closer than 1e-6 of the size where that is needed to close the surface.
/// Drops triangles without area and splits edges at hanging nodes (geometry/hanging_nodes.h) if that leaves no more
/// edges open. Turns the triangles of each connected part alike, so that it encloses a positive volume; a closed part
/// inside of an odd number of others is a cavity and looks into it. What cannot be repaired so stays as it is.
RepairedSurface repair_surface(const Mesh& mesh);

/// Closes every loop of open edges by triangles around its middle, which may cross the surface.
void close_holes(RepairedSurface& surface);

/// Welds vertices in the same place, of the edges of a mesh in the plane.
RepairedSurface repair_outline(const Mesh& mesh);

}  // namespace clearance
