// Which nodes and faces of a body a motion or a load means.
#pragma once

#include <array>
#include <vector>

#include "clearance/simulation/body_instance.h"

namespace clearance {

/// Nodes inside the region, ascending, as indices into the mesh of the body.
std::vector<int> select_nodes(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                              int dim);

/// All boundary faces (2D: edges, the third is -1), in the order of boundary_triangles and boundary_edges.
std::vector<std::array<int, 3>> faces_of_boundary(const Mesh& mesh);

/// [m^2] Of one of these; 2D: [m].
double face_area(const std::vector<Vec<3>>& x, const std::array<int, 3>& face);

/// Per one of these, of a body whose elements are those of the start: 1 if the region means it.
std::vector<char> are_faces_selected(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                     int dim);

/// Corners of the boundary faces (2D: edges, the third is -1) that have all of them in the region; with tags of groups
/// of faces, those of the groups. Outside is where boundary_triangles and boundary_edges say.
std::vector<std::array<int, 3>> select_faces(const BodyInstance& body, const TransformDesc& transform,
                                             const RegionDesc& region, int dim);

/// Per tetrahedron (2D: triangle): 1 if it has all its nodes in the region; with tags of groups of such elements, if it
/// is in one of them.
std::vector<char> select_elements(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                  int dim);

/// Per vertex of the mesh: its part of the area [m^2] at rest (2D: length [m]) of the selected faces, the integral of
/// its shape function. Linear faces give equal parts to their corners.
std::vector<double> share_face_areas(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                     int dim);

}  // namespace clearance
