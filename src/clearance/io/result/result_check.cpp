#include "clearance/io/result/result_check.h"

#include <fmt/format.h>

#include "clearance/io/result/meeting_file.h"
#include "clearance/io/result/result_files.h"

namespace clearance {

namespace fs = std::filesystem;

Result<Done> check_result_folder(const fs::path& path, const char* file) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return Issue{path.string(), "", "", "this is not a folder; expected a result folder"};
  if (fs::exists(path / file, error)) return Done{};
  const Result<FolderContent> content = inspect_result_folder(path);
  if (!content) return content.issues();
  if (*content == FolderContent::result) return Done{};
  if (*content == FolderContent::prepared) {
    const char* why =
        holds_only_our_meeting_file(path)
            ? "the folder contains no result, because the run was refused; intersections.vtu shows where bodies met at "
              "the start"
            : "the folder contains no result, because the run was refused or ended at once; log.txt says why";
    return Issue{path.string(), "", "", why};
  }
  return Issue{path.string(), "", "",
               fmt::format("this is not a result folder of this program, because it has no {}", file)};
}

}  // namespace clearance
