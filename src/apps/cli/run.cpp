#include "apps/cli/run.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/cli/body_table.h"
#include "apps/cli/progress.h"
#include "clearance/base/log.h"
#include "clearance/base/parallel.h"
#include "clearance/io/ccd_query_file.h"
#include "clearance/io/mesh_writer.h"
#include "clearance/io/result_folder.h"
#include "clearance/simulation/simulation.h"

namespace clearance::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::atomic<bool> is_stop_requested = false;
extern "C" void request_stop(int /*signal*/) {
  is_stop_requested = true;
}

Json json_of(const Issues& issues) {
  Json list = Json::array();
  for (const Issue& issue : issues) {
    list.push_back({{"severity", issue.severity == Severity::error ? "error" : "warning"},
                    {"file", issue.file},
                    {"place", issue.place},
                    {"value", issue.value},
                    {"message", issue.message}});
  }
  return list;
}

/// Problems to standard error and the log; as JSON to standard output if asked.
void report_issues(const Issues& issues, bool json) {
  for (const Issue& issue : issues) {
    log_text(issue.severity == Severity::error ? LogLevel::error : LogLevel::warning, to_string(issue));
    if (!json) fmt::print(stderr, "{}{}\n", issue.severity == Severity::error ? "error: " : "", to_string(issue));
  }
  if (json) fmt::print("{}\n", Json{{"issues", json_of(issues)}}.dump(2));
}

/// A scene that is ready to run, or null after its problems have been reported.
struct ReadyScene {
  SceneDesc desc;
  std::unique_ptr<Simulation> simulation;
  Issues warnings;  ///< of a scene that is ready
  Mesh offending;
};

ReadyScene prepare_scene(const SceneOptions& options) {
  ReadyScene ready;
  Result<LoadedScene> loaded = load_scene(options.scene, options.format, options.overrides);
  if (!loaded) {
    report_issues(loaded.issues(), options.json);
    return ready;
  }
  ready.desc = loaded->scene;
  SceneProblems problems;
  ready.simulation = Simulation::create(ready.desc, problems);
  for (Issue& issue : problems.issues) {
    if (issue.file.empty()) issue.file = options.scene.string();
  }
  Issues all = loaded->warnings;
  if (ready.simulation) {
    all.insert(all.end(), ready.simulation->warnings().begin(), ready.simulation->warnings().end());
  }
  all.insert(all.end(), problems.issues.begin(), problems.issues.end());
  const bool is_quiet_json = options.json && ready.simulation;
  if (!all.empty() && !is_quiet_json) report_issues(all, options.json);
  if (ready.simulation) ready.warnings = std::move(all);
  ready.offending = std::move(problems.offending);
  return ready;
}

std::vector<BodyRecord> body_records(const Simulation& simulation) {
  std::vector<BodyRecord> records;
  for (const BodyInstance& body : simulation.bodies()) records.push_back({body.name, body.desc});
  return records;
}

StepRecord record_of(const Simulation& simulation, const StepReport& report) {
  StepRecord record;
  record.step = simulation.state().step;
  record.time = simulation.state().time;
  record.status = to_string(report.status);
  record.newton_iterations = report.newton_iterations;
  record.contacts = report.num_contacts;
  record.min_distance = report.min_distance;
  record.residual = report.residual;
  record.kappa = report.kappa;
  record.energy = report.energy;
  record.friction_work = report.friction_work;
  record.seconds.emplace_back("total", report.total_seconds);
  for (int s = 0; s < num_stages; ++s) {
    const auto stage = static_cast<Stage>(s);
    record.seconds.emplace_back(std::string(stage_name(stage)), report.profile[stage]);
  }
  record.seconds.emplace_back("linear_analyze", report.linear_seconds.analyze);
  record.seconds.emplace_back("linear_factorize", report.linear_seconds.factorize);
  record.seconds.emplace_back("linear_substitute", report.linear_seconds.substitute);
  record.counters = {{"candidates", report.counters.candidates},
                     {"ccd_calls", report.counters.ccd_calls},
                     {"energy_evaluations", report.counters.energy_evaluations},
                     {"orderings", report.counters.orderings},
                     {"analyses", report.counters.analyses},
                     {"factorizations", report.counters.factorizations},
                     {"linear_iterations", report.counters.linear_iterations},
                     {"friction_iterations", report.friction_iterations}};
  if (simulation.scene().output.iterations) {
    for (const IterationReport& it : report.iterations) {
      record.iterations.push_back(
          {it.residual, it.alpha_limit, it.alpha, it.num_contacts, it.min_distance, it.limited_by, it.event});
    }
  }
  record.limited_by = report.limited_by;
  record.smallest_alpha = report.smallest_alpha;
  record.state_hash = simulation.state_hash();
  return record;
}

std::vector<double> numbers(const VecX& v) {
  return {v.data(), v.data() + v.size()};
}
VecX vector_of(const Checkpoint& checkpoint, const std::string& name) {
  const auto found = checkpoint.arrays.find(name);
  if (found == checkpoint.arrays.end()) return {};
  return Eigen::Map<const VecX>(found->second.data(), static_cast<Eigen::Index>(found->second.size()));
}

Checkpoint checkpoint_of(const State& state) {
  Checkpoint checkpoint;
  checkpoint.step = state.step;
  checkpoint.time = state.time;
  checkpoint.arrays = {{"x", numbers(state.x)},           {"v", numbers(state.v)},
                       {"a", numbers(state.a)},           {"x_prev", numbers(state.x_prev)},
                       {"v_prev", numbers(state.v_prev)}, {"x_anchor", numbers(state.x_anchor)},
                       {"kappa", {state.kappa}},          {"released", {state.released.begin(), state.released.end()}}};
  return checkpoint;
}

State state_of(const Checkpoint& checkpoint) {
  State state;
  state.step = checkpoint.step;
  state.time = checkpoint.time;
  state.x = vector_of(checkpoint, "x");
  state.v = vector_of(checkpoint, "v");
  state.a = vector_of(checkpoint, "a");
  state.x_prev = vector_of(checkpoint, "x_prev");
  state.v_prev = vector_of(checkpoint, "v_prev");
  state.x_anchor = vector_of(checkpoint, "x_anchor");
  const VecX kappa = vector_of(checkpoint, "kappa");
  state.kappa = kappa.size() == 1 ? kappa[0] : 0.0;
  for (double flag : vector_of(checkpoint, "released")) state.released.push_back(flag != 0.0 ? 1 : 0);
  return state;
}

/// Runs all steps into a folder that is ready. Exit status.
class Runner {
 public:
  Runner(const RunOptions& options, Simulation& simulation, ResultFolder& folder)
      : options_(options), simulation_(simulation), folder_(folder) {
    num_steps_ = options.steps.value_or(simulation.summary().num_steps);
  }

  int run() {
    is_stop_requested = false;
    std::signal(SIGINT, request_stop);
    std::signal(SIGTERM, request_stop);
    if (!options_.is_resumed) {
      keep(folder_.write_bodies(body_records(simulation_)));
      store(true);
    }
    Progress progress(simulation_.state().step, num_steps_, options_.is_quiet);
    bool has_failed = false;
    while (!has_failed && is_ok_ && !is_stop_requested && simulation_.state().step < num_steps_) {
      const int step = simulation_.state().step + 1;
      const StepReport report =
          simulation_.step([&](int iteration, double residual) { progress.show_iteration(step, iteration, residual); });
      progress.show_step(step, simulation_.state().time, report);
      if (report.status != StepStatus::converged) {
        if (report.is_advanced()) ++num_unconverged_;
        log_warning("step {}: {} after {} Newton iterations, residual {:.3g} m/s; {}", step, to_string(report.status),
                    report.newton_iterations, report.residual, report.limited_by);
      }
      has_failed = !report.is_advanced();
      if (has_failed) {
        const std::string reason = to_string(report.status) + ": " + report.limited_by;
        report_issues({{"", fmt::format("step {}", step), "", reason}}, false);
        break;
      }
      store(step == num_steps_ || is_stop_requested, &report);
      if (options_.is_strict && num_unconverged_ > 0) break;
    }
    const bool is_complete = simulation_.state().step >= num_steps_;
    finish(has_failed ? "failed" : is_complete ? "complete" : "stopped");
    if (!is_ok_) return exit_bad_input;
    return has_failed || (options_.is_strict && num_unconverged_ > 0) ? exit_not_converged : exit_done;
  }

 private:
  void keep(const Result<Done>& done) {
    if (done) return;
    report_issues(done.issues(), false);
    is_ok_ = false;
  }

  /// Frame, then statistics, then checkpoint: whatever the checkpoint claims has been stored before it.
  void store(bool is_last, const StepReport* report = nullptr) {
    const int step = simulation_.state().step;
    const OutputDesc& output = simulation_.scene().output;
    if (is_last || step % output.frame_interval == 0) keep(folder_.write_frame(step, simulation_.frame()));
    if (report != nullptr) keep(folder_.append_stats(record_of(simulation_, *report)));
    if (is_last || step % output.checkpoint_interval == 0)
      keep(folder_.write_checkpoint(checkpoint_of(simulation_.state())));
  }

  void finish(const std::string& how) {
    const SceneSummary scene = simulation_.summary();
    RunSummary summary;
    summary.version = CLEARANCE_VERSION;
    summary.finished = how;
    summary.threads = num_threads();
    summary.bodies = scene.num_bodies;
    summary.vertices = scene.num_vertices;
    summary.elements = scene.num_elements;
    keep(folder_.write_summary(summary));
    log_info("{} after step {}", how, simulation_.state().step);
    if (options_.is_quiet) return;
    if (num_unconverged_ > 0) {
      fmt::print("{} of the steps did not converge: `clearance info {}` names them\n", num_unconverged_,
                 folder_.path().string());
    }
    fmt::print("{}: {} (open frames.pvd in ParaView)\n", how, folder_.path().string());
  }

  const RunOptions& options_;
  Simulation& simulation_;
  ResultFolder& folder_;
  int num_steps_ = 0;
  int num_unconverged_ = 0;
  bool is_ok_ = true;
};

void print_summary(const ReadyScene& ready, bool json) {
  const SceneDesc& desc = ready.desc;
  const SceneSummary s = ready.simulation->summary();
  const std::vector<BodyFacts> facts = sum_copies(desc, ready.simulation->body_facts());
  if (json) {
    Json bodies = Json::array();
    for (const BodyDesc& body : desc.bodies) bodies.push_back(body.name);
    fmt::print("{}\n", Json{{"dimension", s.dim},
                            {"bodies", s.num_bodies},
                            {"obstacles", s.num_obstacles},
                            {"vertices", s.num_vertices},
                            {"elements", s.num_elements},
                            {"surface_triangles", s.num_surface_triangles},
                            {"surface_edges", s.num_surface_edges},
                            {"steps", s.num_steps},
                            {"time_step", desc.time.step},
                            {"bbox_diagonal", s.bbox_diagonal},
                            {"dhat", s.dhat},
                            {"tolerance", s.tolerance},
                            {"min_distance", std::isfinite(s.min_distance) ? Json(s.min_distance) : Json(nullptr)},
                            {"names", bodies},
                            {"table", json_of_bodies(facts)},
                            {"warnings", json_of(ready.warnings)}}
                           .dump(2));
    return;
  }
  fmt::print("{}D scene, {} bodies ({} of them obstacles), {} half-spaces\n", s.dim, s.num_bodies, s.num_obstacles,
             desc.half_spaces.size());
  fmt::print("{} vertices, {} elements; surface: {} triangles, {} edges\n", s.num_vertices, s.num_elements,
             s.num_surface_triangles, s.num_surface_edges);
  fmt::print("{} steps of {:g} s; size {:.4g} m, dhat {:.4g} m, Newton tolerance {:.4g} m/s\n", s.num_steps,
             desc.time.step, s.bbox_diagonal, s.dhat, s.tolerance);
  fmt::print("smallest gap at the start: {}\n",
             std::isfinite(s.min_distance) ? fmt::format("{:.6g} m", s.min_distance) : "more than dhat");
  print_body_table(facts, s.dim);
}

Result<CcdQueryRecorder> start_recording(const RunOptions& options, int dim) {
  if (dim != 3) return Issue{"", "--record-ccd", "a 2D scene", "queries can be recorded in 3D only"};
  return CcdQueryRecorder::create(options.record_ccd, options.record_ccd_limit);
}

/// False if the file could not be written.
bool finish_recording(const RunOptions& options, CcdQueryRecorder& recorder) {
  if (const Result<Done> done = recorder.finish(); !done) {
    report_issues(done.issues(), false);
    return false;
  }
  if (!options.is_quiet) {
    fmt::print("{}: {} of {} queries\n", options.record_ccd.string(), recorder.num_written(), recorder.num_seen());
  }
  return true;
}

}  // namespace

int run_simulation(const RunOptions& asked) {
  RunOptions options = asked;
  const ThreadLimit limit(options.threads);
  const fs::path output = options.output.empty() ? fs::path("out") / options.scene.scene.stem() : options.output;
  std::error_code error;
  fs::create_directories(output, error);
  if (error) {
    report_issues({{output.string(), "", "", "cannot make this folder: " + error.message(), Severity::error}}, false);
    return exit_bad_input;
  }
  open_log(output / "log.txt");
  log_info("clearance {} run {}, {} threads", CLEARANCE_VERSION, options.scene.scene.string(), num_threads());

  ReadyScene ready = prepare_scene(options.scene);
  if (!ready.simulation) {
    if (!ready.offending.vertices.empty()) {
      const fs::path file = output / "intersections.vtu";
      if (write_mesh(file, ready.offending)) {
        fmt::print(stderr, "the meeting triangles and edges are in {}\n", file.string());
      }
    }
    return exit_bad_input;
  }

  // The folder: new, or continued from its checkpoint. A run that was killed before its first checkpoint starts again.
  if (options.is_resumed && !fs::exists(output / "checkpoint" / "state.bin")) {
    options.is_resumed = false;
    log_info("no checkpoint to resume from: starting at the beginning");
    if (!options.is_quiet) fmt::print("no checkpoint to resume from: starting at the beginning\n");
  }
  Checkpoint checkpoint;
  Result<ResultFolder> folder = options.is_resumed ? ResultFolder::reopen(output, ready.desc, checkpoint)
                                                   : ResultFolder::create(output, ready.desc);
  if (folder && options.is_resumed) {
    if (auto done = ready.simulation->restore(state_of(checkpoint)); !done) {
      report_issues(done.issues(), false);
      return exit_bad_input;
    }
    if (!options.is_quiet) fmt::print("resumed after step {}\n", checkpoint.step);
    log_info("resumed after step {}", checkpoint.step);
  }
  if (!folder) {
    report_issues(folder.issues(), false);
    return exit_bad_input;
  }
  std::optional<CcdQueryRecorder> recorder;
  if (!options.record_ccd.empty()) {
    Result<CcdQueryRecorder> created = start_recording(options, ready.simulation->summary().dim);
    if (!created) {
      report_issues(created.issues(), false);
      return exit_bad_input;
    }
    recorder = std::move(*created);
    ready.simulation->record_ccd([&](const CcdQuery& query) { recorder->record(query); });
  }
  const int status = Runner(options, *ready.simulation, *folder).run();
  return recorder && !finish_recording(options, *recorder) ? exit_bad_input : status;
}

int run_check(const SceneOptions& options) {
  const ReadyScene ready = prepare_scene(options);
  if (!ready.simulation) return exit_bad_input;
  print_summary(ready, options.json);
  return exit_done;
}

int run_convert(const SceneOptions& options, const fs::path& output) {
  Result<LoadedScene> loaded = load_scene(options.scene, options.format, options.overrides);
  if (!loaded) {
    report_issues(loaded.issues(), options.json);
    return exit_bad_input;
  }
  if (!loaded->warnings.empty()) report_issues(loaded->warnings, options.json);
  if (auto done = save_scene(output, loaded->scene); !done) {
    report_issues(done.issues(), options.json);
    return exit_bad_input;
  }
  return exit_done;
}

}  // namespace clearance::cli
