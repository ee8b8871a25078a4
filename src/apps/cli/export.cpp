#include "apps/cli/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "apps/cli/console.h"
#include "clearance/exchange/alembic.h"
#include "clearance/exchange/frd.h"
#include "clearance/exchange/glb.h"
#include "clearance/exchange/obj_sequence.h"
#include "clearance/exchange/point_caches.h"
#include "clearance/exchange/usd_stage.h"
#include "clearance/exchange/xdmf.h"
#include "clearance/io/result/result_units.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A file ending, and the options that only some formats have.
struct ExportFormat {
  const char* ending;
  std::vector<std::string> options;
  const char* hint;  ///< program that opens it
};
const std::array formats = {
    ExportFormat{".html", {"--max-size", "--exact"}, "open it in a browser"},
    ExportFormat{".glb", {"--frames", "--max-targets", "--speed"}, "glTF 2.0"},
    ExportFormat{".obj", {"--frames"}, "a file per frame"},
    ExportFormat{".pc2", {"--frames", "--speed"}, "point caches and poses"},
    ExportFormat{".usda", {"--frames", "--speed"}, "Universal Scene Description"},
    ExportFormat{".abc", {"--frames", "--speed"}, "Alembic"},
    ExportFormat{".xdmf", {"--frames"}, "ParaView"},
    ExportFormat{".frd", {"--frames"}, "CalculiX, PrePoMax, FreeCAD"},
};

const ExportFormat* find_format(const ExportOptions& options) {
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const ExportFormat& f) { return options.page.output.extension() == f.ending; });
  return found == formats.end() ? nullptr : found;
}

std::string known_endings() {
  std::string text;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    text += i == 0 ? "" : i + 1 < formats.size() ? ", " : " or ";
    text += formats[i].ending;
  }
  return text;
}

/// Parses FROM, FROM:, FROM:TO or FROM:TO:STEP; each number may be left out.
std::optional<exchange::FrameRange> parse_frames(const std::string& text) {
  exchange::FrameRange range;
  std::array<std::size_t*, 3> numbers = {&range.first, &range.last, &range.stride};
  std::size_t begin = 0, count = 0;
  for (; begin <= text.size() && count < 3; ++count) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) {
      const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, *numbers[count]);
      if (error != std::errc() || stop != text.data() + end) return std::nullopt;
    }
    begin = end + 1;
  }
  if (begin <= text.size() || range.stride == 0) return std::nullopt;
  if (count == 1 && !text.empty()) range.last = range.first;
  return range;
}

Issues problems_of(const ExportOptions& options, const ExportFormat* format) {
  const fs::path& output = options.page.output;
  Issues issues;
  if (format == nullptr) {
    issues.push_back({output.string(), "", output.extension().string(),
                      fmt::format("expected a name that ends in {}", known_endings())});
  } else {
    for (const std::string& option : options.given) {
      const auto& known = format->options;
      if (std::find(known.begin(), known.end(), option) != known.end()) continue;
      issues.push_back({output.string(), option, "", fmt::format("this option is not for {} files", format->ending)});
    }
  }
  if (!parse_frames(options.frames)) {
    issues.push_back({output.string(), "--frames", options.frames,
                      "expected FROM:TO or FROM:TO:STEP, numbers of frames from 0 and a step of at least 1"});
  }
  // Writers of other formats check for themselves what they write and whether a file is in their way.
  std::error_code error;
  if (format == nullptr || format != &formats.front()) return issues;
  if (fs::is_directory(output, error)) {
    issues.push_back({output.string(), "", "", "this is a folder; expected a file"});
  } else if (fs::exists(output, error) && !options.is_overwriting) {
    issues.push_back({output.string(), "", "", "the file exists; replace it with --overwrite"});
  }
  return issues;
}

int run_page_export(const ExportOptions& options) {
  const Result<fs::path> viewer = page::find_viewer();
  if (!viewer) return refuse(viewer.issues());
  std::error_code error;
  const fs::path parent = options.page.output.parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  if (error) return refuse({{parent.string(), "", "", "the folder cannot be created: " + error.message()}});
  const Result<page::PageReport> report = page::write_page(options.page, *viewer);
  if (!report) return refuse(report.issues());
  if (options.json) {
    const Json json = {{"frames", report->num_kept},
                       {"frames_of_run", report->num_frames},
                       {"vertices", report->num_vertices},
                       {"triangles", report->num_triangles},
                       {"position_error", report->position_error},
                       {"bytes", report->num_bytes}};
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}: {} frames, {}{} triangles, {:.1f} MB (open it in a browser)\n", options.page.output.string(),
             report->num_kept, report->adapts ? "at most " : "", report->num_triangles,
             1e-6 * static_cast<double>(report->num_bytes));
  if (report->num_kept < report->num_frames) {
    fmt::print("{} of {} frames, evenly spread, to fit into {:g} MB (--max-size)\n", report->num_kept,
               report->num_frames, options.page.max_megabytes);
  }
  if (static_cast<double>(report->num_bytes) > 1e6 * options.page.max_megabytes) {
    fmt::print(
        "the page is larger than --max-size, because the viewer, the numbers of all steps and {} frames need that "
        "much\n",
        report->num_kept);
  }
  if (report->position_error > 0.0 && !options.page.is_exact) {
    fmt::print("positions of deformable bodies are rounded by up to {:.2g} {} (--exact: single precision)\n",
               report->position_error, read_units(options.page.folder).length_name);
  }
  return 0;
}

Result<exchange::ExportReport> write(const ExportOptions& options, const std::string& ending) {
  const exchange::ExportJob job = {options.page.folder, options.page.output, *parse_frames(options.frames),
                                   options.is_overwriting};
  if (ending == ".obj") return exchange::write_obj_sequence(job);
  if (ending == ".pc2") return exchange::write_point_caches({job, options.speed});
  if (ending == ".usda") return exchange::write_usd_stage({job, options.speed});
  if (ending == ".abc") return exchange::write_alembic({job, options.speed});
  if (ending == ".xdmf") return exchange::write_xdmf(job);
  if (ending == ".frd") return exchange::write_frd(job);
  return exchange::write_glb({job, options.max_targets, options.speed});
}

int run_format_export(const ExportOptions& options, const ExportFormat& format) {
  const Result<exchange::ExportReport> report = write(options, format.ending);
  if (!report) return refuse(report.issues());
  if (options.json) {
    Json json = {{"frames", report->num_frames},
                 {"frames_of_run", report->num_frames_of_run},
                 {"files", report->files},
                 {"bytes", report->num_bytes}};
    json.update(report->values);
    json["notes"] = report->notes;
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}: {} frames, {:.1f} MB{} ({})\n", options.page.output.string(), report->num_frames,
             1e-6 * static_cast<double>(report->num_bytes),
             report->files.size() > 1 ? fmt::format(" in {} files", report->files.size()) : "", format.hint);
  const UnitSystem units = read_units(options.page.folder);
  for (const std::string& note : report->notes) fmt::print("{}\n", units.message(note));
  return 0;
}

}  // namespace

int run_export(const ExportOptions& options) {
  const ExportFormat* format = find_format(options);
  if (const Issues issues = problems_of(options, format); !issues.empty()) return refuse(issues);
  return format == &formats.front() ? run_page_export(options) : run_format_export(options, *format);
}

}  // namespace clearance::cli
