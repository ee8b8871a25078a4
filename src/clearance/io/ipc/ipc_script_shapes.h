// The lines of shapes in an IPC script.
#pragma once

#include "clearance/io/ipc/ipc_script.h"
#include "clearance/io/ipc/ipc_script_text.h"

namespace clearance {

/// Parses `path  translation  rotation  scale  [extras]`.
IpcShape parse_ipc_shape(IpcLine& line);
/// Parses the optional rest of a shape's line: material, velocities, boundary conditions.
void parse_ipc_shape_extras(IpcLine& line, IpcShape& shape);
/// Reads the end of a time range: a number or `inf`.
double read_ipc_end(IpcLine& line);

}  // namespace clearance
