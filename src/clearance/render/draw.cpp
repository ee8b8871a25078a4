#include "clearance/render/draw.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "clearance/geometry/lagrange.h"
#include "clearance/render/fill.h"
#include "clearance/verify/surface.h"

namespace clearance::render {
namespace {

using Eigen::Vector3f;

/// Cosine of the largest angle between faces that are shaded as one smooth surface.
const float crease_cosine = std::cos(38.0f * 3.14159265f / 180.0f);
constexpr int obstacle_hex = 0xC9CCD1;

/// The bodies of a frame: which are obstacles, and the colours of the others.
struct BodyLooks {
  std::vector<char> is_obstacle;
  std::vector<Color> color;

  explicit BodyLooks(const Frame& frame) {
    std::map<int, bool> kinds;
    for (std::size_t cell = 0; cell < frame.cell_body.size(); ++cell) {
      kinds[frame.cell_body[cell]] = cell < frame.cell_is_obstacle.size() && frame.cell_is_obstacle[cell] != 0;
    }
    if (kinds.empty()) kinds[0] = false;
    const std::size_t num_bodies = kinds.rbegin()->first + 1;
    is_obstacle.assign(num_bodies, 0);
    color.assign(num_bodies, from_srgb(obstacle_hex));
    int order = 0;
    for (const auto& [body, is_obstacle_body] : kinds) {
      is_obstacle[body] = is_obstacle_body ? 1 : 0;
      if (!is_obstacle_body) color[body] = body_color(order++);
    }
  }
};

/// Returns, per corner, the mean normal of the neighbouring faces weighted by area, without faces beyond a crease.
std::vector<Vector3f> find_corner_normals(const DrawTriangles& mesh, bool is_smooth) {
  std::vector<Vector3f> face_normals;
  std::vector<std::vector<unsigned>> faces_of_vertex(mesh.vertices.size());
  for (unsigned t = 0; t < mesh.indices.size(); ++t) {
    const auto& v = mesh.indices[t];
    face_normals.push_back(
        (mesh.vertices[v[1]] - mesh.vertices[v[0]]).cross(mesh.vertices[v[2]] - mesh.vertices[v[0]]));
    for (const unsigned i : v) faces_of_vertex[i].push_back(t);
  }
  std::vector<Vector3f> corner_normals;
  for (unsigned t = 0; t < mesh.indices.size(); ++t) {
    const Vector3f own = face_normals[t].normalized();
    for (const unsigned v : mesh.indices[t]) {
      Vector3f sum = face_normals[t];
      for (const unsigned other : faces_of_vertex[v]) {
        const bool is_joined = is_smooth && other != t && own.dot(face_normals[other].normalized()) > crease_cosine;
        if (is_joined) sum += face_normals[other];
      }
      corner_normals.push_back(sum.normalized());
    }
  }
  return corner_normals;
}

/// Returns the colour of a vertex; grey if the field has no number there.
Color vertex_color(int v, const DrawStyle& style, const Color& of_body) {
  if (style.values.empty()) return of_body;
  const double value = style.values[v];
  return std::isfinite(value) ? map_color((value - style.low) / (style.high - style.low)) : from_srgb(obstacle_hex);
}

/// Splits a curved triangle at all of its nodes into straight triangles.
std::vector<std::array<int, 3>> pieces_of(std::span<const int> nodes) {
  const int order = order_of_nodes(2, nodes.size());
  const auto node = [&](int i, int j) { return nodes[lagrange_node(2, order, {order - i - j, i, j, 0})]; };
  std::vector<std::array<int, 3>> pieces;
  for (int i = 0; i < order; ++i) {
    for (int j = 0; i + j < order; ++j) {
      pieces.push_back({node(i, j), node(i + 1, j), node(i, j + 1)});
      if (i + j + 1 < order) pieces.push_back({node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)});
    }
  }
  return pieces;
}

/// Copies the triangles of one kind with only the vertices they use.
class TriangleCopier {
 public:
  TriangleCopier(const Frame& frame, const Vec<3>& origin, DrawTriangles& out)
      : frame_(frame), origin_(origin), out_(out), index_(frame.mesh.vertices.size(), -1) {}
  template <class ColorOf>
  void add(const std::array<int, 3>& triangle, const ColorOf& color_of) {
    std::array<unsigned, 3> indices{};
    for (int i = 0; i < 3; ++i) {
      int& index = index_[triangle[i]];
      if (index < 0) {
        index = static_cast<int>(out_.vertices.size());
        out_.vertices.push_back((frame_.mesh.vertices[triangle[i]] - origin_).cast<float>());
        out_.vertex_colors.push_back(color_of(triangle[i]));
      }
      indices[i] = static_cast<unsigned>(index);
    }
    out_.indices.push_back(indices);
  }

 private:
  const Frame& frame_;
  Vec<3> origin_;
  DrawTriangles& out_;
  std::vector<int> index_;
};

void add_rod(DrawRods& rods, const Vec<3>& a, const Vec<3>& b, const Vec<3>& origin, const Color& color,
             double radius = 0.0) {
  rods.radii.push_back(static_cast<float>(radius));
  rods.ends.push_back({Vector3f((a - origin).cast<float>()), Vector3f((b - origin).cast<float>())});
  rods.colors.push_back(color);
}

/// Adds a line along the border of each half-space of the plane. The line is longer than the picture.
void add_plane_lines(Drawing& drawing) {
  for (const DrawPlane& plane : drawing.planes) {
    const Vec<3> along = Vec<3>(-plane.normal[1], plane.normal[0], 0) * (8 * drawing.size);
    // The line lies outside the free side and is centred at the point nearest to the drawing's origin.
    const Vec<3> near =
        drawing.origin - plane.normal * (plane.normal.dot(drawing.origin - plane.point) + drawing.obstacle_rods.radius);
    add_rod(drawing.obstacle_rods, near - along, near + along, drawing.origin, from_srgb(0x8A9098));
  }
}

/// Returns the edges of a body without chains that are attached at one end only. The remaining edges may be closed.
std::vector<std::array<int, 2>> without_loose_ends(std::vector<std::array<int, 2>> edges) {
  for (std::size_t before = edges.size() + 1; edges.size() < before;) {
    before = edges.size();
    std::map<int, int> degree;
    for (const auto& edge : edges) {
      for (const int v : edge) ++degree[v];
    }
    std::erase_if(edges, [&](const auto& edge) { return degree[edge[0]] == 1 || degree[edge[1]] == 1; });
  }
  return edges;
}

/// Fills the outlines of stiff bodies in the plane. Obstacles stay outlines, because they may be walls around the whole
/// scene.
void fill_outlines(const Frame& frame, const verify::VerifySurface& surface, const BodyLooks& looks,
                   const DrawStyle& style, Drawing& drawing) {
  std::map<int, std::vector<std::array<int, 2>>> edges_of_body;
  for (std::size_t e = surface.edges.size() - surface.num_codim_edges; e < surface.edges.size(); ++e) {
    if (!looks.is_obstacle[surface.edge_body[e]]) edges_of_body[surface.edge_body[e]].push_back(surface.edges[e]);
  }
  for (const auto& [body, edges] : edges_of_body) {
    std::vector<OutlineEdge> outline;
    for (const auto& edge : without_loose_ends(edges)) {
      OutlineEdge& added = outline.emplace_back();
      for (std::size_t i = 0; i < 2; ++i) {
        added.ends[i] = (frame.mesh.vertices[edge[i]] - drawing.origin).cast<float>();
        added.colors[i] = vertex_color(edge[i], style, looks.color[body]);
      }
    }
    add_inside(outline, drawing.bodies);
  }
}

/// Chooses the radii of rods. Rods are thin relative to the scene and to their own length, so that nets and hair stay
/// distinguishable.
void choose_radii(const Frame& frame, const verify::VerifySurface& surface, Drawing& drawing) {
  double length_sum = 0;
  int num_rods = 0;
  for (std::size_t e = surface.edges.size() - surface.num_codim_edges; e < surface.edges.size(); ++e) {
    const auto& [a, b] = surface.edges[e];
    if (a != b) length_sum += (frame.mesh.vertices[a] - frame.mesh.vertices[b]).norm(), ++num_rods;
  }
  double radius = 0.004 * drawing.size;
  if (num_rods > 0) radius = std::min(radius, std::max(0.2 * length_sum / num_rods, 0.0008 * drawing.size));
  drawing.body_rods.radius = drawing.obstacle_rods.radius =
      static_cast<float>(drawing.is_plane ? 0.0018 * drawing.size : radius);
}

}  // namespace

Color from_srgb(int hex) {
  Color color;
  for (int i = 0; i < 3; ++i) {
    const float c = static_cast<float>((hex >> (16 - 8 * i)) & 0xFF) / 255.0f;
    color[i] = c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
  }
  return color;
}

Color body_color(int order) {
  static constexpr std::array palette = {0x3F8EDC, 0xF29F3D, 0x52B06B, 0xE2607A, 0x8F74D6,
                                         0x3DB7BF, 0xDDBE3F, 0xC47A52, 0x6C8BA4, 0xB65FB0};
  return from_srgb(palette[order % palette.size()]);
}

Color map_color(double value) {
  static constexpr std::array anchors = {0x440154, 0x482878, 0x3E4989, 0x31688E, 0x26828E,
                                         0x1F9E89, 0x35B779, 0x6ECE58, 0xB5DE2B, 0xFDE725};
  const double position = std::clamp(value, 0.0, 1.0) * (anchors.size() - 1);
  const std::size_t low = std::min<std::size_t>(static_cast<std::size_t>(position), anchors.size() - 2);
  const float t = static_cast<float>(position - static_cast<double>(low));
  return (1 - t) * from_srgb(anchors[low]) + t * from_srgb(anchors[low + 1]);
}

namespace {

/// Adds rods for codimensional edges and points, and in the plane also for outlines.
void add_rods(const Frame& frame, const verify::VerifySurface& surface, const BodyLooks& looks, const DrawStyle& style,
              Drawing& drawing) {
  const std::size_t first_codim = surface.edges.size() - surface.num_codim_edges;
  for (std::size_t e = drawing.is_plane ? 0 : first_codim; e < surface.edges.size(); ++e) {
    const auto& [a, b] = surface.edges[e];
    const int body = surface.edge_body[e];
    const bool is_obstacle = looks.is_obstacle[body] != 0;
    Color color = is_obstacle ? looks.color[body] : vertex_color(a, style, looks.color[body]);
    if (drawing.is_plane) color *= 0.45f;
    add_rod(is_obstacle ? drawing.obstacle_rods : drawing.body_rods, frame.mesh.vertices[a], frame.mesh.vertices[b],
            drawing.origin, color, std::cmp_less(body, style.radii.size()) ? style.radii[body] : 0.0);
  }
}

/// Calls `visit` for every triangle that is drawn.
template <class Visit>
void for_each_triangle(const Mesh& mesh, const verify::VerifySurface& surface, const Visit& visit) {
  if (mesh.dim == 3) {
    for (const auto& triangle : surface.triangles) visit(triangle);
    return;
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto nodes = mesh.nodes_of_cell(t);
    if (nodes.empty()) {
      visit(mesh.triangles[t]);
    } else {
      for (const auto& piece : pieces_of(nodes)) visit(piece);
    }
  }
}

}  // namespace

void draw_frame(const Frame& frame, const DrawStyle& style, Drawing& drawing) {
  const BodyLooks looks(frame);
  const verify::VerifySurface surface = verify::build_verify_surface(frame);
  drawing.bodies = drawing.obstacles = {};
  drawing.body_rods = drawing.obstacle_rods = {};
  choose_radii(frame, surface, drawing);

  TriangleCopier bodies(frame, drawing.origin, drawing.bodies), obstacles(frame, drawing.origin, drawing.obstacles);
  for_each_triangle(frame.mesh, surface, [&](const std::array<int, 3>& triangle) {
    const int body = surface.vertex_body[triangle[0]];
    if (looks.is_obstacle[body]) {
      obstacles.add(triangle, [&](int) { return looks.color[body]; });
    } else {
      bodies.add(triangle, [&](int v) { return vertex_color(v, style, looks.color[body]); });
    }
  });
  if (style.has_edges) drawing.bodies.num_edged = drawing.bodies.indices.size();
  if (drawing.is_plane) fill_outlines(frame, surface, looks, style, drawing);
  drawing.bodies.corner_normals = find_corner_normals(drawing.bodies, !drawing.is_plane);
  drawing.obstacles.corner_normals = find_corner_normals(drawing.obstacles, !drawing.is_plane);

  add_rods(frame, surface, looks, style, drawing);
  if (drawing.is_plane) add_plane_lines(drawing);
}

}  // namespace clearance::render
