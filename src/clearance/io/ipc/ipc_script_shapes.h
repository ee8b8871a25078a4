// The lines of shapes in an IPC script.
#pragma once

#include "clearance/io/ipc/ipc_script.h"
#include "clearance/io/ipc/ipc_script_text.h"

namespace clearance {

/// `path  translation  rotation  scale  [extras]`
IpcShape parse_ipc_shape(IpcLine& line);
/// What may follow: material, velocities, boundary conditions.
void parse_ipc_shape_extras(IpcLine& line, IpcShape& shape);
/// The end of a time range: a number or `inf`.
double read_ipc_end(IpcLine& line);

}  // namespace clearance
