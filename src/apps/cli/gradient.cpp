#include "apps/cli/gradient.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cmath>
#include <csignal>
#include <utility>

#include "apps/cli/console.h"
#include "apps/cli/report_folder.h"
#include "apps/cli/stop_signals.h"
#include "clearance/base/parallel.h"
#include "clearance/derivatives/check_gradient.h"
#include "clearance/io/files/atomic_file.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;
using derivatives::CheckedDerivative;
using derivatives::Gradient;
using derivatives::GradientEnd;
using derivatives::StepGradient;
using derivatives::TangentRemainders;
using Json = nlohmann::ordered_json;

/// Names of the files of the results; the first one also tells their folder from others.
constexpr const char *report_file = "gradient.json", *table_file = "derivatives.csv";

/// Returns `d tip.y [m] / d bodies[0].material.density`.
std::string heading(const Gradient& gradient, std::size_t column, std::size_t parameter) {
  return fmt::format("d {} / d {}", gradient.columns[column], gradient.parameters[parameter].path);
}

/// Returns the table of all steps: values, then derivatives.
std::string csv_of(const Gradient& gradient) {
  std::string text = "step,time [s]";
  for (const std::string& column : gradient.columns) text += "," + column;
  for (std::size_t c = 0; c < gradient.columns.size(); ++c) {
    for (std::size_t p = 0; p < gradient.parameters.size(); ++p) text += "," + heading(gradient, c, p);
  }
  text += '\n';
  const auto append = [&](double value) { text += std::isfinite(value) ? fmt::format(",{}", value) : ","; };
  for (std::size_t s = 0; s < gradient.steps.size(); ++s) {
    const StepGradient& step = gradient.steps[s];
    text += fmt::format("{},{}", s, step.time);
    for (const double value : step.values) append(value);
    for (Eigen::Index c = 0; c < step.derivatives.rows(); ++c) {
      for (Eigen::Index p = 0; p < step.derivatives.cols(); ++p) append(step.derivatives(c, p));
    }
    text += '\n';
  }
  return text;
}

/// Changes of `--taylor` as shares of each number: three decades.
const std::vector<double> taylor_shares = {1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4};

Json json_of(const Gradient& gradient, const std::vector<TangentRemainders>& all) {
  Json list = Json::array();
  for (const TangentRemainders& found : all) {
    for (std::size_t c = 0; c < gradient.columns.size(); ++c) {
      Json values = Json::array(), remainders = Json::array();
      for (std::size_t k = 0; k < found.changes.size(); ++k) {
        values.push_back(number_or_null(found.values(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c))));
        remainders.push_back(
            number_or_null(found.remainders(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c))));
      }
      list.push_back({{"column", gradient.columns[c]},
                      {"parameter", gradient.parameters[found.parameter].path},
                      {"changes", found.changes},
                      {"values", values},
                      {"remainders", remainders}});
    }
  }
  return list;
}

Json json_of(const Gradient& gradient, const std::vector<CheckedDerivative>& checked,
             const std::vector<TangentRemainders>& remainders) {
  const StepGradient& last = gradient.steps.back();
  Json parameters = Json::array(), columns = Json::array();
  for (const auto& parameter : gradient.parameters) {
    parameters.push_back({{"path", parameter.path}, {"value", parameter.value}});
  }
  for (std::size_t c = 0; c < gradient.columns.size(); ++c) {
    Json derivatives = Json::object();
    for (std::size_t p = 0; p < gradient.parameters.size(); ++p) {
      derivatives[gradient.parameters[p].path] =
          number_or_null(last.derivatives(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(p)));
    }
    columns.push_back(
        {{"name", gradient.columns[c]}, {"value", number_or_null(last.values[c])}, {"derivatives", derivatives}});
  }
  Json json = {{"steps", gradient.steps.size() - 1},
               {"time", last.time},
               {"parameters", parameters},
               {"columns", columns},
               {"error_of_linear_systems", gradient.error}};
  if (!checked.empty()) {
    json["checks"] = Json::array();
    for (const CheckedDerivative& check : checked) {
      json["checks"].push_back({{"column", gradient.columns[check.column]},
                                {"parameter", gradient.parameters[check.parameter].path},
                                {"derivative", number_or_null(check.derivative)},
                                {"difference", number_or_null(check.difference)},
                                {"uncertainty", number_or_null(check.uncertainty)},
                                {"agrees", check.is_decided() ? Json(check.agrees()) : Json(nullptr)}});
    }
  }
  if (!remainders.empty()) json["taylor"] = json_of(gradient, remainders);
  json["warnings"] = cli::json_of(gradient.warnings);
  return json;
}

std::string unit_of(const std::string& column) {
  const std::size_t begin = column.find(" [");
  return begin == std::string::npos ? "" : " " + column.substr(begin + 2, column.size() - begin - 3);
}

/// Returns the derivatives after the last step, with what a change by a hundredth makes.
std::string text_of(const Gradient& gradient, const std::vector<CheckedDerivative>& checked,
                    const std::vector<TangentRemainders>& remainders) {
  const StepGradient& last = gradient.steps.back();
  std::string text = fmt::format("derivatives after step {}, at {:.6g} s\n", gradient.steps.size() - 1, last.time);
  for (std::size_t c = 0; c < gradient.columns.size(); ++c) {
    const std::string& column = gradient.columns[c];
    text += fmt::format("{} = {:.8g}\n", column, last.values[c]);
    for (std::size_t p = 0; p < gradient.parameters.size(); ++p) {
      const auto& parameter = gradient.parameters[p];
      const double derivative = last.derivatives(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(p));
      text += fmt::format("  {:>16.9g}  by {} = {:.6g}", derivative, parameter.path, parameter.value);
      if (parameter.value != 0.0) {
        text += fmt::format("; 1 % more of it makes {:+.4g}{}", 0.01 * derivative * parameter.value, unit_of(column));
      }
      text += '\n';
      for (const CheckedDerivative& check : checked) {
        if (check.column != c || check.parameter != p) continue;
        if (!check.is_known()) {
          text += "                    not checked: the scene allows no other values nearby\n";
          continue;
        }
        text += fmt::format("  {:>16.9g}  by differences of runs, known to {:.1g}: {}\n", check.difference,
                            check.uncertainty,
                            check.is_decided() ? (check.agrees() ? "they agree" : "they do not agree")
                            : check.agrees()   ? "too uncertain to decide"
                                               : "they differ at the kink that the warning `at_kink` tells");
      }
      for (const TangentRemainders& found : remainders) {
        if (found.parameter != p) continue;
        text += "                    beside the tangent, after changes of";
        for (std::size_t k = 0; k < found.changes.size(); ++k) {
          text += fmt::format("{} {:.2g}: {:.2g}", k > 0 ? "," : "", found.changes[k],
                              found.remainders(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c)));
        }
        text += '\n';
      }
    }
  }
  return text;
}

Result<Done> write_tables(const GradientCommand& command, const Gradient& gradient, const std::string& report) {
  std::error_code error;
  fs::create_directories(command.output, error);
  if (error) return Issue{command.output.string(), "-o", "", error.message()};
  if (auto written = write_file_atomically(command.output / table_file, csv_of(gradient)); !written) return written;
  return write_file_atomically(command.output / report_file, report);
}

}  // namespace

int refuse(Issues issues, const GradientCommand& command, int status) {
  set_file(issues, command.scene.scene.string());
  report_issues(issues, command.scene.json);
  return status;
}

derivatives::SceneMaker scene_maker(const GradientCommand& command) {
  return [&command](const std::vector<std::string>& overrides) -> Result<SceneDesc> {
    std::vector<std::string> all = command.scene.overrides;
    all.insert(all.end(), overrides.begin(), overrides.end());
    Result<LoadedScene> loaded = load_scene(command.scene.scene, command.scene.format, all);
    if (!loaded) return loaded.issues();
    return std::move(loaded->scene);
  };
}

int run_gradient(const GradientCommand& command) {
  const ThreadLimit limit(command.threads);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const bool json = command.scene.json;
  const Issues issues = problems_of_report_folder(command.output, report_file, "derivatives", command.is_overwriting);
  if (!issues.empty()) {
    report_issues(issues, json);
    return exit_bad_input;
  }
  const derivatives::SceneMaker make = scene_maker(command);
  const StopSignals signals(json);
  derivatives::GradientOptions options{
      command.parameters, command.columns, command.num_steps, {}, [] { return StopSignals::received() != 0; }};
  const bool shows_progress = !json && isatty(STDERR_FILENO) == 1;
  if (shows_progress) {
    options.on_step = [](int step, int num_steps) { say(stderr, "\r\033[Kstep {} of {}", step, num_steps); };
  }
  Result<Gradient> found = derivatives::find_gradient(make, options);
  if (shows_progress) say(stderr, "\r\033[K");
  if (!found) return refuse(found.issues(), command);
  if (found->end == GradientEnd::stopped) return exit_signal + StopSignals::received();
  set_file(found->errors, command.scene.scene.string());
  set_file(found->warnings, command.scene.scene.string());
  if (!json) print_issues(found->warnings);
  if (found->end == GradientEnd::failed) {
    report_issues(found->errors, json);
    return exit_not_converged;
  }
  options.on_step = {};
  std::vector<CheckedDerivative> checked;
  if (command.is_checked) checked = derivatives::check_gradient(make, options, *found);
  std::vector<TangentRemainders> remainders;
  if (command.has_remainders) remainders = derivatives::find_remainders(make, options, *found, taylor_shares);
  const std::string report = json_of(*found, checked, remainders).dump(2) + '\n';
  if (!command.output.empty()) {
    if (const auto written = write_tables(command, *found, report); !written) return refuse(written.issues(), command);
  }
  say(stdout, "{}", json ? report : text_of(*found, checked, remainders));
  if (!json && !command.output.empty()) {
    say(stdout, "derivatives of every step: {}\n", (command.output / table_file).string());
  }
  for (const CheckedDerivative& check : checked) {
    if (!check.agrees() && check.is_decided()) return exit_verification_failed;
  }
  return exit_done;
}

}  // namespace clearance::cli
