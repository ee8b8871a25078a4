// The bodies of a scene as `clearance check` shows them.
#pragma once

#include <nlohmann/json.hpp>

#include "clearance/simulation/hints/body_facts.h"

namespace clearance::cli {

/// Returns one object per line of the table with `name`, `bodies`, `kind`, `size`, `volume`, `mass`, `elements`,
/// `smallest_edge` and `adapts`; a value that does not exist is null.
nlohmann::ordered_json json_of_bodies(const SceneDesc& desc, const std::vector<BodyFacts>& lines);

/// Prints the table, and in a line of its own the bodies whose elements adapt.
void print_body_table(const SceneDesc& desc, const std::vector<BodyFacts>& lines);

}  // namespace clearance::cli
