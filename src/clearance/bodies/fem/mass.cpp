#include "clearance/bodies/fem/mass.h"

#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <numbers>

#include "clearance/base/contract.h"
#include "clearance/bodies/fem/point_radii.h"

namespace clearance {
namespace {

/// Largest number of blocks of local matrices that exist at a time.
constexpr std::int64_t max_local_blocks = 128 * 1024;

/// Returns the masses [kg] of linear elements.
template <int dim>
std::vector<double> linear_masses(const ElementMesh<dim>& mesh) {
  std::vector<double> masses = compute_volumes(mesh, mesh.x_rest);
  for (std::size_t e = 0; e < masses.size(); ++e) masses[e] *= mesh.material_of(e).density;
  return masses;
}

/// Returns the lower triangles of the matrices [kg] of elements of a higher order: rho phi_a phi_b det D0, integrated
/// exactly.
template <int dim>
std::vector<double> element_matrices(const ElementMesh<dim>& mesh) {
  const int degree = 2 * mesh.order + dim * (mesh.shape_order() - 1) + (mesh.is_axisymmetric ? mesh.shape_order() : 0);
  const std::vector<QuadraturePoint> points = conical_quadrature(dim, degree);
  // Evaluate shape functions and D0 at the points of the rule.
  const std::size_t num_nodes = mesh.num_nodes(), size = num_nodes * (num_nodes + 1) / 2;
  const RestMap<dim> rest(mesh, points);
  const PointRadii<dim> radii(mesh, points);
  std::vector<std::vector<double>> values(points.size(), std::vector<double>(num_nodes));
  for (std::size_t q = 0; q < points.size(); ++q) lagrange_values(dim, mesh.order, points[q].at, values[q]);
  std::vector<double> matrices(mesh.num_elements() * size, 0.0);
  parallel_for(static_cast<int>(mesh.num_elements()), 16, [&](int i) {
    const std::size_t e = i;
    for (std::size_t q = 0; q < points.size(); ++q) {
      const double mass = mesh.material_of(e).density * points[q].weight * simplex_volume<dim> *
                          rest.derivative(static_cast<int>(q), e).determinant() * radii.turn(static_cast<int>(q), e);
      double* entry = matrices.data() + e * size;
      for (std::size_t a = 0; a < num_nodes; ++a) {
        for (std::size_t b = 0; b <= a; ++b) *entry++ += mass * values[q][a] * values[q][b];
      }
    }
  });
  return matrices;
}

template <int dim>
void add_curved_stiffness(const ElementMesh<dim>& mesh, VecX& stiffness) {
  const std::vector<QuadraturePoint> points =
      conical_quadrature(dim, 2 * (mesh.order - 1) + dim * (mesh.shape_order() - 1));
  const ShapeGradients<dim> gradients(mesh.order, points);
  const RestMap<dim> rest(mesh, points);
  const PointRadii<dim> radii(mesh, points);
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    const MaterialParameters& material = mesh.material_of(e);
    // The mean eigenvalue of a node's block is this modulus times the integral of |grad phi|^2, as for linear elements.
    const double modulus = (material.lambda + (1 + dim) * material.mu) / dim;
    const std::span<const int> nodes = mesh.nodes_of(e);
    for (int q = 0; q < gradients.num_points(); ++q) {
      // Integrate |grad phi|^2 over the element at rest.
      const Mat<dim> derivative = rest.derivative(q, e);
      const double volume = points[q].weight * simplex_volume<dim> * derivative.determinant() * radii.turn(q, e);
      const Mat<dim> inverse = derivative.inverse();
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const Eigen::Map<const Vec<dim>> slope(gradients.of_point(q) + a * dim);
        stiffness[nodes[a]] += volume * modulus * (inverse.transpose() * slope).squaredNorm();
      }
    }
  }
}

}  // namespace

template <int dim>
VecX lumped_mass(const ElementMesh<dim>& mesh) {
  VecX mass = VecX::Zero(mesh.x_rest.size() / dim);
  const std::vector<double> masses = linear_masses(mesh);
  if (mesh.is_axisymmetric) {
    // The row sums of the mass matrix: the integral of rho 2 pi R phi_a is the mass of the area times
    // 2 pi (R_0 + R_1 + R_2 + R_a) / 12.
    for (std::size_t e = 0; e < masses.size(); ++e) {
      double sum = 0.0;
      for (const int node : mesh.nodes_of(e)) sum += mesh.x_rest[dim * node];
      for (const int node : mesh.nodes_of(e)) {
        mass[node] += masses[e] * (std::numbers::pi / 6.0) * (sum + mesh.x_rest[dim * node]);
      }
    }
    return mass;
  }
  for (std::size_t e = 0; e < masses.size(); ++e) {
    for (const int node : mesh.nodes_of(e)) mass[node] += masses[e] / (dim + 1);
  }
  return mass;
}

template <int dim>
void add_rest_stiffness(const ElementMesh<dim>& mesh, VecX& stiffness) {
  if (!mesh.is_linear() || mesh.is_axisymmetric) return add_curved_stiffness(mesh, stiffness);
  const std::vector<double> volumes = compute_volumes(mesh, mesh.x_rest);
  for (std::size_t e = 0; e < volumes.size(); ++e) {
    // The rows are the gradients of the shape functions of all nodes but the first, whose gradient is minus their sum.
    const Mat<dim> gradients = edge_matrix<dim>(mesh.x_rest, mesh.nodes_of(e)).inverse();
    const MaterialParameters& material = mesh.material_of(e);
    const double modulus = (material.lambda + (1 + dim) * material.mu) / dim;
    for (int a = 0; a <= dim; ++a) {
      const Vec<dim> gradient =
          a == 0 ? Vec<dim>(-gradients.colwise().sum().transpose()) : Vec<dim>(gradients.row(a - 1).transpose());
      stiffness[mesh.nodes_of(e)[a]] += volumes[e] * modulus * gradient.squaredNorm();
    }
  }
}

template <int dim>
std::vector<Vec<dim>> shape_moments(const ElementMesh<dim>& mesh) {
  const int shape_order = mesh.shape_order();
  const std::vector<QuadraturePoint> points = conical_quadrature(dim, shape_order + dim * (shape_order - 1));
  const RestMap<dim> rest(mesh, points);
  std::vector<double> of_shape(num_lagrange_nodes(dim, shape_order));
  std::vector<double> of_nodes(mesh.num_nodes());
  std::vector<Vec<dim>> moments(mesh.num_elements(), Vec<dim>::Zero());
  for (std::size_t q = 0; q < points.size(); ++q) {
    // Values of the shape functions of the shape and of the displacements at the point.
    lagrange_values(dim, shape_order, points[q].at, of_shape);
    lagrange_values(dim, mesh.order, points[q].at, of_nodes);
    for (std::size_t e = 0; e < moments.size(); ++e) {
      // The offset is the shape's position minus that of the displacements' nodes.
      const double* place = mesh.shapes_at_rest.data() + e * of_shape.size() * dim;
      Vec<dim> offset = Vec<dim>::Zero();
      for (std::size_t s = 0; s < of_shape.size(); ++s)
        offset += of_shape[s] * Eigen::Map<const Vec<dim>>(place + s * dim);
      for (std::size_t a = 0; a < of_nodes.size(); ++a)
        offset -= of_nodes[a] * block<dim>(mesh.x_rest, mesh.nodes_of(e)[a]);
      const double density = mesh.material_of(e).density;
      moments[e] += density * points[q].weight * simplex_volume<dim> *
                    rest.derivative(static_cast<int>(q), e).determinant() * offset;
    }
  }
  return moments;
}

// --- the matrix of the elements of one mesh ---

template <int dim>
ElementMass<dim>::ElementMass(const ElementMesh<dim>& mesh)
    : is_linear_(mesh.is_linear() && !mesh.is_axisymmetric),
      num_nodes_(mesh.num_nodes()),
      size_(is_linear_ ? 1 : num_nodes_ * (num_nodes_ + 1) / 2),
      nodes_(std::make_shared<const std::vector<int>>(mesh.nodes)),
      matrices_(
          std::make_shared<const std::vector<double>>(is_linear_ ? linear_masses(mesh) : element_matrices(mesh))) {
  // Elements are stencils of all their nodes.
  StencilList stencils;
  for (std::size_t e = 0; e < num_elements(); ++e) stencils.add(nodes_of(e));
  assembler_ = BlockAssembler(stencils, is_linear_ ? std::numeric_limits<std::int64_t>::max() : max_local_blocks);
  sum_weights();
}

/// Sums the weights of the blocks of linear elements. The blocks are constant: the identity times one weight per pair
/// of nodes.
template <int dim>
void ElementMass<dim>::sum_weights() {
  if (!is_linear_) return;
  // A pair of different nodes has the weight once, a node with itself twice.
  std::vector<double> locals;
  locals.reserve(num_elements() * num_stencil_blocks(dim + 1));
  for (std::size_t e = 0; e < num_elements(); ++e) {
    const double of_pair = weight(e);
    for (int a = 0; a <= dim; ++a) {
      for (int b = 0; b <= a; ++b) locals.push_back(a == b ? 2 * of_pair : of_pair);
    }
  }
  weights_ = assembler_.sum_factors(locals);
}

template <int dim>
void ElementMass<dim>::set_factors(const std::vector<double>& of_blocks) {
  factors_ = of_blocks;
  sum_weights();
}

template <int dim>
void ElementMass<dim>::add_row_sums(VecX& sums) const {
  for (std::size_t e = 0; e < num_elements(); ++e) {
    const double* entry = matrix_of(e);
    // Each entry of the lower triangle stands for two entries of the matrix.
    for (std::size_t a = 0; a < num_nodes_; ++a) {
      for (std::size_t b = 0; b <= a; ++b, ++entry) {
        sums[nodes_of(e)[a]] += *entry;
        if (a != b) sums[nodes_of(e)[b]] += *entry;
      }
    }
  }
}

template <int dim>
void ElementMass<dim>::add_shares(VecX& masses) const {
  for (std::size_t e = 0; e < num_elements(); ++e) {
    const double* entry = matrix_of(e);
    // The share of a node is the element's mass times its diagonal entry over the trace.
    double mass = 0.0, trace = 0.0;
    for (std::size_t a = 0; a < num_nodes_; ++a) {
      for (std::size_t b = 0; b <= a; ++b, ++entry) mass += a == b ? *entry : 2.0 * *entry;
      trace += entry[-1];
    }
    entry = matrix_of(e);
    for (std::size_t a = 0; a < num_nodes_; ++a) {
      entry += a + 1;
      masses[nodes_of(e)[a]] += mass * entry[-1] / trace;
    }
  }
}

/// Returns weight * (|sum of the nodes|^2 + sum of squares) / 2.
template <int dim>
double ElementMass<dim>::linear_energy(std::size_t e, const VecX& d) const {
  Vec<dim> sum = Vec<dim>::Zero();
  double squares = 0.0;
  for (const int node : nodes_of(e)) {
    sum += block<dim>(d, node);
    squares += block<dim>(d, node).squaredNorm();
  }
  return 0.5 * weight(e) * (sum.squaredNorm() + squares);
}

/// Returns 1/2 d^T M d from the lower triangle: entries off the diagonal count twice.
template <int dim>
double ElementMass<dim>::element_energy(std::size_t e, const VecX& d) const {
  const std::span<const int> nodes = nodes_of(e);
  const double* entry = matrix_of(e);
  double sum = 0.0;
  for (std::size_t a = 0; a < num_nodes_; ++a) {
    Vec<dim> others = Vec<dim>::Zero();
    for (std::size_t b = 0; b < a; ++b) others += *entry++ * block<dim>(d, nodes[b]);
    const Vec<dim> own = block<dim>(d, nodes[a]);
    sum += own.dot(others) + 0.5 * *entry++ * own.squaredNorm();
  }
  return factor(e) * sum;
}

template <int dim>
CompensatedSum ElementMass<dim>::energy(const VecX& d) const {
  return ordered_sum(static_cast<int>(num_elements()), [&](int i) {
    const std::size_t e = i;
    return is_linear_ ? linear_energy(e, d) : element_energy(e, d);
  });
}

template <int dim>
void ElementMass<dim>::add_product(const VecX& d, double scale, VecX& result) const {
  for (std::size_t e = 0; e < num_elements(); ++e) {
    const std::span<const int> nodes = nodes_of(e);
    if (is_linear_) {
      // Each node gets weight * (sum of the nodes + its own d).
      const double of_pair = scale * weight(e);
      Vec<dim> sum = Vec<dim>::Zero();
      for (const int node : nodes) sum += block<dim>(d, node);
      for (const int node : nodes) block<dim>(result, node) += of_pair * (sum + block<dim>(d, node));
      continue;
    }
    // Entries off the diagonal act in both directions.
    const double* entry = matrix_of(e);
    const double of_element = scale * factor(e);
    for (std::size_t a = 0; a < num_nodes_; ++a) {
      for (std::size_t b = 0; b <= a; ++b, ++entry) {
        block<dim>(result, nodes[a]) += of_element * *entry * block<dim>(d, nodes[b]);
        if (a != b) block<dim>(result, nodes[b]) += of_element * *entry * block<dim>(d, nodes[a]);
      }
    }
  }
}

template <int dim>
void ElementMass<dim>::add_to(double scale, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  if (is_linear_) return assembler_.template add_identities<dim>(matrix, weights_, scale);
  for (int batch = 0; batch < assembler_.num_batches(); ++batch) {
    const StencilRange range = assembler_.stencils_of(batch);
    // A local block is the entry times the identity.
    locals_.assign((range.end - range.begin) * size_ * dim * dim, 0.0);
    parallel_for(range.end - range.begin, 16, [&](int i) {
      const std::size_t e = range.begin + i;
      double* local = locals_.data() + i * size_ * dim * dim;
      const double* entries = matrix_of(e);
      for (std::size_t k = 0; k < size_; ++k, local += dim * dim) {
        for (std::size_t r = 0; r < dim; ++r) local[r * (dim + 1)] = factor(e) * entries[k];
      }
    });
    assembler_.template add_to<dim>(matrix, locals_, scale, batch);
  }
}

// --- the mass of a scene ---

template <int dim>
ConsistentMass<dim>::ConsistentMass(const std::vector<ElementMesh<dim>>& meshes, const VecX& others) {
  // Collect the keys of elements and single masses.
  for (const ElementMesh<dim>& mesh : meshes) {
    elements_.emplace_back(mesh);
    keys_.insert(keys_.end(), elements_.back().keys().begin(), elements_.back().keys().end());
  }
  for (int b = 0; b < others.size(); ++b) {
    if (others[b] == 0.0) continue;
    others_.push_back({b, others[b]});
    keys_.push_back(make_block_key(b, b));
  }
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
}

template <int dim>
void ConsistentMass<dim>::set_factors(const std::vector<double>& of_blocks) {
  if (factors_ == of_blocks) return;
  factors_ = of_blocks;
  for (ElementMass<dim>& mass : elements_) mass.set_factors(of_blocks);
}

template <int dim>
void ConsistentMass<dim>::add_to(double scale, BlockSparseMatrix& matrix) {
  for (ElementMass<dim>& mass : elements_) mass.add_to(scale, matrix);
  for (const auto& [b, mass] : others_) {
    matrix.add_to_slot<dim>(matrix.find_slot(b, b), matrix.slot_stride(b),
                            Mat<dim>(scale * factor(b) * mass * Mat<dim>::Identity()));
  }
}

template <int dim>
void ConsistentMass<dim>::add_product(const VecX& d, double scale, VecX& result) const {
  for (const ElementMass<dim>& mass : elements_) mass.add_product(d, scale, result);
  for (const auto& [b, mass] : others_) block<dim>(result, b) += scale * factor(b) * mass * block<dim>(d, b);
}

template <int dim>
CompensatedSum ConsistentMass<dim>::energy(const VecX& d) const {
  CompensatedSum total;
  for (const ElementMass<dim>& mass : elements_) total.add(mass.energy(d));
  for (const auto& [b, mass] : others_) total.add(0.5 * factor(b) * mass * block<dim>(d, b).squaredNorm());
  return total;
}

template VecX lumped_mass(const ElementMesh<2>&);
template VecX lumped_mass(const ElementMesh<3>&);
template void add_rest_stiffness(const ElementMesh<2>&, VecX&);
template void add_rest_stiffness(const ElementMesh<3>&, VecX&);
template std::vector<Vec<2>> shape_moments(const ElementMesh<2>&);
template std::vector<Vec<3>> shape_moments(const ElementMesh<3>&);
template class ElementMass<2>;
template class ElementMass<3>;
template class ConsistentMass<2>;
template class ConsistentMass<3>;

}  // namespace clearance
