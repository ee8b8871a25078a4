// Options and patterns, as they travel from the first process to the others.
#pragma once

#include "clearance/sparse/external_solver.h"
#include "clearance/sparse/row_parts.h"

namespace clearance::mpi {

void send_options(const PetscOptions& options, int process);
PetscOptions receive_options();
void send_pattern(const RowPattern& pattern, int process);
RowPattern receive_pattern();

}  // namespace clearance::mpi
