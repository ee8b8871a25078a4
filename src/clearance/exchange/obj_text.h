// Bodies as Wavefront .obj: exact places, and what is drawn of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "clearance/exchange/exported_run.h"

namespace clearance::exchange {

/// Lines `v`, with the fewest digits that bring the same numbers back.
void add_obj_vertices(std::span<const Vec<3>> places, std::string& text);

/// Lines `f`, `l` and `p` of a body whose vertices start after `num_before` others.
std::string obj_elements(const ExportedRun& run, const ExportedBody& body, std::size_t num_before);

/// A name as .obj and .mtl have it: without blanks.
std::string obj_name(const std::string& name);

/// A part of a file's name: letters, digits, `.`, `-` and `_`.
std::string file_name_part(const std::string& name);

}  // namespace clearance::exchange
