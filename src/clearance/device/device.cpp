#include "clearance/device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <numeric>
#include <random>

namespace clearance {

namespace {

using opencl::DeviceId;
using opencl::Functions;
using opencl::Int;
using opencl::Uint;

/// Options of all programs. Products and sums are never contracted (also said in the sources); nothing here allows a
/// compiler to compute less exactly than OpenCL demands.
constexpr const char* build_options = "-cl-std=CL1.2";

/// Work items of a group. GPUs run 32 or 64 in step.
constexpr std::size_t usual_group = 64;

void check(Int status, const char* what) {
  if (status != opencl::success) throw DeviceFailure(fmt::format("{} failed with status {}", what, status));
}

template <class T>
T number_of(const Functions& cl, DeviceId id, Uint what) {
  T value{};
  return cl.GetDeviceInfo(id, what, sizeof(value), &value, nullptr) == opencl::success ? value : T{};
}

/// Returns the text that `get(size, value, size_needed)` gives, without its final zero.
template <class Get>
std::string text_of(const Get& get) {
  std::size_t size = 0;
  if (get(0, nullptr, &size) != opencl::success || size == 0) return {};
  std::string text(size, '\0');
  if (get(size, text.data(), nullptr) != opencl::success) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::string device_text(const Functions& cl, DeviceId id, Uint what) {
  return text_of([&](std::size_t size, void* value, std::size_t* needed) {
    return cl.GetDeviceInfo(id, what, size, value, needed);
  });
}

struct FoundDevice {
  DeviceId id;
  DeviceInfo info;
};

DeviceInfo info_of(const Functions& cl, opencl::Platform platform, DeviceId id) {
  DeviceInfo info;
  info.name = device_text(cl, id, opencl::device_name);
  info.platform = text_of([&](std::size_t size, void* value, std::size_t* needed) {
    return cl.GetPlatformInfo(platform, opencl::platform_name, size, value, needed);
  });
  info.version = fmt::format("{}, driver {}", device_text(cl, id, opencl::device_version),
                             device_text(cl, id, opencl::driver_version));
  const auto type = number_of<opencl::Ulong>(cl, id, opencl::device_type);
  info.is_accelerator = (type & (opencl::type_gpu | opencl::type_accelerator)) != 0;
  // The embedded profile may round less exactly.
  info.is_usable = number_of<Uint>(cl, id, opencl::device_is_available) == opencl::yes &&
                   number_of<Uint>(cl, id, opencl::device_has_compiler) == opencl::yes &&
                   number_of<Uint>(cl, id, opencl::device_is_little_endian) == opencl::yes &&
                   device_text(cl, id, opencl::device_profile) == "FULL_PROFILE" &&
                   std::endian::native == std::endian::little;
  info.compute_units = number_of<Uint>(cl, id, opencl::device_compute_units);
  info.memory = number_of<opencl::Ulong>(cl, id, opencl::device_memory);
  info.largest_buffer = number_of<opencl::Ulong>(cl, id, opencl::device_max_allocation);
  return info;
}

Result<std::vector<FoundDevice>> find_devices(const Functions& cl) {
  const Issue none{{}, {}, {}, "OpenCL has no device; install a driver (on any processor: pocl-opencl-icd)"};
  Uint num_platforms = 0;
  if (cl.GetPlatformIDs(0, nullptr, &num_platforms) != opencl::success || num_platforms == 0) return none;
  std::vector<opencl::Platform> platforms(num_platforms);
  if (cl.GetPlatformIDs(num_platforms, platforms.data(), nullptr) != opencl::success) return none;
  std::vector<FoundDevice> found;
  for (const opencl::Platform platform : platforms) {
    Uint count = 0;
    if (cl.GetDeviceIDs(platform, opencl::type_all, 0, nullptr, &count) != opencl::success) continue;
    std::vector<DeviceId> ids(count);
    if (cl.GetDeviceIDs(platform, opencl::type_all, count, ids.data(), nullptr) != opencl::success) continue;
    for (const DeviceId id : ids) found.push_back({id, info_of(cl, platform, id)});
  }
  if (found.empty()) return none;
  return found;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_chosen(const FoundDevice& device, std::size_t number, const std::string& name) {
  if (!device.info.is_usable) return false;
  if (name == Device::accelerator) return device.info.is_accelerator;
  if (name == std::to_string(number)) return true;
  const std::string wanted = lower_case(name);
  return lower_case(device.info.name).find(wanted) != std::string::npos ||
         lower_case(device.info.platform).find(wanted) != std::string::npos;
}

}  // namespace

Result<std::vector<DeviceInfo>> list_devices() {
  const auto cl = opencl::open_library();
  if (!cl) return cl.issues();
  const auto found = find_devices(**cl);
  if (!found) return found.issues();
  std::vector<DeviceInfo> infos;
  for (const FoundDevice& device : *found) infos.push_back(device.info);
  return infos;
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (memory_ != nullptr) device_->cl_.ReleaseMemObject(memory_);
}

Result<std::shared_ptr<Device>> Device::open(const std::string& name, const DeviceTuning& tuning) {
  const auto cl = opencl::open_library();
  if (!cl) return cl.issues();
  const auto found = find_devices(**cl);
  if (!found) return found.issues();
  std::string known;
  for (std::size_t i = 0; i < found->size(); ++i) {
    const FoundDevice& device = (*found)[i];
    if (is_chosen(device, i, name)) {
      try {
        return std::shared_ptr<Device>(new Device(**cl, device.id, device.info, tuning));
      } catch (const DeviceFailure& failure) {
        return Issue{{}, {}, device.info.name, fmt::format("the device cannot be used: {}", failure.what())};
      }
    }
    known += fmt::format("{}{}: '{}' of '{}'{}", i == 0 ? "" : ", ", i, device.info.name, device.info.platform,
                         device.info.is_usable ? "" : " (not usable)");
  }
  const char* wanted = name == accelerator ? "there is no GPU that can be used; known are "
                                           : "there is no such device that can be used; known are ";
  return Issue{{}, {}, name, wanted + known};
}

Device::Device(const Functions& functions, DeviceId id, DeviceInfo info, const DeviceTuning& tuning)
    : cl_(functions), id_(id), info_(std::move(info)), tuning_(tuning) {
  Int status = opencl::success;
  context_ = cl_.CreateContext(nullptr, 1, &id_, nullptr, nullptr, &status);
  check(status, "creating a context");
  queue_ = cl_.CreateCommandQueue(context_, id_, 0, &status);
  if (status != opencl::success) cl_.ReleaseContext(context_);
  check(status, "creating a queue");
}

Device::~Device() {
  for (const auto& [source, built] : programs_) {
    for (const auto& [name, kernel] : built.kernels) cl_.ReleaseKernel(kernel);
    cl_.ReleaseProgram(built.program);
  }
  cl_.ReleaseCommandQueue(queue_);
  cl_.ReleaseContext(context_);
}

void Device::reserve(DeviceBuffer& buffer, std::size_t size) {
  if (size <= buffer.size_ && buffer.memory_ != nullptr) return;
  buffer = DeviceBuffer();
  // Some room beyond: sizes grow little by little.
  const std::size_t wanted = std::max<std::size_t>(64, size + size / 4);
  if (wanted > info_.largest_buffer) throw DeviceFailure("the device has not enough memory");
  Int status = opencl::success;
  const opencl::Memory memory = cl_.CreateBuffer(context_, opencl::memory_read_write, wanted, nullptr, &status);
  check(status, "allocating memory");
  buffer.device_ = shared_from_this();
  buffer.memory_ = memory;
  buffer.size_ = wanted;
}

void Device::write_bytes(DeviceBuffer& buffer, const void* data, std::size_t size) {
  if (size == 0) return;
  check(cl_.EnqueueWriteBuffer(queue_, buffer.memory_, opencl::yes, 0, size, data, 0, nullptr, nullptr), "writing");
  counts_.bytes_up += size;
}

void Device::read_bytes(const DeviceBuffer& buffer, std::size_t offset, void* data, std::size_t size) {
  if (size == 0) return;
  check(cl_.EnqueueReadBuffer(queue_, buffer.memory_, opencl::yes, offset, size, data, 0, nullptr, nullptr), "reading");
  counts_.bytes_down += size;
}

Device::BuiltProgram& Device::program(const char* source) {
  if (const auto known = programs_.find(source); known != programs_.end()) return known->second;
  Int status = opencl::success;
  BuiltProgram built;
  built.program = cl_.CreateProgramWithSource(context_, 1, &source, nullptr, &status);
  check(status, "creating a program");
  if (cl_.BuildProgram(built.program, 1, &id_, build_options, nullptr, nullptr) != opencl::success) {
    const std::string log = text_of([&](std::size_t size, void* value, std::size_t* needed) {
      return cl_.GetProgramBuildInfo(built.program, id_, opencl::program_build_log, size, value, needed);
    });
    cl_.ReleaseProgram(built.program);
    throw DeviceFailure("the device's compiler refused a program: " + log);
  }
  return programs_.emplace(source, std::move(built)).first->second;
}

opencl::Kernel Device::find_kernel(const char* source, const char* kernel) {
  BuiltProgram& built = program(source);
  if (const auto known = built.kernels.find(kernel); known != built.kernels.end()) return known->second;
  Int status = opencl::success;
  const opencl::Kernel created = cl_.CreateKernel(built.program, kernel, &status);
  check(status, kernel);
  return built.kernels.emplace(kernel, created).first->second;
}

void Device::set_bytes(opencl::Kernel kernel, Uint place, const void* data, std::size_t size) {
  check(cl_.SetKernelArg(kernel, place, size, data), "passing an argument");
}

void Device::set_argument(opencl::Kernel kernel, Uint place, const DeviceBuffer& buffer) {
  set_bytes(kernel, place, static_cast<const void*>(&buffer.memory_), sizeof(buffer.memory_));
}

std::size_t Device::largest_group(opencl::Kernel kernel) const {
  std::size_t largest = 1;
  check(cl_.GetKernelWorkGroupInfo(kernel, id_, opencl::kernel_work_group_size, sizeof(largest), &largest, nullptr),
        "asking for the size of a group");
  return std::max<std::size_t>(1, largest);
}

void Device::launch(opencl::Kernel kernel, std::uint32_t count) {
  // One size for all: some drivers compile a kernel anew for every size of a group.
  const std::size_t group = std::min(tuning_.work_group == 0 ? usual_group : tuning_.work_group, largest_group(kernel));
  const auto enqueue = [&](std::size_t offset, std::size_t size) {
    ++counts_.num_launches;
    check(cl_.EnqueueNDRangeKernel(queue_, kernel, 1, &offset, &size, &group, 0, nullptr, nullptr),
          "starting a kernel");
  };
  const std::size_t whole = (count + group - 1) / group * group;
  if (tuning_.shuffle == 0) {
    enqueue(0, whole);
    return;
  }
  // Slices of whole groups, in a random order.
  constexpr std::size_t num_slices = 7;
  const std::size_t slice = std::max<std::size_t>(1, whole / group / num_slices) * group;
  std::vector<std::size_t> begins;
  for (std::size_t begin = 0; begin < whole; begin += slice) begins.push_back(begin);
  std::shuffle(begins.begin(), begins.end(), std::minstd_rand(tuning_.shuffle++));
  for (const std::size_t begin : begins) enqueue(begin, std::min(slice, whole - begin));
}

void Device::launch_group(opencl::Kernel kernel, std::size_t most) {
  const std::size_t limit = tuning_.work_group == 0 ? most : std::min(most, tuning_.work_group);
  const std::size_t group = std::min(limit, largest_group(kernel));
  ++counts_.num_launches;
  check(cl_.EnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &group, &group, 0, nullptr, nullptr), "starting a group");
}

}  // namespace clearance
