#include "clearance/optimise/state_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "clearance/optimise/design_map.h"

namespace clearance::optimise {
namespace {

/// Largest distance of a node from its place on a straight element, as a share of the element.
constexpr double straight = 1e-9;

std::vector<int> nodes_of(const Mesh& mesh, std::size_t cell) {
  const std::span<const int> nodes = mesh.nodes_of_cell(cell);
  if (!nodes.empty()) return {nodes.begin(), nodes.end()};
  if (mesh.dim == 3) return {mesh.tets[cell].begin(), mesh.tets[cell].end()};
  return {mesh.triangles[cell].begin(), mesh.triangles[cell].end()};
}

bool is_straight(const StateCell& cell, int dim, const std::vector<Vec<3>>& vertices) {
  const std::vector<NodeIndex>& index = lagrange_nodes(dim, cell.order);
  const double size = (vertices[cell.nodes[1]] - vertices[cell.nodes[0]]).norm();
  for (std::size_t a = 0; a < cell.nodes.size(); ++a) {
    Vec<3> place = Vec<3>::Zero();
    for (int i = 0; i <= dim; ++i) place += index[a][i] / static_cast<double>(cell.order) * vertices[cell.nodes[i]];
    if ((vertices[cell.nodes[a]] - place).norm() > straight * size) return false;
  }
  return true;
}

class MeshMaker {
 public:
  explicit MeshMaker(const PolyfemState& state) : state_(state), scene_(state.loaded.scene) {}

  Result<StateMesh> make() {
    mesh_.dim = scene_.dimension;
    for (const PolyfemBody& entry : state_.bodies) add(entry);
    if (!issues_.empty()) return issues_;
    mesh_.x_rest = Eigen::Map<const VecX>(x_rest_.data(), static_cast<Eigen::Index>(x_rest_.size()));
    lame_.insert(lame_.end(), mu_.begin(), mu_.end());
    mesh_.lame = Eigen::Map<const VecX>(lame_.data(), static_cast<Eigen::Index>(lame_.size()));
    return std::move(mesh_);
  }

 private:
  void refuse(std::size_t entry, const char* key, std::string message) {
    issues_.push_back({"", element_path("geometry", entry) + key, "", std::move(message)});
  }

  void add(const PolyfemBody& body) {
    const std::size_t number = mesh_.first_node.size();
    const BodyDesc& desc = scene_.bodies[body.body];
    const Mesh& placed = body.placed;
    if (desc.array) refuse(number, "", "arrays of meshes cannot be optimised; give each copy an entry of its own");
    if (desc.refinements > 0) refuse(number, ".n_refs", "refined meshes cannot be optimised; expected 0");
    const int offset = mesh_.num_nodes();
    mesh_.first_node.push_back(offset);
    mesh_.scene_body.push_back(static_cast<int>(body.body));
    for (const Vec<3>& vertex : placed.vertices) {
      x_rest_.insert(x_rest_.end(), vertex.data(), vertex.data() + mesh_.dim);
      mesh_.entry_of_node.push_back(static_cast<int>(number));
    }
    std::vector<const MaterialDesc*> materials(placed.num_solid_cells(), &desc.material);
    for (const MaterialPartDesc& part : desc.material_parts) {
      for (const int e : part.elements) materials[e] = &part.material;
    }
    bool is_curved = false;
    const std::vector<int>& ids = body.selections.body_ids;
    for (std::size_t c = 0; c < placed.num_solid_cells(); ++c) {
      StateCell cell{nodes_of(placed, c), placed.order_of_cell(c), ids[ids.size() == 1 ? 0 : c]};
      is_curved = is_curved || !is_straight(cell, mesh_.dim, placed.vertices);
      for (int& node : cell.nodes) node += offset;
      mesh_.cells.push_back(std::move(cell));
      mesh_.entry_of_cell.push_back(static_cast<int>(number));
      mesh_.law.push_back(materials[c]->model);
      const Lame lame = Lame::of(materials[c]->youngs_modulus, materials[c]->poisson_ratio);
      lame_.push_back(lame.lambda);
      mu_.push_back(lame.mu);
    }
    if (is_curved) refuse(number, ".mesh", "curved elements cannot be optimised; expected straight ones");
    add_faces(body, offset);
  }

  /// Adds the faces of the boundary with the nodes that their elements have there, in the order of shape functions.
  void add_faces(const PolyfemBody& body, int offset) {
    const std::vector<PolyfemFace> faces = boundary_faces(body.placed);
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const std::vector<int> of_cell = nodes_of(body.placed, faces[f].cell);
      const int order = body.placed.order_of_cell(faces[f].cell);
      const std::vector<NodeIndex>& index = lagrange_nodes(mesh_.dim, order);
      StateCell face{{}, order, body.selections.face_ids[f]};
      const auto opposite = faces[f].opposite;
      face.nodes.resize(num_lagrange_nodes(mesh_.dim - 1, order));
      for (std::size_t a = 0; a < of_cell.size(); ++a) {
        if (index[a][opposite] != 0) continue;
        NodeIndex on_face{};
        for (std::size_t i = 0, k = 0; i <= static_cast<std::size_t>(mesh_.dim); ++i) {
          if (i != opposite) on_face[k++] = index[a][i];
        }
        face.nodes[lagrange_node(mesh_.dim - 1, order, on_face)] = of_cell[a] + offset;
      }
      mesh_.faces.push_back(std::move(face));
    }
  }

  const PolyfemState& state_;
  const SceneDesc& scene_;
  StateMesh mesh_;
  std::vector<double> x_rest_, lame_, mu_;
  Issues issues_;
};

}  // namespace

std::vector<int> StateMesh::body_of_cell() const {
  std::map<int, int> number_of;
  std::vector<int> bodies;
  for (const StateCell& cell : cells) {
    bodies.push_back(number_of.emplace(cell.id, static_cast<int>(number_of.size())).first->second);
  }
  return bodies;
}

std::vector<int> StateMesh::body_of_node() const {
  const std::vector<int> of_cell = body_of_cell();
  std::vector<int> bodies(entry_of_node.size(), 0);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (const int node : cells[c].nodes) bodies[node] = of_cell[c];
  }
  return bodies;
}

std::vector<int> StateMesh::boundary_without(const std::vector<int>& ids) const {
  std::set<int> chosen, excluded;
  for (const StateCell& face : faces) {
    const bool is_excluded = std::find(ids.begin(), ids.end(), face.id) != ids.end();
    (is_excluded ? excluded : chosen).insert(face.nodes.begin(), face.nodes.begin() + dim);
  }
  std::vector<int> result;
  std::set_difference(chosen.begin(), chosen.end(), excluded.begin(), excluded.end(), std::back_inserter(result));
  return result;
}

Result<StateMesh> make_state_mesh(const PolyfemState& state) {
  return MeshMaker(state).make();
}

template <class Visit>
void StateMesh::for_each_follower(const Visit& visit) const {
  std::vector<char> is_done(entry_of_node.size(), 0);
  for (const StateCell& cell : cells) {
    const std::vector<NodeIndex>& index = lagrange_nodes(dim, cell.order);
    for (std::size_t a = static_cast<std::size_t>(dim) + 1; a < cell.nodes.size(); ++a) {
      if (is_done[cell.nodes[a]]++ != 0) continue;
      for (int i = 0; i <= dim; ++i) {
        visit(static_cast<Eigen::Index>(dim) * cell.nodes[a], static_cast<Eigen::Index>(dim) * cell.nodes[i],
              index[a][i] / static_cast<double>(cell.order));
      }
    }
  }
}

void StateMesh::follow_corners(VecX& x) const {
  const VecX corners = x;
  for_each_follower([&](Eigen::Index node, Eigen::Index, double) { x.segment(node, dim).setZero(); });
  for_each_follower([&](Eigen::Index node, Eigen::Index corner, double weight) {
    x.segment(node, dim) += weight * corners.segment(corner, dim);
  });
}

void StateMesh::collect_at_corners(VecX& slope) const {
  for_each_follower([&](Eigen::Index node, Eigen::Index corner, double weight) {
    slope.segment(corner, dim) += weight * slope.segment(node, dim);
  });
  for_each_follower([&](Eigen::Index node, Eigen::Index, double) { slope.segment(node, dim).setZero(); });
}

std::optional<MeshInModel> find_in_model(const StateMesh& mesh, const SceneModel& scene) {
  // An element is found by its corners in the numbers of its file, which its copy in the model knows.
  using Corners = std::array<int, 4>;
  std::map<std::pair<int, Corners>, int> cell_of;  // by entry and sorted corners
  std::map<int, int> entry_of_body;
  for (std::size_t e = 0; e < mesh.scene_body.size(); ++e) entry_of_body[mesh.scene_body[e]] = static_cast<int>(e);
  const auto key = [&](std::span<const int> corners) {
    Corners sorted{-1, -1, -1, -1};
    std::copy_n(corners.begin(), mesh.dim + 1, sorted.begin());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  };
  for (int c = 0; c < mesh.num_cells(); ++c) cell_of[{mesh.entry_of_cell[c], key(mesh.cells[c].nodes)}] = c;
  MeshInModel found{std::vector<int>(mesh.entry_of_node.size(), -1), {}};
  std::vector<char> is_found(mesh.entry_of_node.size(), 0);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const auto entry = entry_of_body.find(body.desc);
    if (entry == entry_of_body.end() || body.is_obstacle) {
      found.cell_of_frame.resize(found.cell_of_frame.size() + body.mesh.num_solid_cells(), -1);
      for (std::size_t n = 0; entry != entry_of_body.end() && n < is_found.size(); ++n) {
        is_found[n] |= mesh.entry_of_node[n] == entry->second ? 1 : 0;
      }
      continue;
    }
    const int first = mesh.first_node[entry->second];
    for (std::size_t c = 0; c < body.mesh.num_solid_cells(); ++c) {
      const std::vector<int> nodes = nodes_of(body.mesh, c);
      std::array<int, 4> corners{-1, -1, -1, -1};
      for (int i = 0; i <= mesh.dim; ++i) corners[i] = first + body.source_vertex[nodes[i]];
      const auto number = cell_of.find({entry->second, key(corners)});
      if (number == cell_of.end() || mesh.cells[number->second].nodes.size() != nodes.size()) return std::nullopt;
      found.cell_of_frame.push_back(number->second);
      const StateCell& cell = mesh.cells[number->second];
      const std::vector<NodeIndex>& index = lagrange_nodes(mesh.dim, cell.order);
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        NodeIndex there{};
        for (int i = 0; i <= mesh.dim; ++i) {
          const auto corner = std::find(cell.nodes.begin(), cell.nodes.begin() + mesh.dim + 1, corners[i]);
          there[corner - cell.nodes.begin()] = index[a][i];
        }
        const int node = cell.nodes[lagrange_node(mesh.dim, cell.order, there)];
        found.block_of_node[node] = scene.blocks[b].of_node(nodes[a]);
        is_found[node] = 1;
      }
    }
  }
  // Vertices that no element uses have no unknowns, and no form reads them.
  for (const StateCell& cell : mesh.cells) {
    for (const int node : cell.nodes) {
      if (is_found[node] == 0) return std::nullopt;
    }
  }
  return found;
}

}  // namespace clearance::optimise
