// The request and the report that all export formats share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clearance/exchange/exported_run.h"
#include "clearance/exchange/file_set.h"

namespace clearance::exchange {

struct ExportJob {
  std::filesystem::path folder;  ///< the result folder
  std::filesystem::path output;  ///< output file; if a format writes several files, their names start with its stem
  FrameRange frames;
  bool is_overwriting = false;
};

/// A job for a format that plays the run.
struct AnimationJob {
  ExportJob job;
  double speed = 1.0;  ///< seconds of the run in a second of the animation
};

struct ExportReport {
  std::size_t num_frames = 0, num_frames_of_run = 0;
  std::vector<std::string> files;  ///< names of the written files, in the folder of `output`
  std::uintmax_t num_bytes = 0;    ///< size of all files
  std::vector<std::string> notes;  ///< notes for the user, a sentence each
  nlohmann::ordered_json values;   ///< further numbers, by name
};

/// Returns the run of a job, measured. Nothing if it cannot be read or has no bodies that could be drawn, or if there
/// are `issues` already, which are told together with those of reading.
Result<ExportedRun> open_measured(const ExportJob& job, Issues issues = {});

/// A run, and what formats describe first: the same run measured, or its first frame if elements change.
struct RunAndFirst {
  ExportedRun run, first;
};
/// Returns the run of a job for formats that hold the elements of every frame. Fails as `open_measured`.
Result<RunAndFirst> open_with_own_elements(const ExportJob& job, Issues issues);

/// Moves the files to their places, and completes the report by their names and size.
Result<ExportReport> finish_export(FileSet& files, ExportReport report);

/// Adds a note if the vertices of rigid bodies are off by more than 1e-6 of the largest such body, which is about the
/// error of single precision.
void note_rigid_error(const ExportedRun& run, ExportReport& report);

/// Counts the frames, and the bodies by the way in which they move. The run has been measured.
ExportReport report_of(const ExportedRun& run);

/// Does so for a run of `open_with_own_elements`.
ExportReport report_of(const RunAndFirst& opened);

}  // namespace clearance::exchange
