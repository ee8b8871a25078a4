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
  std::shared_ptr<const Mesh> mesh;     ///< placed as the mesh of the body is; null if there is none
  std::vector<int> source_vertex;       ///< number in the file per vertex of `mesh`
  std::size_t num_source_vertices = 0;  ///< number of vertices of the file
};

/// The vertices that nodes of a mesh file have become.
struct FileNodes {
  const Mesh& mesh;                 ///< mesh of the body, placed
  std::vector<int> vertex_of_node;  ///< vertex of `mesh` per node of the file; -1 if there is none
};

/// Reads the weights of all vertices of `surface.mesh`, as weights of vertices of `nodes.mesh`. Returns null after an
/// error. Appends a warning if the surface is far from where its weights put it. `where` names the body's entry.
std::shared_ptr<const NodeWeights> load_proxy_weights(const SceneDesc& scene, const BodyDesc& body, Issue where,
                                                      const ProxySurface& surface, const FileNodes& nodes,
                                                      Issues& issues);

}  // namespace clearance
