// The data of a result folder that a page shows besides the frames.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance::page {

struct RunFiles {
  std::vector<std::filesystem::path> frames;
  std::vector<double> times;             ///< [s] time of each frame
  std::vector<int> steps;                ///< step of each frame
  std::vector<std::string> names;        ///< names of the bodies
  std::vector<double> thicknesses;       ///< [m] of shells, rods and particles, by body; 0 for others
  std::vector<std::string> fields;       ///< arrays that the scene requested
  nlohmann::ordered_json scene;          ///< null if the folder has none
  nlohmann::ordered_json stats, probes;  ///< stored column by column, see web/src/data.js
  nlohmann::ordered_json warnings;       ///< warnings of the summary
};

/// Reads `scene.json`, `bodies.json`, `frames.pvd`, `stats.jsonl`, `probes.csv` and `summary.json`. All but the list of
/// frames may be missing, as in folders of other programs and of runs under way.
Result<RunFiles> read_run_files(const std::filesystem::path& folder);

}  // namespace clearance::page
