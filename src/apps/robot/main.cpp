// The program `clearance-robot`: everything that liburdfdom or libmujoco reads. `clearance` calls it as a process of
// its own, so that neither is part of the simulator: clearance-robot urdf|mjcf INPUT OUTPUT.json [SIDES]
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>

#include "apps/robot/mjcf_model.h"
#include "apps/robot/urdf_model.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/robot/robot_answer.h"
#include "clearance/io/robot/robot_scene.h"

namespace {

using namespace clearance;

constexpr int exit_bad_input = 2;

RobotAnswer read(const std::string& format, const std::filesystem::path& path, int sides) {
  RobotAnswer answer;
  std::optional<RobotModel> model =
      format == "urdf" ? robot::read_urdf(path, answer.issues) : robot::read_mjcf(path, answer.issues);
  if (!model || has_errors(answer.issues)) return answer;
  model->sides = sides;
  answer.notes = std::move(model->notes);
  answer.scene = scene_of_robot(*model, answer.issues);
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string format = argc == 4 || argc == 5 ? argv[1] : "";
  if (format != "urdf" && format != "mjcf") {
    std::cerr << "usage: clearance-robot urdf|mjcf INPUT OUTPUT.json [SIDES]\n"
                 "Reads the model of a robot for Clearance; `clearance convert` calls this program.\n";
    return exit_bad_input;
  }
  try {
    const RobotAnswer answer = read(format, argv[2], argc == 5 ? std::atoi(argv[4]) : 0);
    const Result<Done> done = write_user_file_atomically(argv[3], to_json(answer).dump());
    for (const Issue& issue : done.issues()) std::cerr << to_string(issue) << '\n';
    return done ? EXIT_SUCCESS : exit_bad_input;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return exit_bad_input;
  }
}
