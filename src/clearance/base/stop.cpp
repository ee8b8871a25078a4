#include "clearance/base/stop.h"

#include <ctime>
#include <utility>

namespace clearance {

namespace {
/// Interval between questions. A question may read a file or wait for the Python interpreter, some 10 us: 2e-4 of the
/// time.
constexpr std::chrono::milliseconds interval{50};

/// Returns the time of the steady clock, some milliseconds late where that is faster: loops of microseconds ask for it.
std::chrono::steady_clock::time_point coarse_time() {
#ifdef CLOCK_MONOTONIC_COARSE
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::chrono::steady_clock::time_point(std::chrono::seconds(now.tv_sec) +
                                               std::chrono::nanoseconds(now.tv_nsec));
#else
  return std::chrono::steady_clock::now();
#endif
}
}  // namespace

constinit thread_local StopScope* current_stop_scope = nullptr;

StopScope::StopScope(std::function<bool()> is_wanted)
    : is_wanted_(std::move(is_wanted)),
      owner_(std::this_thread::get_id()),
      last_asked_(coarse_time()),
      outer_(current_stop_scope) {
  if (is_wanted_) current_stop_scope = this;
}

StopScope::~StopScope() {
  current_stop_scope = outer_;
}

void StopScope::poll() {
  if (is_stopped_.load(std::memory_order_relaxed)) throw Stopped();
  if (std::this_thread::get_id() != owner_ || coarse_time() - last_asked_ < interval) return;
  if (is_stop_wanted()) throw Stopped();
}

bool StopScope::is_stop_wanted() {
  if (!is_wanted_) return false;
  if (is_wanted_()) is_stopped_.store(true, std::memory_order_relaxed);
  last_asked_ = coarse_time();
  return is_stopped_.load(std::memory_order_relaxed);
}

}  // namespace clearance
