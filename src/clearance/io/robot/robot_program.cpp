#include "clearance/io/robot/robot_program.h"

#include <fmt/format.h>

#include "clearance/base/log.h"
#include "clearance/io/files/child_program.h"
#include "clearance/io/files/program.h"
#include "clearance/io/files/text_file.h"
#include "clearance/io/robot/robot_answer.h"

namespace clearance {

namespace {

namespace fs = std::filesystem;

Issue failure(const fs::path& path, std::string message) {
  return {path.string(), "", "", std::move(message), Severity::error};
}

/// True if an element's tag of that name starts at `at`.
bool opens(const std::string& text, std::size_t at, const std::string& name) {
  if (text.compare(at, name.size() + 1, '<' + name) != 0) return false;
  const std::size_t end = at + name.size() + 1;
  return end < text.size() && std::string(" \t\r\n>/").find(text[end]) != std::string::npos;
}

}  // namespace

std::string robot_format_of(const std::string& text) {
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (true) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string::npos || text[at] != '<') return "";
    const bool is_comment = text.compare(at, 4, "<!--") == 0;
    const bool is_prologue = text.compare(at, 2, "<?") == 0 || text.compare(at, 9, "<!DOCTYPE") == 0;
    if (!is_comment && !is_prologue) break;
    const std::size_t end = text.find(is_comment ? "-->" : ">", at + (is_comment ? 4 : 1));
    if (end == std::string::npos) return "";
    at = end + (is_comment ? 3 : 1);
  }
  if (opens(text, at, "robot")) return "urdf";
  return opens(text, at, "mujoco") ? "mjcf" : "";
}

Result<LoadedScene> read_robot(const fs::path& path, const std::string& format, int sides) {
  if (const Result<Done> checked = check_text_file(path); !checked) return checked.issues();
  const fs::path program = find_program("clearance-robot", "CLEARANCE_ROBOT");
  if (program.empty()) {
    return failure(path,
                   "the program clearance-robot, which reads URDF and MJCF, is neither beside this program nor on the "
                   "PATH; to build it, install liburdfdom or libmujoco (`./dev deps --robot`; on Debian the packages "
                   "liburdfdom-dev and libmujoco-dev) and build again; or set CLEARANCE_ROBOT to its path");
  }
  const TemporaryFolder folder("clearance-robot");
  if (folder.path().empty())
    return failure(path, "a temporary folder cannot be created; set TMPDIR to a folder that can be written into");
  std::error_code error;
  const fs::path answer_file = folder.path() / "answer.json";
  const Issues problems = run_child_program({program.string(), format, fs::absolute(path, error).string(),
                                             answer_file.string(), std::to_string(sides)},
                                            folder)
                              .issues;
  if (!problems.empty()) {
    Issues issues = problems;
    set_file(issues, path.string());
    return issues;
  }
  const Result<std::string> text = read_text_file(answer_file);
  if (!text) return text.issues();
  const Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded()) return failure(path, "clearance-robot returned an answer that is not JSON");
  RobotAnswer answer = answer_from_json(json);
  for (const std::string& note : answer.notes) log_info("{}: {}", path.string(), note);
  if (answer.scene.name.empty()) answer.scene.name = path.stem().string();
  answer.scene.base_directory = path.parent_path().string();
  return finish_import(std::move(answer.scene), std::move(answer.issues), path.string());
}

}  // namespace clearance
