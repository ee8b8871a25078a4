#include "clearance/simulation/unknowns.h"

#include <algorithm>
#include <map>

#include "clearance/math/dimension.h"

namespace clearance {

namespace {

/// Joins the meshes of all bodies.
void join_meshes(SceneModel& scene) {
  Mesh& all = scene.frame_mesh;
  all.dim = scene.dim;
  std::vector<int> tet_body, triangle_body, edge_body, point_body;
  const auto append = [](const auto& from, auto& to, int shift, std::vector<int>& body_of, int body) {
    for (auto element : from) {
      for (int& v : element) v += shift;
      to.push_back(element);
      body_of.push_back(body);
    }
  };
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const Mesh& mesh = scene.bodies[static_cast<std::size_t>(b)].mesh;
    const int shift = static_cast<int>(all.vertices.size());
    all.vertices.insert(all.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
    append(mesh.tets, all.tets, shift, tet_body, b);
    append(mesh.triangles, all.triangles, shift, triangle_body, b);
    append(mesh.edges, all.edges, shift, edge_body, b);
    for (int p : mesh.points) {
      all.points.push_back(p + shift);
      point_body.push_back(b);
    }
  }
  // Cells are stored by their kind.
  for (const auto* bodies : {&tet_body, &triangle_body, &edge_body, &point_body}) {
    for (int b : *bodies) {
      scene.cell_body.push_back(b);
      scene.cell_is_obstacle.push_back(scene.bodies[static_cast<std::size_t>(b)].is_obstacle ? 1 : 0);
    }
  }
}

/// Blocks of all bodies, their values at the start, and the vertices that follow from them.
template <int dim>
class Layout {
 public:
  explicit Layout(SceneModel& scene) : scene_(scene) {}

  void run() {
    scene_.vertex_map = SurfaceMap(dim);
    std::size_t next_unit = 0;
    std::vector<StiffUnit>& units = scene_.stiff_units;
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      const BodyInstance& body = scene_.bodies[b];
      scene_.model.body_of_block.resize(static_cast<std::size_t>(num_blocks()), static_cast<int>(b) - 1);
      scene_.blocks.push_back({num_blocks(), {}});
      if (!is_stiff(body.kind)) add_nodes(body);
      for (; next_unit < units.size() && units[next_unit].body == static_cast<int>(b); ++next_unit) {
        add_unit(units[next_unit], body);
      }
    }
    scene_.model.layout = {dim, num_blocks()};
    scene_.model.body_of_block.resize(static_cast<std::size_t>(num_blocks()),
                                      static_cast<int>(scene_.bodies.size()) - 1);
    scene_.model.x_rest = Eigen::Map<const VecX>(x_rest_.data(), static_cast<Eigen::Index>(x_rest_.size()));
    auto& ties = scene_.model.ties;
    std::sort(ties.begin(), ties.end(), [](const Tie& a, const Tie& b) { return a.block < b.block; });
  }

 private:
  int num_blocks() const { return static_cast<int>(x_rest_.size()) / dim; }

  void add_nodes(const BodyInstance& body) {
    for (const Vec<3>& x : body.mesh.vertices) {
      scene_.blocks.back().of_nodes.push_back(num_blocks());
      scene_.vertex_map.add_vertex(num_blocks());
      x_rest_.insert(x_rest_.end(), x.data(), x.data() + dim);
    }
  }

  void add_unit(StiffUnit& unit, const BodyInstance& body) {
    unit.first_block = num_blocks();
    const auto unknowns = affine_unknowns<dim>(unit.frame);
    x_rest_.insert(x_rest_.end(), unknowns.data(), unknowns.data() + unknowns.size());
    if (!unit.is_part()) {
      for (const Vec<3>& x : body.mesh.vertices) {
        const Vec<dim + 1> weights = weights_of<dim>(unit.frame, x);
        scene_.vertex_map.add_affine_vertex(unit.first_block, {weights.data() + 1, dim});
      }
      return;
    }
    for (int v : unit.tied_nodes) {
      const Vec<dim + 1> weights = weights_of<dim>(unit.frame, body.mesh.vertices[static_cast<std::size_t>(v)]);
      Tie tie{scene_.blocks.back().of_node(v), unit.first_block, {}};
      for (int i = 0; i <= dim; ++i) tie.weights[static_cast<std::size_t>(i)] = weights[i];
      scene_.model.ties.push_back(tie);
    }
  }

  SceneModel& scene_;
  std::vector<double> x_rest_;
};

/// Vertices of one group never touch each other. Obstacles are group 0; a body without self-contact is a group of its
/// own, unless it has a collision group; one that obstacles are in makes a body as untouchable for them as they are.
std::vector<int> collision_groups(const SceneDesc& desc, const std::vector<BodyInstance>& bodies) {
  std::map<int, int> group_of_name;
  for (const BodyDesc& body : desc.bodies) {
    if (body.collision_group >= 0 && body.kind == BodyKind::obstacle) group_of_name[body.collision_group] = 0;
  }
  int next = 2;
  std::vector<int> groups;
  for (const BodyInstance& body : bodies) {
    const BodyDesc& body_desc = desc.bodies[static_cast<std::size_t>(body.desc)];
    if (body.is_obstacle) {
      groups.push_back(0);
    } else if (desc.contact.obstacles_only) {
      groups.push_back(1);
    } else if (body_desc.collision_group >= 0) {
      groups.push_back(group_of_name.emplace(body_desc.collision_group, next).first->second);
      ++next;
    } else if (is_stiff(body.kind) || !body_desc.self_contact) {
      groups.push_back(next++);
    } else {
      groups.push_back(-1);
    }
  }
  return groups;
}

/// The colliding surface of every body, numbered body by body.
void build_surface(const SceneDesc& desc, SceneModel& scene) {
  SurfaceTopology& surface = scene.model.surface;
  scene.model.surface_map = SurfaceMap(scene.dim);
  const std::vector<int> groups = collision_groups(desc, scene.bodies);
  int first_vertex = 0;
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const BodyInstance& body = scene.bodies[static_cast<std::size_t>(b)];
    const Mesh& mesh = body.mesh;
    surface.body_names.push_back(body.name);
    const bool has_solid = scene.dim == 3 ? !mesh.tets.empty() : !mesh.triangles.empty();
    Triangles triangles;
    Edges edges;
    if (scene.dim == 3) {
      triangles = has_solid ? boundary_triangles(mesh.tets) : mesh.triangles;
      edges = unique_edges(triangles);
    } else if (has_solid) {
      edges = boundary_edges(mesh.triangles);
    }
    if (!has_solid) edges.insert(edges.end(), mesh.edges.begin(), mesh.edges.end());
    for (auto& e : edges) {
      if (e[0] > e[1]) std::swap(e[0], e[1]);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

    // Surface vertices in the order of the mesh's.
    std::vector<int> index(mesh.vertices.size(), -1);
    const auto mark = [&](const auto& elements) {
      for (const auto& element : elements) {
        for (int v : element) index[static_cast<std::size_t>(v)] = 0;
      }
    };
    mark(triangles);
    mark(edges);
    for (int v : mesh.points) index[static_cast<std::size_t>(v)] = 0;
    for (std::size_t v = 0; v < index.size(); ++v) {
      if (index[v] < 0) continue;
      index[v] = surface.num_vertices++;
      const int vertex = first_vertex + static_cast<int>(v);
      scene.model.surface_map.add_vertex_of(scene.vertex_map, vertex);
      scene.vertex_of_surface.push_back(vertex);
      surface.vertex_body.push_back(b);
      surface.vertex_group.push_back(groups[static_cast<std::size_t>(b)]);
      scene.model.is_obstacle_vertex.push_back(body.is_obstacle ? 1 : 0);
    }
    for (auto t : triangles) {
      for (int& v : t) v = index[static_cast<std::size_t>(v)];
      surface.triangles.push_back(t);
    }
    for (auto e : edges) {
      for (int& v : e) v = index[static_cast<std::size_t>(v)];
      surface.edges.push_back(e);
    }
    first_vertex += static_cast<int>(mesh.vertices.size());
  }
  const VecX x = scene.model.surface_map.apply(scene.model.x_rest);
  for (const auto& e : surface.edges) {
    scene.model.edge_rest_length_sq.push_back(
        (x.segment(scene.dim * e[0], scene.dim) - x.segment(scene.dim * e[1], scene.dim)).squaredNorm());
  }
}

}  // namespace

void build_unknowns(const SceneDesc& desc, SceneModel& scene) {
  join_meshes(scene);
  with_dimension(scene.dim, [&](auto dim) { Layout<dim>(scene).run(); });
  build_surface(desc, scene);
}

}  // namespace clearance
