// Programs that belong to this one and lie beside it.
#pragma once

#include <filesystem>

namespace clearance {

/// What the environment variable names, or the program of this name beside the one that runs, or in a folder of PATH
/// (programs of users that are linked with the installed library). Empty: nowhere.
std::filesystem::path find_program(const char* name, const char* variable);

}  // namespace clearance
