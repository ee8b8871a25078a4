// A run as XDMF 3 with HDF5: NAME.xdmf says what is where, NAME.h5 has the numbers, for large runs.
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

/// Whole frames in double precision, one at a time: cells (again where they change), places, velocities, contact forces
/// and every other array.
Result<ExportReport> write_xdmf(const ExportJob& job);

}  // namespace clearance::exchange
