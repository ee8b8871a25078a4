#include "clearance/io/result/folder_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "clearance/io/result/meeting_file.h"
#include "clearance/io/result/result_files.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

Issue problem(const fs::path& path, std::string message) {
  return {path.string(), "", "", std::move(message), Severity::error};
}

Issue busy(const fs::path& folder) {
  return problem(folder,
                 "another run is writing into this folder; wait until it ends, or choose another folder with -o");
}

/// Returns the reason why the folder may not be used in this way.
std::optional<Issue> find_objection(const fs::path& folder, FolderContent content, FolderUse use) {
  if (content == FolderContent::foreign) {
    return problem(folder, "the folder contains files that are not a result of this program (" +
                               describe_content(folder) +
                               "); choose an empty or a new folder with -o; nothing was changed");
  }
  if (use == FolderUse::resume && content != FolderContent::result) {
    return problem(folder, content == FolderContent::nothing
                               ? "there is no result to resume here; run without --resume"
                               : "no step was stored here, so there is nothing to resume; run without --resume");
  }
  if (use == FolderUse::start && content == FolderContent::result) {
    return problem(folder,
                   "the folder contains the result of an earlier run; continue it with --resume, replace it with "
                   "--overwrite, or choose another folder with -o");
  }
  return std::nullopt;
}

/// Returns the use that `go_on` means for this folder.
FolderUse use_to_go_on(const fs::path& folder) {
  const Result<FolderContent> content = inspect_result_folder(folder);
  if (!content || *content != FolderContent::result) return FolderUse::start;
  std::error_code error;
  return fs::exists(folder / "checkpoint" / "state.bin", error) ? FolderUse::resume : FolderUse::overwrite;
}

}  // namespace

bool is_being_written(const fs::path& folder) {
  const int descriptor = ::open((folder / lock_file).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool is_locked = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return is_locked;
}

Result<FolderClaim> FolderClaim::make(const fs::path& folder, FolderUse use) {
  const auto objection = [&]() -> Issues {
    const Result<FolderContent> content = inspect_result_folder(folder);
    if (!content) return content.issues();
    if (const auto issue = find_objection(folder, *content, use)) return {*issue};
    return {};
  };
  if (Issues issues = objection(); !issues.empty()) return is_being_written(folder) ? Issues{busy(folder)} : issues;
  std::error_code error;
  const bool is_new = fs::create_directories(folder, error);
  if (error) return problem(folder, "this folder cannot be created: " + error.message());

  const bool has_picture = holds_only_our_meeting_file(folder);

  // Takes the lock. On a file system without locks, the run continues without it.
  FolderClaim claim(folder, use, ::open((folder / lock_file).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  claim.has_made_folder_ = is_new;
  claim.has_found_picture_ = has_picture;
  if (claim.descriptor_ < 0)
    return problem(folder, std::string("this folder cannot be written into: ") + std::strerror(errno));
  // A call of is_being_written holds the lock for a moment.
  for (int attempt = 0; ::flock(claim.descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++attempt) {
    if (attempt == 10) return busy(folder);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  // Another run may have begun and ended in the meantime.
  if (Issues issues = objection(); !issues.empty()) return issues;
  if (use == FolderUse::go_on) claim.use_ = use_to_go_on(folder);
  return claim;
}

FolderClaim::FolderClaim(FolderClaim&& other) noexcept
    : folder_(std::move(other.folder_)),
      use_(other.use_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      has_made_folder_(other.has_made_folder_),
      has_found_picture_(other.has_found_picture_) {}

FolderClaim& FolderClaim::operator=(FolderClaim&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(use_, other.use_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(has_made_folder_, other.has_made_folder_);
  std::swap(has_found_picture_, other.has_found_picture_);
  return *this;
}

void FolderClaim::withdraw(const std::vector<std::string>& files) {
  if (!has_made_folder_ && !has_found_picture_) return;
  std::error_code error;
  for (const std::string& name : files) fs::remove(folder_ / name, error);
  fs::remove(folder_ / lock_file, error);
  if (has_made_folder_) fs::remove(folder_, error);  // fails if it is not empty
}

FolderClaim::~FolderClaim() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace clearance
