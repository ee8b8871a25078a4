#include "clearance/optimise/optimise_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "clearance/derivatives/forward_run.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/files/text_file.h"
#include "clearance/optimise/design_scene.h"
#include "clearance/optimise/state_runner.h"
#include "clearance/optimise/tried.h"
#include "clearance/scene/json.h"

namespace clearance::optimise {
namespace {

using Index = Eigen::Index;
using derivatives::HeldContact;

/// Objective, conditions, constraints and gradient at one place.
struct Evaluated {
  std::vector<double> forms, conditions;
  VecX gradient;
  std::vector<Constraint> constraints;

  double value() const {
    double sum = 0.0;
    for (const double form : forms) sum += form;
    return sum;
  }
  Slope slope() const {
    const bool may_end = !conditions.empty() &&
                         std::all_of(conditions.begin(), conditions.end(), [](double value) { return value <= 0.0; });
    return {value(), gradient, may_end, constraints};
  }
};

std::string run_name(int number) {
  return fmt::format("runs/{:04}.json", number);
}

std::vector<double> vector_of(const VecX& x) {
  return {x.data(), x.data() + x.size()};
}

/// The objective as a function of the parameters, computed by runs or read from the folder of a search.
class Objective {
 public:
  Objective(const PolyfemPlan& plan, std::function<bool()> is_stop_wanted)
      : plan_(plan), is_stop_wanted_(std::move(is_stop_wanted)), histories_(plan.states.size()) {}

  /// Finds the contact that all runs hold, runs the targets and makes the runner. False after a stop.
  Result<bool> start() {
    const derivatives::SceneMaker make = [this](const std::vector<std::string>&) -> Result<SceneDesc> {
      return scene_of_design(plan_, variables_at(plan_.start));
    };
    Result<HeldContact> held = derivatives::find_held_contact(make, {});
    if (!held) {
      Issues issues = held.issues();
      for (Issue& issue : issues) issue.file = plan_.state_files[plan_.varied].string();
      return issues;
    }
    held_ = std::make_shared<const HeldContact>(std::move(*held));
    auto runner = make_runner(plan_, held_, is_stop_wanted_);
    if (!runner) return runner.issues();
    runner_ = std::move(*runner);
    for (std::size_t s = 0; s < plan_.states.size(); ++s) {
      if (s == plan_.varied) continue;
      // A target with the same nodes has the same contact, so that it can be reached exactly.
      const bool is_alike = plan_.meshes[s]->num_nodes() == plan_.meshes[plan_.varied]->num_nodes();
      Issues problems;
      const RunEnd end = run_state(plan_, s, is_alike ? held_ : nullptr, is_stop_wanted_, histories_[s], problems);
      if (end == RunEnd::stopped) return false;
      if (end != RunEnd::complete) return with_hint(problems);
    }
    return true;
  }

  /// Returns the objective without its derivatives; nothing if the run fails, or was stopped.
  std::optional<double> value_at(const VecX& x) {
    if (!run(x, false)) return std::nullopt;
    const std::size_t last = histories_[plan_.varied].last_step();
    double value = 0.0;
    for (const FormPtr& form : plan_.objective) value += form->value(histories_, last);
    return value;
  }

  /// Returns the objective; nothing if the run fails, or was stopped.
  std::optional<Evaluated> at(const VecX& x) {
    if (!run(x, true)) return std::nullopt;
    StateHistory& history = histories_[plan_.varied];
    Evaluated evaluated;
    const std::size_t last = history.last_step();
    for (const FormPtr& form : plan_.constraints) {
      Seeds of_constraint = Seeds::like(history);
      form->add_gradient(histories_, last, plan_.varied, 1.0, of_constraint);
      std::optional<VecX> gradient = pull_back(of_constraint, x);
      if (!gradient) return std::nullopt;
      evaluated.constraints.push_back({form->value(histories_, last), std::move(*gradient)});
    }
    Seeds seeds = Seeds::like(history);
    for (const FormPtr& form : plan_.objective) {
      evaluated.forms.push_back(form->value(histories_, last));
      form->add_gradient(histories_, last, plan_.varied, 1.0, seeds);
    }
    for (const FormPtr& form : plan_.conditions) evaluated.conditions.push_back(form->value(histories_, last));
    std::optional<VecX> gradient = pull_back(seeds, x);
    if (!gradient) return std::nullopt;
    evaluated.gradient = std::move(*gradient);
    return evaluated;
  }

  std::vector<VecX> variables_at(const VecX& x) const {
    std::vector<VecX> y;
    for (const DesignVariable& variable : plan_.variables) y.push_back(variable.map.apply(x));
    return y;
  }
  bool is_stopped() const { return is_stopped_; }
  const Issues& problems() const { return problems_; }
  const Issues& warnings() const { return runner_->warnings(); }

 private:
  /// Runs the varied state. False if that fails, or was stopped.
  bool run(const VecX& x, bool is_differentiated) {
    const RunEnd end = runner_->run(variables_at(x), histories_[plan_.varied], is_differentiated);
    is_stopped_ = end == RunEnd::stopped;
    problems_ = with_hint(runner_->problems());
    return end == RunEnd::complete;
  }

  /// Returns the derivatives by the parameters of what has derivatives by the last run; nothing if a step has none.
  std::optional<VecX> pull_back(const Seeds& seeds, const VecX& x) {
    const std::optional<std::vector<VecX>> by_y = runner_->pull_back(seeds);
    if (!by_y) {
      problems_ = runner_->problems();
      return std::nullopt;
    }
    VecX gradient = VecX::Zero(x.size());
    for (std::size_t v = 0; v < by_y->size(); ++v) gradient += plan_.variables[v].map.pull_back(x, (*by_y)[v]);
    return gradient;
  }

  /// Tells what helps if a balance cannot be found accurately.
  Issues with_hint(Issues issues) const {
    const bool is_fixed = plan_.states[plan_.varied].loaded.scene.contact.kappa > 0.0;
    for (Issue& issue : issues) {
      if (is_fixed && issue.message.find("accuracy that derivatives need") != std::string::npos) {
        issue.message +=
            ". The file fixes the stiffness of contacts (solver.contact.barrier_stiffness), and gaps may "
            "be too small for it; --set contact.kappa=0 lets the program choose";
      }
    }
    return issues;
  }

  const PolyfemPlan& plan_;
  std::function<bool()> is_stop_wanted_;
  std::shared_ptr<const HeldContact> held_;
  std::unique_ptr<StateRunner> runner_;
  Histories histories_;
  bool is_stopped_ = false;
  Issues problems_;
};

/// Runs that are stored in a folder.
class StoredRuns {
 public:
  StoredRuns(const DesignOptions& options, Objective& objective) : options_(options), objective_(objective) {
    for (int number = 1;; ++number) {
      const Result<std::string> text = read_text_file(options_.output / run_name(number));
      if (!text) break;
      Json json = Json::parse(*text, nullptr, false);
      if (json.is_discarded() || !json.contains("x")) break;
      stored_[json["x"].dump()] = std::move(json);
    }
  }

  std::optional<Evaluated> at(const VecX& x) {
    const Json of_x = vector_of(x);
    const std::string key = of_x.dump();
    const auto found = stored_.find(key);
    std::optional<Evaluated> evaluated;
    if (found != stored_.end()) {
      evaluated = read(found->second);
      ++num_runs_;
    } else {
      evaluated = objective_.at(x);
      if (objective_.is_stopped()) return std::nullopt;
      ++num_runs_;
      store(of_x, evaluated);
    }
    if (options_.on_run) options_.on_run(num_runs_, evaluated ? evaluated->value() : infinity);
    return evaluated;
  }
  /// Issues: why a run could not be stored.
  const Issues& problems() const { return problems_; }

 private:
  static std::optional<Evaluated> read(const Json& json) {
    if (json["forms"].is_null()) return std::nullopt;
    Evaluated evaluated{json["forms"].get<std::vector<double>>(),
                        json["conditions"].get<std::vector<double>>(),
                        vector_in(json["gradient"]),
                        {}};
    for (const Json& constraint : json["constraints"]) {
      evaluated.constraints.push_back({constraint["value"].get<double>(), vector_in(constraint["gradient"])});
    }
    return evaluated;
  }
  static VecX vector_in(const Json& json) {
    const auto numbers = json.get<std::vector<double>>();
    return Eigen::Map<const VecX>(numbers.data(), static_cast<Index>(numbers.size()));
  }
  void store(const Json& x, const std::optional<Evaluated>& evaluated) {
    Json json = {{"x", x}, {"forms", nullptr}};
    if (evaluated) {
      json["forms"] = evaluated->forms;
      json["conditions"] = evaluated->conditions;
      json["gradient"] = vector_of(evaluated->gradient);
      json["constraints"] = Json::array();
      for (const Constraint& constraint : evaluated->constraints) {
        json["constraints"].push_back({{"value", constraint.value}, {"gradient", vector_of(constraint.gradient)}});
      }
    } else if (!objective_.problems().empty()) {
      json["problem"] = to_string(objective_.problems().front());
    }
    const auto written = write_file_atomically(options_.output / run_name(num_runs_), json.dump() + '\n');
    if (!written && problems_.empty()) problems_ = written.issues();
  }

  const DesignOptions& options_;
  Objective& objective_;
  std::map<std::string, Json> stored_;
  int num_runs_ = 0;
  Issues problems_;
};

std::vector<FormValue> values_of(const std::vector<FormPtr>& forms, const std::vector<double>& at_start,
                                 const std::vector<double>& at_end, const char* kind) {
  std::vector<FormValue> values;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    values.push_back(
        {forms[k]->label.empty() ? fmt::format("{}[{}]", kind, k) : forms[k]->label, at_start[k], at_end[k]});
  }
  return values;
}

std::vector<double> values_in(const std::vector<Constraint>& constraints) {
  std::vector<double> values;
  for (const Constraint& constraint : constraints) values.push_back(constraint.value);
  return values;
}

/// Share of the largest derivative within which derivatives and differences agree, and to which differences are wanted.
constexpr double agreement = 1e-5, certainty = 1e-6;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A direction of the parameters along which derivatives are compared with differences over `length`.
struct CheckDirection {
  std::string name;
  VecX direction;
  double length = 0.0;
};

std::vector<CheckDirection> directions_of_check(const VecX& start, const VecX& gradient, Index most) {
  constexpr double share_of_one = 1e-3, share_of_all = 1e-4;
  constexpr int num_random = 2;
  constexpr unsigned seed = 5;
  std::vector<CheckDirection> directions;
  if (start.size() <= most) {
    for (Index k = 0; k < start.size(); ++k) {
      const double size = start[k] != 0.0 ? std::abs(start[k]) : 1.0;
      directions.push_back({fmt::format("x[{}]", k), VecX::Unit(start.size(), k), share_of_one * size});
    }
    return directions;
  }
  // All numbers change by at most a part of the largest one.
  const double length = share_of_all * start.cwiseAbs().maxCoeff();
  const double largest = gradient.cwiseAbs().maxCoeff();
  if (largest > 0.0) directions.push_back({"the gradient", gradient / largest, length});
  std::mt19937 random(seed);
  for (int r = 0; r < num_random; ++r) {
    VecX direction(start.size());
    for (double& number : direction) number = random() % 2 == 0 ? 1.0 : -1.0;
    directions.push_back({fmt::format("random direction {}", r + 1), std::move(direction), length});
  }
  return directions;
}

Issues all_warnings(const PolyfemPlan& plan) {
  Issues warnings = plan.warnings;
  for (std::size_t s = 0; s < plan.states.size(); ++s) {
    const Issues more = changes_of_scene(plan, s);
    warnings.insert(warnings.end(), more.begin(), more.end());
  }
  return warnings;
}

}  // namespace

Result<Done> check_plan(const PolyfemPlan& plan) {
  const auto runner = make_runner(plan, nullptr, {});
  if (!runner) return runner.issues();
  return Done{};
}

Result<DesignSearch> optimise_design(const PolyfemPlan& plan, const DesignOptions& options) {
  Objective objective(plan, options.is_stop_wanted);
  const Result<bool> started = objective.start();
  if (!started) return started.issues();
  DesignSearch search;
  search.warnings = all_warnings(plan);
  if (!*started) {
    search.minimum.end = MinimumEnd::stopped;
    return search;
  }
  StoredRuns runs(options, objective);
  std::optional<Evaluated> first, best;
  Tried<Evaluated> tried;
  // A smoothed search goes in numbers that the changes of the shape follow from.
  const SmoothChange* smoothing = plan.smoothing.get();
  const auto place_of = [&](const VecX& numbers) -> VecX {
    return smoothing != nullptr ? VecX(plan.start + smoothing->of_numbers(numbers)) : numbers;
  };
  MinimiseOptions minimiser = plan.minimiser;
  const bool has_shape = std::any_of(plan.variables.begin(), plan.variables.end(), [](const DesignVariable& variable) {
    return variable.kind == VariableKind::shape;
  });
  if (has_shape) {
    minimiser.reach = [&](const VecX& numbers, const VecX& change) {
      return longest_motion(*plan.meshes[plan.varied], rest_of_design(plan, objective.variables_at(place_of(numbers))),
                            rest_of_design(plan, objective.variables_at(place_of(numbers + change))));
    };
  }
  const SlopeFunction function = [&](const VecX& numbers) -> std::optional<Slope> {
    const std::optional<Evaluated> there = runs.at(place_of(numbers));
    if (!there) {
      if (!objective.problems().empty()) search.errors = objective.problems();
      return std::nullopt;
    }
    tried.add(numbers, *there);
    Slope slope = there->slope();
    if (smoothing == nullptr) return slope;
    slope.gradient = smoothing->pull_back(slope.gradient);
    for (Constraint& constraint : slope.constraints) constraint.gradient = smoothing->pull_back(constraint.gradient);
    return slope;
  };
  const auto on_iterate = [&](Iterate iterate) {
    best = tried.take(iterate.x);
    if (!first) first = best;
    iterate.x = place_of(iterate.x);
    search.iterates.push_back(iterate);
    if (options.on_iterate) options.on_iterate(iterate);
  };
  const VecX start = smoothing != nullptr ? VecX::Zero(plan.start.size()) : plan.start;
  search.minimum = minimise(function, start, minimiser, on_iterate,
                            [&] { return objective.is_stopped() || !runs.problems().empty(); });
  search.minimum.x = place_of(search.minimum.x);
  if (!runs.problems().empty()) return runs.problems();
  search.warnings.insert(search.warnings.end(), objective.warnings().begin(), objective.warnings().end());
  search.scene = scene_of_design(plan, objective.variables_at(search.minimum.x));
  if (best) {
    search.value_at_start = first->value();
    search.forms = values_of(plan.objective, first->forms, best->forms, "functionals");
    search.conditions = values_of(plan.conditions, first->conditions, best->conditions, "stopping_conditions");
    search.constraints =
        values_of(plan.constraints, values_in(first->constraints), values_in(best->constraints), "constraints");
  }
  return search;
}

bool CheckedSlope::agrees() const {
  return std::abs(derivative - difference) <= agreement * largest;
}

bool CheckedSlope::is_decided() const {
  return agrees() || std::abs(derivative - difference) > 3.0 * uncertainty;
}

Result<std::vector<CheckedSlope>> check_slopes(const PolyfemPlan& plan, Index most,
                                               const std::function<bool()>& is_stop_wanted) {
  // Shorter changes where runs bend or break within the longer ones; rounding of runs ends them.
  constexpr std::array<double, 5> parts = {1.0, 0.3, 0.03, 3e-3, 3e-4};
  constexpr std::array<double, 4> offsets = {-2.0, -1.0, 1.0, 2.0};
  Objective objective(plan, is_stop_wanted);
  const Result<bool> started = objective.start();
  if (!started) return started.issues();
  std::vector<CheckedSlope> checked;
  if (!*started) return checked;
  const std::optional<Evaluated> here = objective.at(plan.start);
  if (!here) return objective.problems();
  const auto difference = [&](const VecX& direction, double length) {
    std::array<double, 4> values{};
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::optional<double> there = objective.value_at(plan.start + offsets[i] * length * direction);
      values[i] = there.value_or(unknown);
    }
    return (8.0 * (values[2] - values[1]) - (values[3] - values[0])) / (12.0 * length);
  };
  const std::vector<CheckDirection> directions = directions_of_check(plan.start, here->gradient, most);
  double largest = 0.0;
  for (const CheckDirection& check : directions) {
    largest = std::max(largest, std::abs(here->gradient.dot(check.direction)));
  }
  for (const CheckDirection& check : directions) {
    CheckedSlope slope{check.name, here->gradient.dot(check.direction), unknown, infinity, check.length, largest};
    double last = unknown;
    for (const double part : parts) {
      if (is_stop_wanted && is_stop_wanted()) return checked;
      const double found = difference(check.direction, part * check.length), miss = std::abs(found - last);
      last = found;
      if (!(miss < slope.uncertainty)) continue;
      slope.difference = found;
      slope.uncertainty = miss;
      slope.length = part * check.length;
      if (miss <= certainty * largest) break;
    }
    checked.push_back(slope);
  }
  return checked;
}

}  // namespace clearance::optimise
