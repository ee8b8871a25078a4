#include "apps/cli/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/body_table.h"
#include "apps/cli/console.h"
#include "apps/cli/run_report.h"
#include "apps/cli/stop_signals.h"
#include "apps/cli/view.h"
#include "clearance/base/log.h"
#include "clearance/base/parallel.h"
#include "clearance/device/use_device.h"
#include "clearance/io/ccd/ccd_query_file.h"
#include "clearance/io/files/text_file.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/io/result/folder_claim.h"
#include "clearance/io/result/meeting_file.h"
#include "clearance/io/result/result_check.h"
#include "clearance/simulation/simulation.h"

namespace clearance::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A scene that is ready to run; without a simulation if it had problems, which have been reported by then.
struct ReadyScene {
  SceneDesc desc;
  std::optional<Simulation> simulation;
  NamedHints warnings;  ///< set if the scene is ready
};

/// Appends those issues of `later` that have not been told yet: the checks of a file and of a scene built in code
/// overlap.
void append_new(const Issues& later, Issues& told) {
  const std::size_t num_before = told.size();
  for (const Issue& issue : later) {
    const bool is_told =
        std::any_of(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(num_before),
                    [&](const Issue& t) { return t.place == issue.place && t.message == issue.message; });
    if (!is_told) told.push_back(issue);
  }
}

/// Prepares the scene. Tells warnings at once, unless they are `in_summary`.
ReadyScene prepare_scene(const SceneOptions& options, bool in_summary, bool is_separating = false) {
  ReadyScene ready;
  Result<LoadedScene> loaded = load_scene(options.scene, options.format, options.overrides);
  if (!loaded) {
    report_issues(loaded.issues(), options.json);
    return ready;
  }
  ready.desc = loaded->scene;
  if (is_separating) ready.desc.start.overlaps = OverlapHandling::separate;
  Result<Simulation> simulation = Simulation::create(ready.desc);
  Issues found = simulation ? simulation->warnings() : simulation.issues();
  set_file(found, options.scene.string());
  Issues issues = loaded->warnings;
  append_new(found, issues);
  if (!issues.empty() && !(in_summary && simulation)) report_issues(issues, options.json);
  if (!simulation) return ready;
  const UnitSystem& units = unit_system_of(ready.desc);
  if (const std::string moved = units.message(to_string(simulation->separation())); !moved.empty()) {
    log_info("{}", moved);
    if (!options.json && !is_separating) say(stdout, "note: {}\n", moved);
  }
  NamedHints hints = simulation->named_warnings();
  for (NamedHint& hint : hints) hint.issue.file = options.scene.string();
  ready.warnings = merge_warnings(loaded->warnings, hints);
  ready.simulation = std::move(*simulation);
  return ready;
}

/// Formats the warnings with their names.
Json warnings_of(const ReadyScene& ready) {
  Json list = json_of(issues_of(ready.warnings));
  for (std::size_t i = 0; i < ready.warnings.size(); ++i) list[i]["name"] = ready.warnings[i].name;
  return list;
}

/// Counts the triangles of shells and the edges of rods, which deform like the elements of solids.
int num_thin_elements(const std::vector<BodyFacts>& facts) {
  int count = 0;
  for (const BodyFacts& body : facts) {
    if (body.kind == BodyKind::shell || body.kind == BodyKind::rod) count += body.num_elements;
  }
  return count;
}

Json json_of_summary(const ReadyScene& ready, const Json& separation) {
  const SceneDesc& desc = ready.desc;
  const SceneSummary s = ready.simulation->summary();
  const std::vector<BodyFacts> facts = sum_copies(desc, ready.simulation->body_facts());
  Json bodies = Json::array();
  for (const BodyDesc& body : desc.bodies) bodies.push_back(body.name);
  Json summary = {{"dimension", s.dim},
                  {"bodies", s.num_bodies},
                  {"obstacles", s.num_obstacles},
                  {"vertices", s.num_vertices},
                  {"elements", s.num_elements + num_thin_elements(facts)},
                  {"surface_triangles", s.num_surface_triangles},
                  {"surface_edges", s.num_surface_edges},
                  {"steps", s.num_steps},
                  {"time_step", desc.time.step},
                  {"bbox_diagonal", s.bbox_diagonal},
                  {"dhat", s.dhat},
                  {"tolerance", s.tolerance},
                  {"min_distance", number_or_null(s.min_distance)},
                  {"names", bodies},
                  {"table", json_of_bodies(desc, facts)},
                  {"warnings", warnings_of(ready)}};
  if (!separation.is_null()) summary["separation"] = separation;
  return summary;
}

/// Prints a text whose numbers are in these units and whose units have the names of SI.
void print_in(const UnitSystem& units, const std::string& text) {
  fmt::print("{}", units.message(text));
}

/// Prints the summary. `separation` belongs to a scene whose overlaps were to be separated.
void print_summary(const ReadyScene& ready, bool json, const Json& separation) {
  const SceneDesc& desc = ready.desc;
  const SceneSummary s = ready.simulation->summary();
  const std::vector<BodyFacts> facts = sum_copies(desc, ready.simulation->body_facts());
  if (json) {
    fmt::print("{}\n", json_of_summary(ready, separation).dump(2));
    return;
  }
  fmt::print("{}D scene, {} bodies ({} of them obstacles), {} half-spaces\n", s.dim, s.num_bodies, s.num_obstacles,
             desc.half_spaces.size());
  fmt::print("{} vertices, {} elements; surface: {} triangles, {} edges\n", s.num_vertices,
             s.num_elements + num_thin_elements(facts), s.num_surface_triangles, s.num_surface_edges);
  const std::string convergence = desc.solver.convergence == Convergence::forces
                                      ? fmt::format("forces balanced up to {:g} %", 100.0 * desc.solver.force_tolerance)
                                      : fmt::format("Newton tolerance {:.4g} m/s", s.tolerance);
  const UnitSystem& units = unit_system_of(desc);
  if (!units.is_si()) fmt::print("units {}\n", units.name);
  print_in(units, fmt::format("{} steps of {:g} s; size {:.4g} m, largest dhat {:.4g} m, {}\n", s.num_steps,
                              desc.time.step, s.bbox_diagonal, s.dhat, convergence));
  print_in(units,
           fmt::format("smallest gap at the start: {}\n",
                       std::isfinite(s.min_distance) ? fmt::format("{:.6g} m", s.min_distance) : "more than dhat"));
  print_body_table(desc, facts);
}

Result<CcdQueryRecorder> start_recording(const RunOptions& options, int dim) {
  if (dim != 3) return Issue{"", "--record-ccd", "a 2D scene", "queries can only be recorded in 3D"};
  return CcdQueryRecorder::create(options.record_ccd, options.record_ccd_limit);
}

/// Finishes the recording; false if the file could not be written.
bool finish_recording(const RunOptions& options, CcdQueryRecorder& recorder) {
  if (const Result<Done> done = recorder.finish(); !done) {
    report_issues(done.issues(), false);
    return false;
  }
  if (!options.is_quiet) {
    say(stdout, "{}: {} of {} queries\n", options.record_ccd.string(), recorder.num_written(), recorder.num_seen());
  }
  return true;
}

/// Replays the controls of the run whose result is in the folder.
Result<Done> control_by(const fs::path& folder, Simulation& simulation) {
  if (const Result<Done> checked = check_result_folder(folder, "stats.jsonl"); !checked) return checked.issues();
  std::map<int, ControlValues> controls = read_controls(folder);
  if (controls.empty()) return Issue{(folder / "stats.jsonl").string(), "", "", "the run has no controls"};
  Result<Done> scheduled = simulation.schedule_controls(std::move(controls));
  if (scheduled) return Done{};
  Issues issues = scheduled.issues();
  set_file(issues, (folder / "stats.jsonl").string());
  return issues;
}

int exit_status(RunEnd end, int signal) {
  switch (end) {
    case RunEnd::complete:
      return exit_done;
    case RunEnd::stopped:
      // A stop by the viewer has the same status as one from the keyboard.
      return exit_signal + (signal != 0 ? signal : SIGINT);
    case RunEnd::not_converged:
    case RunEnd::failed_step:
      return exit_not_converged;
    case RunEnd::failed_writing:
      return exit_bad_input;
  }
  return exit_bad_input;
}

fs::path output_folder(const RunOptions& options) {
  return options.output.empty() ? fs::path("out") / options.scene.scene.stem() : options.output;
}

/// Keeps the process alive where a file or a reader of the messages fails.
void ignore_output_signals() {
  // A file at the system's size limit is a failure to write like any other; it must not end the process.
  std::signal(SIGXFSZ, SIG_IGN);
  // A reader of the messages that has gone must not end the process either.
  std::signal(SIGPIPE, SIG_IGN);
}

/// Claims the folder and opens its log.
Result<FolderClaim> claim_output(const RunOptions& options, const fs::path& output) {
  Result<FolderClaim> claim = FolderClaim::make(output, options.use);
  if (!claim) return claim;
  if (const auto opened = open_log(output / "log.txt"); !opened) return opened.issues();
  log_info("clearance {} run {}, {} threads", CLEARANCE_VERSION, options.scene.scene.string(), num_threads());
  return claim;
}

/// Withdraws the claim of a scene that cannot start, apart from a mesh of the primitives that meet.
void withdraw_unready(const SceneDesc& scene, const fs::path& output, FolderClaim& claim) {
  const Mesh meeting = find_meeting_primitives(scene);
  const fs::path file = output / meeting_file;
  if (!meeting.vertices.empty() && write_mesh(file, meeting) && mark_meeting_file(output)) {
    say(stderr, "the triangles and edges that meet are in {}\n", file.string());
    claim.withdraw({"log.txt"});
  } else {
    claim.withdraw({"log.txt", meeting_file});
  }
}

/// Additions to a run that its options ask for.
struct RunAdditions {
  std::optional<CcdQueryRecorder> recorder;
  std::optional<RunViewer> viewer;
};

/// Starts the additions, and schedules the controls. `additions` must outlive the simulation's run.
Result<Done> start_additions(const RunOptions& options, const fs::path& output, Simulation& simulation,
                             RunAdditions& additions) {
  if (!options.controls.empty()) {
    const Result<Done> controlled = control_by(options.controls, simulation);
    if (!controlled) return controlled.issues();
  }
  if (!options.record_ccd.empty()) {
    Result<CcdQueryRecorder> created = start_recording(options, simulation.summary().dim);
    if (!created) return created.issues();
    additions.recorder = std::move(*created);
    simulation.record_ccd([&additions](const CcdQuery& query) { additions.recorder->record(query); });
  }
  if (options.is_shown) {
    Result<RunViewer> started = RunViewer::start(output);
    if (!started) return started.issues();
    additions.viewer.emplace(std::move(*started));
  }
  return Done{};
}

/// Runs the simulation to its end, with reports. Returns the exit status.
int run_to_end(const RunOptions& options, FolderClaim& claim, Simulation& simulation, RunAdditions& additions) {
  std::optional<StopSignals> signals(options.is_quiet);
  RunReport report(simulation, options.is_quiet);
  const Result<RunOutcome> outcome = run(simulation, claim, {options.steps, options.is_strict}, report.observer());
  if (!outcome) return refuse(outcome.issues());
  const int signal = outcome->end == RunEnd::stopped ? StopSignals::received() : 0;
  if (signal != 0) log_info("the signal was {}", signal_name(signal));
  report.close(*outcome);
  const bool is_recorded = !additions.recorder || finish_recording(options, *additions.recorder);
  report.print_end(*outcome, output_folder(options), signal);
  if (additions.viewer && signal == 0) {
    { const FolderClaim ended = std::move(claim); }
    signals.reset();
    say(stdout, "the page stays available until Ctrl-C\n");
    additions.viewer->wait();
  }
  return is_recorded ? exit_status(outcome->end, signal) : exit_bad_input;
}

}  // namespace

int run_simulation(const RunOptions& options) {
  const ThreadLimit limit(options.threads);
  ignore_output_signals();

  // A missing scene must not create a folder.
  if (const Result<Done> checked = check_text_file(options.scene.scene); !checked) return refuse(checked.issues());

  // The folder belongs to this run alone until the end. Only its log changes before the scene is known to be good, and
  // a folder that was made for a bad scene is removed again.
  const fs::path output = output_folder(options);
  Result<FolderClaim> claim = claim_output(options, output);
  if (!claim) return refuse(claim.issues());

  Result<std::shared_ptr<DeviceUse>> device = choose_device(options.device);
  if (!device) {
    claim->withdraw({"log.txt"});
    return refuse(device.issues());
  }
  const DeviceScope scope(std::move(*device));

  ReadyScene ready = prepare_scene(options.scene, false);
  if (!ready.simulation) {
    withdraw_unready(ready.desc, output, *claim);
    return exit_bad_input;
  }
  RunAdditions additions;
  if (const auto started = start_additions(options, output, *ready.simulation, additions); !started) {
    claim->withdraw({"log.txt"});
    return refuse(started.issues());
  }
  return run_to_end(options, *claim, *ready.simulation, additions);
}

namespace {

/// Returns false, and reports it, if there is a file that may not be replaced.
bool may_write(const fs::path& file, bool is_overwriting, const char* option, bool json) {
  std::error_code error;
  if (is_overwriting || !fs::exists(file, error)) return true;
  report_issues({{file.string(), "", "",
                  fmt::format("this file exists; replace it with --overwrite, or choose another with {}", option)}},
                json);
  return false;
}

void print_separation(const Separation& separation, const UnitSystem& units, const fs::path& file) {
  if (separation.overlaps.empty()) {
    fmt::print("no bodies that collide overlap; the scene is in {}\n", file.string());
    return;
  }
  for (const Separation::Overlap& overlap : separation.overlaps) {
    if (overlap.first == overlap.second) {
      fmt::print("'{}' met itself\n", overlap.first);
    } else if (overlap.depth > 0.0) {
      print_in(units,
               fmt::format("'{}' and '{}' overlapped by {:.4g} m\n", overlap.first, overlap.second, overlap.depth));
    } else {
      fmt::print("'{}' and '{}' touched\n", overlap.first, overlap.second);
    }
  }
  for (const Separation::Move& move : separation.moves) {
    if (move.distance > 0.0) print_in(units, fmt::format("'{}' was moved by {:.4g} m\n", move.body, move.distance));
    if (move.bending > 0.0) print_in(units, fmt::format("'{}' was bent by up to {:.4g} m\n", move.body, move.bending));
  }
  fmt::print("the scene is in {}\n", file.string());
}

Json json_of(const Separation& separation) {
  Json overlaps = Json::array(), moves = Json::array();
  for (const Separation::Overlap& overlap : separation.overlaps) {
    overlaps.push_back({{"bodies", {overlap.first, overlap.second}}, {"depth", overlap.depth}});
  }
  for (const Separation::Move& move : separation.moves) {
    moves.push_back({{"body", move.body}, {"distance", move.distance}, {"bending", move.bending}});
  }
  return {{"overlaps", overlaps}, {"moves", moves}};
}

}  // namespace

int run_check(const SceneOptions& options, const fs::path& separated, bool is_overwriting) {
  const bool is_separating = !separated.empty();
  std::error_code error;
  if (is_separating && fs::equivalent(options.scene, separated, error)) {
    report_issues({{separated.string(), "", "", "this file is the scene itself; choose another file with --separate"}},
                  options.json);
    return exit_bad_input;
  }
  if (is_separating && !may_write(separated, is_overwriting, "--separate", options.json)) return exit_bad_input;
  const ReadyScene ready = prepare_scene(options, options.json, is_separating);
  if (!ready.simulation) return exit_bad_input;
  const Separation& separation = ready.simulation->separation();
  if (is_separating) {
    if (const Result<Done> saved = save_scene(separated, ready.simulation->scene()); !saved) {
      report_issues(saved.issues(), options.json);
      return exit_bad_input;
    }
    if (!options.json) print_separation(separation, unit_system_of(ready.simulation->scene()), separated);
  }
  print_summary(ready, options.json, is_separating ? json_of(separation) : Json());
  return exit_done;
}

namespace {

Json json_of(const BodyMassMatch& matched) {
  const MassProperties& reached = matched.match.reached;
  const auto [least, largest] = std::minmax_element(matched.match.densities.begin(), matched.match.densities.end());
  Json inertia = Json::array();
  for (int i = 0; i < 3; ++i) {
    inertia.push_back({reached.inertia()(i, 0), reached.inertia()(i, 1), reached.inertia()(i, 2)});
  }
  return {{"body", matched.body},
          {"mass", reached.measure},
          {"center", {reached.center[0], reached.center[1], reached.center[2]}},
          {"inertia", inertia},
          {"densities", {*least, *largest}}};
}

void print_match(const BodyMassMatch& matched, const UnitSystem& units) {
  const MassProperties& reached = matched.match.reached;
  const auto [least, largest] = std::minmax_element(matched.match.densities.begin(), matched.match.densities.end());
  fmt::print("body '{}': {:.6g} {}, centre of mass at ({:.6g}, {:.6g}, {:.6g}), with densities of {:.4g} to {:.4g}\n",
             matched.body, reached.measure, units.mass_name, reached.center[0], reached.center[1], reached.center[2],
             *least, *largest);
}

}  // namespace

int run_convert(const SceneOptions& options, const MatchMassOptions& mass, const fs::path& output,
                bool is_overwriting) {
  if (!may_write(output, is_overwriting, "-o", options.json)) return exit_bad_input;
  Result<LoadedScene> loaded = load_scene(options.scene, options.format, options.overrides);
  if (!loaded) {
    report_issues(loaded.issues(), options.json);
    return exit_bad_input;
  }
  Issues warnings = loaded->warnings;
  std::optional<BodyMassMatch> matched;
  if (!mass.fine.empty()) {
    Result<BodyMassMatch> result = match_mass_of_body(mass, loaded->scene);
    if (!result) {
      report_issues(result.issues(), options.json);
      return exit_bad_input;
    }
    matched = std::move(*result);
    warnings.insert(warnings.end(), matched->warnings.begin(), matched->warnings.end());
  }
  const bool in_report = matched && options.json;
  if (!warnings.empty() && !in_report) report_issues(warnings, options.json);
  if (auto done = save_scene(output, loaded->scene); !done) {
    report_issues(done.issues(), options.json);
    return exit_bad_input;
  }
  if (in_report) {
    Json report = json_of(*matched);
    report["warnings"] = json_of(warnings);
    fmt::print("{}\n", report.dump(2));
  } else if (matched) {
    print_match(*matched, unit_system_of(loaded->scene));
  }
  return exit_done;
}

}  // namespace clearance::cli
