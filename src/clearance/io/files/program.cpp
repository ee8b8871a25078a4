#include "clearance/io/files/program.h"

#include <cstdlib>
#include <system_error>

namespace clearance {

namespace fs = std::filesystem;

fs::path find_program(const char* name, const char* variable) {
  std::error_code error;
  const char* named = std::getenv(variable);
  const fs::path program = named != nullptr && *named != 0
                               ? fs::path(named)
                               : fs::read_symlink("/proc/self/exe", error).parent_path() / name;
  return fs::is_regular_file(program, error) ? fs::absolute(program, error) : fs::path();
}

}  // namespace clearance
