#include "clearance/io/mesh/abaqus_elements.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>

namespace clearance {
namespace {

using Shape = AbaqusShape;
using LocalEdge = std::array<int, 2>;
using LocalSide = std::array<int, 4>;

constexpr std::array kinds = {
    AbaqusElementKind{"C3D4", Shape::tetrahedron, 1, 4},   AbaqusElementKind{"C3D10", Shape::tetrahedron, 2, 10},
    AbaqusElementKind{"C3D8", Shape::hexahedron, 1, 8},    AbaqusElementKind{"C3D20", Shape::hexahedron, 2, 20},
    AbaqusElementKind{"C3D6", Shape::wedge, 1, 6},         AbaqusElementKind{"C3D15", Shape::wedge, 2, 15},
    AbaqusElementKind{"S3", Shape::triangle, 1, 3},        AbaqusElementKind{"STRI3", Shape::triangle, 1, 3},
    AbaqusElementKind{"S6", Shape::triangle, 2, 6},        AbaqusElementKind{"STRI65", Shape::triangle, 2, 6},
    AbaqusElementKind{"S4", Shape::quadrilateral, 1, 4},   AbaqusElementKind{"S8", Shape::quadrilateral, 2, 8},
    AbaqusElementKind{"M3D3", Shape::triangle, 1, 3},      AbaqusElementKind{"M3D6", Shape::triangle, 2, 6},
    AbaqusElementKind{"M3D4", Shape::quadrilateral, 1, 4}, AbaqusElementKind{"M3D8", Shape::quadrilateral, 2, 8},
    AbaqusElementKind{"R3D3", Shape::triangle, 1, 3},      AbaqusElementKind{"R3D4", Shape::quadrilateral, 1, 4},
    AbaqusElementKind{"SFM3D3", Shape::triangle, 1, 3},    AbaqusElementKind{"CPS3", Shape::triangle, 1, 3},
    AbaqusElementKind{"CPE3", Shape::triangle, 1, 3},      AbaqusElementKind{"CPS6", Shape::triangle, 2, 6},
    AbaqusElementKind{"CPE6", Shape::triangle, 2, 6},      AbaqusElementKind{"CPS4", Shape::quadrilateral, 1, 4},
    AbaqusElementKind{"CPE4", Shape::quadrilateral, 1, 4}, AbaqusElementKind{"CPS8", Shape::quadrilateral, 2, 8},
    AbaqusElementKind{"CPE8", Shape::quadrilateral, 2, 8}, AbaqusElementKind{"B31", Shape::line, 1, 2},
    AbaqusElementKind{"B21", Shape::line, 1, 2},           AbaqusElementKind{"B32", Shape::line, 2, 3},
    AbaqusElementKind{"T3D2", Shape::line, 1, 2},          AbaqusElementKind{"T2D2", Shape::line, 1, 2},
};

// Sides run counterclockwise seen from within; -1: a triangle.
constexpr std::array<LocalSide, 4> sides_of_tetrahedron = {
    {{0, 1, 2, -1}, {0, 3, 1, -1}, {1, 3, 2, -1}, {2, 3, 0, -1}}};
constexpr std::array<LocalSide, 5> sides_of_wedge = {
    {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}};
constexpr std::array<LocalSide, 6> sides_of_hexahedron = {
    {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}}};

// Corners of each edge, in the order in which the nodes in its middle follow the corners.
constexpr std::array<LocalEdge, 3> edges_of_triangle = {{{0, 1}, {1, 2}, {2, 0}}};
constexpr std::array<LocalEdge, 4> edges_of_quadrilateral = {{{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
constexpr std::array<LocalEdge, 6> edges_of_tetrahedron = {{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
constexpr std::array<LocalEdge, 9> edges_of_wedge = {
    {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}};
constexpr std::array<LocalEdge, 12> edges_of_hexahedron = {
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};

std::span<const LocalSide> sides_of(std::size_t num_corners) {
  if (num_corners == 8) return sides_of_hexahedron;
  if (num_corners == 6) return sides_of_wedge;
  return sides_of_tetrahedron;
}

std::span<const LocalEdge> edges_of(Shape shape) {
  switch (shape) {
    case Shape::line:
      return {};
    case Shape::triangle:
      return edges_of_triangle;
    case Shape::quadrilateral:
      return edges_of_quadrilateral;
    case Shape::tetrahedron:
      return edges_of_tetrahedron;
    case Shape::wedge:
      return edges_of_wedge;
    case Shape::hexahedron:
      return edges_of_hexahedron;
  }
  return {};
}

std::array<int, 2> sorted(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

/// Returns the triangles of a side with these corners, divided at its smallest vertex if it is a quadrilateral.
std::vector<std::array<int, 4>> triangles_of(std::array<int, 4> side) {
  if (side[3] < 0) return {side};
  std::rotate(side.begin(), std::min_element(side.begin(), side.end()), side.end());
  return {{side[0], side[1], side[2], -1}, {side[0], side[2], side[3], -1}};
}

/// Divides a hexahedron or a wedge into tetrahedra between its smallest vertex and the triangles of the sides that do
/// not have it. Sides that have it are divided there, too.
std::vector<std::vector<int>> tets_of(std::span<const int> corners) {
  const int apex = *std::min_element(corners.begin(), corners.end());
  std::vector<std::vector<int>> tets;
  for (int side = 1; side <= std::ssize(sides_of(corners.size())); ++side) {
    const std::vector<std::array<int, 4>> triangles = triangles_of_side(corners, side);
    const bool has_apex = std::any_of(triangles.begin(), triangles.end(), [&](const auto& triangle) {
      return std::find(triangle.begin(), triangle.end(), apex) != triangle.end();
    });
    if (has_apex) continue;
    for (const auto& [a, b, c, none] : triangles) tets.push_back({a, b, c, apex});
  }
  return tets;
}

/// Returns the corners of the simplices that an element becomes.
std::vector<std::vector<int>> corners_of_simplices(const AbaqusElementKind& kind, std::span<const int> corners) {
  if (kind.is_simplex()) return {{corners.begin(), corners.end()}};
  if (kind.dim() == 3) return tets_of(corners);
  std::vector<std::vector<int>> triangles;
  for (const auto& [a, b, c, none] : triangles_of({corners[0], corners[1], corners[2], corners[3]}))
    triangles.push_back({a, b, c});
  return triangles;
}

/// Nodes in the middle between two corners of an element of order 2.
class MiddleNodes {
 public:
  MiddleNodes(const AbaqusElementKind& kind, const std::vector<int>& nodes, const AbaqusMiddleNode& make_middle)
      : nodes_(nodes), make_middle_(make_middle) {
    const std::span<const LocalEdge> edges = edges_of(kind.shape);
    for (std::size_t k = 0; k < edges.size(); ++k)
      of_edge_[sorted(nodes[edges[k][0]], nodes[edges[k][1]])] = nodes[kind.num_corners() + static_cast<int>(k)];
    if (kind.dim() == 3) corners_ = std::span(nodes).first(static_cast<std::size_t>(kind.num_corners()));
  }

  /// A diagonal of a side has its middle in that of the side, one between opposite corners in that of the element.
  int between(int a, int b) const {
    if (const auto found = of_edge_.find(sorted(a, b)); found != of_edge_.end()) return found->second;
    for (const LocalSide& side : corners_.empty() ? std::span<const LocalSide>() : sides_of(corners_.size())) {
      if (side[3] < 0) continue;
      std::vector<int> of_side;
      for (const int k : side) of_side.push_back(corners_[k]);
      if (std::find(of_side.begin(), of_side.end(), a) == of_side.end() ||
          std::find(of_side.begin(), of_side.end(), b) == of_side.end())
        continue;
      for (std::size_t k = 0; k < 4; ++k) of_side.push_back(of_edge_.at(sorted(of_side[k], of_side[(k + 1) % 4])));
      return make_middle_(std::move(of_side));
    }
    return make_middle_(nodes_);
  }

 private:
  const std::vector<int>& nodes_;
  const AbaqusMiddleNode& make_middle_;
  std::map<std::array<int, 2>, int> of_edge_;
  std::span<const int> corners_;  // of a solid
};

}  // namespace

const char* const known_abaqus_elements =
    "expected solids (C3D4, C3D10, C3D6, C3D15, C3D8, C3D20), shells and membranes (S3, S4, S6, S8, M3D3, M3D4), "
    "planes (CPS3, CPS4, CPS6, CPS8, CPE3, CPE4, CPE6, CPE8) or lines (B31, B32, T3D2); divide other elements into "
    "these";

int AbaqusElementKind::dim() const {
  return shape == Shape::line ? 1 : shape == Shape::triangle || shape == Shape::quadrilateral ? 2 : 3;
}

int AbaqusElementKind::num_corners() const {
  constexpr std::array numbers = {2, 3, 4, 4, 6, 8};
  return numbers[static_cast<std::size_t>(shape)];
}

bool AbaqusElementKind::is_simplex() const {
  return num_corners() == dim() + 1;
}

bool AbaqusElementKind::is_plane() const {
  return std::string_view(beginning).starts_with("CP");
}

const AbaqusElementKind* find_abaqus_element(const std::string& type) {
  // Letters may follow the beginning, digits may not.
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const AbaqusElementKind& kind) {
    const std::string_view beginning = kind.beginning;
    const bool has_letters = type.find_first_of("0123456789", beginning.size()) == std::string::npos;
    return type.starts_with(beginning) && has_letters;
  });
  return found == kinds.end() ? nullptr : &*found;
}

std::vector<std::array<int, 4>> triangles_of_side(std::span<const int> corners, int side) {
  const std::span<const LocalSide> sides = sides_of(corners.size());
  if (side < 1 || side > std::ssize(sides)) return {};
  std::array<int, 4> vertices = {-1, -1, -1, -1};
  for (std::size_t k = 0; k < 4; ++k) {
    const int corner = sides[static_cast<std::size_t>(side - 1)][k];
    if (corner >= 0) vertices[k] = corners[static_cast<std::size_t>(corner)];
  }
  return triangles_of(vertices);
}

std::vector<std::vector<int>> simplices_of(const AbaqusElementKind& kind, const std::vector<int>& nodes,
                                           const AbaqusMiddleNode& make_middle) {
  std::vector<std::vector<int>> simplices =
      corners_of_simplices(kind, std::span(nodes).first(static_cast<std::size_t>(kind.num_corners())));
  if (kind.order == 1) return simplices;
  const MiddleNodes middle(kind, nodes, make_middle);
  for (std::vector<int>& simplex : simplices) {
    for (const auto& [a, b] : edges_of(kind.dim() == 3 ? Shape::tetrahedron : Shape::triangle))
      simplex.push_back(middle.between(simplex[a], simplex[b]));
  }
  return simplices;
}

std::vector<std::vector<int>> linear_simplices_of(const AbaqusElementKind& kind, const std::vector<int>& nodes) {
  const auto& n = nodes;
  switch (kind.shape) {
    case Shape::line:  // its second node is the one in the middle
      return {{n[0], n[1]}, {n[1], n[2]}};
    case Shape::triangle:
      return {{n[0], n[3], n[5]}, {n[3], n[1], n[4]}, {n[5], n[4], n[2]}, {n[3], n[4], n[5]}};
    default:
      return {{n[0], n[4], n[7]}, {n[4], n[1], n[5]}, {n[5], n[2], n[6]},
              {n[6], n[3], n[7]}, {n[4], n[5], n[6]}, {n[4], n[6], n[7]}};
  }
}

Vec<3> middle_of(std::span<const Vec<3>> nodes) {
  // Shape functions at the middle: -1/4 at corners, and at the middles of edges 1/2 (8 nodes) or 1/4 (20 nodes).
  const std::size_t num_corners = nodes.size() == 8 ? 4 : 8;
  const double of_edge = nodes.size() == 8 ? 0.5 : 0.25;
  Vec<3> middle = Vec<3>::Zero();
  for (std::size_t k = 0; k < nodes.size(); ++k) middle += (k < num_corners ? -0.25 : of_edge) * nodes[k];
  return middle;
}

}  // namespace clearance
