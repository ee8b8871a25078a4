// `clearance ccd-bench` and `ccd-label`: the methods of continuous collision detection on recorded queries
// [Fer23, tables 3.1, 3.2].
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace clearance::cli {

struct CcdBenchOptions {
  std::vector<std::filesystem::path> paths;  ///< folders, .csv and .ccd files
  std::vector<std::string> methods;          ///< empty: all
  double tolerance = 1e-6;                   ///< [m]
  double min_separation = 0.0;               ///< [m] in the L-infinity norm
  int max_iterations = 1000000;              ///< per query
  int max_queries = 0;                       ///< per set and kind, evenly spread; 0: all
  int num_passes = 1;                        ///< over each set
  bool json = false;
  std::filesystem::path histogram;  ///< .svg to write; empty: none
};

/// Times every query alone, on one thread: std::chrono::steady_clock before and after the call, less what reading the
/// clock takes. Each method first answers up to 1000 queries of the set untimed, for at most 20 ms.
/// The time of a query is the smallest of all passes: on a busy machine other work interrupts queries for milliseconds.
int run_ccd_bench(const CcdBenchOptions& options);

struct CcdLabelOptions {
  std::vector<std::filesystem::path> paths;
  std::filesystem::path output;  ///< .ccd
  int threads = 0;               ///< 0: all processors
};

/// Stores all queries in one file with the answers of the exact oracle. Exit status 4 if a stored answer differs from
/// the oracle's.
int run_ccd_label(const CcdLabelOptions& options);

}  // namespace clearance::cli
