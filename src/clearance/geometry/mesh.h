// A plain mesh of simplices in 2D or 3D, as read from a file or made by a generator.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Elements that a mesh file names.
struct MeshGroup {
  std::string name;  ///< may be empty
  int number = 0;
  int dim = 3;                               ///< of its elements: 0 points, 1 edges, 2 triangles, 3 tets
  std::vector<std::array<int, 4>> elements;  ///< 1 + dim vertices each, then -1
};

struct Mesh {
  int dim = 3;                                ///< 2 (z of every vertex is 0) or 3
  std::vector<Vec<3>> vertices;               ///< [m]
  std::vector<std::array<int, 4>> tets;       ///< positive volume: (v1-v0) x (v2-v0) . (v3-v0) > 0
  std::vector<std::array<int, 3>> triangles;  ///< 3D: surface elements; 2D: area elements, counter-clockwise
  std::vector<std::array<int, 2>> edges;      ///< codimensional segments (not the edges of triangles)
  std::vector<int> points;                    ///< lone vertices that are bodies of their own
  std::vector<MeshGroup> groups;              ///< also of faces and edges that are not listed above
};

}  // namespace clearance
