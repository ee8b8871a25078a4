// Pairs of a body and a half-space: which ones meet, and their friction. In tables of pairs of bodies a half-space has
// the number -1 - half-space.
#pragma once

#include "clearance/model/model.h"

namespace clearance {

/// True if the vertex meets the half-space. False for obstacles, which may reach behind half-spaces, and for ignored
/// pairs.
inline bool meets_half_space(const Model& model, int half_space, int surface_vertex) {
  if (!model.meets_half_spaces(surface_vertex)) return false;
  const SurfaceTopology& surface = model.surface;
  // Ignored pairs are in ascending order, so those of half-spaces come first.
  if (surface.ignored_pairs.empty() || surface.ignored_pairs.front()[0] >= 0) return true;
  return !surface.is_ignored(-1 - half_space, surface.vertex_body[surface_vertex]);
}

/// Returns the coefficients of the pair if it has its own, else those of the half-space or the body.
inline FrictionCoefficients friction_with_half_space(const FrictionTable& table, int body, int half_space) {
  const int of_body = table.class_of_body[body];
  const auto found = table.of_pair.find({-1 - half_space, of_body});
  return found != table.of_pair.end() ? found->second : table.with_half_space(body, half_space);
}

}  // namespace clearance
