#include "clearance/scene/json_writer.h"

#include "clearance/scene/json_reader.h"
#include "clearance/scene/value_json.h"

namespace clearance {

Json scene_to_json_value(const SceneDesc& scene) {
  Json root = Json::object();
  root["format"] = native_format;
  const Json fields = value_json(scene, {});
  for (const auto& [key, value] : fields.items()) root[key] = value;
  return root;
}

std::string scene_to_json(const SceneDesc& scene) {
  return to_text(scene_to_json_value(scene));
}

Json default_scene_json() {
  return scene_to_json_value({});
}

}  // namespace clearance
