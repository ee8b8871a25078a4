// Robots in URDF, as clearance-robot reads them, with the scene that is made of them.
#include "apps/robot/urdf_model.h"
#include "clearance/io/robot/robot_answer.h"
#include "clearance/io/robot/robot_scene.h"
#include "clearance/scene/validate.h"
#include "fuzz/targets/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  static const fuzz::InputFolder folder;
  RobotAnswer answer;
  const auto model = robot::read_urdf(folder.put("robot.urdf", fuzz::text_of(data, size)), answer.issues);
  if (!model || has_errors(answer.issues)) {
    fuzz::require_reasons(answer.issues);
    return 0;
  }
  answer.scene = scene_of_robot(*model, answer.issues);
  // The answer goes to the simulator as text, which may refuse it with reasons.
  const Json json = Json::parse(to_json(answer).dump(), nullptr, false);
  fuzz::require(!json.is_discarded(), "the answer is JSON");
  const RobotAnswer read = answer_from_json(json);
  if (has_errors(read.issues)) fuzz::require_reasons(read.issues);
  (void)validate(read.scene);
  return 0;
}
