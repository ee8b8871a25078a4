// Stands before the C library (LD_PRELOAD) and lets the disk be full from a chosen moment on: the call of the number
// CLEARANCE_FULL_AT that needs room, counted from 1, and all later ones fail. A write of more than one byte that
// reaches the end of the disk stores its first half, as the system does it. CLEARANCE_FULL_COUNT names a file into
// which the number of such calls goes at the end. Only regular files count, and calls that make files or folders.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace {

std::atomic<long> num_calls{0};

/// Counts a call. Returns 0 before the disk is full, 1 for the call that fills it, 2 afterwards.
int state_of_disk() {
  static const long full_at = [] {
    const char* text = std::getenv("CLEARANCE_FULL_AT");
    return text != nullptr ? std::atol(text) : 0;
  }();
  const long number = ++num_calls;
  return full_at == 0 || number < full_at ? 0 : number == full_at ? 1 : 2;
}

template <class Function>
Function next(const char* name, Function) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int no_room() {
  errno = ENOSPC;
  return -1;
}

bool is_regular(int descriptor) {
  struct stat status = {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

/// Stores the number of calls when the process ends.
struct Report {
  ~Report() {
    const char* path = std::getenv("CLEARANCE_FULL_COUNT");
    if (path == nullptr) return;
    const long count = num_calls;
    if (std::FILE* file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", count);
      std::fclose(file);
    }
  }
} report;

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto real = next("write", &write);
  if (!is_regular(descriptor)) return real(descriptor, bytes, count);
  const int state = state_of_disk();
  if (state == 0) return real(descriptor, bytes, count);
  if (state == 1 && count > 1) return real(descriptor, bytes, count / 2);
  return no_room();
}

int open(const char* path, int flags, ...) {
  static const auto real = next("open", &open);
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
    // A file that is there needs no room.
    if (access(path, F_OK) != 0 && state_of_disk() != 0) return no_room();
  }
  return real(path, flags, mode);
}

int mkdir(const char* path, mode_t mode) {
  static const auto real = next("mkdir", &mkdir);
  return state_of_disk() != 0 ? no_room() : real(path, mode);
}

int rename(const char* from, const char* to) {
  static const auto real = next("rename", &rename);
  return state_of_disk() != 0 ? no_room() : real(from, to);
}

}  // extern "C"
