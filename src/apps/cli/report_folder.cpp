#include "apps/cli/report_folder.h"

namespace clearance::cli {

namespace fs = std::filesystem;

Issues problems_of_report_folder(const fs::path& output, const std::string& report_file, const std::string& contents,
                                 bool is_overwriting) {
  std::error_code error;
  if (output.empty() || !fs::exists(output, error)) return {};
  if (!fs::is_directory(output, error)) return {{output.string(), "-o", "", "this is a file; expected a folder"}};
  if (fs::is_empty(output, error)) return {};
  if (!fs::exists(output / report_file, error)) {
    return {{output.string(), "-o", "", "the folder holds other files; expected a new or an empty folder"}};
  }
  if (is_overwriting) return {};
  return {{output.string(), "-o", "", "the folder holds " + contents + "; --overwrite replaces them"}};
}

}  // namespace clearance::cli
