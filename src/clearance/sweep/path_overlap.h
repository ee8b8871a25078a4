// Paths into a scene that lead to the same value, or one to a part of the other's: set one after the other, something
// of one of them is lost.
#pragma once

#include <string>

#include "clearance/scene/json.h"

namespace clearance::sweep {

/// `bodies[0].material` has `bodies[0].material.density` in it, and itself; `bodies.type` has that of every body.
bool is_part_of(const std::string& part, const std::string& whole);

/// Both lead to the same value, or one to a part of the other's.
bool do_overlap(const std::string& first, const std::string& second);

/// Is there something of its own in `value`, which goes to `whole`, where `part` leads?
bool has_part(const std::string& whole, const Json& value, const std::string& part);

}  // namespace clearance::sweep
