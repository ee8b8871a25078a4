// One linear system that all processes hold together, each some of its rows, and that PETSc solves. Every member is
// called by all processes at once.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "clearance/sparse/external_solver.h"
#include "clearance/sparse/row_parts.h"

namespace clearance::mpi {

/// PETSc's version, as in "3.18.5".
std::string petsc_version();

class PetscSystem {
 public:
  explicit PetscSystem(const PetscOptions& options) : options_(options) {}
  ~PetscSystem();
  PetscSystem(const PetscSystem&) = delete;
  PetscSystem& operator=(const PetscSystem&) = delete;

  /// Of the systems to come: the rows of this process.
  void set_pattern(RowPattern pattern);
  /// The rows of this process of the rigid motions, a column each: what the matrix hardly resists.
  void set_motions(MatX motions);
  /// Nothing that the last systems have left in the solver has an influence on the next ones.
  void start_anew();
  /// `values` as of RowParts::copy_values.
  LinearSolveStatus factorize(const std::vector<double>& values);
  /// b and x: the rows of this process.
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
  // In PETSc Mat and Vec are what it says, beside our own of fixed sizes.
  ::Mat matrix_ = nullptr;
  ::Vec b_ = nullptr;
  ::Vec x_ = nullptr;
  KSP solver_ = nullptr;
  bool is_ready_ = false;
  bool is_mumps_short_ = false;  // of memory: more than it planned for
  PetscInt spare_percent_ = 40;  // of memory beyond its plan
  long last_iterations_ = 0;
};

}  // namespace clearance::mpi
