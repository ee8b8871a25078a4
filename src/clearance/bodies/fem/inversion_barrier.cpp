#include "clearance/bodies/fem/inversion_barrier.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "clearance/base/contract.h"
#include "clearance/bodies/fem/energy_sum.h"
#include "clearance/bodies/fem/step_bound.h"
#include "clearance/geometry/volume_polynomial.h"
#include "clearance/math/log_barrier.h"
#include "clearance/math/psd.h"

namespace clearance {
namespace {

/// Largest number of blocks of local Hessians that exist at a time.
constexpr std::int64_t max_local_blocks = 128 * 1024;

/// Depths of the subdivision: at first parts of half the element's size in every direction, at most three such halvings
/// for elements whose coefficients at rest do not show earlier that they are valid.
template <int dim>
constexpr int first_depth = dim;
template <int dim>
constexpr int last_depth = 3 * dim;

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
  // d(f1 x f2)/df1 v is v x f2, and the other derivatives follow by turning the indices.
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

/// Returns w = J0 (lambda + 2 mu) [Pa]; a negative lambda counts as zero.
double barrier_modulus(const MaterialParameters& material) {
  return barrier_volume_fraction * (std::max(material.lambda, 0.0) + 2.0 * material.mu);
}

/// Returns the length [m] of the circle on which the mean of the corners turns; 1 if the mesh is not axisymmetric.
template <int dim>
double turn_of(const ElementMesh<dim>& mesh, std::size_t e) {
  if (!mesh.is_axisymmetric) return 1.0;
  double sum = 0.0;
  for (std::size_t i = 0; i <= dim; ++i) sum += mesh.x_rest[dim * mesh.nodes_of(e)[i]];
  return 2.0 * std::numbers::pi * sum / (dim + 1);
}

}  // namespace

template <int dim>
InversionBarrier<dim>::InversionBarrier(const ElementMesh<dim>& mesh, GuardedElements guarded) {
  // Take the elements whose own energy stays finite somewhere inside, or all.
  std::vector<std::size_t> members;
  std::vector<int> nodes;
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    if (mesh.is_linear() && guarded != GuardedElements::all && is_barrier_model(mesh.material_of(e).model)) continue;
    members.push_back(e);
    nodes.insert(nodes.end(), mesh.nodes_of(e).begin(), mesh.nodes_of(e).end());
  }
  auto constant = std::make_shared<Constant>(Constant{
      mesh.is_linear(), ElementShapes<dim>(mesh.order, mesh.shape_order(), nodes, mesh.x_rest, mesh.shapes_at_rest),
      VolumeCoefficients<dim>(mesh.shape_order())});
  std::vector<double> places;
  StencilList stencils;
  for (const std::size_t e : members) {
    stencils.add(mesh.nodes_of(e));
    if (mesh.is_linear()) {
      constant->elements.push_back(linear_element(mesh, e));
      constant->elements.back().volume *= turn_of(mesh, e);
      continue;
    }
    constant->shapes.places(static_cast<int>(e), mesh.x_rest, places);
    constant->elements.push_back(curved_element(places, mesh.material_of(e), *constant));
    constant->elements.back().stiffness *= turn_of(mesh, e);
  }
  assembler_ = BlockAssembler(stencils, mesh.is_linear() ? std::numeric_limits<std::int64_t>::max() : max_local_blocks);
  active_.resize(members.size());
  std::iota(active_.begin(), active_.end(), 0);
  if (mesh.is_linear() && guarded == GuardedElements::all) bounded_.emplace(mesh, active_);
  constant_ = std::move(constant);
}

template <int dim>
auto InversionBarrier<dim>::linear_element(const ElementMesh<dim>& mesh, std::size_t member) -> Element {
  const Mat<dim> edges = edge_matrix<dim>(mesh.x_rest, mesh.nodes_of(member));
  Element element;
  element.volume = edges.determinant() / (dim == 2 ? 2.0 : 6.0);
  element.stiffness = barrier_modulus(mesh.material_of(member));
  element.inverse_rest = edges.inverse();
  return element;
}

/// Returns an element with these places of its nodes at rest, and appends its units.
template <int dim>
auto InversionBarrier<dim>::curved_element(const std::vector<double>& places, const MaterialParameters& material,
                                           Constant& constant) -> Element {
  const auto size = static_cast<std::ptrdiff_t>(constant.volume.num_per_part());
  Element element;
  element.first_unit = constant.units.size();
  // The mean of the coefficients of the undivided element is that of the volume function, so it gives the volume.
  std::vector<double> at_rest;
  constant.volume.values(places, 0, at_rest);
  element.volume =
      simplex_volume<dim> * std::accumulate(at_rest.begin(), at_rest.end(), 0.0) / static_cast<double>(size);
  // Halve the element until all parts are valid at rest. The unit of a part is its smallest coefficient.
  for (element.depth = first_depth<dim>;; element.depth += dim) {
    constant.volume.values(places, element.depth, at_rest);
    constant.units.resize(element.first_unit);
    for (auto part = at_rest.begin(); part != at_rest.end(); part += size) {
      const double smallest = *std::min_element(part, part + size);
      constant.units.push_back(smallest > 0.0 ? 1.0 / smallest : infinity);
    }
    const auto first = constant.units.begin() + static_cast<std::ptrdiff_t>(element.first_unit);
    if (element.depth == last_depth<dim> || std::find(first, constant.units.end(), infinity) == constant.units.end()) {
      break;
    }
  }
  find_enough(element, constant);
  // The stiffness is that of a linear element, shared equally by the coefficients.
  element.stiffness = barrier_modulus(material) * element.volume / static_cast<double>(at_rest.size());
  return element;
}

/// Finds the values above which coefficients feel nothing. The coefficients of halves are means of those of the whole,
/// which therefore need be no larger than the larger bound of its halves.
template <int dim>
void InversionBarrier<dim>::find_enough(Element& element, Constant& constant) {
  element.first_enough = constant.enough.size();
  const std::size_t num_parts = constant.units.size() - element.first_unit;
  constant.enough.resize(element.first_enough + 2 * num_parts - 1, -infinity);
  double* enough = constant.enough.data() + element.first_enough;
  for (std::size_t part = 0; part < num_parts; ++part) {
    const double unit = constant.units[element.first_unit + part];
    if (unit < infinity) enough[num_parts - 1 + part] = barrier_volume_fraction / unit;
  }
  for (std::size_t at = num_parts - 1; at-- > 0;) enough[at] = std::max(enough[2 * at + 1], enough[2 * at + 2]);
}

template <int dim>
void InversionBarrier<dim>::restrict_to(const std::vector<char>& part) {
  // Linear elements are cheap here, and all of them take part.
  if (constant_->is_linear) return;
  // An element is active if one of its nodes is in the part.
  active_.clear();
  for (int e = 0; e < static_cast<int>(constant_->elements.size()); ++e) {
    const std::span<const int> nodes = constant_->nodes_of(e);
    if (part.empty() || std::any_of(nodes.begin(), nodes.end(), [&](int v) { return part[v] != 0; })) {
      active_.push_back(e);
    }
  }
}

template <int dim>
void InversionBarrier<dim>::coefficients(int e, const VecX& x, std::vector<double>& places,
                                         std::vector<double>& y) const {
  const Element& element = this->element(e);
  // Evaluate the coefficients on the parts and scale them. Parts that certainly feel nothing get infinite ones; the
  // result is empty if the whole element feels nothing.
  constant_->shapes.places(e, x, places);
  constant_->volume.values(places, element.depth, constant_->enough_of(element), y);
  const std::size_t size = constant_->volume.num_per_part();
  for (std::size_t k = 0; k < y.size(); ++k) y[k] *= constant_->units[element.first_unit + k / size];
}

template <int dim>
double InversionBarrier<dim>::element_energy(int e, const VecX& x) const {
  const Element& rest = element(e);
  if (constant_->is_linear) {
    return rest.volume * rest.stiffness * volume_barrier(deformation_gradient(e, x).determinant()).value;
  }
  thread_local std::vector<double> places, y;
  coefficients(e, x, places, y);
  // Sum the barrier over the coefficients below a tenth of the rest volume.
  double energy = 0.0;
  for (const double c : y) {
    if (c < barrier_volume_fraction) energy += c > 0.0 ? log_barrier(c / barrier_volume_fraction, 1.0).value : infinity;
  }
  return rest.stiffness * energy;
}

template <int dim>
CompensatedSum InversionBarrier<dim>::energy(const VecX& x) const {
  return sum_energies(
      static_cast<int>(active_.size()),
      [&](int i) {
        CompensatedSum sum;
        sum.add(element_energy(active_[i], x));
        return sum;
      },
      grain());
}

template <int dim>
bool InversionBarrier<dim>::is_at_work(int e, const VecX& x) const {
  if (constant_->is_linear) return deformation_gradient(e, x).determinant() < barrier_volume_fraction;
  thread_local std::vector<double> places, y;
  coefficients(e, x, places, y);
  return std::any_of(y.begin(), y.end(), [](double c) { return c < barrier_volume_fraction; });
}

template <int dim>
std::vector<int> InversionBarrier<dim>::elements_at_work(const VecX& x) const {
  // Find in parallel the elements with a coefficient in the barrier's range.
  std::vector<char> works(active_.size(), 0);
  parallel_for(static_cast<int>(active_.size()), grain(), [&](int i) { works[i] = is_at_work(active_[i], x); });
  std::vector<int> elements;
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (works[i]) elements.push_back(active_[i]);
  }
  return elements;
}

template <int dim>
void InversionBarrier<dim>::weights_of(int e, const std::vector<double>& y, std::vector<double>& weights) const {
  const Element& element = this->element(e);
  const std::size_t size = constant_->volume.num_per_part();
  weights.assign(y.size(), 0.0);
  for (std::size_t k = 0; k < y.size(); ++k) {
    // Coefficients beyond the barrier have no derivative.
    if (y[k] >= barrier_volume_fraction) continue;
    const double unit = constant_->units[element.first_unit + k / size] / barrier_volume_fraction;
    weights[k] = element.stiffness * unit * log_barrier(y[k] / barrier_volume_fraction, 1.0).first;
  }
}

template <int dim>
void InversionBarrier<dim>::add_linear_forces(int e, const VecX& x, double scale, VecX& gradient) const {
  const Element& rest = element(e);
  const Mat<dim> f = deformation_gradient(e, x);
  const double first = volume_barrier(f.determinant()).first;
  // The gradient of node a is P g_a, where g_a is row a - 1 of B and g_0 makes the sum zero.
  const Mat<dim> forces = (scale * rest.volume * rest.stiffness * first) * cofactors(f) * rest.inverse_rest.transpose();
  const std::span<const int> nodes = constant_->nodes_of(e);
  for (int a = 0; a < dim; ++a) {
    block<dim>(gradient, nodes[a + 1]) += forces.col(a);
    block<dim>(gradient, nodes[0]) -= forces.col(a);
  }
}

template <int dim>
void InversionBarrier<dim>::store_forces(int e, const VecX& x, std::span<double> forces) const {
  thread_local std::vector<double> places, y, weights, of_shape;
  coefficients(e, x, places, y);
  // The chain rule leads from the coefficients to the shape's nodes, and from these to the displacements' nodes.
  weights_of(e, y, weights);
  of_shape.assign(places.size(), 0.0);
  constant_->volume.add_gradient(places, element(e).depth, weights, of_shape);
  constant_->shapes.pull_back(of_shape, forces);
}

template <int dim>
void InversionBarrier<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  // Elements this flat are few: compute their forces in parallel, then add them one after the other.
  const std::vector<int> elements = elements_at_work(x);
  if (constant_->is_linear) {
    for (const int e : elements) add_linear_forces(e, x, scale, gradient);
    return;
  }
  const std::size_t size = constant_->shapes.num_nodes() * dim;
  std::vector<double> forces(elements.size() * size, 0.0);
  parallel_for(static_cast<int>(elements.size()), 1, [&](int i) {
    const std::size_t at = i;
    store_forces(elements[at], x, std::span(forces).subspan(at * size, size));
  });
  const double* force = forces.data();
  for (const int e : elements) {
    for (const int node : constant_->nodes_of(e)) {
      for (int k = 0; k < dim; ++k) gradient[dim * node + k] += scale * *force++;
    }
  }
}

template <int dim>
void InversionBarrier<dim>::write_linear_hessian(int e, const VecX& x, double* blocks) const {
  const Element& rest = element(e);
  const Mat<dim> f = deformation_gradient(e, x);
  const BarrierValue b = volume_barrier(f.determinant());
  // The Hessian by F is b'' dJ dJ^T + b' d2J, projected to PSD.
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
    for (int other = 0; other <= a; ++other, blocks += dim * dim) {
      const Vec<dim> gb = shape_gradient(other);
      Eigen::Map<Mat<dim>> target(blocks);
      for (int j = 0; j < dim; ++j) {
        for (int k = 0; k < dim; ++k) target += ga[j] * gb[k] * by_f.template block<dim, dim>(dim * j, dim * k);
      }
      if (a == other) target = (0.5 * (target + target.transpose())).eval();
    }
  }
}

template <int dim>
void InversionBarrier<dim>::write_hessian(int e, const VecX& x, bool is_exact, double* blocks) const {
  if (constant_->is_linear) return write_linear_hessian(e, x, blocks);
  thread_local std::vector<double> places, y, weights, gradients, second, hessian, g;
  thread_local std::vector<int> which;
  const Element& element = this->element(e);
  const std::size_t per_part = constant_->volume.num_per_part();
  coefficients(e, x, places, y);
  // Find the coefficients that feel the barrier, with b'' of each.
  which.clear();
  second.clear();
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (y[k] >= barrier_volume_fraction) continue;
    const double unit = constant_->units[element.first_unit + k / per_part] / barrier_volume_fraction;
    which.push_back(static_cast<int>(k));
    second.push_back(element.stiffness * unit * unit * log_barrier(y[k] / barrier_volume_fraction, 1.0).second);
  }
  constant_->volume.gradients(places, element.depth, which, gradients);
  const std::size_t size = constant_->shapes.num_nodes() * dim;
  // The exact Hessian adds b' times the second derivatives of the coefficients.
  if (is_exact) {
    weights_of(e, y, weights);
    constant_->volume.hessian(places, element.depth, weights, hessian);
    constant_->shapes.pull_back_hessian(hessian);
  } else {
    hessian.assign(size * size, 0.0);
  }
  // Add b'' grad c grad c^T for each coefficient, in the lower triangle.
  for (std::size_t i = 0; i < which.size(); ++i) {
    g.assign(size, 0.0);
    constant_->shapes.pull_back(std::span(gradients).subspan(i * places.size(), places.size()), g);
    for (std::size_t column = 0; column < size; ++column) {
      const double factor = second[i] * g[column];
      double* target = hessian.data() + column * size;
      for (std::size_t row = column / dim * dim; row < size; ++row) target[row] += factor * g[row];
    }
  }
  // Copy the blocks of the lower triangle in the order of BlockAssembler.
  for (int a = 0; a < constant_->shapes.num_nodes(); ++a) {
    for (int b = 0; b <= a; ++b) {
      for (int column = 0; column < dim; ++column) {
        const double* source = hessian.data() + (dim * b + column) * size + dim * a;
        blocks = std::copy_n(source, dim, blocks);
      }
    }
  }
}

template <int dim>
void InversionBarrier<dim>::assemble(const VecX& x, double scale, bool is_exact, BlockSparseMatrix& matrix) {
  const std::vector<int> elements = elements_at_work(x);
  if (elements.empty()) return;
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  const std::size_t size = num_stencil_blocks(constant_->shapes.num_nodes()) * dim * dim;
  std::vector<double> locals;
  for (int batch = 0; batch < assembler_.num_batches(); ++batch) {
    // Process the active elements of each batch.
    const StencilRange range = assembler_.stencils_of(batch);
    const auto first = std::lower_bound(elements.begin(), elements.end(), range.begin);
    const auto last = std::lower_bound(first, elements.end(), range.end);
    if (first == last) continue;
    locals.assign((range.end - range.begin) * size, 0.0);
    parallel_for(static_cast<int>(last - first), 1, [&](int i) {
      const int e = first[i];
      write_hessian(e, x, is_exact, locals.data() + (e - range.begin) * size);
    });
    assembler_.template add_to<dim>(matrix, locals, scale, batch);
  }
}

template <int dim>
void InversionBarrier<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  assemble(x, scale, false, matrix);
}

template <int dim>
void InversionBarrier<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                  BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  assemble(x, scale, true, matrix);
}

template <int dim>
double InversionBarrier<dim>::feasible_part(int e, const VecX& x, const VecX& dx) const {
  // The longest motion is in sizes of the element. A coefficient is f0 + f' a + ... + leading a^dim; on longer ways it
  // would be lost in rounding.
  constexpr double max_motion = 16.0;
  thread_local std::vector<double> at, motion;
  thread_local std::vector<Lanes> volume;
  const Element& element = this->element(e);
  constant_->shapes.places(e, x, at);
  constant_->shapes.motions(e, dx, motion);
  // Shorten the motion if it is longer than that.
  double size = 0.0, largest = 0.0;
  for (std::size_t i = dim; i < at.size(); ++i) {
    size = std::max(size, std::abs(at[i] - at[i % dim]));
    largest = std::max(largest, std::abs(motion[i] - motion[i % dim]));
  }
  const double length = largest > max_motion * size ? max_motion * size / largest : 1.0;
  for (double& entry : motion) entry *= length;
  constant_->volume.values_on_way(at, motion, element.depth, constant_->enough_of(element), volume);
  // Each coefficient is a cubic in the step, given by its Bernstein coefficients c[0] to c[3]. Find how far it keeps a
  // fifth of its value; infinite ones are far from the barrier.
  double alpha = 1.0;
  for (const Lanes& c : volume) {
    if (!(c[0] < infinity)) continue;
    alpha = std::min(
        alpha, find_positive_prefix({(1.0 - kept_volume_fraction) * c[0], 3.0 * (c[1] - c[0]),
                                     3.0 * ((c[0] - c[1]) - (c[1] - c[2])), (c[3] - c[0]) + 3.0 * (c[1] - c[2])}));
  }
  return alpha * length;
}

template <int dim>
StepLimit InversionBarrier<dim>::max_feasible_step(const VecX& x, const VecX& dx) {
  if (bounded_) return bound_step(*bounded_, x, dx, x_trial_);
  if (constant_->is_linear) return {};
  return ordered_reduce(
      static_cast<int>(active_.size()), StepLimit{},
      [&](int i) {
        const int e = active_[i];
        const double alpha = feasible_part(e, x, dx);
        return alpha < 1.0 ? StepLimit{alpha, e} : StepLimit{};
      },
      [](const StepLimit& a, const StepLimit& b) { return b.alpha < a.alpha ? b : a; }, grain());
}

template <int dim>
bool InversionBarrier<dim>::is_feasible(const VecX& x) const {
  if (bounded_) return find_inverted_element(*bounded_, x) < 0;
  return constant_->is_linear || energy(x).value() < infinity;
}

template class InversionBarrier<2>;
template class InversionBarrier<3>;

}  // namespace clearance
