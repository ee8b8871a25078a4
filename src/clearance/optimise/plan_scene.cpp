#include "clearance/optimise/plan_scene.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "clearance/derivatives/forward_run.h"
#include "clearance/io/files/text_file.h"
#include "clearance/io/scene_reader.h"
#include "clearance/scene/json.h"
#include "clearance/scene/loaded_scene.h"
#include "clearance/sweep/plan.h"

namespace clearance::optimise {
namespace {

namespace fs = std::filesystem;
using sweep::PlanObject;

void read_parameters(PlanObject& root, PlanScene& plan, Issues& issues) {
  const Json* list = list_of(root, "parameters");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    PlanObject object((*list)[i], element_path("parameters", i), issues);
    FreeNumber number;
    const auto path = object.text("path");
    if (!path && object.find("path") == nullptr) object.error("path", "is missing: a number of the scene");
    number.path = path.value_or("");
    number.name = object.text("name").value_or(number.path);
    const auto from = object.number("from"), to = object.number("to");
    number.from = from.value_or(-std::numeric_limits<double>::infinity());
    number.to = to.value_or(std::numeric_limits<double>::infinity());
    if (!(number.from < number.to)) {
      object.error("to", *to, fmt::format("expected a number above `from`, which is {}", *from));
    }
    number.start = object.number("start");
    if (number.start && !(*number.start >= number.from && *number.start <= number.to)) {
      object.error("start", *number.start, "expected a number between `from` and `to`");
    }
    object.refuse_other_keys();
    for (const FreeNumber& other : plan.parameters) {
      if (path && other.path == number.path)
        object.error("path", *object.find("path"), "another parameter has it, too");
      if (other.name == number.name && other.path != number.path) {
        object.error("name", Json(number.name), "another parameter has this name, too");
      }
    }
    plan.parameters.push_back(std::move(number));
  }
}

}  // namespace

const Json* list_of(PlanObject& object, const char* key) {
  const Json* list = object.list(key);
  if (list == nullptr && object.find(key) == nullptr) object.error(key, "is missing");
  return list;
}

void read_plan_scene(PlanObject& root, PlanScene& plan, Issues& issues) {
  if (const auto scene = root.text("scene")) {
    std::error_code error;
    plan.scene = fs::absolute(plan.file, error).parent_path() / *scene;
    if (!fs::exists(plan.scene, error)) root.error("scene", *root.find("scene"), "the file does not exist");
    if (const auto of_scene = read_text_file(plan.scene)) plan.inputs += *of_scene;
  } else if (root.find("scene") == nullptr) {
    root.error("scene", "is missing: a scene file");
  }
  read_parameters(root, plan, issues);
  plan.num_steps = static_cast<int>(root.integer("steps", 1, 100000000).value_or(0));
  if (const Json* set = root.find("set")) {
    if (!set->is_object()) root.error("set", *set, "expected an object of paths and values");
    for (const auto& [path, value] : set->items()) plan.set.push_back(sweep::overrides_of({path}, value).front());
  }
}

derivatives::SceneMaker scene_maker(const PlanScene& plan, const std::vector<derivatives::Parameter>& parameters,
                                    const std::vector<double>& values) {
  std::vector<std::string> overrides = plan.set;
  for (std::string& text : derivatives::overrides_of(parameters, values)) overrides.push_back(std::move(text));
  return [&plan, overrides](const std::vector<std::string>& more) -> Result<SceneDesc> {
    std::vector<std::string> all = overrides;
    all.insert(all.end(), more.begin(), more.end());
    Result<LoadedScene> loaded = load_scene(plan.scene, SceneFormat::automatic, all);
    if (!loaded) return loaded.issues();
    return std::move(loaded->scene);
  };
}

Issues in_plan(const PlanScene& plan, Issues issues) {
  for (Issue& issue : issues) {
    for (std::size_t k = 0; k < plan.parameters.size(); ++k) {
      if (issue.place != plan.parameters[k].path) continue;
      if (issue.value.empty()) issue.value = issue.place;
      issue.file = plan.file.string();
      issue.place = child_path(element_path("parameters", k), "path");
    }
  }
  return issues;
}

std::optional<StartNumbers> find_start_numbers(const PlanScene& plan, Issues& issues) {
  Result<LoadedScene> loaded = load_scene(plan.scene, SceneFormat::automatic, plan.set);
  if (!loaded) {
    issues.insert(issues.end(), loaded.issues().begin(), loaded.issues().end());
    return std::nullopt;
  }
  StartNumbers start;
  const TimeDesc time = loaded->scene.time;
  start.time_column = unit_system_of(loaded->scene).text("time [s]");
  start.end_time = plan.num_steps > 0 ? plan.num_steps * time.step : time.duration;
  derivatives::GradientOptions options;
  for (const FreeNumber& number : plan.parameters) {
    if (!number.path.empty()) options.parameters.push_back(number.path);
  }
  auto found = derivatives::find_parameters(loaded->scene, options.parameters);
  const bool is_whole = found && found->size() == plan.parameters.size();
  bool has_values = is_whole;
  for (std::size_t k = 0; is_whole && k < plan.parameters.size(); ++k) {
    const FreeNumber& number = plan.parameters[k];
    const double value = number.start.value_or((*found)[k].value);
    if (!number.start && number.from < number.to && !(value >= number.from && value <= number.to)) {
      issues.push_back({plan.file.string(), element_path("parameters", k), fmt::format("{}", value),
                        "the number in the scene is not between `from` and `to`; give a `start`"});
      has_values = false;
    }
    (*found)[k].value = value;
    start.values.push_back(value);
  }
  const derivatives::BeforeRun before = derivatives::check_before_run(
      has_values ? scene_maker(plan, *found, start.values) : scene_maker(plan, {}, {}), options);
  const Issues problems = in_plan(plan, before.problems);
  issues.insert(issues.end(), problems.begin(), problems.end());
  start.columns = before.columns;
  if (found) start.parameters = std::move(*found);
  return start;
}

VecX sizes_of(const PlanScene& plan, const std::vector<double>& start) {
  VecX sizes(static_cast<Eigen::Index>(start.size()));
  for (std::size_t k = 0; k < start.size(); ++k) {
    const double range = plan.parameters[k].to - plan.parameters[k].from, size = std::abs(start[k]);
    sizes[static_cast<Eigen::Index>(k)] = size > 0.0 ? size : std::isfinite(range) ? range : 1.0;
  }
  return sizes;
}

}  // namespace clearance::optimise
