// A device beside the CPU, and the choice between both; without a device most tests are skipped.
#include "clearance/device/device.h"

#include <algorithm>
#include <numeric>

#include "clearance/device/use_device.h"
#include "test_device.h"

namespace clearance {
namespace {

constexpr const char* squares = R"CL(
__kernel void square(__global const int* in, __global int* out, const int plus, const uint count) {
  const uint i = get_global_id(0);
  if (i < count) out[i] = in[i] * in[i] + plus;
}
)CL";

TEST(OpenCl, AMissingLibraryIsAMessage) {
  const auto missing = opencl::open_library("libNoSuchOpenCL.so.1");
  ASSERT_FALSE(missing);
  const std::string text = to_string(missing.issues().front());
  EXPECT_NE(text.find("OpenCL cannot be opened"), std::string::npos) << text;
  EXPECT_NE(text.find("ocl-icd-libopencl1"), std::string::npos) << text;
}

TEST(OpenCl, AnotherLibraryIsAMessage) {
  const auto other = opencl::open_library("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_NE(to_string(other.issues().front()).find("no loader of OpenCL"), std::string::npos);
}

TEST(Device, RunsEveryItemOnceForAnyGroupsAndOrder) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  for (const DeviceTuning& tuning :
       {DeviceTuning{}, DeviceTuning{1, 0}, DeviceTuning{7, 0}, DeviceTuning{0, 5}, DeviceTuning{3, 9}}) {
    const auto device = open_test_device(tuning);
    ASSERT_NE(device, nullptr);
    for (const int count : {1, 2, 63, 1000}) {
      std::vector<int> in(count), out(count);
      std::iota(in.begin(), in.end(), -5);
      DeviceBuffer from, to;
      device->write(from, in);
      device->reserve(to, sizeof(int) * out.size());
      device->run(squares, "square", static_cast<std::uint32_t>(count), from, to, 3);
      device->read(to, 0, std::span(out));
      for (int i = 0; i < count; ++i) EXPECT_EQ(out[i], in[i] * in[i] + 3);
    }
    EXPECT_GT(device->counts().bytes_up, 0U);
  }
}

TEST(Device, ABrokenProgramIsAFailureWithTheCompilersWords) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto device = open_test_device();
  ASSERT_NE(device, nullptr);
  try {
    device->build("__kernel void broken(__global int* a) { a[0] = no_such_name; }");
    FAIL() << "it was built";
  } catch (const DeviceFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("no_such_name"), std::string::npos) << failure.what();
  }
}

TEST(Device, MoreMemoryThanThereIsIsAFailure) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto device = open_test_device();
  ASSERT_NE(device, nullptr);
  DeviceBuffer buffer;
  EXPECT_THROW(device->reserve(buffer, device->info().largest_buffer + 1), DeviceFailure);
  EXPECT_EQ(buffer.size(), 0U);
}

TEST(Device, AnUnknownNameListsThoseThatThereAre) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto none = Device::open("no such device");
  ASSERT_FALSE(none);
  EXPECT_NE(to_string(none.issues().front()).find(list_devices()->front().name), std::string::npos);
}

TEST(MeasuredChoice, ADeviceThatNeverPaysCostsATwentieth) {
  MeasuredChoice choice;
  double total = 0.0, on_cpu = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const double cpu = 1e-3, device = 4e-3;
    const MeasuredChoice::Way way = choice.next(1000);
    ASSERT_NE(way, MeasuredChoice::Way::device);
    on_cpu += cpu;
    total += cpu + (way == MeasuredChoice::Way::both ? device : 0.0);
    if (way == MeasuredChoice::Way::both) {
      choice.add_both(1000, cpu, device);
    } else {
      choice.add(cpu);
    }
  }
  EXPECT_GT(total, on_cpu);
  EXPECT_LE(total, 1.05 * on_cpu);
  EXPECT_EQ(choice.crossover(), 0U);
}

TEST(MeasuredChoice, EverySizeFindsItsFasterWay) {
  MeasuredChoice choice;
  const auto cpu_of = [](std::size_t size) { return 1e-6 * static_cast<double>(size); };
  const auto device_of = [](std::size_t size) { return 2e-3 + 1e-7 * static_cast<double>(size); };
  double total = 0.0, best = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t size = i % 2 == 0 ? 300 : 50000;
    const double cpu = cpu_of(size), device = device_of(size);
    best += std::min(cpu, device);
    switch (choice.next(size)) {
      case MeasuredChoice::Way::cpu:
        choice.add(cpu);
        total += cpu;
        break;
      case MeasuredChoice::Way::device:
        choice.add(device);
        total += device;
        break;
      case MeasuredChoice::Way::both:
        choice.add_both(size, cpu, device);
        total += cpu + device;
        break;
    }
  }
  // Large queries stay on the CPU until the first measurement, which is due after a second.
  EXPECT_LE(total, 1.05 * best + 2.0);
  EXPECT_EQ(choice.crossover(), 32768U);
  EXPECT_EQ(choice.next(300), MeasuredChoice::Way::cpu);
}

}  // namespace
}  // namespace clearance
