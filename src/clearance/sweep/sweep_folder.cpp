#include "clearance/sweep/sweep_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "clearance/io/files/atomic_file.h"
#include "clearance/io/files/text_file.h"
#include "clearance/io/json_text.h"
#include "clearance/io/result/result_files.h"
#include "clearance/scene/loaded_scene.h"

namespace clearance::sweep {
namespace {

namespace fs = std::filesystem;

constexpr const char* sweep_lock = "sweep.lock";
constexpr const char* manifest_file = "sweep.json";
constexpr const char* plan_file = "plan.json";
constexpr const char* manifest_format = "clearance-sweep/1";

Issue problem(const fs::path& path, std::string message) {
  return {path.string(), "", "", std::move(message), Severity::error};
}

/// Returns the manifest as JSON with one run per line, so that people find theirs.
std::string text_of(const Manifest& manifest) {
  Json head = {{"format", manifest_format},
               {"scene", manifest.scene.string()},
               {"steps", manifest.steps ? Json(*manifest.steps) : Json(nullptr)},
               {"strict", manifest.is_strict},
               {"threads", manifest.threads},
               {"set", manifest.set},
               {"parameters", Json::array()}};
  for (const Manifest::Column& column : manifest.parameters) {
    head["parameters"].push_back({{"name", column.name}, {"paths", column.paths}});
  }
  const auto dump = [](const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); };
  std::string text = "{\n";
  for (const auto& [key, value] : head.items()) text += "  " + dump(key) + ": " + dump(value) + ",\n";
  text += "  \"runs\": [";
  for (std::size_t i = 0; i < manifest.runs.size(); ++i) {
    text += (i == 0 ? "\n    " : ",\n    ") + dump(Json(manifest.runs[i]));
  }
  return text + "\n  ]\n}\n";
}

Result<Manifest> read_manifest(const fs::path& path) {
  const fs::path file = path / manifest_file;
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.issues();
  constexpr const char* remedy = "; the program did not write it like this; restore it, or start another sweep with -o";
  const Result<Json> parsed = parse_json_text(*text);
  if (!parsed) {
    Issues issues = parsed.issues();
    set_file(issues, file.string());
    for (Issue& issue : issues) issue.message += remedy;
    return issues;
  }
  const Json& json = *parsed;
  try {
    if (json.at("format") != manifest_format)
      throw std::invalid_argument("the file was written by another version of this program");
    Manifest manifest;
    manifest.scene = json.at("scene").get<std::string>();
    if (!json.at("steps").is_null()) manifest.steps = json.at("steps").get<int>();
    manifest.is_strict = json.at("strict").get<bool>();
    manifest.threads = json.at("threads").get<int>();
    manifest.set = json.at("set").get<std::vector<std::string>>();
    for (const Json& column : json.at("parameters")) {
      manifest.parameters.push_back(
          {column.at("name").get<std::string>(), column.at("paths").get<std::vector<std::string>>()});
    }
    for (const Json& run : json.at("runs")) {
      manifest.runs.emplace_back(run.begin(), run.end());
      if (run.size() != manifest.parameters.size())
        throw std::invalid_argument("the file has a run with too few values");
    }
    return manifest;
  } catch (const Json::exception&) {
    return problem(file, fmt::format("the file does not have the keys and values that a sweep writes{}", remedy));
  } catch (const std::exception& exception) {
    return problem(file, fmt::format("{}{}", exception.what(), remedy));
  }
}

Manifest manifest_of(const Plan& plan) {
  Manifest manifest = {plan.scene, plan.steps, plan.is_strict, plan.threads, plan.set, {}, sample(plan)};
  for (const Parameter& parameter : plan.parameters) manifest.parameters.push_back({parameter.name, parameter.paths});
  return manifest;
}

/// Reports every difference, besides the list of runs, that would change the existing runs.
void check_same(const Manifest& before, const Manifest& now, Issues& issues) {
  const auto check = [&](const char* place, const Json& was, const Json& is) {
    if (was != is) {
      issues.push_back({"", place, "", fmt::format("was {} and is now {}", brief_text(was), brief_text(is))});
    }
  };
  check("scene", before.scene.string(), now.scene.string());
  check("run.steps", before.steps ? Json(*before.steps) : Json(), now.steps ? Json(*now.steps) : Json());
  check("run.strict", before.is_strict, now.is_strict);
  check("run.set", before.set, now.set);
  const auto paths = [](const Manifest& manifest) {
    Json list = Json::array();
    for (const Manifest::Column& column : manifest.parameters) list.push_back(column.paths);
    return list;
  };
  check("parameters", paths(before), paths(now));
}

/// Puts the existing runs first, in their order, and the new ones after them. Every existing run must be among the new
/// ones. Returns the number of new runs.
int merge_runs(const Manifest& before, Manifest& now, Issues& issues) {
  std::map<std::string, int> left;
  for (const Values& run : now.runs) ++left[Json(run).dump()];
  std::vector<Values> merged = before.runs;
  int num_lost = 0;
  std::string first_lost;
  for (std::size_t i = 0; i < before.runs.size(); ++i) {
    if (--left[Json(before.runs[i]).dump()] >= 0) continue;
    if (num_lost++ == 0) first_lost = fmt::format("run {} with {}", i, Json(before.runs[i]).dump());
  }
  if (num_lost > 0) {
    issues.push_back({"", "parameters", "",
                      fmt::format("{} of {} runs of this folder are no longer in the plan, {} the first", num_lost,
                                  before.runs.size(), first_lost)});
  }
  for (Values& run : now.runs) {
    if (--left[Json(run).dump()] >= 0) merged.push_back(std::move(run));
  }
  const int num_added = static_cast<int>(merged.size() - before.runs.size());
  now.runs = std::move(merged);
  return num_added;
}

fs::path copy_of(const fs::path& folder, const fs::path& scene) {
  return folder / ("scene" + scene.extension().string());
}

/// Reports a scene that has changed since the sweep began, because all runs of a sweep must share one scene.
Issues find_changes(const fs::path& copy, const std::string& before, const fs::path& scene, const std::string& now) {
  if (before == now) return {};
  const Result<Json> first = parse_json_text(before), second = parse_json_text(now);
  std::vector<std::string> differences;
  if (first && second) {
    if (*first == *second) return {};
    differences = find_differences(*first, *second, 3);
  }
  std::string text = "the file has changed since the sweep began";
  for (std::size_t i = 0; i < differences.size(); ++i) text += (i == 0 ? ": " : "; ") + differences[i];
  return {problem(scene, text + fmt::format(" (which was {}); start another sweep with -o", copy.string()))};
}

/// Reports runs without a manifest, because their values are unknown.
Issues find_lost_manifest(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path / manifest_file, error)) return {};
  const fs::path runs = path / "runs";
  if (!fs::is_directory(runs, error) || fs::is_empty(runs, error)) return {};
  return {problem(path, fmt::format("the folder has runs ({}) but no {}, which contains the values of the runs; "
                                    "restore that file, or start another sweep with -o; nothing was changed",
                                    describe_content(runs), manifest_file))};
}

/// Reports a folder that is neither new, nor empty, nor that of a sweep.
Issues find_objection(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return {};
  if (!fs::is_directory(status)) return {problem(path, "this is a file, not a folder; choose another place with -o")};
  if (fs::is_empty(path, error) || fs::exists(path / sweep_lock, error)) return {};
  return {problem(path, "the folder contains files that are not a sweep (" + describe_content(path) +
                            "); choose an empty or a new folder with -o; nothing was changed")};
}

}  // namespace

std::vector<std::string> Manifest::overrides(int run) const {
  std::vector<std::string> all = set;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (std::string& text : overrides_of(parameters[i].paths, runs[run][i])) {
      all.push_back(std::move(text));
    }
  }
  return all;
}

std::string run_name(int run) {
  return fmt::format("{:06}", run);
}

fs::path SweepFolder::run_folder(int run) const {
  return path_ / "runs" / run_name(run);
}
fs::path SweepFolder::failure_file(int run) const {
  return path_ / "failures" / (run_name(run) + ".txt");
}

fs::path SweepFolder::scene_copy() const {
  return copy_of(path_, manifest_.scene);
}

Result<Plan> SweepFolder::plan() const {
  return read_plan(path_ / plan_file);
}

Result<SweepFolder> SweepFolder::open(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return problem(path, "this is not a folder; expected the folder of a sweep");
  if (!fs::exists(path / manifest_file, error)) {
    return problem(path, fmt::format("this is not the folder of a sweep, because it has no {}", manifest_file));
  }
  Result<Manifest> manifest = read_manifest(path);
  if (!manifest) return manifest.issues();
  SweepFolder folder;
  folder.path_ = fs::absolute(path, error).lexically_normal();
  if (!folder.path_.has_filename()) folder.path_ = folder.path_.parent_path();
  folder.manifest_ = std::move(*manifest);
  return folder;
}

namespace {

/// Completes the manifest of a plan by the runs of the sweep in the folder, which must have the same settings and
/// scene. Returns the number of runs that are new.
Result<int> add_runs(const fs::path& path, const Plan& plan, const std::string& scene, Manifest& manifest) {
  int num_added = 0;
  const Result<Manifest> before = read_manifest(path);
  if (!before) return before.issues();
  Issues issues;
  check_same(*before, manifest, issues);
  if (issues.empty()) num_added = merge_runs(*before, manifest, issues);
  for (Issue& issue : issues) issue.message += "; start another sweep with -o";
  set_file(issues, plan.file.string());
  if (const Result<std::string> text = read_text_file(copy_of(path, plan.scene))) {
    const Issues changes = find_changes(copy_of(path, plan.scene), *text, plan.scene, scene);
    issues.insert(issues.end(), changes.begin(), changes.end());
  }
  if (!issues.empty()) return issues;
  return num_added;
}

}  // namespace

/// Makes the lock file and locks it.
Result<Done> SweepClaim::lock(const fs::path& path) {
  descriptor_ = ::open((path / sweep_lock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return problem(path, std::string("this folder cannot be written into: ") + std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return problem(path, "another process is starting the runs of this sweep; wait until it ends, or stop it");
  }
  return Done{};
}

Result<SweepClaim> SweepClaim::make(const fs::path& path, const Plan& plan, const std::string& plan_text) {
  const Result<std::string> scene = read_text_file(plan.scene);
  if (!scene) return scene.issues();
  if (Issues issues = find_objection(path); !issues.empty()) return issues;
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return problem(path, "this folder cannot be created: " + error.message());
  // The lock file is created first. If this process is then ended at any moment, the folder is empty or belongs to the
  // sweep.
  SweepClaim claim;
  if (const auto locked = claim.lock(path); !locked) return locked.issues();
  if (Issues issues = find_lost_manifest(path); !issues.empty()) return issues;
  for (const char* name : {"runs", "failures"}) {
    fs::create_directories(path / name, error);
    if (error) return problem(path / name, "this folder cannot be created: " + error.message());
  }

  Manifest manifest = manifest_of(plan);
  const fs::path copy = copy_of(path, plan.scene);
  const bool is_new = !fs::exists(path / manifest_file, error);
  claim.num_added_ = static_cast<int>(manifest.runs.size());
  if (!is_new) {
    const Result<int> num_added = add_runs(path, plan, *scene, manifest);
    if (!num_added) return num_added.issues();
    claim.num_added_ = *num_added;
  }
  // The manifest is written last: without it there is no sweep yet.
  if (is_new) {
    if (auto done = write_file_atomically(copy, *scene); !done) return done.issues();
  }
  if (auto done = write_file_atomically(path / plan_file, plan_text); !done) return done.issues();
  if (auto done = write_file_atomically(path / manifest_file, text_of(manifest)); !done) return done.issues();
  Result<SweepFolder> folder = SweepFolder::open(path);
  if (!folder) return folder.issues();
  claim.folder_ = std::move(*folder);
  return claim;
}

SweepClaim::SweepClaim(SweepClaim&& other) noexcept
    : folder_(std::move(other.folder_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      num_added_(other.num_added_) {}

SweepClaim& SweepClaim::operator=(SweepClaim&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(num_added_, other.num_added_);
  return *this;
}

SweepClaim::~SweepClaim() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace clearance::sweep
