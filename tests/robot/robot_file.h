// Models written by tests and read as users' models are, and the program that reads them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "clearance/io/files/program.h"
#include "clearance/io/scene_reader.h"

namespace clearance {

/// A folder of its own for the running test, empty at the start.
inline std::filesystem::path test_folder() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(info->test_suite_name()) + "_" + info->name();
  std::replace(name.begin(), name.end(), '/', '_');
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("robot_" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

inline std::filesystem::path write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

/// True if clearance-robot was built to read this format; asks it with a file that has nothing in it.
inline bool can_read(const std::string& format) {
  const auto program = find_program("clearance-robot", "CLEARANCE_ROBOT");
  if (program.empty()) return false;
  const Result<LoadedScene> loaded = load_scene(write_file(test_folder() / "nothing.xml", "<nothing/>"),
                                                format == "urdf" ? SceneFormat::urdf : SceneFormat::mjcf);
  return std::none_of(loaded.issues().begin(), loaded.issues().end(),
                      [](const Issue& issue) { return issue.message.find("was built without") != std::string::npos; });
}

#define SKIP_WITHOUT(format) \
  if (!can_read(format)) GTEST_SKIP() << "clearance-robot was built without the library that reads " << (format)

inline std::string messages_of(const Issues& issues) {
  std::string text;
  for (const Issue& issue : issues) text += to_string(issue) + '\n';
  return text;
}

/// The scene, with the warnings as one text.
struct Robot {
  SceneDesc scene;
  std::string told;

  const BodyDesc& body(const std::string& name) const {
    const auto found =
        std::find_if(scene.bodies.begin(), scene.bodies.end(), [&](const BodyDesc& b) { return b.name == name; });
    if (found == scene.bodies.end()) throw std::runtime_error("no body " + name + "\n" + told);
    return *found;
  }
  const JointDesc& joint(const std::string& name) const {
    const auto found =
        std::find_if(scene.joints.begin(), scene.joints.end(), [&](const JointDesc& j) { return j.name == name; });
    if (found == scene.joints.end()) throw std::runtime_error("no joint " + name + "\n" + told);
    return *found;
  }
};

inline Robot read_robot_text(const std::string& text, const std::string& name) {
  const Result<LoadedScene> loaded = load_scene(write_file(test_folder() / name, text));
  if (!loaded) throw std::runtime_error(messages_of(loaded.issues()));
  return {loaded->scene, messages_of(loaded->warnings)};
}

/// Returns the reasons why a model is refused; empty if it is read.
inline std::string refusal_of(const std::string& text, const std::string& name) {
  const Result<LoadedScene> loaded = load_scene(write_file(test_folder() / name, text));
  return loaded ? "" : messages_of(loaded.issues());
}

}  // namespace clearance
