#include "clearance/simulation/hints/enclosure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clearance/geometry/point_tree.h"
#include "clearance/simulation/build/solid.h"

namespace clearance {

namespace {

bool contains(const BoundingBox& outer, const BoundingBox& inner) {
  return (outer.min.array() <= inner.min.array()).all() && (inner.max.array() <= outer.max.array()).all();
}

class EnclosureFinder {
 public:
  EnclosureFinder(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces)
      : desc_(desc), scene_(scene), surfaces_(surfaces) {}

  void run(NamedHints& hints) {
    // Each body is represented by its first vertex, so that the search in a box is fast even among many bodies.
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
        const int inner = body_of_point_[point];
        if (inner != outer && contains(box, surfaces_.box(inner)) && surfaces_.can_touch(inner, outer))
          candidates.push_back(inner);
      });
      test(outer, candidates);
    }
    report(hints);
  }

 private:
  struct Found {
    int count = 0;
    int inner = 0, outer = 0;  // first pair found
  };

  const BodyInstance& body(int b) const { return scene_.bodies[b]; }

  void test(int outer, const std::vector<int>& candidates) {
    // A body that starts bent was checked when it was bent.
    if (candidates.empty() || !body(outer).displacements.empty()) return;
    const std::optional<Solid> solid = Solid::of(desc_, scene_.bodies[outer]);
    if (!solid) return;
    for (const int inner : candidates) {
      if (!solid->holds(surfaces_.position(surfaces_.first_vertex(inner)))) continue;
      Found& found = found_[body(outer).desc];
      if (found.count++ > 0) continue;
      found.outer = outer;
      found.inner = inner;
    }
  }

  void report(NamedHints& hints) const {
    for (const auto& [outer_desc, found] : found_) {
      const Vec<3>& x = surfaces_.position(surfaces_.first_vertex(found.inner));
      const std::string others = and_more(found.count - 1);
      add_hint(
          hints, "enclosed_body", fmt::format("bodies[{}].transform", body(found.inner).desc),
          fmt::format(
              "body '{}'{} starts entirely inside body '{}', near {}, and can never come out, because surfaces cannot "
              "cross; move it, or give both bodies the same `collision_group` if they are not meant to touch",
              body(found.inner).name, others, body(found.outer).name, place_text(x)));
    }
  }

  const SceneDesc& desc_;
  const SceneModel& scene_;
  const BodySurfaces& surfaces_;
  std::vector<int> body_of_point_;
  std::map<int, Found> found_;  // keys: the entry of the outer body
};

}  // namespace

void warn_of_enclosed_bodies(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces,
                             NamedHints& hints) {
  // Bodies may be in one another if the scene has no contact.
  if (desc.contact.enabled) EnclosureFinder(desc, scene, surfaces).run(hints);
}

}  // namespace clearance
