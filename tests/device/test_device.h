// The device that tests use: the first that there is, or what the variable CLEARANCE_TEST_DEVICE names.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "clearance/device/device.h"

#ifdef __SANITIZE_ADDRESS__
/// Drivers and the compilers in them keep memory until the process ends.
extern "C" __attribute__((used)) inline const char* __lsan_default_suppressions() {
  return "leak:libpocl\nleak:libLLVM\nleak:libclang\nleak:libOpenCL\n";
}
#endif

namespace clearance {

/// Opens the device; nothing if there is none.
inline std::shared_ptr<Device> open_test_device(const DeviceTuning& tuning = {}) {
  const char* name = std::getenv("CLEARANCE_TEST_DEVICE");
  const auto device = Device::open(name == nullptr ? "0" : name, tuning);
  return device ? *device : nullptr;
}

}  // namespace clearance

#define CLEARANCE_SKIP_WITHOUT_DEVICE() \
  if (!list_devices()) GTEST_SKIP() << to_string(list_devices().issues().front())
