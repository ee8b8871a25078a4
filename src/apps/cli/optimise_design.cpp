#include "apps/cli/optimise_design.h"

#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/console.h"
#include "apps/cli/optimise_folder.h"
#include "apps/cli/optimise_iterates.h"
#include "apps/cli/stop_signals.h"
#include "clearance/base/parallel.h"
#include "clearance/io/files/text_file.h"
#include "clearance/optimise/optimise_design.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;
using optimise::CheckedSlope;
using optimise::DesignSearch;
using optimise::FormValue;
using optimise::Iterate;
using optimise::PolyfemPlan;

/// Parameters up to this number are printed and are columns of iterates.csv.
constexpr Eigen::Index most_shown = 20;

Json json_of(const std::vector<FormValue>& values) {
  Json list = Json::array();
  for (const FormValue& value : values) {
    list.push_back({{"name", value.label}, {"at_start", value.at_start}, {"value", value.value}});
  }
  return list;
}

Json json_of(const DesignSearch& search) {
  Json x = Json::array();
  for (const double value : search.minimum.x) x.push_back(value);
  return {{"end", cli::text_of(search.minimum.end)},
          {"iterations", search.minimum.num_iterations},
          {"runs", search.minimum.num_evaluations},
          {"objective_at_start", search.value_at_start},
          {"objective", search.minimum.at.value},
          {"gradient_norm", search.iterates.back().gradient_norm},
          {"x", std::move(x)},
          {"functionals", json_of(search.forms)},
          {"stopping_conditions", json_of(search.conditions)},
          {"constraints", json_of(search.constraints)},
          {"warnings", cli::json_of(search.warnings)}};
}

std::string text_of(const DesignSearch& search) {
  std::string text =
      fmt::format("ended after {} iterations and {} runs: {}\nobjective {:.6g} at the start and {:.6g} now\n",
                  search.minimum.num_iterations, search.minimum.num_evaluations, meaning_of(search.minimum.end),
                  search.value_at_start, search.minimum.at.value);
  for (const FormValue& form : search.forms) {
    text += fmt::format("  {}: {:.6g} at the start and {:.6g} now\n", form.label, form.at_start, form.value);
  }
  for (const FormValue& constraint : search.constraints) {
    text += fmt::format("  {}, which may not be above 0: {:.6g} at the start and {:.6g} now\n", constraint.label,
                        constraint.at_start, constraint.value);
  }
  if (search.minimum.x.size() > most_shown) return text;
  for (Eigen::Index k = 0; k < search.minimum.x.size(); ++k) {
    text += fmt::format("  x[{}] = {:.8g}\n", k, search.minimum.x[k]);
  }
  return text;
}

/// Compares derivatives with differences of runs.
int check(const OptimiseCommand& command, const PolyfemPlan& plan) {
  const StopSignals signals(command.json);
  const auto found = optimise::check_slopes(plan, most_shown, [] { return StopSignals::received() != 0; });
  if (!found) return refuse(found.issues(), command.json);
  if (StopSignals::received() != 0) return exit_signal + StopSignals::received();
  bool is_wrong = false;
  Json list = Json::array();
  for (const CheckedSlope& slope : *found) {
    is_wrong = is_wrong || (slope.is_decided() && !slope.agrees());
    list.push_back({{"direction", slope.direction},
                    {"derivative", number_or_null(slope.derivative)},
                    {"difference", number_or_null(slope.difference)},
                    {"uncertainty", number_or_null(slope.uncertainty)},
                    {"length", slope.length},
                    {"largest", slope.largest},
                    {"agrees", slope.is_decided() ? Json(slope.agrees()) : Json(nullptr)}});
    if (command.json) continue;
    say(stdout, "{}: derivative {:.9g}, by differences of runs {:.9g}, known to {:.1g}: {}\n", slope.direction,
        slope.derivative, slope.difference, slope.uncertainty,
        !slope.is_decided() ? "too uncertain to decide"
        : slope.agrees()    ? "they agree"
                            : "they do not agree");
  }
  if (command.json) say(stdout, "{}\n", Json{{"check", list}}.dump(2));
  return is_wrong ? exit_verification_failed : exit_done;
}

}  // namespace

int run_optimise_design(const OptimiseCommand& command) {
  const ThreadLimit limit(command.threads);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const Result<PolyfemPlan> plan =
      optimise::read_polyfem_plan(command.plan, {command.overrides, command.smoothing_length});
  Issues issues;
  if (!command.is_checked) issues = problems_of_optimise_folder(command, plan ? plan->inputs : "");
  // A plan with errors does not tell whether the folder is that of its runs, so that its own problems come first.
  if (!plan) return refuse(plan.issues(), command.json);
  if (const auto checked = optimise::check_plan(*plan); !checked) {
    issues.insert(issues.begin(), checked.issues().begin(), checked.issues().end());
  }
  if (!issues.empty()) return refuse(issues, command.json);
  if (command.is_checked) return check(command, *plan);
  const Result<std::string> text = read_text_file(command.plan);
  if (!text) return refuse(text.issues(), command.json);
  if (const auto begun = begin_optimise_folder(command, *text, plan->inputs); !begun) {
    return refuse(begun.issues(), command.json);
  }
  const StopSignals signals(command.json);
  std::vector<std::string> names;
  for (Eigen::Index k = 0; plan->start.size() <= most_shown && k < plan->start.size(); ++k) {
    names.push_back(fmt::format("x[{}]", k));
  }
  Iterates iterates(command, std::move(names), !plan->constraints.empty());
  optimise::DesignOptions options;
  options.output = command.output;
  options.on_iterate = [&](const Iterate& iterate) { iterates.add(iterate); };
  options.is_stop_wanted = [] { return StopSignals::received() != 0; };
  const Result<DesignSearch> found = optimise::optimise_design(*plan, options);
  return end_search<DesignSearch>(command, iterates, found, json_of, text_of);
}

}  // namespace clearance::cli
