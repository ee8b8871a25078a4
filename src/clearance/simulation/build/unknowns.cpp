#include "clearance/simulation/build/unknowns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clearance/bodies/fem/curved_faces.h"
#include "clearance/math/dimension.h"
#include "clearance/simulation/build/collision_surface.h"

namespace clearance {

namespace {

/// Joins the meshes of all bodies.
void join_meshes(SceneModel& scene) {
  Mesh& all = scene.frame_mesh;
  all.dim = scene.dim;
  std::vector<int> tet_body, triangle_body, edge_body, point_body;
  std::vector<int> ends = {0};  // ends of the nodes of solid cells
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
    for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
      for (const int v : mesh.nodes_of_cell(cell)) all.cell_nodes.push_back(v + shift);
      ends.push_back(static_cast<int>(all.cell_nodes.size()));
    }
    append(mesh.triangles, all.triangles, shift, triangle_body, b);
    append(mesh.edges, all.edges, shift, edge_body, b);
    for (int p : mesh.points) {
      all.points.push_back(p + shift);
      point_body.push_back(b);
    }
  }
  if (all.has_curved_cells()) all.first_cell_node = std::move(ends);
  // Cells are sorted by their kind.
  for (const auto* bodies : {&tet_body, &triangle_body, &edge_body, &point_body}) {
    for (int b : *bodies) {
      scene.cell_body.push_back(b);
      scene.cell_is_obstacle.push_back(scene.bodies[static_cast<std::size_t>(b)].is_obstacle ? 1 : 0);
    }
  }
}

/// Blocks of all bodies, their values at rest, and the vertices that follow from them.
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
    if (!body.followed.empty()) return add_nodes_of_kept_shape(body);
    for (const Vec<3>& x : body.mesh.vertices) {
      scene_.blocks.back().of_nodes.push_back(num_blocks());
      scene_.vertex_map.add_vertex(num_blocks());
      x_rest_.insert(x_rest_.end(), x.data(), x.data() + dim);
    }
  }

  /// Adds the nodes of a body that keeps its shape. Vertices that follow nodes of the displacements are at W x + c
  /// (element_shapes.h).
  void add_nodes_of_kept_shape(const BodyInstance& body) {
    BodyBlocks& blocks = scene_.blocks.back();
    for (std::size_t v = 0; v < body.followed.size(); ++v) {
      const bool is_node = body.followed[v].empty();
      blocks.of_nodes.push_back(is_node ? num_blocks() : -1);
      if (is_node) x_rest_.insert(x_rest_.end(), body.mesh.vertices[v].data(), body.mesh.vertices[v].data() + dim);
    }
    for (std::size_t v = 0; v < body.followed.size(); ++v) {
      if (body.followed[v].empty()) {
        scene_.vertex_map.add_vertex(blocks.of_nodes[v]);
        continue;
      }
      std::vector<SurfaceMap::Term> terms;
      Vec<3> offset = body.mesh.vertices[v];
      for (const auto& [node, weight] : body.followed[v]) {
        terms.push_back({blocks.of_node(node), weight});
        offset -= weight * body.mesh.vertices[static_cast<std::size_t>(node)];
      }
      scene_.vertex_map.add_vertex(terms, offset);
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

/// Returns the collision group of each body; vertices of one group never touch each other. Obstacles are group 0. A
/// body without self-contact is a group of its own unless it has a collision group. A collision group that has
/// obstacles in it is group 0, so that its bodies touch no obstacle at all. If only obstacles collide, all other bodies
/// are group 1.
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

/// Returns the pairs of bodies that ignore each other. The scene names them; a name stands for all copies of a body, or
/// for a half-space, which is -1 - its number.
std::vector<std::array<int, 2>> ignored_pairs(const SceneDesc& desc, const std::vector<BodyInstance>& bodies) {
  std::map<std::string, std::vector<int>> of_name;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    of_name[desc.bodies[static_cast<std::size_t>(bodies[b].desc)].name].push_back(static_cast<int>(b));
  }
  for (std::size_t h = 0; h < desc.half_spaces.size(); ++h) {
    of_name.try_emplace("half_spaces[" + std::to_string(h) + "]", std::vector<int>{-1 - static_cast<int>(h)});
  }
  std::vector<std::array<int, 2>> pairs;
  for (const IgnoredPairDesc& pair : desc.contact.ignored_pairs) {
    for (const int a : of_name[pair.bodies[0]]) {
      for (const int b : of_name[pair.bodies[1]]) {
        if (a != b) pairs.push_back({std::min(a, b), std::max(a, b)});
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

/// The colliding surfaces of all bodies, numbered body by body.
class SurfaceBuilder {
 public:
  SurfaceBuilder(const SceneDesc& desc, SceneModel& scene)
      : desc_(desc), scene_(scene), groups_(collision_groups(desc, scene.bodies)) {}

  void run() {
    scene_.model.surface_map = SurfaceMap(scene_.dim);
    for (int b = 0; b < static_cast<int>(scene_.bodies.size()); ++b) {
      const BodyInstance& body = scene_.bodies[static_cast<std::size_t>(b)];
      scene_.model.surface.body_names.push_back(body.name);
      const BodyDesc& body_desc = desc_.bodies[static_cast<std::size_t>(body.desc)];
      if (has_collision_surface(body_desc, body)) {
        add_collision_surface(body_desc, b);
      } else if (body_desc.collides) {
        add_mesh(b);
      }
      first_vertex_ += static_cast<int>(body.mesh.vertices.size());
    }
    scene_.model.surface.ignored_pairs = ignored_pairs(desc_, scene_.bodies);
    const VecX x = scene_.model.surface_map.apply(scene_.model.x_rest);
    const int dim = scene_.dim;
    for (const auto& e : scene_.model.surface.edges) {
      scene_.model.edge_rest_length_sq.push_back(
          (x.segment(dim * e[0], dim) - x.segment(dim * e[1], dim)).squaredNorm());
    }
  }

 private:
  /// Adds the surface of a body, in numbers of its own surface vertices. The first of these becomes the next surface
  /// vertex of the scene.
  void add(int body, int num_vertices, const Triangles& triangles, Edges edges) {
    SurfaceTopology& surface = scene_.model.surface;
    for (auto& e : edges) {
      if (e[0] > e[1]) std::swap(e[0], e[1]);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    const int first = surface.num_vertices;
    const auto append = [&](const auto& from, auto& to) {
      for (auto element : from) {
        for (int& v : element) v += first;
        to.push_back(element);
      }
    };
    append(triangles, surface.triangles);
    append(edges, surface.edges);
    surface.num_vertices += num_vertices;
    surface.vertex_body.insert(surface.vertex_body.end(), static_cast<std::size_t>(num_vertices), body);
    surface.vertex_group.insert(surface.vertex_group.end(), static_cast<std::size_t>(num_vertices),
                                groups_[static_cast<std::size_t>(body)]);
    const char is_obstacle = scene_.bodies[static_cast<std::size_t>(body)].is_obstacle ? 1 : 0;
    scene_.model.is_obstacle_vertex.insert(scene_.model.is_obstacle_vertex.end(),
                                           static_cast<std::size_t>(num_vertices), is_obstacle);
  }

  /// Adds a vertex of the body's mesh to the surface.
  void add_vertex(int vertex) {
    scene_.model.surface_map.add_vertex_of(scene_.vertex_map, first_vertex_ + vertex);
    scene_.vertex_of_surface.push_back(first_vertex_ + vertex);
  }

  void add_mesh(int b) {
    const Mesh& mesh = scene_.bodies[static_cast<std::size_t>(b)].mesh;
    const bool has_solid = scene_.dim == 3 ? !mesh.tets.empty() : !mesh.triangles.empty();
    Triangles triangles;
    Edges edges;
    if (scene_.dim == 3) {
      triangles = has_solid ? boundary_triangles(mesh.tets) : mesh.triangles;
      edges = unique_edges(triangles);
    } else if (has_solid) {
      edges = boundary_edges(mesh.triangles);
    }
    if (!has_solid) edges.insert(edges.end(), mesh.edges.begin(), mesh.edges.end());

    // Surface vertices have the order of the mesh's vertices.
    std::vector<int> index(mesh.vertices.size(), -1);
    const auto mark = [&](const auto& elements) {
      for (const auto& element : elements) {
        for (int v : element) index[static_cast<std::size_t>(v)] = 0;
      }
    };
    mark(triangles);
    mark(edges);
    for (int v : mesh.points) index[static_cast<std::size_t>(v)] = 0;
    int num_vertices = 0;
    for (std::size_t v = 0; v < index.size(); ++v) {
      if (index[v] < 0) continue;
      index[v] = num_vertices++;
      add_vertex(static_cast<int>(v));
    }
    const auto renumber = [&](auto& elements) {
      for (auto& element : elements) {
        for (int& v : element) v = index[static_cast<std::size_t>(v)];
      }
    };
    renumber(triangles);
    renumber(edges);
    add(b, num_vertices, triangles, std::move(edges));
  }

  void add_collision_surface(const BodyDesc& body_desc, int b) {
    const BodyInstance& body = scene_.bodies[static_cast<std::size_t>(b)];
    const CollisionSurface own =
        make_collision_surface(body_desc, body, fmt::format("bodies[{}]", body.desc), scene_.issues);
    const auto first = scene_.vertex_of_surface.size();
    for (const CollisionSurface::Vertex& vertex : own.vertices) {
      if (vertex.weights.size() == 1 && vertex.weights[0].weight == 1.0 && !body.proxy) {
        add_vertex(vertex.weights[0].node);
        continue;
      }
      add_own_vertex(vertex, b);
    }
    if (!own.is_between_nodes) add_to_frames(own, first, b);
    add_boundary_faces(own, static_cast<int>(first), body);
    add(b, static_cast<int>(own.vertices.size()), own.triangles,
        scene_.dim == 3 ? unique_edges(own.triangles) : own.edges);
  }

  /// Adds a surface vertex that is not one of the body's mesh. Frames have it after the vertices of all bodies.
  void add_own_vertex(const CollisionSurface::Vertex& vertex, int b) {
    std::vector<SurfaceMap::Term> terms;
    Vec<3> offset = vertex.rest;
    const BodyInstance& body = scene_.bodies[static_cast<std::size_t>(b)];
    for (const auto& [node, weight] : vertex.weights) {
      for (const SurfaceMap::Term& term : scene_.vertex_map.terms(first_vertex_ + node)) {
        terms.push_back({term.block, weight * term.weight});
        offset.head(scene_.dim) -=
            terms.back().weight * scene_.model.x_rest.segment(scene_.dim * term.block, scene_.dim);
      }
    }
    if (!body.proxy && body.followed.empty()) offset.setZero();
    scene_.vertex_of_surface.push_back(static_cast<int>(scene_.frame_mesh.vertices.size()));
    scene_.frame_mesh.vertices.push_back(vertex.rest);
    scene_.vertex_map.add_vertex(terms, offset);
    scene_.model.surface_map.add_vertex(terms, offset);
  }

  /// Adds the faces that the surface of a body lies on. `first` is the first surface vertex of the body.
  void add_boundary_faces(const CollisionSurface& own, int first, const BodyInstance& body) {
    std::vector<std::array<int, 3>> corners;
    for (const CollisionSurface::Face& face : own.faces) corners.push_back(face.corners);
    std::vector<std::vector<int>> nodes =
        with_dimension(scene_.dim, [&](auto dim) { return nodes_of_curved_faces<dim>(body.mesh, corners); });
    for (std::size_t f = 0; f < own.faces.size(); ++f) {
      if (nodes[f].empty()) nodes[f].assign(corners[f].begin(), corners[f].begin() + scene_.dim);
      const int shape_order = order_of_nodes(scene_.dim - 1, nodes[f].size());
      const int order = body.displacement_order > 0 ? body.displacement_order : shape_order;
      BoundaryFace face{order, std::move(nodes[f]), own.faces[f].vertices, own.faces[f].at};
      for (int& v : face.nodes) v += first_vertex_;
      for (int& v : face.vertices) v += first;
      scene_.boundary_faces.push_back(std::move(face));
    }
  }

  /// Adds the surface as cells of frames, in the order of their kinds. `first` is the first surface vertex of the body.
  void add_to_frames(const CollisionSurface& own, std::size_t first, int body) {
    Mesh& frame = scene_.frame_mesh;
    const auto append = [&](const auto& from, auto& to, std::size_t end_of_kind) {
      for (auto element : from) {
        for (int& v : element) v = scene_.vertex_of_surface[first + static_cast<std::size_t>(v)];
        to.push_back(element);
      }
      const auto at = static_cast<std::ptrdiff_t>(end_of_kind);
      scene_.cell_body.insert(scene_.cell_body.begin() + at, from.size(), body);
      scene_.cell_is_obstacle.insert(scene_.cell_is_obstacle.begin() + at, from.size(), 0);
    };
    const std::size_t end_of_triangles = frame.tets.size() + frame.triangles.size();
    if (scene_.dim == 3) {
      append(own.triangles, frame.triangles, end_of_triangles);
    } else {
      append(own.edges, frame.edges, end_of_triangles + frame.edges.size());
    }
  }

  const SceneDesc& desc_;
  SceneModel& scene_;
  std::vector<int> groups_;
  int first_vertex_ = 0;  // first vertex of the body in frames
};

}  // namespace

void build_unknowns(const SceneDesc& desc, SceneModel& scene) {
  join_meshes(scene);
  with_dimension(scene.dim, [&](auto dim) { Layout<dim>(scene).run(); });
  SurfaceBuilder(desc, scene).run();
}

}  // namespace clearance
