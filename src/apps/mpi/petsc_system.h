// One linear system that PETSc solves and all processes hold together, each some of its rows. All processes call every
// member at once.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "clearance/sparse/external_solver.h"
#include "clearance/sparse/row_parts.h"

namespace clearance::mpi {

/// Returns PETSc's version, such as "3.18.5".
std::string petsc_version();

class PetscSystem {
 public:
  explicit PetscSystem(const PetscOptions& options) : options_(options) {}
  ~PetscSystem();
  PetscSystem(const PetscSystem&) = delete;
  PetscSystem& operator=(const PetscSystem&) = delete;

  /// Sets the pattern of the systems to come: the rows of this process.
  void set_pattern(RowPattern pattern);
  /// Sets the rigid motions, which the matrix hardly resists: one per column, the rows of this process.
  void set_motions(MatX motions);
  /// Forgets all that earlier systems have left in the solver, so that nothing of it influences the next ones.
  void start_anew();
  /// Factorises the matrix with these values, laid out as by RowParts::copy_values.
  LinearSolveStatus factorize(const std::vector<double>& values);
  /// Solves for x; b and x are the rows of this process.
  LinearSolveStatus solve(const std::vector<double>& b, std::vector<double>& x);
  long last_iterations() const { return last_iterations_; }

 private:
  void make_solver();
  void set_near_null_space();
  LinearSolveStatus set_up();
  LinearSolveStatus state_of_factorization();
  LinearSolveStatus state_of_mumps(::Mat factor);
  ::Mat mumps_factor();
  void destroy_matrix();

  PetscOptions options_;
  RowPattern pattern_;
  MatX motions_;
  bool are_motions_new_ = false;
  // Mat and Vec of PETSc, in contrast to the library's own vectors and matrices of fixed sizes.
  ::Mat matrix_ = nullptr;
  ::Vec b_ = nullptr;
  ::Vec x_ = nullptr;
  KSP solver_ = nullptr;
  bool is_ready_ = false;
  bool is_mumps_short_ = false;  // true if MUMPS needed more memory than it planned for
  PetscInt spare_percent_ = 40;  // memory beyond the plan of MUMPS
  long last_iterations_ = 0;
};

}  // namespace clearance::mpi
