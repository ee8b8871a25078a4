#include "clearance/scene/loaded_scene.h"

namespace clearance {

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

}  // namespace clearance
