#include "clearance/optimise/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "clearance/derivatives/forward_run.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/files/text_file.h"
#include "clearance/optimise/student.h"
#include "clearance/scene/loaded_scene.h"
#include "clearance/scene/probe_columns.h"

namespace clearance::optimise {
namespace {

namespace fs = std::filesystem;
using derivatives::Gradient;
using derivatives::GradientEnd;

std::string run_name(int number) {
  return fmt::format("runs/{:04}.json", number);
}

/// The residuals of runs, computed or read from the folder.
class Runs {
 public:
  /// `parameters` are the numbers of the plan as the scene has them.
  Runs(const FitPlan& plan, const FitOptions& options, std::vector<derivatives::Parameter> parameters, Fit& fit)
      : plan_(plan), options_(options), parameters_(std::move(parameters)), fit_(fit) {}

  /// Reads what earlier calls have stored.
  void read_stored() {
    for (int number = 1;; ++number) {
      const Result<std::string> text = read_text_file(options_.output / run_name(number));
      if (!text) break;
      const Json json = Json::parse(*text, nullptr, false);
      if (json.is_discarded() || !json.contains("parameters")) break;
      stored_[json["parameters"].dump()] = json;
    }
  }

  /// Returns the residuals at p; nothing, with a reason, if the run has none.
  std::optional<Residuals> at(const VecX& p) {
    std::vector<double> values(p.data(), p.data() + p.size());
    const std::string key = Json(values).dump();
    const auto found = stored_.find(key);
    Json json = found != stored_.end() ? found->second : compute(values);
    if (is_stopped_) return std::nullopt;
    ++num_runs_;
    if (found == stored_.end()) {
      // A run that cannot be stored is an error of the folder, which the report names too.
      (void)write_file_atomically(options_.output / run_name(num_runs_), json.dump() + '\n');
    }
    std::optional<Residuals> residuals;
    if (!json["residuals"].is_null()) {
      const std::vector<double> r = json["residuals"].get<std::vector<double>>();
      residuals.emplace();
      residuals->r = Eigen::Map<const VecX>(r.data(), static_cast<Eigen::Index>(r.size()));
      residuals->jacobian.resize(static_cast<Eigen::Index>(r.size()), p.size());
      for (std::size_t i = 0; i < r.size(); ++i) {
        for (Eigen::Index j = 0; j < p.size(); ++j) {
          residuals->jacobian(static_cast<Eigen::Index>(i), j) = json["jacobian"][i][static_cast<std::size_t>(j)];
        }
      }
    }
    if (!residuals) {
      const std::string problem = json.value("problem", "");
      ++fit_.num_failed;
      fit_.last_failure = fmt::format("run {}: {}", num_runs_, problem);
      if (options_.on_failure) options_.on_failure(num_runs_, problem);
    }
    if (options_.on_run) {
      options_.on_run(num_runs_, values, residuals ? residuals->cost() : std::numeric_limits<double>::infinity());
    }
    return residuals;
  }

  bool is_stopped() const { return is_stopped_; }
  /// True if the scene of the last run that had no residuals was refused.
  bool is_refused() const { return is_refused_; }
  const Issues& problems() const { return problems_; }

 private:
  Json compute(const std::vector<double>& values) {
    derivatives::GradientOptions gradient_options;
    for (const FreeNumber& number : plan_.parameters) gradient_options.parameters.push_back(number.path);
    for (const MeasuredColumn& measured : plan_.measured) gradient_options.columns.push_back(measured.column);
    gradient_options.num_steps = plan_.num_steps;
    gradient_options.is_stop_wanted = options_.is_stop_wanted;
    const Result<Gradient> gradient =
        derivatives::find_gradient(scene_maker(plan_, parameters_, values), gradient_options);
    Json json = {{"parameters", values}, {"residuals", nullptr}, {"jacobian", nullptr}};
    if (!gradient) {
      problems_ = in_plan(plan_, gradient.issues());
      is_refused_ = true;
      json["problem"] = to_string(problems_.front());
      return json;
    }
    if (gradient->end == GradientEnd::stopped) {
      is_stopped_ = true;
      return json;
    }
    if (gradient->end == GradientEnd::failed) {
      problems_ = gradient->errors;
      json["problem"] = to_string(gradient->errors.front());
      return json;
    }
    if (!has_warnings_) {
      fit_.warnings.insert(fit_.warnings.end(), gradient->warnings.begin(), gradient->warnings.end());
      has_warnings_ = true;
    }
    compare(*gradient, json);
    return json;
  }

  /// Compares the numbers of a run with the measurements. Between steps they are linear in time.
  void compare(const Gradient& gradient, Json& json) {
    Json residuals = Json::array(), jacobian = Json::array();
    for (std::size_t c = 0; c < plan_.measured.size(); ++c) {
      const MeasuredColumn& measured = plan_.measured[c];
      for (const Measurement& measurement : measured.values) {
        const double weight = 1.0 / measurement.deviation;
        const auto [step, share] = place_of(gradient, measured, measurement.time);
        const auto& before = gradient.steps[step];
        const auto& after = gradient.steps[std::min(step + 1, gradient.steps.size() - 1)];
        const auto row = static_cast<Eigen::Index>(c);
        const double value =
            share > 0.0 ? (1.0 - share) * before.values[c] + share * after.values[c] : before.values[c];
        VecX derivatives = before.derivatives.row(row).transpose();
        if (share > 0.0) derivatives += share * (after.derivatives.row(row).transpose() - derivatives);
        if (!std::isfinite(value) || !derivatives.allFinite()) {
          problems_ = {{plan_.file.string(), child_path(element_path("fit", c), "probe"),
                        fmt::format("{} s", measurement.time),
                        "the probe has no number at this time; forces are known from the end of the first step on"}};
          json["problem"] = to_string(problems_.front());
          return;
        }
        residuals.push_back(weight * (value - measurement.value));
        derivatives *= weight;
        jacobian.push_back(std::vector<double>(derivatives.data(), derivatives.data() + derivatives.size()));
      }
    }
    json["residuals"] = std::move(residuals);
    json["jacobian"] = std::move(jacobian);
  }

  /// Returns the step before a time, and the share of the next one.
  static std::pair<std::size_t, double> place_of(const Gradient& gradient, const MeasuredColumn& measured,
                                                 double time) {
    const std::size_t last = gradient.steps.size() - 1;
    if (measured.is_at_end) return {last, 0.0};
    std::size_t step = 0;
    while (step < last && gradient.steps[step + 1].time <= time) ++step;
    if (step == last) return {last, 0.0};
    const double begin = gradient.steps[step].time, end = gradient.steps[step + 1].time;
    return {step, std::clamp((time - begin) / (end - begin), 0.0, 1.0)};
  }

  const FitPlan& plan_;
  const FitOptions& options_;
  std::vector<derivatives::Parameter> parameters_;
  Fit& fit_;
  std::map<std::string, Json> stored_;
  int num_runs_ = 0;
  bool is_stopped_ = false, is_refused_ = false, has_warnings_ = false;
  Issues problems_;
};

/// Checks that each measured column is that of a probe, and that tables have its unit and that of times.
void check_columns(const FitPlan& plan, const std::vector<std::string>& columns, const std::string& time_label,
                   Issues& issues) {
  for (std::size_t c = 0; c < plan.measured.size(); ++c) {
    const MeasuredColumn& measured = plan.measured[c];
    if (measured.column.empty()) continue;
    const auto found = find_columns(columns, {measured.column}, child_path(element_path("fit", c), "probe"));
    Issues problems = found.issues();
    set_file(problems, plan.file.string());
    issues.insert(issues.end(), problems.begin(), problems.end());
    const std::string place = child_path(element_path("fit", c), "data");
    if (measured.time_label.find(" [") != std::string::npos && measured.time_label != time_label) {
      issues.push_back(
          {plan.file.string(), place, measured.time_label,
           fmt::format("times of the scene are those of a column `{}`; expected the same in the head of the "
                       "table",
                       time_label)});
    }
    if (!found || measured.label.find(" [") == std::string::npos) continue;
    const std::string unit = unit_of_column(columns[found->front()]);
    if (unit_of_column(measured.label) == unit) continue;
    issues.push_back({plan.file.string(), place, measured.label,
                      fmt::format("the probe has the unit{}; expected the same in the head of the table", unit)});
  }
}

/// Checks the plan against the scene, and returns its numbers with the values to start from. Entries of a plan that is
/// refused anyway may lack a path or a probe.
Result<StartNumbers> find_start(const FitPlan& plan) {
  Issues issues;
  std::optional<StartNumbers> start = find_start_numbers(plan, issues);
  if (!start) return issues;
  for (std::size_t c = 0; c < plan.measured.size(); ++c) {
    const MeasuredColumn& measured = plan.measured[c];
    if (measured.is_at_end || measured.values.empty()) continue;
    const double last = measured.values.back().time, first = measured.values.front().time;
    if (first >= 0.0 && last <= start->end_time * (1.0 + 1e-9)) continue;
    issues.push_back({plan.file.string(), element_path("fit", c), fmt::format("{} s", first < 0.0 ? first : last),
                      fmt::format("measurements are beyond the run, which lasts from 0 to {:.6g} s", start->end_time)});
  }
  if (!start->columns.empty()) check_columns(plan, start->columns, start->time_column, issues);
  if (!issues.empty()) return issues;
  return std::move(*start);
}

/// Finds the measurement that the fit misses most.
void find_largest_residual(const FitPlan& plan, const VecX& residuals, Fit& result) {
  Eigen::Index i = 0;
  for (const MeasuredColumn& measured : plan.measured) {
    for (const Measurement& measurement : measured.values) {
      const double size = std::abs(residuals[i++]);
      if (!(size > result.largest_residual)) continue;
      result.largest_residual = size;
      result.place_of_largest = measured.column + (measured.is_at_end ? std::string(" at the end")
                                                                      : fmt::format(" at {:.6g} s", measurement.time));
    }
  }
}

/// Adds warnings about an end that is no good fit.
void add_warnings(double promised_gain, Fit& result) {
  const auto warn = [&](const char* name, std::string message) {
    result.warnings.push_back({"", name, "", std::move(message), Severity::warning});
  };
  // With as many numbers as measurements nothing but the residuals themselves tells a wrong minimum from a right one.
  const bool is_far =
      result.num_left > 0 ? result.scatter > 1.0 + result.chance_of_scatter() : result.largest_residual > normal_95;
  if (result.has_deviations && is_far) {
    const bool is_bounded = std::any_of(result.parameters.begin(), result.parameters.end(),
                                        [](const FittedNumber& number) { return number.is_at_bound; });
    warn("not_met",
         fmt::format("the fit misses {} by {:.3g} deviations{}: the minimum near the start does not describe the "
                     "measurements. {}egin elsewhere (`start`), or mend the scene or the deviations",
                     result.place_of_largest, result.largest_residual,
                     result.num_left > 0 ? "" : ", although there are no more measurements than numbers",
                     is_bounded ? "Widen the bounds, b" : "B"));
  }
  // A change of a number by its standard deviation costs 1/2, in units of the variance of the measurements.
  const double variance = result.has_deviations ? 1.0 : result.scatter * result.scatter;
  if (result.end == LeastSquaresEnd::converged && promised_gain > 0.5 * variance && promised_gain > 0.0) {
    warn("at_kink_of_cost",
         fmt::format("the derivatives promise a gain of {:.3g} of the cost, and no step has gained it: the cost has a "
                     "kink here, as where contacts or friction change, or a derivative is wrong "
                     "(`clearance gradient --check`). Standard deviations are not reliable there",
                     promised_gain));
  }
}

/// Adds the numbers at the end of the search. They have deviations and intervals at a minimum alone.
void add_numbers(const FitPlan& plan, const LeastSquares& found, const LeastSquaresOptions& search, Fit& result) {
  const Eigen::Index n = found.p.size();
  std::vector<char> is_free(static_cast<std::size_t>(n), 1);
  VecX sizes = found.p.cwiseAbs();
  for (Eigen::Index k = 0; k < n; ++k) {
    if (found.p[k] <= search.lower[k] || found.p[k] >= search.upper[k]) is_free[static_cast<std::size_t>(k)] = 0;
    if (!(sizes[k] > 0.0)) sizes[k] = search.sizes[k];
  }
  const Uncertainty uncertainty = result.has_deviations ? find_uncertainty(found.at.jacobian, sizes, is_free)
                                                        : find_scattered_uncertainty(found.at, sizes, is_free);
  result.covariance = uncertainty.covariance;
  if (found.end != LeastSquaresEnd::converged) result.covariance.setConstant(std::numeric_limits<double>::quiet_NaN());
  result.untold = uncertainty.untold;
  result.num_left = result.num_measurements - uncertainty.num_told;
  result.scatter = result.num_left > 0 ? std::sqrt(2.0 * result.cost / result.num_left) : 0.0;
  const double quantile = result.has_deviations || result.num_left <= 0 ? normal_95 : student_95(result.num_left);
  for (Eigen::Index k = 0; k < n; ++k) {
    const FreeNumber& number = plan.parameters[static_cast<std::size_t>(k)];
    const double deviation = std::sqrt(result.covariance(k, k)), half = quantile * deviation;
    result.parameters.push_back({number.name, number.path, found.p[k], deviation, found.p[k] - half, found.p[k] + half,
                                 is_free[static_cast<std::size_t>(k)] == 0});
  }
}

}  // namespace

Result<Done> check_fit(const FitPlan& plan) {
  const auto found = find_start(plan);
  if (!found) return found.issues();
  return Done{};
}

Result<Fit> fit(const FitPlan& plan, const FitOptions& options) {
  const Result<StartNumbers> numbers = find_start(plan);
  if (!numbers) return numbers.issues();
  const VecX start = Eigen::Map<const VecX>(numbers->values.data(), std::ssize(numbers->values));
  Fit result;
  result.warnings = plan.warnings;
  Runs runs(plan, options, numbers->parameters, result);
  runs.read_stored();
  const Eigen::Index n = start.size();
  LeastSquaresOptions search;
  search.lower.resize(n);
  search.upper.resize(n);
  search.sizes = sizes_of(plan, numbers->values);
  search.max_evaluations = plan.max_runs;
  for (Eigen::Index k = 0; k < n; ++k) {
    const FreeNumber& number = plan.parameters[static_cast<std::size_t>(k)];
    search.lower[k] = number.from;
    search.upper[k] = number.to;
  }
  double first_cost = std::numeric_limits<double>::quiet_NaN();
  const auto function = [&](const VecX& p) {
    std::optional<Residuals> residuals = runs.at(p);
    if (residuals && std::isnan(first_cost)) first_cost = residuals->cost();
    return residuals;
  };
  const LeastSquares found = minimise(function, start, search, [&] { return runs.is_stopped(); });
  result.end = found.end;
  result.num_runs = found.num_evaluations;
  if (found.end == LeastSquaresEnd::undefined) {
    if (runs.is_refused()) return runs.problems();
    result.errors = runs.problems();
    return result;
  }
  if (found.at.r.size() == 0) return result;
  result.cost_at_start = first_cost;
  result.cost = found.at.cost();
  result.num_measurements = static_cast<int>(found.at.r.size());
  result.has_deviations =
      std::all_of(plan.measured.begin(), plan.measured.end(), [](const auto& m) { return m.has_deviations; });
  add_numbers(plan, found, search, result);
  find_largest_residual(plan, found.at.r, result);
  add_warnings(found.promised_gain, result);
  return result;
}

}  // namespace clearance::optimise
