// Features of a PolyFEM scene that are not supported, and keys that have no effect.
#pragma once

#include "clearance/scene/foreign_object.h"

namespace clearance {

/// Appends an error, by name, for everything in the scene that would change the result and is not supported. A feature
/// that is present but switched off is no error.
void refuse_unsupported(const ForeignObject& root, const std::vector<ForeignObject>& geometry);

/// Warns of keys that PolyFEM does not know either. Ignores the keys for output and for linear solvers.
void warn_of_unknown_keys(const ForeignObject& root, const std::vector<ForeignObject>& geometry);

}  // namespace clearance
