#include "clearance/simulation/output/following_surface.h"

#include <algorithm>

#include "clearance/geometry/lagrange.h"
#include "clearance/simulation/output/stress_patches.h"

namespace clearance {

namespace {

/// Returns the node of each block as a vertex of frames; -1 for blocks that are no nodes, such as those of stiff parts.
std::vector<int> nodes_of_blocks(const SceneModel& scene) {
  std::vector<int> nodes(scene.model.layout.num_blocks, -1);
  int first = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const std::vector<int>& blocks = scene.blocks[b].block_of_node;
    for (std::size_t v = 0; v < blocks.size(); ++v) {
      if (blocks[v] >= 0) nodes[blocks[v]] = first + static_cast<int>(v);
    }
    first += static_cast<int>(scene.bodies[b].mesh.vertices.size());
  }
  return nodes;
}

/// Least sum of the weights of nodes of a vertex that follows stiff parts, too.
constexpr double least_sum = 0.5;

}  // namespace

FollowingSurface::FollowingSurface(const SceneModel& scene) : scene_(scene) {
  std::size_t first = 0;
  for (const BodyInstance& body : scene.bodies) first += body.mesh.vertices.size();
  std::vector<Follower> followers(scene.frames.mesh.vertices.size() - first);
  if (followers.empty()) return;
  // Faces have all of their nodes, those of stiff parts, too.
  for (const BoundaryFace& face : scene.boundary_faces) {
    std::vector<double> weights(face.nodes.size());
    const int order = order_of_nodes(scene.dim - 1, face.nodes.size());
    for (std::size_t i = 0; i < face.vertices.size(); ++i) {
      const int vertex = scene.vertex_of_surface[face.vertices[i]];
      if (vertex < static_cast<int>(first) || !followers[vertex - first].nodes.empty()) continue;
      lagrange_values(scene.dim - 1, order, face.at[i], weights);
      for (std::size_t a = 0; a < weights.size(); ++a) {
        if (weights[a] != 0.0) followers[vertex - first].nodes.push_back({face.nodes[a], weights[a]});
      }
    }
  }
  const std::vector<int> node_of_block = nodes_of_blocks(scene);
  for (std::size_t f = 0; f < followers.size(); ++f) {
    Follower& follower = followers[f];
    follower.vertex = static_cast<int>(first + f);
    if (follower.nodes.empty()) {
      double sum = 0.0;
      for (const SurfaceMap::Term& term : scene.frames.vertex_map.terms(follower.vertex)) {
        const int node = node_of_block[term.block];
        if (node < 0) continue;
        follower.nodes.push_back({node, term.weight});
        sum += term.weight;
      }
      if (!(sum > least_sum)) continue;
      for (Weight& node : follower.nodes) node.weight /= sum;
    }
    followers_.push_back(std::move(follower));
  }
}

void FollowingSurface::interpolate(int num_components, std::span<double> values) const {
  for (const Follower& follower : followers_) {
    for (int i = 0; i < num_components; ++i) {
      const auto at = [&](int vertex) { return std::size_t(num_components) * std::size_t(vertex) + std::size_t(i); };
      double sum = 0.0, least = infinity, most = -infinity;
      for (const auto& [node, weight] : follower.nodes) {
        const double value = values[at(node)];
        sum += weight * value;
        least = std::min(least, value);
        most = std::max(most, value);
      }
      values[at(follower.vertex)] = std::clamp(sum, least, most);
    }
  }
}

void FollowingSurface::fill_cells(int num_components, std::vector<double>& values) const {
  const Mesh& mesh = scene_.frames.mesh;
  const auto num = static_cast<std::size_t>(num_components);
  std::vector<double> of_vertices(num * mesh.vertices.size(), 0.0);
  std::vector<int> num_elements(mesh.vertices.size(), 0);
  for (int e = 0; e < scene_.num_elements(); ++e) {
    for (const int v : shape_nodes(scene_, e)) {
      ++num_elements[v];
      for (std::size_t i = 0; i < num; ++i) of_vertices[num * v + i] += values[num * scene_.cell_of_element[e] + i];
    }
  }
  for (std::size_t v = 0; v < num_elements.size(); ++v) {
    for (std::size_t i = 0; i < num && num_elements[v] > 0; ++i) of_vertices[num * v + i] /= num_elements[v];
  }
  interpolate(num_components, of_vertices);

  const auto fill = [&](const auto& cells, std::size_t first) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (scene_.bodies[scene_.frames.cell_body[first + c]].kind != BodyKind::deformable) continue;
      for (std::size_t i = 0; i < num; ++i) {
        double sum = 0.0;
        for (const int v : cells[c]) sum += of_vertices[num * v + i];
        values[num * (first + c) + i] = sum / static_cast<double>(cells[c].size());
      }
    }
  };
  if (scene_.dim == 3) {
    fill(mesh.triangles, mesh.tets.size());
  } else {
    fill(mesh.edges, mesh.tets.size() + mesh.triangles.size());
  }
}

}  // namespace clearance
