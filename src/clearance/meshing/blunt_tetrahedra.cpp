#include "clearance/meshing/blunt_tetrahedra.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "clearance/geometry/element_corners.h"
#include "clearance/geometry/simplex_boundary.h"

namespace clearance {

namespace {

using Edge = std::array<int, 2>;
using Tet = std::array<int, 4>;
using IsSharp = std::function<bool(const Edge&)>;

constexpr std::array<Edge, 6> edges_of_tet = {{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

Edge edge_of(const Tet& tet, const Edge& corners) {
  return sorted_corners<2>({tet[corners[0]], tet[corners[1]]});
}

/// The faces and edges of the boundary.
struct Boundary {
  std::set<std::array<int, 3>> faces;
  std::set<Edge> edges;

  explicit Boundary(const Mesh& mesh) {
    for (const auto& face : boundary_triangles(mesh.tets)) {
      faces.insert(sorted_corners<3>(face));
      for (std::size_t k = 0; k < 3; ++k) edges.insert(sorted_corners<2>({face[k], face[(k + 1) % 3]}));
    }
  }
  /// True if the face of a tetrahedron opposite to corner k is on the boundary.
  bool has_face(const Tet& tet, std::size_t k) const {
    return faces.contains(sorted_corners<3>({tet[(k + 1) % 4], tet[(k + 2) % 4], tet[(k + 3) % 4]}));
  }
};

/// How a tetrahedron is split.
enum class Split { none, opposite_edge, middle };

/// Returns the split that separates the faces of a tetrahedron on smooth boundary, and the edge of the element opposite
/// to the one between them.
std::pair<Split, Edge> split_of(const Tet& tet, const Boundary& boundary, const IsSharp& is_sharp) {
  std::array<bool, 4> is_face{};
  for (std::size_t k = 0; k < 4; ++k) is_face[k] = boundary.has_face(tet, k);
  const auto num_faces = std::count(is_face.begin(), is_face.end(), true);
  if (num_faces < 2) return {Split::none, {}};
  // The faces opposite to corners i and j meet at the edge of the two other corners.
  for (std::size_t e = 0; e < edges_of_tet.size(); ++e) {
    const Edge& opposite = edges_of_tet[e];
    if (!is_face[opposite[0]] || !is_face[opposite[1]]) continue;
    const Edge& between = edges_of_tet[edges_of_tet.size() - 1 - e];
    if (is_sharp(edge_of(tet, between))) continue;
    const Edge edge = edge_of(tet, opposite);
    const bool is_inside = num_faces == 2 && !boundary.edges.contains(edge);
    return {is_inside ? Split::opposite_edge : Split::middle, edge};
  }
  return {Split::none, {}};
}

Tet with(Tet tet, int from, int to) {
  std::replace(tet.begin(), tet.end(), from, to);
  return tet;
}

/// Splits every tetrahedron at most once. Returns false if there is nothing to split.
bool split_once(const IsSharp& is_sharp, Mesh& mesh) {
  const Boundary boundary(mesh);
  std::map<Edge, std::vector<int>> users;
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    for (const Edge& edge : edges_of_tet) users[edge_of(mesh.tets[t], edge)].push_back(t);
  }
  std::vector<char> is_split(mesh.tets.size(), 0);
  bool has_split = false;
  for (std::size_t t = 0; t < is_split.size(); ++t) {
    const Tet tet = mesh.tets[t];
    const auto [split, edge] = split_of(tet, boundary, is_sharp);
    if (split == Split::none || is_split[t] != 0) continue;
    const int middle = static_cast<int>(mesh.vertices.size());
    if (split == Split::middle) {
      Vec<3> sum = Vec<3>::Zero();
      for (const int v : tet) sum += mesh.vertices[v];
      mesh.vertices.push_back(0.25 * sum);
      mesh.tets[t] = with(tet, tet[0], middle);
      for (std::size_t k = 1; k < 4; ++k) mesh.tets.push_back(with(tet, tet[k], middle));
      is_split[t] = 1;
    } else {
      const std::vector<int>& around = users.at(edge);
      if (std::any_of(around.begin(), around.end(), [&](int other) { return is_split[other] != 0; })) continue;
      mesh.vertices.push_back(0.5 * (mesh.vertices[edge[0]] + mesh.vertices[edge[1]]));
      for (const int other : around) {
        const Tet whole = mesh.tets[other];
        mesh.tets[other] = with(whole, edge[0], middle);
        mesh.tets.push_back(with(whole, edge[1], middle));
        is_split[other] = 1;
      }
    }
    has_split = true;
  }
  return has_split;
}

}  // namespace

void split_blunt_tetrahedra(const IsSharp& is_sharp, Mesh& mesh) {
  // Each round leaves fewer faces of the boundary to an element.
  constexpr int most_rounds = 100;
  for (int round = 0; round < most_rounds && split_once(is_sharp, mesh); ++round) continue;
}

}  // namespace clearance
