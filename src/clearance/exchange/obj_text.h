// Bodies as Wavefront .obj text: exact positions and drawn elements.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "clearance/exchange/exported_run.h"

namespace clearance::exchange {

/// Appends lines `v`, with the fewest digits that restore the same numbers.
void add_obj_vertices(std::span<const Vec<3>> places, std::string& text);

/// Returns the lines `f`, `l` and `p` of a body. `num_before` vertices precede those of the body.
std::string obj_elements(const ExportedRun& run, const ExportedBody& body, std::size_t num_before);

/// Returns a name that .obj and .mtl accept: blanks and control characters become `_`.
std::string obj_name(const std::string& name);

/// Returns a name that can be part of a file name: at most 60 characters; all but letters, digits, `.`, `-` and `_`
/// become `_`.
std::string file_name_part(const std::string& name);

}  // namespace clearance::exchange
