#include "clearance/io/files/text_file.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "clearance/io/files/text_lines.h"

namespace clearance {

namespace fs = std::filesystem;

Result<Done> check_text_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return Issue{path.string(), "", "", "the file does not exist"};
  if (fs::is_directory(status)) return Issue{path.string(), "", "", "this is a directory, not a scene file"};
  if (fs::is_regular_file(status) && fs::file_size(path, error) > max_scene_bytes) {
    return Issue{
        path.string(), "", "",
        fmt::format("the file is larger than {} MiB, so that it cannot be a scene file", max_scene_bytes >> 20U)};
  }
  return Done{};
}

Result<std::string> read_text_file(const fs::path& path) {
  if (const Result<Done> checked = check_text_file(path); !checked) return checked.issues();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) return Issue{path.string(), "", "", "the file cannot be read; check its permissions"};
  std::string text = std::move(content).str();
  if (text.empty()) return Issue{path.string(), "", "", "is empty"};
  if (has_wide_characters(text)) return Issue{path.string(), "", "", wide_characters_message};
  return with_plain_lines(std::move(text));
}

}  // namespace clearance
