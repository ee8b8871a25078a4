#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <memory>
#include <utility>

#include "apps/cli/console.h"
#include "apps/cli/gradient.h"
#include "apps/cli/report_folder.h"
#include "apps/cli/stop_signals.h"
#include "clearance/base/parallel.h"
#include "clearance/derivatives/forward_run.h"
#include "clearance/derivatives/reverse_run.h"
#include "clearance/derivatives/vertex_slopes.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/scene/probe_columns.h"
#include "clearance/simulation/stepping/stepped_scene.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;
using derivatives::RecordEnd;
using derivatives::Recording;
using derivatives::ReverseGradient;
using derivatives::Seed;
using Json = nlohmann::ordered_json;

constexpr const char *report_file = "gradient.json", *fields_file = "fields.vtu";

/// The derivatives of one column.
struct Column {
  std::string name;
  double value = 0.0;
  ReverseGradient gradient;
};

/// Appends an array if all of its numbers are known, and returns its norm.
double add_array(const std::string& name, int num_components, std::vector<double> values,
                 std::vector<FrameArray>& arrays) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  if (!std::isfinite(sum)) return sum;
  arrays.push_back({name, num_components, std::move(values)});
  return std::sqrt(sum);
}

/// True if a vertex moves by itself. Those of stiff bodies and obstacles do not, and have no derivatives here.
bool has_own_vertices(const SceneModel& scene) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].is_obstacle) continue;
    const std::vector<int>& blocks = scene.blocks[b].block_of_node;
    if (std::any_of(blocks.begin(), blocks.end(), [](int block) { return block >= 0; })) return true;
  }
  return false;
}

/// Adds the fields of a column to the frame and returns their norms.
std::vector<std::pair<std::string, double>> add_fields(const SceneModel& scene, const Column& column, Frame& frame) {
  std::vector<std::pair<std::string, double>> norms;
  const std::string prefix = column.name.substr(0, column.name.find(" [")) + " by ";
  const auto add_points = [&](const std::string& name, const VecX& slopes) {
    std::vector<double> values;
    for (const Vec<3>& slope : derivatives::by_vertices(scene, slopes)) {
      values.insert(values.end(), slope.begin(), slope.end());
    }
    norms.emplace_back(name, add_array(prefix + name, 3, std::move(values), frame.point_arrays));
  };
  const auto add_cells = [&](const std::string& name, const std::vector<double>& slopes) {
    std::vector<double> values(frame.cell_body.size());
    for (std::size_t e = 0; e < slopes.size(); ++e)
      values[static_cast<std::size_t>(scene.cell_of_element[e])] = slopes[e];
    if (!slopes.empty()) norms.emplace_back(name, add_array(prefix + name, 1, std::move(values), frame.cell_arrays));
  };
  if (has_own_vertices(scene)) {
    add_points("start_positions", column.gradient.start_x);
    add_points("start_velocities", column.gradient.start_v);
    add_points("shape", column.gradient.shape);
  }
  add_cells("lame_lambda", column.gradient.elements.lambda);
  add_cells("lame_mu", column.gradient.elements.mu);
  add_cells("density", column.gradient.elements.density);
  return norms;
}

Frame frame_of_start(const SceneModel& scene) {
  Frame frame;
  frame.mesh = scene.frames.mesh;
  frame.velocity.assign(frame.mesh.vertices.size(), Vec<3>::Zero());
  frame.cell_body = scene.frames.cell_body;
  frame.cell_is_obstacle = scene.frames.cell_is_obstacle;
  return frame;
}

Result<Done> write_results(const GradientCommand& command, const Frame& frame, const std::string& report) {
  std::error_code error;
  fs::create_directories(command.output, error);
  if (error) return Issue{command.output.string(), "-o", "", error.message()};
  if (auto written = write_frame(command.output / fields_file, frame); !written) return written;
  return write_file_atomically(command.output / report_file, report);
}

/// Returns one warning of each kind, since those of the columns differ in their numbers alone.
Issues warnings_of(const std::vector<Column>& columns) {
  Issues warnings;
  for (const Column& column : columns) {
    for (const Issue& warning : column.gradient.warnings) {
      const bool is_known = std::any_of(warnings.begin(), warnings.end(), [&](const Issue& known) {
        return known.place == warning.place && (warning.place != "held_in_fields" || known.message == warning.message);
      });
      if (!is_known) warnings.push_back(warning);
    }
  }
  return warnings;
}

int report(const GradientCommand& command, Recording& recording, const std::vector<Column>& columns) {
  const SceneModel& scene = *recording.scene().scene;
  Frame frame = frame_of_start(scene);
  const int last = recording.num_steps();
  Json list = Json::array();
  std::string text = fmt::format("derivatives after step {}, at {:.6g} s\n", last, recording.time(last));
  for (const Column& column : columns) {
    Json derivatives = Json::object(), norms = Json::object(), controls = Json::array();
    text += fmt::format("{} = {:.8g}\n", column.name, column.value);
    for (std::size_t p = 0; p < command.parameters.size(); ++p) {
      derivatives[command.parameters[p]] = number_or_null(column.gradient.parameters[p]);
      text += fmt::format("  {:>16.9g}  by {}\n", column.gradient.parameters[p], command.parameters[p]);
    }
    for (const auto& [name, norm] : add_fields(scene, column, frame)) {
      norms[name] = number_or_null(norm);
      text += std::isfinite(norm) ? fmt::format("  {:>16.9g}  norm of the derivatives by {}\n", norm, name)
                                  : fmt::format("           unknown  by {}\n", name);
    }
    for (const VecX& step : column.gradient.controls) controls.push_back(std::vector<double>(step.begin(), step.end()));
    list.push_back({{"name", column.name},
                    {"value", number_or_null(column.value)},
                    {"derivatives", derivatives},
                    {"norms_of_fields", norms},
                    {"controls", controls},
                    {"error", column.gradient.error}});
  }
  if (!has_own_vertices(scene)) {
    text +=
        "no derivatives by start_positions, start_velocities and shape: all bodies are stiff, and their vertices do "
        "not "
        "move by themselves\n";
  }
  const Json json = {{"steps", last},
                     {"time", recording.time(last)},
                     {"kept_steps", recording.num_kept()},
                     {"peak_mb", 1e-6 * static_cast<double>(recording.most_bytes())},
                     {"columns", list},
                     {"warnings", cli::json_of(warnings_of(columns))}};
  const std::string written = json.dump(2) + '\n';
  if (!command.output.empty()) {
    if (const auto done = write_results(command, frame, written); !done) return refuse(done.issues(), command);
  }
  say(stdout, "{}", command.scene.json ? written : text);
  if (!command.scene.json && !command.output.empty()) {
    say(stdout, "fields: {}\n", (command.output / fields_file).string());
  }
  return exit_done;
}

}  // namespace

int run_reverse_gradient(const GradientCommand& command) {
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
  derivatives::GradientOptions wanted;
  wanted.parameters = command.parameters;
  wanted.columns = command.columns;
  auto scene = std::make_unique<SteppedScene>();
  if (const auto before = derivatives::check_before_run(make, wanted, *scene); !before.problems.empty()) {
    return refuse(before.problems, command);
  }
  derivatives::RecordOptions options;
  options.num_steps = command.num_steps;
  options.budget_mb = command.budget_mb;
  options.is_stop_wanted = [] { return StopSignals::received() != 0; };
  const bool shows_progress = !json && isatty(STDERR_FILENO) == 1;
  if (shows_progress) {
    options.on_step = [](int step, int num_steps) { say(stderr, "\r\033[Kstep {} of {}", step, num_steps); };
  }
  Result<std::unique_ptr<Recording>> made = Recording::make(make, options, std::move(scene));
  if (shows_progress) say(stderr, "\r\033[K");
  if (!made) return refuse(made.issues(), command);
  Recording& recording = **made;
  if (recording.end() == RecordEnd::stopped) return exit_signal + StopSignals::received();
  if (recording.end() == RecordEnd::failed) return refuse(recording.errors(), command, exit_not_converged);
  const std::vector<std::string>& all = recording.scene().probes.columns();
  const auto found = find_columns(all, command.columns.empty() ? all : command.columns, "--of");
  if (!found) return refuse(found.issues(), command);
  const int last = recording.num_steps();
  std::vector<Column> columns;
  for (const std::size_t c : *found) {
    std::vector<Seed> seeds(static_cast<std::size_t>(last) + 1);
    Result<Seed> seed = recording.seed_of(last, all[c]);
    if (!seed) return refuse(seed.issues(), command);
    seeds.back() = std::move(*seed);
    Result<ReverseGradient> gradient = recording.backward(seeds, command.parameters);
    if (shows_progress) say(stderr, "\r\033[K");
    if (StopSignals::received() != 0) return exit_signal + StopSignals::received();
    if (!gradient) {
      const bool is_of_step = gradient.issues().front().place.rfind("step ", 0) == 0;
      return refuse(gradient.issues(), command, is_of_step ? exit_not_converged : exit_bad_input);
    }
    columns.push_back({all[c], recording.probes(last)[c], std::move(*gradient)});
  }
  Issues warnings = warnings_of(columns);
  set_file(warnings, command.scene.scene.string());
  if (!json) print_issues(warnings);
  return report(command, recording, columns);
}

}  // namespace clearance::cli
