// The folder of a sweep: its plan, the values of its runs, and a result folder for each. The state of a run is not
// recorded separately, except why it was refused; it is read from the run's result folder (run_state.h).
//
//   sweep.lock     empty; marks the folder as a sweep's. A process that starts runs holds a lock on it (flock)
//   sweep.json     scene, parameters and the values of every run; changed only to add runs
//   plan.json      the plan as it was given last, for the columns to collect
//   scene.*        the scene file as it was at the start, to detect changes
//   runs/000000/   result folders
//   failures/      000000.txt: why a run was refused at its last attempt
//   pictures/      pictures of the table
//   slurm/         batch scripts and the output of Slurm
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/sweep/plan.h"
#include "clearance/sweep/sampling.h"

namespace clearance::sweep {

/// The description of the runs that all processes need.
struct Manifest {
  std::filesystem::path scene;  ///< absolute
  std::optional<int> steps;
  bool is_strict = false;
  int threads = 1;               ///< does not influence results; may change
  std::vector<std::string> set;  ///< in the form `path=value`, applied to every run
  struct Column {
    std::string name;
    std::vector<std::string> paths;
  };
  std::vector<Column> parameters;
  std::vector<Values> runs;

  std::vector<std::string> overrides(int run) const;
};

class SweepFolder {
 public:
  /// Opens the folder for reading only, and for single runs.
  static Result<SweepFolder> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const Manifest& manifest() const { return manifest_; }
  int num_runs() const { return static_cast<int>(manifest_.runs.size()); }
  std::filesystem::path run_folder(int run) const;
  std::filesystem::path failure_file(int run) const;
  /// Returns the path of the scene file as it was when the sweep began.
  std::filesystem::path scene_copy() const;
  /// Reads the plan as it was given last.
  Result<Plan> plan() const;

 private:
  friend class SweepClaim;
  std::filesystem::path path_;
  Manifest manifest_;
};

/// Returns the name of a run's folder, such as `000017`.
std::string run_name(int run);

/// The right to start runs from a folder, held by one process at a time.
class SweepClaim {
 public:
  /// Creates the folder, or adds the runs that are not yet there. The plan must keep all runs of an older plan. In
  /// these cases it returns issues and changes nothing: the folder holds something else, or runs without their values;
  /// another process starts runs there; the scene has changed; or the plan is about other runs.
  static Result<SweepClaim> make(const std::filesystem::path& path, const Plan& plan, const std::string& plan_text);
  SweepClaim(SweepClaim&& other) noexcept;
  SweepClaim& operator=(SweepClaim&& other) noexcept;
  SweepClaim(const SweepClaim&) = delete;
  SweepClaim& operator=(const SweepClaim&) = delete;
  ~SweepClaim();

  const SweepFolder& folder() const { return folder_; }
  int num_added() const { return num_added_; }  ///< number of runs that were not there before

 private:
  Result<Done> lock(const std::filesystem::path& path);
  SweepClaim() = default;
  SweepFolder folder_;
  int descriptor_ = -1;
  int num_added_ = 0;
};

}  // namespace clearance::sweep
