#include "clearance/device/use_device.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "clearance/base/log.h"

namespace clearance {

namespace {

/// Share of the time of useful answers that the others may take.
constexpr double most_extra = 0.05;

std::mutex current_mutex;
std::shared_ptr<DeviceUse> current;

}  // namespace

MeasuredChoice::Way MeasuredChoice::next(std::size_t size) const {
  const SizeClass& like_it = classes_[std::bit_width(size) % classes_.size()];
  if (extra_ + like_it.slower_seconds <= most_extra * useful_) return Way::both;
  return like_it.prefers_device ? Way::device : Way::cpu;
}

void MeasuredChoice::add_both(std::size_t size, double cpu_seconds, double device_seconds) {
  SizeClass& like_it = classes_[std::bit_width(size) % classes_.size()];
  like_it.is_measured = true;
  like_it.prefers_device = device_seconds < cpu_seconds;
  like_it.slower_seconds = std::max(cpu_seconds, device_seconds);
  useful_ += std::min(cpu_seconds, device_seconds);
  extra_ += like_it.slower_seconds;
}

std::size_t MeasuredChoice::crossover() const {
  std::size_t result = 0;
  for (std::size_t i = classes_.size(); i-- > 1;) {
    if (classes_[i].is_measured && !classes_[i].prefers_device) break;
    if (classes_[i].is_measured) result = std::size_t{1} << (i - 1);
  }
  return result;
}

Result<std::shared_ptr<DeviceUse>> choose_device(const std::string& choice) {
  if (choice == "off") return std::shared_ptr<DeviceUse>();
  const bool is_measured = choice == Device::accelerator;
  auto device = Device::open(choice);
  if (!device && is_measured) {
    log_info("no device is used: {}", to_string(device.issues().front()));
    return std::shared_ptr<DeviceUse>();
  }
  if (!device) return device.issues();
  auto use = std::make_shared<DeviceUse>();
  use->device = std::move(*device);
  use->is_measured = is_measured;
  log_info("device {} ({})", use->device->info().name, use->device->info().version);
  return use;
}

void DeviceUse::give_up(const std::string& reason) {
  failure = reason;
  log_warning("the device {} is not used any more: {}", device->info().name, reason);
}

DeviceScope::DeviceScope(std::shared_ptr<DeviceUse> use) {
  const std::scoped_lock lock(current_mutex);
  current = std::move(use);
}

DeviceScope::~DeviceScope() {
  const std::scoped_lock lock(current_mutex);
  current.reset();
}

std::shared_ptr<DeviceUse> current_device() {
  const std::scoped_lock lock(current_mutex);
  return current;
}

}  // namespace clearance
