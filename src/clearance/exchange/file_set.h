// Files of the user that appear together: written in a folder of their own beside their places, and moved there at the
// end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance::exchange {

/// What the system says of the write that has just failed.
Issue write_failure(const std::filesystem::path& path);

class FileSet {
 public:
  /// The files go into `folder`; the first name is the file that refers to the others, if one does.
  FileSet(std::filesystem::path folder, std::vector<std::string> names)
      : folder_(std::move(folder)), names_(std::move(names)) {}
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;
  /// What was written and not moved is removed.
  ~FileSet();

  /// What would be in the way: every file that is there already (unless they are to be replaced), folders of their
  /// names, and what the result in the folder `result` consists of. Nothing is written.
  Issues find_obstructions(bool is_overwriting, const std::filesystem::path& result) const;

  /// Makes the folders.
  Result<Done> open();
  /// Where a file is written.
  std::filesystem::path temporary(const std::string& name) const { return temporary_ / name; }
  /// A place for what is needed while files are written.
  std::filesystem::path scratch(const std::string& name) const { return temporary_ / (name + ".part"); }

  /// Moves all files to their places: a kill leaves all old files or all new ones, or, in the moments between the first
  /// and the last move, not the one that refers to the others. The bytes of all.
  Result<std::uintmax_t> finish();

  const std::vector<std::string>& names() const { return names_; }
  /// Issues of files that are written, by the places that the user has named.
  Issues by_their_places(Issues issues) const;

 private:
  std::filesystem::path folder_, temporary_;
  std::vector<std::string> names_;
};

}  // namespace clearance::exchange
