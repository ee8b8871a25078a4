#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

ExportReport report_of(const ExportedRun& run) {
  ExportReport report;
  report.num_frames = run.num_frames();
  report.num_frames_of_run = run.num_frames_of_run();
  const auto count = [&](Motion motion) {
    return std::count_if(run.bodies().begin(), run.bodies().end(),
                         [&](const ExportedBody& body) { return body.motion == motion; });
  };
  report.values = {{"bodies",
                    {{"still", count(Motion::still)},
                     {"rigid", count(Motion::rigid)},
                     {"affine", count(Motion::affine)},
                     {"deforming", count(Motion::deforming)}}},
                   {"rigid_error", run.rigid_error()}};
  return report;
}

}  // namespace clearance::exchange
