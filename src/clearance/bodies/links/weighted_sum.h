// Weighted sums of blocks, which links, springs and dampers act on, and their Hessians.
#pragma once

#include <vector>

#include "clearance/bodies/links/link.h"
#include "clearance/model/blocks.h"

namespace clearance {

/// Returns r = sum_i weight_i x_i + offset.
template <int dim>
Vec<dim> difference_of(const std::vector<LinkTerm>& terms, const Vec<3>& offset, const VecX& x) {
  Vec<dim> r = offset.template head<dim>();
  for (const LinkTerm& term : terms) r += term.weight * block<dim>(x, term.block);
  return r;
}

/// Returns the stiffness of what has the stiffness `along` its line r and `across` it. At r = 0 it is alike in all
/// directions.
template <int dim>
Mat<dim> axial_stiffness(const Vec<dim>& r, double along, double across) {
  const double distance = r.norm();
  const Vec<dim> n = distance > 0.0 ? Vec<dim>(r / distance) : Vec<dim>(Vec<dim>::Zero());
  return across * Mat<dim>::Identity() + (along - across) * n * n.transpose();
}

/// Appends the blocks on and below the diagonal of the Hessian by x of a function of r, whose Hessian by r is
/// `hessian`, column-major and row by row, as BlockAssembler takes them.
template <int dim>
void append_hessian(const std::vector<LinkTerm>& terms, const Mat<dim>& hessian, std::vector<double>& locals) {
  for (std::size_t a = 0; a < terms.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const Mat<dim> local = terms[a].weight * terms[b].weight * hessian;
      locals.insert(locals.end(), local.data(), local.data() + local.size());
    }
  }
}

}  // namespace clearance
