#include "clearance/meshing/flat_tetrahedra.h"

#include <algorithm>
#include <map>
#include <set>

#include "clearance/meshing/mesh_quality.h"

namespace clearance {

namespace {

using Edge = std::array<int, 2>;
using Face = std::array<int, 3>;

template <std::size_t size>
std::array<int, size> sorted(std::array<int, size> corners) {
  std::sort(corners.begin(), corners.end());
  return corners;
}

Face face_opposite(const std::array<int, 4>& tet, std::size_t k) {
  return sorted<3>({tet[(k + 1) % 4], tet[(k + 2) % 4], tet[(k + 3) % 4]});
}

/// Faces and edges of the surface.
struct Boundary {
  std::set<Face> faces;
  std::set<Edge> edges;

  explicit Boundary(const Mesh& mesh) {
    std::map<Face, int> num_tets;
    for (const auto& tet : mesh.tets) {
      for (std::size_t k = 0; k < 4; ++k) ++num_tets[face_opposite(tet, k)];
    }
    for (const auto& [face, count] : num_tets) {
      if (count != 1) continue;
      faces.insert(face);
      for (std::size_t k = 0; k < 3; ++k) edges.insert(sorted<2>({face[k], face[(k + 1) % 3]}));
    }
  }
};

/// Two faces show, and the edge that would come to the surface is not there yet.
bool can_go(const std::array<int, 4>& tet, const Boundary& boundary) {
  std::vector<int> opposite;
  for (std::size_t k = 0; k < 4; ++k) {
    if (boundary.faces.contains(face_opposite(tet, k))) opposite.push_back(tet[k]);
  }
  // The new edge joins the two vertices that are opposite to a face that shows.
  return opposite.size() == 2 && !boundary.edges.contains(sorted<2>({opposite[0], opposite[1]}));
}

bool is_flat(const Mesh& mesh, const std::array<int, 4>& tet, double angle) {
  Mesh alone;
  for (const int v : tet) alone.vertices.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
  alone.tets = {{0, 1, 2, 3}};
  return smallest_angle(alone) < angle;
}

}  // namespace

void take_off_flat_tetrahedra(double angle, Mesh& mesh) {
  std::vector<int> flat;
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    if (is_flat(mesh, mesh.tets[static_cast<std::size_t>(t)], angle)) flat.push_back(t);
  }
  // One at a time: each changes the surface that the next one sees. There are few.
  while (!flat.empty()) {
    const Boundary boundary(mesh);
    const auto found = std::find_if(flat.begin(), flat.end(),
                                    [&](int t) { return can_go(mesh.tets[static_cast<std::size_t>(t)], boundary); });
    if (found == flat.end()) return;
    mesh.tets.erase(mesh.tets.begin() + *found);
    const int gone = *found;
    flat.erase(found);
    for (int& t : flat) t -= t > gone ? 1 : 0;
  }
}

}  // namespace clearance
