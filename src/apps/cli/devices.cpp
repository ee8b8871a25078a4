#include "apps/cli/devices.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/console.h"
#include "clearance/device/device.h"

namespace clearance::cli {

using Json = nlohmann::ordered_json;

int run_devices(const DevicesOptions& options) {
  const Result<std::vector<DeviceInfo>> devices = list_devices();
  if (!devices) {
    report_issues(devices.issues(), options.json);
    return exit_bad_input;
  }
  Json list = Json::array();
  for (const DeviceInfo& info : *devices) {
    const char* kind = info.is_accelerator ? "accelerator" : "cpu";
    if (!options.json) {
      fmt::print("{}: {} ({}), {}, {} units, {:.1f} GB, {}{}\n", list.size(), info.name, info.platform, kind,
                 info.compute_units, static_cast<double>(info.memory) * 1e-9, info.version,
                 info.is_usable ? "" : "; it cannot be used");
    }
    list.push_back({{"name", info.name},
                    {"platform", info.platform},
                    {"kind", kind},
                    {"version", info.version},
                    {"compute_units", info.compute_units},
                    {"memory", info.memory},
                    {"largest_buffer", info.largest_buffer},
                    {"is_usable", info.is_usable}});
  }
  if (options.json) fmt::print("{}\n", list.dump(2));
  return exit_done;
}

}  // namespace clearance::cli
