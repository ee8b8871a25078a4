// `clearance sweep collect` and `table`.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "apps/cli/console.h"
#include "apps/cli/render.h"
#include "apps/cli/run.h"
#include "apps/cli/sweep.h"
#include "clearance/base/hash.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/result/result_files.h"
#include "clearance/sweep/run_table.h"
#include "clearance/sweep/table_page.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;
using namespace sweep;

/// Samples of a pixel: small pictures need no more.
constexpr int picture_samples = 8;

/// Checks that the output file does not exist, or may be replaced.
Issues problems_of(const SweepReportOptions& options, const char* extension) {
  Issues issues;
  std::error_code error;
  if (options.output.extension() != extension) {
    issues.push_back({options.output.string(), "", options.output.extension().string(),
                      fmt::format("expected a name that ends in {}", extension)});
  }
  if (fs::is_directory(options.output, error)) {
    issues.push_back({options.output.string(), "", "", "this is a folder; expected a file"});
  } else if (fs::exists(options.output, error) && !options.is_overwriting) {
    issues.push_back({options.output.string(), "", "", "the file exists; replace it with --overwrite"});
  }
  return issues;
}

Result<Done> write_output(const fs::path& output, const std::string& text) {
  std::error_code error;
  if (output.has_parent_path()) fs::create_directories(output.parent_path(), error);
  if (error) return Issue{output.parent_path().string(), "", "", "the folder cannot be created: " + error.message()};
  return write_user_file_atomically(output, text);
}

struct Sources {
  SweepFolder folder;
  Plan plan;
};

Result<Sources> read_sources(const fs::path& path) {
  Result<SweepFolder> folder = SweepFolder::open(path);
  if (!folder) return folder.issues();
  Result<Plan> plan = folder->plan();
  if (!plan) return plan.issues();
  return Sources{std::move(*folder), std::move(*plan)};
}

RenderOptions picture_options(const SweepFolder& folder, int run, const Picture& picture) {
  RenderOptions options;
  options.folder = folder.run_folder(run);
  options.frame = picture.frame;
  options.width = picture.width;
  options.height = picture.height;
  options.color = picture.color;
  options.samples = picture_samples;
  return options;
}

bool has_frames(const SweepFolder& folder, int run) {
  std::error_code error;
  return fs::exists(folder.run_folder(run) / "frames.pvd", error);
}

/// Adds the reasons why a run has no picture as warnings; options of `render` are keys of the plan here.
void add_warnings(const SweepFolder& folder, int run, const Issues& issues, Issues& warnings) {
  for (Issue issue : issues) {
    issue.severity = Severity::warning;
    if (issue.place == "--color" || issue.place == "--frame") {
      issue.file = (folder.path() / "plan.json").string();
      issue.place = "picture." + issue.place.substr(2);
      issue.message = fmt::format("run {}: {}", run_name(run), issue.message);
    }
    warnings.push_back(std::move(issue));
  }
}

/// The common extent of all runs, which share one camera and one colour scale so that they can be compared.
struct Measured {
  PictureExtent extent;
  std::set<int> runs;  ///< runs that have what is to be drawn
};

Measured measure_runs(const SweepFolder& folder, const Picture& picture, const std::vector<RunState>& states,
                      Issues& warnings) {
  Measured all;
  for (int run = 0; run < folder.num_runs(); ++run) {
    // Another run's picture beside these values would be wrong.
    if (!has_frames(folder, run) || states[run].phase == RunPhase::foreign) continue;
    const Result<PictureExtent> extent = measure_picture(picture_options(folder, run, picture));
    if (extent) {
      all.extent.add(*extent);
      all.runs.insert(run);
    } else {
      add_warnings(folder, run, extent.issues(), warnings);
    }
  }
  return all;
}

/// Names the file of a picture by what it shows, so that an existing file is the wanted one.
fs::path picture_file(const SweepFolder& folder, int run, const Picture& picture, const PictureExtent& extent) {
  const std::vector<StatsLine> lines = read_stats_lines(folder.run_folder(run));
  std::string shown =
      fmt::format("{} {} {} {} {} {} {} {}", lines.empty() ? "" : lines.back().text, lines.size(), picture.frame,
                  picture.color, picture.width, picture.height, extent.field.low, extent.field.high);
  for (const render::RenderBounds* bounds : {&extent.bodies, &extent.obstacles}) {
    for (const double reach : bounds->reach) shown += fmt::format(" {}", reach);
  }
  Hash hash;
  hash.add(shown.data(), shown.size());
  return folder.path() / "pictures" / fmt::format("{}-{}.png", run_name(run), hash.text());
}

/// Returns the bytes of a run's picture. Returns none, with the reason among the warnings, if it cannot be drawn.
std::string draw_run(const SweepFolder& folder, int run, const Picture& picture, const PictureExtent& extent,
                     Issues& warnings) {
  std::error_code error;
  const fs::path file = picture_file(folder, run, picture, extent);
  if (!fs::exists(file, error)) {
    RenderOptions options = picture_options(folder, run, picture);
    options.extent = extent;
    // The picture is drawn under another name first, so that one that was cut off is never taken for a whole one.
    options.output = fs::path(file).replace_extension(".part.png");
    const Result<std::string> drawn = draw_picture(options);
    if (!drawn) {
      add_warnings(folder, run, drawn.issues(), warnings);
      return {};
    }
    fs::rename(options.output, file, error);
  }
  std::ifstream bytes(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(bytes), {}};
}

/// Returns the path from the page to the folder of a run; the whole path if there is no relative one.
std::string link_to(const fs::path& folder, const fs::path& page) {
  std::error_code error;
  const fs::path base = fs::canonical(page.has_parent_path() ? page.parent_path() : ".", error);
  const fs::path relative = error ? fs::path() : fs::weakly_canonical(folder, error).lexically_relative(base);
  return relative.empty() ? folder.string() : relative.generic_string();
}

void print_warnings(Issues warnings, const SweepFolder& folder) {
  constexpr std::size_t max_told = 20;
  const std::size_t num_warnings = warnings.size();
  warnings.resize(std::min(num_warnings, max_told));
  for (Issue& warning : warnings) {
    if (warning.file.empty()) warning.file = (folder.path() / "plan.json").string();
  }
  print_issues(warnings);
  if (num_warnings > max_told) say(stderr, "and {} more\n", num_warnings - max_told);
}

}  // namespace

int run_sweep_collect(const SweepReportOptions& options) {
  if (!options.output.empty()) {
    if (const Issues issues = problems_of(options, ".csv"); !issues.empty()) return refuse(issues);
  }
  const Result<Sources> sources = read_sources(options.folder);
  if (!sources) return refuse(sources.issues());
  const RunTable table = build_run_table(sources->folder, sources->plan);
  print_warnings(table.warnings, sources->folder);
  const std::string text = csv_text(table);
  if (options.output.empty()) {
    std::fputs(text.c_str(), stdout);
    return std::fflush(stdout) == 0 ? exit_done : exit_bad_input;
  }
  if (const auto done = write_output(options.output, text); !done) return refuse(done.issues());
  say(stdout, "{}: {} runs, {} columns\n", options.output.string(), table.rows.size(), table.columns.size());
  return exit_done;
}

int run_sweep_table(const SweepReportOptions& options) {
  if (const Issues issues = problems_of(options, ".html"); !issues.empty()) return refuse(issues);
  const Result<Sources> sources = read_sources(options.folder);
  if (!sources) return refuse(sources.issues());
  const SweepFolder& folder = sources->folder;
  const RunTable table = build_run_table(folder, sources->plan);
  Issues warnings = table.warnings;
  TablePage page;
  page.title = folder.path().filename().string();
  std::error_code error;
  if (options.output.has_parent_path()) fs::create_directories(options.output.parent_path(), error);
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  const Measured measured =
      sources->plan.picture ? measure_runs(folder, *sources->plan.picture, table.states, warnings) : Measured();
  for (int i = 0; i < folder.num_runs(); ++i) {
    page.links.push_back(link_to(folder.run_folder(i), options.output));
    if (!sources->plan.picture) continue;
    page.pictures.push_back(measured.runs.count(i) > 0
                                ? draw_run(folder, i, *sources->plan.picture, measured.extent, warnings)
                                : std::string());
    if (is_terminal) say(stderr, "\rpicture {} of {}", i + 1, folder.num_runs());
  }
  if (sources->plan.picture) {
    page.picture_width = sources->plan.picture->width;
    page.picture_height = sources->plan.picture->height;
    if (is_terminal) say(stderr, "\r\033[K");
  }
  print_warnings(warnings, folder);
  const std::string text = html_text(table, page);
  if (const auto done = write_output(options.output, text); !done) return refuse(done.issues());
  say(stdout, "{}: {} runs, {:.1f} MB (open it in a browser)\n", options.output.string(), table.rows.size(),
      1e-6 * static_cast<double>(text.size()));
  return exit_done;
}

}  // namespace clearance::cli
