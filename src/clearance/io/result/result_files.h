// The files of a result folder that are the program's own. Only these are ever replaced or removed. Everything else in
// the folder, in frames/ or in checkpoint/ belongs to the user.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/io/result/pvd.h"

namespace clearance {

/// An empty file that marks a folder as this program's own. A run holds a lock on it, which ends with the process in
/// every case; the file stays.
inline constexpr const char* lock_file = "clearance.lock";

/// Content of the folder in which a run is to store its result.
enum class FolderContent {
  nothing,   ///< no such folder, or an empty one
  foreign,   ///< files, but none of a result of this program
  prepared,  ///< this program's folder without a result: of a run that was refused or killed at once
  result     ///< frames, statistics, a checkpoint or a summary of a run
};

/// Inspects a folder without changing it. Returns an issue if it is not a folder or cannot be read.
Result<FolderContent> inspect_result_folder(const std::filesystem::path& folder);

/// Returns the first entries by name, for messages: `a.txt, b.txt, c.txt and 4 more`
std::string describe_content(const std::filesystem::path& folder);

/// Values of controls by their names.
using ControlValues = std::vector<std::pair<std::string, double>>;

/// `frames/frame_000012.vtu`
std::string frame_file(int step);

/// Returns the step of a frame file that this program writes; nothing for any other name.
std::optional<int> step_of_frame_file(std::string_view file);

/// One whole line of stats.jsonl.
struct StatsLine {
  std::string text;
  int step = 0;
  double time = 0.0;              ///< [s] at the end of the step
  std::optional<bool> has_frame;  ///< absent: written by an older program, which did not store it
};

/// Returns the values of the controls in every step of stats.jsonl. The map is empty without such a file and for a
/// scene without controls.
std::map<int, ControlValues> read_controls(const std::filesystem::path& folder);

/// Returns the lines up to the first that is truncated, broken or out of sequence (its step does not follow that of the
/// line before). Returns none without a file.
std::vector<StatsLine> read_stats_lines(const std::filesystem::path& folder);

/// Returns the stored frames: those of frames.pvd and, unless the run is over, the newer ones that stats.jsonl names,
/// because a run adds frames to the list only now and then. Returns an issue if frames.pvd cannot be read.
Result<std::vector<PvdEntry>> read_stored_frames(const std::filesystem::path& folder);

/// Returns the frames that the folder records as written, relative to the folder and in order: those of frames.pvd and
/// stats.jsonl, and the one that may have been written after both if the run was killed in between.
std::vector<std::string> recorded_frame_files(const std::filesystem::path& folder);

/// Removes a result, and nothing else. The checkpoint is removed first, so that no run can resume from the rest. The
/// list of frames is removed last, so that the next attempt knows the frames if this one is interrupted.
Result<Done> erase_result(const std::filesystem::path& folder);

/// Removes a file and the temporary one that a kill may have left beside it; neither needs to exist.
Result<Done> remove_file(const std::filesystem::path& path);

}  // namespace clearance
