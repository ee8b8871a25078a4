#include "clearance/meshing/flat_tetrahedra.h"

#include <algorithm>
#include <map>
#include <set>

#include "clearance/geometry/element_corners.h"
#include "clearance/meshing/mesh_quality.h"

namespace clearance {

namespace {

using Edge = std::array<int, 2>;
using Face = std::array<int, 3>;

Face face_opposite(const std::array<int, 4>& tet, std::size_t k) {
  return sorted_corners<3>({tet[(k + 1) % 4], tet[(k + 2) % 4], tet[(k + 3) % 4]});
}

/// The faces and edges of the surface, updated while tetrahedra are removed.
class Boundary {
 public:
  explicit Boundary(const Mesh& mesh) {
    std::map<Face, int> num_tets;
    for (const auto& tet : mesh.tets) {
      for (std::size_t k = 0; k < 4; ++k) ++num_tets[face_opposite(tet, k)];
    }
    for (const auto& [face, count] : num_tets) {
      if (count == 1) turn(face);
    }
  }

  /// True if the tetrahedron has two faces on the surface, and the edge that its removal would add is not on the
  /// surface yet.
  bool can_go(const std::array<int, 4>& tet) const {
    std::vector<int> opposite;
    for (std::size_t k = 0; k < 4; ++k) {
      if (faces_.contains(face_opposite(tet, k))) opposite.push_back(tet[k]);
    }
    // The new edge joins the two vertices that are opposite to a surface face.
    return opposite.size() == 2 && !edges_.contains(sorted_corners<2>({opposite[0], opposite[1]}));
  }

  /// Removes the tetrahedron: its surface faces disappear, and its other faces become surface faces.
  void take_off(const std::array<int, 4>& tet) {
    for (std::size_t k = 0; k < 4; ++k) turn(face_opposite(tet, k));
  }

 private:
  void turn(const Face& face) {
    const bool is_new = faces_.insert(face).second;
    if (!is_new) faces_.erase(face);
    for (std::size_t k = 0; k < 3; ++k) {
      const Edge edge = sorted_corners<2>({face[k], face[(k + 1) % 3]});
      int& count = edges_[edge];
      count += is_new ? 1 : -1;
      if (count == 0) edges_.erase(edge);
    }
  }

  std::set<Face> faces_;
  std::map<Edge, int> edges_;  // number of surface faces at each edge
};

bool is_flat(const Mesh& mesh, const std::array<int, 4>& tet, double angle) {
  Mesh alone;
  for (const int v : tet) alone.vertices.push_back(mesh.vertices[v]);
  alone.tets = {{0, 1, 2, 3}};
  return smallest_angle(alone) < angle;
}

}  // namespace

void take_off_flat_tetrahedra(double angle, Mesh& mesh) {
  std::vector<int> flat;
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    if (is_flat(mesh, mesh.tets[t], angle)) flat.push_back(t);
  }
  // Tetrahedra are removed one at a time, because each removal changes the surface for the next one.
  Boundary boundary(mesh);
  std::vector<char> is_gone(mesh.tets.size(), 0);
  const auto tet = [&](int t) -> const std::array<int, 4>& { return mesh.tets[t]; };
  while (true) {
    const auto found = std::find_if(flat.begin(), flat.end(), [&](int t) { return boundary.can_go(tet(t)); });
    if (found == flat.end()) break;
    boundary.take_off(tet(*found));
    is_gone[*found] = 1;
    flat.erase(found);
  }
  std::size_t number = 0;
  std::erase_if(mesh.tets, [&](const auto&) { return is_gone[number++] != 0; });
}

}  // namespace clearance
