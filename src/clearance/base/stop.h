// Stopping long work from outside. The caller that starts the work opens a `StopScope`. Every loop of base/parallel.h
// within it, on any thread, checks whether a stop is wanted and then throws `Stopped`, which the caller catches. The
// work in progress is dropped as a whole, so no result depends on when a loop checked.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>

namespace clearance {

/// The exception that says that a stop was wanted. Thrown only within a StopScope.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

class StopScope {
 public:
  /// Calls `is_wanted` on this thread about twenty times a second during its lifetime; never if it is empty.
  explicit StopScope(std::function<bool()> is_wanted);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// Throws `Stopped` if a stop is wanted. Threads other than that of the scope learn of it from there.
  void poll();
  /// Calls `is_wanted` at once and returns true if a stop is wanted. Call it on the scope's own thread.
  bool is_stop_wanted();

 private:
  using Clock = std::chrono::steady_clock;

  std::function<bool()> is_wanted_;
  std::thread::id owner_;
  Clock::time_point last_asked_;
  std::atomic<bool> is_stopped_ = false;
  StopScope* outer_;
};

/// The scope that this thread works in; null if there is none.
extern constinit thread_local StopScope* current_stop_scope;

/// Checks for a stop; for long loops outside of base/parallel.h.
inline void poll_stop() {
  if (StopScope* const scope = current_stop_scope) scope->poll();
}

/// Makes this thread work in the scope of another one.
class StopScopeLink {
 public:
  explicit StopScopeLink(StopScope* scope) : before_(current_stop_scope) { current_stop_scope = scope; }
  ~StopScopeLink() { current_stop_scope = before_; }
  StopScopeLink(const StopScopeLink&) = delete;
  StopScopeLink& operator=(const StopScopeLink&) = delete;

 private:
  StopScope* before_;
};

}  // namespace clearance
