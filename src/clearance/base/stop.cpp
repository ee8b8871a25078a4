#include "clearance/base/stop.h"

#include <utility>

namespace clearance {

namespace {
/// Interval between questions. A question may read a file or wait for the Python interpreter, some 10 us: 2e-4 of the
/// time.
constexpr std::chrono::milliseconds interval{50};
}  // namespace

constinit thread_local StopScope* current_stop_scope = nullptr;

StopScope::StopScope(std::function<bool()> is_wanted)
    : is_wanted_(std::move(is_wanted)),
      owner_(std::this_thread::get_id()),
      last_asked_(Clock::now()),
      outer_(current_stop_scope) {
  if (is_wanted_) current_stop_scope = this;
}

StopScope::~StopScope() {
  current_stop_scope = outer_;
}

void StopScope::poll() {
  if (is_stopped_.load(std::memory_order_relaxed)) throw Stopped();
  if (std::this_thread::get_id() != owner_ || Clock::now() - last_asked_ < interval) return;
  if (is_stop_wanted()) throw Stopped();
}

bool StopScope::is_stop_wanted() {
  if (!is_wanted_) return false;
  if (is_wanted_()) is_stopped_.store(true, std::memory_order_relaxed);
  last_asked_ = Clock::now();
  return is_stopped_.load(std::memory_order_relaxed);
}

}  // namespace clearance
