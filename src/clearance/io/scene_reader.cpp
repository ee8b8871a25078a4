#include "clearance/io/scene_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "clearance/io/abaqus/abaqus_reader.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/files/text_file.h"
#include "clearance/io/ipc/ipc_script_reader.h"
#include "clearance/io/json_text.h"
#include "clearance/io/mesh/mesh_text.h"
#include "clearance/io/mesh/stage.h"
#include "clearance/io/polyfem/polyfem_reader.h"
#include "clearance/io/rigid_ipc/rigid_ipc_reader.h"
#include "clearance/io/robot/robot_program.h"
#include "clearance/scene/json_reader.h"
#include "clearance/scene/json_writer.h"
#include "clearance/scene/overrides.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

// True if `inner` is the place `outer` or inside of it.
bool is_within(const std::string& inner, const std::string& outer) {
  if (!inner.starts_with(outer)) return false;
  return outer.empty() || inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[';
}

// True if the issue names bodies (or joints), and their list is the cause because it could not be read completely.
bool is_of_unread_list(const std::string& place, const std::string& cause) {
  const bool is_probe = is_within(place, "output.probes");
  if (cause == "joints") return is_probe;
  return cause == "bodies" &&
         (is_probe || is_within(place, "joints") || is_within(place, "springs") || is_within(place, "friction.pairs") ||
          is_within(place, "contact.restitution_pairs") || is_within(place, "contact.ignored_pairs"));
}

// True if the issue may follow from the kind of a body that could not be read, so that the body counts as deformable.
bool is_of_unread_kind(const std::string& place, const std::string& cause) {
  constexpr std::string_view key = "].kind";
  if (!is_within(cause, "bodies") || !cause.ends_with(key)) return false;
  const std::string body = cause.substr(0, cause.size() - key.size() + 1);
  if (is_within(place, body)) return !is_within(place, body + ".material") && !is_within(place, body + ".transform");
  return is_within(place, "joints") || is_within(place, "attachments") || is_within(place, "springs") ||
         is_within(place, "output.probes");
}

// True if the issue may follow from the kind of a generator that could not be read: its sizes are those of another
// shape.
bool is_of_unread_shape(const std::string& place, const std::string& cause) {
  constexpr std::string_view key = ".generator.kind";
  if (!cause.ends_with(key)) return false;
  return is_within(place, cause.substr(0, cause.size() - std::string_view(".kind").size()));
}

// A value that could not be read keeps its default, so what validation says about it, or about its parent, may be
// wrong: only the first cause is reported.
void add_independent(Issues& issues, const Issues& more) {
  const std::size_t num_causes = issues.size();
  for (const Issue& issue : more) {
    const bool is_consequence =
        std::any_of(issues.begin(), issues.begin() + static_cast<std::ptrdiff_t>(num_causes), [&](const Issue& cause) {
          return cause.severity == Severity::error &&
                 (is_within(issue.place, cause.place) || is_within(cause.place, issue.place) ||
                  is_of_unread_list(issue.place, cause.place) || is_of_unread_kind(issue.place, cause.place) ||
                  is_of_unread_shape(issue.place, cause.place));
        });
    if (!is_consequence) issues.push_back(issue);
  }
}

void check_mesh_exists(const SceneDesc& scene, const std::string& mesh, std::string place, Issues& issues) {
  if (mesh.empty()) return;
  const fs::path path = split_stage_path(fs::path(scene.base_directory) / mesh).first;
  std::error_code error;
  const bool is_file = fs::is_regular_file(path, error);
  // Segments and points may come from the .obj of the same name (read_mesh), TetGen's pair has no extension.
  const std::string extension = path.extension().string();
  const bool has_substitute = (extension == ".seg" || extension == ".pt") &&
                              fs::is_regular_file(fs::path(path).replace_extension(".obj"), error);
  const bool is_pair = extension.empty() && fs::is_regular_file(fs::path(path.string() + ".ele"), error);
  if (is_file || has_substitute || is_pair) return;
  const char* problem =
      fs::is_directory(path, error) ? "this is a directory, not a mesh file" : "the mesh file does not exist";
  issues.push_back(
      {"", std::move(place), mesh, fmt::format("{}; looked for {}", problem, path.lexically_normal().string())});
}

void check_meshes_exist(const SceneDesc& scene, Issues& issues) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDesc& body = scene.bodies[i];
    check_mesh_exists(scene, body.mesh, element_path("bodies", i) + ".mesh", issues);
    if (!body.shell || !body.shell->pattern) continue;
    check_mesh_exists(scene, body.shell->pattern->mesh, element_path("bodies", i) + ".shell.pattern.mesh", issues);
  }
}

Result<LoadedScene> read_native(Json root, const std::string& file, const fs::path& base_directory,
                                const std::vector<std::string>& overrides, Issues issues) {
  apply_overrides(root, overrides, issues);
  SceneDesc scene = scene_from_json(root, issues);
  scene.base_directory = base_directory.string();
  if (scene.name.empty()) scene.name = fs::path(file).stem().string();
  name_bodies(scene);
  Issues more = validate(scene);
  check_meshes_exist(scene, more);
  add_independent(issues, more);
  name_units(unit_system_of(scene), issues);
  return finish_loading(std::move(scene), std::move(issues), file);
}

// Returns the format by the keys that only one of the formats has.
SceneFormat format_of(const Json& root) {
  const auto has_any = [&](std::initializer_list<const char*> keys) {
    return root.is_object() &&
           std::any_of(keys.begin(), keys.end(), [&](const char* key) { return root.contains(key); });
  };
  if (has_any({"format", "bodies", "half_spaces"})) return SceneFormat::clearance;
  if (is_rigid_ipc(root)) return SceneFormat::rigid_ipc;
  if (is_polyfem(root)) return SceneFormat::polyfem;
  return SceneFormat::clearance;
}

// Applies overrides to an imported scene. They name values of the native scene.
Result<LoadedScene> with_overrides(Result<LoadedScene> loaded, const fs::path& path,
                                   const std::vector<std::string>& overrides) {
  if (!loaded || overrides.empty()) return loaded;
  const std::string base_directory = loaded->scene.base_directory;
  return read_native(scene_to_json_value(loaded->scene), path.string(), base_directory, overrides, loaded->warnings);
}

/// Reads a robot. The override `robot.sides` is not a value of the scene: it controls how the scene is made.
Result<LoadedScene> read_robot_with(const fs::path& path, const std::string& format,
                                    std::vector<std::string> overrides) {
  constexpr std::string_view key = "robot.sides=";
  constexpr int fewest = 8, most = 4096;
  int sides = 0;
  for (const std::string& text : overrides) {
    if (!text.starts_with(key)) continue;
    const char *first = text.data() + key.size(), *last = text.data() + text.size();
    const auto [end, status] = std::from_chars(first, last, sides);
    if (status != std::errc() || end != last || sides < fewest || sides > most) {
      return Issue{
          path.string(), "robot.sides", text.substr(key.size()),
          fmt::format("expected a whole number from {} to {}, the number of sides of round shapes", fewest, most)};
    }
  }
  std::erase_if(overrides, [&](const std::string& text) { return text.starts_with(key); });
  return with_overrides(read_robot(path, format, sides), path, overrides);
}

/// Returns true for a file that neither has the ending of JSON nor begins like it, comments included.
bool is_foreign(const fs::path& path) {
  if (path.extension() == ".json") return false;
  const Result<std::string> text = read_text_file(path);
  if (!text) return false;
  const std::size_t start = text->find_first_not_of(" \t\r\n");
  return start != std::string::npos && std::string_view("{/").find((*text)[start]) == std::string_view::npos;
}

Result<LoadedScene> read_json_file(const fs::path& path, SceneFormat format,
                                   const std::vector<std::string>& overrides) {
  if (is_foreign(path)) {
    return Issue{path.string(), "", "",
                 "this is no scene; expected JSON (of Clearance, Rigid IPC or PolyFEM), a script of IPC (.txt, .ipc), "
                 "a file of Abaqus or CalculiX (.inp), URDF or MJCF"};
  }
  Result<Json> root = read_json(path);
  if (!root) return root.issues();
  if (format == SceneFormat::automatic) format = format_of(*root);
  if (format == SceneFormat::rigid_ipc) return with_overrides(read_rigid_ipc(*root, path), path, overrides);
  if (format == SceneFormat::polyfem) return with_overrides(read_polyfem(*root, path, read_json), path, overrides);
  return read_native(std::move(*root), path.string(), path.parent_path(), overrides, {});
}

bool is_script(const fs::path& path) {
  return path.extension() == ".txt" || path.extension() == ".ipc";
}

/// Returns the format by the first element. The readers report files that are missing or not XML.
SceneFormat format_of_xml(const fs::path& path) {
  std::string start(1 << 16, ' ');  // comments included
  std::ifstream file(path);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(file.gcount());
  const std::string format = robot_format_of(start);
  if (format == "urdf") return SceneFormat::urdf;
  return format == "mjcf" ? SceneFormat::mjcf : SceneFormat::automatic;
}

}  // namespace

Result<LoadedScene> load_scene(const fs::path& path, SceneFormat format, const std::vector<std::string>& overrides) {
  if (format == SceneFormat::automatic && is_script(path)) format = SceneFormat::ipc;
  if (format == SceneFormat::ipc) return with_overrides(read_ipc_script(path), path, overrides);
  if (format == SceneFormat::automatic && to_lower(path.extension().string()) == ".inp") format = SceneFormat::abaqus;
  if (format == SceneFormat::abaqus) return with_overrides(read_abaqus_scene(path), path, overrides);
  if (format == SceneFormat::automatic) format = format_of_xml(path);
  if (format == SceneFormat::urdf) return read_robot_with(path, "urdf", overrides);
  if (format == SceneFormat::mjcf) return read_robot_with(path, "mjcf", overrides);
  return read_json_file(path, format, overrides);
}

Result<LoadedScene> load_scene_text(const std::string& text, const std::string& name, const fs::path& base_directory,
                                    const std::vector<std::string>& overrides) {
  Result<Json> root = parse_json_text(text);
  if (root) return read_native(std::move(*root), name, base_directory, overrides, {});
  Issues issues = root.issues();
  set_file(issues, name);
  return issues;
}

std::string scene_text(const fs::path& path, const SceneDesc& scene) {
  std::error_code error;
  const fs::path from = fs::absolute(scene.base_directory.empty() ? "." : scene.base_directory, error);
  const fs::path to = fs::absolute(path, error).parent_path();
  SceneDesc saved = scene;
  if (from.lexically_normal() != to.lexically_normal()) {
    for (BodyDesc& body : saved.bodies) {
      if (!body.mesh.empty()) body.mesh = (from / body.mesh).lexically_normal().string();
      if (body.collision_surface) {
        for (std::string* file : {&body.collision_surface->mesh, &body.collision_surface->weights}) {
          if (!file->empty()) *file = (from / *file).lexically_normal().string();
        }
      }
      if (body.shell && body.shell->pattern && !body.shell->pattern->mesh.empty()) {
        std::string& file = body.shell->pattern->mesh;
        file = (from / file).lexically_normal().string();
      }
      for (MotionDesc& motion : body.motions) {
        if (!motion.mesh_sequence.empty())
          motion.mesh_sequence = (from / motion.mesh_sequence).lexically_normal().string();
        for (std::string& file : motion.mesh_files) file = (from / file).lexically_normal().string();
      }
    }
  }
  return scene_to_json(saved);
}

Result<Done> save_scene(const fs::path& path, const SceneDesc& scene) {
  return write_user_file_atomically(path, scene_text(path, scene));
}

}  // namespace clearance
