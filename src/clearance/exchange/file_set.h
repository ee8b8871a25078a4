// A set of output files that appear together. They are written in a temporary folder beside their places and moved
// there at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance::exchange {

/// Returns the operating system's message for the last failed write.
Issue write_failure(const std::filesystem::path& path);

class FileSet {
 public:
  /// The files go into `folder`. If one file refers to the others, its name comes first.
  FileSet(std::filesystem::path folder, std::vector<std::string> names)
      : folder_(std::move(folder)), names_(std::move(names)) {}
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;
  /// Removes the files that were written and not moved.
  ~FileSet();

  /// Returns an issue for each obstacle: files that exist already (unless `is_overwriting`), folders with these names,
  /// and files that belong to the result in the folder `result`. Writes nothing.
  Issues find_obstructions(bool is_overwriting, const std::filesystem::path& result) const;

  /// Creates the target folder and the temporary folder.
  Result<Done> open();
  /// Returns the path under which a file is written until `finish`.
  std::filesystem::path temporary(const std::string& name) const { return temporary_ / name; }
  /// Returns a path for data that is needed while a file is written.
  std::filesystem::path scratch(const std::string& name) const { return temporary_ / (name + ".part"); }

  /// Moves all files to their places and returns their total size in bytes. A kill leaves all old files or all new
  /// ones. Between the first and the last move, it leaves a set without the file that refers to the others.
  Result<std::uintmax_t> finish();

  const std::vector<std::string>& names() const { return names_; }
  /// Replaces temporary paths in issues by the paths that the user has named.
  Issues by_their_places(Issues issues) const;

 private:
  std::filesystem::path folder_, temporary_;
  std::vector<std::string> names_;
};

}  // namespace clearance::exchange
