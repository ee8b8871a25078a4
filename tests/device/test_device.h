// The device that tests use: the first that there is, or what the variable CLEARANCE_TEST_DEVICE names.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "clearance/device/device.h"

namespace clearance::test_device {
/// This process has opened a device.
inline bool was_opened = false;
}  // namespace clearance::test_device

#ifdef __SANITIZE_ADDRESS__
/// Leaks are not looked for once a device was opened: the threads of its driver may end while they are looked through,
/// which crashes the search, and drivers keep memory until the process ends.
extern "C" __attribute__((used, visibility("default"))) inline int __lsan_is_turned_off() {
  return clearance::test_device::was_opened ? 1 : 0;
}
#endif

namespace clearance {

/// Opens the device; nothing if there is none.
inline std::shared_ptr<Device> open_test_device(const DeviceTuning& tuning = {}) {
  test_device::was_opened = true;
  const char* name = std::getenv("CLEARANCE_TEST_DEVICE");
  const auto device = Device::open(name == nullptr ? "0" : name, tuning);
  return device ? *device : nullptr;
}

}  // namespace clearance

#define CLEARANCE_SKIP_WITHOUT_DEVICE() \
  if (!list_devices()) GTEST_SKIP() << to_string(list_devices().issues().front())
