// Properties of the blocks of unknowns: their body, their mass, and whether they are points.
#pragma once

#include <string_view>
#include <vector>

#include "clearance/model/model.h"

namespace clearance {

/// Returns the body that a block moves, numbered as in the surface; 0 in models without body numbers.
inline int body_of_block(const Model& model, int block) {
  return model.body_of_block.empty() ? 0 : model.body_of_block[block];
}

/// Returns 1 for each block that is not a point: a column of a stiff body's map, slopes or angles of a thin body.
inline std::vector<char> column_flags(const Model& model) {
  std::vector<char> is_column(model.layout.num_blocks, 0);
  for (const StiffBody& body : model.stiff_bodies) {
    for (int i = 1; i <= model.layout.dim; ++i) is_column[body.first_block + i] = 1;
  }
  for (const int block : model.inner_blocks) is_column[block] = 1;
  return is_column;
}

/// Returns 1 for each block that a joint holds.
inline std::vector<char> joined_flags(const Model& model) {
  std::vector<char> is_joined(model.layout.num_blocks, 0);
  for (const auto& potential : model.potentials) {
    if (potential->name() != std::string_view("joint")) continue;
    for (const BlockKey key : potential->pattern()) is_joined[block_row(key)] = is_joined[block_column(key)] = 1;
  }
  return is_joined;
}

/// Returns the elastic energy [J] of each body at x.
inline VecX elastic_energies(const Model& model, const VecX& x) {
  VecX energies = VecX::Zero(model.surface.num_bodies());
  for (const auto& potential : model.potentials) {
    if (potential->is_elastic()) potential->add_body_energies(x, model.body_of_block, energies);
  }
  return energies;
}

/// Returns the gradient [N] of the elastic energy at x.
inline VecX elastic_gradient(const Model& model, const VecX& x) {
  VecX gradient = VecX::Zero(x.size());
  for (const auto& potential : model.potentials) {
    if (potential->is_elastic()) potential->clone()->add_gradient(x, 1.0, gradient);
  }
  return gradient;
}

/// Returns M v, with the mass matrix M [kg].
inline VecX mass_times(const Model& model, const VecX& v) {
  VecX product = VecX::Zero(v.size());
  if (model.consistent_mass) {
    model.consistent_mass->add_product(v, 1.0, product);
    return product;
  }
  const int dim = model.layout.dim;
  for (int b = 0; b < model.layout.num_blocks; ++b)
    product.segment(dim * b, dim) = model.mass[b] * v.segment(dim * b, dim);
  return product;
}

/// Sets the marked blocks to zero.
template <int dim>
void clear_blocks(const std::vector<char>& is_marked, VecX& values) {
  for (std::size_t b = 0; b < is_marked.size(); ++b) {
    if (is_marked[b]) block<dim>(values, static_cast<int>(b)).setZero();
  }
}

/// Sets single components to zero: bit c of held[b] stands for component c of block b. An empty `held` holds nothing.
template <int dim>
void clear_components(const std::vector<char>& held, VecX& values) {
  for (std::size_t b = 0; b < held.size(); ++b) {
    for (int c = 0; c < dim; ++c) {
      if ((held[b] >> c & 1) != 0) block<dim>(values, static_cast<int>(b))[c] = 0.0;
    }
  }
}

}  // namespace clearance
