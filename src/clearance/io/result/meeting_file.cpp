#include "clearance/io/result/meeting_file.h"

#include <fstream>
#include <string>
#include <string_view>

namespace clearance {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "<!-- clearance: meeting primitives of a refused scene -->\n";

}  // namespace

Result<Done> mark_meeting_file(const fs::path& folder) {
  std::ofstream file(folder / meeting_file, std::ios::binary | std::ios::app);
  file << mark << std::flush;
  if (!file) return Issue{(folder / meeting_file).string(), "", "", "cannot be written", Severity::error};
  return Done{};
}

bool holds_only_our_meeting_file(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename() != meeting_file) return false;
  }
  std::ifstream file(folder / meeting_file, std::ios::binary);
  file.seekg(-static_cast<std::streamoff>(mark.size()), std::ios::end);
  std::string end(mark.size(), '\0');
  return file.read(end.data(), static_cast<std::streamsize>(end.size())) && end == mark;
}

}  // namespace clearance
