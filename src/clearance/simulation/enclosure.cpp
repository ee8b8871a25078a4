#include "clearance/simulation/enclosure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/point_tree.h"
#include "clearance/geometry/weld.h"
#include "clearance/geometry/winding_number.h"

namespace clearance {

namespace {

bool contains(const BoundingBox& outer, const BoundingBox& inner) {
  return (outer.min.array() <= inner.min.array()).all() && (inner.max.array() <= outer.max.array()).all();
}

class EnclosureFinder {
 public:
  EnclosureFinder(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces)
      : desc_(desc), scene_(scene), surfaces_(surfaces) {}

  void run(Issues& hints) {
    // Every body by its first vertex: what a box holds is found fast among many.
    Vertices points;
    for (int b = 0; b < surfaces_.count(); ++b) {
      if (surfaces_.num_vertices(b) == 0) continue;
      body_of_point_.push_back(b);
      points.push_back(surfaces_.position(surfaces_.first_vertex(b)));
    }
    const PointTree tree(std::move(points));
    for (int outer = 0; outer < surfaces_.count(); ++outer) {
      std::vector<int> candidates;
      const BoundingBox& box = surfaces_.box(outer);
      tree.visit_box(box.min, box.max, [&](int point) {
        const int inner = body_of_point_[static_cast<std::size_t>(point)];
        if (inner != outer && contains(box, surfaces_.box(inner)) && can_touch(inner, outer))
          candidates.push_back(inner);
      });
      test(outer, candidates);
    }
    report(hints);
  }

 private:
  struct Found {
    int count = 0;
    int inner = 0, outer = 0;  // the first pair
  };

  const BodyInstance& body(int b) const { return scene_.bodies[static_cast<std::size_t>(b)]; }

  bool can_touch(int a, int b) const {
    const std::vector<int>& group = scene_.model.surface.vertex_group;
    const int first = group[static_cast<std::size_t>(surfaces_.first_vertex(a))];
    const int second = group[static_cast<std::size_t>(surfaces_.first_vertex(b))];
    return first < 0 || first != second;
  }

  /// Outlines of obstacles in the plane, unless they are those of generated areas, have room inside as often as not.
  bool is_container(int outer) const {
    if (scene_.dim == 3 || !body(outer).is_obstacle) return false;
    const auto& generator = desc_.bodies[static_cast<std::size_t>(body(outer).desc)].generator;
    return !generator || generator->is_surface;
  }

  void test(int outer, const std::vector<int>& candidates) {
    if (candidates.empty() || is_container(outer)) return;
    // (The surface of the whole scene has lost the direction of the edges of a plane.)
    const Mesh& mesh = body(outer).mesh;
    const bool is_deformable = body(outer).kind == BodyKind::deformable;
    if (scene_.dim == 2) {
      test_all(outer, is_deformable ? boundary_edges(mesh.triangles) : mesh.edges, candidates);
    } else {
      test_all(outer, is_deformable ? boundary_triangles(mesh.tets) : mesh.triangles, candidates);
    }
  }

  template <class Facets>
  void test_all(int outer, const Facets& facets, const std::vector<int>& candidates) {
    // The boundary of elements is closed; an obstacle that is open is hollow, and so is one that points inwards.
    const bool is_solid = body(outer).kind == BodyKind::deformable;
    if (facets.empty() || (!is_solid && !is_closed(outer, facets))) return;
    for (const int inner : candidates) {
      const Vec<3>& x = surfaces_.position(surfaces_.first_vertex(inner));
      const int winding = winding_number(x, body(outer).mesh.vertices, facets).value_or(0);
      // The surface of a stiff body may point either way.
      if (is_stiff(body(outer).kind) ? winding % 2 == 0 : winding <= 0) continue;
      Found& found = found_[body(outer).desc];
      if (found.count++ > 0) continue;
      found.outer = outer;
      found.inner = inner;
    }
  }

  bool is_closed(int outer, Triangles triangles) const {
    weld_facets(outer, triangles);
    return find_surface_defects(triangles).open_edges.empty();
  }
  bool is_closed(int outer, Edges edges) const {
    weld_facets(outer, edges);
    return is_closed_outline(edges);
  }
  template <class Facets>
  void weld_facets(int outer, Facets& facets) const {
    const std::vector<int> first = weld(body(outer).mesh.vertices);
    for (auto& facet : facets) {
      for (int& v : facet) v = first[static_cast<std::size_t>(v)];
    }
  }

  void report(Issues& hints) const {
    for (const auto& [outer_desc, found] : found_) {
      const Vec<3>& x = surfaces_.position(surfaces_.first_vertex(found.inner));
      const std::string others = and_more(static_cast<std::size_t>(found.count) - 1);
      add_hint(hints, fmt::format("bodies[{}].transform", body(found.inner).desc),
               fmt::format("body '{}'{} starts entirely inside of body '{}', near {}: their surfaces do not meet, so "
                           "that it can never come out; move it, or give both one `collision_group` if they are not "
                           "to touch",
                           body(found.inner).name, others, body(found.outer).name, place_text(x)));
    }
  }

  const SceneDesc& desc_;
  const SceneModel& scene_;
  const BodySurfaces& surfaces_;
  std::vector<int> body_of_point_;
  std::map<int, Found> found_;  // by the entry of the outer body
};

}  // namespace

void warn_of_enclosed_bodies(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces,
                             Issues& hints) {
  // Without contact bodies may be in one another.
  if (desc.contact.enabled) EnclosureFinder(desc, scene, surfaces).run(hints);
}

}  // namespace clearance
