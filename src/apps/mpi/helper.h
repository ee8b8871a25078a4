// What all processes but the first one do.
#pragma once

namespace clearance::mpi {

/// Does its share of every linear system that the first process has, until that one has finished.
void help_first_process();

}  // namespace clearance::mpi
