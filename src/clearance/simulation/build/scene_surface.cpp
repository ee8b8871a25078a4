#include "clearance/simulation/build/scene_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "clearance/bodies/fem/curved_faces.h"
#include "clearance/math/dimension.h"
#include "clearance/scene/body_names.h"
#include "clearance/simulation/build/collision_surface.h"
#include "clearance/simulation/build/initial_state.h"

namespace clearance {

namespace {

/// Joins the meshes of all bodies.
FrameMesh join_meshes(int dim, const std::vector<BodyInstance>& bodies, const SurfaceMap& vertex_map) {
  FrameMesh frames;
  frames.vertex_map = vertex_map;
  Mesh& all = frames.mesh;
  all.dim = dim;
  std::vector<int> tet_body, triangle_body, edge_body, point_body;
  std::vector<int> ends = {0};  // ends of the nodes of solid cells
  const auto append = [](const auto& from, auto& to, int shift, std::vector<int>& body_of, int body) {
    for (auto element : from) {
      for (int& v : element) v += shift;
      to.push_back(element);
      body_of.push_back(body);
    }
  };
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    const Mesh& mesh = bodies[b].mesh;
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
  for (const auto* body_of : {&tet_body, &triangle_body, &edge_body, &point_body}) {
    for (int b : *body_of) {
      frames.cell_body.push_back(b);
      frames.cell_is_obstacle.push_back(bodies[b].is_obstacle ? 1 : 0);
    }
  }
  return frames;
}

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
    const BodyDesc& body_desc = desc.bodies[body.desc];
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

/// Returns the names of bodies that ignore each other: those that the scene lists, and those that are tied.
std::vector<std::array<std::string, 2>> ignoring_names(const SceneDesc& desc) {
  std::vector<std::array<std::string, 2>> names;
  for (const IgnoredPairDesc& pair : desc.contact.ignored_pairs) names.push_back(pair.bodies);
  for (const AttachmentDesc& attachment : desc.attachments) {
    const auto body = find_body(desc, attachment.body), to = find_body(desc, attachment.to);
    if (attachment.tied && body && to) names.push_back({desc.bodies[body->body].name, desc.bodies[to->body].name});
  }
  return names;
}

/// Returns the pairs of bodies that ignore each other. A name stands for all copies of a body, or for a half-space,
/// which is -1 - its number.
std::vector<std::array<int, 2>> ignored_pairs(const SceneDesc& desc, const std::vector<BodyInstance>& bodies) {
  std::map<std::string, std::vector<int>> of_name;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    of_name[desc.bodies[bodies[b].desc].name].push_back(static_cast<int>(b));
  }
  for (std::size_t h = 0; h < desc.half_spaces.size(); ++h) {
    of_name.try_emplace("half_spaces[" + std::to_string(h) + "]", std::vector<int>{-1 - static_cast<int>(h)});
  }
  std::vector<std::array<int, 2>> pairs;
  for (const std::array<std::string, 2>& names : ignoring_names(desc)) {
    for (const int a : of_name[names[0]]) {
      for (const int b : of_name[names[1]]) {
        if (a != b) pairs.push_back({std::min(a, b), std::max(a, b)});
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

/// Weight of a block below which it is rounding.
constexpr double no_weight = 1e-12;

/// The colliding surfaces of all bodies, numbered body by body.
class SurfaceBuilder {
 public:
  SurfaceBuilder(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                 Issues& issues)
      : desc_(desc),
        bodies_(bodies),
        unknowns_(unknowns),
        issues_(issues),
        dim_(unknowns.layout.dim),
        groups_(collision_groups(desc, bodies)) {}

  SceneSurface build() {
    result_.frames = join_meshes(dim_, bodies_, unknowns_.vertex_map);
    result_.map = SurfaceMap(dim_);
    for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
      const BodyInstance& body = bodies_[b];
      result_.topology.body_names.push_back(body.name);
      const BodyDesc& body_desc = desc_.bodies[body.desc];
      if (!body.round_shapes.empty() && body_desc.collides) {
        add_round_shapes(b);
      } else if (has_collision_surface(body_desc, body)) {
        add_collision_surface(body_desc, b);
      } else if (body_desc.collides) {
        add_mesh(b);
        if (is_thin(body.kind)) set_thickness(0.5 * *body_desc.thickness);
      }
      first_vertex_ += static_cast<int>(body.mesh.vertices.size());
    }
    add_turn_vertices();
    set_start();
    result_.topology.ignored_pairs = ignored_pairs(desc_, bodies_);
    const VecX x = result_.map.apply(unknowns_.x_rest);
    for (const auto& e : result_.topology.edges) {
      result_.edge_rest_length_sq.push_back(
          (x.segment(dim_ * e[0], dim_) - x.segment(dim_ * e[1], dim_)).squaredNorm());
    }
    return std::move(result_);
  }

 private:
  /// Adds the surface of a body, in numbers of its own surface vertices. The first of these becomes the next surface
  /// vertex of the scene.
  void add(int body, int num_vertices, const Triangles& triangles, Edges edges) {
    SurfaceTopology& surface = result_.topology;
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
    surface.vertex_body.insert(surface.vertex_body.end(), num_vertices, body);
    surface.vertex_group.insert(surface.vertex_group.end(), num_vertices, groups_[body]);
    const char is_obstacle = bodies_[body].is_obstacle ? 1 : 0;
    result_.is_obstacle_vertex.insert(result_.is_obstacle_vertex.end(), num_vertices, is_obstacle);
  }

  /// Adds a vertex of the body's mesh to the surface.
  void add_vertex(int vertex) {
    result_.map.add_vertex_of(result_.frames.vertex_map, first_vertex_ + vertex);
    result_.vertex_of_surface.push_back(first_vertex_ + vertex);
  }

  void add_mesh(int b) {
    const Mesh& mesh = bodies_[b].mesh;
    const bool has_solid = dim_ == 3 ? !mesh.tets.empty() : !mesh.triangles.empty();
    Triangles triangles;
    Edges edges;
    if (dim_ == 3) {
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
        for (int v : element) index[v] = 0;
      }
    };
    mark(triangles);
    mark(edges);
    for (int v : mesh.points) index[v] = 0;
    int num_vertices = 0;
    for (std::size_t v = 0; v < index.size(); ++v) {
      if (index[v] < 0) continue;
      index[v] = num_vertices++;
      add_vertex(static_cast<int>(v));
    }
    const auto renumber = [&](auto& elements) {
      for (auto& element : elements) {
        for (int& v : element) v = index[v];
      }
    };
    renumber(triangles);
    renumber(edges);
    add(b, num_vertices, triangles, std::move(edges));
  }

  /// Gives the vertices of the body that was added last a radius, and those before it that have none a zero.
  void set_thickness(double of_body) {
    const SurfaceTopology& surface = result_.topology;
    const auto first = std::find(surface.vertex_body.begin(), surface.vertex_body.end(), surface.vertex_body.back());
    result_.topology.radius.resize(first - surface.vertex_body.begin(), 0.0);
    result_.topology.radius.resize(surface.num_vertices, of_body);
  }

  /// Adds the centres and axes of spheres and capsules.
  void add_round_shapes(int b) {
    Edges edges;
    int num_vertices = 0;
    std::vector<double>& radius = result_.topology.radius;
    radius.resize(result_.topology.num_vertices, 0.0);
    for (const RoundShape& shape : bodies_[b].round_shapes) {
      if (shape.vertices.size() == 2) edges.push_back({num_vertices, num_vertices + 1});
      for (const int v : shape.vertices) {
        add_axis_vertex(v);
        radius.push_back(shape.radius);
        ++num_vertices;
      }
    }
    add(b, num_vertices, {}, std::move(edges));
  }

  /// Adds a vertex of the axis of a round shape. The centre of mass is a block of its own, on which turns have no
  /// effect.
  void add_axis_vertex(int vertex) {
    const SurfaceMap::Terms terms = result_.frames.vertex_map.terms(first_vertex_ + vertex);
    const bool is_center = std::all_of(terms.begin() + 1, terms.end(),
                                       [](const SurfaceMap::Term& term) { return std::abs(term.weight) < no_weight; });
    if (!is_center) return add_vertex(vertex);
    result_.map.add_vertex(terms[0].block);
    result_.vertex_of_surface.push_back(first_vertex_ + vertex);
  }

  /// Adds the vertices that tell how bodies with radii turn.
  void add_turn_vertices() {
    const SurfaceTopology& surface = result_.topology;
    if (surface.radius.empty()) return;
    result_.topology.radius.resize(surface.num_vertices, 0.0);
    if (unknowns_.stiff_units.empty()) return;
    result_.first_turn_vertex.assign(surface.num_vertices, -1);
    std::vector<const StiffUnit*> unit_of_body(bodies_.size(), nullptr);
    for (const StiffUnit& unit : unknowns_.stiff_units) unit_of_body[unit.body] = &unit;
    for (int v = 0; v < surface.num_vertices; ++v) {
      if (!(surface.radius[v] > 0.0) || unit_of_body[surface.vertex_body[v]] == nullptr) continue;
      const StiffUnit& unit = *unit_of_body[surface.vertex_body[v]];
      result_.first_turn_vertex[v] = result_.map.num_vertices();
      const SurfaceMap::Terms terms = result_.map.terms(v);
      for (int axis = 0; axis < dim_; ++axis) {
        Vec<3> weights = Vec<3>::Zero();
        for (std::size_t i = 1; i < terms.size(); ++i) weights[static_cast<int>(i) - 1] = terms[i].weight;
        weights[axis] += surface.radius[v] / unit.frame.radius;
        result_.map.add_affine_vertex(unit.first_block, {weights.data(), static_cast<std::size_t>(dim_)});
      }
    }
  }

  /// Notes where shells and rods start, which may touch themselves. Particles are bodies of their own: no number there
  /// makes them keep all of their radii.
  void set_start() {
    if (std::none_of(bodies_.begin(), bodies_.end(), [](const BodyInstance& body) { return is_thin(body.kind); }))
      return;
    const VecX x = result_.map.apply(start_positions(bodies_, unknowns_));
    for (int v = 0; v < result_.topology.num_vertices; ++v) {
      const bool is_particle = bodies_[result_.topology.vertex_body[v]].kind == BodyKind::particles;
      result_.topology.start.push_back(is_particle ? Vec<3>(Vec<3>::Constant(std::nan(""))) : Vec<3>(block<3>(x, v)));
    }
  }

  void add_collision_surface(const BodyDesc& body_desc, int b) {
    const BodyInstance& body = bodies_[b];
    const CollisionSurface own = make_collision_surface(body_desc, body, fmt::format("bodies[{}]", body.desc), issues_);
    const auto first = result_.vertex_of_surface.size();
    for (const CollisionSurface::Vertex& vertex : own.vertices) {
      if (vertex.weights.size() == 1 && vertex.weights[0].weight == 1.0 && !body.proxy) {
        add_vertex(vertex.weights[0].node);
        continue;
      }
      add_own_vertex(vertex, b);
    }
    if (!own.is_between_nodes) add_to_frames(own, first, b);
    add_boundary_faces(own, static_cast<int>(first), body);
    add(b, static_cast<int>(own.vertices.size()), own.triangles, dim_ == 3 ? unique_edges(own.triangles) : own.edges);
  }

  /// Adds a surface vertex that is not one of the body's mesh. Frames have it after the vertices of all bodies.
  void add_own_vertex(const CollisionSurface::Vertex& vertex, int b) {
    std::vector<SurfaceMap::Term> terms;
    Vec<3> offset = vertex.rest;
    const BodyInstance& body = bodies_[b];
    for (const auto& [node, weight] : vertex.weights) {
      for (const SurfaceMap::Term& term : result_.frames.vertex_map.terms(first_vertex_ + node)) {
        terms.push_back({term.block, weight * term.weight});
        offset.head(dim_) -= terms.back().weight * unknowns_.x_rest.segment(dim_ * term.block, dim_);
      }
    }
    if (!body.proxy && body.followed.empty()) offset.setZero();
    result_.vertex_of_surface.push_back(static_cast<int>(result_.frames.mesh.vertices.size()));
    result_.frames.mesh.vertices.push_back(vertex.rest);
    result_.frames.vertex_map.add_vertex(terms, offset);
    result_.map.add_vertex(terms, offset);
  }

  /// Adds the faces that the surface of a body lies on. `first` is the first surface vertex of the body.
  void add_boundary_faces(const CollisionSurface& own, int first, const BodyInstance& body) {
    std::vector<std::array<int, 3>> corners;
    for (const CollisionSurface::Face& face : own.faces) corners.push_back(face.corners);
    std::vector<std::vector<int>> nodes =
        with_dimension(dim_, [&](auto dim) { return nodes_of_curved_faces<dim>(body.mesh, corners); });
    for (std::size_t f = 0; f < own.faces.size(); ++f) {
      if (nodes[f].empty()) nodes[f].assign(corners[f].begin(), corners[f].begin() + dim_);
      const int shape_order = order_of_nodes(dim_ - 1, nodes[f].size());
      const int order = body.displacement_order > 0 ? body.displacement_order : shape_order;
      BoundaryFace face{order, std::move(nodes[f]), own.faces[f].vertices, own.faces[f].at};
      for (int& v : face.nodes) v += first_vertex_;
      for (int& v : face.vertices) v += first;
      result_.boundary_faces.push_back(std::move(face));
    }
  }

  /// Adds the surface as cells of frames, in the order of their kinds. `first` is the first surface vertex of the body.
  void add_to_frames(const CollisionSurface& own, std::size_t first, int body) {
    Mesh& frame = result_.frames.mesh;
    const auto append = [&](const auto& from, auto& to, std::size_t end_of_kind) {
      for (auto element : from) {
        for (int& v : element) v = result_.vertex_of_surface[first + v];
        to.push_back(element);
      }
      const auto at = static_cast<std::ptrdiff_t>(end_of_kind);
      result_.frames.cell_body.insert(result_.frames.cell_body.begin() + at, from.size(), body);
      result_.frames.cell_is_obstacle.insert(result_.frames.cell_is_obstacle.begin() + at, from.size(), 0);
    };
    const std::size_t end_of_triangles = frame.tets.size() + frame.triangles.size();
    if (dim_ == 3) {
      append(own.triangles, frame.triangles, end_of_triangles);
    } else {
      append(own.edges, frame.edges, end_of_triangles + frame.edges.size());
    }
  }

  const SceneDesc& desc_;
  const std::vector<BodyInstance>& bodies_;
  const Unknowns& unknowns_;
  Issues& issues_;
  int dim_;
  std::vector<int> groups_;
  SceneSurface result_;
  int first_vertex_ = 0;  // first vertex of the body in frames
};

}  // namespace

SceneSurface build_surface(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                           Issues& issues) {
  return SurfaceBuilder(desc, bodies, unknowns, issues).build();
}

}  // namespace clearance
