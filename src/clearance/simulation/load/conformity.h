// Seams: places where elements of one mesh meet without sharing their vertices. The body is torn there, or its surface
// is open.
#pragma once

#include "clearance/geometry/surface.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of seams of a deformable body: boundary vertices that coincide with another one, or that lie in an edge or
/// face that does not use them, up to 1e-9 of the body's size. `mesh` holds the elements in the scene, `boundary` is
/// the boundary of its tetrahedra, and `source_vertex` gives the numbers of its vertices in the file.
void warn_of_seams(const SceneDesc& scene, int desc, const Mesh& mesh, const Triangles& boundary,
                   const std::vector<int>& source_vertex, Issues& hints);

/// Splits the edges of a stiff body's surface at hanging nodes (geometry/hanging_nodes.h), so that its mass is that of
/// a solid. Vertices keep their positions and numbers.
void close_t_junctions(const SceneDesc& scene, int desc, Mesh& mesh, Issues& hints);

/// Warns of seams that keep the surface of a stiff body open, so that its mass is that of sheets and not that of a
/// solid.
void warn_of_open_seams(const SceneDesc& scene, int desc, const Mesh& mesh, const std::vector<int>& source_vertex,
                        Issues& hints);

}  // namespace clearance
