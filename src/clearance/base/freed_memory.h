// Handling of memory that is no longer used.
#pragma once

namespace clearance {

/// Keeps freed pages in the process from now on. Large arrays come and go in every Newton iteration; if their pages
/// went back to the system each time, they would be faulted in again.
void keep_freed_memory();

/// Makes the C library of the program that this process is about to become ask the system for large pages (2 MiB
/// instead of 4 KiB), where the system leaves that to programs. Factors and matrices of hundreds of megabytes are then
/// filled with fewer page faults and read with fewer misses of the address cache. Does nothing if GLIBC_TUNABLES is
/// set. keep_freed_memory() hides the request from child processes.
void ask_for_large_pages();

}  // namespace clearance
