// The oldest form of PolyFEM scenes: flat, with `meshes`, `body_params` and `problem_params`.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/json.h"

namespace clearance {

bool has_oldest_form(const Json& root);

/// Converts the scene to today's form. Keys that have no place there are warnings; a further warning says that issues
/// name places of today's form.
Json from_oldest_form(const Json& root, Issues& issues);

}  // namespace clearance
