#include "clearance/io/ipc_script_reader.h"

#include <fmt/format.h>

#include "clearance/io/ipc_script.h"
#include "clearance/io/ipc_script_motions.h"
#include "clearance/io/ipc_script_placement.h"
#include "clearance/io/scene_file.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

Issue at_line(int line, std::string message, Severity severity) {
  return {"", fmt::format("line {}", line), "", std::move(message), severity};
}

// The reference adds dampingStiff / h * K to the Hessian of the incremental potential, h^2 times the native force:
// damping * K * v * h^2 = dampingStiff / h * K * (v h).
double damping_of(const IpcScript& script) {
  return script.damping_stiffness / (script.step * script.step);
}

MaterialDesc material_of(const IpcScript& script, const IpcShape& shape, Issues& issues) {
  MaterialDesc material;
  material.model = script.energy;
  material.density = script.density;
  material.youngs_modulus = script.youngs_modulus;
  material.poisson_ratio = script.poisson_ratio;
  material.damping = damping_of(script);
  if (!shape.material) return material;
  const Vec<3>& own = *shape.material;
  if (own[0] > 0.0 && own[1] > 0.0) {
    material.density = own[0];
    material.youngs_modulus = own[1];
    material.poisson_ratio = own[2];
  } else {
    issues.push_back(at_line(shape.line,
                             "density and Young's modulus of `material` are not above 0; the material of "
                             "the scene is used",
                             Severity::warning));
  }
  return material;
}

void warn_of_ignored_extras(const IpcShape& shape, const std::string& script, Issues& issues) {
  const bool has_extras =
      shape.linear_velocity || shape.angular_velocity || shape.start_velocity || !shape.dirichlet.empty();
  if (!has_extras) return;
  issues.push_back(at_line(
      shape.line, fmt::format("velocities and DBC of a shape have no effect with `script {}`, as in IPC", script),
      Severity::warning));
}

// `linearVelocity` and `angularVelocity` prescribe the whole shape, `DBC` some nodes, `initVel` the start.
void add_own_motions(const IpcScript& script, const IpcShape& shape, BodyDesc& body, Issues& issues) {
  const bool is_obstacle = body.kind == BodyKind::obstacle;
  if (shape.linear_velocity || shape.angular_velocity) {
    MotionDesc motion;
    motion.linear_velocity = shape.linear_velocity.value_or(Vec<3>::Zero());
    motion.angular_velocity = native_angular_velocity(shape.angular_velocity.value_or(Vec<3>::Zero()), script.step);
    const bool rests = motion.linear_velocity.isZero(0.0) && motion.angular_velocity.isZero(0.0);
    // An obstacle without motion rests anyway.
    if (!is_obstacle || !rests) body.motions.push_back(motion);
  }
  if (shape.start_velocity && !is_obstacle) {
    body.linear_velocity = (*shape.start_velocity)[0];
    body.angular_velocity = (*shape.start_velocity)[1];
  }
  for (const IpcDirichlet& dirichlet : shape.dirichlet) {
    if (is_obstacle) {
      issues.push_back(at_line(shape.line, "DBC on a part of an obstacle is not supported", Severity::error));
      return;
    }
    MotionDesc motion;
    motion.region = {.box = std::array<Vec<3>, 2>{dirichlet.box_min, dirichlet.box_max},
                     .frame = RegionFrame::body,
                     .surface_only = true};
    motion.linear_velocity = dirichlet.linear_velocity;
    motion.angular_velocity = native_angular_velocity(dirichlet.angular_velocity, script.step);
    motion.start = std::max(dirichlet.start, script.dirichlet_start);
    motion.end = std::min(dirichlet.end, script.dirichlet_end);
    if (motion.end > motion.start) body.motions.push_back(motion);
  }
}

std::vector<BodyDesc> make_bodies(const IpcScript& script, Issues& issues) {
  std::vector<BodyDesc> bodies;
  for (const IpcShape& shape : script.shapes) {
    BodyDesc body;
    const std::string extension = std::filesystem::path(shape.path).extension().string();
    const bool is_volume = extension.empty() || extension == ".msh" || extension == ".ele";
    body.kind = is_volume ? BodyKind::deformable : BodyKind::obstacle;
    if (is_volume) body.material = material_of(script, shape, issues);
    if (script.script == "null") {
      add_own_motions(script, shape, body, issues);
    } else {
      warn_of_ignored_extras(shape, script.script, issues);
    }
    bodies.push_back(std::move(body));
  }
  return bodies;
}

void place(BodyDesc& body, const PlacedShape& shape) {
  body.mesh = shape.mesh;
  body.transform = shape.transform();
  body.array = shape.array;
}

ContactDesc contact_of(const IpcScript& script, Issues& issues) {
  ContactDesc contact;
  const auto tuning = [&](std::size_t i, double fallback) {
    return i < script.tuning.size() ? script.tuning[i] : fallback;
  };
  contact.kappa = tuning(0, 0.0);
  contact.dhat = tuning(1, 1e-3);
  // The reference halves the first distance until it is not above the second, while it solves.
  const double target = tuning(2, contact.dhat);
  if (target > 0.0 && contact.dhat > target) {
    while (contact.dhat > target) contact.dhat *= 0.5;
    issues.push_back({"", "tuning", "", fmt::format("dHat is {:g} from the start, not reduced to it", contact.dhat),
                      Severity::warning});
  }
  contact.close_distance = tuning(3, 1e-9);
  contact.dhat_is_absolute = script.has_absolute_parameters;
  contact.kappa_min_multiplier = script.kappa_min_multiplier;
  return contact;
}

// Without self-collision, shapes do not collide with each other or themselves, but with half spaces and `meshCO`.
void switch_off_self_collision(const IpcScript& script, SceneDesc& scene, Issues& issues) {
  if (script.has_self_collision) return;
  if (script.half_spaces.empty() && script.mesh_obstacles.empty()) {
    scene.contact.enabled = false;
    return;
  }
  for (std::size_t i = 0; i < script.shapes.size(); ++i) scene.bodies[i].self_contact = false;
  const bool has_one_solid = script.shapes.size() == 1 && !scene.bodies[0].array;
  if (has_one_solid) return;
  issues.push_back(at_line(script.self_collision_line,
                           "contact between different bodies stays on; only contact of a body with itself is off",
                           Severity::warning));
}

SceneDesc convert(const IpcScript& script, IpcMeshes& meshes, Issues& issues) {
  SceneDesc scene;
  if (!script.has_gravity) scene.gravity.setZero();
  scene.time = {.step = script.step,
                .duration = script.duration,
                .integrator = script.integrator,
                .newmark_beta = script.newmark_beta,
                .newmark_gamma = script.newmark_gamma};
  scene.contact = contact_of(script, issues);
  scene.solver.ccd = script.ccd;
  // Relative tolerances are per second in both programs; absolute ones per step in the reference.
  const double tolerance = script.tolerances.back();
  scene.solver.tolerance = script.has_absolute_parameters ? tolerance / script.step : tolerance;
  scene.solver.tolerance_is_absolute = script.has_absolute_parameters;
  scene.half_spaces = script.half_spaces;

  std::vector<PlacedShape> shapes = place_shapes(script, meshes, issues);
  std::vector<PlacedShape> obstacles;
  for (const IpcMeshObstacle& obstacle : script.mesh_obstacles) {
    if (auto placed = place_mesh_obstacle(obstacle, meshes, issues)) obstacles.push_back(std::move(*placed));
  }
  scene.bodies = make_bodies(script, issues);
  if (has_errors(issues)) return scene;

  const Box obstacle_box = box_of(obstacles);
  IpcModel model{script, shapes, scene.bodies, obstacle_box, issues};
  apply_named_script(model);
  for (std::size_t i = 0; i < shapes.size(); ++i) place(scene.bodies[i], shapes[i]);
  switch_off_self_collision(script, scene, issues);
  for (const PlacedShape& obstacle : obstacles) {
    BodyDesc body;
    body.kind = BodyKind::obstacle;
    place(body, obstacle);
    scene.bodies.push_back(std::move(body));
  }
  return scene;
}

// Archives without symbolic links hold the path of the target instead, as the published scenes do.
bool is_link_as_text(const std::string& text) {
  return text.ends_with(".txt") && text.find_first_of(" \t\r\n") == std::string::npos;
}

}  // namespace

Result<LoadedScene> read_ipc_script(const std::filesystem::path& path) {
  const Result<std::string> text = read_text_file(path);
  if (text && is_link_as_text(*text)) {
    return Issue{path.string(), "", *text, "is a symbolic link that was stored as text; load the file that it names"};
  }
  return text ? read_ipc_script_text(*text, path) : text.issues();
}

Result<LoadedScene> read_ipc_script_text(const std::string& text, const std::filesystem::path& path) {
  Issues issues;
  const IpcScript script = parse_ipc_script(text, issues);
  LoadedScene loaded;
  if (!has_errors(issues)) {
    IpcMeshes meshes(path);
    loaded.scene = convert(script, meshes, issues);
    loaded.scene.name = path.stem().string();
    loaded.scene.base_directory = path.parent_path().string();
    name_bodies(loaded.scene);
  }
  if (!has_errors(issues)) {
    const Issues more = validate(loaded.scene);
    issues.insert(issues.end(), more.begin(), more.end());
  }
  for (Issue& issue : issues) {
    if (issue.file.empty()) issue.file = path.string();
  }
  if (has_errors(issues)) return issues;
  loaded.warnings = std::move(issues);
  return loaded;
}

}  // namespace clearance
