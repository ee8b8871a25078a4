// The results of a study as tables and as JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clearance/io/result/energy_monitor.h"
#include "clearance/simulation/simulation.h"
#include "clearance/study/levels.h"
#include "clearance/study/quantities.h"

namespace clearance::cli {

/// The run of one level.
struct StudiedLevel {
  SceneSummary summary;
  double step = 0.0;  ///< [s]
  double seconds = 0.0;
  int num_unconverged = 0;           ///< steps that did not converge
  std::vector<RunWarning> warnings;  ///< those of summary.json
  std::filesystem::path folder;      ///< empty if it is temporary
};

struct StudyResult {
  study::Refinement refinement = study::Refinement::mesh;
  std::vector<StudiedLevel> levels;
  study::Comparison comparison;
};

/// Returns the line of a level and its warnings.
std::string text_of_level(std::size_t number, const StudiedLevel& level);

/// Returns the table of quantities, and a sentence about those that do not converge.
std::string text_of_quantities(const StudyResult& result);

nlohmann::ordered_json json_of_study(const StudyResult& result, const Issues& warnings);

}  // namespace clearance::cli
