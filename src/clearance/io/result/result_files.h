// Which files of a result folder are the program's own. Only these are ever replaced or removed: whatever else lies in
// the folder, in frames/ or in checkpoint/ is the user's.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

/// What a run finds where its result is to be.
enum class FolderContent {
  nothing,   ///< no such folder, or an empty one
  foreign,   ///< files, but none of a result of this program
  prepared,  ///< this program's folder without a result: of a run that was refused or killed at once
  result     ///< frames, statistics, a checkpoint or a summary of a run
};

/// Reads only. An issue if it is no folder or cannot be read.
Result<FolderContent> inspect_result_folder(const std::filesystem::path& folder);

/// The first entries by name, for messages: `a.txt, b.txt, c.txt and 4 more`
std::string describe_content(const std::filesystem::path& folder);

/// Values of controls by their names.
using ControlValues = std::vector<std::pair<std::string, double>>;

/// `frames/frame_000012.vtu`
std::string frame_file(int step);

/// The step of a frame of ours; nothing for any other name.
std::optional<int> step_of_frame_file(std::string_view file);

/// One whole line of stats.jsonl.
struct StatsLine {
  std::string text;
  int step = 0;
  std::optional<bool> has_frame;  ///< nothing: of an older program, which did not say
};

/// What the controls were in every step that stats.jsonl has; none without such a file, or of a scene without controls.
std::map<int, ControlValues> read_controls(const std::filesystem::path& folder);

/// The lines up to the first that is cut off, broken or not of the step after the last line's; none without a file.
std::vector<StatsLine> read_stats_lines(const std::filesystem::path& folder);

/// Frames that the run has written as far as the folder says: those of frames.pvd and stats.jsonl, and the one that may
/// have been written after both (a kill may come in between). Relative to the folder, in order.
std::vector<std::string> recorded_frame_files(const std::filesystem::path& folder);

/// Removes a result, and nothing else. The checkpoint goes first, so that nobody can resume from what is left, and the
/// list of frames last, so that the next try knows them if this one is cut off.
Result<Done> erase_result(const std::filesystem::path& folder);

/// Removes a file and the temporary one that a kill may have left beside it; neither needs to exist.
Result<Done> remove_file(const std::filesystem::path& path);

}  // namespace clearance
