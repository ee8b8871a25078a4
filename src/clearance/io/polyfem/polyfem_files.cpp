#include "clearance/io/polyfem/polyfem_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace clearance {
namespace {

namespace fs = std::filesystem;

// No published scene has more than three levels; a file that names itself would have no end.
constexpr int max_depth = 16;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Searches beside the scene, in `root`, and, if the name passes through a folder `data`, in the stored copy of
// polyfem-data above the scene.
std::string find_path(const std::string& name, const fs::path& scene, const fs::path& root,
                      bool (*exists)(const fs::path&)) {
  std::error_code error;
  const fs::path beside = fs::absolute(scene, error).parent_path();
  if (exists(beside / name)) return name;
  if (!root.empty() && exists(root / name)) {
    return (root / name).lexically_normal().lexically_relative(beside).string();
  }
  // Keep the part of the path after the folder `data`.
  fs::path rest;
  bool is_below = false;
  for (const fs::path& part : fs::path(name)) {
    if (is_below) rest /= part;
    is_below = is_below || part == "data";
  }
  if (rest.empty()) return {};
  for (fs::path above = beside; above.has_relative_path(); above = above.parent_path()) {
    for (const char* copy : {"polyfem-data", "peer-data/polyfem-data"}) {
      if (exists(above / copy / rest)) return (above / copy / rest).lexically_normal().string();
    }
  }
  return {};
}

// Matches a name against a pattern in which `*` stands for any characters and `?` for one.
bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    return matches(name, pattern.substr(1)) || (!name.empty() && matches(name.substr(1), pattern));
  }
  return !name.empty() && (pattern.front() == '?' || pattern.front() == name.front()) &&
         matches(name.substr(1), pattern.substr(1));
}

// Compares names, with runs of digits as numbers.
bool is_naturally_less(const std::string& a, const std::string& b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    std::size_t end_a = i, end_b = j;
    while (end_a < a.size() && is_digit(a[end_a])) ++end_a;
    while (end_b < b.size() && is_digit(b[end_b])) ++end_b;
    if (end_a - i != end_b - j) return end_a - i < end_b - j;
    const int order = a.compare(i, end_a - i, b, j, end_b - j);
    if (order != 0) return order < 0;
    i = end_a;
    j = end_b;
  }
  if (i < a.size() || j < b.size()) return i == a.size();
  return a < b;
}

Result<Json> apply_patch(const Json& scene, const Json& patch, const fs::path& path) {
  try {
    return scene.patch(patch);
  } catch (const nlohmann::json::exception& error) {
    // `[json.exception.parse_error.105] parse error: operation 'add' must ...`
    const std::string words = error.what();
    const std::size_t end = words.find("] ");
    return Issue{path.string(), "patch", brief_text(patch),
                 "the patch cannot be applied: " + (end == std::string::npos ? words : words.substr(end + 2))};
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
    return Issue{
        path.string(), "common", brief_text(*common),
        fmt::format("there are more than {} files, each of which names the next; check whether one names itself",
                    max_depth)};
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
  // Paths in the base are relative to its own root, if it names one, and that root replaces ours.
  if (const fs::path base_root = find_polyfem_root(*composed, file); !base_root.empty()) {
    own.erase("root_path");
    (*composed)["root_path"] = base_root.string();
  }
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
  fs::path root = (own / found->get<std::string>()).lexically_normal();
  // The path of a file means its folder.
  if (!fs::is_directory(root, error) && (is_file(root) || root.extension() == ".json")) root = root.parent_path();
  if (fs::is_directory(root, error)) return root;
  const fs::path name = root.has_filename() ? root.filename() : root.parent_path().filename();
  for (fs::path above = own; above.has_relative_path(); above = above.parent_path()) {
    if (above.filename() == name) return above;
  }
  return {};
}

std::string find_polyfem_file(const std::string& name, const fs::path& scene, const fs::path& root) {
  return find_path(name, scene, root, is_file);
}

std::vector<std::string> find_polyfem_files(const std::string& pattern, const fs::path& scene, const fs::path& root) {
  const fs::path given(pattern);
  const bool has_wildcards = given.filename().string().find_first_of("*?") != std::string::npos;
  const std::string folder_name =
      has_wildcards ? (given.has_parent_path() ? given.parent_path().string() : ".") : pattern;
  const std::string folder = find_path(folder_name, scene, root, is_folder);
  std::vector<std::string> files;
  if (folder.empty()) return files;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::absolute(scene, error).parent_path() / folder, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file(error) && (!has_wildcards || matches(name, given.filename().string()))) {
      files.push_back((fs::path(folder) / name).lexically_normal().string());
    }
  }
  std::sort(files.begin(), files.end(), is_naturally_less);
  return files;
}

}  // namespace clearance
