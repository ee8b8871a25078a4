// The mesh of an input file of Abaqus or CalculiX with the numbers and names by which the file refers to its parts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
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
  std::vector<int> corners;                   ///< of a solid: vertices, as the file lists them
};

/// A set of nodes, a set of elements, or a surface.
struct AbaqusSet {
  std::string name;
  std::vector<int> nodes;                 ///< vertices of the mesh
  std::vector<std::int64_t> elements;     ///< their numbers in the file
  std::vector<std::array<int, 4>> faces;  ///< triangles: three vertices, then -1
};

struct AbaqusMesh {
  Mesh mesh;                                             ///< with a group for each set (docs/meshes.md)
  std::unordered_map<std::int64_t, int> vertex_of_node;  ///< by the number of the node
  std::map<std::int64_t, AbaqusElement> elements;        ///< by their number
  std::vector<AbaqusSet> node_sets, element_sets, surfaces;
};

/// Returns the set of this name, in whatever letters; null if there is none.
const AbaqusSet* find_set(const std::vector<AbaqusSet>& sets, const std::string& name);

/// Returns the triangles of a side of a solid, by its number from 1 (S1); none if it has no such side.
std::vector<std::array<int, 4>> side_of(const AbaqusElement& element, int side);

/// Reads nodes, elements, sets and surfaces; passes over everything that is no mesh. `dim`: 2 or 3, that of solids.
AbaqusMesh read_abaqus_mesh(MeshInput& input, int dim);

/// Returns 1 for each vertex that an element of the mesh has, else 0.
std::vector<char> vertices_of_elements(const Mesh& mesh);

/// Returns the mesh of the elements of some sets, which the file has. Vertices keep their numbers.
Mesh mesh_of_sets(const AbaqusMesh& read, const std::vector<std::string>& element_sets);

}  // namespace clearance
