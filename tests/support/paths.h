// Files that tests read and programs that they run. Only paths.cpp depends on where the source lies, so that a compiler
// cache serves every clone.
#pragma once

#include <filesystem>
#include <string>

namespace clearance {

/// Returns the folder of the source, absolute.
const std::filesystem::path& source_folder();
/// Returns the path of the program `clearance`.
const std::string& program_path();
/// Returns the folder of other programs' data: CLEARANCE_PEER_DATA, or a default. It need not exist.
std::filesystem::path peer_data();

}  // namespace clearance
