#include "clearance/io/result/result_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "clearance/io/files/atomic_file.h"
#include "clearance/io/result/impact_warnings.h"
#include "clearance/io/result/pvd.h"
#include "clearance/io/scene_reader.h"
#include "clearance/scene/json_writer.h"

namespace clearance {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Issue problem(const fs::path& path, std::string message) {
  Issue issue;
  issue.file = path.string();
  issue.message = std::move(message);
  return issue;
}

/// Returns a JSON number, or null for infinity and NaN, which JSON does not have.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// Largest number of differences that a message lists if the scene is not that of the folder.
constexpr std::size_t max_differences = 3;

/// Returns the part of the scene that determines the motion: all but its duration and output intervals.
Json physics_of(const SceneDesc& scene) {
  SceneDesc reduced = scene;
  reduced.time.duration = 1.0;
  reduced.output = {};
  reduced.name.clear();
  return scene_to_json_value(reduced);
}

Result<Done> make_folders(const fs::path& path) {
  for (const char* name : {"frames", "checkpoint"}) {
    std::error_code error;
    fs::create_directories(path / name, error);
    if (error) return problem(path / name, "this folder cannot be created: " + error.message());
  }
  return Done{};
}

/// Stores the scene, always through the same temporary file, so that a killed run leaves none behind.
Result<Done> store_scene(const fs::path& path, const SceneDesc& scene) {
  return write_file_atomically(path / "scene.json", scene_text(path / "scene.json", scene));
}

}  // namespace

Result<ResultFolder> ResultFolder::create(const fs::path& path, const SceneDesc& scene) {
  if (auto done = erase_result(path); !done) return done.issues();
  if (auto done = make_folders(path); !done) return done.issues();
  if (auto saved = store_scene(path, scene); !saved) return saved.issues();
  return ResultFolder(path, scene);
}

namespace {

void make_paths_canonical(const fs::path& base, BodyDesc& body) {
  if (!body.mesh.empty()) body.mesh = fs::weakly_canonical(base / body.mesh).string();
  if (body.collision_surface) {
    for (std::string* file : {&body.collision_surface->mesh, &body.collision_surface->weights}) {
      if (!file->empty()) *file = fs::weakly_canonical(base / *file).string();
    }
  }
  for (MotionDesc& motion : body.motions) {
    if (!motion.mesh_sequence.empty()) motion.mesh_sequence = fs::weakly_canonical(base / motion.mesh_sequence);
    for (std::string& file : motion.mesh_files) file = fs::weakly_canonical(base / file).string();
  }
}

}  // namespace

Result<Checkpoint> ResultFolder::read_checkpoint(const fs::path& path, const SceneDesc& scene) {
  auto checkpoint = read_checkpoint_file(path / "checkpoint" / "state.bin");
  if (!checkpoint) return checkpoint;
  auto stored = load_scene(path / "scene.json", SceneFormat::clearance);
  if (!stored) return stored.issues();
  // Paths of meshes are stored absolute or relative to the folder; compare after the same round trip.
  auto given = load_scene_text(scene_to_json(scene), "scene", scene.base_directory);
  if (!given) return given.issues();
  SceneDesc a = stored->scene, b = given->scene;
  for (SceneDesc* s : {&a, &b}) {
    for (BodyDesc& body : s->bodies) {
      make_paths_canonical(s->base_directory, body);
    }
  }
  const std::vector<std::string> differences = find_differences(physics_of(a), physics_of(b), max_differences);
  if (!differences.empty()) {
    return problem(path / "scene.json",
                   fmt::format("the scene of the run differs from the one given: {}; resume with the scene (and the "
                               "--set values) of the run, or start again in another folder",
                               fmt::join(differences, ", ")));
  }
  return checkpoint;
}

/// Finds the frames up to a step: those listed, and those that are expected and exist.
void ResultFolder::find_frames(const std::vector<StatsLine>& lines, int last_step, int frame_interval) {
  expected_frames_ = {0};
  for (const StatsLine& line : lines) {
    // Older programs did not store which steps have a frame.
    const bool is_due = line.step % frame_interval == 0;
    if (line.has_frame.value_or(is_due)) expected_frames_.insert(line.step);
  }
  if (auto entries = read_pvd(path_ / "frames.pvd")) {
    for (const PvdEntry& entry : *entries) {
      const auto step = step_of_frame_file(entry.file);
      if (step && *step <= last_step) frames_[*step] = entry.time;
    }
  }
  for (const int step : expected_frames_) {
    std::error_code error;
    const fs::path file = path_ / frame_file(step);
    if (frames_.count(step) > 0 || !fs::exists(file, error)) continue;
    if (const auto frame = read_frame(file)) frames_[step] = frame->time;
  }
}

namespace {

std::string head_of_probes(const std::vector<std::string>& columns, const UnitSystem& units) {
  std::string head = fmt::format("step,time [{}]", units.time_name);
  for (const std::string& column : columns) head += "," + column;
  return head;
}

/// Returns the whole lines of probes.csv up to a step; empty without such a file.
std::string probe_lines(const fs::path& file, int last_step) {
  std::string kept;
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line) && !in.eof();) {
    int step = 0;
    const bool is_head = kept.empty();
    const bool has_step = std::from_chars(line.data(), line.data() + line.size(), step).ec == std::errc();
    if (!is_head && (!has_step || step > last_step)) break;
    kept += line + "\n";
  }
  return kept;
}

/// Returns the lines of the statistics up to that of a step, which must be there.
Result<std::vector<StatsLine>> lines_up_to(const fs::path& path, int step) {
  std::vector<StatsLine> lines = read_stats_lines(path);
  while (!lines.empty() && lines.back().step > step) lines.pop_back();
  if (const int last = lines.empty() ? 0 : lines.back().step; last != step) {
    return problem(path / "stats.jsonl",
                   fmt::format("the file ends at step {}, before the step of the checkpoint, {}; the lost lines can "
                               "only be made again by a new run; start again in another folder",
                               last, step));
  }
  return lines;
}

}  // namespace

namespace {

/// Name of the array of a checkpoint with the characters of the `state_hash` that its step has in stats.jsonl.
constexpr const char* hash_array = "state_hash_of_step";

/// Refuses a checkpoint that another run has made of its own step of this number. Those of the start and of earlier
/// programs say nothing about it.
Result<Done> check_origin(const fs::path& path, const Checkpoint& checkpoint, const std::vector<StatsLine>& lines) {
  const auto claimed = checkpoint.arrays.find(hash_array);
  if (claimed == checkpoint.arrays.end() || lines.empty()) return Done{};
  const Json line = Json::parse(lines.back().text, nullptr, false);
  const std::string hash = line.is_object() && line.contains("state_hash") && line["state_hash"].is_string()
                               ? line["state_hash"].get<std::string>()
                               : std::string();
  if (std::equal(hash.begin(), hash.end(), claimed->second.begin(), claimed->second.end(),
                 [](char c, double stored) { return static_cast<double>(c) == stored; })) {
    return Done{};
  }
  return problem(
      path / "checkpoint" / "state.bin",
      fmt::format("the checkpoint is not that of step {} in stats.jsonl, but of another run, or stats.jsonl "
                  "has been changed; nothing was changed; start again with --overwrite, or in another folder",
                  checkpoint.step));
}

}  // namespace

/// Removes the recorded frames that are not in the list.
Result<Done> ResultFolder::remove_frames_beyond(const std::vector<std::string>& recorded) {
  for (const std::string& file : recorded) {
    if (frames_.count(*step_of_frame_file(file)) > 0) continue;
    if (auto done = remove_file(path_ / file); !done) return done;
  }
  return Done{};
}

Result<ResultFolder> ResultFolder::reopen(const fs::path& path, const SceneDesc& scene, const Checkpoint& checkpoint,
                                          const std::vector<std::string>& probe_columns) {
  const std::string probes = probe_lines(path / "probes.csv", checkpoint.step);
  if (!probes.empty() && probes.substr(0, probes.find('\n')) != head_of_probes(probe_columns, unit_system_of(scene))) {
    return problem(path / "probes.csv",
                   "the file has the columns of other probes than the scene; resume with the `output.probes` of the "
                   "run, or start again in another folder");
  }
  const Result<std::vector<StatsLine>> kept = lines_up_to(path, checkpoint.step);
  if (!kept) return kept.issues();
  const std::vector<StatsLine>& lines = *kept;
  if (auto done = check_origin(path, checkpoint, lines); !done) return done.issues();
  if (auto done = make_folders(path); !done) return done.issues();
  ResultFolder folder(path, scene);
  const auto stored = load_scene(path / "scene.json", SceneFormat::clearance);
  if (!stored) return stored.issues();
  const std::vector<std::string> recorded = recorded_frame_files(path);
  folder.find_frames(lines, checkpoint.step, stored->scene.output.frame_interval);

  if (scene.output.certificate) {
    if (auto done = folder.certificate_.reopen(checkpoint.step); !done) return done.issues();
  }

  // Everything stored beyond the checkpoint is removed, statistics before frames, so that no line refers to a missing
  // frame. The summary is removed because the run is no longer finished.
  if (auto done = remove_file(path / "summary.json"); !done) return done.issues();
  std::string text;
  for (const StatsLine& line : lines) {
    folder.sums_.add(record_of_line(Json::parse(line.text, nullptr, false)));
    text += line.text + "\n";
  }
  if (auto done = write_file_atomically(path / "stats.jsonl", text); !done) return done.issues();
  if (!probes.empty()) {
    if (auto done = write_file_atomically(path / "probes.csv", probes); !done) return done.issues();
    folder.has_probes_ = true;
  }
  folder.is_disordered_ = true;
  if (auto done = folder.write_frame_list(); !done) return done.issues();
  if (auto done = folder.remove_frames_beyond(recorded); !done) return done.issues();
  if (auto saved = store_scene(path, scene); !saved) return saved.issues();
  return folder;
}

std::vector<int> ResultFolder::missing_frames() const {
  std::vector<int> missing;
  for (const int step : expected_frames_) {
    std::error_code error;
    const auto size = fs::file_size(path_ / frame_file(step), error);
    if (frames_.count(step) == 0 || error || size == 0) missing.push_back(step);
  }
  return missing;
}

Result<Done> ResultFolder::write_frame_list() {
  if (std::exchange(is_disordered_, false)) {
    frame_lines_.clear();
    for (const auto& [step, time] : frames_) frame_lines_ += pvd_line({time, frame_file(step)});
  }
  if (auto done = write_pvd(path_ / "frames.pvd", frame_lines_); !done) return done;
  num_listed_ = frames_.size();
  return Done{};
}

Result<Done> ResultFolder::write_bodies(const std::vector<BodyRecord>& bodies) {
  std::string text;
  for (const BodyRecord& body : bodies) {
    Json line = {{"name", body.name}, {"entry", body.entry}};
    for (const BodyRecord::Round& round : body.round_shapes) {
      line["round_shapes"].push_back({{"radius", round.radius}, {"vertices", round.vertices}});
    }
    text += (text.empty() ? "[\n" : ",\n") + line.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return write_file_atomically(path_ / "bodies.json", text.empty() ? "[]\n" : text + "\n]\n");
}

Result<Done> ResultFolder::start_probes(const std::vector<std::string>& columns, const WaveTimes& wave_times) {
  wave_times_ = wave_times;
  if (columns.empty() || has_probes_) return Done{};
  has_probes_ = true;
  return write_file_atomically(path_ / "probes.csv", head_of_probes(columns, units_) + "\n");
}

/// Appends a line of numbers with enough digits to read back the same double. A value that is not finite leaves its
/// cell empty.
Result<Done> ResultFolder::append_probes(int step, double time, const std::vector<double>& values) {
  std::string line = fmt::format("{},{}", step, time);
  for (const double value : values) line += std::isfinite(value) ? fmt::format(",{}", value) : ",";
  return probes_.append(line + "\n");
}

Result<Done> ResultFolder::write_frame(int step, const Frame& frame) {
  if (auto done = clearance::write_frame(path_ / frame_file(step), frame); !done) return done;
  const bool is_next = frames_.empty() || step > frames_.rbegin()->first;
  frames_[step] = frame.time;
  is_disordered_ = is_disordered_ || !is_next;
  if (!is_disordered_) frame_lines_ += pvd_line({frame.time, frame_file(step)});
  return Done{};
}

Result<Done> ResultFolder::append_stats(const StepRecord& record) {
  if (auto done = stats_.append(stats_line(record) + "\n"); !done) return done;
  sums_.add(record);
  return Done{};
}

Result<Done> ResultFolder::add_last_frame(const Frame& frame) {
  std::vector<StatsLine> lines = read_stats_lines(path_);
  if (lines.empty() || frames_.count(lines.back().step) > 0) return Done{};
  if (auto done = write_frame(lines.back().step, frame); !done) return done;
  if (auto done = write_frame_list(); !done) return done;
  if (auto done = stats_.close(); !done) return done;
  Json last = Json::parse(lines.back().text);
  last["frame"] = frame_file(lines.back().step);
  lines.back().text = last.dump();
  std::string text;
  for (const StatsLine& line : lines) text += line.text + "\n";
  return write_file_atomically(path_ / "stats.jsonl", text);
}

Result<Done> ResultFolder::write_checkpoint(Checkpoint checkpoint, std::string_view state_hash) {
  // Everything that the checkpoint claims must have been stored before it.
  for (AppendedFile* file : {&probes_, &stats_}) {
    if (auto done = file->close(); !done) return done;
  }
  if (auto done = certificate_.close(); !done) return done;
  if (!state_hash.empty()) checkpoint.arrays[hash_array] = {state_hash.begin(), state_hash.end()};
  return write_checkpoint_file(path_ / "checkpoint" / "state.bin", checkpoint);
}

std::vector<RunWarning> ResultFolder::warnings() const {
  std::vector<RunWarning> warnings = sums_.warnings();
  if (!has_inertia_) return warnings;
  const std::vector<RunWarning> of_impacts = impact_warnings(path_ / "probes.csv", wave_times_);
  warnings.insert(warnings.end(), of_impacts.begin(), of_impacts.end());
  return warnings;
}

namespace {

Json json_of(const DeviceTimes& times) {
  return {{"queries", times.num_on_device},
          {"queries_of_cpu", times.num_on_cpu},
          {"seconds", number(times.device_seconds)},
          {"seconds_of_cpu", number(times.cpu_seconds)}};
}

Json json_of(const DeviceRecord& device) {
  Json json = {{"name", device.name}, {"version", device.version}, {"broad_phase", json_of(device.broad_phase)}};
  if (device.crossover) json["broad_phase"]["crossover"] = *device.crossover;
  json["culling"] = json_of(device.culling);
  json["culling"]["pairs"] = device.num_pairs;
  json["culling"]["culled_pairs"] = device.num_culled;
  json["bytes_up"] = device.bytes_up;
  json["bytes_down"] = device.bytes_down;
  if (!device.failure.empty()) json["failure"] = device.failure;
  return json;
}

}  // namespace

Result<Done> ResultFolder::write_summary(const RunSummary& summary) {
  const std::map<std::string, int>& num_steps_by_status = sums_.num_steps_by_status();
  const auto converged = num_steps_by_status.find("converged");
  Json json;
  json["version"] = summary.version;
  json["finished"] = summary.finished;
  json["threads"] = summary.threads;
  if (!summary.linear_solver.empty()) json["linear_solver"] = summary.linear_solver;
  if (summary.device) json["device"] = json_of(*summary.device);
  json["bodies"] = summary.bodies;
  json["vertices"] = summary.vertices;
  json["elements"] = summary.elements;
  json["steps"] = sums_.num_steps();
  json["converged_steps"] = converged == num_steps_by_status.end() ? 0 : converged->second;
  json["steps_by_status"] = Json::object();
  for (const auto& [status, count] : num_steps_by_status) json["steps_by_status"][status] = count;
  json["warnings"] = Json::array();
  for (const RunWarning& warning : summary.warnings) {
    json["warnings"].push_back({{"name", warning.name}, {"message", warning.message}});
  }
  for (const DiscretisationRecord& of_body : summary.discretisation) {
    json["discretisation"].push_back({{"body", of_body.body},
                                      {"displacement_error", number(of_body.displacement_error)},
                                      {"stress_error", number(of_body.stress_error)},
                                      {"where", {of_body.where[0], of_body.where[1], of_body.where[2]}}});
  }
  json["frames"] = frames_.size();
  json["total_seconds"] = sums_.total_seconds();
  json["mean_seconds_per_step"] =
      sums_.num_steps() > 0 ? Json(sums_.total_seconds() / sums_.num_steps()) : Json(nullptr);
  json["newton_iterations"] = sums_.newton_iterations();
  json["min_distance"] = number(sums_.min_distance());
  json["peak_memory_bytes"] = peak_memory_bytes();
  return write_file_atomically(path_ / "summary.json", json.dump(2) + "\n");
}

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace clearance
