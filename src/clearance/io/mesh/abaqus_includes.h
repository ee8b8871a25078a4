// Files that an input file of Abaqus or CalculiX names by `*INCLUDE, INPUT=`.
#pragma once

#include "clearance/io/mesh/mesh_file.h"

namespace clearance {

/// Puts the text of files in the places of the lines that include them, also of those that they include. Names are
/// relative to the folder of the input file, or else to that of the file with the line. What cannot be read is
/// reported.
void follow_abaqus_includes(MeshInput& input);

}  // namespace clearance
