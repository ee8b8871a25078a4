#include "clearance/scene/loaded_scene.h"

#include <set>
#include <tuple>

#include "clearance/scene/validate.h"

namespace clearance {

void name_units(const UnitSystem& units, Issues& issues) {
  if (units.is_si()) return;
  for (Issue& issue : issues) issue.message = units.message(issue.message);
}

void set_file(Issues& issues, const std::string& file) {
  for (Issue& issue : issues) {
    if (issue.file.empty()) issue.file = file;
  }
}

Result<LoadedScene> finish_loading(SceneDesc scene, Issues issues, const std::string& file) {
  set_file(issues, file);
  if (has_errors(issues)) return issues;
  return LoadedScene{std::move(scene), std::move(issues)};
}

Result<LoadedScene> finish_import(SceneDesc scene, Issues issues, const std::string& file) {
  // Validation names places of the native scene.
  if (!has_errors(issues)) {
    const Issues more = validate(scene);
    issues.insert(issues.end(), more.begin(), more.end());
  }
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::erase_if(issues,
                [&](const Issue& issue) { return !seen.emplace(issue.file, issue.place, issue.message).second; });
  return finish_loading(std::move(scene), std::move(issues), file);
}

}  // namespace clearance
