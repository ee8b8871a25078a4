// Reads the files of a result folder other than the frames, for `clearance verify`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "clearance/io/result/result_check.h"
#include "clearance/io/result/result_files.h"
#include "clearance/verify/folder/verify_folder.h"
#include "clearance/verify/folder/verify_stats.h"

namespace clearance::verify {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

Vec<3> read_vector(const json& value) {
  Vec<3> v = Vec<3>::Zero();
  for (std::size_t i = 0; i < std::min<std::size_t>(3, value.size()); ++i)
    v[static_cast<int>(i)] = value[i].get<double>();
  return v;
}

/// Copies of an entry, at most as many as frames may have bodies.
int num_copies(const json& body) {
  std::int64_t count = 1;
  if (!body.contains("array") || !body["array"].is_object()) return 1;
  for (const json& n : body["array"].value("counts", json::array())) {
    count = std::min<std::int64_t>(count * std::max(1, n.get<int>()), 1'000'000);
  }
  return static_cast<int>(count);
}

bool is_split(const json& body) {
  return body.value("split_components", false);
}

/// Bodies of each entry, for folders without bodies.json. One that is split takes what all others leave; where two are
/// split nobody can tell whose a component is, so that from there on bodies have no name and the defaults.
std::vector<int> body_counts(const json& bodies, int num_bodies_in_frames) {
  std::vector<int> counts;
  for (const json& body : bodies) counts.push_back(num_copies(body));
  const auto first = std::find_if(bodies.begin(), bodies.end(), is_split) - bodies.begin();
  if (first == static_cast<std::ptrdiff_t>(bodies.size())) return counts;
  if (std::count_if(bodies.begin(), bodies.end(), is_split) > 1) {
    counts.resize(first);
  } else {
    counts[first] += std::max(0, num_bodies_in_frames - std::accumulate(counts.begin(), counts.end(), 0));
  }
  return counts;
}

VerifyBody body_of(const json& entries, std::size_t number, std::string name) {
  const json& entry = entries.at(number);
  VerifyBody body;
  body.entry = static_cast<int>(number);
  body.name = std::move(name);
  const std::string kind = entry.value("kind", "");
  body.is_obstacle = kind == "obstacle";
  // An affine map neither makes nor undoes a self-intersection: those of a stiff body are its mesh's own.
  body.has_self_contact = kind != "affine" && kind != "rigid" && entry.value("self_contact", true);
  body.collision_group = entry.value("collision_group", -1);
  body.collides = entry.value("collides", true);
  if (kind == "shell" || kind == "rod" || kind == "particles") body.radius = 0.5 * entry.value("thickness", 0.0);
  body.is_loose = kind == "particles";
  return body;
}

/// Returns the bodies that bodies.json lists.
std::vector<VerifyBody> listed_bodies(const json& entries, const json& list, std::vector<std::string>& problems) {
  std::vector<VerifyBody> bodies;
  for (const json& body : list) {
    bodies.push_back(body_of(entries, body.at("entry").get<std::size_t>(), body.at("name").get<std::string>()));
    for (const json& round : body.value("round_shapes", json::array())) {
      const auto vertices = round.at("vertices").get<std::vector<int>>();
      const double radius = round.at("radius").get<double>();
      if (vertices.empty() || vertices.size() > 2 || !(radius > 0.0)) {
        problems.push_back(fmt::format(
            "bodies.json: a round shape of '{}' has no radius, or other than one or two ends", bodies.back().name));
        continue;
      }
      bodies.back().rounds.push_back({radius, {vertices.front(), vertices.back()}});
    }
  }
  return bodies;
}

std::vector<VerifyBody> guessed_bodies(const json& entries, int num_bodies_in_frames) {
  std::vector<VerifyBody> bodies;
  const std::vector<int> counts = body_counts(entries, num_bodies_in_frames);
  for (std::size_t d = 0; d < counts.size(); ++d) {
    for (int i = 0; i < counts[d]; ++i)
      bodies.push_back(
          body_of(entries, d, entries[d].value("name", "") + (counts[d] > 1 ? fmt::format("[{}]", i) : "")));
  }
  return bodies;
}

/// Pairs of entries, by their names; a half-space is -1 - its number.
std::set<std::pair<int, int>> read_ignored_pairs(const json& scene) {
  std::map<std::string, int> entry_of;
  int next = 0;
  for (const json& body : scene.value("bodies", json::array())) entry_of.try_emplace(body.value("name", ""), next++);
  const int num_half_spaces = static_cast<int>(scene.value("half_spaces", json::array()).size());
  for (int h = 0; h < num_half_spaces; ++h) entry_of.try_emplace(fmt::format("half_spaces[{}]", h), -1 - h);
  std::set<std::pair<int, int>> pairs;
  const auto ignore = [&](const std::string& a, const std::string& b) {
    const auto first = entry_of.find(a), second = entry_of.find(b);
    if (first == entry_of.end() || second == entry_of.end()) return;
    pairs.insert(std::minmax(first->second, second->second));
  };
  for (const json& pair : scene.value("contact", json::object()).value("ignored_pairs", json::array())) {
    const auto& names = pair.at("bodies");
    ignore(names.at(0).get<std::string>(), names.at(1).get<std::string>());
  }
  // All copies of bodies that are tied to each other ignore each other; a copy is named as in `block[3]`.
  const auto entry_name = [&](const std::string& name) {
    return entry_of.count(name) > 0 ? name : name.substr(0, name.rfind('['));
  };
  for (const json& attachment : scene.value("attachments", json::array())) {
    if (!attachment.value("tied", false)) continue;
    ignore(entry_name(attachment.value("body", "")), entry_name(attachment.value("to", "")));
  }
  return pairs;
}

/// scene.json is read here and not by clearance/scene: only what the judgement needs, as it is written.
VerifyScene read_scene(const json& scene) {
  VerifyScene result;
  result.has_contact = scene.value("contact", json::object()).value("enabled", true);
  result.obstacles_only = scene.value("contact", json::object()).value("obstacles_only", false);
  result.ignored_pairs = read_ignored_pairs(scene);
  if (result.has_contact) result.min_separation = scene.value("contact", json::object()).value("min_separation", 0.0);
  for (const json& h : scene.value("half_spaces", json::array())) {
    VerifyHalfSpace half_space;
    if (h.contains("point")) half_space.point = read_vector(h["point"]);
    if (h.contains("normal")) half_space.normal = read_vector(h["normal"]);
    result.half_spaces.push_back(half_space);
  }
  return result;
}

int count_bodies(const fs::path& path) {
  const auto frame = read_frame(path);
  if (!frame || frame->cell_body.empty()) return 0;
  return 1 + *std::max_element(frame->cell_body.begin(), frame->cell_body.end());
}

/// Who the bodies of the frames are, and a problem if they are not as many. `path` is of bodies.json.
void read_bodies(const fs::path& path, const json& entries, VerifyFolder& result) {
  std::ifstream file(path);
  result.scene.bodies = listed_bodies(entries, json::parse(file), result.problems);
  const int num_listed = static_cast<int>(result.scene.bodies.size());
  const int num_in_frames = result.frames.empty() ? 0 : count_bodies(result.frames[0]);
  if (num_in_frames == 0 || num_in_frames == num_listed) return;
  result.problems.push_back(
      fmt::format("bodies.json lists {} bodies, the first frame has {}", num_listed, num_in_frames));
}

void check_times(VerifyFolder& result) {
  for (std::size_t i = 1; i < result.times.size(); ++i) {
    if (result.times[i] > result.times[i - 1]) continue;
    result.problems.push_back(
        fmt::format("frames.pvd: time {} of frame {} is not after {}", result.times[i], i, result.times[i - 1]));
  }
}

/// Frames that neither frames.pvd nor the statistics name: a run killed between the two writes leaves one.
void check_unlisted(const fs::path& folder, VerifyFolder& result) {
  std::set<fs::path> listed;
  for (const fs::path& frame : result.frames) listed.insert(frame.lexically_normal());
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "frames", error)) {
    const bool is_frame = entry.path().extension() == ".vtu";
    if (is_frame && listed.count(entry.path().lexically_normal()) == 0) {
      result.notes.push_back(fmt::format("{} is not in frames.pvd", entry.path().filename().string()));
    }
  }
}

void check_stats(const VerifyStats& stats, VerifyFolder& result) {
  result.problems.insert(result.problems.end(), stats.problems.begin(), stats.problems.end());
  result.notes.insert(result.notes.end(), stats.notes.begin(), stats.notes.end());
  // Two frames need no steps: the frame of the start, and one whose step has no line yet because the run was killed
  // between the two writes.
  const bool has_steps = result.frames.size() > 2;
  if (!stats.exists) (has_steps ? result.problems : result.notes).push_back("stats.jsonl is missing");
  if (stats.exists && !stats.last_step && has_steps) result.problems.push_back("stats.jsonl has no steps");
}

/// Every frame that the statistics name must be there. Whether the listed ones exist is seen when they are read.
void check_frames_of_steps(const VerifyStats& stats, const std::vector<PvdEntry>& entries, VerifyFolder& result) {
  std::set<std::string> listed;
  for (const PvdEntry& entry : entries) listed.insert(entry.file);
  std::vector<std::string> missing;
  for (const std::string& frame : stats.frames) {
    if (listed.count(frame) == 0) missing.push_back(frame);
  }
  if (missing.empty()) return;
  constexpr std::size_t max_names = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(missing.size(), max_names); ++i) names += (i == 0 ? "" : ", ") + missing[i];
  if (missing.size() > max_names) names += ", ...";
  result.problems.push_back(fmt::format("frames.pvd: {} of the stored frames {} missing: {}", missing.size(),
                                        missing.size() == 1 ? "is" : "are", names));
}

}  // namespace

Result<VerifyFolder> read_verify_folder(const fs::path& folder) {
  if (const auto checked = check_result_folder(folder, "frames.pvd"); !checked) return checked.issues();
  std::ifstream file(folder / "scene.json");
  if (!file)
    return Issue{(folder / "scene.json").string(), "", "",
                 "the file cannot be read; expected the scene of a result folder"};
  VerifyFolder result;
  VerifyStats stats;
  fs::path being_read = folder / "scene.json";
  try {
    const json scene = json::parse(file);
    result.scene = read_scene(scene);
    result.dimension = scene.value("dimension", 3);
    if (result.dimension != 2 && result.dimension != 3) {
      return Issue{being_read.string(), "dimension", std::to_string(result.dimension), "expected 2 or 3"};
    }
    // The statistics before the list of frames: a run that is writing both adds to the list first.
    stats = read_verify_stats(folder, scene.value("output", json::object()).value("frame_interval", 0));
    const auto entries = read_stored_frames(folder);
    if (!entries) return entries.issues();
    for (const PvdEntry& entry : *entries) {
      result.frames.push_back(folder / entry.file);
      result.times.push_back(entry.time);
    }
    check_frames_of_steps(stats, *entries, result);
    const json bodies = scene.value("bodies", json::array());
    if (fs::exists(folder / "bodies.json")) {
      being_read = folder / "bodies.json";
      read_bodies(being_read, bodies, result);
    } else {
      result.scene.bodies = guessed_bodies(bodies, result.frames.empty() ? 0 : count_bodies(result.frames[0]));
    }
  } catch (const json::exception& e) {
    return Issue{being_read.string(), "", "", e.what()};
  }
  if (result.frames.empty()) return Issue{(folder / "frames.pvd").string(), "", "", "the file lists no frames"};
  check_times(result);
  check_unlisted(folder, result);
  check_stats(stats, result);
  return result;
}

}  // namespace clearance::verify
