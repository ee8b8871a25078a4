// The readers of single formats, behind read_mesh. Each appends to `mesh` what it understands and reports to `input`
// what it does not; indices that it stores are in range and coordinates are finite. `mesh.dim` is given: it says which
// elements are solid ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "clearance/geometry/mesh.h"
#include "clearance/io/mesh/mesh_file.h"
#include "clearance/io/mesh/vtu.h"

namespace clearance {

void read_obj(MeshInput& input, Mesh& mesh);
/// Reads the texture coordinates as vertices, and the faces between them.
void read_obj_texture(MeshInput& input, Mesh& mesh);
void read_ply(MeshInput& input, Mesh& mesh);
void read_stl(MeshInput& input, Mesh& mesh);
void read_off(MeshInput& input, Mesh& mesh);
void read_gmsh(MeshInput& input, Mesh& mesh);
void read_legacy_vtk(MeshInput& input, Mesh& mesh);
/// Reads the numbers of points and of cells, too: these in the order tets, triangles, edges, points of the mesh.
void read_legacy_vtk_arrays(MeshInput& input, Mesh& mesh, std::vector<FrameArray>& of_points,
                            std::vector<FrameArray>& of_cells);
/// Reads the elements of the sets of elements whose names `element_sets` lists between commas; all if it is empty.
void read_abaqus(MeshInput& input, const std::string& element_sets, Mesh& mesh);
/// Reads a stage of USD or Alembic: the shape of a path and those below it; all shapes if the path is empty.
void read_stage(MeshInput& input, const std::string& shape, Mesh& mesh);
void read_seg(MeshInput& input, Mesh& mesh);
/// `nodes` is the .node file, `elements` the .ele file or null
void read_tetgen(MeshInput& nodes, MeshInput* elements, Mesh& mesh);

/// Appends a face of any number of corners: a point, an edge, or a fan of triangles around the first corner.
void add_polygon(std::span<const int> corners, Mesh& mesh);

/// True if `count` things of at least `min_bytes` each fit into `num_bytes_left` and can be indexed by int
bool is_plausible_count(std::uint64_t count, std::size_t min_bytes, std::size_t num_bytes_left);

}  // namespace clearance
