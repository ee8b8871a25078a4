#include "clearance/meshing/mesh_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "clearance/base/hash.h"
#include "clearance/base/log.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/files/text_file.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/mesh_writer.h"

namespace clearance {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Version of the meshing method. Another version makes different meshes of the same surface.
constexpr int method_version = 2;

template <class T>
void add_all(const std::vector<T>& values, Hash& hash) {
  const std::size_t count = values.size();
  hash.add(&count, sizeof count);
  for (const T& value : values) hash.add(value.data(), sizeof(value[0]) * value.size());
}

Json json_of(const CurvingReport& r) {
  return {{"straight_volume", r.straight_volume},
          {"straight_deviation", r.straight_deviation},
          {"num_nodes", r.num_nodes},
          {"num_held", r.num_held},
          {"flattest", r.flattest}};
}

Json json_of(const VolumeMeshReport& r) {
  Json json = {{"repairs", r.repairs},
               {"defects", r.defects},
               {"was_wrapped", r.was_wrapped},
               {"edge_length", r.edge_length},
               {"smallest_angle", r.smallest_angle},
               {"farthest_of_mesh", r.farthest_of_mesh},
               {"farthest_of_given", r.farthest_of_given},
               {"given_volume", r.given_volume},
               {"volume", r.volume},
               {"seconds", r.seconds}};
  if (r.curving) json["curving"] = json_of(*r.curving);
  return json;
}

void read_curving(const Json& json, CurvingReport& r) {
  json.at("straight_volume").get_to(r.straight_volume);
  json.at("straight_deviation").get_to(r.straight_deviation);
  json.at("num_nodes").get_to(r.num_nodes);
  json.at("num_held").get_to(r.num_held);
  json.at("flattest").get_to(r.flattest);
}

std::optional<VolumeMeshReport> report_of(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  VolumeMeshReport r;
  try {
    json.at("repairs").get_to(r.repairs);
    json.at("defects").get_to(r.defects);
    json.at("was_wrapped").get_to(r.was_wrapped);
    json.at("edge_length").get_to(r.edge_length);
    json.at("smallest_angle").get_to(r.smallest_angle);
    json.at("farthest_of_mesh").get_to(r.farthest_of_mesh);
    json.at("farthest_of_given").get_to(r.farthest_of_given);
    json.at("given_volume").get_to(r.given_volume);
    json.at("volume").get_to(r.volume);
    json.at("seconds").get_to(r.seconds);
    if (json.contains("curving")) read_curving(json.at("curving"), r.curving.emplace());
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  return r;
}

std::optional<VolumeMesh> load(const fs::path& stem, int dim) {
  std::error_code error;
  const fs::path report_path = stem.string() + ".json";
  if (!fs::exists(report_path, error)) return std::nullopt;
  const Result<std::string> text = read_text_file(report_path);
  const auto report = text ? report_of(*text) : std::nullopt;
  Result<Mesh> mesh = read_mesh(stem.string() + ".msh", {.dim = dim});
  if (!report || !mesh || (dim == 2 ? mesh->triangles.empty() : mesh->tets.empty())) return std::nullopt;
  return VolumeMesh{std::move(mesh).value(), *report};
}

/// Stores a mesh and then its report, because a mesh counts only with a report. Every process writes to its own files
/// before it renames them.
bool store(const fs::path& stem, const VolumeMesh& made) {
  std::error_code error;
  fs::create_directories(stem.parent_path(), error);
  const fs::path mesh_path = stem.string() + ".msh";
  const fs::path own_path = stem.string() + "." + std::to_string(::getpid()) + ".msh";
  if (error || !write_mesh(own_path, made.mesh)) return false;
  fs::rename(own_path, mesh_path, error);
  return !error && write_user_file_atomically(stem.string() + ".json", json_of(made.report).dump(2) + "\n");
}

}  // namespace

fs::path cache_folder() {
  const auto named = [](const char* variable) {
    const char* value = std::getenv(variable);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path own = named("CLEARANCE_CACHE"); !own.empty()) return own;
  if (const fs::path all = named("XDG_CACHE_HOME"); all.is_absolute()) return all / "clearance";
  if (const fs::path home = named("HOME"); home.is_absolute()) return home / ".cache" / "clearance";
  return {};
}

std::string volume_mesh_key(const Mesh& given, const VolumeMeshOptions& options) {
  Hash hash;
  const std::array<double, 3> choices = {method_version, static_cast<double>(given.dim),
                                         options.edge_length.value_or(0.0)};
  hash.add(choices.data(), sizeof choices);
  if (options.order != 1 || options.tolerance) {
    const std::array<double, 2> fit = {static_cast<double>(options.order), options.tolerance.value_or(0.0)};
    hash.add(fit.data(), sizeof fit);
  }
  add_all(given.vertices, hash);
  add_all(given.triangles, hash);
  add_all(given.edges, hash);
  return hash.text();
}

Result<VolumeMesh> cached_volume_mesh(const Mesh& given, const VolumeMeshOptions& options) {
  const fs::path folder = cache_folder();
  const fs::path stem = folder / volume_mesh_key(given, options);
  if (!folder.empty()) {
    if (auto known = load(stem, given.dim)) {
      log_info("volume mesh {} is from the cache", stem.string());
      return *std::move(known);
    }
  }
  Result<VolumeMesh> made = make_volume_mesh(given, options);
  if (!made || folder.empty()) return made;
  if (store(stem, *made)) {
    log_info("volume mesh made in {:.1f} s, kept as {}", made->report.seconds, stem.string());
  } else {
    log_warning("volume mesh made in {:.1f} s, not kept: cannot write to {}", made->report.seconds, folder.string());
  }
  return made;
}

}  // namespace clearance
