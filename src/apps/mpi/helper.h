// The loop that every process but the first one runs.
#pragma once

namespace clearance::mpi {

/// Does this process's share of every linear system of the first process, until that one has finished.
void help_first_process();

}  // namespace clearance::mpi
