// Meshes of simple shapes for scenes, tests and benchmarks. All but blocks are centred at the origin; y points up.
// Tetrahedra and 2D triangles are positive and conforming; `surface_of` (surface.h) gives their surfaces. Lengths are
// in metres. `cells` are at least 1; smaller values count as 1.
#pragma once

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"

namespace clearance {

// --- solids: meshes of tetrahedra ---

/// Makes a grid of cells[0] x cells[1] x cells[2] bricks, each cut into six tetrahedra around the same diagonal.
Mesh make_box(const Vec<3>& size, const std::array<int, 3>& cells);

/// Makes a horizontal sheet with volume: a box of height `thickness`, for cloth and beds.
Mesh make_mat(double size_x, double size_z, double thickness, int cells_x, int cells_z, int cells_thickness = 1);

/// Makes a ball of 20 cells^3 tetrahedra: an icosahedron of `cells` layers around the centre, each moved onto its
/// sphere.
Mesh make_sphere(double radius, int cells);

/// Makes the surface of a capsule with its axis along y: two half balls of `radius`, whose centres are `length` apart.
/// Each has `rings` rings of 6 rings vertices, all of them on the capsule.
Mesh make_capsule(double radius, double length, int rings);

/// Makes a cylinder around the axis y. The cross-section has `cells_radius` rings of 6, 12, 18... segments.
Mesh make_cylinder(double radius, double height, int cells_radius, int cells_height);

/// Makes a torus around the axis y from `cells_around` >= 3 pieces. The tube's cross-section has `cells_tube` rings of
/// 6, 12, 18... segments.
Mesh make_torus(double ring_radius, double tube_radius, int cells_around, int cells_tube);

/// Makes the link of a chain: a round wire bent to a stadium in the plane y = 0, long along x. `length` and `width` are
/// overall dimensions. A bend has `cells_half` >= 2 pieces; the wire's cross-section has `cells_wire` rings of 6, 12,
/// 18... segments.
Mesh make_link(double length, double width, double wire_radius, int cells_half, int cells_wire);

/// Makes a spur gear around the axis y, with a tooth at +x. It has involute flanks of `cells_flank` segments, a
/// pressure angle of 25 degrees, module m = 2 pitch_radius / teeth, and teeth from 1.25 m below to m above the pitch
/// circle. Teeth fill 0.47 of the pitch circle: gears of one module, with axes at a distance of the sum of their pitch
/// radii, mesh with a backlash of 0.06 pi m.
Mesh make_gear(double pitch_radius, double width, double bore_radius, int teeth, int cells_flank);

/// Makes the union of boxes, given by their min and max corners, as one mesh. It is a grid of bricks with a plane
/// through every face of every box and further planes between them, so that no brick is longer than `max_cell` along an
/// axis. Faces that differ only by rounding count as one. Issues, with their place from `blocks` on: a box without
/// volume, boxes that no face joins to the others, edges or points where the surface touches itself, more than 1e8
/// bricks in the grid.
Result<Mesh> make_blocks(const std::vector<std::array<Vec<3>, 2>>& blocks, const Vec<3>& max_cell);

// --- areas: 2D meshes of triangles, z = 0 ---

/// Makes a grid of rectangles, each cut in two, with alternating diagonals.
Mesh make_rectangle(double size_x, double size_y, int cells_x, int cells_y);

/// Makes a disk of `cells` rings of 6, 12, 18... segments.
Mesh make_disk(double radius, int cells);

// --- closed surfaces: 3D triangles facing outwards, for stiff bodies and obstacles ---

/// Makes a bolt: a right-handed screw thread along y with the metric profile (flanks at 60 degrees to each other, 0.54
/// pitch deep), chamfered at its lower end, and a hexagonal head above it. The thread of the given length is centred at
/// the origin. `cells_around` is rounded up to a multiple of 12.
Mesh make_bolt(double radius, double length, double pitch, int cells_around);

/// Makes a hexagonal nut, centred at the origin, for the bolt of the same radius and pitch. Every surface of its thread
/// is wider by `clearance`, measured towards the axis. Bolt and nut on one axis fit if one is moved by a multiple of
/// the pitch, or by a fraction of it together with the same fraction of a turn.
Mesh make_nut(double radius, double height, double pitch, double clearance, int cells_around);

/// Makes a straight line of edges along x, centred at the origin.
Mesh make_line(double length, int cells);

// --- open surfaces: 3D triangles without volume, for obstacles and shells ---

/// Makes a horizontal rectangle, facing up.
Mesh make_sheet(double size_x, double size_z, int cells_x, int cells_z);

/// Makes the lower cap of a sphere with the given rim radius and depth (half a sphere if they are equal). It faces its
/// centre; the rim lies in y = 0. It has `cells` rings of 6, 12, 18... segments.
Mesh make_bowl(double rim_radius, double depth, int cells);

/// Makes the side of a truncated cone, facing its axis. The wide end is up at height/2; both ends are open.
Mesh make_funnel(double top_radius, double bottom_radius, double height, int cells_around, int cells_height);

}  // namespace clearance
