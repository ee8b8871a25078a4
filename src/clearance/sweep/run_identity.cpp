#include "clearance/sweep/run_identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "clearance/io/files/text_file.h"
#include "clearance/io/scene_reader.h"
#include "clearance/scene/body_names.h"
#include "clearance/scene/validate.h"

namespace clearance::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_differences = 3;

/// Loads the scene of a run from the copy of the scene file at the start of the sweep. The scene file may have changed
/// since.
Result<LoadedScene> load_expected(const SweepFolder& folder, int run) {
  const Manifest& manifest = folder.manifest();
  const Result<std::string> kept = read_text_file(folder.scene_copy());
  if (!kept) return kept.issues();
  const std::vector<std::string> overrides = manifest.overrides(run);
  // Its meshes are beside the original scene. Formats of other programs are read only from their own file.
  Result<LoadedScene> native = load_scene_text(*kept, manifest.scene.string(), manifest.scene.parent_path(), overrides);
  if (native) return native;
  const Result<std::string> now = read_text_file(manifest.scene);
  if (!now || *now != *kept) return native;
  return load_scene(manifest.scene, SceneFormat::automatic, overrides);
}

/// Returns the scene as the folder of a run stores it, without values that the start of a run determines and without
/// irrelevant ones. The duration is irrelevant, because the number of steps is compared instead.
Json comparable(const fs::path& file, SceneDesc scene, bool is_separated) {
  name_bodies(scene);
  scene.name.clear();
  scene.time.duration = 1.0;
  if (scene.contact.separate_curved) scene.contact.min_separation = 0.0;
  if (is_separated) {
    scene.start = {};
    scene.joints.clear();
    for (BodyDesc& body : scene.bodies) body.transform = {};
  }
  return Json::parse(scene_text(file, scene), nullptr, false);
}

}  // namespace

std::string find_foreign(const SweepFolder& folder, int run, int num_steps_stored, bool is_complete) {
  const fs::path file = folder.run_folder(run) / "scene.json";
  std::error_code error;
  if (!fs::exists(file, error)) return "";
  const Result<LoadedScene> expected = load_expected(folder, run);
  if (!expected) return "";
  const Result<LoadedScene> stored = load_scene(file, SceneFormat::clearance);
  if (!stored) {
    const Issues& issues = stored.issues();
    return issues.empty() ? "" : fmt::format("its scene cannot be read: {}", to_string(issues.front()));
  }
  const bool is_separated = expected->scene.start.overlaps == OverlapHandling::separate;
  const std::vector<std::string> differences = find_differences(
      comparable(file, stored->scene, is_separated), comparable(file, expected->scene, is_separated), max_differences);
  if (!differences.empty()) return fmt::format("{}", fmt::join(differences, "; "));
  const int num_steps_expected = folder.manifest().steps.value_or(num_steps(expected->scene.time));
  if (num_steps_stored > num_steps_expected || (is_complete && num_steps_stored != num_steps_expected)) {
    return fmt::format("it has {} steps, and the plan says {}", num_steps_stored, num_steps_expected);
  }
  return "";
}

}  // namespace clearance::sweep
