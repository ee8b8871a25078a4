// Energy, forces and Hessian of the four elements of a pack, by quadrature; linear elements, with one point and a
// constant F, have kernels of their own.
#pragma once

#include <algorithm>
#include <vector>

#include "clearance/bodies/fem/elastic_laws.h"
#include "clearance/bodies/fem/element_set.h"

namespace clearance::element_kernels {

using material_kernels::energy;
using material_kernels::num_pairs;
using material_kernels::pair_first;
using material_kernels::pair_second;
using material_kernels::principal_frame;
using material_kernels::principal_hessian;
using material_kernels::PrincipalHessian;
using material_kernels::project_modes;
using material_kernels::stress;

/// Gathers component r of the given node of every lane.
template <int dim>
CLEARANCE_INLINE Lanes gather(const double* x, const std::array<int, num_lanes>& nodes, int r) {
  return Lanes(
      Lanes::Vector{x[dim * nodes[0] + r], x[dim * nodes[1] + r], x[dim * nodes[2] + r], x[dim * nodes[3] + r]});
}

// --- linear elements ---

/// Returns D_s = [x1 - x0, x2 - x0, ...].
template <int dim>
CLEARANCE_INLINE SmallMatrix<Lanes, dim> gather_edges(const ElementPack<dim>& pack, const VecX& x) {
  SmallMatrix<Lanes, dim> edges;
#pragma GCC unroll 3
  for (int r = 0; r < dim; ++r) {
    const Lanes origin = gather<dim>(x.data(), pack.nodes[0], r);
#pragma GCC unroll 3
    for (int a = 0; a < dim; ++a) edges(r, a) = gather<dim>(x.data(), pack.nodes[a + 1], r) - origin;
  }
  return edges;
}

/// Returns F = D_s B.
template <int dim>
CLEARANCE_INLINE SmallMatrix<Lanes, dim> deformation_gradient(const ElementPack<dim>& pack, const VecX& x) {
  return multiply(gather_edges(pack, x), pack.inverse_rest[0]);
}

/// Stores dE/dx_a = volume P g_a. The shape gradient g_a is row a - 1 of B; g_0 makes the sum zero.
template <int dim>
CLEARANCE_INLINE void store_forces(const ElementPack<dim>& pack, SmallMatrix<Lanes, dim> stress_of_f, Lanes* forces) {
#pragma GCC unroll 9
  for (Lanes& entry : stress_of_f.m) entry *= pack.weights[0];
  const SmallMatrix<Lanes, dim> of_nodes = multiply_transposed(stress_of_f, pack.inverse_rest[0]);
#pragma GCC unroll 3
  for (int r = 0; r < dim; ++r) {
    Lanes sum = of_nodes(r, 0);
#pragma GCC unroll 3
    for (int a = 1; a < dim; ++a) sum += of_nodes(r, a);
    forces[r] = -sum;
#pragma GCC unroll 3
    for (int a = 0; a < dim; ++a) forces[(a + 1) * dim + r] = of_nodes(r, a);
  }
}

/// Returns d2E / dx_a dx_b in the frame of the singular values, from the rotated shape gradients ga = V^T g_a and gb.
template <int dim>
CLEARANCE_INLINE SmallMatrix<Lanes, dim> contract(const PrincipalHessian<Lanes, dim>& h,
                                                  const SmallVector<Lanes, dim>& ga,
                                                  const SmallVector<Lanes, dim>& gb) {
  // dP_ij = straight dF_ij + crossed dF_ji off the diagonal; dP_ii = sum_j scaling_ij dF_jj.
  SmallMatrix<Lanes, dim> block;
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) block(i, i) = h.scaling(i, i) * (ga[i] * gb[i]);
#pragma GCC unroll 3
  for (int p = 0; p < num_pairs<dim>; ++p) {
    const int i = pair_first(p), j = pair_second(p);
    const Lanes straight = Lanes(0.5) * (h.flip[p] + h.twist[p]);
    const Lanes crossed = Lanes(0.5) * (h.flip[p] - h.twist[p]);
    block(i, i) += straight * (ga[j] * gb[j]);
    block(j, j) += straight * (ga[i] * gb[i]);
    block(i, j) = h.scaling(i, j) * (ga[i] * gb[j]) + crossed * (ga[j] * gb[i]);
    block(j, i) = h.scaling(i, j) * (ga[j] * gb[i]) + crossed * (ga[i] * gb[j]);
  }
  return block;
}

/// Copies the lower triangle of a diagonal block to the upper, so that rounding leaves it exactly symmetric.
template <int dim>
CLEARANCE_INLINE void make_symmetric(SmallMatrix<Lanes, dim>& block) {
#pragma GCC unroll 3
  for (int p = 0; p < num_pairs<dim>; ++p) block(pair_first(p), pair_second(p)) = block(pair_second(p), pair_first(p));
}

/// Computes the blocks of the lower triangle of the element Hessian, in the order (0,0) (1,0) (1,1) (2,0) ...
template <int dim>
CLEARANCE_INLINE void element_hessian(const ElementPack<dim>& pack, const SvdFrame<Lanes, dim>& svd,
                                      const PrincipalHessian<Lanes, dim>& h,
                                      SmallMatrix<Lanes, dim> (&blocks)[num_stencil_blocks(dim + 1)]) {
  // Rotate the shape gradients; one side of the product carries the factor volume.
  SmallVector<Lanes, dim> g[dim], scaled[dim];
  const SmallMatrix<Lanes, dim> rotated = multiply(pack.inverse_rest[0], svd.v);
#pragma GCC unroll 3
  for (int a = 0; a < dim; ++a) {
#pragma GCC unroll 3
    for (int i = 0; i < dim; ++i) {
      g[a][i] = rotated(a, i);
      scaled[a][i] = pack.weights[0] * rotated(a, i);
    }
  }

  // Compute the pairs of nodes 1..dim. Those with node 0 follow because rigid translation costs no energy.
  SmallMatrix<Lanes, dim> column_sums[dim];
  for (auto& sum : column_sums) {
    for (Lanes& entry : sum.m) entry = Lanes(0.0);
  }
#pragma GCC unroll 3
  for (int a = 0; a < dim; ++a) {
#pragma GCC unroll 3
    for (int b = 0; b <= a; ++b) {
      SmallMatrix<Lanes, dim> k = multiply_transposed(multiply(svd.u, contract(h, g[a], scaled[b])), svd.u);
      if (a == b) make_symmetric(k);
      blocks[(a + 1) * (a + 2) / 2 + b + 1] = k;
      // Sum K_ab over b; K_ba is the transpose.
#pragma GCC unroll 3
      for (int c = 0; c < dim; ++c) {
#pragma GCC unroll 3
        for (int r = 0; r < dim; ++r) {
          column_sums[a](r, c) += k(r, c);
          if (a != b) column_sums[b](r, c) += k(c, r);
        }
      }
    }
  }
#pragma GCC unroll 9
  for (int i = 0; i < dim * dim; ++i) {
    Lanes total = Lanes(0.0);
#pragma GCC unroll 3
    for (int a = 0; a < dim; ++a) {
      blocks[(a + 1) * (a + 2) / 2].m[i] = -column_sums[a].m[i];
      total += column_sums[a].m[i];
    }
    blocks[0].m[i] = total;
  }
  make_symmetric(blocks[0]);
}

/// Writes the Hessians of linear elements.
template <int dim>
CLEARANCE_INLINE void write_linear_hessians(const ElementPack<dim>& pack, const SvdFrame<Lanes, dim>& svd,
                                            bool is_projected, const LaneTargets& targets) {
  constexpr int num_blocks = num_stencil_blocks(dim + 1);
  PrincipalHessian<Lanes, dim> h = principal_hessian(pack.model, svd.sigma, pack.mu, pack.lambda);
  if (is_projected) project_modes(h);
  SmallMatrix<Lanes, dim> blocks[num_blocks];
  element_hessian(pack, svd, h, blocks);

  const double* numbers = reinterpret_cast<const double*>(&blocks[0].m[0]);
  for (int lane = 0; lane < pack.count; ++lane) {
    double* local = targets[lane];
    for (int k = 0; k < num_blocks * dim * dim; ++k) local[k] = numbers[k * num_lanes + lane];
  }
}

// --- elements by quadrature ---

/// Scratch memory of one thread.
template <int dim>
struct Scratch {
  std::vector<Lanes> positions;
  std::vector<SmallMatrix<Lanes, dim>> of_points, of_node;  // of write_hessians
};
template <int dim>
Scratch<dim>& scratch() {
  thread_local Scratch<dim> own;
  return own;
}

/// Gathers the positions of the nodes of a pack in scratch memory: component r of node a at [a * dim + r].
template <int dim>
CLEARANCE_INLINE const Lanes* gather_nodes(const ElementPack<dim>& pack, const VecX& x) {
  std::vector<Lanes>& positions = scratch<dim>().positions;
  positions.resize(pack.nodes.size() * dim);
  for (std::size_t a = 0; a < pack.nodes.size(); ++a) {
#pragma GCC unroll 3
    for (int r = 0; r < dim; ++r) positions[a * dim + r] = gather<dim>(x.data(), pack.nodes[a], r);
  }
  return positions.data();
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
      const Lanes gradient(gradients[a * dim + i]);
#pragma GCC unroll 3
      for (int r = 0; r < dim; ++r) derivative(r, i) += positions[a * dim + r] * gradient;
    }
  }
  return derivative;
}

/// Returns dx/dxi of the elements of a pack at point q of its rule, including the part of shapes of higher order.
template <int dim>
CLEARANCE_INLINE SmallMatrix<Lanes, dim> map_derivative(const ElementPack<dim>& pack, const double* gradients,
                                                        std::size_t q, const Lanes* positions) {
  SmallMatrix<Lanes, dim> derivative = map_derivative<dim>(gradients, positions, pack.nodes.size());
  if (pack.offsets.empty()) return derivative;
#pragma GCC unroll 9
  for (int k = 0; k < dim * dim; ++k) derivative.m[k] += pack.offsets[q].m[k];
  return derivative;
}

/// Returns F = dx/dxi D0^-1 at point q.
template <int dim>
CLEARANCE_INLINE SmallMatrix<Lanes, dim> deformation_gradient(const ElementPack<dim>& pack,
                                                              const ShapeGradients<dim>& gradients, std::size_t q,
                                                              const Lanes* positions) {
  return multiply(map_derivative(pack, gradients.of_point(static_cast<int>(q)), q, positions), pack.inverse_rest_at(q));
}

/// Adds the nodal forces of a stress, the derivative of an energy by dx/dxi at a point.
template <int dim>
CLEARANCE_INLINE void add_forces(const SmallMatrix<Lanes, dim>& stress, const double* gradients, std::size_t num_nodes,
                                 Lanes* forces) {
  for (std::size_t a = 0; a < num_nodes; ++a) {
#pragma GCC unroll 3
    for (int j = 0; j < dim; ++j) {
      const Lanes slope(gradients[a * dim + j]);
#pragma GCC unroll 3
      for (int r = 0; r < dim; ++r) forces[a * dim + r] += stress(r, j) * slope;
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
      blocks[i * dim + j] = multiply_transposed(multiply(svd.u, contract(h, g[i], scaled[j])), svd.u);
    }
  }
}

/// Writes the Hessians of the elements of a pack from those of its points: for each pair of nodes K_ab = sum over
/// points and i, j of dphi_a/dxi_i dphi_b/dxi_j C_ij. `targets` is as in assemble_hessians; `of_node` is scratch
/// memory.
template <int dim>
void write_hessians(const ShapeGradients<dim>& gradients, std::size_t num_nodes,
                    const SmallMatrix<Lanes, dim>* of_points, std::vector<SmallMatrix<Lanes, dim>>& of_node,
                    const LaneTargets& targets) {
  const std::size_t num_points = gradients.num_points();
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
      if (a == b) make_symmetric(k_ab);
      for (int lane = 0; lane < num_lanes; ++lane) {
        double* target = targets[lane];
        if (target == nullptr) continue;
        for (std::size_t k = 0; k < dim * dim; ++k) target[place + k] = k_ab.m[k][lane];
      }
    }
  }
}

/// Returns the sum of w psi(F) over the points.
template <int dim>
Lanes quadrature_energy(const ElementPack<dim>& pack, const ShapeGradients<dim>& gradients, const VecX& x) {
  const Lanes* positions = gather_nodes(pack, x);
  Lanes sum(0.0);
  for (std::size_t q = 0; q < pack.weights.size(); ++q) {
    sum +=
        pack.weights[q] * energy(pack.model, deformation_gradient(pack, gradients, q, positions), pack.mu, pack.lambda);
  }
  return sum;
}

/// Adds the forces of the stress P at a point. The derivative of the energy by dx/dxi is w P D0^-T.
template <int dim>
CLEARANCE_INLINE void add_point_forces(const ElementPack<dim>& pack, const ShapeGradients<dim>& gradients,
                                       std::size_t q, const SmallMatrix<Lanes, dim>& stress_of_f, Lanes* forces) {
  SmallMatrix<Lanes, dim> by_slope = multiply_transposed(stress_of_f, pack.inverse_rest_at(q));
  for (Lanes& entry : by_slope.m) entry *= pack.weights[q];
  add_forces<dim>(by_slope, gradients.of_point(static_cast<int>(q)), pack.nodes.size(), forces);
}

/// Stores the nodal forces, the sum over the points.
template <int dim>
void store_quadrature_forces(const ElementPack<dim>& pack, const ShapeGradients<dim>& gradients, const VecX& x,
                             Lanes* forces) {
  const Lanes* positions = gather_nodes(pack, x);
  std::fill_n(forces, pack.nodes.size() * dim, Lanes(0.0));
  for (std::size_t q = 0; q < pack.weights.size(); ++q) {
    const SmallMatrix<Lanes, dim> f = deformation_gradient(pack, gradients, q, positions);
    add_point_forces(pack, gradients, q, stress(pack.model, f, pack.mu, pack.lambda), forces);
  }
}

/// Stores factor times the Hessian of every point, as of store_point_hessian, and the nodal forces unless null.
template <int dim>
void store_point_derivatives(const ElementPack<dim>& pack, const ShapeGradients<dim>& gradients, const VecX& x,
                             bool is_projected, const Lanes& factor, SmallMatrix<Lanes, dim>* of_points,
                             Lanes* forces) {
  const Lanes* positions = gather_nodes(pack, x);
  if (forces != nullptr) std::fill_n(forces, pack.nodes.size() * dim, Lanes(0.0));
  for (std::size_t q = 0; q < pack.weights.size(); ++q) {
    const SmallMatrix<Lanes, dim> f = deformation_gradient(pack, gradients, q, positions);
    // The Hessian of a point is found and projected in the frame of its singular values.
    const SvdFrame<Lanes, dim> svd = principal_frame(pack.model, f);
    if (forces != nullptr) {
      add_point_forces(pack, gradients, q, stress(pack.model, f, svd, pack.mu, pack.lambda), forces);
    }
    PrincipalHessian<Lanes, dim> h = principal_hessian(pack.model, svd.sigma, pack.mu, pack.lambda);
    if (is_projected) project_modes(h);
    store_point_hessian(svd, h, pack.inverse_rest_at(q), factor * pack.weights[q], of_points + q * dim * dim);
  }
}

// --- both ---

/// Returns the energy [J] of every lane.
template <int dim>
Lanes pack_energy(const ElementSet<dim>& set, const ElementPack<dim>& pack, const VecX& x) {
  if (!set.is_linear()) return quadrature_energy(pack, set.gradients(pack), x);
  return pack.weights[0] * energy(pack.model, deformation_gradient(pack, x), pack.mu, pack.lambda);
}

/// Stores the nodal forces of a pack.
template <int dim>
void store_pack_forces(const ElementSet<dim>& set, const ElementPack<dim>& pack, const VecX& x, Lanes* forces) {
  if (!set.is_linear()) return store_quadrature_forces(pack, set.gradients(pack), x, forces);
  store_forces(pack, stress(pack.model, deformation_gradient(pack, x), pack.mu, pack.lambda), forces);
}

/// Writes the Hessians of a pack, and the nodal forces unless null: both share the decomposition of F.
template <int dim>
void write_derivatives(const ElementSet<dim>& set, const ElementPack<dim>& pack, const VecX& x, bool is_projected,
                       Lanes* forces, const LaneTargets& targets) {
  if (set.is_linear()) {
    const SmallMatrix<Lanes, dim> f = deformation_gradient(pack, x);
    const SvdFrame<Lanes, dim> svd = principal_frame(pack.model, f);
    if (forces != nullptr) store_forces(pack, stress(pack.model, f, svd, pack.mu, pack.lambda), forces);
    return write_linear_hessians(pack, svd, is_projected, targets);
  }
  Scratch<dim>& own = scratch<dim>();
  own.of_points.resize(pack.weights.size() * dim * dim);
  const ShapeGradients<dim>& gradients = set.gradients(pack);
  store_point_derivatives(pack, gradients, x, is_projected, Lanes(1.0), own.of_points.data(), forces);
  write_hessians<dim>(gradients, pack.nodes.size(), own.of_points.data(), own.of_node, targets);
}

// The kernels of whole packs are compiled once, in element_kernels.cpp.
extern template Lanes pack_energy(const ElementSet<2>&, const ElementPack<2>&, const VecX&);
extern template Lanes pack_energy(const ElementSet<3>&, const ElementPack<3>&, const VecX&);
extern template void store_pack_forces(const ElementSet<2>&, const ElementPack<2>&, const VecX&, Lanes*);
extern template void store_pack_forces(const ElementSet<3>&, const ElementPack<3>&, const VecX&, Lanes*);
extern template void write_derivatives(const ElementSet<2>&, const ElementPack<2>&, const VecX&, bool, Lanes*,
                                       const LaneTargets&);
extern template void write_derivatives(const ElementSet<3>&, const ElementPack<3>&, const VecX&, bool, Lanes*,
                                       const LaneTargets&);
extern template void store_point_derivatives(const ElementPack<2>&, const ShapeGradients<2>&, const VecX&, bool,
                                             const Lanes&, SmallMatrix<Lanes, 2>*, Lanes*);
extern template void store_point_derivatives(const ElementPack<3>&, const ShapeGradients<3>&, const VecX&, bool,
                                             const Lanes&, SmallMatrix<Lanes, 3>*, Lanes*);
extern template void write_hessians(const ShapeGradients<2>&, std::size_t, const SmallMatrix<Lanes, 2>*,
                                    std::vector<SmallMatrix<Lanes, 2>>&, const LaneTargets&);
extern template void write_hessians(const ShapeGradients<3>&, std::size_t, const SmallMatrix<Lanes, 3>*,
                                    std::vector<SmallMatrix<Lanes, 3>>&, const LaneTargets&);

}  // namespace clearance::element_kernels
