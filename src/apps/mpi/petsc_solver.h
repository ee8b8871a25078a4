// PETSc as a linear solver of the first process, which hands every process its rows and keeps a share itself.
#pragma once

#include <memory>

#include "apps/mpi/petsc_system.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance::mpi {

/// Creates the solver; call it on the first process, while the others help (helper.h).
std::unique_ptr<LinearSolver> make_petsc_solver(const PetscOptions& options);

}  // namespace clearance::mpi
