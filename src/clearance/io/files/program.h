// Search for programs that belong to this one and are installed beside it.
#pragma once

#include <filesystem>

namespace clearance {

/// Returns the path that the environment variable `variable` holds. Otherwise returns the program called `name` beside
/// the running one or in a folder of PATH; programs of users that are linked with the installed library need the
/// latter. Returns an empty path if there is none.
std::filesystem::path find_program(const char* name, const char* variable);

}  // namespace clearance
