#include "clearance/io/files/program.h"

#include <cstdlib>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace clearance {

namespace fs = std::filesystem;

fs::path find_program(const char* name, const char* variable) {
  std::error_code error;
  std::vector<fs::path> places;
  if (const char* named = std::getenv(variable); named != nullptr && *named != 0) {
    places.emplace_back(named);
  } else {
    places.push_back(fs::read_symlink("/proc/self/exe", error).parent_path() / name);
    const char* folders = std::getenv("PATH");
    std::istringstream list(folders != nullptr ? folders : "");
    // An empty entry would be the working folder, which may hold files of any origin.
    for (std::string folder; std::getline(list, folder, ':');) {
      if (!folder.empty()) places.push_back(fs::path(folder) / name);
    }
  }
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, error)) return fs::absolute(place, error);
  }
  return {};
}

}  // namespace clearance
