#include "apps/mpi/petsc_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "apps/mpi/processes.h"

namespace clearance::mpi {

namespace {

// MUMPS plans its memory, but pivots or contributions from other processes may need more: the largest excess over the
// plan that is tried, in per cent.
constexpr PetscInt most_spare_percent = 640;
// Values of MUMPS's INFOG(1): its work arrays were planned too small, or a factorisation that was declared positive
// definite met a pivot that is not.
constexpr PetscInt mumps_real_too_small = -9, mumps_integer_too_small = -8, mumps_not_positive = -40,
                   mumps_singular = -10;

/// Ends all processes if PETSc reports an error: such an error is never a property of a matrix, and nothing can go on.
void check(PetscErrorCode code) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  end_all(fmt::format("PETSc: {}", text != nullptr ? text : "unknown error").c_str());
}

}  // namespace

std::string petsc_version() {
  return fmt::format("{}.{}.{}", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
}

PetscSystem::~PetscSystem() {
  destroy_matrix();
}

void PetscSystem::destroy_matrix() {
  is_ready_ = false;
  check(KSPDestroy(&solver_));
  check(MatDestroy(&matrix_));
  check(VecDestroy(&b_));
  check(VecDestroy(&x_));
}

void PetscSystem::set_pattern(RowPattern pattern) {
  destroy_matrix();
  pattern_ = std::move(pattern);
  const PetscInt dim = pattern_.dim;
  const PetscInt rows = pattern_.num_rows();
  const PetscInt first = pattern_.first_row;

  // Count the blocks per row that couple rows of this process with each other, and with those of other processes.
  std::vector<PetscInt> own(rows, 0), foreign(rows, 0);
  for (PetscInt row = 0; row < rows; ++row) {
    for (int k = pattern_.row_starts[row]; k < pattern_.row_starts[row + 1]; ++k) {
      const int column = pattern_.columns[k];
      ++(column >= first && column < first + rows ? own : foreign)[row];
    }
  }
  check(MatCreate(PETSC_COMM_WORLD, &matrix_));
  check(MatSetSizes(matrix_, dim * rows, dim * rows, PETSC_DETERMINE, PETSC_DETERMINE));
  check(MatSetType(matrix_, MATAIJ));
  check(MatSetBlockSize(matrix_, dim));
  check(MatXAIJSetPreallocation(matrix_, dim, own.data(), foreign.data(), nullptr, nullptr));
  check(MatSetOption(matrix_, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  check(MatSetOption(matrix_, MAT_SYMMETRIC, PETSC_TRUE));
  check(MatSetOption(matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  // Declare the matrix positive definite; the solvers report one that is not.
  check(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE));
  check(MatSetOption(matrix_, MAT_SPD_ETERNAL, PETSC_TRUE));
  check(MatCreateVecs(matrix_, &x_, &b_));
  are_motions_new_ = true;
}

void PetscSystem::set_motions(MatX motions) {
  motions_ = std::move(motions);
  are_motions_new_ = true;
}

void PetscSystem::start_anew() {
  is_ready_ = false;
  // MUMPS plans by the pattern alone and would plan the same again. Other solvers keep random numbers, estimates and
  // other state, and are made anew.
  if (options_.method != PetscMethod::mumps) check(KSPDestroy(&solver_));
}

void PetscSystem::make_solver() {
  check(KSPCreate(PETSC_COMM_WORLD, &solver_));
  PC preconditioner = nullptr;
  check(KSPGetPC(solver_, &preconditioner));
  if (options_.method == PetscMethod::mumps) {
    check(KSPSetType(solver_, KSPPREONLY));
    check(PCSetType(preconditioner, PCCHOLESKY));
    check(PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS));
    check(KSPSetOperators(solver_, matrix_, matrix_));
    check(PCFactorSetUpMatSolverType(preconditioner));
    check(MatMumpsSetIcntl(mumps_factor(), 14, spare_percent_));
  } else {
    check(KSPSetType(solver_, KSPCG));
    check(KSPSetNormType(solver_, KSP_NORM_NATURAL));
    check(PCSetType(preconditioner, options_.method == PetscMethod::gamg ? PCGAMG : PCHYPRE));
    if (options_.method == PetscMethod::hypre) check(PCHYPRESetType(preconditioner, "boomeramg"));
  }
  check(KSPSetTolerances(solver_, options_.tolerance, 0.0, PETSC_DEFAULT, options_.max_iterations));
  check(KSPSetFromOptions(solver_));
  // This norm exists for conjugate gradients only; the command line may have asked for another method.
  PetscBool is_cg = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(solver_), KSPCG, &is_cg));
  if (!is_cg) check(KSPSetNormType(solver_, KSP_NORM_DEFAULT));
}

/// Makes the motions orthonormal, as PETSc requires.
void PetscSystem::set_near_null_space() {
  are_motions_new_ = false;
  PetscInt local = 0;
  check(VecGetLocalSize(b_, &local));
  // All processes have the same columns, except those without rows.
  if (motions_.rows() != local || motions_.cols() == 0) return;
  std::vector<::Vec> vectors;
  for (Eigen::Index c = 0; c < motions_.cols(); ++c) {
    ::Vec vector = nullptr;
    check(VecDuplicate(b_, &vector));
    PetscScalar* values = nullptr;
    check(VecGetArrayWrite(vector, &values));
    std::copy_n(motions_.col(c).data(), motions_.rows(), values);
    check(VecRestoreArrayWrite(vector, &values));
    PetscReal size = 0.0;
    check(VecNorm(vector, NORM_2, &size));
    // Orthogonalise twice: rotations of a small body far from the origin are nearly translations.
    for (int pass = 0; pass < 2; ++pass) {
      for (const ::Vec other : vectors) {
        PetscScalar along = 0.0;
        check(VecDot(vector, other, &along));
        check(VecAXPY(vector, -along, other));
      }
    }
    PetscReal left = 0.0;
    check(VecNorm(vector, NORM_2, &left));
    if (left > 1e-10 * size) {
      check(VecScale(vector, 1.0 / left));
      vectors.push_back(vector);
    } else {
      check(VecDestroy(&vector));
    }
  }
  MatNullSpace space = nullptr;
  check(
      MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, static_cast<PetscInt>(vectors.size()), vectors.data(), &space));
  check(MatSetNearNullSpace(matrix_, space));
  check(MatNullSpaceDestroy(&space));
  for (::Vec& vector : vectors) check(VecDestroy(&vector));
}

LinearSolveStatus PetscSystem::set_up() {
  if (solver_ == nullptr) make_solver();
  check(KSPSetOperators(solver_, matrix_, matrix_));
  check(KSPSetUp(solver_));
  return state_of_factorization();
}

LinearSolveStatus PetscSystem::factorize(const std::vector<double>& values) {
  is_ready_ = false;
  const double* next = values.data();
  const PetscInt dim = pattern_.dim;
  for (PetscInt r = 0; r < pattern_.num_rows(); ++r) {
    const PetscInt row = pattern_.first_row + r;
    const PetscInt count = pattern_.row_starts[r + 1] - pattern_.row_starts[r];
    check(MatSetValuesBlocked(matrix_, 1, &row, count, pattern_.columns.data() + pattern_.row_starts[r], next,
                              INSERT_VALUES));
    next += static_cast<std::ptrdiff_t>(dim) * dim * count;
  }
  check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
  if (are_motions_new_) set_near_null_space();
  LinearSolveStatus status = set_up();
  for (; is_mumps_short_ && spare_percent_ < most_spare_percent; status = set_up()) {
    spare_percent_ *= 2;
    check(KSPDestroy(&solver_));
  }
  is_ready_ = status == LinearSolveStatus::solved;
  // A solver that has failed is not used again.
  if (!is_ready_) check(KSPDestroy(&solver_));
  return status;
}

/// Returns null if another method was asked for, also on the command line.
::Mat PetscSystem::mumps_factor() {
  PC preconditioner = nullptr;
  check(KSPGetPC(solver_, &preconditioner));
  PetscBool is_factor = PETSC_FALSE;
  check(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(preconditioner), &is_factor, PCCHOLESKY, PCLU, ""));
  MatSolverType library = nullptr;
  if (is_factor) check(PCFactorGetMatSolverType(preconditioner, &library));
  if (library == nullptr || std::strcmp(library, MATSOLVERMUMPS) != 0) return nullptr;
  ::Mat factor = nullptr;
  check(PCFactorGetMatrix(preconditioner, &factor));
  return factor;
}

LinearSolveStatus PetscSystem::state_of_factorization() {
  is_mumps_short_ = false;
  if (::Mat factor = mumps_factor(); factor != nullptr) return state_of_mumps(factor);
  PC preconditioner = nullptr;
  check(KSPGetPC(solver_, &preconditioner));
  PCFailedReason reason = PC_NOERROR;
  check(PCGetFailedReason(preconditioner, &reason));
  int worst = reason;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  if (worst == PC_NOERROR) return LinearSolveStatus::solved;
  return worst == PC_FACTOR_OUTMEMORY ? LinearSolveStatus::out_of_memory : LinearSolveStatus::not_positive_definite;
}

LinearSolveStatus PetscSystem::state_of_mumps(::Mat factor) {
  PetscInt info = 0;
  PetscInt negative_pivots = 0;
  check(MatMumpsGetInfog(factor, 1, &info));
  check(MatMumpsGetInfog(factor, 12, &negative_pivots));
  // INFOG(12) counts negative pivots for a Cholesky factorisation; for LU it counts something else.
  MatFactorType kind = MAT_FACTOR_NONE;
  check(MatGetFactorType(factor, &kind));
  const bool is_indefinite = kind == MAT_FACTOR_CHOLESKY && negative_pivots > 0;
  is_mumps_short_ = info == mumps_real_too_small || info == mumps_integer_too_small;
  if (info == mumps_not_positive || info == mumps_singular) return LinearSolveStatus::not_positive_definite;
  if (info < 0) return LinearSolveStatus::out_of_memory;
  return is_indefinite ? LinearSolveStatus::not_positive_definite : LinearSolveStatus::solved;
}

LinearSolveStatus PetscSystem::solve(const std::vector<double>& b, std::vector<double>& x) {
  last_iterations_ = 0;
  x.assign(b.size(), 0.0);
  if (!is_ready_) return LinearSolveStatus::not_positive_definite;
  PetscScalar* values = nullptr;
  check(VecGetArrayWrite(b_, &values));
  std::copy(b.begin(), b.end(), values);
  check(VecRestoreArrayWrite(b_, &values));
  check(KSPSolve(solver_, b_, x_));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  check(KSPGetConvergedReason(solver_, &reason));
  check(KSPGetIterationNumber(solver_, &iterations));
  last_iterations_ = options_.method == PetscMethod::mumps ? 0 : iterations;
  const PetscScalar* solution = nullptr;
  check(VecGetArrayRead(x_, &solution));
  std::copy_n(solution, x.size(), x.data());
  check(VecRestoreArrayRead(x_, &solution));
  if (reason > 0) return LinearSolveStatus::solved;
  const bool is_slow = reason == KSP_DIVERGED_ITS || reason == KSP_DIVERGED_BREAKDOWN || reason == KSP_DIVERGED_DTOL;
  return is_slow ? LinearSolveStatus::not_converged : LinearSolveStatus::not_positive_definite;
}

}  // namespace clearance::mpi
