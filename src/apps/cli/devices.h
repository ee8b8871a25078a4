// `clearance devices`.
#pragma once

#include "apps/cli/exit_status.h"

namespace clearance::cli {

struct DevicesOptions {
  bool json = false;
};

/// Lists the devices of this machine. Without any, tells why.
int run_devices(const DevicesOptions& options);

}  // namespace clearance::cli
