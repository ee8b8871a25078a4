// Options that select the formulation of contact: the barrier of [Fer23, ch. 2], with changes of the convergent one
// [Li23], or the orientation-aware one [Hua24].
#pragma once

#include <optional>

namespace clearance {

/// Options of the orientation-aware formulation.
struct OrientationOptions {
  double alpha_t = 0.3;           ///< cosine by which a feature may miss being a local minimum of the distance
  double alpha_n = 0.1;           ///< cosine by which a direction may point into a facet
  bool has_adaptive_dhat = true;  ///< what is near at rest repels from half of that distance on only
  /// True if energies are those of the authors' program, for comparison: products of current areas, no shares.
  bool is_published = false;
};

struct FormulationOptions {
  bool has_areas = false;             ///< pairs count by the area at rest that they stand for
  bool has_improved_max = false;      ///< what neighbouring primitives repel more than once is subtracted
  bool has_physical_barrier = false;  ///< energy per area: kappa is in Pa
  /// Orientation-aware; has areas and a physical barrier, too.
  std::optional<OrientationOptions> orientation = std::nullopt;

  bool is_plain() const { return !has_areas && !has_improved_max && !has_physical_barrier; }
};

}  // namespace clearance
