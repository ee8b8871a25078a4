// The bodies of a scene as `clearance check` shows them.
#pragma once

#include <nlohmann/json.hpp>

#include "clearance/simulation/body_facts.h"

namespace clearance::cli {

/// One object a line: `name`, `bodies`, `kind`, `size`, `volume`, `mass`, `elements`, `smallest_edge`; null where there
/// is none.
nlohmann::ordered_json json_of_bodies(const std::vector<BodyFacts>& lines);

void print_body_table(const std::vector<BodyFacts>& lines, int dim);

}  // namespace clearance::cli
