// The device of the process, and the choice between it and the CPU. A device changes no result, as threads do not: it
// belongs to the process and not to a scene.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "clearance/base/profile.h"
#include "clearance/device/device.h"

namespace clearance {

/// Times of the queries that a device may answer.
struct DeviceTimes {
  long num_on_cpu = 0, num_on_device = 0;          ///< queries; a measured one counts for both
  double cpu_seconds = 0.0, device_seconds = 0.0;  ///< [s] of these

  void add_cpu(double seconds) {
    ++num_on_cpu;
    cpu_seconds += seconds;
  }
  void add_device(double seconds) {
    ++num_on_device;
    device_seconds += seconds;
  }
};

/// Chooses between the CPU and a device, which give the same answers, by their measured times. Both answer the same
/// query now and then, and only as long as the slower answers have taken at most a twentieth of the time of the others:
/// that is what a device may cost where it does not pay. Queries are compared with those of a similar size.
class MeasuredChoice {
 public:
  enum class Way { cpu, device, both };
  Way next(std::size_t size) const;
  /// Tells how long a query took by the one way that answered it, or by both.
  void add(double seconds) { useful_ += seconds; }
  void add_both(std::size_t size, double cpu_seconds, double device_seconds);
  /// Smallest power of two from which on the device was faster when both were measured last; 0 if there is none.
  std::size_t crossover() const;

 private:
  /// [s] What the first answer of a device is taken to need: it includes what a driver does once.
  static constexpr double first_guess = 0.05;
  struct SizeClass {
    double slower_seconds = first_guess;
    bool is_measured = false, prefers_device = false;
  };
  std::array<SizeClass, 64> classes_{};
  double useful_ = 0.0, extra_ = 0.0;  // [s]
};

/// One kind of queries.
struct DeviceTask {
  MeasuredChoice choice;
  DeviceTimes times;
};

/// A device in use.
struct DeviceUse {
  std::shared_ptr<Device> device;
  bool is_measured = false;  ///< true if MeasuredChoice decides; false: the device answers all
  // The holder of the device's mutex may change the following.
  DeviceTask broad_phase, culling;
  std::uint64_t num_pairs = 0, num_culled = 0;  ///< pairs that culling looked at, and those that it left out
  std::string failure;                          ///< why the device is not used any more; empty: it is

  /// Gives the device up for good.
  void give_up(const std::string& reason);
};

/// Answers a query of some size by the way that is in turn. `on_device` runs with the device's mutex held; it returns
/// nothing if the device cannot answer this query.
template <class OnCpu, class OnDevice>
auto answer(DeviceUse& use, DeviceTask& task, std::size_t size, const OnCpu& on_cpu, const OnDevice& on_device)
    -> decltype(on_cpu()) {
  using Way = MeasuredChoice::Way;
  Way way = Way::device;
  double device_seconds = 0.0;
  {
    const std::scoped_lock lock(use.device->mutex);
    if (use.is_measured) way = task.choice.next(size);
    if (!use.failure.empty()) way = Way::cpu;
    if (way != Way::cpu) {
      try {
        const Stopwatch watch;
        auto found = on_device();
        device_seconds = watch.seconds();
        if (!found) way = Way::cpu;
        if (found) task.times.add_device(device_seconds);
        if (way == Way::device) {
          task.choice.add(device_seconds);
          return *std::move(found);
        }
      } catch (const DeviceFailure& failure) {
        use.give_up(failure.what());
        way = Way::cpu;
      }
    }
  }
  const Stopwatch watch;
  auto found = on_cpu();
  const double seconds = watch.seconds();
  const std::scoped_lock lock(use.device->mutex);
  task.times.add_cpu(seconds);
  if (way == Way::both) {
    task.choice.add_both(size, seconds, device_seconds);
  } else {
    task.choice.add(seconds);
  }
  return found;
}

/// Returns the use that a user asks for: nothing for `off`; for `auto` the first GPU, if there is one, where it is
/// measured to be faster; otherwise the device of this name (Device::open), always. Issues: there is no such device.
Result<std::shared_ptr<DeviceUse>> choose_device(const std::string& choice);

/// Makes objects that are created during its lifetime use the device; objects hold it as long as they live. One at a
/// time.
class DeviceScope {
 public:
  explicit DeviceScope(std::shared_ptr<DeviceUse> use);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
};

/// Returns the device in use, or nothing.
std::shared_ptr<DeviceUse> current_device();

}  // namespace clearance
