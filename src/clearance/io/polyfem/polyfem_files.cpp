#include "clearance/io/polyfem/polyfem_files.h"

#include <fmt/format.h>

#include <cstdlib>

namespace clearance {
namespace {

namespace fs = std::filesystem;

// No published scene has more than three; a file that names itself has no end.
constexpr int max_depth = 16;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

Result<Json> apply_patch(const Json& scene, const Json& patch, const fs::path& path) {
  try {
    return scene.patch(patch);
  } catch (const nlohmann::json::exception& error) {
    // `[json.exception.parse_error.105] parse error: operation 'add' must ...`
    const std::string words = error.what();
    const std::size_t end = words.find("] ");
    return Issue{path.string(), "patch", brief_text(patch),
                 "cannot be applied: " + (end == std::string::npos ? words : words.substr(end + 2))};
  }
}

Result<Json> compose(const Json& scene, const fs::path& path, const JsonFileReader& read_json, int depth) {
  if (!scene.is_object()) return scene;
  const auto common = scene.find("common");
  const bool has_common = common != scene.end() && *common != Json("") && !common->is_null();
  Json own = scene;
  own.erase("common");
  if (!has_common) return own;
  if (!common->is_string()) {
    return Issue{path.string(), "common", brief_text(*common),
                 "expected the path of a file, not " + type_text(*common)};
  }
  if (depth == max_depth) {
    return Issue{path.string(), "common", brief_text(*common),
                 fmt::format("more than {} files, each of which names the next; does one name itself?", max_depth)};
  }
  const auto name = common->get<std::string>();
  fs::path file = path.parent_path() / name;
  const fs::path root = find_polyfem_root(scene, path);
  if (!is_file(file) && !root.empty() && is_file(root / name)) file = root / name;
  if (!is_file(file)) {
    return Issue{path.string(), "common", brief_text(*common),
                 "the file does not exist; looked for " + file.lexically_normal().string()};
  }
  const Result<Json> base = read_json(file);
  if (!base) return base.issues();
  Result<Json> composed = compose(*base, file, read_json, depth + 1);
  if (!composed || !composed->is_object()) return composed;
  const Json patch = own.value("patch", Json());
  own.erase("patch");
  composed->merge_patch(own);
  return patch.is_null() ? std::move(composed) : apply_patch(*composed, patch, path);
}

}  // namespace

Result<Json> compose_polyfem(const Json& scene, const fs::path& path, const JsonFileReader& read_json) {
  return compose(scene, path, read_json, 0);
}

fs::path find_polyfem_root(const Json& scene, const fs::path& path) {
  const auto found = scene.find("root_path");
  if (found == scene.end() || !found->is_string() || *found == Json("")) return {};
  std::error_code error;
  const fs::path own = fs::absolute(path, error).parent_path();
  const fs::path root = (own / found->get<std::string>()).lexically_normal();
  if (fs::is_directory(root, error)) return root;
  const fs::path name = root.has_filename() ? root.filename() : root.parent_path().filename();
  for (fs::path above = own; above.has_relative_path(); above = above.parent_path()) {
    if (above.filename() == name) return above;
  }
  return {};
}

std::string find_polyfem_file(const std::string& name, const fs::path& scene, const fs::path& root) {
  std::error_code error;
  const fs::path beside = fs::absolute(scene, error).parent_path();
  if (is_file(beside / name)) return name;
  if (!root.empty() && is_file(root / name))
    return (root / name).lexically_normal().lexically_relative(beside).string();
  // What follows the folder `data`.
  fs::path rest;
  bool is_below = false;
  for (const fs::path& part : fs::path(name)) {
    if (is_below) rest /= part;
    is_below = is_below || part == "data";
  }
  if (rest.empty()) return {};
  for (fs::path above = beside; above.has_relative_path(); above = above.parent_path()) {
    for (const char* copy : {"polyfem-data", "peer-data/polyfem-data"}) {
      if (is_file(above / copy / rest)) return (above / copy / rest).lexically_normal().string();
    }
  }
  return {};
}

}  // namespace clearance
