// Products with the mass matrix of a step.
#pragma once

#include "clearance/model/blocks.h"
#include "clearance/solver/step.h"

namespace clearance {

/// Returns M dx in the objective of a step, with the factors of its formulas. `dx` is in the blocks of x.
template <int dim>
VecX mass_product(const Step<dim>& step, const VecX& dx) {
  const StepInputs<dim>& in = step.inputs();
  VecX product = VecX::Zero(dx.size());
  if (in.copies.consistent_mass) {
    in.copies.consistent_mass->add_product(dx, 1.0, product);
    return product;
  }
  const InertialTarget& target = step.problem().target();
  for (int b = 0; b < in.model.layout.num_blocks; ++b) {
    block<dim>(product, b) = target.mass_factor(b) * in.model.mass[b] * block<dim>(dx, b);
  }
  return product;
}

}  // namespace clearance
