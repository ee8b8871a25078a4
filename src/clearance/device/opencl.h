// The few functions of OpenCL that are used, found at run time in the loader of the system: nothing is linked, and
// nothing needs to be installed to build. Names, types and numbers are those of the OpenCL specification (1.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "clearance/base/result.h"

namespace clearance::opencl {

using Int = std::int32_t;
using Uint = std::uint32_t;
using Ulong = std::uint64_t;
using Platform = struct PlatformObject*;
using DeviceId = struct DeviceObject*;
using Context = struct ContextObject*;
using Queue = struct QueueObject*;
using Memory = struct MemoryObject*;
using Program = struct ProgramObject*;
using Kernel = struct KernelObject*;
using Event = struct EventObject*;

inline constexpr Int success = 0;
inline constexpr Int device_not_found = -1;
inline constexpr Int no_platform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR
inline constexpr Uint platform_name = 0x0902;
inline constexpr Ulong type_gpu = 1U << 2U, type_accelerator = 1U << 3U, type_all = 0xFFFFFFFFU;
inline constexpr Uint device_type = 0x1000, device_compute_units = 0x1002, device_max_allocation = 0x1010;
inline constexpr Uint device_memory = 0x101F, device_is_little_endian = 0x1026, device_is_available = 0x1027;
inline constexpr Uint device_has_compiler = 0x1028, device_name = 0x102B, driver_version = 0x102D;
inline constexpr Uint device_profile = 0x102E, device_version = 0x102F;
inline constexpr Uint program_build_log = 0x1183;
inline constexpr Uint kernel_work_group_size = 0x11B0;
inline constexpr Ulong memory_read_write = 1U << 0U;
inline constexpr Uint yes = 1;

/// The functions, by their names without `cl`.
struct Functions {
  Int (*GetPlatformIDs)(Uint, Platform*, Uint*);
  Int (*GetPlatformInfo)(Platform, Uint, std::size_t, void*, std::size_t*);
  Int (*GetDeviceIDs)(Platform, Ulong, Uint, DeviceId*, Uint*);
  Int (*GetDeviceInfo)(DeviceId, Uint, std::size_t, void*, std::size_t*);
  Context (*CreateContext)(const std::intptr_t*, Uint, const DeviceId*,
                           void (*)(const char*, const void*, std::size_t, void*), void*, Int*);
  Int (*ReleaseContext)(Context);
  Queue (*CreateCommandQueue)(Context, DeviceId, Ulong, Int*);
  Int (*ReleaseCommandQueue)(Queue);
  Memory (*CreateBuffer)(Context, Ulong, std::size_t, void*, Int*);
  Int (*ReleaseMemObject)(Memory);
  Program (*CreateProgramWithSource)(Context, Uint, const char**, const std::size_t*, Int*);
  Int (*BuildProgram)(Program, Uint, const DeviceId*, const char*, void (*)(Program, void*), void*);
  Int (*GetProgramBuildInfo)(Program, DeviceId, Uint, std::size_t, void*, std::size_t*);
  Int (*ReleaseProgram)(Program);
  Kernel (*CreateKernel)(Program, const char*, Int*);
  Int (*GetKernelWorkGroupInfo)(Kernel, DeviceId, Uint, std::size_t, void*, std::size_t*);
  Int (*SetKernelArg)(Kernel, Uint, std::size_t, const void*);
  Int (*ReleaseKernel)(Kernel);
  Int (*EnqueueNDRangeKernel)(Queue, Kernel, Uint, const std::size_t*, const std::size_t*, const std::size_t*, Uint,
                              const Event*, Event*);
  Int (*EnqueueReadBuffer)(Queue, Memory, Uint, std::size_t, std::size_t, void*, Uint, const Event*, Event*);
  Int (*EnqueueWriteBuffer)(Queue, Memory, Uint, std::size_t, std::size_t, const void*, Uint, const Event*, Event*);
  Int (*Finish)(Queue);
};

/// Opens the loader, which stays open until the process ends. Issues: the library or one of the functions is missing.
Result<const Functions*> open_library(const std::string& library = "libOpenCL.so.1");

}  // namespace clearance::opencl
