// The memory that a process can have at most.
#pragma once

namespace clearance {

/// Returns the memory of the machine [bytes], or less if the process may not use all of it (`ulimit -v`).
double machine_memory();

}  // namespace clearance
