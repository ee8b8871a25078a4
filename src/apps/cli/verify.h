// `clearance verify DIR`: re-checks the stored frames of a result folder with exact arithmetic, by code that shares
// nothing with the solver's checks (own surface extraction, own search, own predicates).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/verify/frame.h"

namespace clearance::cli {

struct VerifyOptions {
  std::filesystem::path folder;
  bool json = false;  ///< print one JSON object instead of text
};

/// What the files of a folder say, before any frame is judged.
struct VerifyFolder {
  verify::VerifyScene scene;
  int dimension = 3;
  std::vector<std::filesystem::path> frames;  ///< in the order of frames.pvd
  std::vector<double> times;                  ///< [s] of the frames
  std::vector<std::string> problems;          ///< files that contradict each other
  std::vector<std::string> notes;             ///< harmless: what a killed run leaves
};

struct VerifyReport {
  std::vector<verify::FrameVerdict>
      verdicts;  ///< per frame of the folder; unreadable ones are clean and have a problem
  std::vector<std::string> problems;
  int num_intersections = 0, num_inversions = 0, num_half_space_violations = 0, num_not_finite = 0;
  int num_too_close = 0;           ///< see FrameVerdict
  double smallest_gap = infinity;  ///< [m] of these
  double min_distance = infinity;  ///< [m]
  int min_distance_frame = -1;     ///< -1: no two things may touch
  bool is_clean() const;
};

/// Issues mean that the folder cannot be judged at all.
Result<VerifyFolder> read_verify_folder(const std::filesystem::path& folder);
VerifyReport verify_folder(const VerifyFolder& folder);

/// Prints the report. Exit status: 0 fine, 4 verification failed, 2 folder unusable.
int run_verify(const VerifyOptions& options);

}  // namespace clearance::cli
