// `clearance sweep`: many runs of one scene with different values (docs/sweep.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clearance::cli {

struct SweepOptions {
  std::filesystem::path plan;
  std::filesystem::path output;  ///< empty: out/<name of the plan file>
  int jobs = 0;                  ///< runs at a time; 0: processors / threads
  std::optional<int> threads;    ///< threads of each run; replaces the plan's
  bool is_retrying = false;      ///< true if failed runs are tried again
  bool is_quiet = false;
  bool is_slurm = false;
  std::string partition;                   ///< Slurm's partition; empty: its default
  int array_limit = 0;                     ///< tasks of an array at a time; 0: no limit
  std::vector<std::string> slurm_options;  ///< options of sbatch such as `time=1:00:00`
};

struct SweepTaskOptions {
  std::filesystem::path folder;
  int run = 0;
  std::optional<int> threads;
};

struct SweepReportOptions {
  std::filesystem::path folder;
  std::filesystem::path output;  ///< empty: standard output
  bool is_overwriting = false;
  bool json = false;
};

/// Starts the missing runs, here or by Slurm. Exit status: 0 all runs are complete (Slurm: submitted), 2 bad input,
/// with nothing started, 3 runs have failed or are left, 128 plus the number of a signal that stopped it.
int run_sweep(const SweepOptions& options);

/// Exit status of a task whose run is held by another process.
inline constexpr int exit_held_elsewhere = 75;
/// Takes one run to its end, from wherever it is. Exit status: that of `clearance run`, or exit_held_elsewhere.
int run_sweep_task(const SweepTaskOptions& options);

/// Each of these returns the exit status: 0 all runs are complete, 3 not yet.
int run_sweep_status(const SweepReportOptions& options);
int run_sweep_collect(const SweepReportOptions& options);
int run_sweep_table(const SweepReportOptions& options);

}  // namespace clearance::cli
