// What somebody who watches a run wants of it, told through the run's folder: in whatever process, and whoever dies.
#pragma once

#include <chrono>
#include <filesystem>

#include "clearance/base/result.h"

namespace clearance {

/// Holds the wish for as long as the one who has it holds a lock on the file: a watcher that is killed wishes nothing.
inline constexpr const char* control_file = "clearance.control";

enum class RunWish { none, pause, stop };

/// The watcher's side.
class RunControl {
 public:
  explicit RunControl(const std::filesystem::path& folder) : file_(folder / control_file) {}
  ~RunControl();
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  /// An issue where another watcher has a wish already, or the folder cannot be written into.
  Result<Done> set(RunWish wish);
  RunWish wish() const { return wish_; }

 private:
  void release();

  std::filesystem::path file_;
  RunWish wish_ = RunWish::none;
  int descriptor_ = -1;
};

/// The run's side. Asking costs nothing but a look at the clock most of the time.
class RunWishReader {
 public:
  explicit RunWishReader(const std::filesystem::path& folder) : file_(folder / control_file) {}
  RunWish read();

 private:
  std::filesystem::path file_;
  RunWish wish_ = RunWish::none;
  std::chrono::steady_clock::time_point next_look_;
};

/// Whoever's wish it is; none without a file that is locked.
RunWish read_wish(const std::filesystem::path& folder);

}  // namespace clearance
