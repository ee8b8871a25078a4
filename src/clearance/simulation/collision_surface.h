// The surface that a body touches others with, where it is not the faces of its elements between their nodes: the
// boundary of curved elements in flat pieces, or a surface of its own in the elements' displacements,
// V_S + W (x - X) [Fer23, sec. 5.4.1].
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/geometry/surface.h"
#include "clearance/simulation/body_instance.h"

namespace clearance {

struct CollisionSurface {
  using Weight = NodeWeight;  ///< of a vertex of the body's mesh
  struct Vertex {
    Vec<3> rest;                  ///< [m]
    std::vector<Weight> weights;  ///< one of weight 1: the vertex is a node
  };
  /// Of the boundary of the elements.
  struct Face {
    std::array<int, 3> corners = {-1, -1, -1};  ///< vertices of the body's mesh, outwards; 2D: the third is -1
    std::vector<int> vertices;                  ///< of the surface, all that lie on it
    std::vector<Barycentrics> at;               ///< per vertex
  };
  std::vector<Vertex> vertices;
  Triangles triangles;  ///< 3D, outwards if those of the source are
  Edges edges;          ///< 2D: the outline
  /// It is that of boundary_triangles or boundary_edges of the body's mesh: frames need not hold it beside the
  /// elements.
  bool is_between_nodes = false;
  std::vector<Face> faces;  ///< none if any vertex lies elsewhere
};

/// True if the body has one; else its surface is that of boundary_triangles or boundary_edges of its mesh.
bool has_collision_surface(const BodyDesc& desc, const BodyInstance& body);

/// Problems and warnings with the place of the body's entry go to `issues`.
CollisionSurface make_collision_surface(const BodyDesc& desc, const BodyInstance& body, const std::string& place,
                                        Issues& issues);

/// Pieces that each edge of a curved boundary is cut into. 0: the body has no such boundary, or a surface of its own.
int segments_of_boundary(const BodyDesc& desc, const BodyInstance& body);

/// [m] No point of the flat pieces is farther than this from the point of the curved boundary with its barycentrics,
/// where each edge is cut into `segments` pieces of the same length there.
double flatness_bound(const Mesh& mesh, int segments);

}  // namespace clearance
