// Kernels that the energies of curved elements share: the four elements of a pack, at the points of its rule.
#pragma once

#include <vector>

#include "clearance/bodies/fem/curved_elements.h"
#include "clearance/bodies/fem/element_kernels.h"
#include "clearance/bodies/fem/principal_hessian.h"

namespace clearance::curved_kernels {

using element_kernels::PrincipalHessian;

/// Returns the frame in which the principal Hessian holds.
template <int dim>
CLEARANCE_INLINE SvdFrame<Lanes, dim> principal_frame(ElasticModel model, const SmallMatrix<Lanes, dim>& f) {
  if (model != ElasticModel::linear_elasticity) return compute_svd(f);
  return {small_identity<Lanes, dim>(), {}, small_identity<Lanes, dim>()};
}

/// Gathers the positions of the nodes of a pack: component r of node a at [a * dim + r].
template <int dim>
CLEARANCE_INLINE void gather_nodes(const CurvedPack<dim>& pack, const VecX& x, Lanes* positions) {
  for (std::size_t a = 0; a < pack.nodes.size(); ++a) {
#pragma GCC unroll 3
    for (int r = 0; r < dim; ++r)
      positions[a * dim + static_cast<std::size_t>(r)] = element_kernels::gather<dim>(x.data(), pack.nodes[a], r);
  }
}

/// Returns dx/dxi at a point with these shape gradients.
template <int dim>
CLEARANCE_INLINE SmallMatrix<Lanes, dim> map_derivative(const double* gradients, const Lanes* positions,
                                                        std::size_t num_nodes) {
  SmallMatrix<Lanes, dim> derivative;
  for (Lanes& entry : derivative.m) entry = Lanes(0.0);
  for (std::size_t a = 0; a < num_nodes; ++a) {
#pragma GCC unroll 3
    for (int i = 0; i < dim; ++i) {
      const Lanes gradient(gradients[a * dim + static_cast<std::size_t>(i)]);
#pragma GCC unroll 3
      for (int r = 0; r < dim; ++r) derivative(r, i) += positions[a * dim + static_cast<std::size_t>(r)] * gradient;
    }
  }
  return derivative;
}

/// Returns dx/dxi of the elements of a pack at point q of its rule, including the part of shapes of higher order.
template <int dim>
CLEARANCE_INLINE SmallMatrix<Lanes, dim> map_derivative(const CurvedPack<dim>& pack, const double* gradients,
                                                        std::size_t q, const Lanes* positions) {
  SmallMatrix<Lanes, dim> derivative = map_derivative<dim>(gradients, positions, pack.nodes.size());
  if (pack.offsets.empty()) return derivative;
#pragma GCC unroll 9
  for (int k = 0; k < dim * dim; ++k) derivative.m[k] += pack.offsets[q].m[k];
  return derivative;
}

/// Adds the nodal forces of a stress, the derivative of an energy by dx/dxi at a point.
template <int dim>
CLEARANCE_INLINE void add_forces(const SmallMatrix<Lanes, dim>& stress, const double* gradients, std::size_t num_nodes,
                                 Lanes* forces) {
  for (std::size_t a = 0; a < num_nodes; ++a) {
#pragma GCC unroll 3
    for (int j = 0; j < dim; ++j) {
      const Lanes slope(gradients[a * dim + static_cast<std::size_t>(j)]);
#pragma GCC unroll 3
      for (int r = 0; r < dim; ++r) forces[a * dim + static_cast<std::size_t>(r)] += stress(r, j) * slope;
    }
  }
}

/// Stores the second derivatives of an energy by dx/dxi at a point: dim x dim matrices C_ij by its columns i and j, at
/// [i * dim + j].
template <int dim>
CLEARANCE_INLINE void store_point_hessian(const SvdFrame<Lanes, dim>& svd, const PrincipalHessian<Lanes, dim>& h,
                                          const SmallMatrix<Lanes, dim>& inverse_rest, const Lanes& weight,
                                          SmallMatrix<Lanes, dim>* blocks) {
  const SmallMatrix<Lanes, dim> rotated = multiply(inverse_rest, svd.v);
  SmallVector<Lanes, dim> g[dim], scaled[dim];
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) {
#pragma GCC unroll 3
    for (int k = 0; k < dim; ++k) {
      g[i][k] = rotated(i, k);
      scaled[i][k] = weight * rotated(i, k);
    }
  }
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < dim; ++j) {
      blocks[i * dim + j] = multiply_transposed(multiply(svd.u, element_kernels::contract(h, g[i], scaled[j])), svd.u);
    }
  }
}

/// Writes the Hessians of the elements of a pack from those of its points: for each pair of nodes K_ab = sum over
/// points and i, j of dphi_a/dxi_i dphi_b/dxi_j C_ij. `targets` is as in assemble_hessians; `of_node` is scratch
/// memory.
template <int dim>
CLEARANCE_INLINE void write_hessians(const ShapeGradients<dim>& gradients, std::size_t num_nodes,
                                     const SmallMatrix<Lanes, dim>* of_points,
                                     std::vector<SmallMatrix<Lanes, dim>>& of_node,
                                     const std::array<double*, num_lanes>& targets) {
  const auto num_points = static_cast<std::size_t>(gradients.num_points());
  of_node.resize(num_points * dim);
  std::size_t place = 0;
  for (std::size_t a = 0; a < num_nodes; ++a) {
    // Compute the sum over i of dphi_a/dxi_i C_ij once for all nodes b.
    for (std::size_t q = 0; q < num_points; ++q) {
      const double* slopes = gradients.of_point(static_cast<int>(q)) + a * dim;
      const SmallMatrix<Lanes, dim>* blocks = of_points + q * dim * dim;
#pragma GCC unroll 3
      for (std::size_t j = 0; j < dim; ++j) {
        SmallMatrix<Lanes, dim>& sum = of_node[q * dim + j];
#pragma GCC unroll 9
        for (std::size_t k = 0; k < dim * dim; ++k) sum.m[k] = Lanes(slopes[0]) * blocks[j].m[k];
#pragma GCC unroll 3
        for (std::size_t i = 1; i < dim; ++i) {
#pragma GCC unroll 9
          for (std::size_t k = 0; k < dim * dim; ++k) sum.m[k] += Lanes(slopes[i]) * blocks[i * dim + j].m[k];
        }
      }
    }
    for (std::size_t b = 0; b <= a; ++b, place += dim * dim) {
      SmallMatrix<Lanes, dim> k_ab;
      for (Lanes& entry : k_ab.m) entry = Lanes(0.0);
      for (std::size_t q = 0; q < num_points; ++q) {
        const double* slopes = gradients.of_point(static_cast<int>(q)) + b * dim;
#pragma GCC unroll 3
        for (std::size_t j = 0; j < dim; ++j) {
          const Lanes slope(slopes[j]);
#pragma GCC unroll 9
          for (std::size_t k = 0; k < dim * dim; ++k) k_ab.m[k] += of_node[q * dim + j].m[k] * slope;
        }
      }
      if (a == b) element_kernels::make_symmetric(k_ab);
      for (int lane = 0; lane < num_lanes; ++lane) {
        double* target = targets[static_cast<std::size_t>(lane)];
        if (target == nullptr) continue;
        for (std::size_t k = 0; k < dim * dim; ++k) target[place + k] = k_ab.m[k][lane];
      }
    }
  }
}

}  // namespace clearance::curved_kernels
