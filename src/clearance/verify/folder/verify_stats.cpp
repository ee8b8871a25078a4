#include "clearance/verify/folder/verify_stats.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace clearance::verify {
namespace {

using nlohmann::json;

std::string name_of_frame(int step) {
  return fmt::format("frames/frame_{:06}.vtu", step);
}

/// The frame that a line claims to have been stored; empty for none.
std::string claimed_frame(const json& line, int step, int frame_interval) {
  if (line.contains("frame")) return line["frame"].is_string() ? line["frame"].get<std::string>() : "";
  return frame_interval > 0 && step % frame_interval == 0 ? name_of_frame(step) : "";
}

}  // namespace

/// Reads one whole JSON object per line, steps in order. The last line may be cut off where a run was killed.
VerifyStats read_verify_stats(const std::filesystem::path& folder, int frame_interval) {
  VerifyStats result;
  std::ifstream file(folder / "stats.jsonl");
  result.exists = file.is_open();
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    const json line = json::parse(text, nullptr, false);
    const bool is_whole = line.is_object() && line.contains("step") && line["step"].is_number_integer();
    if (!is_whole && file.eof()) {
      result.notes.push_back("the last line of stats.jsonl is cut off");
    } else if (!is_whole) {
      result.problems.push_back(fmt::format("stats.jsonl: line {} is not an object with a step", number));
    } else {
      const int step = line["step"].get<int>(), last_step = result.last_step.value_or(0);
      if (step != last_step + 1) {
        result.problems.push_back(
            fmt::format("stats.jsonl: line {} is step {} after step {}", number, step, last_step));
      }
      result.last_step = step;
      // A run that stores any frame has stored the one of its start.
      const std::string frame = claimed_frame(line, step, frame_interval);
      if (!frame.empty() && result.frames.empty()) result.frames.push_back(name_of_frame(0));
      if (!frame.empty()) result.frames.push_back(frame);
    }
  }
  return result;
}

}  // namespace clearance::verify
