#include "clearance/bodies/fem/inversion_barrier.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "clearance/bodies/fem/mass.h"
#include "clearance/math/log_barrier.h"
#include "clearance/math/psd.h"

namespace clearance {
namespace {

constexpr int grain = 256;

/// Returns b(J) and its derivatives by J.
BarrierValue volume_barrier(double j) {
  // The barrier is a function of J / J0.
  const BarrierValue b = log_barrier(j / barrier_volume_fraction, 1.0);
  return {b.value, b.first / barrier_volume_fraction, b.second / (barrier_volume_fraction * barrier_volume_fraction)};
}

/// Returns dJ/dF, the cofactors of F.
Mat<2> cofactors(const Mat<2>& f) {
  Mat<2> c;
  c << f(1, 1), -f(1, 0), -f(0, 1), f(0, 0);
  return c;
}
Mat<3> cofactors(const Mat<3>& f) {
  Mat<3> c;
  for (int k = 0; k < 3; ++k) c.col(k) = f.col((k + 1) % 3).cross(f.col((k + 2) % 3));
  return c;
}

/// Returns d2J/dF2 with vec column-major. J is linear in every column of F.
Mat<4> second_derivative_of_volume(const Mat<2>&) {
  Mat<4> h = Mat<4>::Zero();
  h(0, 3) = h(3, 0) = 1.0;
  h(1, 2) = h(2, 1) = -1.0;
  return h;
}
Mat<9> second_derivative_of_volume(const Mat<3>& f) {
  Mat<9> h = Mat<9>::Zero();
  // d(f1 x f2)/df1 v = v x f2, and so on around.
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3, last = (k + 2) % 3;
    const Vec<3> s = f.col(last);
    Mat<3> cross;  // v -> v x s
    cross << 0, s[2], -s[1], -s[2], 0, s[0], s[1], -s[0], 0;
    h.block<3, 3>(3 * k, 3 * next) = cross;
    h.block<3, 3>(3 * next, 3 * k) = cross.transpose();
  }
  return h;
}

template <int dim>
ElementSet<dim> find_guarded(const ElementMesh<dim>& mesh, GuardedElements guarded) {
  // Take the elements whose own energy stays finite, or all.
  std::vector<int> members;
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    const auto material = static_cast<std::size_t>(mesh.material_of_element[e]);
    const bool is_finite = !is_barrier_model(mesh.materials[material].model);
    if (is_finite || guarded == GuardedElements::all) members.push_back(static_cast<int>(e));
  }
  return ElementSet<dim>(mesh, members);
}

}  // namespace

template <int dim>
InversionBarrier<dim>::InversionBarrier(const ElementMesh<dim>& mesh, GuardedElements guarded)
    : elements_(find_guarded(mesh, guarded)) {
  for (int i = 0; i < elements_.num_elements(); ++i) {
    const auto material =
        static_cast<std::size_t>(mesh.material_of_element[static_cast<std::size_t>(elements_.mesh_element(i))]);
    const MaterialParameters& parameters = mesh.materials[material];
    const Mat<dim> edges = edge_matrix<dim>(mesh.x_rest, elements_.element_nodes(i));
    Element element;
    // The stiffness is w = J0 (lambda + 2 mu); a negative lambda counts as zero.
    element.inverse_rest = edges.inverse();
    element.volume = edges.determinant() / (dim == 2 ? 2.0 : 6.0);
    element.stiffness = barrier_volume_fraction * (std::max(parameters.lambda, 0.0) + 2.0 * parameters.mu);
    rest_.push_back(element);
  }
}

template <int dim>
Mat<dim> InversionBarrier<dim>::deformation_gradient(int i, const VecX& x) const {
  return edge_matrix<dim>(x, elements_.element_nodes(i)) * rest_[static_cast<std::size_t>(i)].inverse_rest;
}

template <int dim>
CompensatedSum InversionBarrier<dim>::energy(const VecX& x) const {
  return ordered_reduce(
      elements_.num_elements(), CompensatedSum{},
      [&](int i) {
        const Element& rest = rest_[static_cast<std::size_t>(i)];
        CompensatedSum sum;
        sum.add(rest.volume * rest.stiffness * volume_barrier(deformation_gradient(i, x).determinant()).value);
        return sum;
      },
      [](CompensatedSum a, const CompensatedSum& b) {
        // A sum with infinity must stay infinite, not become the difference of two infinities.
        if (!(a.sum < infinity && b.sum < infinity)) return CompensatedSum{infinity, 0.0};
        a.add(b);
        return a;
      });
}

template <int dim>
void InversionBarrier<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  // Elements this flat are few: find them in parallel, then add their forces one after the other.
  std::vector<char> is_flat(static_cast<std::size_t>(elements_.num_elements()));
  parallel_for(elements_.num_elements(), grain, [&](int i) {
    is_flat[static_cast<std::size_t>(i)] = deformation_gradient(i, x).determinant() < barrier_volume_fraction;
  });
  for (int i = 0; i < elements_.num_elements(); ++i) {
    if (!is_flat[static_cast<std::size_t>(i)]) continue;
    const Element& rest = rest_[static_cast<std::size_t>(i)];
    const Mat<dim> f = deformation_gradient(i, x);
    const double first = volume_barrier(f.determinant()).first;
    // The gradient of node a is P g_a, where g_a is row a - 1 of B and g_0 makes the sum zero.
    const Mat<dim> forces =
        (scale * rest.volume * rest.stiffness * first) * cofactors(f) * rest.inverse_rest.transpose();
    const auto& nodes = elements_.element_nodes(i);
    for (int a = 0; a < dim; ++a) {
      block<dim>(gradient, nodes[a + 1]) += forces.col(a);
      block<dim>(gradient, nodes[0]) -= forces.col(a);
    }
  }
}

template <int dim>
void InversionBarrier<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  elements_.reserve_hessians();
  std::vector<char> is_flat(static_cast<std::size_t>(elements_.num_elements()));
  parallel_for(elements_.num_elements(), grain, [&](int i) {
    double* local = elements_.local_hessian(i);
    // Elements that do not feel the barrier have no Hessian.
    std::fill(local, local + ElementSet<dim>::local_size, 0.0);
    const Element& rest = rest_[static_cast<std::size_t>(i)];
    const Mat<dim> f = deformation_gradient(i, x);
    const BarrierValue b = volume_barrier(f.determinant());
    if (b.second == 0.0) return;
    is_flat[static_cast<std::size_t>(i)] = 1;
    // By F: b'' dJ dJ^T + b' d2J, projected to PSD.
    const Mat<dim> cofactor = cofactors(f);
    const Eigen::Map<const Vec<dim * dim>> c(cofactor.data());
    const Mat<dim* dim> by_f = project_to_psd<dim * dim>(
        rest.volume * rest.stiffness * (b.second * c * c.transpose() + b.first * second_derivative_of_volume(f)));
    // Blocks of the lower triangle, column-major: sum over the columns j, k of F of g_a[j] H_jk g_b[k].
    // The shape gradients are the rows of B; that of node 0 makes the sum zero.
    const auto shape_gradient = [&](int a) {
      return a == 0 ? Vec<dim>(-rest.inverse_rest.colwise().sum().transpose())
                    : Vec<dim>(rest.inverse_rest.row(a - 1).transpose());
    };
    for (int a = 0; a <= dim; ++a) {
      const Vec<dim> ga = shape_gradient(a);
      for (int other = 0; other <= a; ++other, local += dim * dim) {
        const Vec<dim> gb = shape_gradient(other);
        Eigen::Map<Mat<dim>> target(local);
        for (int j = 0; j < dim; ++j) {
          for (int k = 0; k < dim; ++k) target += ga[j] * gb[k] * by_f.template block<dim, dim>(dim * j, dim * k);
        }
        if (a == other) target = (0.5 * (target + target.transpose())).eval();
      }
    }
  });
  // Usually no element is flat, and nothing is added.
  if (std::find(is_flat.begin(), is_flat.end(), 1) != is_flat.end()) elements_.assemble_hessians(scale, matrix);
}

template class InversionBarrier<2>;
template class InversionBarrier<3>;

}  // namespace clearance
