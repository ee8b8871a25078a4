// The right to write into a result folder: one run at a time, only into a folder that is new or this program's own, and
// over an older result only if that was asked for.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

/// An empty file that makes a folder this program's own. A run holds a lock on it, which ends with the process however
/// that ends; the file stays.
inline constexpr const char* lock_file = "clearance.lock";

/// Whether a run holds the lock; without a lock file nobody does.
bool is_being_written(const std::filesystem::path& folder);

enum class FolderUse {
  start,      ///< a new result; an older one is refused
  overwrite,  ///< a new result in the place of an older one
  resume,     ///< goes on with a result
  go_on       ///< whichever of the three leads to a whole result: for programs that call runs again until they are done
};

class FolderClaim {
 public:
  /// Makes the folder where it is missing (but not to resume) and takes the lock, which a claim holds until it ends: to
  /// resume in the same process, the first claim has to be gone. A refusal touches nothing. `go_on` becomes another use
  /// once the lock is held: `resume` where there is a checkpoint, `overwrite` where a run ended before its first one.
  static Result<FolderClaim> make(const std::filesystem::path& folder, FolderUse use);

  FolderClaim(FolderClaim&& other) noexcept;
  FolderClaim& operator=(FolderClaim&& other) noexcept;
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;
  ~FolderClaim();

  /// Takes back the folder, if the claim has made it and nothing but the lock and the files named is in it.
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
};

}  // namespace clearance
