#include "apps/cli/optimise_objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/console.h"
#include "apps/cli/optimise_folder.h"
#include "apps/cli/optimise_iterates.h"
#include "apps/cli/stop_signals.h"
#include "clearance/io/files/text_file.h"
#include "clearance/optimise/minimise_objective.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;
using optimise::FoundConstraint;
using optimise::FoundNumber;
using optimise::Iterate;
using optimise::ObjectivePlan;
using optimise::ObjectiveSearch;

/// True if a constraint is violated by more than the rounding of runs.
bool is_violated(const FoundConstraint& found) {
  constexpr double rounding = 1e-6;
  const double excess = found.is_upper ? found.value - found.bound : found.bound - found.value;
  return excess > rounding * std::max(std::abs(found.bound), std::abs(found.at_start - found.bound));
}

Json json_of(const ObjectiveSearch& search) {
  Json parameters = Json::array(), constraints = Json::array();
  for (const FoundNumber& found : search.parameters) {
    parameters.push_back(
        {{"name", found.name}, {"path", found.path}, {"value", found.value}, {"at_bound", found.is_at_bound}});
  }
  for (const FoundConstraint& found : search.constraints) {
    constraints.push_back({{"name", found.name},
                           {"at_start", found.at_start},
                           {"value", found.value},
                           {found.is_upper ? "at_most" : "at_least", found.bound},
                           {"active", found.is_active},
                           {"violated", is_violated(found)}});
  }
  return {{"end", cli::text_of(search.minimum.end)},
          {"iterations", search.minimum.num_iterations},
          {"runs", search.minimum.num_evaluations},
          {"objective_at_start", search.value_at_start},
          {"objective", search.minimum.at.value},
          {"gradient_norm", search.iterates.back().gradient_norm},
          {"parameters", std::move(parameters)},
          {"constraints", std::move(constraints)},
          {"violation", search.iterates.back().violation},
          {"runs_without_result", search.num_failed},
          {"last_run_without_result", search.last_failure},
          {"warnings", cli::json_of(search.warnings)}};
}

std::string text_of(const ObjectiveSearch& search) {
  const bool is_infeasible = std::ranges::any_of(search.constraints, is_violated);
  std::string text =
      fmt::format("ended after {} iterations and {} runs: {}\nobjective {:.6g} at the start and {:.6g} now\n",
                  search.minimum.num_iterations, search.minimum.num_evaluations,
                  is_infeasible ? "no numbers within the bounds that satisfy all constraints were found"
                                : meaning_of(search.minimum.end),
                  search.value_at_start, search.minimum.at.value);
  if (search.num_failed > 0) {
    text += fmt::format("{} of the runs had no result; the last was {}\nBounds `from` and `to` keep the search away\n",
                        search.num_failed, search.last_failure);
  }
  for (const FoundNumber& found : search.parameters) {
    text += fmt::format("  {} = {:.8g}{}\n", found.name, found.value, found.is_at_bound ? ", at its bound" : "");
  }
  for (const FoundConstraint& found : search.constraints) {
    const char* state = is_violated(found) ? ", which it violates" : found.is_active ? ", which it has reached" : "";
    text += fmt::format("  {}: {:.6g} at the start and {:.6g} now, {} {:.6g}{}\n", found.name, found.at_start,
                        found.value, found.is_upper ? "at most" : "at least", found.bound, state);
  }
  return text;
}

/// Problems of the options that other plans have.
Issues problems_of_options(const OptimiseCommand& command) {
  Issues issues;
  if (command.is_checked) {
    issues.push_back({"", "--check", "", "derivatives of such a plan are checked by `clearance gradient --check`"});
  }
  if (command.smoothing_length > 0.0) issues.push_back({"", "--smooth", "", "the plan has no shapes"});
  if (!command.overrides.empty()) {
    issues.push_back({"", "--set", "", "the plan has values for its runs itself (`set`)"});
  }
  return issues;
}

}  // namespace

int run_optimise_objective(const OptimiseCommand& command) {
  const Result<std::string> text = read_text_file(command.plan);
  const Result<ObjectivePlan> plan = optimise::read_objective_plan(command.plan);
  Issues issues = plan.issues();
  const auto add = [&](const Issues& more) { issues.insert(issues.end(), more.begin(), more.end()); };
  add(problems_of_optimise_folder(command, plan ? plan->inputs : ""));
  add(problems_of_options(command));
  if (plan) {
    Issues of_plan = optimise::check_objective(*plan).issues();
    set_file(of_plan, plan->scene.string());
    add(of_plan);
  }
  if (!issues.empty()) return refuse(issues, command.json);
  if (const auto begun = begin_optimise_folder(command, *text, plan->inputs); !begun) {
    return refuse(begun.issues(), command.json);
  }
  const StopSignals signals(command.json);
  std::vector<std::string> names;
  for (const auto& parameter : plan->parameters) names.push_back(parameter.name);
  Iterates iterates(command, std::move(names), !plan->constraints.empty());
  optimise::ObjectiveOptions options;
  options.output = command.output;
  options.on_iterate = [&](const Iterate& iterate) { iterates.add(iterate); };
  options.is_stop_wanted = [] { return StopSignals::received() != 0; };
  options.on_failure = [&](int run, const std::string& problem) {
    if (!command.json) say(stdout, "run {:>3}: no result: {}\n", run, problem);
  };
  const Result<ObjectiveSearch> found = optimise::minimise_objective(*plan, options);
  return end_search<ObjectiveSearch>(command, iterates, found, json_of, text_of);
}

}  // namespace clearance::cli
