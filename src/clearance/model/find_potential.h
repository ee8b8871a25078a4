// The potential of a kind, which a model has at most one of.
#pragma once

#include "clearance/model/model.h"

namespace clearance {

/// Returns the potential of the model that is a Kind; null if there is none.
template <class Kind>
const Kind* find_potential(const Model& model) {
  for (const auto& potential : model.potentials) {
    if (const auto* found = dynamic_cast<const Kind*>(potential.get())) return found;
  }
  return nullptr;
}

}  // namespace clearance
