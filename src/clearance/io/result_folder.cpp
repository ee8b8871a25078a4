#include "clearance/io/result_folder.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "clearance/io/pvd.h"
#include "clearance/io/scene_file.h"
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

/// Infinity and NaN have no JSON number.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <class T>
Json object_of(const std::vector<std::pair<std::string, T>>& entries) {
  Json object = Json::object();
  for (const auto& [key, value] : entries) {
    if constexpr (std::is_same_v<T, double>) {
      object[key] = number(value);
    } else {
      object[key] = value;
    }
  }
  return object;
}

std::string frame_file(int step) {
  return fmt::format("frames/frame_{:06}.vtu", step);
}

// The checkpoint is one binary file: magic, step, time, then name, count and numbers of each array.
constexpr char checkpoint_magic[8] = {'C', 'L', 'R', 'C', 'K', 'P', 'T', '1'};

template <class T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// Reads from a byte string without ever running over its end.
class ByteReader {
 public:
  explicit ByteReader(const std::string& bytes) : bytes_(bytes) {}
  bool take(void* to, std::size_t count) {
    if (count > bytes_.size() - at_) return false;
    std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
    return true;
  }
  std::size_t num_left() const { return bytes_.size() - at_; }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

Result<Checkpoint> read_checkpoint(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return problem(path, "there is no checkpoint to resume from; run without --resume");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const Issue broken = problem(path, "is not a checkpoint of this program");
  ByteReader reader(bytes);
  char magic[8];
  Checkpoint checkpoint;
  std::int64_t step = 0;
  std::uint64_t num_arrays = 0;
  if (!reader.take(magic, 8) || std::memcmp(magic, checkpoint_magic, 8) != 0) return broken;
  if (!reader.take(&step, 8) || !reader.take(&checkpoint.time, 8) || !reader.take(&num_arrays, 8)) return broken;
  checkpoint.step = static_cast<int>(step);
  for (std::uint64_t a = 0; a < num_arrays; ++a) {
    std::uint64_t name_size = 0, count = 0;
    if (!reader.take(&name_size, 8) || name_size > reader.num_left()) return broken;
    std::string name(name_size, ' ');
    if (!reader.take(name.data(), name_size) || !reader.take(&count, 8) || count > reader.num_left() / 8) return broken;
    std::vector<double> values(count);
    if (!reader.take(values.data(), 8 * count)) return broken;
    checkpoint.arrays[name] = std::move(values);
  }
  return checkpoint;
}

/// What decides the motion: the scene without its duration and output intervals.
std::string physics_of(const SceneDesc& scene) {
  SceneDesc reduced = scene;
  reduced.time.duration = 1.0;
  reduced.output = {};
  reduced.name.clear();
  return scene_to_json(reduced);
}

}  // namespace

Result<ResultFolder> ResultFolder::create(const fs::path& path, const SceneDesc& scene) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return problem(path, "cannot make this folder: " + error.message());
  for (const char* name :
       {"frames", "checkpoint", "frames.pvd", "stats.jsonl", "summary.json", "bodies.json", "scene.json"}) {
    fs::remove_all(path / name, error);
    if (error) return problem(path / name, "cannot remove what an earlier run left: " + error.message());
  }
  for (const char* name : {"frames", "checkpoint"}) {
    fs::create_directories(path / name, error);
    if (error) return problem(path / name, "cannot make this folder: " + error.message());
  }
  if (auto saved = save_scene(path / "scene.json", scene); !saved) return saved.issues();
  return ResultFolder(path);
}

Result<ResultFolder> ResultFolder::reopen(const fs::path& path, const SceneDesc& scene, Checkpoint& checkpoint) {
  auto stored = load_scene(path / "scene.json", SceneFormat::clearance);
  if (!stored) return stored.issues();
  // Paths of meshes are stored absolute or relative to the folder; compare after the same round trip.
  auto given = load_scene_text(scene_to_json(scene), "scene", scene.base_directory);
  if (!given) return given.issues();
  SceneDesc a = stored->scene, b = given->scene;
  for (SceneDesc* s : {&a, &b}) {
    for (BodyDesc& body : s->bodies) {
      const fs::path base = s->base_directory;
      if (!body.mesh.empty()) body.mesh = fs::weakly_canonical(base / body.mesh).string();
      for (MotionDesc& motion : body.motions) {
        if (!motion.mesh_sequence.empty()) motion.mesh_sequence = fs::weakly_canonical(base / motion.mesh_sequence);
      }
    }
  }
  if (physics_of(a) != physics_of(b)) {
    return problem(path / "scene.json",
                   "is another scene than the one given; resume with the scene (and the --set values) "
                   "of the run, or start anew in another folder");
  }
  auto read = read_checkpoint(path / "checkpoint" / "state.bin");
  if (!read) return read.issues();
  checkpoint = std::move(read).value();

  // Drop what was stored beyond the checkpoint.
  ResultFolder folder(path);
  std::ifstream stats(path / "stats.jsonl");
  for (std::string line; std::getline(stats, line);) {
    const Json record = Json::parse(line, nullptr, false);
    if (!record.is_object() || !record.contains("step") || record["step"].get<int>() > checkpoint.step) break;
    folder.stats_lines_.push_back(line);
  }
  std::string text;
  for (const std::string& line : folder.stats_lines_) text += line + "\n";
  if (auto done = write_text_file(path / "stats.jsonl", text); !done) return done.issues();
  if (auto entries = read_pvd(path / "frames.pvd")) {
    for (const PvdEntry& entry : *entries) {
      int step = -1;
      if (std::sscanf(entry.file.c_str(), "frames/frame_%d.vtu", &step) == 1 && step <= checkpoint.step) {
        folder.frames_.emplace_back(entry.time, entry.file);
      }
    }
  }
  std::error_code error;
  for (const auto& file : fs::directory_iterator(path / "frames", error)) {
    const std::string name = "frames/" + file.path().filename().string();
    bool is_listed = false;
    for (const auto& frame : folder.frames_) is_listed = is_listed || frame.second == name;
    if (!is_listed) fs::remove(file.path(), error);
  }
  if (auto done = folder.write_frame_list(); !done) return done.issues();
  if (auto saved = save_scene(path / "scene.json", scene); !saved) return saved.issues();
  return folder;
}

Result<Done> ResultFolder::write_frame_list() {
  std::vector<PvdEntry> entries;
  for (const auto& [time, file] : frames_) entries.push_back({time, file});
  return write_pvd(path_ / "frames.pvd", entries);
}

Result<Done> ResultFolder::write_bodies(const std::vector<BodyRecord>& bodies) {
  std::string text;
  for (const BodyRecord& body : bodies) {
    const Json line = {{"name", body.name}, {"entry", body.entry}};
    text += (text.empty() ? "[\n" : ",\n") + line.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return write_text_file(path_ / "bodies.json", text.empty() ? "[]\n" : text + "\n]\n");
}

Result<Done> ResultFolder::write_frame(int step, const Frame& frame) {
  const std::string file = frame_file(step);
  if (auto done = clearance::write_frame(path_ / file, frame); !done) return done;
  frames_.emplace_back(frame.time, file);
  return write_frame_list();
}

namespace {

Json json_of(const StepRecord::Iteration& iteration) {
  Json json;
  json["residual"] = number(iteration.residual);
  json["alpha_limit"] = iteration.alpha_limit;
  json["alpha"] = iteration.alpha;
  json["contacts"] = iteration.contacts;
  json["min_distance"] = number(iteration.min_distance);
  if (!iteration.limited_by.empty()) json["limited_by"] = iteration.limited_by;
  if (!iteration.event.empty()) json["event"] = iteration.event;
  return json;
}

}  // namespace

Result<Done> ResultFolder::append_stats(const StepRecord& record) {
  Json line;
  line["step"] = record.step;
  line["time"] = record.time;
  line["status"] = record.status;
  line["newton_iterations"] = record.newton_iterations;
  line["contacts"] = record.contacts;
  line["min_distance"] = number(record.min_distance);
  line["residual"] = number(record.residual);
  line["kappa"] = number(record.kappa);
  line["energy"] = object_of(record.energy);
  line["friction_work"] = number(record.friction_work);
  line["seconds"] = object_of(record.seconds);
  line["counters"] = object_of(record.counters);
  line["smallest_alpha"] = record.smallest_alpha;
  if (!record.limited_by.empty()) line["limited_by"] = record.limited_by;
  for (const StepRecord::Iteration& iteration : record.iterations) line["iterations"].push_back(json_of(iteration));
  line["state_hash"] = record.state_hash;
  stats_lines_.push_back(line.dump());
  std::ofstream file(path_ / "stats.jsonl", std::ios::app | std::ios::binary);
  file << stats_lines_.back() << '\n' << std::flush;
  if (!file) return problem(path_ / "stats.jsonl", "cannot be written");
  return Done{};
}

Result<Done> ResultFolder::write_checkpoint(const Checkpoint& checkpoint) {
  std::string bytes(checkpoint_magic, 8);
  put(bytes, static_cast<std::int64_t>(checkpoint.step));
  put(bytes, checkpoint.time);
  put(bytes, static_cast<std::uint64_t>(checkpoint.arrays.size()));
  for (const auto& [name, values] : checkpoint.arrays) {
    put(bytes, static_cast<std::uint64_t>(name.size()));
    bytes += name;
    put(bytes, static_cast<std::uint64_t>(values.size()));
    bytes.append(reinterpret_cast<const char*>(values.data()), 8 * values.size());
  }
  return write_text_file(path_ / "checkpoint" / "state.bin", bytes);
}

Result<Done> ResultFolder::write_summary(const RunSummary& summary) {
  double total_seconds = 0.0, min_distance = infinity;
  long newton_iterations = 0, converged_steps = 0;
  for (const std::string& line : stats_lines_) {
    const Json record = Json::parse(line);
    total_seconds += record["seconds"]["total"].get<double>();
    newton_iterations += record["newton_iterations"].get<long>();
    converged_steps += record["status"] == "converged" ? 1 : 0;
    if (record["min_distance"].is_number()) min_distance = std::min(min_distance, record["min_distance"].get<double>());
  }
  const auto num_steps = static_cast<long>(stats_lines_.size());
  Json json;
  json["version"] = summary.version;
  json["finished"] = summary.finished;
  json["threads"] = summary.threads;
  json["bodies"] = summary.bodies;
  json["vertices"] = summary.vertices;
  json["elements"] = summary.elements;
  json["steps"] = num_steps;
  json["converged_steps"] = converged_steps;
  json["frames"] = frames_.size();
  json["total_seconds"] = total_seconds;
  json["mean_seconds_per_step"] = num_steps > 0 ? Json(total_seconds / static_cast<double>(num_steps)) : Json(nullptr);
  json["newton_iterations"] = newton_iterations;
  json["min_distance"] = number(min_distance);
  json["peak_memory_bytes"] = peak_memory_bytes();
  return write_text_file(path_ / "summary.json", json.dump(2) + "\n");
}

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace clearance
