#include "support/paths.h"

#include <cstdlib>

namespace clearance {

const std::filesystem::path& source_folder() {
  static const std::filesystem::path folder = CLEARANCE_SOURCE_DIR;
  return folder;
}

const std::string& program_path() {
  static const std::string path = CLEARANCE_PROGRAM;
  return path;
}

std::filesystem::path peer_data() {
  const char* folder = std::getenv("CLEARANCE_PEER_DATA");
  return folder != nullptr ? folder : source_folder() / "../shared/peer-data";
}

}  // namespace clearance
