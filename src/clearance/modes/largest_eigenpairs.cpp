#include "clearance/modes/largest_eigenpairs.h"

#include <Spectra/SymEigsBase.h>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace clearance {
namespace {

/// Largest number of unknowns for which all eigenvalues are computed at once.
constexpr int most_dense = 300;

/// Removes the parts along orthonormal vectors from x. `products` are the vectors times B.
void remove_parts(const MatX& vectors, const MatX& products, VecX& x) {
  if (vectors.cols() > 0) x -= vectors * (products.transpose() * x);
}

MatX products_of(const SelfAdjointOperator& op, const MatX& vectors) {
  MatX products(vectors.rows(), vectors.cols());
  for (Eigen::Index i = 0; i < vectors.cols(); ++i) products.col(i) = op.product(vectors.col(i));
  return products;
}

/// S without its known eigenvectors, and B, as Spectra calls them.
class RemainingOperator {
 public:
  using Scalar = double;
  RemainingOperator(const SelfAdjointOperator& op, const MatX& known, const MatX& products)
      : op_(op), known_(known), products_(products) {}
  Eigen::Index rows() const { return op_.size; }
  Eigen::Index cols() const { return op_.size; }
  void perform_op(const double* x, double* y) const {
    VecX result = op_.apply(Eigen::Map<const VecX>(x, op_.size));
    remove_parts(known_, products_, result);
    Eigen::Map<VecX>(y, op_.size) = result;
  }

 private:
  const SelfAdjointOperator& op_;
  const MatX& known_;
  const MatX& products_;
};

class InnerProduct {
 public:
  explicit InnerProduct(const SelfAdjointOperator& op) : op_(op) {}
  void perform_op(const double* x, double* y) const {
    Eigen::Map<VecX>(y, op_.size) = op_.product(Eigen::Map<const VecX>(x, op_.size));
  }

 private:
  const SelfAdjointOperator& op_;
};

/// Runs Lanczos on the operator without its known eigenvectors.
Eigenpairs run_lanczos(const SelfAdjointOperator& op, int count, const MatX& known, const MatX& products) {
  RemainingOperator remaining(op, known, products);
  const InnerProduct product(op);
  // Twice the number of eigenvalues and a few more is what the authors of Spectra advise.
  const int num_basis = std::min(op.size, 2 * count + 20);
  Spectra::SymEigsBase<RemainingOperator, InnerProduct> solver(remaining, product, count, num_basis);
  // Start from the range of what remains, so that known eigenvectors do not come back.
  Spectra::SimpleRandom<double> random(0);
  VecX start = op.apply(random.random_vec(op.size));
  remove_parts(known, products, start);
  solver.init(start.data());
  constexpr int most_restarts = 40;
  constexpr double tolerance = 1e-10;
  try {
    solver.compute(Spectra::SortRule::LargestAlge, most_restarts, tolerance, Spectra::SortRule::LargestAlge);
  } catch (const std::runtime_error&) {
    // An operator of rounding has eigenvalues that Spectra's small decomposition does not find.
    return {VecX(0), MatX(op.size, 0), false};
  }
  return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Spectra::CompInfo::Successful};
}

/// Computes all eigenvalues of a small operator.
Eigenpairs find_all(const SelfAdjointOperator& op, int count, const MatX& excluded) {
  const MatX identity = MatX::Identity(op.size, op.size);
  const MatX b = products_of(op, identity), excluded_products = products_of(op, excluded);
  MatX symmetric(op.size, op.size);
  for (int i = 0; i < op.size; ++i) {
    VecX column = op.apply(identity.col(i));
    remove_parts(excluded, excluded_products, column);
    symmetric.col(i) = op.product(column);
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> solver(0.5 * (symmetric + symmetric.transpose()),
                                                              0.5 * (b + b.transpose()));
  // The excluded vectors have the eigenvalue zero now; they are told from others by their direction.
  std::vector<Eigen::Index> chosen;
  for (Eigen::Index i = op.size - 1; i >= 0 && std::ssize(chosen) < count; --i) {
    const double share = (excluded_products.transpose() * solver.eigenvectors().col(i)).squaredNorm();
    if (share < 0.5) chosen.push_back(i);
  }
  Eigenpairs pairs{VecX(std::ssize(chosen)), MatX(op.size, std::ssize(chosen))};
  for (Eigen::Index i = 0; i < std::ssize(chosen); ++i) {
    pairs.values[i] = solver.eigenvalues()[chosen[i]];
    pairs.vectors.col(i) = solver.eigenvectors().col(chosen[i]);
  }
  return pairs;
}

/// Appends the columns of `more`, made orthonormal to what is there.
void append(const SelfAdjointOperator& op, const MatX& more, MatX& vectors, MatX& products) {
  for (Eigen::Index i = 0; i < more.cols(); ++i) {
    VecX v = more.col(i);
    remove_parts(vectors, products, v);
    v /= std::sqrt(v.dot(op.product(v)));
    const Eigen::Index last = vectors.cols();
    vectors.conservativeResize(Eigen::NoChange, last + 1);
    products.conservativeResize(Eigen::NoChange, last + 1);
    vectors.col(last) = v;
    products.col(last) = op.product(v);
  }
}

/// Returns the `count` largest of the pairs.
Eigenpairs largest_of(const std::vector<double>& values, const MatX& vectors, int count) {
  std::vector<Eigen::Index> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return values[a] > values[b]; });
  order.resize(std::min<std::size_t>(order.size(), count));
  Eigenpairs pairs{VecX(std::ssize(order)), MatX(vectors.rows(), std::ssize(order))};
  for (Eigen::Index i = 0; i < std::ssize(order); ++i) {
    pairs.values[i] = values[order[i]];
    pairs.vectors.col(i) = vectors.col(order[i]);
  }
  return pairs;
}

}  // namespace

Eigenpairs find_largest_eigenpairs(const SelfAdjointOperator& op, int count, const MatX& excluded) {
  count = std::min(count, op.size - static_cast<int>(excluded.cols()));
  if (count <= 0) return {VecX(0), MatX(op.size, 0)};
  if (op.size <= most_dense || 2 * count + 20 >= op.size) return find_all(op, count, excluded);
  MatX known = excluded, products = products_of(op, excluded);
  std::vector<double> values;
  bool is_complete = true;
  // Later runs look for copies of repeated eigenvalues, of which there are mostly none.
  constexpr int most_copies = 4;
  while (known.cols() + count + 1 < op.size) {
    const int wanted = values.empty() ? count : std::min(count, most_copies);
    const Eigenpairs found = run_lanczos(op, wanted, known, products);
    // A run that finds nothing larger than the smallest of those wanted ends the search.
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const bool is_full = std::ssize(sorted) >= count;
    const double least = is_full ? sorted[count - 1] : 0.0;
    constexpr double rounding = 1e-9;
    const bool is_lower = found.values.size() == 0 || found.values[0] <= least + rounding * std::abs(least);
    if (is_full && is_lower) break;
    append(op, found.vectors, known, products);
    values.insert(values.end(), found.values.begin(), found.values.end());
    is_complete = found.is_complete;
    if (!is_complete) break;
  }
  Eigenpairs pairs = largest_of(values, known.rightCols(known.cols() - excluded.cols()), count);
  pairs.is_complete = is_complete;
  return pairs;
}

}  // namespace clearance
