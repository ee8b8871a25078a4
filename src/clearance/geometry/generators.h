// Meshes of simple shapes, centred at the origin (but blocks) with y up: for scenes, tests and benchmarks. Tetrahedra
// and 2D triangles are positive and conforming; `surface_of` (surface.h) gives their surfaces. Lengths in metres.
// `cells` are at least 1; smaller values count as 1.
#pragma once

#include "clearance/base/result.h"
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

/// Link of a chain: a round wire bent to a stadium in the plane y = 0, long along x; length and width over all. A bend
/// has `cells_half` >= 2 pieces, the wire's cross-section `cells_wire` rings of 6, 12, 18... segments.
Mesh make_link(double length, double width, double wire_radius, int cells_half, int cells_wire);

/// Spur gear around the axis y, a tooth at +x: involute flanks of `cells_flank` segments, pressure angle 25 degrees,
/// module m = 2 pitch_radius / teeth, teeth from 1.25 m below to m above the pitch circle. They fill 0.47 of it: gears
/// of one module whose axes are the sum of their pitch radii apart mesh with a backlash of 0.06 pi m.
Mesh make_gear(double pitch_radius, double width, double bore_radius, int teeth, int cells_flank);

/// The union of boxes, given by their min and max corners, as one mesh: a grid of bricks with a plane through every
/// face of every box and further ones between, so that no brick is longer than `max_cell` along an axis. Faces that
/// differ by rounding are one. Issues, with their place from `blocks` on: a box without volume, boxes that no
/// face joins to the others, edges or points where the surface touches itself, more than 1e8 bricks in the grid.
Result<Mesh> make_blocks(const std::vector<std::array<Vec<3>, 2>>& blocks, const Vec<3>& max_cell);

// --- areas: 2D meshes of triangles, z = 0 ---

/// A grid of rectangles, each cut in two, the diagonals alternating.
Mesh make_rectangle(double size_x, double size_y, int cells_x, int cells_y);

/// Rings of 6, 12, 18... segments.
Mesh make_disk(double radius, int cells);

// --- closed surfaces: 3D triangles facing outwards, for stiff bodies and obstacles ---

/// Right-handed screw thread along y with the metric profile (flanks at 60 degrees to each other, 0.54 pitch deep),
/// chamfered at its lower end, and a hexagonal head above it. The thread of the given length is centred at the origin.
/// `cells_around` is rounded up to a multiple of 12.
Mesh make_bolt(double radius, double length, double pitch, int cells_around);

/// Hexagonal nut, centred at the origin, for the bolt of the same radius and pitch: every surface of its thread is
/// wider by `clearance`, measured to the axis. Bolt and nut on one axis fit if moved by multiples of the pitch, or by
/// fractions with the same fraction of a turn.
Mesh make_nut(double radius, double height, double pitch, double clearance, int cells_around);

// --- open surfaces: 3D triangles without volume, for obstacles and shells ---

/// Horizontal rectangle, facing up.
Mesh make_sheet(double size_x, double size_z, int cells_x, int cells_z);

/// The lower cap of a sphere, of the given rim radius and depth (half a sphere if equal), facing its centre; the rim
/// lies in y = 0. `cells` rings of 6, 12, 18... segments.
Mesh make_bowl(double rim_radius, double depth, int cells);

/// The side of a truncated cone, facing its axis; wide end up at height/2, both ends open.
Mesh make_funnel(double top_radius, double bottom_radius, double height, int cells_around, int cells_height);

}  // namespace clearance
