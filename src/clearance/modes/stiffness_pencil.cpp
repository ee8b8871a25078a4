#include "clearance/modes/stiffness_pencil.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "clearance/base/stop.h"
#include "clearance/modes/largest_eigenpairs.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {
namespace {

/// The free unknowns among all.
class FreePart {
 public:
  explicit FreePart(const std::vector<char>& is_free) : num_all_(std::ssize(is_free)) {
    for (Eigen::Index i = 0; i < num_all_; ++i) {
      if (is_free[i] != 0) indices_.push_back(i);
    }
  }
  int size() const { return static_cast<int>(indices_.size()); }
  VecX gather(const VecX& all) const {
    VecX part(size());
    for (int i = 0; i < size(); ++i) part[i] = all[indices_[i]];
    return part;
  }
  VecX scatter(const VecX& part) const {
    VecX all = VecX::Zero(num_all_);
    for (int i = 0; i < size(); ++i) all[indices_[i]] = part[i];
    return all;
  }
  MatX scatter_columns(const MatX& parts) const {
    MatX all(num_all_, parts.cols());
    for (Eigen::Index i = 0; i < parts.cols(); ++i) all.col(i) = scatter(parts.col(i));
    return all;
  }

 private:
  Eigen::Index num_all_;
  std::vector<Eigen::Index> indices_;
};

/// Returns the diagonal of the matrix.
VecX diagonal_of(const BlockSparseMatrix& matrix) {
  VecX diagonal(matrix.num_rows());
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    const std::int64_t slot = matrix.find_slot(b, b);
    for (int c = 0; c < matrix.dim(); ++c) {
      diagonal[matrix.dim() * b + c] = matrix.values()[slot + c * matrix.slot_stride(b) + c];
    }
  }
  return diagonal;
}

/// Returns a + factor * b, where the pattern of a holds that of b.
BlockSparseMatrix sum_of(const BlockSparseMatrix& a, double factor, const BlockSparseMatrix& b) {
  BlockSparseMatrix sum = a;
  const int dim = b.dim();
  for (int column = 0; column < b.num_blocks(); ++column) {
    for (const int row : b.column_rows(column)) {
      const std::int64_t from = b.find_slot(row, column), to = sum.find_slot(row, column);
      for (int c = 0; c < dim; ++c) {
        for (int r = 0; r < dim; ++r) {
          sum.values()[to + c * sum.slot_stride(column) + r] +=
              factor * b.values()[from + c * b.slot_stride(column) + r];
        }
      }
    }
  }
  return sum;
}

/// Appends v, made orthonormal in the inner product of the mass; false if nothing is left of it.
bool append_orthonormal(const BlockSparseMatrix& mass, VecX v, MatX& vectors) {
  const double before = std::sqrt(std::max(v.dot(mass.multiply(v)), 0.0));
  if (!(before > 0.0)) return false;
  v /= before;
  // Twice is enough.
  for (int pass = 0; pass < 2 && vectors.cols() > 0; ++pass) {
    v -= vectors * (vectors.transpose() * mass.multiply(v));
  }
  const double left = std::sqrt(std::max(v.dot(mass.multiply(v)), 0.0));
  constexpr double dependent = 1e-6;
  if (!(left > dependent)) return false;
  vectors.conservativeResize(v.size(), vectors.cols() + 1);
  vectors.rightCols(1) = v / left;
  return true;
}

/// Returns orthonormal combinations of the candidates that meet no resistance.
MatX free_combinations(const StiffnessPencil& pencil, const std::vector<NamedMotion>& candidates) {
  const Eigen::Index size = pencil.stiffness.num_rows();
  MatX basis(size, 0);
  for (const NamedMotion& candidate : candidates) append_orthonormal(pencil.mass, candidate.motion, basis);
  MatX stiff(size, basis.cols());
  for (Eigen::Index i = 0; i < basis.cols(); ++i) stiff.col(i) = pencil.stiffness.multiply(basis.col(i));
  MatX free(size, 0);
  if (basis.cols() == 0) return free;
  const MatX projected = basis.transpose() * stiff;
  const Eigen::SelfAdjointEigenSolver<MatX> solver(0.5 * (projected + projected.transpose()));
  const VecX diagonal = diagonal_of(pencil.stiffness).cwiseAbs();
  for (Eigen::Index i = 0; i < basis.cols(); ++i) {
    const VecX v = basis * solver.eigenvectors().col(i);
    // The sum over K cancels down to rounding, a share of the terms that it consists of.
    constexpr double rounding = 1e-13;
    // The direction of a spring is rounded, and a motion across it meets what that makes.
    constexpr double of_directions = 1e-18;
    const double negligible =
        rounding * v.dot(diagonal.cwiseProduct(v)) + of_directions * diagonal.maxCoeff() * v.squaredNorm();
    if (std::abs(solver.eigenvalues()[i]) > negligible) continue;
    append_orthonormal(pencil.mass, v, free);
  }
  return free;
}

/// Rigid motions with names.
struct RigidModes {
  std::vector<std::string> names;
  MatX vectors;
};

/// Returns the free combinations as motions of single bodies, as far as they are such.
RigidModes name_rigid_modes(const StiffnessPencil& pencil, const std::vector<NamedMotion>& candidates,
                            const MatX& free) {
  RigidModes modes;
  modes.vectors = MatX(free.rows(), 0);
  for (const NamedMotion& candidate : candidates) {
    if (modes.vectors.cols() == free.cols()) break;
    const VecX product = pencil.mass.multiply(candidate.motion);
    const double all = candidate.motion.dot(product), within = (free.transpose() * product).squaredNorm();
    constexpr double least_share = 1.0 - 1e-6;
    if (!(all > 0.0) || within < least_share * all) continue;
    if (append_orthonormal(pencil.mass, free * (free.transpose() * product), modes.vectors)) {
      modes.names.push_back(candidate.name);
    }
  }
  for (Eigen::Index i = 0; i < free.cols() && modes.vectors.cols() < free.cols(); ++i) {
    if (append_orthonormal(pencil.mass, free.col(i), modes.vectors)) modes.names.push_back("motion of a mechanism");
  }
  return modes;
}

/// The factor of K + shift M.
struct ShiftedFactor {
  std::unique_ptr<LinearSolver> solver;
  BlockSparseMatrix matrix;
  double shift = 0.0;  ///< [rad^2/s^2]
};

/// Factorises K + shift M with the smallest shift that makes it positive definite.
std::optional<ShiftedFactor> factorize(const StiffnessPencil& pencil, bool is_singular) {
  const VecX stiff = diagonal_of(pencil.stiffness), heavy = diagonal_of(pencil.mass);
  double largest = 0.0;
  for (Eigen::Index i = 0; i < stiff.size(); ++i) {
    if (pencil.is_free[i] != 0) largest = std::max(largest, stiff[i] / heavy[i]);
  }
  if (!(largest > 0.0)) largest = 1.0;
  ShiftedFactor factor{make_cholmod_solver(), {}, 0.0};
  // A singular matrix has a factor of rounding. A shift of 1e-9 of the largest eigenvalue leaves seven digits.
  constexpr double first_share = 1e-9, growth = 100.0;
  for (double share = is_singular ? first_share : 0.0; share <= 1.0; share = std::max(first_share, growth * share)) {
    factor.shift = share * largest;
    factor.matrix = sum_of(pencil.stiffness, factor.shift, pencil.mass);
    if (factor.solver->factorize(factor.matrix) == LinearSolveStatus::solved) return factor;
  }
  return std::nullopt;
}

double largest_residual(const StiffnessPencil& pencil, const VecX& omega_sq, const MatX& vectors,
                        const FreePart& part) {
  double largest = 0.0;
  for (Eigen::Index i = 0; i < omega_sq.size(); ++i) {
    const VecX v = vectors.col(i), force = part.gather(pencil.stiffness.multiply(v));
    const VecX rest = force - omega_sq[i] * part.gather(pencil.mass.multiply(v));
    if (force.norm() > 0.0) largest = std::max(largest, rest.norm() / force.norm());
  }
  return largest;
}

}  // namespace

std::optional<VibrationModes> find_vibrations(const StiffnessPencil& pencil, const std::vector<NamedMotion>& candidates,
                                              int count) {
  const FreePart part(pencil.is_free);
  const RigidModes rigid = name_rigid_modes(pencil, candidates, free_combinations(pencil, candidates));
  const Eigen::Index num_rigid = rigid.vectors.cols();
  MatX excluded(part.size(), num_rigid);
  for (Eigen::Index i = 0; i < num_rigid; ++i) excluded.col(i) = part.gather(rigid.vectors.col(i));

  std::optional<ShiftedFactor> factor = factorize(pencil, num_rigid > 0);
  if (!factor) return std::nullopt;
  SelfAdjointOperator op;
  op.size = part.size();
  op.product = [&](const VecX& x) { return part.gather(pencil.mass.multiply(part.scatter(x))); };
  op.apply = [&](const VecX& x) {
    poll_stop();
    VecX y;
    const VecX force = part.scatter(part.gather(pencil.mass.multiply(part.scatter(x))));
    if (factor->solver->solve(force, y) != LinearSolveStatus::solved) y = VecX::Zero(force.size());
    return part.gather(y);
  };
  const Eigenpairs found = find_largest_eigenpairs(op, count, excluded);
  if (!found.is_complete) return std::nullopt;

  const Eigen::Index num_found = found.values.size();
  const MatX shapes = part.scatter_columns(found.vectors);
  const VecX squares = (found.values.cwiseInverse().array() - factor->shift).matrix();
  VibrationModes modes;
  modes.names = rigid.names;
  modes.names.resize(num_rigid + num_found);
  modes.omega_sq = VecX::Zero(num_rigid + num_found);
  modes.omega_sq.tail(num_found) = squares;
  modes.vectors.resize(rigid.vectors.rows(), num_rigid + num_found);
  modes.vectors << rigid.vectors, shapes;
  modes.largest_residual = largest_residual(pencil, squares, shapes, part);
  return modes;
}

std::optional<BucklingModes> find_buckling(const StiffnessPencil& unloaded, const BlockSparseMatrix& loaded,
                                           int count) {
  const FreePart part(unloaded.is_free);
  const std::unique_ptr<LinearSolver> solver = make_cholmod_solver();
  if (solver->factorize(unloaded.stiffness) != LinearSolveStatus::solved) return std::nullopt;
  // The largest eigenvalue of K0^-1 (K0 - K1) in the inner product of K0 is the inverse of the smallest factor.
  SelfAdjointOperator op;
  op.size = part.size();
  op.product = [&](const VecX& x) { return part.gather(unloaded.stiffness.multiply(part.scatter(x))); };
  op.apply = [&](const VecX& x) {
    poll_stop();
    const VecX all = part.scatter(x);
    const VecX change = part.gather(unloaded.stiffness.multiply(all) - loaded.multiply(all));
    VecX y;
    if (solver->solve(part.scatter(change), y) != LinearSolveStatus::solved) y = VecX::Zero(all.size());
    return part.gather(y);
  };
  const Eigenpairs found = find_largest_eigenpairs(op, count, MatX(part.size(), 0));
  // Negative factors belong to loads in the opposite direction, and those of rounding to none.
  constexpr double rounding = 1e-12;
  const auto num_positive =
      std::count_if(found.values.begin(), found.values.end(), [](double inverse) { return inverse > rounding; });
  return BucklingModes{found.values.head(num_positive).cwiseInverse(),
                       part.scatter_columns(found.vectors.leftCols(num_positive))};
}

}  // namespace clearance
