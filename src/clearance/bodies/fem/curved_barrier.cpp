#include "clearance/bodies/fem/curved_barrier.h"

#include <algorithm>
#include <numeric>

#include "clearance/base/contract.h"
#include "clearance/bodies/fem/inversion_barrier.h"
#include "clearance/geometry/volume_polynomial.h"
#include "clearance/math/log_barrier.h"

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

}  // namespace

template <int dim>
CurvedInversionBarrier<dim>::CurvedInversionBarrier(const CurvedElementMesh<dim>& mesh) {
  auto constant =
      std::make_shared<Constant>(Constant{mesh.shapes(), {}, {}, {}, {}, VolumeCoefficients<dim>(mesh.shape_order())});
  constant->all.resize(mesh.num_elements());
  std::iota(constant->all.begin(), constant->all.end(), 0);
  const auto size = static_cast<std::size_t>(constant->volume.num_per_part());
  std::vector<double> places, at_rest;
  StencilList stencils;
  for (const int e : constant->all) {
    stencils.add(constant->nodes_of(e));
    constant->shapes.places(e, mesh.x_rest, places);
    Element element;
    // Compute the coefficients of the undivided element at rest.
    element.first_unit = constant->units.size();
    constant->volume.values(places, 0, at_rest);
    // The mean of the coefficients is that of the volume function, so it gives the volume.
    constexpr double simplex = dim == 2 ? 0.5 : 1.0 / 6.0;
    const double volume = simplex * std::accumulate(at_rest.begin(), at_rest.end(), 0.0) / static_cast<double>(size);
    // Halve the element until all parts are valid at rest. The unit of a part is its smallest coefficient.
    for (element.depth = first_depth<dim>;; element.depth += dim) {
      constant->volume.values(places, element.depth, at_rest);
      constant->units.resize(element.first_unit);
      for (auto part = at_rest.begin(); part != at_rest.end(); part += static_cast<std::ptrdiff_t>(size)) {
        const double smallest = *std::min_element(part, part + static_cast<std::ptrdiff_t>(size));
        constant->units.push_back(smallest > 0.0 ? 1.0 / smallest : infinity);
      }
      const auto first = constant->units.begin() + static_cast<std::ptrdiff_t>(element.first_unit);
      if (element.depth == last_depth<dim> ||
          std::find(first, constant->units.end(), infinity) == constant->units.end())
        break;
    }
    // The coefficients of halves are means of those of the whole. Coefficients of the whole therefore need be no larger
    // than the larger bound of its halves.
    element.first_enough = constant->enough.size();
    const std::size_t num_parts = constant->units.size() - element.first_unit;
    constant->enough.resize(element.first_enough + 2 * num_parts - 1, -infinity);
    double* enough = constant->enough.data() + element.first_enough;
    for (std::size_t part = 0; part < num_parts; ++part) {
      const double unit = constant->units[element.first_unit + part];
      if (unit < infinity) enough[num_parts - 1 + part] = barrier_volume_fraction / unit;
    }
    for (std::size_t at = num_parts - 1; at-- > 0;) enough[at] = std::max(enough[2 * at + 1], enough[2 * at + 2]);
    // The stiffness is that of InversionBarrier, shared equally by the coefficients.
    const MaterialParameters& material =
        mesh.materials[static_cast<std::size_t>(mesh.material_of_element[static_cast<std::size_t>(e)])];
    element.stiffness = barrier_volume_fraction * (std::max(material.lambda, 0.0) + 2.0 * material.mu) * volume /
                        static_cast<double>(at_rest.size());
    constant->elements.push_back(element);
  }
  assembler_ = BlockAssembler(stencils, max_local_blocks);
  active_ = constant->all;
  constant_ = std::move(constant);
}

template <int dim>
void CurvedInversionBarrier<dim>::restrict_to(const std::vector<char>& part) {
  // An element is active if one of its nodes is in the part.
  active_.clear();
  for (const int e : constant_->all) {
    const std::span<const int> nodes = constant_->nodes_of(e);
    if (part.empty() ||
        std::any_of(nodes.begin(), nodes.end(), [&](int v) { return part[static_cast<std::size_t>(v)] != 0; })) {
      active_.push_back(e);
    }
  }
}

template <int dim>
void CurvedInversionBarrier<dim>::coefficients(int e, const VecX& x, std::vector<double>& places,
                                               std::vector<double>& y) const {
  const Element& element = constant_->elements[static_cast<std::size_t>(e)];
  // Evaluate the coefficients on the parts and scale them. Parts that certainly feel nothing get infinite ones; the
  // result is empty if the whole element feels nothing.
  constant_->shapes.places(e, x, places);
  constant_->volume.values(places, element.depth, constant_->enough_of(element), y);
  const auto size = static_cast<std::size_t>(constant_->volume.num_per_part());
  for (std::size_t k = 0; k < y.size(); ++k) y[k] *= constant_->units[element.first_unit + k / size];
}

template <int dim>
CompensatedSum CurvedInversionBarrier<dim>::energy(const VecX& x) const {
  return ordered_reduce(
      static_cast<int>(active_.size()), CompensatedSum{},
      [&](int i) {
        thread_local std::vector<double> places, y;
        const int e = active_[static_cast<std::size_t>(i)];
        coefficients(e, x, places, y);
        CompensatedSum sum;
        double energy = 0.0;
        // Sum the barrier over the coefficients below a tenth of the rest volume.
        for (const double c : y) {
          if (c < barrier_volume_fraction)
            energy += c > 0.0 ? log_barrier(c / barrier_volume_fraction, 1.0).value : infinity;
        }
        sum.add(constant_->elements[static_cast<std::size_t>(e)].stiffness * energy);
        return sum;
      },
      [](CompensatedSum a, const CompensatedSum& b) {
        // A sum with infinity must stay infinite, not become the difference of two infinities.
        if (!(a.sum < infinity && b.sum < infinity)) return CompensatedSum{infinity, 0.0};
        a.add(b);
        return a;
      },
      16);
}

template <int dim>
std::vector<int> CurvedInversionBarrier<dim>::elements_at_work(const VecX& x) const {
  // Find in parallel the elements with a coefficient in the barrier's range.
  std::vector<char> works(active_.size(), 0);
  parallel_for(static_cast<int>(active_.size()), 16, [&](int i) {
    thread_local std::vector<double> places, y;
    coefficients(active_[static_cast<std::size_t>(i)], x, places, y);
    works[static_cast<std::size_t>(i)] =
        std::any_of(y.begin(), y.end(), [](double c) { return c < barrier_volume_fraction; });
  });
  std::vector<int> elements;
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (works[i]) elements.push_back(active_[i]);
  }
  return elements;
}

template <int dim>
void CurvedInversionBarrier<dim>::weights_of(int e, const std::vector<double>& y, std::vector<double>& weights) const {
  const Element& element = constant_->elements[static_cast<std::size_t>(e)];
  const auto size = static_cast<std::size_t>(constant_->volume.num_per_part());
  weights.assign(y.size(), 0.0);
  for (std::size_t k = 0; k < y.size(); ++k) {
    // Coefficients beyond the barrier have no derivative.
    if (y[k] >= barrier_volume_fraction) continue;
    const double unit = constant_->units[element.first_unit + k / size] / barrier_volume_fraction;
    weights[k] = element.stiffness * unit * log_barrier(y[k] / barrier_volume_fraction, 1.0).first;
  }
}

template <int dim>
void CurvedInversionBarrier<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  // Elements this flat are few: compute their forces in parallel, then add them one after the other.
  const std::vector<int> elements = elements_at_work(x);
  const auto size = static_cast<std::size_t>(constant_->shapes.num_nodes() * dim);
  std::vector<double> forces(elements.size() * size, 0.0);
  parallel_for(static_cast<int>(elements.size()), 1, [&](int i) {
    thread_local std::vector<double> places, y, weights, of_shape;
    const auto at = static_cast<std::size_t>(i);
    coefficients(elements[at], x, places, y);
    // Chain rule: coefficients to the shape's nodes, and these to the displacements' nodes.
    weights_of(elements[at], y, weights);
    of_shape.assign(places.size(), 0.0);
    constant_->volume.add_gradient(places, constant_->elements[static_cast<std::size_t>(elements[at])].depth, weights,
                                   of_shape);
    constant_->shapes.pull_back(of_shape, std::span(forces).subspan(at * size, size));
  });
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double* force = forces.data() + i * size;
    for (const int node : constant_->nodes_of(elements[i])) {
      for (int k = 0; k < dim; ++k) gradient[dim * node + k] += scale * *force++;
    }
  }
}

template <int dim>
void CurvedInversionBarrier<dim>::write_hessian(int e, const VecX& x, bool is_exact, double* blocks) const {
  thread_local std::vector<double> places, y, weights, gradients, second, hessian, g;
  thread_local std::vector<int> which;
  const Element& element = constant_->elements[static_cast<std::size_t>(e)];
  const auto per_part = static_cast<std::size_t>(constant_->volume.num_per_part());
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
  const auto size = static_cast<std::size_t>(constant_->shapes.num_nodes() * dim);
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
        const double* source = hessian.data() + static_cast<std::size_t>(dim * b + column) * size + dim * a;
        blocks = std::copy_n(source, dim, blocks);
      }
    }
  }
}

template <int dim>
void CurvedInversionBarrier<dim>::assemble(const VecX& x, double scale, bool is_exact, BlockSparseMatrix& matrix) {
  const std::vector<int> elements = elements_at_work(x);
  if (elements.empty()) return;
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  const auto size = static_cast<std::size_t>(num_stencil_blocks(constant_->shapes.num_nodes()) * dim * dim);
  std::vector<double> locals;
  for (int batch = 0; batch < assembler_.num_batches(); ++batch) {
    // Process the active elements of each batch.
    const StencilRange range = assembler_.stencils_of(batch);
    const auto first = std::lower_bound(elements.begin(), elements.end(), range.begin);
    const auto last = std::lower_bound(first, elements.end(), range.end);
    if (first == last) continue;
    locals.assign(static_cast<std::size_t>(range.end - range.begin) * size, 0.0);
    parallel_for(static_cast<int>(last - first), 1, [&](int i) {
      const int e = first[i];
      write_hessian(e, x, is_exact, locals.data() + static_cast<std::size_t>(e - range.begin) * size);
    });
    assembler_.template add_to<dim>(matrix, locals, scale, batch);
  }
}

template <int dim>
void CurvedInversionBarrier<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  assemble(x, scale, false, matrix);
}

template <int dim>
void CurvedInversionBarrier<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                        BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  assemble(x, scale, true, matrix);
}

template <int dim>
double CurvedInversionBarrier<dim>::feasible_part(int e, const VecX& x, const VecX& dx) const {
  // Longest motion in sizes of the element. A coefficient is f0 + f' a + ... + leading a^dim; on longer ways it would
  // be lost in rounding.
  constexpr double max_motion = 16.0;
  thread_local std::vector<double> at, motion;
  thread_local std::vector<Lanes> volume;
  const Element& element = constant_->elements[static_cast<std::size_t>(e)];
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
StepLimit CurvedInversionBarrier<dim>::max_feasible_step(const VecX& x, const VecX& dx) {
  return ordered_reduce(
      static_cast<int>(active_.size()), StepLimit{},
      [&](int i) {
        const int e = active_[static_cast<std::size_t>(i)];
        const double alpha = feasible_part(e, x, dx);
        return alpha < 1.0 ? StepLimit{alpha, e} : StepLimit{};
      },
      [](const StepLimit& a, const StepLimit& b) { return b.alpha < a.alpha ? b : a; }, 16);
}

template <int dim>
bool CurvedInversionBarrier<dim>::is_feasible(const VecX& x) const {
  return energy(x).value() < infinity;
}

template class CurvedInversionBarrier<2>;
template class CurvedInversionBarrier<3>;

}  // namespace clearance
