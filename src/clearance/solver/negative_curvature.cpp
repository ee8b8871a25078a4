#include "clearance/solver/negative_curvature.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

namespace clearance {
namespace {

/// Number of vectors after which the search ends.
constexpr int most_vectors = 80;
/// Residual of the smallest eigenpair, relative to the eigenvalue, that is small enough for a direction. A column of a
/// square section bends in all directions nearly alike: Newton's method needed 1000 iterations and more to turn it from
/// a direction with a residual of 0.02 to the softest one.
constexpr double accuracy = 1e-5;
/// Residual, relative to the least quotient, that is small enough to tell that there is none.
constexpr double rough_accuracy = 0.1;
/// Norm of the next vector, relative to that before orthogonalisation, that is rounding.
constexpr double rounding = 1e-12;

/// Vectors that are orthonormal with respect to P, with P times each of them.
struct Basis {
  std::vector<VecX> vectors, products;

  /// Appends a vector, where `product` is P times it, without its parts along the others. Returns its length, or
  /// nothing if these parts are all of it.
  std::optional<double> append(VecX vector, VecX product) {
    const double before = vector.dot(product);
    if (!(before > 0.0) || !std::isfinite(before)) return std::nullopt;
    // The second pass removes what rounding has left of the first.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < vectors.size(); ++i) {
        const double part = products[i].dot(vector);
        vector -= part * vectors[i];
        product -= part * products[i];
      }
    }
    const double length_sq = vector.dot(product);
    if (!(length_sq > rounding * rounding * before)) return std::nullopt;
    const double length = std::sqrt(length_sq);
    vectors.push_back(vector / length);
    products.push_back(product / length);
    return length;
  }
};

}  // namespace

std::optional<NegativeCurvature> find_negative_curvature(const BlockSparseMatrix& hessian, LinearSolver& solver,
                                                         const VecX& start, double least) {
  const auto solve = [&](const VecX& force, VecX& motion) {
    return solver.solve(force, motion) == LinearSolveStatus::solved && motion.allFinite();
  };
  Basis basis;
  VecX first;
  if (!solve(start, first) || !basis.append(std::move(first), start)) return std::nullopt;
  MatX small = MatX::Zero(most_vectors, most_vectors);  // H between the vectors
  NegativeCurvature found;
  for (int n = 1; n <= most_vectors; ++n) {
    VecX image = hessian.multiply(basis.vectors[n - 1]), next;
    for (int i = 0; i < n; ++i) small(i, n - 1) = small(n - 1, i) = basis.vectors[i].dot(image);
    const Eigen::SelfAdjointEigenSolver<MatX> eigen(small.topLeftCorner(n, n));
    found.quotient = eigen.eigenvalues()[0];
    const VecX weights = eigen.eigenvectors().col(0);
    std::optional<double> length;
    if (n < most_vectors && solve(image, next)) length = basis.append(std::move(next), std::move(image));
    const double residual = length ? *length * std::abs(weights[n - 1]) : 0.0;
    const double allowed = found.quotient < -least ? -accuracy * found.quotient : rough_accuracy * least;
    if (length && residual > allowed) continue;
    found.dy = VecX::Zero(start.size());
    for (int i = 0; i < n; ++i) found.dy += weights[i] * basis.vectors[i];
    break;
  }
  if (!(found.quotient < -least)) return std::nullopt;
  return found;
}

void shift_diagonal(double share, BlockSparseMatrix& matrix) {
  const int dim = matrix.dim();
  const auto visit = [&](const auto& change) {
    for (int b = 0; b < matrix.num_blocks(); ++b) {
      for (int c = 0; c < dim; ++c) change(matrix.values()[matrix.find_slot(b, b) + c * (matrix.slot_stride(b) + 1)]);
    }
  };
  double largest = 0.0;
  visit([&](double& entry) { largest = std::max(largest, std::abs(entry)); });
  visit([&](double& entry) { entry += share * (std::abs(entry) + share_of_largest * largest); });
}

}  // namespace clearance
