#include "apps/cli/sweep.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <thread>

#include "apps/cli/console.h"
#include "apps/cli/run.h"
#include "apps/cli/stop_signals.h"
#include "apps/cli/sweep_pool.h"
#include "apps/cli/sweep_requests.h"
#include "apps/cli/sweep_slurm.h"
#include "clearance/base/parallel.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/files/text_file.h"
#include "clearance/io/json_text.h"
#include "clearance/io/result/folder_claim.h"
#include "clearance/io/scene_reader.h"
#include "clearance/sweep/run_state.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;
using namespace sweep;

/// Reports a scene that does not exist, of a plan that has other problems, so that all are told at once.
Issues problems_of_scene(const std::string& plan_text, const fs::path& plan) {
  const Result<Json> json = parse_json_text(plan_text);
  if (!json || !json->is_object() || !json->contains("scene") || !(*json)["scene"].is_string()) return {};
  const Result<Done> checked = check_text_file(plan.parent_path() / (*json)["scene"].get<std::string>());
  return checked.issues();
}

/// Reads and validates the scene of every run. Tells a problem of several runs once, and compares what the plan wants
/// with what the scenes have.
Issues check_scenes(const Plan& plan) {
  Manifest manifest;
  manifest.set = plan.set;
  for (const Parameter& parameter : plan.parameters) manifest.parameters.push_back({parameter.name, parameter.paths});
  manifest.runs = sample(plan);
  const int num_runs = static_cast<int>(manifest.runs.size());
  std::vector<Issues> found(manifest.runs.size());
  RunOffer offer;
  std::mutex offering;
  parallel_for(num_runs, 1, [&](int i) {
    const Result<LoadedScene> scene = load_scene(plan.scene, SceneFormat::automatic, manifest.overrides(i));
    if (!scene) found[i] = scene.issues();
    const std::lock_guard lock(offering);
    if (scene) offer.add(scene->scene, plan);
  });
  struct Group {
    Issue issue;
    int first_run = 0, num_runs = 0;
  };
  std::map<std::pair<std::string, std::string>, Group> groups;
  std::vector<std::pair<std::string, std::string>> order;
  for (int i = 0; i < num_runs; ++i) {
    for (const Issue& issue : found[i]) {
      if (issue.severity != Severity::error) continue;
      const auto key = std::pair(issue.place, issue.message);
      const auto [group, is_new] = groups.try_emplace(key, Group{issue, i, 0});
      if (is_new) order.push_back(key);
      ++group->second.num_runs;
    }
  }
  Issues issues;
  constexpr std::size_t max_told = 20;
  for (const auto& key : order) {
    if (issues.size() == max_told) {
      issues.push_back({plan.scene.string(), "", "", fmt::format("and {} more problems", order.size() - max_told)});
      break;
    }
    const Group& group = groups[key];
    Issue issue = group.issue;
    const std::string others = group.num_runs > 1 ? fmt::format(" and {} more", group.num_runs - 1) : "";
    issue.place = fmt::format("run {}{}: {}", group.first_run, others, issue.place);
    issues.push_back(std::move(issue));
  }
  // Without a readable scene there is nothing to compare with.
  const Issues requests = offer.num_frames > 0 ? check_requests(plan, offer) : Issues();
  issues.insert(issues.end(), requests.begin(), requests.end());
  return issues;
}

/// The runs that are to be done, and the number of those that have failed before.
struct Work {
  std::vector<int> runs;
  std::vector<int> foreign;
  int num_complete = 0, num_failed = 0;
};

Work find_work(const SweepFolder& folder, bool is_retrying) {
  std::vector<RunPhase> phases(folder.num_runs());
  parallel_for(folder.num_runs(), 1, [&](int i) { phases[i] = phase_of(folder, i); });
  Work work;
  for (int i = 0; i < folder.num_runs(); ++i) {
    const RunPhase phase = phases[i];
    if (phase == RunPhase::complete) {
      ++work.num_complete;
    } else if (phase == RunPhase::failed && !is_retrying) {
      ++work.num_failed;
    } else if (phase == RunPhase::foreign) {
      work.foreign.push_back(i);
    } else {
      work.runs.push_back(i);
    }
  }
  return work;
}

Issue foreign_issue(const SweepFolder& folder, int run) {
  return {folder.run_folder(run).string(), "", "",
          fmt::format("the folder does not hold run {} of this sweep: {}; move or remove the folder, or start another "
                      "sweep with -o",
                      run, state_of(folder, run).reason)};
}

/// Reports folders that hold other runs than the plan says; if there are many, the first of them.
Issues foreign_issues(const SweepFolder& folder, const std::vector<int>& runs) {
  constexpr std::size_t max_told = 10;
  Issues issues;
  for (std::size_t i = 0; i < std::min(runs.size(), max_told); ++i) issues.push_back(foreign_issue(folder, runs[i]));
  if (runs.size() > max_told) {
    issues.push_back({folder.path().string(), "", "", fmt::format("and {} more runs", runs.size() - max_told)});
  }
  return issues;
}

std::vector<RunState> read_states(const SweepFolder& folder) {
  std::vector<RunState> states(folder.num_runs());
  parallel_for(folder.num_runs(), 1, [&](int i) { states[i] = state_of(folder, i); });
  return states;
}

int count(const std::vector<RunState>& states, RunPhase phase) {
  return static_cast<int>(
      std::count_if(states.begin(), states.end(), [&](const RunState& state) { return state.phase == phase; }));
}

/// Returns a text such as `20 runs: 18 complete (1 with steps that did not converge), 2 failed`.
std::string text_of(const std::vector<RunState>& states) {
  const auto num_doubtful = std::count_if(states.begin(), states.end(), [](const RunState& state) {
    return state.phase == RunPhase::complete && state.converged_steps < state.steps;
  });
  std::string text;
  for (const RunPhase phase : {RunPhase::complete, RunPhase::failed, RunPhase::foreign, RunPhase::running,
                               RunPhase::interrupted, RunPhase::waiting}) {
    const int number = count(states, phase);
    if (number == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, to_string(phase));
    if (phase == RunPhase::complete && num_doubtful > 0) {
      text += fmt::format(" ({} with steps that did not converge)", num_doubtful);
    }
  }
  return fmt::format("{} runs: {}", states.size(), text);
}

int run_here(const SweepFolder& folder, const Work& work, const SweepOptions& options, int threads) {
  const int processors = std::max(1U, std::thread::hardware_concurrency());
  const int jobs = options.jobs > 0 ? options.jobs : std::max(1, processors / std::max(1, threads));
  const PoolOutcome outcome = run_pool(folder, work.runs, {jobs, threads, options.is_quiet});
  const std::vector<RunState> states = read_states(folder);
  if (!options.is_quiet) {
    say(stdout, "{}: {}\n", folder.path().string(), text_of(states));
    if (outcome.num_held > 0) say(stdout, "{} runs are held by other processes\n", outcome.num_held);
    if (work.num_failed > 0) say(stdout, "runs that had failed before were skipped; --retry tries them again\n");
  }
  if (outcome.signal != 0) return exit_signal + outcome.signal;
  return count(states, RunPhase::complete) == folder.num_runs() ? exit_done : exit_not_converged;
}

/// Captures in memory what this process prints, so that a kill leaves no file behind.
class Messages {
 public:
  Messages() : descriptor_(::memfd_create("messages", MFD_CLOEXEC)) {
    if (descriptor_ < 0) return;
    errors_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(descriptor_, stream);
  }
  std::string text() const {
    std::fflush(stdout);
    std::fflush(stderr);
    std::string text;
    std::array<char, 4096> buffer = {};
    while (descriptor_ >= 0) {
      const ssize_t count = ::pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
      if (count <= 0) break;
      text.append(buffer.data(), count);
    }
    return text.empty() ? "without a message\n" : text;
  }
  /// Prints the last lines to the original standard error.
  void print_end(const std::string& head) const {
    constexpr int max_lines = 5;
    const std::string all = text();
    std::size_t begin = all.size() - 1;
    for (int i = 0; i < max_lines && begin != std::string::npos && begin > 0; ++i) begin = all.rfind('\n', begin - 1);
    const std::string told = head + all.substr(begin == std::string::npos || begin == 0 ? 0 : begin + 1);
    [[maybe_unused]] const ssize_t count = ::write(errors_, told.data(), told.size());
  }

 private:
  int descriptor_, errors_ = STDERR_FILENO;
};

}  // namespace

int run_sweep(const SweepOptions& options) {
  const Result<std::string> text = read_text_file(options.plan);
  if (!text) return refuse(text.issues());
  Result<Plan> plan = parse_plan(*text, options.plan);
  if (!plan) {
    Issues issues = plan.issues();
    const Issues of_scene = problems_of_scene(*text, options.plan);
    issues.insert(issues.end(), of_scene.begin(), of_scene.end());
    return refuse(issues);
  }
  if (const Result<Done> checked = check_text_file(plan->scene); !checked) return refuse(checked.issues());
  const Issues found = check_scenes(*plan);
  if (has_errors(found)) return refuse(found);
  print_issues(found);
  const fs::path output = options.output.empty() ? fs::path("out") / options.plan.stem() : options.output;
  if (options.is_slurm) {
    if (const Result<Done> checked = check_slurm(); !checked) return refuse(checked.issues());
  }
  const Result<SweepClaim> claim = SweepClaim::make(output, *plan, *text);
  if (!claim) return refuse(claim.issues());
  const SweepFolder& folder = claim->folder();
  const Work work = find_work(folder, options.is_retrying);
  if (!work.foreign.empty()) return refuse(foreign_issues(folder, work.foreign));
  const int threads = options.threads.value_or(plan->threads);
  if (!options.is_quiet && work.num_complete > 0) {
    say(stdout, "{} of {} runs are already complete\n", work.num_complete, folder.num_runs());
  }
  return options.is_slurm ? submit_to_slurm(folder, work.runs, options, threads)
                          : run_here(folder, work, options, threads);
}

int run_sweep_task(const SweepTaskOptions& options) {
  const Result<SweepFolder> folder = SweepFolder::open(options.folder);
  if (!folder) return refuse(folder.issues());
  if (options.run >= folder->num_runs()) {
    return refuse({{options.folder.string(), "", std::to_string(options.run),
                    fmt::format("this run does not exist; expected 0 to {}", folder->num_runs() - 1)}});
  }
  const fs::path run_folder = folder->run_folder(options.run);
  const RunPhase phase = phase_of(*folder, options.run);
  if (phase == RunPhase::complete) return exit_done;
  if (phase == RunPhase::running) return exit_held_elsewhere;
  if (phase == RunPhase::foreign) return refuse({foreign_issue(*folder, options.run)});

  const int first_step = last_stored_step(run_folder);
  const fs::path failure = folder->failure_file(options.run);
  std::error_code error;
  fs::remove(failure, error);
  const Messages messages;
  const Manifest& manifest = folder->manifest();
  RunOptions run;
  run.scene.scene = manifest.scene;
  run.scene.overrides = manifest.overrides(options.run);
  run.output = run_folder;
  run.steps = manifest.steps;
  run.is_strict = manifest.is_strict;
  run.threads = options.threads.value_or(manifest.threads);
  run.use = FolderUse::go_on;
  run.is_quiet = true;
  const int status = run_simulation(run);

  // The reason of a refused run stays beside it; its other messages are in its log.
  if (status == exit_bad_input) {
    const RunPhase now = phase_of(*folder, options.run);
    if (now == RunPhase::complete) return exit_done;
    if (now == RunPhase::running) return exit_held_elsewhere;
    // On a full disk the reason cannot be stored and is printed at once.
    if (const Result<Done> kept = write_file_atomically(failure, messages.text()); !kept) {
      messages.print_end(fmt::format("run {} ended, but its reason cannot be stored ({}):\n", run_name(options.run),
                                     to_string(kept.issues().front())));
    }
    return status;
  }
  const bool is_time_over = status == exit_signal + SIGHUP;
  return is_time_over ? requeue_at_time_limit(last_stored_step(run_folder) > first_step, status) : status;
}

int run_sweep_status(const SweepReportOptions& options) {
  const Result<SweepFolder> folder = SweepFolder::open(options.folder);
  if (!folder) return refuse(folder.issues());
  const std::vector<RunState> states = read_states(*folder);
  const bool is_complete = count(states, RunPhase::complete) == folder->num_runs();
  const std::optional<int> num_queued = count_in_slurm(*folder);
  if (options.json) {
    nlohmann::ordered_json json = {{"runs", folder->num_runs()}};
    for (const RunPhase phase : {RunPhase::waiting, RunPhase::running, RunPhase::interrupted, RunPhase::complete,
                                 RunPhase::failed, RunPhase::foreign}) {
      json[to_string(phase)] = count(states, phase);
    }
    if (num_queued) json["in_slurm"] = *num_queued;
    json["states"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < states.size(); ++i) {
      nlohmann::ordered_json run = {{"run", i}, {"state", to_string(states[i].phase)}, {"steps", states[i].steps}};
      if (!states[i].reason.empty()) run["reason"] = states[i].reason;
      json["states"].push_back(std::move(run));
    }
    say(stdout, "{}\n", json.dump(2));
    return is_complete ? exit_done : exit_not_converged;
  }
  say(stdout, "{}\n", text_of(states));
  if (num_queued) say(stdout, "{} tasks in Slurm's queue\n", *num_queued);
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].phase == RunPhase::running)
      say(stdout, "run {}: at step {}\n", run_name(static_cast<int>(i)), states[i].steps);
    if (states[i].phase == RunPhase::failed)
      say(stdout, "run {} failed: {}\n", run_name(static_cast<int>(i)), states[i].reason);
    if (states[i].phase == RunPhase::foreign)
      say(stdout, "run {} is not the run of the plan: {}\n", run_name(static_cast<int>(i)), states[i].reason);
  }
  return is_complete ? exit_done : exit_not_converged;
}

}  // namespace clearance::cli
