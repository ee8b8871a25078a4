#include "clearance/simulation/load/moved_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "clearance/geometry/mesh_checks.h"
#include "clearance/scene/nearest_name.h"
#include "clearance/scene/scene_check.h"

namespace clearance {

namespace {

class Mover : SceneCheck {
 public:
  Mover(const SceneDesc& scene, std::vector<BodyInstance>& bodies, Issues& issues)
      : SceneCheck(scene, issues), bodies_(bodies) {
    for (std::size_t b = 0; b < bodies.size(); ++b) body_of_name_.emplace(bodies[b].name, b);
  }

  void run() {
    const std::vector<MovedBodyDesc>& moved = scene_.start.moved;
    std::map<std::string, std::size_t> first_with_name;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const std::string place = element_path("start.moved", i);
      check_in_plane(place + ".translation", moved[i].translation);
      const auto [known, is_new] = first_with_name.try_emplace(moved[i].body, i);
      if (!is_new) {
        error(place + ".body", fmt::format("start.moved[{}] already moves this body", known->second),
              quoted(moved[i].body));
        continue;
      }
      const auto found = body_of_name_.find(moved[i].body);
      if (found == body_of_name_.end()) {
        no_such_body(moved[i].body, place + ".body");
      } else {
        move(bodies_[found->second], moved[i], place);
      }
    }
  }

 private:
  static std::string quoted(const std::string& name) { return '"' + name + '"'; }

  void no_such_body(const std::string& name, const std::string& place) {
    std::vector<std::string_view> names;
    for (const auto& [known, b] : body_of_name_) names.push_back(known);
    const std::string_view nearest = nearest_name(name, names);
    error(place, "no body has this name" + (nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)),
          quoted(name));
  }

  void move(BodyInstance& body, const MovedBodyDesc& moved, const std::string& place) {
    const std::vector<MotionDesc>& motions = scene_.bodies[body.desc].motions;
    if (std::any_of(motions.begin(), motions.end(), [](const MotionDesc& m) { return m.is_absolute(); })) {
      error(place,
            fmt::format(
                "body '{}' cannot be moved, because it follows poses or a mesh sequence, which would pull it back",
                body.name));
    }
    body.shift = moved.translation;
    for (Vec<3>& x : body.mesh.vertices) x += body.shift;
    if (!moved.displacements) return;
    const std::string where = place + ".displacements";
    if (!has_nodes(body.kind)) {
      error(where, fmt::format("body '{}' is not deformable and can only be moved by `translation`", body.name));
    } else if (!scene_.bodies[body.desc].stiff_parts.empty()) {
      error(where, fmt::format("body '{}' has stiff parts, which cannot be bent", body.name));
    } else if (moved.displacements->size() != body.mesh.vertices.size()) {
      error(where,
            fmt::format("body '{}' has {} vertices; expected the same number of displacements", body.name,
                        body.mesh.vertices.size()),
            std::to_string(moved.displacements->size()));
    } else {
      bend(body, *moved.displacements, where);
    }
  }

  void bend(BodyInstance& body, const std::vector<Vec<3>>& displacements, const std::string& where) {
    for (const Vec<3>& u : displacements) check_in_plane(where, u);
    body.displacements = displacements;
    if (body.kind != BodyKind::deformable) return;
    const ElementDefects defects = find_element_defects(body.mesh_at_start());
    const std::size_t count = defects.inverted_triangles.size() + defects.inverted_tets.size() +
                              defects.flat_triangles.size() + defects.flat_tets.size();
    if (count > 0)
      error(where, fmt::format("the displacements invert or flatten {} elements of body '{}'", count, body.name));
  }

  std::vector<BodyInstance>& bodies_;
  std::map<std::string, std::size_t> body_of_name_;
};

}  // namespace

void move_bodies(const SceneDesc& scene, std::vector<BodyInstance>& bodies, Issues& issues) {
  if (!scene.start.moved.empty()) Mover(scene, bodies, issues).run();
}

MovedBodyDesc& moved_entry(SceneDesc& scene, const std::string& body) {
  for (MovedBodyDesc& moved : scene.start.moved) {
    if (moved.body == body) return moved;
  }
  scene.start.moved.push_back({body});
  return scene.start.moved.back();
}

}  // namespace clearance
