// Handling of memory that is no longer used.
#pragma once

namespace clearance {

/// Keeps freed pages in the process from now on. Large arrays come and go in every Newton iteration; if their pages
/// went back to the system each time, they would be faulted in again.
void keep_freed_memory();

}  // namespace clearance
