#include "clearance/simulation/load/conformity.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/geometry/distance.h"
#include "clearance/geometry/hanging_nodes.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/point_tree.h"
#include "clearance/geometry/weld.h"

namespace clearance {

namespace {

/// Distance [m] per metre of the body's size below which two places count as the same.
constexpr double same_place = 1e-9;

/// Pairs of vertices in one place, and vertices that lie in facets which do not use them.
struct Seams {
  int num_doubles = 0, num_hanging = 0;
  std::array<int, 2> first_double{};
  int first_hanging = 0;
};

class SeamFinder {
 public:
  SeamFinder(const Mesh& mesh, std::vector<int> vertices)
      : mesh_(mesh), vertices_(std::move(vertices)), tree_(positions()) {
    tolerance_ = same_place * bounding_box(mesh.vertices).diagonal();
  }

  template <class Facets>
  Seams find(const Facets& facets) {
    find_doubles();
    std::vector<char> is_hanging(mesh_.vertices.size(), 0);
    for (const auto& facet : facets) mark_hanging(facet, is_hanging);
    for (const int v : vertices_) {
      if (is_hanging[v] == 0) continue;
      if (seams_.num_hanging++ == 0) seams_.first_hanging = v;
    }
    return seams_;
  }

 private:
  const Vec<3>& at(int v) const { return mesh_.vertices[v]; }
  Vertices positions() const {
    Vertices result;
    for (const int v : vertices_) result.push_back(at(v));
    return result;
  }

  template <class Visit>
  void visit_near(const BoundingBox& box, const Visit& visit) const {
    const Vec<3> margin = Vec<3>::Constant(tolerance_);
    tree_.visit_box(box.min - margin, box.max + margin, [&](int i) { visit(vertices_[i]); });
  }
  bool coincide(int a, int b) const { return (at(a) - at(b)).squaredNorm() <= tolerance_ * tolerance_; }

  void find_doubles() {
    for (const int v : vertices_) {
      int first = v;
      visit_near({at(v), at(v)}, [&](int other) {
        if (coincide(v, other)) first = std::min(first, other);
      });
      if (first == v) continue;
      if (seams_.num_doubles++ == 0) seams_.first_double = {first, v};
    }
  }

  template <std::size_t n>
  void mark_hanging(const std::array<int, n>& facet, std::vector<char>& is_hanging) const {
    BoundingBox box;
    for (const int v : facet) box.extend(at(v));
    visit_near(box, [&](int v) {
      for (const int corner : facet) {
        if (v == corner || coincide(v, corner)) return;
      }
      if (distance_sq(at(v), facet) <= tolerance_ * tolerance_) is_hanging[v] = 1;
    });
  }
  double distance_sq(const Vec<3>& p, const std::array<int, 2>& edge) const {
    return point_edge_distance_sq<3>(p, at(edge[0]), at(edge[1]));
  }
  double distance_sq(const Vec<3>& p, const std::array<int, 3>& t) const {
    return point_triangle_distance_sq(p, at(t[0]), at(t[1]), at(t[2]));
  }

  const Mesh& mesh_;
  std::vector<int> vertices_;  // ascending
  PointTree tree_;
  double tolerance_ = 0.0;  // [m]
  Seams seams_;
};

template <class Facets>
Seams find_seams(const Mesh& mesh, const Facets& facets) {
  std::vector<int> vertices;
  for (const auto& facet : facets) vertices.insert(vertices.end(), facet.begin(), facet.end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return SeamFinder(mesh, std::move(vertices)).find(facets);
}

/// Reports the seams that were found, and where the first ones are.
void report(const SceneDesc& scene, int desc, const Mesh& mesh, const std::vector<int>& source_vertex,
            const Seams& seams, const std::string& consequence, Issues& hints) {
  const std::string& name = scene.bodies[desc].name;
  const auto number = [&](int v) { return source_vertex[v]; };
  const auto place = [&](int v) { return place_text(mesh.vertices[v]); };
  if (seams.num_doubles > 0) {
    const auto [a, b] = seams.first_double;
    add_hint(hints, shape_place(scene, desc),
             fmt::format("body '{}': {} of its mesh {} in the same place as another one, the first pair being numbers "
                         "{} and {} (counted from 0) at {}; {}; merge them in the mesh",
                         name, seams.num_doubles == 1 ? "1 vertex" : fmt::format("{} vertices", seams.num_doubles),
                         seams.num_doubles == 1 ? "lies" : "lie", number(a), number(b), place(a), consequence));
  }
  if (seams.num_hanging > 0) {
    add_hint(hints, shape_place(scene, desc),
             fmt::format("body '{}' has {}: vertex {} (counted from 0) at {} lies in an edge or face that does not use "
                         "it; {}; make the mesh conforming",
                         name, counted(seams.num_hanging, "hanging node"), number(seams.first_hanging),
                         place(seams.first_hanging), consequence));
  }
}

}  // namespace

void warn_of_seams(const SceneDesc& scene, int desc, const Mesh& mesh, const Triangles& boundary,
                   const std::vector<int>& source_vertex, Issues& hints) {
  // Elements that do not share the faces where they meet have these faces on their boundary.
  const Seams seams =
      scene.dimension == 2 ? find_seams(mesh, boundary_edges(mesh.triangles)) : find_seams(mesh, boundary);
  report(scene, desc, mesh, source_vertex, seams,
         "the parts of the body are not connected there, and their surfaces touch", hints);
}

void close_t_junctions(const SceneDesc& scene, int desc, Mesh& mesh, Issues& hints) {
  const int num_split = split_at_hanging_nodes(mesh.vertices, mesh.triangles);
  if (num_split == 0) return;
  add_hint(hints, shape_place(scene, desc),
           fmt::format("body '{}': {} of its surface {} split at hanging nodes, which are vertices of other triangles "
                       "that lie in an edge (T-junctions)",
                       scene.bodies[desc].name, counted(num_split, "edge"), num_split == 1 ? "was" : "were"));
}

void warn_of_open_seams(const SceneDesc& scene, int desc, const Mesh& mesh, const std::vector<int>& source_vertex,
                        Issues& hints) {
  // Vertices in exactly one place count as one vertex in masses, and in contact two vertices work as well as one.
  const std::vector<int> first = weld(mesh.vertices);
  Triangles triangles = mesh.triangles;
  for (auto& triangle : triangles) {
    for (int& v : triangle) v = first[v];
  }
  const Edges open = find_surface_defects(triangles).open_edges;
  if (open.empty()) return;
  report(scene, desc, mesh, source_vertex, find_seams(mesh, open),
         "the surface is open there, so that the mass of the body is that of a thin sheet instead of a solid", hints);
}

}  // namespace clearance
