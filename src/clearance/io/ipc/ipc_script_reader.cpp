#include "clearance/io/ipc/ipc_script_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/io/files/text_file.h"
#include "clearance/io/ipc/ipc_script.h"
#include "clearance/io/ipc/ipc_script_contact.h"
#include "clearance/io/ipc/ipc_script_motions.h"
#include "clearance/io/ipc/ipc_script_placement.h"
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
    issues.push_back(
        at_line(shape.line,
                "density and Young's modulus of `material` must be above 0; the material of the scene is used instead",
                Severity::warning));
  }
  return material;
}

void warn_of_ignored_extras(const IpcShape& shape, const std::string& script, Issues& issues) {
  const bool has_extras = shape.linear_velocity || shape.angular_velocity || shape.start_velocity ||
                          !shape.dirichlet.empty() || !shape.mesh_sequence.empty();
  if (!has_extras) return;
  issues.push_back(
      at_line(shape.line,
              fmt::format("velocities, DBC and meshSeq of a shape have no effect with `script {}`, as in IPC", script),
              Severity::warning));
}

RegionDesc surface_in(const Vec<3>& box_min, const Vec<3>& box_max) {
  return {.box = std::array<Vec<3>, 2>{box_min, box_max}, .frame = RegionFrame::body, .surface_only = true};
}

// `linearVelocity` and `angularVelocity` prescribe the whole shape, `DBC` some nodes, `initVel` the start.
void add_own_motions(const IpcScript& script, const IpcShape& shape, BodyDesc& body) {
  const bool is_obstacle = body.kind == BodyKind::obstacle;
  if (!shape.mesh_sequence.empty()) {
    MotionDesc motion;
    motion.mesh_sequence = shape.mesh_sequence;
    motion.mesh_sequence_first = 0;
    body.motions.push_back(motion);
    return;
  }
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
    MotionDesc motion;
    motion.region = surface_in(dirichlet.box_min, dirichlet.box_max);
    motion.linear_velocity = dirichlet.linear_velocity;
    motion.angular_velocity = native_angular_velocity(dirichlet.angular_velocity, script.step);
    motion.start = std::max(dirichlet.start, script.dirichlet_start);
    motion.end = std::min(dirichlet.end, script.dirichlet_end);
    if (motion.end > motion.start) body.motions.push_back(motion);
  }
}

// The force of an `NBC` is an acceleration: the reference multiplies it by the mass of each node.
void add_loads(const IpcScript& script, const IpcShape& shape, BodyDesc& body) {
  for (const IpcNeumann& neumann : shape.neumann) {
    LoadDesc load;
    load.region = surface_in(neumann.box_min, neumann.box_max);
    load.value = neumann.acceleration;
    load.start = std::max(neumann.start, script.neumann_start);
    load.end = std::min(neumann.end, script.neumann_end);
    if (load.end > load.start) body.loads.push_back(load);
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
      add_own_motions(script, shape, body);
    } else {
      warn_of_ignored_extras(shape, script.script, issues);
    }
    if (is_volume) add_loads(script, shape, body);
    bodies.push_back(std::move(body));
  }
  return bodies;
}

void place(BodyDesc& body, const PlacedShape& shape) {
  body.mesh = shape.mesh;
  body.transform = shape.transform();
  body.array = shape.array;
}

// Splits arrays whose copies move separately, and rotated grids, into separate shapes.
void split_arrays(IpcScript& script, Issues& issues) {
  if (script.model_angle == 0.0 && !moves_single_shapes(script)) return;
  for (const IpcShape& shape : script.shapes) {
    if (shape.num_copies() <= 100000) continue;
    issues.push_back(at_line(shape.line, "too many copies: at most 100000 that move on their own", Severity::error));
    return;
  }
  script.shapes = without_arrays(script.shapes);
}

// Finds the folders of mesh sequences and stores them as paths of the scene.
void find_mesh_sequences(IpcScript& script, const IpcMeshes& meshes, Issues& issues) {
  for (IpcShape& shape : script.shapes) {
    if (script.script == "null") shape.mesh_sequence = meshes.find_folder(shape.mesh_sequence, shape.line, issues);
  }
  script.script_folder = meshes.find_folder(script.script_folder, script.script_line, issues);
}

// The reference turns a shape about the middle of the box that it has at that moment: d += (I - R) b for the middle b
// of the turned shape about its first middle, with d its way beside the native motion.
void warn_of_wandering_centers(const IpcScript& script, const std::vector<PlacedShape>& shapes, Issues& issues) {
  for (std::size_t i = 0; i < shapes.size() && script.script == "null"; ++i) {
    const IpcShape& shape = script.shapes[i];
    if (!shape.angular_velocity || shape.angular_velocity->isZero(0.0)) continue;
    const Vertices vertices = shapes[i].world_vertices();
    const Vec<3> center = shapes[i].box().center();
    const double budget = 5e7 / static_cast<double>(vertices.size());
    const int num_steps = static_cast<int>(std::min({script.duration / script.step, 1000.0, budget}));
    const Mat<3> turn = ipc_rotation(*shape.angular_velocity * script.step);
    Mat<3> rotation = turn;
    Vec<3> drift = Vec<3>::Zero();
    double farthest = 0.0;
    for (int step = 1; step < num_steps; ++step, rotation = turn * rotation) {
      Box box;
      for (const Vec<3>& v : vertices) box.add(rotation * (v - center));
      drift += box.center() - turn * box.center();
      farthest = std::max(farthest, drift.norm());
    }
    if (farthest < 1e-3 * shapes[i].box().extent().norm()) continue;
    issues.push_back(at_line(shape.line,
                             fmt::format("the shape turns about the middle of its box at the start; IPC recomputes the "
                                         "middle at every step, which moves this shape by up to {:.2g} m",
                                         farthest),
                             Severity::warning));
  }
}

// Returns the settings of the whole scene.
SceneDesc settings_of(const IpcScript& script, Issues& issues) {
  SceneDesc scene;
  set_published_defaults(scene);
  if (!script.has_gravity) scene.gravity.setZero();
  scene.time = {.step = script.step,
                .duration = script.duration,
                .integrator = script.integrator,
                .newmark_beta = script.newmark_beta,
                .newmark_gamma = script.newmark_gamma,
                .mass = scene.time.mass,
                .max_halvings = scene.time.max_halvings};
  scene.contact = contact_of(script, scene.contact, issues);
  scene.friction = friction_of(script, scene.friction, issues);
  scene.solver.ccd = script.ccd;
  // Relative tolerances are per second in both programs; absolute ones per step in the reference.
  const double tolerance = script.tolerances.back();
  scene.solver.tolerance = script.has_absolute_parameters ? tolerance / script.step : tolerance;
  scene.solver.tolerance_is_absolute = script.has_absolute_parameters;
  scene.half_spaces = script.half_spaces;
  return scene;
}

SceneDesc convert(IpcScript script, IpcMeshes& meshes, Issues& issues) {
  split_arrays(script, issues);
  find_mesh_sequences(script, meshes, issues);
  SceneDesc scene = settings_of(script, issues);
  std::vector<PlacedShape> shapes = place_shapes(script, meshes, issues);
  std::vector<PlacedShape> obstacles;
  std::vector<double> obstacle_friction(script.shapes.size(), 0.0);
  for (const IpcMeshObstacle& obstacle : script.mesh_obstacles) {
    if (auto placed = place_mesh_obstacle(obstacle, meshes, issues)) obstacles.push_back(std::move(*placed));
    obstacle_friction.push_back(obstacle.friction);
  }
  warn_of_obstacle_friction(script, issues);
  scene.bodies = make_bodies(script, issues);
  if (has_errors(issues)) return scene;

  for (const PlacedShape& obstacle : obstacles) {
    BodyDesc& body = scene.bodies.emplace_back();
    body.kind = BodyKind::obstacle;
    place(body, obstacle);
  }
  IpcModel model{script, shapes, obstacles, scene, obstacle_friction, issues};
  apply_named_script(model);
  warn_of_wandering_centers(script, shapes, issues);
  for (std::size_t i = 0; i < shapes.size(); ++i) place(scene.bodies[i], shapes[i]);
  name_bodies(scene);
  set_obstacle_friction(obstacle_friction, shapes.size(), scene);
  switch_off_self_collision(script, scene, issues);
  return scene;
}

// Archives without symbolic links hold the path of the target instead, as the published scenes do.
bool is_link_as_text(const std::string& text) {
  return text.ends_with(".txt") && text.find_first_of(" \t\r\n") == std::string::npos;
}

}  // namespace

Result<LoadedScene> read_ipc_script(const std::filesystem::path& path) {
  std::filesystem::path file = path;
  Result<std::string> text = read_text_file(file);
  if (text && is_link_as_text(*text)) {
    file = file.parent_path() / *text;
    text = read_text_file(file);
    if (!text)
      return Issue{path.string(), "", file.string(), "this keyword names another script, which cannot be read"};
  }
  Result<LoadedScene> loaded = text ? read_ipc_script_text(*text, file) : text.issues();
  if (loaded) loaded->scene.name = path.stem().string();
  return loaded;
}

Result<LoadedScene> read_ipc_script_text(const std::string& text, const std::filesystem::path& path) {
  Issues issues;
  IpcScript script = parse_ipc_script(text, issues);
  SceneDesc desc;
  if (!has_errors(issues)) {
    IpcMeshes meshes(path);
    desc = convert(std::move(script), meshes, issues);
    desc.name = path.stem().string();
    desc.base_directory = path.parent_path().string();
  }
  if (!has_errors(issues)) {
    const Issues more = validate(desc);
    issues.insert(issues.end(), more.begin(), more.end());
  }
  return finish_loading(std::move(desc), std::move(issues), path.string());
}

}  // namespace clearance
