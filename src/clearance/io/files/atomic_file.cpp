#include "clearance/io/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace clearance {
namespace {

namespace fs = std::filesystem;

Issue failure(const fs::path& path, int error) {
  return {path.string(), "", "", std::string("cannot write the file: ") + std::strerror(error), Severity::error};
}

/// A file descriptor that the destructor closes. Every function returns 0 or the number of the error.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) error_ = errno;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int error() const { return error_; }
  int number() const { return number_; }

  int write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(number_, bytes.data(), bytes.size());
      if (count < 0 && errno != EINTR) return errno;
      if (count > 0) bytes.remove_prefix(count);
    }
    return 0;
  }
  /// Some file systems report a full disk only here.
  int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_ = -1;
  int error_ = 0;
};

Result<Done> write_and_rename(const fs::path& path, const fs::path& temporary, int mode, std::string_view bytes) {
  Descriptor file(temporary, O_WRONLY | O_CREAT | mode);
  if (file.error() != 0) return failure(path, file.error());
  // Does not wait until the file is on the disk: a killed process loses nothing, and waiting would cost more than a
  // step of a small scene (5 to 13 ms measured).
  int error = file.write(bytes);
  if (error == 0) error = file.close();
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return Done{};
  std::error_code ignored;
  if (fs::is_regular_file(temporary, ignored)) fs::remove(temporary, ignored);
  return failure(path, error);
}

}  // namespace

Result<Done> write_file_atomically(const fs::path& path, std::string_view bytes) {
  return write_and_rename(path, path.string() + ".tmp", O_TRUNC, bytes);
}

Result<Done> write_user_file_atomically(const fs::path& path, std::string_view bytes) {
  return write_and_rename(path, path.string() + ".tmp" + std::to_string(::getpid()), O_EXCL, bytes);
}

Result<Done> append_to_file(const fs::path& path, std::string_view bytes) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_APPEND);
  if (file.error() != 0) return failure(path, file.error());
  struct stat before = {};
  const bool has_size = ::fstat(file.number(), &before) == 0;
  int error = file.write(bytes);
  // On a full disk a part may have been written: half a line is worse than none.
  if (error != 0 && has_size && ::ftruncate(file.number(), before.st_size) != 0) return failure(path, error);
  if (error == 0) error = file.close();
  if (error != 0) return failure(path, error);
  return Done{};
}

}  // namespace clearance
