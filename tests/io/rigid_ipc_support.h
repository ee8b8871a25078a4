// Rigid IPC scenes for tests, from pieces of text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clearance/io/json_text.h"
#include "clearance/io/rigid_ipc/rigid_ipc_reader.h"

namespace clearance::rigid_ipc_test {

inline constexpr const char* box = R"("vertices": [[0,0,0],[1,0,0],[1,2,0],[0,2,0],[0,0,3],[1,0,3],[1,2,3],[0,2,3]],
  "edges": [[0,1],[1,2],[2,0]],
  "faces": [[0,2,1],[0,3,2],[4,5,6],[4,6,7],[0,1,5],[0,5,4],[1,2,6],[1,6,5],[2,3,7],[2,7,6],[3,0,4],[3,4,7]])";
inline constexpr const char* quad = R"("vertices": [[0,0],[2,0],[2,1],[0,1]], "edges": [[0,1],[1,2],[2,3],[3,0]])";

inline std::string scene_of(const std::string& bodies, const std::string& more = "") {
  return "{" + more + R"("rigid_body_problem": {"rigid_bodies": [)" + bodies + "]}}";
}
inline std::string body_of(const std::string& shape, const std::string& more = "") {
  return "{" + std::string(shape) + (more.empty() ? "" : ", " + more) + "}";
}

inline Result<LoadedScene> read(const std::string& text) {
  return read_rigid_ipc(parse_json_text(text).value(), "scene.json");
}
inline SceneDesc good(const std::string& text, std::size_t num_warnings = 0) {
  const Result<LoadedScene> loaded = read(text);
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  if (!loaded) return {};
  EXPECT_EQ(loaded->warnings.size(), num_warnings);
  return loaded->scene;
}
inline std::vector<std::string> problems(const std::string& text) {
  std::vector<std::string> lines;
  const Result<LoadedScene> loaded = read(text);
  for (const Issue& issue : loaded ? loaded->warnings : loaded.issues()) lines.push_back(to_string(issue));
  return lines;
}

}  // namespace clearance::rigid_ipc_test
