// The part of a contact that the matrix sees: its vertices whose blocks are not fixed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "clearance/model/model.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

/// The free blocks among the first `num_vertices` surface vertices; `free_nodes` receives their positions in
/// `vertices`.
inline Stencil free_stencil(const Model& model, const std::array<int, 4>& vertices, int num_vertices,
                            const std::vector<char>& is_fixed, std::array<std::int8_t, 4>& free_nodes) {
  Stencil stencil;
  for (int i = 0; i < num_vertices; ++i) {
    const int node = model.surface_map.terms(vertices[static_cast<std::size_t>(i)])[0].block;
    if (is_fixed[static_cast<std::size_t>(node)]) continue;
    const auto at = static_cast<std::size_t>(stencil.count);
    stencil.nodes[at] = node;
    free_nodes[at] = static_cast<std::int8_t>(i);
    ++stencil.count;
  }
  return stencil;
}

}  // namespace clearance
