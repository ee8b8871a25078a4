// What becomes of memory that is no longer used.
#pragma once

namespace clearance {

/// From now on freed pages stay with the process: big arrays come and go in every Newton iteration, and given back to
/// the system each time, their pages would be faulted in anew.
void keep_freed_memory();

}  // namespace clearance
