// Meshes of simple shapes, centred at the origin with y up: for scenes, tests and benchmarks. Tetrahedra and 2D
// triangles are positive and conforming; `surface_of` (surface.h) gives their surfaces. Lengths in metres. `cells` are
// at least 1; smaller values count as 1.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

// --- solids: meshes of tetrahedra ---

/// A grid of cells[0] x cells[1] x cells[2] bricks, each cut into six tetrahedra around the same diagonal.
Mesh make_box(const Vec<3>& size, const std::array<int, 3>& cells);

/// Horizontal sheet with volume: a box of height `thickness`, for cloth and beds.
Mesh make_mat(double size_x, double size_z, double thickness, int cells_x, int cells_z, int cells_thickness = 1);

/// Ball of 20 cells^3 tetrahedra: an icosahedron of `cells` layers around the centre, each moved onto its sphere.
Mesh make_sphere(double radius, int cells);

/// Axis y. The cross-section has `cells_radius` rings of 6, 12, 18... segments.
Mesh make_cylinder(double radius, double height, int cells_radius, int cells_height);

/// Around the axis y, with `cells_around` >= 3 pieces around it; the tube's cross-section has `cells_tube` rings of 6,
/// 12, 18... segments.
Mesh make_torus(double ring_radius, double tube_radius, int cells_around, int cells_tube);

// --- areas: 2D meshes of triangles, z = 0 ---

/// A grid of rectangles, each cut in two, the diagonals alternating.
Mesh make_rectangle(double size_x, double size_y, int cells_x, int cells_y);

/// Rings of 6, 12, 18... segments.
Mesh make_disk(double radius, int cells);

// --- open surfaces: 3D triangles without volume, for obstacles and shells ---

/// Horizontal rectangle, facing up.
Mesh make_sheet(double size_x, double size_z, int cells_x, int cells_z);

/// The lower cap of a sphere, of the given rim radius and depth (half a sphere if equal), facing its centre; the rim
/// lies in y = 0. `cells` rings of 6, 12, 18... segments.
Mesh make_bowl(double rim_radius, double depth, int cells);

/// The side of a truncated cone, facing its axis; wide end up at height/2, both ends open.
Mesh make_funnel(double top_radius, double bottom_radius, double height, int cells_around, int cells_height);

}  // namespace clearance
