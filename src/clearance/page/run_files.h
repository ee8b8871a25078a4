// What a result folder says beside its frames, as a page has it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance::page {

struct RunFiles {
  std::vector<std::filesystem::path> frames;
  std::vector<double> times;             ///< [s] of the frames
  std::vector<int> steps;                ///< of the frames
  std::vector<std::string> names;        ///< of the bodies
  std::vector<std::string> fields;       ///< arrays that the scene asked for
  nlohmann::ordered_json scene;          ///< null where the folder has none
  nlohmann::ordered_json stats, probes;  ///< column by column, see web/src/data.js
  nlohmann::ordered_json warnings;       ///< of the summary
};

/// `scene.json`, `bodies.json`, `frames.pvd`, `stats.jsonl`, `probes.csv` and `summary.json`; all but the list of
/// frames may be missing, as in folders of other programs and of runs under way.
Result<RunFiles> read_run_files(const std::filesystem::path& folder);

}  // namespace clearance::page
