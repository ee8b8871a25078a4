// Where the elements of one mesh meet without sharing their vertices: the body is torn there, or its surface open.
#pragma once

#include "clearance/geometry/surface.h"
#include "clearance/simulation/hint.h"

namespace clearance {

/// Seams of a deformable body: vertices of its boundary that lie where another one lies or in an edge or face that
/// does not use them, up to 1e-9 of the body's size. `mesh`: its elements in the scene; `boundary`: of its
/// tetrahedra; `source_vertex`: the numbers of its vertices in the file.
void warn_of_seams(const SceneDesc& scene, int desc, const Mesh& mesh, const Triangles& boundary,
                   const std::vector<int>& source_vertex, Issues& hints);

/// Splits the edges of a stiff body's surface at hanging nodes (geometry/hanging_nodes.h), so that it weighs as a
/// solid. Vertices keep their places and numbers.
void close_t_junctions(const SceneDesc& scene, int desc, Mesh& mesh, Issues& hints);

/// Seams that keep the surface of a stiff body from being closed, so that it weighs as sheets and not as a solid.
void warn_of_open_seams(const SceneDesc& scene, int desc, const Mesh& mesh, const std::vector<int>& source_vertex,
                        Issues& hints);

}  // namespace clearance
