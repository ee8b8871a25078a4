// Folders of results that one report tells from others.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/base/result.h"

namespace clearance::cli {

/// Returns why `output` cannot hold the results of a command: it has to be new, empty, or a folder with the report
/// `report_file`, whose results, `contents` in words, may be replaced. An empty path means no folder.
Issues problems_of_report_folder(const std::filesystem::path& output, const std::string& report_file,
                                 const std::string& contents, bool is_overwriting);

}  // namespace clearance::cli
