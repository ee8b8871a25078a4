#include "clearance/geometry/curved_generators.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "clearance/base/contract.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

constexpr double rounding = 4e-15;  // rounding of positions, relative to the size of the shape

/// Returns the value of the function of a node on a corner, edge, face or inside. It is 1 at the node, and 0 at the
/// other nodes of the same feature and at the corners, edges and faces that do not contain the feature. Elsewhere a
/// polynomial of the same order continues it.
double hierarchical_value(int order, const NodeIndex& node, const NodeIndex& where) {
  int num_corners = 0;
  double outside = order;  // times the order, like all barycentrics here
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (node[i] == 0) continue;
    ++num_corners;
    outside -= where[i];
  }
  double value = 1.0;
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (node[i] == 0) continue;
    value *= static_cast<double>(where[i]) / node[i];
    const double inside = where[i] + outside / num_corners;
    for (int k = 1; k < node[i]; ++k) value *= (inside - k) / (node[i] - k);
  }
  return value;
}

/// Moves some nodes of straight elements, and lets the other nodes of these elements follow.
class Bending {
 public:
  explicit Bending(Mesh& mesh)
      : mesh_(mesh),
        nodes_(lagrange_nodes(mesh.dim, mesh.order_of_cell(0))),
        moves_(mesh.vertices.size(), Vec<3>::Zero()),
        is_told_(mesh.vertices.size(), 0),
        is_done_(mesh.vertices.size(), 0) {
    for (const NodeIndex& where : nodes_) {
      for (const NodeIndex& node : nodes_) values_.push_back(hierarchical_value(mesh.order_of_cell(0), node, where));
    }
  }

  void move_to(int v, const Vec<3>& place) {
    moves_[v] = place - mesh_.vertices[v];
    is_told_[v] = is_done_[v] = 1;
  }

  void run() {
    for (std::size_t cell = 0; cell < mesh_.num_solid_cells(); ++cell) {
      CLEARANCE_ASSERT(mesh_.nodes_of_cell(cell).size() == nodes_.size());
      spread(mesh_.nodes_of_cell(cell));
    }
    for (std::size_t v = 0; v < moves_.size(); ++v) mesh_.vertices[v] += moves_[v];
  }

 private:
  /// Spreads the motion of nodes over an element. Nodes are in the order corners, edges, faces, inside. Each node
  /// follows the functions of the nodes before it, scaled by the part of their motion that exceeds what they follow
  /// themselves.
  void spread(std::span<const int> nodes) {
    if (std::none_of(nodes.begin(), nodes.end(), [&](int v) { return is_told_[v] != 0; })) return;
    std::vector<Vec<3>> beyond(nodes.size(), Vec<3>::Zero());
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      Vec<3> follows = Vec<3>::Zero();
      for (std::size_t b = 0; b < a; ++b) follows += values_[a * nodes.size() + b] * beyond[b];
      const std::size_t v = nodes[a];
      if (is_done_[v] == 0) moves_[v] = follows;
      is_done_[v] = 1;
      if (is_told_[v] != 0) beyond[a] = moves_[v] - follows;
    }
  }

  Mesh& mesh_;
  const std::vector<NodeIndex>& nodes_;
  std::vector<double> values_;  ///< values of the functions of all nodes at all nodes
  std::vector<Vec<3>> moves_;
  std::vector<char> is_told_, is_done_;
};

/// Returns the nodes of each face (2D: side) of the boundary, some more than once.
std::vector<std::vector<int>> nodes_of_boundary(const Mesh& mesh) {
  std::vector<std::vector<int>> faces;
  const auto collect = [&](const auto& pieces, int num_pieces_of_face) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (i % num_pieces_of_face == 0) faces.emplace_back();
      faces.back().insert(faces.back().end(), pieces[i].begin(), pieces[i].end());
    }
  };
  const int order = mesh.order_of_cell(0);
  if (mesh.dim == 3) {
    collect(boundary_triangles(mesh), order * order);
  } else {
    collect(boundary_edges(mesh), order);
  }
  return faces;
}

/// Bends a mesh. `place` returns the position of a node of a round face. `is_flat` is true for the nodes of a face that
/// stays.
template <class Place, class IsFlat>
void bend(Mesh& mesh, const Place& place, const IsFlat& is_flat) {
  Bending bending(mesh);
  for (const std::vector<int>& face : nodes_of_boundary(mesh)) {
    if (is_flat(face)) continue;
    for (const int v : face) bending.move_to(v, place(mesh.vertices[v]));
  }
  bending.run();
}

/// Restores vertices that moved only by rounding.
void keep_places(const std::vector<Vec<3>>& before, double size, Mesh& mesh) {
  for (std::size_t v = 0; v < before.size(); ++v) {
    if ((mesh.vertices[v] - before[v]).norm() <= rounding * size) mesh.vertices[v] = before[v];
  }
}

/// Returns the nearest point on the cylinder around the axis y.
Vec<3> onto_cylinder(const Vec<3>& x, double radius) {
  const double factor = radius / std::sqrt(x[0] * x[0] + x[2] * x[2]);
  return {factor * x[0], x[1], factor * x[2]};
}

/// The torus of pieces with straight sides between its cross-sections, cut open and laid out along y: y is the angle
/// around the axis, x and z are the position in the cross-section.
class Unrolling {
 public:
  Unrolling(double ring_radius, int num_pieces)
      : ring_radius_(ring_radius),
        num_pieces_(num_pieces),
        cosine_(elementary::cos(std::numbers::pi / num_pieces)),
        sine_(elementary::sin(std::numbers::pi / num_pieces)) {}

  Vec<3> unrolled(const Vec<3>& x) const {
    const double step = 2.0 * std::numbers::pi / num_pieces_;
    const double piece = std::floor(elementary::atan2(x[2], x[0]) / step), middle = (piece + 0.5) * step;
    const double c = elementary::cos(middle), s = elementary::sin(middle);
    const double distance = (c * x[0] + s * x[2]) / cosine_;
    const double along = (c * x[2] - s * x[0]) / (distance * sine_);  // from -1 to 1 between two sections
    return {distance - ring_radius_, middle + 0.5 * along * step, x[1]};
  }
  Vec<3> rolled_up(const Vec<3>& x) const {
    const double distance = ring_radius_ + x[0];
    return {distance * elementary::cos(x[1]), x[2], distance * elementary::sin(x[1])};
  }

 private:
  double ring_radius_;
  int num_pieces_;
  double cosine_, sine_;  // cosine and sine of half a piece's angle
};

bool is_never_flat(const std::vector<int>&) {
  return false;
}

}  // namespace

void curve_sphere(Mesh& mesh, double radius) {
  if (!mesh.has_curved_cells()) return;
  const std::vector<Vec<3>> before = mesh.vertices;
  bend(
      mesh, [&](const Vec<3>& x) { return Vec<3>(radius * x.normalized()); }, is_never_flat);
  keep_places(before, radius, mesh);
}

void curve_cylinder(Mesh& mesh, double radius, double height) {
  if (!mesh.has_curved_cells()) return;
  const std::vector<Vec<3>> before = mesh.vertices;
  const auto is_cap = [&](const std::vector<int>& face) {
    const auto is_at = [&](double y) {
      return std::all_of(face.begin(), face.end(),
                         [&](int v) { return std::abs(mesh.vertices[v][1] - y) <= 1e-9 * height; });
    };
    return is_at(0.5 * height) || is_at(-0.5 * height);
  };
  bend(
      mesh, [&](const Vec<3>& x) { return onto_cylinder(x, radius); }, is_cap);
  keep_places(before, radius, mesh);
}

void curve_torus(Mesh& mesh, double ring_radius, double tube_radius, int cells_around) {
  if (!mesh.has_curved_cells()) return;
  const std::vector<Vec<3>> before = mesh.vertices;
  const Unrolling unrolling(ring_radius, std::max(3, cells_around));
  for (Vec<3>& x : mesh.vertices) x = unrolling.unrolled(x);
  bend(
      mesh, [&](const Vec<3>& x) { return onto_cylinder(x, tube_radius); }, is_never_flat);
  for (Vec<3>& x : mesh.vertices) x = unrolling.rolled_up(x);
  keep_places(before, ring_radius + tube_radius, mesh);
}

void curve_disk(Mesh& mesh, double radius) {
  if (!mesh.has_curved_cells()) return;
  const std::vector<Vec<3>> before = mesh.vertices;
  bend(
      mesh, [&](const Vec<3>& x) { return Vec<3>(radius * x.normalized()); }, is_never_flat);
  keep_places(before, radius, mesh);
}

}  // namespace clearance
