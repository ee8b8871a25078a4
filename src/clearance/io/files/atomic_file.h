// Writing of files so that no reader sees, and no kill leaves, a half-written file.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "clearance/base/result.h"

namespace clearance {

/// Writes `path` + ".tmp" and renames it: the result is the old file or the new one, never a part, however the process
/// ends. After a failure the old file is unchanged. Use it in the program's own folders, with one writer at a time: the
/// next writer overwrites what a killed one has left.
Result<Done> write_file_atomically(const std::filesystem::path& path, std::string_view bytes);
/// Does the same for files of the user: the temporary file is a new one, with the process number in its name.
Result<Done> write_user_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// A file that is appended to. It stays open between, because opening it again for every line cost a tenth of the steps
/// of a small scene.
class AppendedFile {
 public:
  explicit AppendedFile(std::filesystem::path path) : path_(std::move(path)) {}
  AppendedFile(AppendedFile&& other) noexcept;
  AppendedFile& operator=(AppendedFile&&) = delete;
  ~AppendedFile();

  /// Appends all of the bytes, or none as long as the process lives. The bytes are the system's then, and killing the
  /// process loses none.
  Result<Done> append(std::string_view bytes);
  /// Closes the file until the next call of `append`. Some file systems report a full disk only here.
  Result<Done> close();

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;  // -1: closed
};

}  // namespace clearance
