// The stored frames of a result folder, judged with exact arithmetic, by code that shares nothing with the solver's
// checks (own surface extraction, own search, own predicates).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/verify/frame.h"

namespace clearance::verify {

/// Contents of the files of a folder, before any frame is judged.
struct VerifyFolder {
  VerifyScene scene;
  int dimension = 3;
  std::vector<std::filesystem::path> frames;  ///< in the order of frames.pvd
  std::vector<double> times;                  ///< [s] of the frames
  std::vector<std::string> problems;          ///< files that contradict each other
  std::vector<std::string> notes;             ///< harmless: what a killed run leaves
};

struct VerifyReport {
  std::vector<FrameVerdict> verdicts;  ///< per frame of the folder; unreadable ones are clean and have a problem
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
/// A line for each offense: which frame, who meets whom, where.
std::vector<std::string> offense_texts(const VerifyFolder& folder, const VerifyReport& report);

}  // namespace clearance::verify
