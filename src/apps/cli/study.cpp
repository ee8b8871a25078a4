#include "apps/cli/study.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>

#include "apps/cli/console.h"
#include "apps/cli/run_report.h"
#include "apps/cli/stop_signals.h"
#include "apps/cli/study_report.h"
#include "clearance/base/log.h"
#include "clearance/base/parallel.h"
#include "clearance/base/profile.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/files/text_file.h"
#include "clearance/scene/json.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/run.h"
#include "clearance/study/quantities.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;

/// The folder that holds the levels: that of the user, or a temporary one, which goes away with the object.
class StudyFolder {
 public:
  static Result<StudyFolder> make(const StudyOptions& options) {
    if (!options.output.empty()) return StudyFolder(options.output, false);
    std::error_code error;
    const fs::path temporary = fs::temp_directory_path(error);
    std::string name = ((error ? fs::path("/tmp") : temporary) / "clearance_study_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      return Issue{name, "", "", "a temporary folder for the runs cannot be made; choose a folder with -o"};
    }
    return StudyFolder(name, true);
  }
  StudyFolder(StudyFolder&& other) noexcept
      : path_(std::move(other.path_)), is_temporary_(std::exchange(other.is_temporary_, false)) {}
  StudyFolder& operator=(StudyFolder&&) = delete;
  ~StudyFolder() {
    std::error_code error;
    if (is_temporary_) fs::remove_all(path_, error);
  }

  const fs::path& path() const { return path_; }
  bool is_temporary() const { return is_temporary_; }
  fs::path level(std::size_t number) const { return path_ / fmt::format("level_{}", number); }

 private:
  StudyFolder(fs::path path, bool is_temporary) : path_(std::move(path)), is_temporary_(is_temporary) {}
  fs::path path_;
  bool is_temporary_;
};

/// Name of the file of the results in the folder of a study, which also tells such a folder from others.
constexpr const char* report_file = "study.json";

/// Checks that the folder of the study is new, empty or that of a study which may be continued or replaced.
Issues problems_of_output(const StudyOptions& options) {
  std::error_code error;
  const fs::path& output = options.output;
  if (output.empty() || !fs::exists(output, error)) return {};
  if (!fs::is_directory(output, error)) return {{output.string(), "-o", "", "this is a file; expected a folder"}};
  if (fs::is_empty(output, error)) return {};
  if (!fs::exists(output / report_file, error) && !fs::exists(output / "level_0", error)) {
    return {{output.string(), "-o", "", "the folder holds other files; expected a new or an empty folder"}};
  }
  if (options.use != FolderUse::start) return {};
  return {{output.string(), "-o", "",
           "the folder holds a study; --resume completes its runs, and --overwrite replaces them"}};
}

/// Issues of the levels, without those that an earlier level has, too.
class LevelIssues {
 public:
  void add(const Issues& found, std::size_t level, const std::string& file) {
    for (Issue issue : found) {
      const auto is_same = [&](const Issue& t) { return t.place == issue.place && t.message == issue.message; };
      if (std::any_of(plain_.begin(), plain_.end(), is_same)) continue;
      plain_.push_back(issue);
      if (issue.file.empty()) issue.file = file;
      if (level > 0) issue.place = fmt::format("level {}{}{}", level, issue.place.empty() ? "" : ": ", issue.place);
      issues_.push_back(std::move(issue));
    }
  }
  const Issues& issues() const { return issues_; }

 private:
  Issues plain_;  // as they were found
  Issues issues_;
};

/// The study as far as it is known before anything runs.
struct CheckedStudy {
  std::vector<SceneDesc> scenes;
  std::vector<std::string> columns;
  Issues warnings;
};

/// Checks everything that can be checked before the first run: all levels can start, and the columns exist.
Result<CheckedStudy> check_study(const StudyOptions& options) {
  Result<LoadedScene> loaded = load_scene(options.scene.scene, options.scene.format, options.scene.overrides);
  const std::string file = options.scene.scene.string();
  LevelIssues found;
  found.add(problems_of_output(options), 0, "");
  if (!loaded) {
    found.add(loaded.issues(), 0, file);
    return found.issues();
  }
  found.add(loaded->warnings, 0, file);
  if (loaded->scene.output.probes.empty()) {
    found.add({{"", "output.probes", "",
                "a study compares the numbers of probes, and the scene has none; expected at "
                "least one, for example {\"name\": \"body\", \"body\": NAME}"}},
              0, file);
  }
  CheckedStudy checked;
  const auto refinement = static_cast<study::Refinement>(options.refinement);
  Result<study::Levels> levels = study::make_levels(loaded->scene, refinement, options.num_levels);
  if (!levels) {
    found.add(levels.issues(), 0, file);
    levels = study::Levels{{loaded->scene}, {}};
  }
  found.add(levels->warnings, 0, file);
  // Values out of range are found before any mesh is made, because the finest ones take long.
  for (std::size_t i = 1; i < levels->scenes.size(); ++i) found.add(validate(levels->scenes[i]), i, file);
  for (std::size_t i = 0; i < levels->scenes.size(); ++i) {
    if (i > 0 && has_errors(found.issues())) break;
    const Result<Simulation> simulation = Simulation::create(levels->scenes[i]);
    found.add(simulation ? simulation->warnings() : simulation.issues(), i, file);
    if (!simulation || i > 0 || simulation->probe_columns().empty()) continue;
    const auto columns = study::choose_columns(simulation->probe_columns(), options.quantities);
    if (!columns) found.add(columns.issues(), 0, file);
    if (columns) checked.columns = *columns;
  }
  if (has_errors(found.issues())) return found.issues();
  checked.scenes = std::move(levels->scenes);
  checked.warnings = found.issues();
  return checked;
}

/// Reads the warnings of a run.
std::vector<RunWarning> warnings_in(const fs::path& folder) {
  std::vector<RunWarning> warnings;
  const Result<std::string> text = read_text_file(folder / "summary.json");
  if (!text) return warnings;
  const Json summary = Json::parse(*text, nullptr, false);
  if (!summary.is_object() || !summary.contains("warnings")) return warnings;
  for (const Json& warning : summary["warnings"]) {
    warnings.push_back({warning.value("name", ""), warning.value("message", "")});
  }
  return warnings;
}

/// Outcome of one level: its numbers, or the exit status with which the study ends.
struct LevelOutcome {
  StudiedLevel level;
  int failure = exit_done;
};

int failure_of(RunEnd end) {
  switch (end) {
    case RunEnd::complete:
      return exit_done;
    case RunEnd::stopped:
      return exit_signal + (StopSignals::received() != 0 ? StopSignals::received() : SIGINT);
    case RunEnd::not_converged:
    case RunEnd::failed_step:
      return exit_not_converged;
    case RunEnd::failed_writing:
      return exit_bad_input;
  }
  return exit_bad_input;
}

/// Runs one level to its end.
LevelOutcome run_level(const StudyOptions& options, const SceneDesc& scene, const fs::path& folder) {
  LevelOutcome result;
  const auto fail = [&](const Issues& issues) {
    result.failure = refuse(issues, options.scene.json);
    return result;
  };
  const Stopwatch watch;
  const Result<FolderClaim> claim = FolderClaim::make(folder, options.use);
  if (!claim) return fail(claim.issues());
  if (const Result<Done> opened = open_log(folder / "log.txt"); !opened) return fail(opened.issues());
  Result<Simulation> simulation = Simulation::create(scene);
  if (!simulation) return fail(simulation.issues());
  RunReport report(*simulation, true);
  const Result<RunOutcome> outcome = run(*simulation, *claim, {}, report.observer());
  if (!outcome) return fail(outcome.issues());
  report.close(*outcome);
  result.failure = failure_of(outcome->end);
  if (result.failure == exit_not_converged) {
    print_issues({{folder.string(), "", "",
                   fmt::format("the run ended after step {} of {}, so that there is nothing to compare",
                               outcome->last_step, outcome->num_steps)}});
  }
  result.level = {simulation->summary(), scene.time.step, watch.seconds(), 0, warnings_in(folder), folder};
  for (const auto& [status, count] : outcome->num_steps_by_status) {
    if (status != to_string(StepStatus::converged)) result.level.num_unconverged += count;
  }
  return result;
}

/// Runs all levels and compares them. Returns the exit status.
int run_levels(const StudyOptions& options, const CheckedStudy& checked, const StudyFolder& folder) {
  const StopSignals signals(options.scene.json);
  StudyResult result;
  result.refinement = static_cast<study::Refinement>(options.refinement);
  std::vector<study::ProbeTable> tables;
  for (std::size_t i = 0; i < checked.scenes.size(); ++i) {
    LevelOutcome outcome = run_level(options, checked.scenes[i], folder.level(i));
    if (outcome.failure != exit_done) return outcome.failure;
    Result<study::ProbeTable> table = study::read_probe_table(folder.level(i));
    if (!table) return refuse(table.issues(), options.scene.json);
    tables.push_back(std::move(*table));
    if (folder.is_temporary()) outcome.level.folder.clear();
    if (!options.scene.json) say(stdout, "{}", text_of_level(i, outcome.level));
    result.levels.push_back(std::move(outcome.level));
  }
  result.comparison = study::compare_levels(checked.scenes.front(), tables, checked.columns);
  Issues& found = result.comparison.warnings;
  set_file(found, options.scene.scene.string());
  Issues warnings = checked.warnings;
  warnings.insert(warnings.end(), found.begin(), found.end());
  const std::string report = json_of_study(result, warnings).dump(2) + '\n';
  if (!folder.is_temporary()) {
    const Result<Done> written = write_file_atomically(folder.path() / report_file, report);
    if (!written) return refuse(written.issues(), options.scene.json);
  }
  if (options.scene.json) {
    say(stdout, "{}", report);
    return exit_done;
  }
  say(stdout, "{}", text_of_quantities(result));
  print_issues(found);
  return exit_done;
}

}  // namespace

int run_study(const StudyOptions& options) {
  const ThreadLimit limit(options.threads);
  // A file at the system's size limit, and a reader of the messages that has gone, must not end the process.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const Result<CheckedStudy> checked = check_study(options);
  if (!checked) return refuse(checked.issues(), options.scene.json);
  if (!options.scene.json) print_issues(checked->warnings);
  std::error_code error;
  if (!options.output.empty()) fs::create_directories(options.output, error);
  if (error) return refuse({{options.output.string(), "-o", "", error.message()}}, options.scene.json);
  // The report of an older study does not belong to the runs that replace its own.
  if (options.use == FolderUse::overwrite) fs::remove(options.output / report_file, error);
  const Result<StudyFolder> folder = StudyFolder::make(options);
  if (!folder) return refuse(folder.issues(), options.scene.json);
  return run_levels(options, *checked, *folder);
}

}  // namespace clearance::cli
