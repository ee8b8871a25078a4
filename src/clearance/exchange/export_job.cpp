#include "clearance/exchange/export_job.h"

#include <fmt/format.h>

#include <algorithm>

namespace clearance::exchange {
namespace {

Issue without_bodies(const ExportJob& job) {
  return {job.folder.string(), "", "", "the run has no bodies that could be drawn"};
}

}  // namespace

Result<ExportedRun> open_measured(const ExportJob& job, Issues issues) {
  const auto note = [&](const Issues& more) { issues.insert(issues.end(), more.begin(), more.end()); };
  Result<ExportedRun> run = ExportedRun::open(job.folder, job.frames);
  note(run.issues());
  if (run) note(run->measure().issues());
  if (!issues.empty()) return issues;
  if (run->bodies().empty()) return without_bodies(job);
  return run;
}

Result<RunAndFirst> open_with_own_elements(const ExportJob& job, Issues issues) {
  const auto note = [&](const Issues& more) { issues.insert(issues.end(), more.begin(), more.end()); };
  Result<ExportedRun> run = ExportedRun::open(job.folder, job.frames);
  note(run.issues());
  if (!run) return issues;
  // If elements change, each frame is measured by itself.
  Result<ExportedRun> first = run->adapts() ? run->of_frame(0) : Result<ExportedRun>(*run);
  note(first.issues());
  if (first && !run->adapts()) note(first->measure().issues());
  if (!issues.empty()) return issues;
  if (first->bodies().empty()) return without_bodies(job);
  return RunAndFirst{std::move(*run), std::move(*first)};
}

Result<ExportReport> finish_export(FileSet& files, ExportReport report) {
  const Result<std::uintmax_t> num_bytes = files.finish();
  if (!num_bytes) return num_bytes.issues();
  report.files = files.names();
  report.num_bytes = *num_bytes;
  return report;
}

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

ExportReport report_of(const RunAndFirst& opened) {
  ExportReport report = report_of(opened.first);
  report.num_frames = opened.run.num_frames();
  report.num_frames_of_run = opened.run.num_frames_of_run();
  if (opened.run.adapts()) {
    report.values.clear();  // the motion of bodies from frame to frame is unknown
    report.notes.emplace_back(
        "elements change from frame to frame, so that the number of a vertex means another vertex in every frame");
  }
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
