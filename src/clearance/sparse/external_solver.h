// The interface for a linear solver that only one of the programs provides: PETSc's, which needs MPI (apps/mpi).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "clearance/base/methods.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {

struct PetscOptions {
  PetscMethod method = PetscMethod::mumps;
  double tolerance = 1e-8;    ///< iterative methods: on the preconditioned residual, relative to that of zero
  int max_iterations = 1000;  ///< iterative methods
};

struct PetscProvider {
  std::string description;  ///< for logs and results: version and number of processes
  std::function<std::unique_ptr<LinearSolver>(const PetscOptions&)> make;
};

/// Provides PETSc for the whole process. Call it once, before anything is simulated.
void provide_petsc(PetscProvider provider);
/// Returns the provider, or null if there is none.
const PetscProvider* petsc_provider();

}  // namespace clearance
