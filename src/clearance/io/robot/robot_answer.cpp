#include "clearance/io/robot/robot_answer.h"

#include "clearance/scene/json_reader.h"
#include "clearance/scene/json_writer.h"

namespace clearance {

Json to_json(const RobotAnswer& answer) {
  Json issues = Json::array();
  for (const Issue& issue : answer.issues) {
    issues.push_back({{"place", issue.place},
                      {"value", issue.value},
                      {"message", issue.message},
                      {"is_error", issue.severity == Severity::error}});
  }
  Json json = {{"issues", std::move(issues)}, {"notes", answer.notes}};
  if (!has_errors(answer.issues)) json["scene"] = scene_to_json_value(answer.scene);
  return json;
}

RobotAnswer answer_from_json(const Json& json) {
  RobotAnswer answer;
  for (const Json& issue : json.value("issues", Json::array())) {
    answer.issues.push_back({"", issue.value("place", ""), issue.value("value", ""), issue.value("message", ""),
                             issue.value("is_error", true) ? Severity::error : Severity::warning});
  }
  answer.notes = json.value("notes", answer.notes);
  if (json.contains("scene")) {
    answer.scene = scene_from_json(json["scene"], answer.issues);
  } else if (!has_errors(answer.issues)) {
    answer.issues.push_back({"", "", "", "clearance-robot returned no scene", Severity::error});
  }
  return answer;
}

}  // namespace clearance
