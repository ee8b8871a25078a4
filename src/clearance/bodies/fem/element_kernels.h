// Energy, forces and Hessian of the four elements of a pack.
#pragma once

#include "clearance/bodies/fem/element_set.h"
#include "clearance/bodies/fem/principal_hessian.h"

namespace clearance::element_kernels {

using material_kernels::energy;
using material_kernels::num_pairs;
using material_kernels::pair_first;
using material_kernels::pair_second;
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
  return multiply(gather_edges(pack, x), pack.inverse_rest);
}

/// Returns the energy [J] of every lane.
template <int dim>
CLEARANCE_INLINE Lanes element_energy(const ElementPack<dim>& pack, const VecX& x) {
  return pack.volume * energy(pack.model, deformation_gradient(pack, x), pack.mu, pack.lambda);
}

/// Stores dE/dx_a = volume P g_a. The shape gradient g_a is row a - 1 of B; g_0 makes the sum zero.
template <int dim>
CLEARANCE_INLINE void store_forces(const ElementPack<dim>& pack, SmallMatrix<Lanes, dim> stress_of_f, Lanes* forces) {
#pragma GCC unroll 9
  for (Lanes& entry : stress_of_f.m) entry *= pack.volume;
  const SmallMatrix<Lanes, dim> of_nodes = multiply_transposed(stress_of_f, pack.inverse_rest);
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
                                      SmallMatrix<Lanes, dim> (&blocks)[ElementSet<dim>::num_blocks]) {
  // Rotate the shape gradients; one side of the product carries the factor volume.
  SmallVector<Lanes, dim> g[dim], scaled[dim];
  const SmallMatrix<Lanes, dim> rotated = multiply(pack.inverse_rest, svd.v);
#pragma GCC unroll 3
  for (int a = 0; a < dim; ++a) {
#pragma GCC unroll 3
    for (int i = 0; i < dim; ++i) {
      g[a][i] = rotated(a, i);
      scaled[a][i] = pack.volume * rotated(a, i);
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

/// Returns the frame in which the principal Hessian of the model holds.
template <int dim>
CLEARANCE_INLINE SvdFrame<Lanes, dim> principal_frame(ElasticModel model, const SmallMatrix<Lanes, dim>& f) {
  if (model != ElasticModel::linear_elasticity) return compute_svd(f);
  return {small_identity<Lanes, dim>(), {}, small_identity<Lanes, dim>()};
}

/// Writes the four local Hessians of a pack into the buffer of its set.
template <int dim>
CLEARANCE_INLINE void store_hessian(const ElementPack<dim>& pack, const SvdFrame<Lanes, dim>& svd, bool is_projected,
                                    ElementSet<dim>& set) {
  constexpr int num_blocks = ElementSet<dim>::num_blocks;
  PrincipalHessian<Lanes, dim> h = principal_hessian(pack.model, svd.sigma, pack.mu, pack.lambda);
  if (is_projected) project_modes(h);
  SmallMatrix<Lanes, dim> blocks[num_blocks];
  element_hessian(pack, svd, h, blocks);

  const double* numbers = reinterpret_cast<const double*>(&blocks[0].m[0]);
  for (int lane = 0; lane < pack.count; ++lane) {
    double* local = set.local_hessian(pack.stencils[lane]);
    for (int k = 0; k < num_blocks * dim * dim; ++k) local[k] = numbers[k * num_lanes + lane];
  }
}

}  // namespace clearance::element_kernels
