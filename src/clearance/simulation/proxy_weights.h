// Weights by which a collision surface from a file follows the nodes of the body's mesh (collision_surface.weights).
#pragma once

#include <memory>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/io/mesh/weights_reader.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// A collision surface from a file.
struct ProxySurface {
  std::shared_ptr<const Mesh> mesh;     ///< placed as the mesh of the body is; null: there is none
  std::vector<int> source_vertex;       ///< per vertex of `mesh` its number in the file
  std::size_t num_source_vertices = 0;  ///< of the file
};

/// What nodes of a mesh file have become.
struct FileNodes {
  const Mesh& mesh;                 ///< of the body, placed
  std::vector<int> vertex_of_node;  ///< per node of the file the vertex of `mesh`; -1: none
};

/// Reads the weights of all vertices of `surface.mesh`, as weights of vertices of `nodes.mesh`. Null after an issue; a
/// surface that is far from where its weights have it is a warning. `where` names the body's entry.
std::shared_ptr<const NodeWeights> load_proxy_weights(const SceneDesc& scene, const BodyDesc& body, Issue where,
                                                      const ProxySurface& surface, const FileNodes& nodes,
                                                      Issues& issues);

}  // namespace clearance
