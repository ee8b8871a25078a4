// Programs that belong to this one and lie beside it.
#pragma once

#include <filesystem>

namespace clearance {

/// What the environment variable names, or the program of this name beside the one that runs; empty if it is not there.
std::filesystem::path find_program(const char* name, const char* variable);

}  // namespace clearance
