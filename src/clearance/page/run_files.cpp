#include "clearance/page/run_files.h"

#include <fmt/format.h>

#include <fstream>

#include "clearance/io/result/probe_cells.h"
#include "clearance/io/result/result_check.h"
#include "clearance/io/result/result_files.h"

namespace clearance::page {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Reads a JSON file. Returns null if the file is missing or invalid, because a page shows whatever is available.
Json read_json(const fs::path& path) {
  std::ifstream file(path);
  Json json = file ? Json::parse(file, nullptr, false) : Json();
  return json.is_discarded() ? Json() : json;
}

/// Reads the numbers of steps that plots show.
Json read_stats(const fs::path& folder) {
  Json stats = {{"step", Json::array()},       {"time", Json::array()},     {"status", Json::array()},
                {"iterations", Json::array()}, {"contacts", Json::array()}, {"gap", Json::array()},
                {"seconds", Json::array()},    {"energy", Json::object()}};
  for (const StatsLine& line : read_stats_lines(folder)) {
    const Json step = Json::parse(line.text, nullptr, false);
    if (!step.is_object()) break;
    stats["step"].push_back(line.step);
    stats["time"].push_back(step.value("time", Json()));
    stats["status"].push_back(step.value("status", ""));
    stats["iterations"].push_back(step.value("newton_iterations", 0));
    stats["contacts"].push_back(step.value("contacts", 0));
    stats["gap"].push_back(step.value("min_distance", Json()));
    stats["seconds"].push_back(step.contains("seconds") ? step["seconds"].value("total", Json()) : Json());
    if (const Json remesh = step.value("remesh", Json::object()); remesh.contains("elements")) {
      for (const char* name : {"elements", "splits", "collapses"}) {
        Json& column = stats[name];
        while (column.size() + 1 < stats["step"].size()) column.push_back(nullptr);
        column.push_back(remesh.value(name, Json()));
      }
    }
    const Json energies = step.value("energy", Json::object());
    for (const auto& [name, value] : energies.items()) {
      Json& column = stats["energy"][name];
      while (column.size() + 1 < stats["step"].size()) column.push_back(nullptr);
      column.push_back(value);
    }
  }
  return stats;
}

/// Reads columns of numbers by name; empty cells are null.
Json read_probes(const fs::path& path) {
  Json columns = Json::object();
  std::ifstream file(path);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string_view> cells = probe_cells(line);
    if (names.empty()) {
      names.assign(cells.begin(), cells.end());
      for (const std::string& name : names) columns[name] = Json::array();
      continue;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Json number = i < cells.size() ? Json::parse(cells[i], nullptr, false) : Json();
      columns[names[i]].push_back(number.is_number() ? number : Json());
    }
  }
  return columns;
}

}  // namespace

Result<RunFiles> read_run_files(const fs::path& folder) {
  if (const auto checked = check_result_folder(folder, "frames.pvd"); !checked) return checked.issues();
  const auto entries = read_stored_frames(folder);
  if (!entries) return entries.issues();
  RunFiles files;
  for (const PvdEntry& entry : *entries) {
    files.frames.push_back(folder / entry.file);
    files.times.push_back(entry.time);
    files.steps.push_back(step_of_frame_file(entry.file).value_or(static_cast<int>(files.steps.size())));
  }
  if (files.frames.empty()) return Issue{(folder / "frames.pvd").string(), "", "", "the file lists no frames"};
  files.scene = read_json(folder / "scene.json");
  const Json entries_of_scene = files.scene.is_object() ? files.scene.value("bodies", Json::array()) : Json::array();
  for (const Json& body : read_json(folder / "bodies.json")) {
    files.names.push_back(body.value("name", ""));
    const std::size_t entry = body.value("entry", entries_of_scene.size());
    const Json thickness =
        entry < entries_of_scene.size() ? entries_of_scene[entry].value("thickness", Json()) : Json();
    files.thicknesses.push_back(thickness.is_number() ? thickness.get<double>() : 0.0);
  }
  if (files.scene.is_object()) {
    for (const Json& field : files.scene.value("output", Json::object()).value("fields", Json::array())) {
      if (!field.is_string()) continue;
      // The recovered stress is stored as several arrays; the page shows its equivalent stress.
      const std::string name = field.get<std::string>();
      files.fields.push_back(name == "stress" ? "stress_von_mises" : name);
    }
  }
  files.stats = read_stats(folder);
  files.probes = read_probes(folder / "probes.csv");
  const Json summary = read_json(folder / "summary.json");
  files.warnings = summary.is_object() ? summary.value("warnings", Json::array()) : Json::array();
  return files;
}

}  // namespace clearance::page
