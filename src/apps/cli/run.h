// `clearance run`, `check` and `convert`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/exit_status.h"
#include "apps/cli/match_mass.h"
#include "clearance/io/result/folder_claim.h"
#include "clearance/io/scene_reader.h"

namespace clearance::cli {

struct SceneOptions {
  std::filesystem::path scene;
  SceneFormat format = SceneFormat::automatic;
  std::vector<std::string> overrides;  ///< `path=value`
  bool json = false;
};

struct RunOptions {
  SceneOptions scene;
  std::filesystem::path output;  ///< empty: out/<name of the scene file>
  std::optional<int> steps;      ///< total number of steps; replaces the scene's duration
  int threads = 0;               ///< 0: all processors
  std::string device = "off";    ///< as choose_device (device/use_device.h) reads it
  FolderUse use = FolderUse::start;
  bool is_strict = false;  ///< stop at the first step that does not converge
  bool is_quiet = false;
  std::filesystem::path controls;            ///< result folder whose controls are replayed; empty: none
  std::filesystem::path record_ccd;          ///< .ccd file of the run's CCD queries; empty: none
  std::uint64_t record_ccd_limit = 1000000;  ///< most queries in that file
  bool is_shown = false;                     ///< true if clearance-view shows the run while it goes on and afterwards
};

int run_simulation(const RunOptions& options);
/// Checks the scene. If `separated` is given, also separates its overlaps and writes the scene to that file; an
/// existing file is replaced only if `is_overwriting` is set.
int run_check(const SceneOptions& options, const std::filesystem::path& separated = {}, bool is_overwriting = false);
int run_convert(const SceneOptions& options, const MatchMassOptions& mass, const std::filesystem::path& output,
                bool is_overwriting);

}  // namespace clearance::cli
