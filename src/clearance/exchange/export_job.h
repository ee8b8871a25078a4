// What all formats are asked for, and what they tell when they are done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clearance/exchange/exported_run.h"

namespace clearance::exchange {

struct ExportJob {
  std::filesystem::path folder;  ///< of a result
  std::filesystem::path output;  ///< files of several have its stem in front of their names
  FrameRange frames;
  bool is_overwriting = false;
};

struct ExportReport {
  std::size_t num_frames = 0, num_frames_of_run = 0;
  std::vector<std::string> files;  ///< beside the output
  std::uintmax_t num_bytes = 0;    ///< of all files
  std::vector<std::string> notes;  ///< what a user should know of it, a sentence each
  nlohmann::ordered_json values;   ///< further numbers by their names
};

/// Where vertices of rigid bodies are off by more than single precision is anyway, a sentence that says so.
void note_rigid_error(const ExportedRun& run, ExportReport& report);

/// How many bodies move in which way, and frames; of a measured run.
ExportReport report_of(const ExportedRun& run);

}  // namespace clearance::exchange
