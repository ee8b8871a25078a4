// The colliding surface of a scene, and the mesh that its frames show.
#pragma once

#include <vector>

#include "clearance/base/result.h"
#include "clearance/model/model.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// A face of elements whose boundary is represented by a collision surface.
struct BoundaryFace {
  int order;                     ///< order of the displacements
  std::vector<int> nodes;        ///< nodes of its shape as vertices of frames, ordered as by nodes_of_curved_faces
  std::vector<int> vertices;     ///< surface vertices that lie on it
  std::vector<Barycentrics> at;  ///< barycentrics per vertex
};

/// The meshes of all bodies in one, followed by the collision surfaces that are not made of their nodes.
struct FrameMesh {
  Mesh mesh;
  SurfaceMap vertex_map{3};    ///< map from the unknowns to the vertices
  std::vector<int> cell_body;  ///< body per cell: tets, triangles, edges, points
  std::vector<int> cell_is_obstacle;
};

struct SceneSurface {
  SurfaceTopology topology;
  SurfaceMap map{3};                         ///< map from the unknowns to the surface vertices
  std::vector<double> edge_rest_length_sq;   ///< [m^2] per edge
  std::vector<char> is_obstacle_vertex;      ///< per vertex
  std::vector<int> first_turn_vertex;        ///< Model::first_turn_vertex
  std::vector<int> vertex_of_surface;        ///< number in frames per surface vertex
  std::vector<BoundaryFace> boundary_faces;  ///< faces of the bodies with collision surfaces that lie on their elements
  FrameMesh frames;
};

/// Builds the surface body by body. Appends to `issues` what is wrong with collision surfaces.
SceneSurface build_surface(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                           Issues& issues);

}  // namespace clearance
