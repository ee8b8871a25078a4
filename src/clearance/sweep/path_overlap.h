// Paths into a scene that lead to the same value, or one of them to a part of the other's value. If both are set one
// after the other, one value is lost.
#pragma once

#include <string>

#include "clearance/scene/json.h"

namespace clearance::sweep {

/// True if `part` leads to the value of `whole` or to a part of it: `bodies[0].material` contains
/// `bodies[0].material.density` and itself; `bodies.type` contains the type of every body.
bool is_part_of(const std::string& part, const std::string& whole);

/// True if two paths lead to the same value, or one of them to a part of the other's value.
bool do_overlap(const std::string& first, const std::string& second);

/// True if `value`, which is set at `whole`, contains an entry of its own where `part` leads.
bool has_part(const std::string& whole, const Json& value, const std::string& part);

}  // namespace clearance::sweep
