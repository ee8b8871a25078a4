#include "clearance/io/result/result_check.h"

#include <fmt/format.h>

#include "clearance/io/result/meeting_file.h"
#include "clearance/io/result/result_files.h"

namespace clearance {

namespace fs = std::filesystem;

Result<Done> check_result_folder(const fs::path& path, const char* file) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return Issue{path.string(), "", "", "is no folder; expected a result folder"};
  if (fs::exists(path / file, error)) return Done{};
  const Result<FolderContent> content = inspect_result_folder(path);
  if (!content) return content.issues();
  if (*content == FolderContent::result) return Done{};
  if (*content == FolderContent::prepared) {
    const char* why =
        holds_only_our_meeting_file(path)
            ? "holds no result: the run was refused; intersections.vtu shows where bodies met at the start"
            : "holds no result: the run was refused or ended at once; log.txt says why";
    return Issue{path.string(), "", "", why};
  }
  return Issue{path.string(), "", "", fmt::format("is no result folder of this program: it has no {}", file)};
}

}  // namespace clearance
