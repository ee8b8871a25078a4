// The device that tests use: the first that there is, or what the variable CLEARANCE_TEST_DEVICE names.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "clearance/device/device.h"

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
