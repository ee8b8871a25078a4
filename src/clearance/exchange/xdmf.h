// Export of a run as XDMF 3 with HDF5, for large runs. NAME.xdmf describes the data in NAME.h5.
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

/// Writes whole frames in double precision, one at a time: cells (again whenever they change), positions, velocities,
/// contact forces and every other array.
Result<ExportReport> write_xdmf(const ExportJob& job);

}  // namespace clearance::exchange
