#include "apps/cli/optimise.h"

#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <string>
#include <vector>

#include "apps/cli/console.h"
#include "apps/cli/optimise_design.h"
#include "apps/cli/optimise_folder.h"
#include "apps/cli/optimise_objective.h"
#include "apps/cli/stop_signals.h"
#include "clearance/base/parallel.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/files/text_file.h"
#include "clearance/optimise/fit.h"
#include "clearance/optimise/objective_plan.h"
#include "clearance/optimise/polyfem_plan.h"
#include "clearance/scene/loaded_scene.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using optimise::Fit;
using optimise::FitPlan;
using optimise::FittedNumber;
using optimise::LeastSquaresEnd;

/// Names of the files of a fit.
constexpr const char *report_file = "fit.json", *progress_file = "progress.csv";

const char* text_of(LeastSquaresEnd end) {
  switch (end) {
    case LeastSquaresEnd::converged:
      return "converged";
    case LeastSquaresEnd::limit:
      return "limit";
    case LeastSquaresEnd::blocked:
      return "blocked";
    case LeastSquaresEnd::stopped:
      return "stopped";
    case LeastSquaresEnd::undefined:
      return "undefined";
  }
  return "";
}

Json json_of(const Fit& fit) {
  Json parameters = Json::array(), covariance = Json::array(), untold = Json::array();
  for (const FittedNumber& fitted : fit.parameters) {
    parameters.push_back({{"name", fitted.name},
                          {"path", fitted.path},
                          {"value", fitted.value},
                          {"standard_deviation", number_or_null(fitted.deviation)},
                          {"interval_95", {number_or_null(fitted.low), number_or_null(fitted.high)}},
                          {"at_bound", fitted.is_at_bound}});
  }
  for (Eigen::Index i = 0; i < fit.covariance.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < fit.covariance.cols(); ++j) row.push_back(number_or_null(fit.covariance(i, j)));
    covariance.push_back(std::move(row));
  }
  for (const VecX& combination : fit.untold) {
    untold.push_back(std::vector<double>(combination.data(), combination.data() + combination.size()));
  }
  return {{"end", text_of(fit.end)},
          {"runs", fit.num_runs},
          {"measurements", fit.num_measurements},
          {"cost_at_start", number_or_null(fit.cost_at_start)},
          {"cost", number_or_null(fit.cost)},
          {"scatter", number_or_null(fit.scatter)},
          {"deviations_given", fit.has_deviations},
          {"largest_residual", {{"value", number_or_null(fit.largest_residual)}, {"place", fit.place_of_largest}}},
          {"parameters", parameters},
          {"covariance", covariance},
          {"untold_combinations", untold},
          {"runs_without_result", fit.num_failed},
          {"last_run_without_result", fit.last_failure},
          {"warnings", cli::json_of(fit.warnings)}};
}

std::string text_of(const Fit& fit) {
  const char* end = fit.end == LeastSquaresEnd::converged ? "converged"
                    : fit.end == LeastSquaresEnd::blocked
                        ? "not converged: runs beyond this place have no result; ended"
                        : "not converged";
  std::string text = fmt::format("{} after {} runs; {} measurements, cost {:.6g} at the start and {:.6g} now\n", end,
                                 fit.num_runs, fit.num_measurements, fit.cost_at_start, fit.cost);
  if (fit.num_failed > 0) {
    text += fmt::format("{} of the runs had no result; the last was {}\nBounds `from` and `to` keep the search away\n",
                        fit.num_failed, fit.last_failure);
  }
  for (const FittedNumber& fitted : fit.parameters) {
    text += fmt::format("  {} = {:.8g}", fitted.name, fitted.value);
    if (fitted.is_at_bound) {
      text += ", at its bound";
    } else if (std::isfinite(fitted.deviation)) {
      text += fmt::format(" +- {:.2g} (standard deviation), with 95 % between {:.6g} and {:.6g}", fitted.deviation,
                          fitted.low, fitted.high);
    }
    text += '\n';
  }
  if (fit.end != LeastSquaresEnd::converged)
    text += "No standard deviations: these numbers are no minimum of the cost\n";
  for (const VecX& combination : fit.untold) {
    text += "The data do not tell";
    const bool is_single = combination.cwiseAbs().maxCoeff() > 1.0 - 1e-6;
    for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
      const double part = combination[static_cast<Eigen::Index>(k)];
      if (std::abs(part) <= 1e-3) continue;
      text += is_single ? " " + fit.parameters[k].name : fmt::format(" {}^{:.2g}", fit.parameters[k].name, part);
    }
    text += ": its change changes no measurement. Fix one of its numbers, or measure something else.\n";
  }
  if (fit.has_deviations && fit.scatter > 0.0) {
    const double chance = fit.chance_of_scatter();
    text +=
        fmt::format("The measurements scatter by {:.3g} times their deviations about the fit{}\n", fit.scatter,
                    fit.scatter > 1.0 + chance   ? ": the scene does not describe them, or the deviations are too small"
                    : fit.scatter < 1.0 - chance ? ": the deviations are too large"
                                                 : "");
  } else if (fit.scatter > 0.0) {
    text += fmt::format("The measurements scatter by {:.3g} about the fit, which the standard deviations are from\n",
                        fit.scatter);
  } else {
    text += fmt::format("The fit misses {} by {:.3g}{}\n", fit.place_of_largest, fit.largest_residual,
                        fit.has_deviations ? " deviations" : "");
  }
  return text;
}

/// Writes one line per run: its number, the parameters and the cost.
class Progress {
 public:
  Progress(const OptimiseCommand& command, const FitPlan& plan) : command_(command), text_("run") {
    for (const auto& parameter : plan.parameters) text_ += "," + parameter.name;
    text_ += ",cost\n";
    for (const auto& parameter : plan.parameters) names_.push_back(parameter.name);
  }
  void add(int run, const std::vector<double>& values, double cost) {
    text_ += fmt::format("{}", run);
    std::string line = std::isfinite(cost) ? fmt::format("run {:>3}: cost {:<12.6g}", run, cost)
                                           : fmt::format("run {:>3}: no result        ", run);
    for (std::size_t k = 0; k < values.size(); ++k) {
      text_ += fmt::format(",{}", values[k]);
      line += fmt::format("  {} {:.7g}", names_[k], values[k]);
    }
    text_ += std::isfinite(cost) ? fmt::format(",{}\n", cost) : ",\n";
    if (!problem_.empty()) line += "\n         " + problem_;
    problem_.clear();
    if (!command_.json) say(stdout, "{}\n", line);
    const auto written = write_file_atomically(command_.output / progress_file, text_);
    if (!written && problems_.empty()) problems_ = written.issues();
  }
  /// Keeps the reason why the run that comes next has no result.
  void explain(const std::string& problem) { problem_ = problem; }
  const Issues& problems() const { return problems_; }

 private:
  const OptimiseCommand& command_;
  std::string text_, problem_;
  std::vector<std::string> names_;
  Issues problems_;
};

}  // namespace

int run_optimise(const OptimiseCommand& command) {
  const ThreadLimit limit(command.threads);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  if (optimise::is_polyfem_plan(command.plan)) return run_optimise_design(command);
  if (optimise::is_objective_plan(command.plan)) return run_optimise_objective(command);
  const Result<std::string> text = read_text_file(command.plan);
  const Result<FitPlan> plan = optimise::read_fit_plan(command.plan);
  Issues issues = problems_of_optimise_folder(command, plan ? plan->inputs : "");
  if (command.is_checked) issues.push_back({"", "--check", "", "a fit is checked by `clearance gradient --check`"});
  if (command.smoothing_length > 0.0) issues.push_back({"", "--smooth", "", "a fit has no shapes"});
  if (!command.overrides.empty()) {
    issues.push_back({"", "--set", "", "a fit has values for its runs in its plan (`set`)"});
  }
  if (!plan) issues.insert(issues.begin(), plan.issues().begin(), plan.issues().end());
  if (plan) {
    const Result<Done> checked = optimise::check_fit(*plan);
    Issues of_plan = checked.issues();
    set_file(of_plan, plan->scene.string());
    issues.insert(issues.end(), of_plan.begin(), of_plan.end());
  }
  if (!issues.empty()) return refuse(issues, command.json);
  if (const auto begun = begin_optimise_folder(command, *text, plan->inputs); !begun) {
    return refuse(begun.issues(), command.json);
  }
  const StopSignals signals(command.json);
  Progress progress(command, *plan);
  const optimise::FitOptions options{
      command.output, [&](int run, const std::vector<double>& values, double cost) { progress.add(run, values, cost); },
      [] { return StopSignals::received() != 0; }, [&](int, const std::string& problem) { progress.explain(problem); }};
  const Result<Fit> found = optimise::fit(*plan, options);
  if (!found) return refuse(found.issues(), command.json);
  if (found->end == LeastSquaresEnd::stopped) return exit_signal + StopSignals::received();
  if (!progress.problems().empty()) return refuse(progress.problems(), command.json);
  if (found->end == LeastSquaresEnd::undefined) {
    report_issues(found->errors, command.json);
    return exit_not_converged;
  }
  const std::string report = json_of(*found).dump(2) + '\n';
  if (const auto written = write_file_atomically(command.output / report_file, report); !written) {
    return refuse(written.issues(), command.json);
  }
  if (!command.json) print_issues(found->warnings);
  say(stdout, "{}", command.json ? report : text_of(*found));
  return found->end == LeastSquaresEnd::converged ? exit_done : exit_not_converged;
}

}  // namespace clearance::cli
