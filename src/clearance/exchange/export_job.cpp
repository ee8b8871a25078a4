#include "clearance/exchange/export_job.h"

#include <fmt/format.h>

#include <algorithm>

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

void note_rigid_error(const ExportedRun& run, ExportReport& report) {
  double size = 0.0;
  for (const ExportedBody& body : run.bodies()) {
    if (body.motion == Motion::rigid) size = std::max(size, body.axes.size);
  }
  if (!(run.rigid_error() > 1e-6 * size)) return;
  report.notes.push_back(
      fmt::format("stiff bodies are written as rotations and translations; their vertices are off by up to {:.2g} m",
                  run.rigid_error()));
}

}  // namespace clearance::exchange
