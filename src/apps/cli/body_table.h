// The bodies of a scene as `clearance check` shows them.
#pragma once

#include <nlohmann/json.hpp>

#include "clearance/simulation/body_facts.h"

namespace clearance::cli {

/// One object a line: `name`, `bodies`, `kind`, `size`, `volume`, `mass`, `elements`, `smallest_edge`, `adapts`; null
/// where there is none.
nlohmann::ordered_json json_of_bodies(const SceneDesc& desc, const std::vector<BodyFacts>& lines);

/// And, in a line of its own, whose elements adapt.
void print_body_table(const SceneDesc& desc, const std::vector<BodyFacts>& lines);

}  // namespace clearance::cli
