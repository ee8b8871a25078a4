#include "clearance/bodies/fem/curved_mass.h"

#include <Eigen/LU>

#include "clearance/base/contract.h"

namespace clearance {

namespace {

// largest number of blocks of local matrices that exist at a time
constexpr std::int64_t max_local_blocks = 128 * 1024;

template <int dim>
constexpr double simplex_volume = dim == 2 ? 0.5 : 1.0 / 6.0;

}  // namespace

template <int dim>
CurvedMass<dim>::CurvedMass(const CurvedElementMesh<dim>& mesh)
    : num_nodes_(mesh.num_nodes()), size_(num_nodes_ * (num_nodes_ + 1) / 2) {
  // Integrate rho phi_a phi_b det D0 exactly.
  const std::vector<QuadraturePoint> points = conical_quadrature(dim, 2 * mesh.order + dim * (mesh.shape_order() - 1));
  // Evaluate shape functions and D0 at the points of the rule.
  const RestMap<dim> rest(mesh, points);
  std::vector<std::vector<double>> values(points.size(), std::vector<double>(num_nodes_));
  for (std::size_t q = 0; q < points.size(); ++q) lagrange_values(dim, mesh.order, points[q].at, values[q]);
  std::vector<double> matrices(mesh.num_elements() * size_, 0.0);
  parallel_for(static_cast<int>(mesh.num_elements()), 16, [&](int i) {
    const auto e = static_cast<std::size_t>(i);
    const double density = mesh.materials[static_cast<std::size_t>(mesh.material_of_element[e])].density;
    for (std::size_t q = 0; q < points.size(); ++q) {
      const double mass =
          density * points[q].weight * simplex_volume<dim> * rest.derivative(static_cast<int>(q), e).determinant();
      double* entry = matrices.data() + e * size_;
      for (std::size_t a = 0; a < num_nodes_; ++a) {
        for (std::size_t b = 0; b <= a; ++b) *entry++ += mass * values[q][a] * values[q][b];
      }
    }
  });
  nodes_ = std::make_shared<const std::vector<int>>(mesh.nodes);
  matrices_ = std::make_shared<const std::vector<double>>(std::move(matrices));
  // Elements are stencils of all their nodes.
  StencilList stencils;
  for (std::size_t e = 0; e < num_elements(); ++e) stencils.add(nodes_of(e));
  assembler_ = BlockAssembler(stencils, max_local_blocks);
}

template <int dim>
void CurvedMass<dim>::add_row_sums(VecX& sums) const {
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
void CurvedMass<dim>::add_shares(VecX& masses) const {
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

template <int dim>
CompensatedSum CurvedMass<dim>::energy(const VecX& d, const std::vector<double>& factors) const {
  return ordered_sum(static_cast<int>(num_elements()), [&](int i) {
    const auto e = static_cast<std::size_t>(i);
    const std::span<const int> nodes = nodes_of(e);
    const double* entry = matrix_of(e);
    double sum = 0.0;
    for (std::size_t a = 0; a < num_nodes_; ++a) {
      // 1/2 d^T M d from the lower triangle: entries off the diagonal count twice.
      Vec<dim> others = Vec<dim>::Zero();
      for (std::size_t b = 0; b < a; ++b) others += *entry++ * block<dim>(d, nodes[b]);
      const Vec<dim> own = block<dim>(d, nodes[a]);
      sum += own.dot(others) + 0.5 * *entry++ * own.squaredNorm();
    }
    return factor(e, factors) * sum;
  });
}

template <int dim>
void CurvedMass<dim>::add_product(const VecX& d, double scale, const std::vector<double>& factors, VecX& result) const {
  for (std::size_t e = 0; e < num_elements(); ++e) {
    const std::span<const int> nodes = nodes_of(e);
    const double* entry = matrix_of(e);
    // Entries off the diagonal act in both directions.
    const double of_element = scale * factor(e, factors);
    for (std::size_t a = 0; a < num_nodes_; ++a) {
      for (std::size_t b = 0; b <= a; ++b, ++entry) {
        block<dim>(result, nodes[a]) += of_element * *entry * block<dim>(d, nodes[b]);
        if (a != b) block<dim>(result, nodes[b]) += of_element * *entry * block<dim>(d, nodes[a]);
      }
    }
  }
}

template <int dim>
void CurvedMass<dim>::add_to(double scale, const std::vector<double>& factors, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  for (int batch = 0; batch < assembler_.num_batches(); ++batch) {
    const StencilRange range = assembler_.stencils_of(batch);
    // A local block is the entry times the identity.
    locals_.assign(static_cast<std::size_t>(range.end - range.begin) * size_ * dim * dim, 0.0);
    parallel_for(range.end - range.begin, 16, [&](int i) {
      const auto e = static_cast<std::size_t>(range.begin + i);
      double* local = locals_.data() + static_cast<std::size_t>(i) * size_ * dim * dim;
      const double* entries = matrix_of(e);
      for (std::size_t k = 0; k < size_; ++k, local += dim * dim) {
        for (std::size_t r = 0; r < dim; ++r) local[r * (dim + 1)] = factor(e, factors) * entries[k];
      }
    });
    assembler_.template add_to<dim>(matrix, locals_, scale, batch);
  }
}

template <int dim>
void add_rest_stiffness(const CurvedElementMesh<dim>& mesh, VecX& stiffness) {
  const std::vector<QuadraturePoint> points =
      conical_quadrature(dim, 2 * (mesh.order - 1) + dim * (mesh.shape_order() - 1));
  const ShapeGradients<dim> gradients(mesh.order, points);
  const RestMap<dim> rest(mesh, points);
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    const MaterialParameters& material = mesh.materials[static_cast<std::size_t>(mesh.material_of_element[e])];
    // The mean eigenvalue of a node's block is this modulus times the integral of |grad phi|^2, as for linear elements.
    const double modulus = (material.lambda + (1 + dim) * material.mu) / dim;
    const std::span<const int> nodes = mesh.nodes_of(e);
    for (int q = 0; q < gradients.num_points(); ++q) {
      // Integrate |grad phi|^2 over the element at rest.
      const Mat<dim> derivative = rest.derivative(q, e);
      const double volume = points[static_cast<std::size_t>(q)].weight * simplex_volume<dim> * derivative.determinant();
      const Mat<dim> inverse = derivative.inverse();
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const Eigen::Map<const Vec<dim>> slope(gradients.of_point(q) + a * dim);
        stiffness[nodes[a]] += volume * modulus * (inverse.transpose() * slope).squaredNorm();
      }
    }
  }
}

template <int dim>
std::vector<Vec<dim>> shape_moments(const CurvedElementMesh<dim>& mesh) {
  const int shape_order = mesh.shape_order();
  const std::vector<QuadraturePoint> points = conical_quadrature(dim, shape_order + dim * (shape_order - 1));
  const RestMap<dim> rest(mesh, points);
  std::vector<double> of_shape(static_cast<std::size_t>(num_lagrange_nodes(dim, shape_order)));
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
      const double density = mesh.materials[static_cast<std::size_t>(mesh.material_of_element[e])].density;
      moments[e] += density * points[q].weight * simplex_volume<dim> *
                    rest.derivative(static_cast<int>(q), e).determinant() * offset;
    }
  }
  return moments;
}

template class CurvedMass<2>;
template class CurvedMass<3>;
template std::vector<Vec<2>> shape_moments<2>(const CurvedElementMesh<2>&);
template std::vector<Vec<3>> shape_moments<3>(const CurvedElementMesh<3>&);
template void add_rest_stiffness<2>(const CurvedElementMesh<2>&, VecX&);
template void add_rest_stiffness<3>(const CurvedElementMesh<3>&, VecX&);

}  // namespace clearance
