#include "clearance/io/result/result_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "clearance/io/result/certificate_file.h"
#include "clearance/io/result/meeting_file.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Issue problem(const fs::path& path, std::string message) {
  return {path.string(), "", "", std::move(message), Severity::error};
}

/// True for results of versions without a lock file: a scene, and a list of frames with this program's file names.
bool has_list_of_our_frames(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "scene.json", error)) return false;
  const auto entries = read_pvd(folder / "frames.pvd");
  return entries && !entries->empty() && std::all_of(entries->begin(), entries->end(), [](const PvdEntry& entry) {
           return step_of_frame_file(entry.file).has_value();
         });
}

bool has_result(const fs::path& folder) {
  std::error_code error;
  for (const char* name : {"frames.pvd", "stats.jsonl", "summary.json", "checkpoint/state.bin"}) {
    if (fs::exists(folder / name, error)) return true;
  }
  return false;
}

}  // namespace

Result<FolderContent> inspect_result_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status) && status.type() == fs::file_type::not_found) return FolderContent::nothing;
  if (fs::exists(status) && !fs::is_directory(status))
    return problem(folder, "this is a file, not a folder; choose another place for the result with -o");
  const bool is_empty = fs::is_empty(folder, error);
  if (error) return problem(folder, "the folder cannot be read: " + error.message());
  if (is_empty) return FolderContent::nothing;
  if (!fs::is_regular_file(folder / lock_file, error) && !has_list_of_our_frames(folder) &&
      !holds_only_our_meeting_file(folder)) {
    return FolderContent::foreign;
  }
  return has_result(folder) ? FolderContent::result : FolderContent::prepared;
}

std::string describe_content(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  constexpr std::size_t max_names = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), max_names); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > max_names ? text + fmt::format(" and {} more", names.size() - max_names) : text;
}

std::string frame_file(int step) {
  return fmt::format("frames/frame_{:06}.vtu", step);
}

std::optional<int> step_of_frame_file(std::string_view file) {
  constexpr std::string_view begin = "frames/frame_", end = ".vtu";
  if (file.size() <= begin.size() + end.size() || !file.starts_with(begin) || !file.ends_with(end)) return std::nullopt;
  int step = -1;
  const char* last = file.data() + file.size() - end.size();
  const auto parsed = std::from_chars(file.data() + begin.size(), last, step);
  // Accepts only the exact name, because any other file is not the program's to remove.
  if (parsed.ptr != last || step < 0 || frame_file(step) != file) return std::nullopt;
  return step;
}

std::vector<StatsLine> read_stats_lines(const fs::path& folder) {
  std::vector<StatsLine> lines;
  std::ifstream file(folder / "stats.jsonl", std::ios::binary);
  for (std::string text; std::getline(file, text);) {
    const Json record = Json::parse(text, nullptr, false);
    if (!record.is_object() || !record.contains("step") || !record["step"].is_number_integer()) break;
    StatsLine line{text, record["step"].get<int>(), 0.0, std::nullopt};
    if (record.contains("time") && record["time"].is_number()) line.time = record["time"].get<double>();
    if (!lines.empty() && line.step != lines.back().step + 1) break;
    if (record.contains("frame")) line.has_frame = record["frame"].is_string();
    lines.push_back(std::move(line));
  }
  return lines;
}

std::map<int, ControlValues> read_controls(const fs::path& folder) {
  std::map<int, ControlValues> controls;
  for (const StatsLine& line : read_stats_lines(folder)) {
    const Json record = Json::parse(line.text, nullptr, false);
    if (!record.contains("controls") || !record["controls"].is_object()) continue;
    for (const auto& [name, value] : record["controls"].items()) {
      if (value.is_number()) controls[line.step].emplace_back(name, value.get<double>());
    }
  }
  return controls;
}

Result<std::vector<PvdEntry>> read_stored_frames(const fs::path& folder) {
  // A run writes its summary after the last list.
  std::error_code error;
  const bool is_over = fs::exists(folder / "summary.json", error);
  Result<std::vector<PvdEntry>> listed = read_pvd(folder / "frames.pvd");
  if (!listed || is_over) return listed;
  std::vector<PvdEntry> frames = std::move(*listed);
  int last = -1;
  for (const PvdEntry& entry : frames) last = std::max(last, step_of_frame_file(entry.file).value_or(-1));
  for (const StatsLine& line : read_stats_lines(folder)) {
    const std::string file = frame_file(line.step);
    if (line.step > last && line.has_frame.value_or(false) && fs::exists(folder / file, error)) {
      frames.push_back({line.time, file});
    }
  }
  return frames;
}

std::vector<std::string> recorded_frame_files(const fs::path& folder) {
  std::set<int> steps;
  if (const auto entries = read_pvd(folder / "frames.pvd")) {
    for (const PvdEntry& entry : *entries) {
      if (const auto step = step_of_frame_file(entry.file)) steps.insert(*step);
    }
  }
  const std::vector<StatsLine> lines = read_stats_lines(folder);
  for (const StatsLine& line : lines) {
    if (line.has_frame.value_or(false)) steps.insert(line.step);
  }
  steps.insert(lines.empty() ? 0 : lines.back().step + 1);
  std::vector<std::string> files;
  for (const int step : steps) files.push_back(frame_file(step));
  return files;
}

Result<Done> erase_result(const fs::path& folder) {
  const std::vector<std::string> frames = recorded_frame_files(folder);
  std::vector<std::string> files = {"checkpoint/state.bin", "summary.json", "bodies.json", meeting_file};
  files.insert(files.end(), frames.begin(), frames.end());
  files.insert(files.end(), {certificate_file, "probes.csv", "stats.jsonl", "frames.pvd"});
  for (const std::string& file : files) {
    if (const Result<Done> done = remove_file(folder / file); !done) return done;
  }
  return Done{};
}

Result<Done> remove_file(const fs::path& path) {
  for (const fs::path& file : {fs::path(path.string() + ".tmp"), path}) {
    std::error_code error;
    if (fs::is_directory(fs::symlink_status(file, error)))
      return problem(file, "this is a folder, but a file of the result belongs here; move it away");
    fs::remove(file, error);
    if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
      return problem(file, "files of an earlier run cannot be removed: " + error.message());
  }
  return Done{};
}

}  // namespace clearance
