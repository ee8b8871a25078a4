#include "clearance/optimise/minimise_objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "clearance/derivatives/forward_run.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/files/text_file.h"
#include "clearance/optimise/tried.h"
#include "clearance/scene/json.h"
#include "clearance/scene/loaded_scene.h"
#include "clearance/scene/probe_columns.h"

namespace clearance::optimise {
namespace {

using Index = Eigen::Index;
using derivatives::Gradient;
using derivatives::GradientEnd;
using derivatives::StepGradient;

std::string run_name(int number) {
  return fmt::format("runs/{:04}.json", number);
}

std::vector<double> vector_of(const VecX& x) {
  return {x.data(), x.data() + x.size()};
}

/// Place in the plan of a quantity; formulas that name a column themselves have none.
std::string place_of(const Quantity& quantity, std::size_t index) {
  return quantity.name == quantity.column ? "objective, constraints"
                                          : child_path(element_path("quantities", index), "probe");
}

Issues check_quantities(const ObjectivePlan& plan, const StartNumbers& start) {
  Issues issues;
  for (std::size_t q = 0; q < plan.quantities.size(); ++q) {
    const Quantity& quantity = plan.quantities[q];
    if (!start.columns.empty() && !quantity.column.empty()) {
      Issues problems = find_columns(start.columns, {quantity.column}, place_of(quantity, q)).issues();
      set_file(problems, plan.file.string());
      issues.insert(issues.end(), problems.begin(), problems.end());
    }
    if (quantity.taken != Taken::at_time) continue;
    if (quantity.time >= 0.0 && quantity.time <= start.end_time * (1.0 + 1e-9)) continue;
    issues.push_back({plan.file.string(), child_path(element_path("quantities", q), "at"),
                      fmt::format("{}", quantity.time),
                      fmt::format("expected a time of the run, which lasts from 0 to {:.6g} s", start.end_time)});
  }
  if (plan.quantities.empty()) {
    issues.push_back({plan.file.string(), "objective", "",
                      "neither the objective nor a constraint depends on the run; expected a column of a probe"});
  }
  return issues;
}

/// Finds the numbers to start from.
Result<StartNumbers> find_start(const ObjectivePlan& plan) {
  Issues issues;
  std::optional<StartNumbers> start = find_start_numbers(plan, issues);
  if (!start) return issues;
  // A plan that is refused anyway may lack formulas.
  const Issues of_quantities = check_quantities(plan, *start);
  issues.insert(issues.end(), of_quantities.begin(), of_quantities.end());
  if (!issues.empty()) return issues;
  return std::move(*start);
}

/// Returns a column at the end of a step.
Derived at_step(const StepGradient& step, std::size_t column) {
  return {step.values[column], step.derivatives.row(static_cast<Index>(column)).transpose()};
}

/// Returns a column at a time. Between steps it is linear.
Derived at_time(const Gradient& gradient, std::size_t column, double time) {
  const std::size_t last = gradient.steps.size() - 1;
  std::size_t step = 0;
  while (step < last && gradient.steps[step + 1].time <= time) ++step;
  const Derived before = at_step(gradient.steps[step], column);
  if (step == last || time <= gradient.steps[step].time) return before;
  const double begin = gradient.steps[step].time, end = gradient.steps[step + 1].time;
  const double share = std::clamp((time - begin) / (end - begin), 0.0, 1.0);
  const Derived after = at_step(gradient.steps[step + 1], column);
  return {(1.0 - share) * before.value + share * after.value, (1.0 - share) * before.slope + share * after.slope};
}

/// Returns the number that the steps of a run give a quantity.
Derived take(const Gradient& gradient, const Quantity& quantity, std::size_t column) {
  const std::size_t last = gradient.steps.size() - 1;
  if (quantity.taken == Taken::at_time) return at_time(gradient, column, quantity.time);
  if (quantity.taken == Taken::at_end || last == 0) return at_step(gradient.steps[last], column);
  Derived found = at_step(gradient.steps[1], column);
  for (std::size_t s = 2; s <= last; ++s) {
    Derived there = at_step(gradient.steps[s], column);
    if (quantity.taken == Taken::mean) {
      found.value += there.value;
      found.slope += there.slope;
    } else if (quantity.taken == Taken::min ? there.value < found.value : there.value > found.value) {
      found = std::move(there);
    }
  }
  if (quantity.taken != Taken::mean) return found;
  const double share = 1.0 / static_cast<double>(last);
  return {share * found.value, share * found.slope};
}

/// The formulas at one place, by the parameters in the units of the scene.
struct Evaluated {
  Derived objective;
  std::vector<Derived> constraints;  ///< formulas, bounds not taken off
};

Json json_of(const Derived& derived) {
  return {{"value", derived.value}, {"slope", vector_of(derived.slope)}};
}

Derived derived_in(const Json& json) {
  const auto slope = json["slope"].get<std::vector<double>>();
  return {json["value"].get<double>(), Eigen::Map<const VecX>(slope.data(), std::ssize(slope))};
}

/// The formulas after runs, computed or read from the folder.
class Runs {
 public:
  Runs(const ObjectivePlan& plan, const ObjectiveOptions& options, const StartNumbers& start, ObjectiveSearch& search)
      : plan_(plan), options_(options), start_(start), search_(search) {
    for (int number = 1;; ++number) {
      const Result<std::string> text = read_text_file(options_.output / run_name(number));
      if (!text) break;
      Json json = Json::parse(*text, nullptr, false);
      if (json.is_discarded() || !json.contains("parameters")) break;
      stored_[json["parameters"].dump()] = std::move(json);
    }
  }

  /// Returns the formulas at the parameters `p`; nothing if the run has no result, or was stopped.
  std::optional<Evaluated> at(const VecX& p) {
    const std::vector<double> values = vector_of(p);
    const auto found = stored_.find(Json(values).dump());
    const Json json = found != stored_.end() ? found->second : compute(values);
    if (is_stopped_) return std::nullopt;
    ++num_runs_;
    if (found == stored_.end()) {
      const auto written = write_file_atomically(options_.output / run_name(num_runs_), json.dump() + '\n');
      if (!written && problems_.empty()) problems_ = written.issues();
    }
    if (json["objective"].is_null()) {
      const std::string problem = json.value("problem", "");
      ++search_.num_failed;
      search_.last_failure = fmt::format("run {}: {}", num_runs_, problem);
      if (options_.on_failure) options_.on_failure(num_runs_, problem);
      return std::nullopt;
    }
    Evaluated evaluated{derived_in(json["objective"]), {}};
    for (const Json& constraint : json["constraints"]) evaluated.constraints.push_back(derived_in(constraint));
    return evaluated;
  }

  SceneDesc scene_at(const VecX& p) const {
    Result<SceneDesc> scene = scene_maker(plan_, start_.parameters, vector_of(p))({});
    return scene ? std::move(*scene) : SceneDesc{};
  }
  bool is_stopped() const { return is_stopped_; }
  /// Issues: why a run could not be stored.
  const Issues& problems() const { return problems_; }
  /// Issues: why the last run that was computed has no result. `is_refused`: its scene is not valid.
  const Issues& errors() const { return errors_; }
  bool is_refused() const { return is_refused_; }

 private:
  Json compute(const std::vector<double>& values) {
    derivatives::GradientOptions gradient_options;
    for (const FreeNumber& number : plan_.parameters) gradient_options.parameters.push_back(number.path);
    for (const Quantity& quantity : plan_.quantities) gradient_options.columns.push_back(quantity.column);
    gradient_options.num_steps = plan_.num_steps;
    gradient_options.is_stop_wanted = options_.is_stop_wanted;
    const Result<Gradient> gradient =
        derivatives::find_gradient(scene_maker(plan_, start_.parameters, values), gradient_options);
    Json json = {{"parameters", values}, {"objective", nullptr}, {"constraints", Json::array()}};
    const auto failed = [&](Issues errors) {
      errors_ = std::move(errors);
      json["problem"] = to_string(errors_.front());
      return json;
    };
    is_refused_ = !gradient;
    if (!gradient) return failed(in_plan(plan_, gradient.issues()));
    is_stopped_ = gradient->end == GradientEnd::stopped;
    if (is_stopped_) return json;
    if (gradient->end == GradientEnd::failed) return failed(gradient->errors);
    if (!has_warnings_) {
      search_.warnings.insert(search_.warnings.end(), gradient->warnings.begin(), gradient->warnings.end());
      has_warnings_ = true;
    }
    evaluate(*gradient, values, json);
    if (json.contains("problem")) errors_ = {{plan_.file.string(), "", "", json["problem"].get<std::string>()}};
    return json;
  }

  /// Puts the formulas after a run into `json`, or the problem that one of them is not finite.
  void evaluate(const Gradient& gradient, const std::vector<double>& values, Json& json) const {
    std::map<std::string, Derived> known;
    const Index size = std::ssize(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      known[plan_.parameters[k].name] = {values[k], VecX::Unit(size, static_cast<Index>(k))};
    }
    for (std::size_t q = 0; q < plan_.quantities.size(); ++q) {
      known[plan_.quantities[q].name] = take(gradient, plan_.quantities[q], q);
    }
    const auto at_run = [&](const Formula& formula, const std::string& name) {
      std::vector<Derived> of_names;
      for (const std::string& of : formula.names()) of_names.push_back(known.at(of));
      Derived derived = formula.evaluate(of_names, size);
      if (std::isfinite(derived.value) && derived.slope.allFinite()) return json_of(derived);
      std::string text;
      for (std::size_t n = 0; n < of_names.size(); ++n) {
        text += fmt::format("{}{} = {:.6g}", n > 0 ? ", " : "", formula.names()[n], of_names[n].value);
      }
      json["problem"] = fmt::format("{} or its derivative is not finite at {}", name, text);
      return Json();
    };
    Json objective = at_run(plan_.objective, "the objective"), constraints = Json::array();
    for (const BoundedFormula& constraint : plan_.constraints) {
      constraints.push_back(at_run(constraint.formula, fmt::format("the constraint `{}`", constraint.name)));
    }
    if (json.contains("problem")) return;
    json["objective"] = std::move(objective);
    json["constraints"] = std::move(constraints);
  }

  const ObjectivePlan& plan_;
  const ObjectiveOptions& options_;
  const StartNumbers& start_;
  ObjectiveSearch& search_;
  std::map<std::string, Json> stored_;
  int num_runs_ = 0;
  bool is_stopped_ = false, is_refused_ = false, has_warnings_ = false;
  Issues problems_, errors_;
};

/// Returns the options of a search in relative changes of the parameters.
MinimiseOptions options_of(const ObjectivePlan& plan, const VecX& sizes) {
  MinimiseOptions options;
  options.method = plan.method;
  options.lower.resize(sizes.size());
  options.upper.resize(sizes.size());
  options.max_change = VecX::Constant(sizes.size(), std::numeric_limits<double>::infinity());
  for (Index k = 0; k < sizes.size(); ++k) {
    const FreeNumber& number = plan.parameters[static_cast<std::size_t>(k)];
    options.lower[k] = number.from / sizes[k];
    options.upper[k] = number.to / sizes[k];
  }
  options.max_iterations = plan.max_iterations;
  options.gradient_tolerance = plan.tolerance;
  return options;
}

void add_results(const ObjectivePlan& plan, const Evaluated& first, const Evaluated& best, ObjectiveSearch& search) {
  search.value_at_start = first.objective.value;
  for (std::size_t k = 0; k < plan.parameters.size(); ++k) {
    const FreeNumber& number = plan.parameters[k];
    const double value = search.minimum.x[static_cast<Index>(k)];
    search.parameters.push_back({number.name, number.path, value, value <= number.from || value >= number.to});
  }
  // A constraint is at its bound if relative changes of a hundred-thousandth could meet it.
  constexpr double near = 1e-5;
  for (std::size_t c = 0; c < plan.constraints.size(); ++c) {
    const BoundedFormula& constraint = plan.constraints[c];
    const Derived& at_end = best.constraints[c];
    const double reach = near * at_end.slope.cwiseProduct(search.minimum.x).norm();
    search.constraints.push_back({constraint.name, first.constraints[c].value, at_end.value, constraint.bound,
                                  constraint.is_upper, std::abs(at_end.value - constraint.bound) <= reach});
  }
}

}  // namespace

Result<Done> check_objective(const ObjectivePlan& plan) {
  const auto found = find_start(plan);
  if (!found) return found.issues();
  return Done{};
}

Result<ObjectiveSearch> minimise_objective(const ObjectivePlan& plan, const ObjectiveOptions& options) {
  const Result<StartNumbers> start = find_start(plan);
  if (!start) return start.issues();
  ObjectiveSearch search;
  Runs runs(plan, options, *start, search);
  const VecX sizes = sizes_of(plan, start->values);
  // Bounds are met exactly: a division and a multiplication need not give the same number back.
  const auto place_of = [&](const VecX& x) {
    VecX p = x.cwiseProduct(sizes);
    for (Index k = 0; k < p.size(); ++k) {
      const FreeNumber& number = plan.parameters[static_cast<std::size_t>(k)];
      p[k] = std::clamp(p[k], number.from, number.to);
      if (x[k] == number.from / sizes[k]) p[k] = number.from;
      if (x[k] == number.to / sizes[k]) p[k] = number.to;
    }
    return p;
  };
  // Values and slopes are shares of the objective, or of its slope, at the start.
  std::optional<double> scale;
  std::optional<Evaluated> first, best;
  Tried<Evaluated> tried;
  const SlopeFunction function = [&](const VecX& x) -> std::optional<Slope> {
    const std::optional<Evaluated> there = runs.at(place_of(x));
    if (!there) return std::nullopt;
    tried.add(x, *there);
    const VecX slope = there->objective.slope.cwiseProduct(sizes);
    if (!scale) {
      const double larger = std::max(std::abs(there->objective.value), slope.norm());
      scale = larger > 0.0 ? larger : 1.0;
    }
    Slope found{there->objective.value / *scale, slope / *scale};
    for (std::size_t c = 0; c < plan.constraints.size(); ++c) {
      const Derived& formula = there->constraints[c];
      const double sign = plan.constraints[c].is_upper ? 1.0 : -1.0;
      found.constraints.push_back(
          {sign * (formula.value - plan.constraints[c].bound), sign * formula.slope.cwiseProduct(sizes)});
    }
    return found;
  };
  const auto on_iterate = [&](Iterate iterate) {
    best = tried.take(iterate.x);
    if (!first) first = best;
    iterate.x = place_of(iterate.x);
    iterate.value = best->objective.value;
    search.iterates.push_back(iterate);
    if (options.on_iterate) options.on_iterate(iterate);
  };
  const VecX x = Eigen::Map<const VecX>(start->values.data(), std::ssize(start->values)).cwiseQuotient(sizes);
  search.minimum = minimise(function, x, options_of(plan, sizes), on_iterate,
                            [&] { return runs.is_stopped() || !runs.problems().empty(); });
  if (!runs.problems().empty()) return runs.problems();
  if (search.minimum.end == MinimumEnd::undefined) {
    if (runs.is_refused()) return runs.errors();
    search.errors = runs.errors();
    return search;
  }
  search.minimum.x = place_of(search.minimum.x);
  if (!best) return search;
  search.minimum.at.value = best->objective.value;
  search.scene = runs.scene_at(search.minimum.x);
  add_results(plan, *first, *best, search);
  return search;
}

}  // namespace clearance::optimise
