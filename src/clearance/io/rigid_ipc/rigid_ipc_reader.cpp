#include "clearance/io/rigid_ipc/rigid_ipc_reader.h"

#include "clearance/io/rigid_ipc/rigid_ipc_body.h"
#include "clearance/io/rigid_ipc/rigid_ipc_search.h"
#include "clearance/io/rigid_ipc/rigid_ipc_settings.h"
#include "clearance/io/rigid_ipc/rigid_ipc_state.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

// Reads the bodies and returns the diagonal [m] of the box around all of them at the start.
double read_bodies(const RigidIpcObject& problem, RigidIpcBodies& shared, std::vector<BodyDesc>& bodies) {
  const Json* list = problem.find("rigid_bodies");
  if (list == nullptr || !list->is_array()) {
    problem.error("rigid_bodies", "expected a list of bodies");
    return 0.0;
  }
  BoundingBox box;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const RigidIpcObject from((*list)[i], element_path(problem.place_of("rigid_bodies"), i), problem.issues());
    std::optional<RigidIpcBody> body = read_rigid_ipc_body(from, shared);
    if (!body) continue;
    box.extend(body->box.min);
    box.extend(body->box.max);
    bodies.push_back(std::move(body->desc));
  }
  return box.diagonal();
}

SceneDesc convert(const RigidIpcObject& root, const std::filesystem::path& path) {
  const RigidIpcObject problem = root.child("rigid_body_problem");
  SceneDesc scene;
  set_published_defaults(scene);
  const Json* bodies = problem.find("rigid_bodies");
  scene.dimension = bodies == nullptr ? 3 : rigid_ipc_dimension(*bodies, path);
  scene.time = read_rigid_ipc_time(root);
  RigidIpcBodies shared{scene.dimension, scene.time.step, RigidIpcMeshes(path, scene.dimension)};
  const double diagonal = read_bodies(problem, shared, scene.bodies);
  join_groups_of_obstacles(scene.bodies);
  read_rigid_ipc_settings(root, diagonal, scene);
  warn_of_unknown_rigid_ipc_settings(root);
  name_bodies(scene);
  return scene;
}

}  // namespace

bool is_rigid_ipc(const Json& root) {
  const auto has_problem = [](const Json& scene) {
    return scene.is_object() && (scene.contains("rigid_body_problem") || scene.contains("scene_type"));
  };
  return has_problem(root) || (root.is_object() && root.contains("args") && has_problem(root["args"]));
}

Result<LoadedScene> read_rigid_ipc(const Json& root, const std::filesystem::path& path) {
  Issues issues;
  const bool is_saved = root.is_object() && root.contains("args");
  const RigidIpcObject scene(is_saved ? root["args"] : root, is_saved ? "args" : "", issues);
  SceneDesc desc;
  desc = convert(scene, path);
  desc.name = path.stem().string();
  desc.base_directory = path.parent_path().string();
  if (is_saved && !has_errors(issues)) {
    restore_rigid_ipc_state(RigidIpcObject(root, "", issues).child("animation"), desc);
  }
  return finish_import(std::move(desc), std::move(issues), path.string());
}

}  // namespace clearance
