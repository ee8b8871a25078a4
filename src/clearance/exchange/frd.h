// Export of a run as a result file of CalculiX (.frd), for its postprocessor cgx, PrePoMax and FreeCAD.
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

/// Writes one file: the mesh where the run starts, then for every frame displacements (DISP), velocities (VELO), the
/// field `stress` (STRESS), contact forces (CFORCE) and every other array. The file has numbers of six digits at nodes;
/// numbers of cells become means over the cells of a node. Bodies are told apart by the material number of their
/// elements. The format is that of CalculiX cgx, "Result format" of its manual: ASCII, long.
/// Issues: elements that differ from frame to frame.
Result<ExportReport> write_frd(const ExportJob& job);

}  // namespace clearance::exchange
