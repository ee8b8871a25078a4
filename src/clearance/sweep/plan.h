// What a sweep varies, how, and what is wanted of its runs: the plan file (docs/sweep.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/json.h"

namespace clearance::sweep {

enum class Sampling {
  grid,            ///< all combinations of the values; the last parameter changes fastest
  list,            ///< the first values together, then the second ones, ...
  random,          ///< `count` independent points
  latin_hypercube  ///< `count` points, one in each of `count` equally probable parts of every parameter's range
};

enum class Distribution { choice, uniform, log_uniform, normal };

/// One value goes to all paths of a parameter.
struct Parameter {
  std::string name;
  std::vector<std::string> paths;  ///< as in `--set`
  std::vector<Json> values;        ///< of a grid, a list or a choice
  Distribution distribution = Distribution::choice;
  double from = 0.0, to = 0.0;         ///< uniform and log_uniform
  double mean = 0.0, deviation = 0.0;  ///< normal
  bool is_whole = false;               ///< whole numbers, both ends included
};

/// What becomes of a column over the steps of a run.
enum class Reduction { first, last, min, max, mean, sum };

/// One column of the table of runs.
struct Collected {
  std::string name;
  bool is_probe = false;  ///< of probes.csv; else of stats.jsonl
  std::string column;     ///< `energy.kinetic`; of a probe with or without its unit
  Reduction reduction = Reduction::last;
};

/// Of each run, in the table of runs.
struct Picture {
  int frame = -1;  ///< negative: from the end
  std::string color = "body";
  int width = 240, height = 180;  ///< [px]
};

struct Plan {
  std::filesystem::path file;   ///< where it stands, for messages
  std::filesystem::path scene;  ///< absolute
  std::vector<Parameter> parameters;
  Sampling sampling = Sampling::grid;
  int count = 0;           ///< of random and latin_hypercube
  std::uint64_t seed = 0;  ///< of the same
  // Of every run
  std::optional<int> steps;  ///< instead of the scene's duration
  bool is_strict = false;    ///< ends at the first step that does not converge
  int threads = 1;
  std::vector<std::string> set;  ///< `path=value`
  // Of the table
  std::vector<Collected> collected;
  std::optional<Picture> picture;
};

inline constexpr int max_runs = 100000;

/// From text; `file` is where it stood, or would stand: the scene is relative to its folder. All problems at once.
Result<Plan> parse_plan(const std::string& text, const std::filesystem::path& file);
Result<Plan> read_plan(const std::filesystem::path& file);

/// `path=value` of one value for each path.
std::vector<std::string> overrides_of(const std::vector<std::string>& paths, const Json& value);

}  // namespace clearance::sweep
