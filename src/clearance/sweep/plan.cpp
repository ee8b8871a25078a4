#include "clearance/sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "clearance/io/files/text_file.h"
#include "clearance/io/json_text.h"
#include "clearance/math/elementary.h"
#include "clearance/scene/loaded_scene.h"
#include "clearance/sweep/path_overlap.h"
#include "clearance/sweep/plan_object.h"

namespace clearance::sweep {
namespace {

namespace fs = std::filesystem;

constexpr long long largest_seed = INT64_MAX;

bool is_drawn(Sampling sampling) {
  return sampling == Sampling::random || sampling == Sampling::latin_hypercube;
}

void read_sampling(PlanObject& object, Plan& plan, Issues& issues) {
  const std::vector<std::string_view> kinds = {"grid", "list", "random", "latin_hypercube"};
  const Json* sampling = object.find("sampling");
  if (sampling == nullptr) return;
  // `"grid"` is short for `{"kind": "grid"}`.
  const Json full = sampling->is_string() ? Json{{"kind", *sampling}} : *sampling;
  PlanObject inner(full, "sampling", issues);
  const auto kind = inner.word("kind", kinds);
  if (kind) plan.sampling = static_cast<Sampling>(*kind);
  if (!kind && full.is_object() && !full.contains("kind")) inner.error("kind", "is missing");
  if (is_drawn(plan.sampling)) {
    const auto count = inner.integer("count", 1, max_runs);
    if (count) plan.count = static_cast<int>(*count);
    if (!count && !full.contains("count")) inner.error("count", "is missing: how many runs");
    plan.seed = static_cast<std::uint64_t>(inner.integer("seed", 0, largest_seed).value_or(0));
  }
  inner.refuse_other_keys();
}

/// Removes rounding errors: 0.19999999999999998 becomes 0.2. Returns the number of up to 12 digits that is within 1e-15
/// of the value, relative to it, or the value itself.
double tidy(double value) {
  double rounded = value;
  const std::string text = fmt::format("{:.12g}", value);
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return std::abs(rounded - value) <= 1e-15 * std::abs(value) ? rounded : value;
}

/// Returns evenly spaced values from one end to the other. The ends are exact. On a linear scale, a value is a whole
/// number if both ends and the value are whole.
std::vector<Json> spaced_values(const Json& from, const Json& to, int count, bool is_log) {
  std::vector<Json> values;
  const double first = from.get<double>(), last = to.get<double>();
  const bool is_whole = from.is_number_integer() && to.is_number_integer();
  for (int i = 0; i < count; ++i) {
    const double n = count - 1;
    double value = first;
    if (i == count - 1 && i > 0) {
      value = last;
    } else if (i > 0 && is_log) {
      value = tidy(elementary::exp(((n - i) * elementary::log(first) + i * elementary::log(last)) / n));
    } else if (i > 0) {
      value = tidy(((n - i) * first + i * last) / n);
    }
    const auto rounded = static_cast<long long>(value);
    if (is_whole && !is_log && static_cast<double>(rounded) == value) {
      values.emplace_back(rounded);
    } else {
      values.emplace_back(value);
    }
  }
  return values;
}

/// Reads both ends. Returns false, after an issue, if one is missing or no number, or not above zero for a logarithm.
bool read_ends(PlanObject& object, Parameter& parameter, bool is_log) {
  const auto from = object.number("from"), to = object.number("to");
  if (!from && object.find("from") == nullptr) object.error("from", "is missing");
  if (!to && object.find("to") == nullptr) object.error("to", "is missing");
  if (!from || !to) return false;
  parameter.from = *from;
  parameter.to = *to;
  if (is_log && !(*from > 0.0 && *to > 0.0)) {
    object.error(fmt::format("a logarithmic scale needs ends above 0 (got {} and {})", *from, *to));
    return false;
  }
  return true;
}

/// Reads the values of a parameter of a grid or a list.
void read_row(PlanObject& object, const Json& json, Parameter& parameter) {
  for (const char* key : {"distribution", "mean", "deviation", "whole"}) {
    if (object.find(key) != nullptr) {
      object.error(key,
                   "this key belongs to the samplings `random` and `latin_hypercube`; give `values`, or `from`, `to` "
                   "and `count` instead");
    }
  }
  const bool has_range = json.contains("from") || json.contains("to") || json.contains("count");
  if (const Json* values = object.find("values"); values != nullptr) {
    const bool is_good = values->is_array() && !values->empty();
    if (!is_good) object.error("values", *values, "expected a list with at least one entry");
    if (is_good) parameter.values.assign(values->begin(), values->end());
    if (has_range) object.error("give either `values`, or `from`, `to` and `count`");
    for (const char* key : {"from", "to", "count", "scale"}) object.find(key);
    return;
  }
  const bool is_log = object.word("scale", {"linear", "log"}).value_or(0) == 1;
  if (!has_range) {
    object.error("the parameter has no values; give `values`, or `from`, `to` and `count`");
    for (const char* key : {"from", "to", "count"}) object.find(key);
    return;
  }
  const auto count = object.integer("count", 1, max_runs);
  if (!count && !json.contains("count")) object.error("count", "is missing: how many values, ends included");
  if (!read_ends(object, parameter, is_log) || !count) return;
  if (*count == 1 && parameter.from != parameter.to) {
    object.error("count", "a single value cannot be both ends; expected at least 2");
    return;
  }
  parameter.values = spaced_values(json["from"], json["to"], static_cast<int>(*count), is_log);
}

void check_order(PlanObject& object, const Parameter& parameter) {
  if (parameter.from < parameter.to) return;
  object.error("to", parameter.to, fmt::format("expected a number above `from`, which is {}", parameter.from));
}

/// Reads the distribution that values are drawn from.
void read_distribution(PlanObject& object, const Json& json, Parameter& parameter) {
  const std::vector<std::string_view> names = {"choice", "uniform", "log_uniform", "normal"};
  const auto kind = object.word("distribution", names);
  if (!kind && json.contains("distribution")) {
    // The keys that are allowed depend on the distribution, so none is reported as unknown.
    for (const char* key : {"values", "mean", "deviation", "whole"}) object.find(key);
    // The ends mean the same for every distribution that has them, so they are checked.
    const bool has_ends = json.contains("from") && json.contains("to");
    if (has_ends && read_ends(object, parameter, false)) check_order(object, parameter);
    for (const char* key : {"from", "to"}) object.find(key);
    return;
  }
  parameter.distribution = kind                      ? static_cast<Distribution>(*kind)
                           : json.contains("values") ? Distribution::choice
                                                     : Distribution::uniform;
  if (parameter.distribution == Distribution::choice) {
    const Json* values = object.list("values");
    if (values != nullptr) parameter.values.assign(values->begin(), values->end());
    if (!json.contains("values")) object.error("values", "is missing: what to choose from");
    return;
  }
  parameter.is_whole = object.flag("whole", false);
  if (parameter.distribution == Distribution::normal) {
    const auto mean = object.number("mean"), deviation = object.number("deviation");
    if (!json.contains("mean")) object.error("mean", "is missing");
    if (!json.contains("deviation")) object.error("deviation", "is missing");
    if (deviation && !(*deviation > 0.0)) object.error("deviation", "expected a number above 0");
    parameter.mean = mean.value_or(0.0);
    parameter.deviation = deviation.value_or(1.0);
    return;
  }
  if (!read_ends(object, parameter, parameter.distribution == Distribution::log_uniform)) return;
  const auto is_whole = [](double end) { return end == static_cast<double>(static_cast<long long>(end)); };
  constexpr double largest = 1e15;
  if (parameter.is_whole && (std::max(std::abs(parameter.from), std::abs(parameter.to)) > largest ||
                             !is_whole(parameter.from) || !is_whole(parameter.to))) {
    object.error("whole", "the ends must be whole numbers, up to 1e15");
  }
  check_order(object, parameter);
}

Parameter read_parameter(const Json& json, std::size_t index, Sampling sampling, Issues& issues) {
  Parameter parameter;
  PlanObject object(json, element_path("parameters", index), issues);
  if (!json.is_object()) return parameter;
  const auto path = object.text("path");
  if (path) parameter.paths.push_back(*path);
  if (const Json* paths = object.list("paths"); paths != nullptr) {
    if (json.contains("path")) object.error("give either `path` or `paths`");
    for (const Json& entry : *paths) {
      if (entry.is_string() && !entry.get_ref<const std::string&>().empty()) {
        parameter.paths.push_back(entry.get<std::string>());
      } else {
        object.error("paths", "expected texts such as `bodies[0].material.density`");
      }
    }
  }
  if (!json.contains("path") && !json.contains("paths")) {
    object.error("path", "is missing: which value of the scene to change, as in --set");
  }
  parameter.name = object.text("name").value_or(parameter.paths.empty() ? "" : parameter.paths[0]);
  for (const std::string& one : parameter.paths) {
    if (one.find('=') != std::string::npos) object.error("path", fmt::format("`{}`: expected a path without `=`", one));
  }
  if (is_drawn(sampling)) {
    read_distribution(object, json, parameter);
  } else {
    read_row(object, json, parameter);
  }
  object.refuse_other_keys();
  return parameter;
}

/// Reports names that occur twice, because names head columns. Also reports two paths to the same value, or to a whole
/// and a part of it, because one of the two values would be lost.
void check_unique(const Plan& plan, Issues& issues) {
  for (std::size_t i = 0; i < plan.parameters.size(); ++i) {
    const Parameter& parameter = plan.parameters[i];
    for (std::size_t j = 0; j <= i; ++j) {
      const Parameter& other = plan.parameters[j];
      bool is_told = false;
      for (std::size_t p = 0; p < parameter.paths.size(); ++p) {
        for (std::size_t q = 0; q < (i == j ? p : other.paths.size()); ++q) {
          if (!do_overlap(parameter.paths[p], other.paths[q])) continue;
          is_told = true;
          issues.push_back({"", element_path("parameters", i), parameter.paths[p],
                            parameter.paths[p] == other.paths[q]
                                ? fmt::format("{} has the same path", element_path("parameters", j))
                                : fmt::format("this path leads to the same value as `{}` of {}, to a part of it or to "
                                              "the whole, so that one of the two values would be lost",
                                              other.paths[q], element_path("parameters", j))});
        }
      }
      if (i != j && !is_told && !parameter.name.empty() && parameter.name == other.name) {
        issues.push_back({"", element_path("parameters", i), parameter.name,
                          fmt::format("{} has the same name", element_path("parameters", j))});
      }
    }
  }
}

void check_count(Plan& plan, Issues& issues) {
  if (is_drawn(plan.sampling) || has_errors(issues)) return;
  double num_runs = 1.0;
  for (const Parameter& parameter : plan.parameters) num_runs *= static_cast<double>(parameter.values.size());
  if (plan.sampling == Sampling::grid && num_runs > max_runs) {
    issues.push_back(
        {"", "parameters", "", fmt::format("the grid has {:.6g} runs; at most {} are possible", num_runs, max_runs)});
  }
  if (plan.sampling != Sampling::list) return;
  for (std::size_t i = 1; i < plan.parameters.size(); ++i) {
    const std::size_t num = plan.parameters[i].values.size(), expected = plan.parameters[0].values.size();
    if (num == expected) continue;
    issues.push_back(
        {"", element_path("parameters", i), "",
         fmt::format(
             "the parameter has {} values; in a list all parameters must have as many as the first, which has {}", num,
             expected)});
  }
}

/// Reports a path under `set` that a parameter varies again. Values under `set` are applied before the parameters.
void check_set_path(const std::string& path, const Json& value, const Plan& plan, PlanObject& run) {
  for (std::size_t i = 0; i < plan.parameters.size(); ++i) {
    for (const std::string& varied : plan.parameters[i].paths) {
      if (!is_part_of(path, varied) && !has_part(path, value, varied)) continue;
      run.error(
          "set",
          path == varied
              ? fmt::format("`{}` is varied by {}", path, element_path("parameters", i))
              : fmt::format("`{}` is varied by {}, whose path is `{}`, so that one of the two values would be lost",
                            path, element_path("parameters", i), varied));
    }
  }
}

void read_run(PlanObject& object, Plan& plan, Issues& issues) {
  const Json* json = object.find("run");
  if (json == nullptr) return;
  PlanObject run(*json, "run", issues);
  if (const auto steps = run.integer("steps", 1, INT32_MAX)) plan.steps = static_cast<int>(*steps);
  plan.threads = static_cast<int>(run.integer("threads", 1, 4096).value_or(1));
  plan.is_strict = run.flag("strict", false);
  if (const Json* set = run.find("set"); set != nullptr) {
    if (!set->is_object()) run.error("set", "expected an object of paths and values");
    for (const auto& [path, value] : set->items()) {
      if (!set->is_object()) break;
      for (std::string& text : overrides_of({path}, value)) plan.set.push_back(std::move(text));
      check_set_path(path, value, plan, run);
      // A part that is set first is lost if the whole is set after it.
      for (const auto& [earlier, unused] : set->items()) {
        if (earlier == path) break;
        if (is_part_of(earlier, path)) {
          run.error("set",
                    fmt::format("`{}` after `{}` sets all of it again, so that one of the two is lost", path, earlier));
        }
      }
    }
  }
  run.refuse_other_keys();
}

void read_collected(PlanObject& object, Plan& plan, Issues& issues) {
  const std::vector<std::string_view> reductions = {"first", "last", "min", "max", "mean", "sum"};
  const Json* list = object.find("collect");
  if (list == nullptr) return;
  if (!list->is_array()) object.error("collect", "expected a list of columns");
  for (std::size_t i = 0; list->is_array() && i < list->size(); ++i) {
    PlanObject entry((*list)[i], element_path("collect", i), issues);
    if (!(*list)[i].is_object()) continue;
    Collected collected;
    const auto stats = entry.text("stats"), probe = entry.text("probe");
    const bool is_one = (*list)[i].contains("stats") != (*list)[i].contains("probe");
    if (!is_one) entry.error("expected either `stats`, a column of stats.jsonl, or `probe`, one of probes.csv");
    collected.is_probe = probe.has_value();
    collected.column = probe ? *probe : stats.value_or("");
    const std::size_t take = entry.word("take", reductions).value_or(1);
    collected.reduction = static_cast<Reduction>(take);
    collected.name = entry.text("name").value_or(fmt::format("{} {}", reductions[take], collected.column));
    const auto same = std::find_if(plan.collected.begin(), plan.collected.end(),
                                   [&](const Collected& other) { return other.name == collected.name; });
    if (is_one && same != plan.collected.end()) {
      entry.error(fmt::format("the name `{}` is also the name of {}", collected.name,
                              element_path("collect", same - plan.collected.begin())));
    }
    entry.refuse_other_keys();
    plan.collected.push_back(std::move(collected));
  }
}

void read_picture(PlanObject& object, Plan& plan, Issues& issues) {
  const Json* json = object.find("picture");
  if (json == nullptr) return;
  PlanObject picture(*json, "picture", issues);
  Picture wanted;
  wanted.frame = static_cast<int>(picture.integer("frame", INT32_MIN, INT32_MAX).value_or(-1));
  wanted.color = picture.text("color").value_or("body");
  if (const Json* size = picture.find("size"); size != nullptr) {
    const auto is_sensible = [](const Json& n) { return n.is_number_integer() && n >= 16 && n <= 2048; };
    if (size->is_array() && size->size() == 2 && is_sensible((*size)[0]) && is_sensible((*size)[1])) {
      wanted.width = (*size)[0].get<int>();
      wanted.height = (*size)[1].get<int>();
    } else {
      picture.error("size", *size, "expected [width, height] in pixels, each from 16 to 2048");
    }
  }
  picture.refuse_other_keys();
  plan.picture = wanted;
}

}  // namespace

std::vector<std::string> overrides_of(const std::vector<std::string>& paths, const Json& value) {
  // A text stays as it is, such as `affine`, unless it would be read as another type: `"3"`.
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (value.is_string() && Json::parse(value.get_ref<const std::string&>(), nullptr, false).is_discarded()) {
    text = value.get<std::string>();
  }
  std::vector<std::string> overrides;
  for (const std::string& path : paths) overrides.push_back(path + "=" + text);
  return overrides;
}

Result<Plan> parse_plan(const std::string& text, const fs::path& file) {
  const auto refuse = [&](Issues issues) {
    set_file(issues, file.string());
    return issues;
  };
  const Result<Json> root = parse_json_text(text);
  if (!root) return refuse(root.issues());
  Issues issues;
  Plan plan;
  plan.file = file;
  PlanObject object(*root, "", issues);
  if (!root->is_object()) return refuse(issues);
  if (const auto scene = object.text("scene")) {
    std::error_code error;
    plan.scene = fs::absolute(file.parent_path() / *scene, error).lexically_normal();
  } else if (!root->contains("scene")) {
    object.error("scene", "is missing: the scene file, relative to this one");
  }
  read_sampling(object, plan, issues);
  if (const Json* parameters = object.list("parameters"); parameters != nullptr) {
    for (std::size_t i = 0; i < parameters->size(); ++i) {
      plan.parameters.push_back(read_parameter((*parameters)[i], i, plan.sampling, issues));
    }
  } else if (!root->contains("parameters")) {
    object.error("parameters", "is missing: what changes from run to run");
  }
  check_unique(plan, issues);
  check_count(plan, issues);
  read_run(object, plan, issues);
  read_collected(object, plan, issues);
  read_picture(object, plan, issues);
  object.refuse_other_keys();
  if (has_errors(issues)) return refuse(issues);
  return plan;
}

Result<Plan> read_plan(const fs::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.issues();
  return parse_plan(*text, file);
}

}  // namespace clearance::sweep
