#include "clearance/io/result/run_control.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

namespace clearance {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Interval at which a run looks for requests.
constexpr auto look_interval = 50ms;

char letter_of(RunRequest request) {
  return request == RunRequest::stop ? 's' : 'p';
}

RunRequest read_file(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return RunRequest::none;
  RunRequest request = RunRequest::none;
  char letter = 0;
  const bool is_held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (is_held && ::read(descriptor, &letter, 1) == 1) {
    request = letter == letter_of(RunRequest::stop) ? RunRequest::stop : RunRequest::pause;
  }
  ::close(descriptor);
  return request;
}

}  // namespace

Result<Done> RunControl::set(RunRequest request) {
  if (request == RunRequest::none) {
    release();
    return Done{};
  }
  const auto failure = [&](const std::string& message) {
    release();
    return Issue{file_.string(), "", "", message};
  };
  if (descriptor_ < 0) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) return failure(std::string("the file cannot be written: ") + std::strerror(errno));
    // A run that reads the file holds its lock for a moment.
    bool is_locked = false;
    for (int attempt = 0; attempt < 20 && !is_locked; ++attempt) {
      is_locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
      if (!is_locked) std::this_thread::sleep_for(5ms);
    }
    if (!is_locked) {
      ::close(descriptor_);
      descriptor_ = -1;
      return failure("another program has paused or stopped this run");
    }
  }
  const char letter = letter_of(request);
  if (::pwrite(descriptor_, &letter, 1, 0) != 1)
    return failure(std::string("the file cannot be written: ") + std::strerror(errno));
  request_ = request;
  return Done{};
}

void RunControl::release() {
  request_ = RunRequest::none;
  if (descriptor_ < 0) return;
  std::error_code ignored;
  fs::remove(file_, ignored);
  ::close(descriptor_);
  descriptor_ = -1;
}

RunControl::~RunControl() {
  release();
}

RunRequest RunRequestReader::read() {
  const auto now = std::chrono::steady_clock::now();
  if (now >= next_look_) {
    request_ = read_file(file_);
    next_look_ = now + look_interval;
  }
  return request_;
}

RunRequest read_request(const fs::path& folder) {
  return read_file(folder / control_file);
}

}  // namespace clearance
