#include "clearance/device/opencl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <mutex>

namespace clearance::opencl {

namespace {

/// Finds all functions; returns the name of one that is missing, or nothing.
std::string find_functions(void* library, Functions& functions) {
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing = name;
  };
#define CLEARANCE_FIND(name) find(functions.name, "cl" #name)
  CLEARANCE_FIND(GetPlatformIDs);
  CLEARANCE_FIND(GetPlatformInfo);
  CLEARANCE_FIND(GetDeviceIDs);
  CLEARANCE_FIND(GetDeviceInfo);
  CLEARANCE_FIND(CreateContext);
  CLEARANCE_FIND(ReleaseContext);
  CLEARANCE_FIND(CreateCommandQueue);
  CLEARANCE_FIND(ReleaseCommandQueue);
  CLEARANCE_FIND(CreateBuffer);
  CLEARANCE_FIND(ReleaseMemObject);
  CLEARANCE_FIND(CreateProgramWithSource);
  CLEARANCE_FIND(BuildProgram);
  CLEARANCE_FIND(GetProgramBuildInfo);
  CLEARANCE_FIND(ReleaseProgram);
  CLEARANCE_FIND(CreateKernel);
  CLEARANCE_FIND(GetKernelWorkGroupInfo);
  CLEARANCE_FIND(SetKernelArg);
  CLEARANCE_FIND(ReleaseKernel);
  CLEARANCE_FIND(EnqueueNDRangeKernel);
  CLEARANCE_FIND(EnqueueReadBuffer);
  CLEARANCE_FIND(EnqueueWriteBuffer);
  CLEARANCE_FIND(Finish);
#undef CLEARANCE_FIND
  return missing;
}

}  // namespace

Result<const Functions*> open_library(const std::string& library) {
  static std::mutex mutex;
  static std::map<std::string, Functions> opened;
  const std::scoped_lock lock(mutex);
  if (const auto known = opened.find(library); known != opened.end()) return &known->second;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return Issue{{},
                 {},
                 library,
                 fmt::format("OpenCL cannot be opened: {}; install its loader (Debian: ocl-icd-libopencl1) and a "
                             "driver of your device (on any processor: pocl-opencl-icd)",
                             reason == nullptr ? "no reason is known" : reason)};
  }
  Functions functions{};
  if (const std::string missing = find_functions(handle, functions); !missing.empty()) {
    dlclose(handle);
    return Issue{{}, {}, library, fmt::format("this is no loader of OpenCL: it has no function {}", missing)};
  }
  return &opened.emplace(library, functions).first->second;
}

}  // namespace clearance::opencl
