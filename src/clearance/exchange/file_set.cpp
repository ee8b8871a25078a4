#include "clearance/exchange/file_set.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace clearance::exchange {
namespace {

namespace fs = std::filesystem;

/// Files of a result folder whose endings exports also use (ARCHITECTURE.md, result folder).
constexpr std::array<std::string_view, 3> files_of_results = {"scene.json", "bodies.json", "summary.json"};
/// Largest number of obstacles that are listed one by one.
constexpr std::size_t most_named = 20;

}  // namespace

Issue write_failure(const fs::path& path) {
  const int error = errno;
  return {path.string(), "", "",
          error == 0 ? "cannot write the file" : std::string("cannot write the file: ") + std::strerror(error)};
}

FileSet::~FileSet() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Issues FileSet::find_obstructions(bool is_overwriting, const fs::path& result) const {
  Issues issues;
  std::size_t num_found = 0;
  const auto note = [&](const fs::path& path, const char* message) {
    if (++num_found <= most_named) issues.push_back({path.string(), "", "", message});
  };
  std::error_code error;
  if (!folder_.empty() && fs::exists(folder_, error) && !fs::is_directory(folder_, error)) {
    note(folder_, "this is not a folder");
    return issues;
  }
  const bool is_in_result = fs::equivalent(folder_.empty() ? "." : folder_, result, error);
  for (const std::string& name : names_) {
    const fs::path path = folder_ / name;
    if (is_in_result && std::find(files_of_results.begin(), files_of_results.end(), name) != files_of_results.end()) {
      note(path, "this is a file of the result; choose another name");
    } else if (fs::is_directory(path, error)) {
      note(path, "this is a folder; expected a file");
    } else if (fs::exists(fs::symlink_status(path, error)) && !is_overwriting) {
      note(path, "the file exists; replace it with --overwrite");
    }
  }
  if (num_found > most_named) {
    issues.push_back({(folder_ / ".").lexically_normal().string(), "", "",
                      fmt::format("{} more files are in the way", num_found - most_named)});
  }
  return issues;
}

Result<Done> FileSet::open() {
  std::error_code error;
  if (!folder_.empty()) fs::create_directories(folder_, error);
  if (error) return Issue{folder_.string(), "", "", "the file cannot be created: " + error.message()};
  temporary_ = folder_ / fmt::format("{}.{}.tmp", names_.front(), ::getpid());
  // The folder must be new: the destructor removes it, and it must not hold files of anybody else.
  if (!fs::create_directory(temporary_, error)) {
    const fs::path taken = std::exchange(temporary_, {});
    return Issue{taken.string(), "", "", error ? "the file cannot be created: " + error.message() : "the file exists"};
  }
  return Done{};
}

Result<std::uintmax_t> FileSet::finish() {
  std::uintmax_t num_bytes = 0;
  std::error_code error;
  for (const std::string& name : names_) {
    num_bytes += fs::file_size(temporary(name), error);
    if (error) return Issue{(folder_ / name).string(), "", "", "the file cannot be written: " + error.message()};
  }
  // Removing the first file now ensures that it never refers to files of two exports.
  if (names_.size() > 1) fs::remove(folder_ / names_.front(), error);
  for (std::size_t i = names_.size(); i-- > 0 && !error;) {
    fs::rename(temporary(names_[i]), folder_ / names_[i], error);
    if (error) return Issue{(folder_ / names_[i]).string(), "", "", "the file cannot be written: " + error.message()};
  }
  if (error)
    return Issue{(folder_ / names_.front()).string(), "", "", "the file cannot be replaced: " + error.message()};
  return num_bytes;
}

Issues FileSet::by_their_places(Issues issues) const {
  for (Issue& issue : issues) {
    const fs::path path = issue.file;
    if (path.parent_path() == temporary_) issue.file = (folder_ / path.filename()).string();
  }
  return issues;
}

}  // namespace clearance::exchange
