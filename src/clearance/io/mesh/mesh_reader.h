// Meshes from files. One function for all formats; the extension chooses:
//   .msh          Gmsh 2.2, 4.0 and 4.1, ASCII and binary, and the variants that the IPC authors' meshes use
//   .obj          Wavefront: vertices, faces (polygons become fans), lines, points
//   .ply .stl .off   surfaces; bit-identical corners of an STL become one vertex. A text STL needs its `endsolid`,
//   unless
//                 the surface is closed; behind the triangles of a binary one may be anything but more triangles
//   .vtu .vtk     unstructured grids, ASCII and binary
//   .node .ele    TetGen, read as a pair, also named without extension
//   .usda         Universal Scene Description: meshes, tetrahedra, linear curves and points of all prims, or of one and
//                 those below it (stage.usda</World/ball>), in metres and with y upwards whatever the stage has
//   .abc          Alembic (Ogawa): meshes, linear curves and points of all objects, or of one and those below it
//                 (cache.abc</run/ball>)
//   .seg .pt      the IPC authors' segments and points; without such a file, edges or vertices of the .obj beside it
//
// .msh, .vtu and .vtk may have solid elements of order 2 to 4: tetrahedra, or triangles of a mesh of the plane.
//
// A mesh is kept as the file has it: the order of vertices and elements, and their orientation (inverted tets too).
// Left out are descriptions of boundaries: triangles that are faces of tets, edges of tets or triangles, points that
// something else uses. Vertices that no element uses stay; a file with vertices but no element is a set of points. Only
// .obj makes points of all unused vertices. Curved lines and faces have their corners only; curved triangles in 3D that
// are no faces of tets are refused.
//
// Nothing of a file is lost in silence: text may have any line ends (io/files/text_lines.h), and what the format cannot
// tell from geometry, counts that do not hold and files that end too early are problems. Every problem (at most
// `max_mesh_issues`) says where it is: `line 17`, `byte 1234`.
#pragma once

#include <filesystem>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"

namespace clearance {

struct MeshReadOptions {
  /// 2 drops the z coordinates, which must all be 0; elements of the plane are triangles and edges
  int dim = 3;
  /// The vertices are the texture coordinates of an .obj file, in the plane z = 0, and the corners of its faces refer
  /// to them.
  bool reads_texture = false;
};

/// Reads the mesh of a file: its indices are in range, its coordinates finite. Sizes that the file promises are checked
/// against its size before memory is taken, so that hostile input ends in an issue and never in a crash.
Result<Mesh> read_mesh(const std::filesystem::path& path, const MeshReadOptions& options = {});

}  // namespace clearance
