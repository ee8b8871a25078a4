// A device that computes by OpenCL: which there are, memory on one, and programs that run there.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/device/opencl.h"

namespace clearance {

/// Facts about a device, as its driver tells them.
struct DeviceInfo {
  std::string name;
  std::string platform;
  std::string version;          ///< of OpenCL and of the driver
  bool is_accelerator = false;  ///< true for a GPU or another processor that is not the CPU
  bool is_usable = false;       ///< true if it is available, has a compiler and is little-endian, as buffers are shared
  unsigned compute_units = 0;
  std::uint64_t memory = 0;          ///< [bytes]
  std::uint64_t largest_buffer = 0;  ///< [bytes]
};

/// Returns all devices, in the order of the loader. Issues: there is no loader, or it knows no device.
Result<std::vector<DeviceInfo>> list_devices();

/// The device or its driver failed: whoever asked it goes on without it.
class DeviceFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Forces ways to run that a driver would hardly choose; for tests. No result depends on them.
struct DeviceTuning {
  std::size_t work_group = 0;  ///< work items of a group; 0: the usual number
  unsigned shuffle = 0;        ///< not 0: work runs in slices in an order that this number decides
};

class Device;

/// Memory on a device.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer();

  std::size_t size() const { return size_; }  ///< [bytes]

 private:
  friend class Device;
  std::shared_ptr<Device> device_;
  opencl::Memory memory_ = nullptr;
  std::size_t size_ = 0;
};

/// Bytes and work that went through a device since it was opened.
struct DeviceCounts {
  std::uint64_t bytes_up = 0, bytes_down = 0, num_launches = 0;
};

/// An open device. Functions throw DeviceFailure. Hold `mutex` while you use it: commands run in their order.
class Device : public std::enable_shared_from_this<Device> {
 public:
  /// Opens the device whose name or platform contains `name` in any case, or whose number in list_devices it is.
  /// `accelerator` chooses the first that is not the CPU. Issues list the devices that there are.
  static Result<std::shared_ptr<Device>> open(const std::string& name, const DeviceTuning& tuning = {});
  static constexpr const char* accelerator = "auto";
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }
  const DeviceCounts& counts() const { return counts_; }
  std::mutex mutex;

  /// Makes the buffer at least so large [bytes]; its content is lost if it grows.
  void reserve(DeviceBuffer& buffer, std::size_t size);
  template <class T>
  void write(DeviceBuffer& buffer, std::span<const T> values) {
    reserve(buffer, values.size_bytes());
    write_bytes(buffer, values.data(), values.size_bytes());
  }
  template <class T>
  void write(DeviceBuffer& buffer, const std::vector<T>& values) {
    write(buffer, std::span<const T>(values));
  }
  /// Reads the values from place `first` on; waits for all commands before.
  template <class T>
  void read(const DeviceBuffer& buffer, std::size_t first, std::span<T> values) {
    read_bytes(buffer, first * sizeof(T), values.data(), values.size_bytes());
  }

  /// Builds the program at its first use. `source` is a text that stays.
  void build(const char* source) { program(source); }
  /// Runs `count` work items of a kernel, whose last argument is `count`: items from there on do nothing.
  template <class... Arguments>
  void run(const char* source, const char* kernel, std::uint32_t count, const Arguments&... arguments) {
    if (count == 0) return;
    opencl::Uint place = 0;
    const opencl::Kernel found = find_kernel(source, kernel);
    (set_argument(found, place++, arguments), ...);
    set_argument(found, place, count);
    launch(found, count);
  }
  /// Runs one work group of a kernel, as large as it may be, but no larger than `most` items.
  template <class... Arguments>
  void run_group(const char* source, const char* kernel, std::size_t most, const Arguments&... arguments) {
    opencl::Uint place = 0;
    const opencl::Kernel found = find_kernel(source, kernel);
    (set_argument(found, place++, arguments), ...);
    launch_group(found, most);
  }

 private:
  struct BuiltProgram {
    opencl::Program program = nullptr;
    std::map<std::string, opencl::Kernel> kernels;
  };

  Device(const opencl::Functions& functions, opencl::DeviceId id, DeviceInfo info, const DeviceTuning& tuning);
  friend class DeviceBuffer;
  BuiltProgram& program(const char* source);
  opencl::Kernel find_kernel(const char* source, const char* kernel);
  void write_bytes(DeviceBuffer& buffer, const void* data, std::size_t size);
  void read_bytes(const DeviceBuffer& buffer, std::size_t offset, void* data, std::size_t size);
  void set_bytes(opencl::Kernel kernel, opencl::Uint place, const void* data, std::size_t size);
  void set_argument(opencl::Kernel kernel, opencl::Uint place, const DeviceBuffer& buffer);
  template <class T>
  requires std::is_arithmetic_v<T>
  void set_argument(opencl::Kernel kernel, opencl::Uint place, const T& value) {
    set_bytes(kernel, place, &value, sizeof(T));
  }
  void launch(opencl::Kernel kernel, std::uint32_t count);
  void launch_group(opencl::Kernel kernel, std::size_t most);
  std::size_t largest_group(opencl::Kernel kernel) const;

  const opencl::Functions& cl_;
  opencl::DeviceId id_;
  DeviceInfo info_;
  DeviceTuning tuning_;
  DeviceCounts counts_;
  opencl::Context context_ = nullptr;
  opencl::Queue queue_ = nullptr;
  std::map<const char*, BuiltProgram> programs_;
};

}  // namespace clearance
