#include "clearance/meshing/curved_deviation.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/geometry/curved_boundary.h"

namespace clearance {

namespace {

constexpr int segments = 16;    // of each edge of the boundary
constexpr int most_cuts = 256;  // of each edge of the surface

double largest_distance_of(const Vertices& points, const TriangleTree& tree) {
  std::vector<double> squares(points.size());
  parallel_for(static_cast<int>(points.size()), 256, [&](int i) { squares[i] = tree.nearest(points[i]).distance_sq; });
  return std::sqrt(*std::max_element(squares.begin(), squares.end()));
}

/// Returns the points of triangles that are cut so that no piece has an edge longer than `spacing` [m].
Vertices points_on(const Mesh& surface, double spacing) {
  Vertices points = surface.vertices;
  for (const auto& [a, b, c] : surface.triangles) {
    const Vec<3>&x = surface.vertices[a], ab = surface.vertices[b] - x, ac = surface.vertices[c] - x;
    const double longest = std::max({ab.norm(), ac.norm(), (ac - ab).norm()});
    const int cuts = static_cast<int>(std::clamp(std::ceil(longest / spacing), 1.0, 1.0 * most_cuts));
    for (int i = 0; i < cuts; ++i) {
      for (int j = 0; i + j < cuts; ++j)
        points.push_back(x + (i + 1.0 / 3.0) / cuts * ab + (j + 1.0 / 3.0) / cuts * ac);
    }
  }
  return points;
}

}  // namespace

std::array<double, 2> sampled_distances(const Mesh& mesh, const Mesh& surface, const TriangleTree& tree_of_surface) {
  const BoundaryPieces cut = cut_boundary_faces(mesh, [](std::size_t) { return segments; });
  const Vertices points = cut.places(mesh);
  const Triangles& pieces = cut.triangles;
  double sum = 0.0;
  for (const auto& piece : pieces) sum += (points[piece[1]] - points[piece[0]]).norm();
  const double spacing = sum / static_cast<double>(pieces.size());
  const double of_mesh = largest_distance_of(points, tree_of_surface);
  return {of_mesh, largest_distance_of(points_on(surface, spacing), TriangleTree(points, pieces))};
}

}  // namespace clearance
