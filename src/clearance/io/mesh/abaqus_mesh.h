// The mesh of an input file of Abaqus or CalculiX with the numbers and names by which the file refers to its parts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clearance/geometry/mesh.h"
#include "clearance/io/mesh/mesh_file.h"

namespace clearance {

/// An element: its type in capital letters (`C3D10M`), and the simplices that it has become.
struct AbaqusElement {
  std::string type;
  int dim = 3;
  int first = 0;  ///< index of its first simplex among the tets, triangles or edges of the mesh
  std::vector<std::array<int, 4>> simplices;  ///< 1 + dim vertices of the mesh each, then -1
  std::vector<int> nodes;                     ///< vertices, as the file lists them
  int num_corners = 0;                        ///< the first ones of these

  bool is_shell() const { return dim == 2 && !type.starts_with("CP"); }
};

/// A set of nodes, a set of elements, or a surface.
struct AbaqusSet {
  std::string name;
  std::string instance;                     ///< of a part that it belongs to; empty for none
  std::vector<int> nodes = {};              ///< vertices of the mesh
  std::vector<std::int64_t> elements = {};  ///< their numbers; see number_of
  /// Faces of a surface: three vertices of triangles, then -1; in planes two of edges, then -1 twice.
  std::vector<std::array<int, 4>> faces = {};
  /// Sides of shells that a surface has: where their normals do not point to (SNEG), both, or none that is told.
  bool is_negative = false, has_both_sides = false, has_no_side = false;
};

/// A vertex that the division of elements of order 2 adds, and the nodes of the file that it moves with.
struct AbaqusMiddle {
  int vertex;
  std::vector<int> nodes;
};

struct AbaqusMesh {
  Mesh mesh;                                             ///< with a group for each set (docs/meshes.md)
  std::vector<std::string> instances;                    ///< of parts, in the order of the file
  std::unordered_map<std::int64_t, int> vertex_of_node;  ///< by the number of the node
  std::map<std::int64_t, AbaqusElement> elements;        ///< by their number
  std::vector<AbaqusSet> node_sets, element_sets, surfaces;
  std::vector<AbaqusMiddle> middles;
};

/// Returns the number by which the mesh knows a node or element: that of the file, and for an instance a multiple of
/// 10^12 more. The word is a number in `instance`, or has the name of an instance before it: `BOLT-1.27`.
std::optional<std::int64_t> number_of(const AbaqusMesh& mesh, std::string_view word, const std::string& instance);

/// Returns the number as the file writes it.
std::string name_of_number(const AbaqusMesh& mesh, std::int64_t number);

/// Returns the set of this name, in whatever letters; null if there is none. It belongs to `instance`, or its name has
/// that of its instance before it, as in `BOLT-1.HEAD`, or it is the only one of its name.
const AbaqusSet* find_set(const std::vector<AbaqusSet>& sets, const std::string& name,
                          const std::string& instance = {});

/// Returns the name of the groups that a set is in the mesh: with that of its instance if others have the same name.
std::string group_name(const std::vector<AbaqusSet>& sets, const AbaqusSet& set);

/// Returns the triangles of a side of a solid, or the edge that is a side of an element in the plane, by its number
/// from 1 (S1); none if it has no such side.
std::vector<std::array<int, 4>> side_of(const AbaqusElement& element, int side);

/// Reads nodes, elements, sets and surfaces; passes over everything that is no mesh. `dim`: 2 or 3, that of solids.
AbaqusMesh read_abaqus_mesh(MeshInput& input, int dim);

/// Returns the nodes of triangles or edges of a surface, also those between their corners if elements have order 2.
std::vector<int> nodes_of_faces(const Mesh& mesh, const std::vector<std::array<int, 4>>& faces);

/// Adds to vertices the middles of elements whose nodes are all among them.
void add_middles(const AbaqusMesh& mesh, std::vector<int>& vertices);

/// Returns 1 for each vertex that an element of the mesh has, else 0.
std::vector<char> vertices_of_elements(const Mesh& mesh);

/// Returns the mesh of the elements of some sets, which the file has. Vertices keep their numbers.
Mesh mesh_of_sets(const AbaqusMesh& read, const std::vector<std::string>& element_sets);

/// Returns the number of the part of a mesh that each vertex is in, from 1 in the order of their first vertices; 0 for
/// vertices without elements. Elements of different parts share no nodes.
std::vector<int> parts_of_vertices(const Mesh& mesh);

/// Returns the mesh of one such part. Vertices keep their numbers.
Mesh mesh_of_part(const Mesh& mesh, const std::vector<int>& part_of_vertex, int part);

}  // namespace clearance
