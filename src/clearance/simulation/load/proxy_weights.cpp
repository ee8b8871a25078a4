#include "clearance/simulation/load/proxy_weights.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

namespace {

std::string no_node(const BodyDesc& body, int row, int node) {
  std::string message =
      fmt::format("row {} refers to node {} of the mesh, which is not a node of any element", row, node);
  if (body.order > 0) message += fmt::format(" of order {}; `order` 0 keeps the nodes of the mesh", body.order);
  return message;
}

}  // namespace

std::shared_ptr<const NodeWeights> load_proxy_weights(const SceneDesc& scene, const BodyDesc& body, Issue where,
                                                      const ProxySurface& surface, const FileNodes& nodes,
                                                      Issues& issues) {
  where.place += ".collision_surface.weights";
  where.file = (std::filesystem::path(scene.base_directory) / body.collision_surface->weights).string();
  const auto report = [&](const std::string& message) {
    where.message = fmt::format("weights of the collision surface of body '{}': {}", body.name, message);
    issues.push_back(where);
  };

  Result<SurfaceWeights> read = read_weights(where.file);
  if (!read) {
    for (const Issue& issue : read.issues()) {
      where.value = issue.value;
      report(issue.place.empty() ? issue.message : fmt::format("{}: {}", issue.place, issue.message));
    }
    return nullptr;
  }

  // Rows and columns stand for all vertices and nodes of the files.
  const std::size_t num_rows = read->rows.size(), num_nodes = nodes.vertex_of_node.size();
  if (num_rows != surface.num_source_vertices) {
    report(fmt::format("expected a row for each of the {} vertices of the surface, not {}", surface.num_source_vertices,
                       num_rows));
  }
  if (read->num_nodes != num_nodes) {
    report(fmt::format("expected a column for each of the {} nodes of the mesh, not {}", num_nodes, read->num_nodes));
  }
  if (num_rows != surface.num_source_vertices || read->num_nodes != num_nodes) return nullptr;

  NodeWeights weights;
  for (const int row : surface.source_vertex) {
    weights.push_back(std::move(read->rows[row]));
    for (NodeWeight& weight : weights.back()) {
      const int vertex = nodes.vertex_of_node[weight.node];
      if (vertex < 0) {
        report(no_node(body, row, weight.node));
        return nullptr;
      }
      weight.node = vertex;
    }
  }

  const double size = bounding_box(nodes.mesh.vertices).diagonal();
  const double distance = distance_of_weights(weights, surface.mesh->vertices, nodes.mesh.vertices);
  if (distance > largest_usual_distance * size) {
    where.severity = Severity::warning;
    report(
        fmt::format("they place a vertex up to {:.3g} m from where it is, {:.2g} of the body's size, so that rotations "
                    "of the body distort the surface; check that rows and columns are in the order of the files",
                    distance, distance / size));
  }
  return std::make_shared<const NodeWeights>(std::move(weights));
}

}  // namespace clearance
