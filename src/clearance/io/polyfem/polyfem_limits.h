// What of a PolyFEM scene is not supported, and what has no effect.
#pragma once

#include "clearance/scene/foreign_object.h"

namespace clearance {

/// An error, by name, for everything in the scene that would change the result and is not supported. What is there but
/// switched off is none.
void refuse_unsupported(const ForeignObject& root, const std::vector<ForeignObject>& geometry);

/// Warns of keys that PolyFEM does not know either. Output and the ways to solve linear systems are left alone.
void warn_of_unknown_keys(const ForeignObject& root, const std::vector<ForeignObject>& geometry);

}  // namespace clearance
