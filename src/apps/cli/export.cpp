#include "apps/cli/export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "apps/cli/console.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;

Issues problems_of(const ExportOptions& options) {
  const fs::path& output = options.page.output;
  Issues issues;
  if (output.extension() != ".html") {
    issues.push_back({output.string(), "", output.extension().string(), "expected a name that ends in .html"});
  }
  std::error_code error;
  if (fs::is_directory(output, error)) {
    issues.push_back({output.string(), "", "", "is a folder"});
  } else if (fs::exists(output, error) && !options.is_overwriting) {
    issues.push_back({output.string(), "", "", "is there already; --overwrite replaces it"});
  }
  return issues;
}

}  // namespace

int run_export(const ExportOptions& options) {
  const auto refuse = [](const Issues& issues) {
    print_issues(issues);
    return 2;
  };
  if (const Issues issues = problems_of(options); !issues.empty()) return refuse(issues);
  const Result<fs::path> viewer = page::find_viewer();
  if (!viewer) return refuse(viewer.issues());
  std::error_code error;
  const fs::path parent = options.page.output.parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  if (error) return refuse({{parent.string(), "", "", "cannot be created: " + error.message()}});
  const Result<page::PageReport> report = page::write_page(options.page, *viewer);
  if (!report) return refuse(report.issues());
  if (options.json) {
    const nlohmann::ordered_json json = {{"frames", report->num_kept},
                                         {"frames_of_run", report->num_frames},
                                         {"vertices", report->num_vertices},
                                         {"triangles", report->num_triangles},
                                         {"position_error", report->position_error},
                                         {"bytes", report->num_bytes}};
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}: {} frames, {} triangles, {:.1f} MB (open it in a browser)\n", options.page.output.string(),
             report->num_kept, report->num_triangles, 1e-6 * static_cast<double>(report->num_bytes));
  if (report->num_kept < report->num_frames) {
    fmt::print("{} of {} frames, evenly, for {:g} MB (--max-size)\n", report->num_kept, report->num_frames,
               options.page.max_megabytes);
  }
  if (report->position_error > 0.0 && !options.page.is_exact) {
    fmt::print("places of deformable bodies are off by up to {:.2g} m (--exact: in single precision)\n",
               report->position_error);
  }
  return 0;
}

}  // namespace clearance::cli
