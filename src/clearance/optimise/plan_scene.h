// The scene of a plan and its numbers that are free, which fits and minimisations share (docs/derivatives.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/derivatives/scene_variant.h"
#include "clearance/math/types.h"
#include "clearance/sweep/plan_object.h"

namespace clearance::optimise {

/// A number of the scene that is free.
struct FreeNumber {
  std::string name;
  std::string path;             ///< as in `--set`
  double from = 0.0, to = 0.0;  ///< bounds, in the unit of the scene
  std::optional<double> start;  ///< default: the number in the scene
};

struct PlanScene {
  std::filesystem::path file;   ///< the plan, for messages
  std::filesystem::path scene;  ///< absolute
  std::vector<FreeNumber> parameters;
  std::vector<std::string> set;  ///< `path=value`, for all runs
  int num_steps = 0;             ///< 0: those of the scene
  std::string inputs;            ///< text of the plan and of all files that it names
};

/// Returns a list under a key; null, after an issue, if there is none.
const Json* list_of(sweep::PlanObject& object, const char* key);

/// Reads `scene`, `parameters`, `steps` and `set` of a plan.
void read_plan_scene(sweep::PlanObject& root, PlanScene& plan, Issues& issues);

/// Returns what reads the scene of the plan with values of its numbers. The plan must outlive it.
derivatives::SceneMaker scene_maker(const PlanScene& plan, const std::vector<derivatives::Parameter>& parameters,
                                    const std::vector<double>& values);

/// Gives problems at a path of the scene that the plan names their place in the plan.
Issues in_plan(const PlanScene& plan, Issues issues);

/// The numbers of a plan in its scene, with the values to start from.
struct StartNumbers {
  std::vector<derivatives::Parameter> parameters;  ///< empty if a path leads to no number
  std::vector<double> values;
  std::vector<std::string> columns;  ///< labels of all columns of the scene's probes; empty if it cannot be started
  std::string time_column;           ///< label of times in the scene's units, such as `time [s]`
  double end_time = 0.0;             ///< [s]
};

/// Finds the numbers of the plan, and adds to `issues` what is wrong with them and with the scene. Nothing: the scene
/// cannot be read. Entries of a plan that is refused anyway may lack a path.
std::optional<StartNumbers> find_start_numbers(const PlanScene& plan, Issues& issues);

/// Returns a typical size of each number: of its start, or else of its range.
VecX sizes_of(const PlanScene& plan, const std::vector<double>& start);

}  // namespace clearance::optimise
