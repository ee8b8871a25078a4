// The formulations of contact and their options, named once for the scene that asks for them and for the code that
// implements them.
#pragma once

#include <optional>
#include <variant>

namespace clearance {

/// The choice of the pairs of primitives that repel each other, and of the strength.
enum class ContactFormulation {
  ipc,         ///< all nearby pairs, by a stiffness of their own [Fer23, ch. 2]
  convergent,  ///< weighted by areas at rest, so that pressures do not depend on the mesh [Li23]
  gcp          ///< pairs that face each other from outside, but none at rest [Hua24]
};

/// Options of `ipc` and `convergent`: parts of the convergent formulation, each of which can be chosen alone. Absent:
/// as the formulation has it.
template <bool is_convergent>
struct WeightingOptions {
  std::optional<bool> area_weights = {};      ///< pairs count by the area at rest that they stand for
  std::optional<bool> improved_max = {};      ///< neighbouring primitives do not repel the same point twice
  std::optional<bool> physical_barrier = {};  ///< an energy per area, kappa in Pa

  bool has_areas() const { return area_weights.value_or(is_convergent); }
  bool has_improved_max() const { return improved_max.value_or(is_convergent); }
  bool has_physical_barrier() const { return physical_barrier.value_or(is_convergent); }
  bool is_plain() const { return !has_areas() && !has_improved_max() && !has_physical_barrier(); }
  bool repels_at_rest() const { return true; }
};

using IpcOptions = WeightingOptions<false>;
using ConvergentOptions = WeightingOptions<true>;

/// Options of `gcp`.
struct GcpOptions {
  double alpha_t = 0.3;       ///< cosine by which a feature may miss being a local minimum of the distance
  double alpha_n = 0.1;       ///< cosine by which a direction may point into a facet
  bool adaptive_dhat = true;  ///< primitives that are near each other at rest repel only from half of that distance on
  bool published = false;     ///< for comparison: energies as in the authors' program, in products of current areas

  bool has_physical_barrier() const { return true; }
  bool is_plain() const { return false; }
  bool repels_at_rest() const { return false; }
};

/// A formulation with its options, in the order of ContactFormulation.
using ContactOptions = std::variant<IpcOptions, ConvergentOptions, GcpOptions>;

inline ContactFormulation formulation_of(const ContactOptions& options) {
  return static_cast<ContactFormulation>(options.index());
}

/// True if energies are per area and kappa is in Pa.
inline bool has_physical_barrier(const ContactOptions& options) {
  return std::visit([](const auto& chosen) { return chosen.has_physical_barrier(); }, options);
}

/// True if every contact may have an activation distance and a stiffness of its own.
inline bool is_plain(const ContactOptions& options) {
  return std::visit([](const auto& chosen) { return chosen.is_plain(); }, options);
}

/// True if features of one body that are near each other at rest repel each other.
inline bool repels_at_rest(const ContactOptions& options) {
  return std::visit([](const auto& chosen) { return chosen.repels_at_rest(); }, options);
}

}  // namespace clearance
