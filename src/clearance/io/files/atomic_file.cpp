#include "clearance/io/files/atomic_file.h"

#include <fcntl.h>
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

/// Returns 0 or the number of the error.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) bytes.remove_prefix(count);
  }
  return 0;
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
  int write(std::string_view bytes) const { return write_all(number_, bytes); }
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

AppendedFile::AppendedFile(AppendedFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

AppendedFile::~AppendedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<Done> AppendedFile::append(std::string_view bytes) {
  if (descriptor_ < 0) descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return failure(path_, errno);
  const off_t size_before = ::lseek(descriptor_, 0, SEEK_END);
  const int error = write_all(descriptor_, bytes);
  if (error == 0) return Done{};
  // On a full disk a part may have been written: half a line is worse than none.
  if (size_before >= 0 && ::ftruncate(descriptor_, size_before) != 0) return failure(path_, errno);
  return failure(path_, error);
}

Result<Done> AppendedFile::close() {
  if (descriptor_ < 0) return Done{};
  return ::close(std::exchange(descriptor_, -1)) == 0 ? Result<Done>(Done{}) : failure(path_, errno);
}

}  // namespace clearance
