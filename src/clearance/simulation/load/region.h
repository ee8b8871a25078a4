// Selects the nodes, faces and elements of a body by a region, such as that of a motion or a load.
#pragma once

#include <array>
#include <vector>

#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Returns the nodes inside the region, in ascending order, as indices into the mesh of the body.
std::vector<int> select_nodes(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                              int dim);

/// Returns all boundary faces (2D: edges, the third is -1) in the order of boundary_triangles and boundary_edges.
std::vector<std::array<int, 3>> faces_of_boundary(const Mesh& mesh);

/// Returns the area of a boundary face [m^2]; 2D: its length [m].
double face_area(const std::vector<Vec<3>>& x, const std::array<int, 3>& face);

/// Returns for each boundary face, in this order, 1 if the region selects it. The elements of the body must be those of
/// the start.
std::vector<char> are_faces_selected(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                     int dim);

/// Returns the corners of the boundary faces (2D: edges, the third is -1) that have all their corners in the region. If
/// the region has tags of groups of faces, only faces of these groups count. Faces are oriented as in
/// boundary_triangles and boundary_edges.
std::vector<std::array<int, 3>> select_faces(const BodyInstance& body, const TransformDesc& transform,
                                             const RegionDesc& region, int dim);

/// Returns for each tetrahedron (2D: triangle) 1 if it has all its corners in the region. If the region has tags of
/// groups of such elements, only elements of these groups count.
std::vector<char> select_elements(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                  int dim);

/// The space in which faces have areas.
struct SpaceOfFaces {
  int dim = 3;
  bool is_axisymmetric = false;  ///< 2D: edges are turned about the y axis
};

/// Returns for each vertex of the mesh its share of the area [m^2] at rest (2D, unless edges are turned: length [m]) of
/// the selected faces, which is the integral of its shape function. A linear face gives equal shares to its corners
/// unless it is turned.
std::vector<double> share_face_areas(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                     SpaceOfFaces space);

}  // namespace clearance
