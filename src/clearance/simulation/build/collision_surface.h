// The collision surface of a body, if it is not made of the faces of its elements between their nodes. It is either the
// boundary of curved elements, cut into flat pieces, or a separate surface that follows the elements' displacements,
// V_S + W (x - X) [Fer23, sec. 5.4.1].
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/geometry/surface.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

struct CollisionSurface {
  using Weight = NodeWeight;  ///< weight of a vertex of the body's mesh
  struct Vertex {
    Vec<3> rest;                  ///< [m]
    std::vector<Weight> weights;  ///< a single weight of 1 if the vertex is a node
  };
  /// A face of the boundary of the elements.
  struct Face {
    std::array<int, 3> corners = {-1, -1, -1};  ///< vertices of the body's mesh, outwards; 2D: the third is -1
    std::vector<int> vertices;                  ///< all vertices of the surface that lie on the face
    std::vector<Barycentrics> at;               ///< barycentrics per vertex
  };
  std::vector<Vertex> vertices;
  Triangles triangles;  ///< 3D; oriented outwards if the triangles of the source are
  Edges edges;          ///< 2D: edges of the outline
  /// True if the surface is boundary_triangles or boundary_edges of the body's mesh, so that frames need not hold it in
  /// addition to the elements.
  bool is_between_nodes = false;
  std::vector<Face> faces;  ///< faces that the surface lies on; empty if any vertex lies elsewhere
};

/// True if the body has such a surface; otherwise its surface is boundary_triangles or boundary_edges of its mesh.
bool has_collision_surface(const BodyDesc& desc, const BodyInstance& body);

/// Makes the collision surface of a body. Appends problems and warnings, with the place of the body's entry, to
/// `issues`.
CollisionSurface make_collision_surface(const BodyDesc& desc, const BodyInstance& body, const std::string& place,
                                        Issues& issues);

/// Returns the number of pieces that each edge of a curved boundary is cut into; 0 if the body has no curved boundary
/// or has a separate surface.
int segments_of_boundary(const BodyDesc& desc, const BodyInstance& body);

}  // namespace clearance
