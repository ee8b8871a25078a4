#include "clearance/bodies/affine/orthogonality_potential.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "clearance/math/psd.h"

namespace clearance {

namespace {

constexpr int bodies_per_task = 64;

/// Number of blocks in the lower triangle of a body's Hessian.
template <int dim>
constexpr int num_pairs = dim*(dim + 1) / 2;

/// Returns R times A, whose columns are b_i.
template <int dim>
Mat<dim> stretched_axes(const OrthogonalBody& body, const VecX& x) {
  return Eigen::Map<const Mat<dim>>(x.data() + dim * (static_cast<Eigen::Index>(body.first_block) + 1));
}

/// Returns a . b - c^2 to twice the working precision: near a rotation nearly all digits cancel.
template <int dim>
double dot_minus_square(const double* a, const double* b, double c) {
  // Sum the products together with their rounding errors.
  CompensatedSum sum;
  double rounding = 0.0;
  const auto add_product = [&](double p, double q) {
    const double product = p * q;
    sum.add(product);
    rounding += std::fma(p, q, -product);
  };
  for (int r = 0; r < dim; ++r) add_product(a[r], b[r]);
  add_product(-c, c);
  return sum.sum + (sum.correction + rounding);
}

/// Returns A^T A - I.
template <int dim>
Mat<dim> stretch(const OrthogonalBody& body, const Mat<dim>& b) {
  // S is symmetric: compute the lower triangle.
  const double inverse_sq = 1.0 / (body.radius * body.radius);
  Mat<dim> s;
  for (int i = 0; i < dim; ++i) {
    for (int j = 0; j <= i; ++j) {
      s(i, j) = s(j, i) =
          inverse_sq * dot_minus_square<dim>(b.col(i).data(), b.col(j).data(), i == j ? body.radius : 0.0);
    }
  }
  return s;
}

}  // namespace

template <int dim>
CompensatedSum OrthogonalityPotential<dim>::energy(const VecX& x) const {
  return ordered_sum(static_cast<int>(bodies_.size()), [&](int k) {
    const OrthogonalBody& body = bodies_[k];
    return body.stiffness * stretch<dim>(body, stretched_axes<dim>(body, x)).squaredNorm();
  });
}

template <int dim>
void OrthogonalityPotential<dim>::add_body_energies(const VecX& x, const std::vector<int>& body_of_block,
                                                    VecX& sums) const {
  for (const OrthogonalBody& body : bodies_) {
    sums[body_of_block[body.first_block]] +=
        body.stiffness * stretch<dim>(body, stretched_axes<dim>(body, x)).squaredNorm();
  }
}

template <int dim>
void OrthogonalityPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  // dE/da_i = 4 kappa v sum_j S_ij a_j [Lan22, eq. 8], and da_i / db_i = 1 / R.
  parallel_for(static_cast<int>(bodies_.size()), bodies_per_task, [&](int k) {
    const OrthogonalBody& body = bodies_[k];
    const Mat<dim> b = stretched_axes<dim>(body, x);
    const double factor = scale * 4.0 * body.stiffness / (body.radius * body.radius);
    const Mat<dim> forces = factor * b * stretch<dim>(body, b);
    for (int i = 0; i < dim; ++i) block<dim>(gradient, body.first_block + 1 + i) += forces.col(i);
  });
}

template <int dim>
std::vector<BlockKey> OrthogonalityPotential<dim>::pattern() const {
  // Every pair of columns of a body is coupled, the centre is not.
  std::vector<BlockKey> keys;
  for (const OrthogonalBody& body : bodies_) {
    for (int j = 1; j <= dim; ++j) {
      for (int i = j; i <= dim; ++i) keys.push_back(make_block_key(body.first_block + i, body.first_block + j));
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

template <int dim>
void OrthogonalityPotential<dim>::bind(const BlockSparseMatrix& matrix) {
  // Look up the slots once per pattern, in the order of add_blocks.
  if (matrix.pattern_id() == bound_pattern_) return;
  slots_.clear();
  for (const OrthogonalBody& body : bodies_) {
    for (int i = 1; i <= dim; ++i) {
      for (int j = 1; j <= i; ++j) slots_.push_back(matrix.find_slot(body.first_block + i, body.first_block + j));
    }
  }
  bound_pattern_ = matrix.pattern_id();
}

template <int dim>
void OrthogonalityPotential<dim>::add_blocks(const VecX& x, double scale, bool is_projected,
                                             BlockSparseMatrix& matrix) {
  bind(matrix);
  parallel_for(static_cast<int>(bodies_.size()), bodies_per_task, [&](int k) {
    const OrthogonalBody& body = bodies_[k];
    // S = A^T A - I is the only factor that can be indefinite; it is projected on its own.
    // With M_ij = a_j . da_i, the other terms are sum_ij M_ij M_ji + M_ij^2 = 1/2 sum_ij (M_ij + M_ji)^2 >= 0.
    const Mat<dim> b = stretched_axes<dim>(body, x), a = b / body.radius;
    const Mat<dim> stretched = stretch<dim>(body, b);
    const Mat<dim> s = is_projected ? project_to_psd<dim>(stretched) : stretched;
    const Mat<dim> squares = a * a.transpose();
    const double factor = scale * 4.0 * body.stiffness / (body.radius * body.radius);

    // d2E / da_i da_j = 4 kappa v (a_j a_i^T + S_ij I + delta_ij sum_k a_k a_k^T)
    const std::int64_t* slot = slots_.data() + k * num_pairs<dim>;
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j <= i; ++j, ++slot) {
        Mat<dim> h = a.col(j) * a.col(i).transpose();
        if (i == j) h += squares;
        h.diagonal().array() += s(i, j);
        matrix.add_to_slot<dim>(*slot, matrix.slot_stride(body.first_block + 1 + j), Mat<dim>(factor * h));
      }
    }
  });
}

template <int dim>
void OrthogonalityPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  add_blocks(x, scale, true, matrix);
}

template <int dim>
void OrthogonalityPotential<dim>::add_unprojected_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  add_blocks(x, scale, false, matrix);
}

template <int dim>
bool OrthogonalityPotential<dim>::is_feasible(const VecX& x) const {
  return std::all_of(bodies_.begin(), bodies_.end(), [&](const OrthogonalBody& body) {
    // A body is inverted or flat if det A <= 0.
    return Mat<dim>(stretched_axes<dim>(body, x) / body.radius).determinant() > 0.0;
  });
}

template class OrthogonalityPotential<2>;
template class OrthogonalityPotential<3>;

}  // namespace clearance
