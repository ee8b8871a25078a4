#include "apps/cli/modes.h"

#include <fmt/format.h>

#include <cmath>
#include <csignal>

#include "apps/cli/console.h"
#include "apps/cli/report_folder.h"
#include "apps/cli/stop_signals.h"
#include "clearance/base/parallel.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/result/pvd.h"
#include "clearance/modes/scene_modes.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Name of the file of the results, which also tells a folder of modes from others.
constexpr const char* report_file = "modes.json";

std::string frame_name(std::size_t number) {
  return fmt::format("frames/mode_{:03}.vtu", number);
}

/// Removes the frames of older modes, by their names.
void remove_old_frames(const fs::path& folder) {
  std::error_code error;
  const Result<std::vector<PvdEntry>> old = read_pvd(folder / "frames.pvd");
  for (std::size_t i = 0; old && i < old->size(); ++i) fs::remove(folder / frame_name(i), error);
  fs::remove(folder / "frames.pvd", error);
  fs::remove(folder / report_file, error);
}

/// Writes the state as frame 0 and each mode as another frame, whose time is the number of the mode.
Result<Done> write_shapes(const ModesCommand& command, const SceneModes& found, const std::string& report) {
  std::error_code error;
  fs::create_directories(command.output / "frames", error);
  if (error) return Issue{command.output.string(), "-o", "", error.message()};
  remove_old_frames(command.output);
  std::vector<PvdEntry> entries;
  for (std::size_t i = 0; i <= found.modes.size(); ++i) {
    Frame frame = found.frame;
    frame.time = static_cast<double>(i);
    FrameArray displacement{"displacement", 3, {}};
    for (std::size_t v = 0; v < frame.mesh.vertices.size(); ++v) {
      const Vec<3> moved = i > 0 ? found.modes[i - 1].shape[v] : Vec<3>(Vec<3>::Zero());
      frame.mesh.vertices[v] += moved;
      displacement.values.insert(displacement.values.end(), moved.begin(), moved.end());
    }
    frame.point_arrays.push_back(std::move(displacement));
    if (const Result<Done> written = write_frame(command.output / frame_name(i), frame); !written) return written;
    entries.push_back({frame.time, frame_name(i)});
  }
  if (const Result<Done> listed = write_pvd(command.output / "frames.pvd", entries); !listed) return listed;
  return write_file_atomically(command.output / report_file, report);
}

Json json_of(const SceneMode& mode, std::size_t number, bool is_buckling) {
  Json json = {{"mode", number}};
  if (is_buckling) {
    json["load_factor"] = mode.factor;
  } else {
    json["frequency"] = mode.omega_sq < 0.0 ? Json(nullptr) : Json(mode.frequency);
    json["omega_squared"] = mode.omega_sq;
    json["rigid"] = mode.name.empty() ? Json(nullptr) : Json(mode.name);
  }
  json["body"] = mode.body;
  json["share_of_energy"] = mode.body_share;
  return json;
}

Json json_of(const SceneModes& found, bool is_buckling) {
  Json modes = Json::array();
  for (std::size_t i = 0; i < found.modes.size(); ++i) modes.push_back(json_of(found.modes[i], i + 1, is_buckling));
  Json json = {{"kind", is_buckling ? "buckling" : "vibration"},
               {"steps", found.num_steps},
               {"unknowns", found.num_unknowns},
               {"contacts", found.num_contacts}};
  if (!is_buckling) json["largest_residual"] = found.largest_residual;
  json["modes"] = modes;
  json["warnings"] = cli::json_of(found.warnings);
  return json;
}

std::string text_of_vibration(const SceneMode& mode, const UnitSystem& units) {
  const std::string hertz = units.time == 1.0 ? "Hz" : fmt::format("1/{}", units.time_name);
  if (!mode.name.empty()) return fmt::format("      0 {}  {}", hertz, mode.name);
  if (mode.omega_sq < 0.0) {
    return fmt::format("unstable    '{}': the motion grows by {:.4g} per {}", mode.body, std::sqrt(-mode.omega_sq),
                       units.time == 1.0 ? "second" : units.time_name);
  }
  return fmt::format("{:>7.6g} {}  '{}'", mode.frequency, hertz, mode.body);
}

/// Returns the table, with a note about a body that moves alone or with others.
std::string text_of(const SceneModes& found, bool is_buckling, const UnitSystem& units) {
  std::string text = found.num_steps > 0
                         ? fmt::format("at the equilibrium after {} steps; {} unknowns, {} contacts\n", found.num_steps,
                                       found.num_unknowns, found.num_contacts)
                         : fmt::format("at the start, without contacts; {} unknowns\n", found.num_unknowns);
  for (std::size_t i = 0; i < found.modes.size(); ++i) {
    const SceneMode& mode = found.modes[i];
    text += fmt::format("mode {:>3}  ", i + 1);
    text += is_buckling ? fmt::format("{:>9.6g} times the loads  '{}'", mode.factor, mode.body)
                        : text_of_vibration(mode, units);
    constexpr double least_alone = 0.995;
    const bool is_shared = mode.name.empty() && mode.body_share < least_alone;
    text += is_shared ? fmt::format(" ({:.0f} % of the energy)\n", 100.0 * mode.body_share) : "\n";
  }
  if (is_buckling && found.modes.empty()) text += "the loads buckle nothing\n";
  constexpr double doubtful = 1e-4;
  if (found.largest_residual > doubtful) {
    text += fmt::format("the modes are accurate to {:.1g} of their forces only\n", found.largest_residual);
  }
  return text;
}

}  // namespace

int run_modes(const ModesCommand& command) {
  const ThreadLimit limit(command.threads);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const bool json = command.scene.json;
  Issues issues = problems_of_report_folder(command.output, report_file, "modes", command.is_overwriting);
  Result<LoadedScene> loaded = load_scene(command.scene.scene, command.scene.format, command.scene.overrides);
  if (!loaded) issues.insert(issues.end(), loaded.issues().begin(), loaded.issues().end());
  if (has_errors(issues)) return refuse(issues, json);

  const StopSignals signals(json);
  ModesOptions options{command.count, command.is_buckling, {}, [] { return StopSignals::received() != 0; }};
  if (!json) options.on_step = [](int step, int num_steps) { say(stdout, "step {} of {}\n", step, num_steps); };
  Result<SceneModes> found = find_scene_modes(loaded->scene, options);
  const std::string file = command.scene.scene.string();
  if (!found) {
    Issues problems = found.issues();
    name_units(unit_system_of(loaded->scene), problems);
    set_file(problems, file);
    return refuse(problems, json);
  }
  name_units(unit_system_of(loaded->scene), found->errors);
  name_units(unit_system_of(loaded->scene), found->warnings);
  set_file(found->errors, file);
  set_file(found->warnings, file);
  if (found->end == ModesEnd::stopped) return exit_signal + StopSignals::received();
  if (!json) print_issues(found->warnings);
  if (found->end == ModesEnd::failed) {
    report_issues(found->errors, json);
    return exit_not_converged;
  }
  const std::string report = json_of(*found, command.is_buckling).dump(2) + '\n';
  if (!command.output.empty()) {
    if (const auto written = write_shapes(command, *found, report); !written) return refuse(written.issues(), json);
  }
  say(stdout, "{}", json ? report : text_of(*found, command.is_buckling, unit_system_of(loaded->scene)));
  if (!json && !command.output.empty()) {
    say(stdout, "shapes: {} (open frames.pvd in ParaView)\n", command.output.string());
  }
  return exit_done;
}

}  // namespace clearance::cli
