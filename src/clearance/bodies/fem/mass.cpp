#include "clearance/bodies/fem/mass.h"

#include <Eigen/LU>
#include <algorithm>

#include "clearance/base/contract.h"

namespace clearance {
namespace {

template <int dim>
std::vector<double> element_masses(const ElementMesh<dim>& mesh) {
  std::vector<double> masses = compute_volumes<dim>(mesh.x_rest, mesh.elements);
  for (std::size_t e = 0; e < masses.size(); ++e) masses[e] *= mesh.materials[mesh.material_of_element[e]].density;
  return masses;
}

}  // namespace

template <int dim>
std::vector<double> compute_volumes(const VecX& x, const std::vector<std::array<int, dim + 1>>& elements) {
  std::vector<double> volumes;
  volumes.reserve(elements.size());
  for (const auto& nodes : elements) {
    volumes.push_back(edge_matrix<dim>(x, nodes).determinant() / (dim == 2 ? 2 : 6));
  }
  return volumes;
}

template <int dim>
VecX lumped_mass(const ElementMesh<dim>& mesh) {
  VecX mass = VecX::Zero(mesh.x_rest.size() / dim);
  const std::vector<double> masses = element_masses(mesh);
  for (std::size_t e = 0; e < masses.size(); ++e) {
    for (const int node : mesh.elements[e]) mass[node] += masses[e] / (dim + 1);
  }
  return mass;
}

template <int dim>
VecX rest_stiffness(const ElementMesh<dim>& mesh) {
  VecX stiffness = VecX::Zero(mesh.x_rest.size() / dim);
  const std::vector<double> volumes = compute_volumes<dim>(mesh.x_rest, mesh.elements);
  for (std::size_t e = 0; e < volumes.size(); ++e) {
    // The rows are the gradients of the shape functions of all nodes but the first, whose gradient is minus their sum.
    const Mat<dim> gradients = edge_matrix<dim>(mesh.x_rest, mesh.elements[e]).inverse();
    const MaterialParameters& material = mesh.materials[mesh.material_of_element[e]];
    const double modulus = (material.lambda + (1 + dim) * material.mu) / dim;
    for (int a = 0; a <= dim; ++a) {
      const Vec<dim> gradient =
          a == 0 ? Vec<dim>(-gradients.colwise().sum().transpose()) : Vec<dim>(gradients.row(a - 1).transpose());
      stiffness[mesh.elements[e][a]] += volumes[e] * modulus * gradient.squaredNorm();
    }
  }
  return stiffness;
}

template <int dim>
ConsistentMass<dim>::ConsistentMass(const ElementMesh<dim>& mesh, const std::vector<CurvedElementMesh<dim>>& curved,
                                    const VecX& others)
    : elements_(std::make_shared<const std::vector<std::array<int, dim + 1>>>(mesh.elements)),
      element_mass_(element_masses(mesh)) {
  StencilList stencils;
  for (const auto& nodes : mesh.elements) stencils.add(nodes);
  assembler_ = BlockAssembler(stencils);
  // Collect the keys of linear elements, curved elements and single masses.
  sum_weights();
  keys_ = assembler_.keys();
  for (const CurvedElementMesh<dim>& of_order : curved) {
    curved_.emplace_back(of_order);
    keys_.insert(keys_.end(), curved_.back().keys().begin(), curved_.back().keys().end());
  }
  for (int b = 0; b < others.size(); ++b) {
    if (others[b] == 0.0) continue;
    others_.push_back({b, others[b]});
    keys_.push_back(make_block_key(b, b));
  }
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
}

/// Sums the weights of the blocks. The blocks are constant: the identity times one weight per pair of nodes.
template <int dim>
void ConsistentMass<dim>::sum_weights() {
  // A pair of different nodes has the weight once, a node with itself twice.
  std::vector<double> locals;
  locals.reserve(elements_->size() * num_stencil_blocks(dim + 1));
  for (int e = 0; e < num_elements(); ++e) {
    const double of_pair = weight(e);
    for (int a = 0; a <= dim; ++a) {
      for (int b = 0; b <= a; ++b) locals.push_back(a == b ? 2 * of_pair : of_pair);
    }
  }
  weights_ = assembler_.sum_factors(locals);
}

template <int dim>
void ConsistentMass<dim>::set_factors(const std::vector<double>& of_blocks) {
  if (factors_ == of_blocks) return;
  factors_ = of_blocks;
  sum_weights();
}

template <int dim>
void ConsistentMass<dim>::add_to(double scale, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  assembler_.add_identities<dim>(matrix, weights_, scale);
  for (CurvedMass<dim>& of_order : curved_) of_order.add_to(scale, factors_, matrix);
  for (const auto& [b, mass] : others_) {
    matrix.add_to_slot<dim>(matrix.find_slot(b, b), matrix.slot_stride(b),
                            Mat<dim>(scale * factor(b) * mass * Mat<dim>::Identity()));
  }
}

template <int dim>
void ConsistentMass<dim>::add_product(const VecX& d, double scale, VecX& result) const {
  for (int e = 0; e < num_elements(); ++e) {
    const auto& nodes = nodes_of(e);
    const double of_pair = scale * weight(e);
    // M d of an element: each node gets weight * (sum of the nodes + its own d).
    Vec<dim> sum = Vec<dim>::Zero();
    for (const int node : nodes) sum += block<dim>(d, node);
    for (const int node : nodes) block<dim>(result, node) += of_pair * (sum + block<dim>(d, node));
  }
  for (const CurvedMass<dim>& of_order : curved_) of_order.add_product(d, scale, factors_, result);
  for (const auto& [b, mass] : others_) block<dim>(result, b) += scale * factor(b) * mass * block<dim>(d, b);
}

template <int dim>
CompensatedSum ConsistentMass<dim>::energy(const VecX& d) const {
  CompensatedSum total = ordered_sum(num_elements(), [&](int e) {
    // For an element, d^T M d = weight * (|sum of the nodes|^2 + sum of squares).
    Vec<dim> sum = Vec<dim>::Zero();
    double squares = 0.0;
    for (const int node : nodes_of(e)) {
      sum += block<dim>(d, node);
      squares += block<dim>(d, node).squaredNorm();
    }
    return 0.5 * weight(e) * (sum.squaredNorm() + squares);
  });
  for (const CurvedMass<dim>& of_order : curved_) total.add(of_order.energy(d, factors_));
  for (const auto& [b, mass] : others_) total.add(0.5 * factor(b) * mass * block<dim>(d, b).squaredNorm());
  return total;
}

template std::vector<double> compute_volumes<2>(const VecX&, const std::vector<std::array<int, 3>>&);
template std::vector<double> compute_volumes<3>(const VecX&, const std::vector<std::array<int, 4>>&);
template VecX lumped_mass(const ElementMesh<2>&);
template VecX lumped_mass(const ElementMesh<3>&);
template VecX rest_stiffness(const ElementMesh<2>&);
template VecX rest_stiffness(const ElementMesh<3>&);
template class ConsistentMass<2>;
template class ConsistentMass<3>;

}  // namespace clearance
