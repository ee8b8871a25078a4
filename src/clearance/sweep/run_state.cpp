#include "clearance/sweep/run_state.h"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "clearance/io/result/folder_claim.h"
#include "clearance/io/result/result_files.h"
#include "clearance/sweep/run_identity.h"

namespace clearance::sweep {
namespace {

namespace fs = std::filesystem;

Json read_summary(const fs::path& folder) {
  std::ifstream file(folder / "summary.json");
  const Json json = file ? Json::parse(file, nullptr, false) : Json();
  return json.is_object() ? json : Json();
}

RunPhase phase_by(const SweepFolder& folder, int run, const Json& summary) {
  const fs::path path = folder.run_folder(run);
  std::error_code error;
  if (summary.is_object() && summary.value("finished", "") == "complete") return RunPhase::complete;
  if (is_being_written(path)) return RunPhase::running;
  if (fs::exists(folder.failure_file(run), error)) return RunPhase::failed;
  const std::string finished = summary.is_object() ? summary.value("finished", "") : "";
  // A strict run that stopped at a step without convergence would stop there again each time.
  if (finished == "failed") return RunPhase::failed;
  if (folder.manifest().is_strict && finished == "stopped" &&
      summary.value("converged_steps", 0) < summary.value("steps", 0)) {
    return RunPhase::failed;
  }
  const Result<FolderContent> content = inspect_result_folder(path);
  return content && *content == FolderContent::result ? RunPhase::interrupted : RunPhase::waiting;
}

std::string foreign_reason(const SweepFolder& folder, int run, const Json& summary) {
  const bool is_complete = summary.is_object() && summary.value("finished", "") == "complete";
  return find_foreign(folder, run, last_stored_step(folder.run_folder(run)), is_complete);
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line.starts_with("error: ") ? line.substr(7) : line;
}

std::string reason_of(const SweepFolder& folder, int run, int step) {
  if (std::string refusal = first_line(folder.failure_file(run)); !refusal.empty()) return refusal;
  const std::vector<StatsLine> lines = read_stats_lines(folder.run_folder(run));
  const Json last = lines.empty() ? Json() : Json::parse(lines.back().text, nullptr, false);
  const std::string status = last.is_object() ? last.value("status", "") : "";
  return status.empty() || status == "converged" ? fmt::format("ended after step {}; its log.txt says why", step)
                                                 : fmt::format("step {}: {}", step, status);
}

}  // namespace

std::string to_string(RunPhase phase) {
  constexpr std::array<const char*, 6> names = {"waiting", "running", "interrupted", "complete", "failed", "foreign"};
  return names[static_cast<std::size_t>(phase)];
}

RunPhase phase_of(const SweepFolder& folder, int run) {
  const Json summary = read_summary(folder.run_folder(run));
  return foreign_reason(folder, run, summary).empty() ? phase_by(folder, run, summary) : RunPhase::foreign;
}

RunState state_of(const SweepFolder& folder, int run) {
  const fs::path path = folder.run_folder(run);
  const Json summary = read_summary(path);
  RunState state;
  state.steps = last_stored_step(path);
  state.reason = foreign_reason(folder, run, summary);
  state.phase = state.reason.empty() ? phase_by(folder, run, summary) : RunPhase::foreign;
  if (summary.is_object()) {
    state.converged_steps = summary.value("converged_steps", 0);
    if (summary.contains("warnings")) state.num_warnings = static_cast<int>(summary["warnings"].size());
    if (summary.contains("total_seconds")) state.seconds = summary["total_seconds"].get<double>();
  }
  if (state.phase == RunPhase::failed) state.reason = reason_of(folder, run, state.steps);
  return state;
}

int last_stored_step(const fs::path& run_folder) {
  // Reads an ever longer part at the end of the file until it holds a whole line.
  std::ifstream file(run_folder / "stats.jsonl", std::ios::binary | std::ios::ate);
  if (!file) return 0;
  const auto size = static_cast<std::streamoff>(file.tellg());
  for (std::streamoff length = 4096;; length *= 4) {
    const std::streamoff begin = std::max<std::streamoff>(0, size - length);
    std::string text(size - begin, '\0');
    file.clear();
    file.seekg(begin);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    // Finds the last line that has an end.
    const std::size_t end = text.rfind('\n');
    const std::size_t before = end == std::string::npos || end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    const bool is_whole = before != std::string::npos || (begin == 0 && end != std::string::npos);
    if (!is_whole && begin > 0) continue;
    if (!is_whole) return 0;
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    const Json line = Json::parse(text.substr(start, end - start), nullptr, false);
    return line.is_object() ? line.value("step", 0) : 0;
  }
}

}  // namespace clearance::sweep
