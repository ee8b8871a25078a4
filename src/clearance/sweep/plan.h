// The plan of a sweep: what varies, how, and which outputs of the runs are wanted (docs/sweep.md).
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
  list,            ///< the first values of all parameters together, then the second ones, ...
  random,          ///< `count` independent points
  latin_hypercube  ///< `count` points, one in each of `count` equally probable parts of every parameter's range
};

enum class Distribution { choice, uniform, log_uniform, normal };

/// A parameter. In each run, one value goes to all of its paths.
struct Parameter {
  std::string name;
  std::vector<std::string> paths;  ///< as in `--set`
  std::vector<Json> values;        ///< values of a grid, a list or a choice
  Distribution distribution = Distribution::choice;
  double from = 0.0, to = 0.0;         ///< ends of uniform and log_uniform
  double mean = 0.0, deviation = 0.0;  ///< of a normal distribution
  bool is_whole = false;               ///< true: draw whole numbers, both ends included
};

/// The way in which a column over the steps of a run becomes one number.
enum class Reduction { first, last, min, max, mean, sum };

/// One column of the table of runs.
struct Collected {
  std::string name;
  bool is_probe = false;  ///< true: a column of probes.csv; otherwise of stats.jsonl
  std::string column;     ///< such as `energy.kinetic`; the name of a probe may omit its unit
  Reduction reduction = Reduction::last;
};

/// The picture of each run in the table of runs.
struct Picture {
  int frame = -1;  ///< negative numbers count from the end
  std::string color = "body";
  int width = 240, height = 180;  ///< [px]
};

struct Plan {
  std::filesystem::path file;   ///< path of the plan, for messages
  std::filesystem::path scene;  ///< absolute
  std::vector<Parameter> parameters;
  Sampling sampling = Sampling::grid;
  int count = 0;           ///< number of runs of random and latin_hypercube
  std::uint64_t seed = 0;  ///< seed of random and latin_hypercube
  // These apply to every run.
  std::optional<int> steps;  ///< replaces the scene's duration
  bool is_strict = false;    ///< true: a run ends at the first step that does not converge
  int threads = 1;
  std::vector<std::string> set;  ///< in the form `path=value`
  // These apply to the table of runs.
  std::vector<Collected> collected;
  std::optional<Picture> picture;
};

inline constexpr int max_runs = 100000;

/// Reads a plan from text. `file` is the path of the plan, whether or not it exists; the scene is relative to its
/// folder. Reports all problems at once.
Result<Plan> parse_plan(const std::string& text, const std::filesystem::path& file);
Result<Plan> read_plan(const std::filesystem::path& file);

/// Returns `path=value` for each path with the same value.
std::vector<std::string> overrides_of(const std::vector<std::string>& paths, const Json& value);

}  // namespace clearance::sweep
