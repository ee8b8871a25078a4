#include "clearance/page/page.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "clearance/io/files/text_file.h"
#include "clearance/page/packed_run.h"

namespace clearance::page {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Marks in the viewer's text that are replaced by the run and by the policy of the page.
constexpr std::string_view run_mark = "<!--run-->", policy_mark = "<!--policy-->";
/// Policy of a page that is a file: it loads nothing from anywhere.
constexpr const char* policy_of_file =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src "
    "'unsafe-inline'; img-src data: blob:\">";

/// Writes a page piece by piece to a temporary file beside its place, and moves it there at the end.
class PageFile {
 public:
  explicit PageFile(const fs::path& output)
      : output_(output), temporary_(output.string() + fmt::format(".{}.tmp", getpid())), out_(temporary_) {}
  ~PageFile() {
    std::error_code ignored;
    if (!is_done_) fs::remove(temporary_, ignored);
  }
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;

  void add(std::string_view text) {
    out_ << text;
    num_bytes_ += text.size();
  }
  Result<std::uintmax_t> finish() {
    out_.close();
    std::error_code error;
    if (out_) fs::rename(temporary_, output_, error);
    if (!out_ || error) return Issue{output_.string(), "", "", "cannot be written"};
    is_done_ = true;
    return num_bytes_;
  }

 private:
  fs::path output_, temporary_;
  std::ofstream out_;
  std::uintmax_t num_bytes_ = 0;
  bool is_done_ = false;
};

std::string script(const std::string& id, const std::string& type, const std::string& text) {
  return fmt::format("<script id=\"{}\" type=\"{}\">{}</script>\n", id, type, text);
}

std::string text_of_head(const PackedRun& run) {
  return inside_script(run.head().dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Estimates the bytes per frame in the page, including the topology of frames with their own. Packs a few sample
/// frames, takes the largest, and adds a tenth for the frames between them.
Result<double> measure_frame_size(const RunFiles& files, bool is_exact) {
  Result<PackedRun> trial = PackedRun::open(files);
  if (!trial) return trial.issues();
  const std::size_t last = files.frames.size() - 1;
  std::vector<std::size_t> sample = {0, last / 4, last / 2, last - last / 4, last};
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  if (const auto measured = trial->measure(sample, is_exact); !measured) return measured.issues();
  std::size_t largest = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const Result<Packer> frame = trial->frame(i);
    if (!frame) return frame.issues();
    std::size_t size = frame->text().size();
    if (trial->adapts() && trial->topology_of(i) == i) {
      const Result<Packer> topology = trial->topology(i);
      if (!topology) return topology.issues();
      size += topology->text().size();
    }
    largest = std::max(largest, size);
  }
  return 1.1 * static_cast<double>(largest);
}

/// Chooses all frames if they fit beside `fixed` bytes, otherwise every n-th frame and the last.
Result<std::vector<std::size_t>> choose_frames(const PackedRun& run, const PageOptions& options, std::size_t fixed) {
  const std::size_t count = run.files().frames.size();
  std::size_t room = count;
  // No sample frames are packed if all frames would fit without compression.
  const double bytes_of_number = options.is_exact ? 4.0 : 2.0;
  // A surface has about two triangles per vertex, and a topology stores reference positions in single precision.
  const double of_topology = run.adapts() ? 10.0 * 4.0 / bytes_of_number : 0.0;
  const double numbers = 4.0 + of_topology + static_cast<double>(run.files().fields.size());
  const double plain =
      4.0 / 3.0 * bytes_of_number * numbers * static_cast<double>(run.bodies().vertices().size()) + 1e3;
  const double free = 1e6 * options.max_megabytes - static_cast<double>(fixed);
  if (static_cast<double>(count) * plain > free) {
    const Result<double> size = measure_frame_size(run.files(), options.is_exact);
    if (!size) return size.issues();
    room = static_cast<std::size_t>(std::max(2.0, free / *size));
  }
  const std::size_t stride = (count + room - 1) / room;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < count; i += stride) kept.push_back(i);
  if (kept.back() + 1 != count) kept.push_back(count - 1);
  return kept;
}

}  // namespace

Result<fs::path> find_viewer() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path viewer = self.parent_path().parent_path() / "share" / "clearance" / "viewer.html";
  if (!error && fs::exists(viewer, error)) return viewer;
  return Issue{viewer.string(), "", "",
               "the viewer has not been built; install Node.js 18 or later with npm (Debian: nodejs, npm) and run "
               "`./dev build`"};
}

Result<Viewer> read_viewer(const fs::path& path, const std::string& policy) {
  Result<std::string> text = read_text_file(path);
  if (!text) return text.issues();
  const std::size_t place = text->find(policy_mark);
  if (place != std::string::npos) text->replace(place, policy_mark.size(), policy);
  const std::size_t mark = text->find(run_mark);
  if (mark == std::string::npos || place == std::string::npos) {
    return Issue{path.string(), "", "", "the viewer has no place for a run; build it again"};
  }
  return Viewer{text->substr(0, mark), text->substr(mark + run_mark.size())};
}

Result<PageReport> write_page(const PageOptions& options, const fs::path& viewer) {
  const Result<Viewer> text = read_viewer(viewer, policy_of_file);
  if (!text) return text.issues();
  Result<RunFiles> files = read_run_files(options.folder);
  if (!files) return files.issues();
  Result<PackedRun> run = PackedRun::open(std::move(*files));
  if (!run) return run.issues();
  const Result<Packer> first_topology = run->topology(0);
  if (!first_topology) return first_topology.issues();
  const std::size_t fixed =
      text->before.size() + text->after.size() + first_topology->text().size() + text_of_head(*run).size();
  const Result<std::vector<std::size_t>> chosen = choose_frames(*run, options, fixed);
  if (!chosen) return chosen.issues();
  const std::vector<std::size_t>& kept = *chosen;
  if (const auto measured = run->measure(kept, options.is_exact); !measured) return measured.issues();

  PageFile page(options.output);
  page.add(text->before);
  page.add(script("run", "application/json", text_of_head(*run)));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (run->topology_of(i) == i) {
      const Result<Packer> topology = run->topology(i);
      if (!topology) return topology.issues();
      page.add(script(i == 0 ? "topology" : fmt::format("topology{}", i), "text/plain", topology->text()));
    }
    const Result<Packer> frame = run->frame(i);
    if (!frame) return frame.issues();
    page.add(script(fmt::format("frame{}", i), "text/plain", frame->text()));
  }
  page.add(text->after);
  const Result<std::uintmax_t> num_bytes = page.finish();
  if (!num_bytes) return num_bytes.issues();
  PageReport report;
  report.num_frames = run->files().frames.size();
  report.num_kept = kept.size();
  report.num_vertices = run->most_vertices();
  report.num_triangles = run->most_triangles();
  report.adapts = run->adapts();
  report.position_error = run->position_error();
  report.num_bytes = *num_bytes;
  return report;
}

}  // namespace clearance::page
