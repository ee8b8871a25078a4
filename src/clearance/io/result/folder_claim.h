// The right to write into a result folder: one run at a time, only into a folder that is new or this program's own, and
// over an older result only if that was asked for.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

/// True if a run holds the lock on the folder's lock file (result_files.h). Without a lock file, no run does.
bool is_being_written(const std::filesystem::path& folder);

enum class FolderUse {
  start,      ///< writes a new result; refuses to replace an older one
  overwrite,  ///< replaces an older result with a new one
  resume,     ///< continues a result
  /// the use of the three that leads to a whole result; for programs that repeat a run until it is complete
  go_on
};

class FolderClaim {
 public:
  /// Makes the folder if it is missing (but not to resume) and takes the lock, which the claim holds until it is
  /// destroyed. To resume in the same process, destroy the first claim before. A refusal changes nothing. Once the lock
  /// is held, `go_on` becomes another use: `resume` if there is a checkpoint, `overwrite` if a run ended before its
  /// first one.
  static Result<FolderClaim> make(const std::filesystem::path& folder, FolderUse use);

  FolderClaim(FolderClaim&& other) noexcept;
  FolderClaim& operator=(FolderClaim&& other) noexcept;
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;
  ~FolderClaim();

  /// Removes the named files and the lock if the claim has made the folder, or found the picture of a refused start in
  /// it and nothing else; and the folder if the claim has made it and it is empty then. Changes nothing otherwise.
  void withdraw(const std::vector<std::string>& files);

  const std::filesystem::path& folder() const { return folder_; }
  FolderUse use() const { return use_; }

 private:
  FolderClaim(std::filesystem::path folder, FolderUse use, int descriptor)
      : folder_(std::move(folder)), use_(use), descriptor_(descriptor) {}
  std::filesystem::path folder_;
  FolderUse use_ = FolderUse::start;
  int descriptor_ = -1;
  bool has_made_folder_ = false;
  bool has_found_picture_ = false;
};

}  // namespace clearance
