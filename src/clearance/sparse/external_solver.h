// The seam for a linear solver that only one of the programs brings: PETSc's, which needs MPI (apps/mpi).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "clearance/base/methods.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {

struct PetscOptions {
  PetscMethod method = PetscMethod::mumps;
  double tolerance = 1e-8;    ///< of the preconditioned residual, relative to that of zero; iterative methods
  int max_iterations = 1000;  ///< iterative methods
};

struct PetscProvider {
  std::string description;  ///< for logs and results: version and number of processes
  std::function<std::unique_ptr<LinearSolver>(const PetscOptions&)> make;
};

/// For the whole process, once, before anything is simulated.
void provide_petsc(PetscProvider provider);
/// Null where nobody has provided it.
const PetscProvider* petsc_provider();

}  // namespace clearance
