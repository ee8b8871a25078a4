#include "clearance/geometry/curved_generators.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/node_bending.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

constexpr double rounding = 4e-15;  // rounding of positions, relative to the size of the shape

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
  NodeBending bending(mesh);
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
