#include "clearance/page/page.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <system_error>

#include "clearance/io/mesh/frame_scalar.h"
#include "clearance/page/drawn_bodies.h"
#include "clearance/page/packing.h"
#include "clearance/page/run_files.h"

namespace clearance::page {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Where the viewer's text has a place for the run.
constexpr std::string_view run_mark = "<!--run-->";

struct Range {
  double low = infinity, high = -infinity;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool is_empty() const { return !(low <= high); }
};

Json vector_of(const Vec<3>& v) {
  return Json::array({v[0], v[1], v[2]});
}

/// Where a number of a frame's vertices is read from: an array of the frames.
struct Field {
  std::string name;
  Range range;
};

/// Writes a page piece by piece beside its place, and moves it there in the end.
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

/// Makes the page of a run.
class PageMaker {
 public:
  PageMaker(const PageOptions& options, RunFiles files) : options_(options), files_(std::move(files)) {}

  Result<PageReport> write(const std::string& viewer) {
    const std::size_t mark = viewer.find(run_mark);
    if (mark == std::string::npos) return Issue{"viewer.html", "", "", "has no place for a run; build it again"};
    Result<Frame> first = read_frame(files_.frames.front());
    if (!first) return first.issues();
    bodies_.emplace(*first);
    choose_frames(*first);
    choose_fields(*first);
    if (const auto measured = measure(); !measured) return measured.issues();

    PageFile page(options_.output);
    page.add(std::string_view(viewer).substr(0, mark));
    page.add(script("run", "application/json",
                    inside_script(head(*first).dump(-1, ' ', false, Json::error_handler_t::replace))));
    page.add(script("topology", "text/plain", topology(*first)));
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const Result<std::string> frame = pack(kept_[i]);
      if (!frame) return frame.issues();
      page.add(script(fmt::format("frame{}", i), "text/plain", *frame));
    }
    page.add(std::string_view(viewer).substr(mark + run_mark.size()));
    const Result<std::uintmax_t> num_bytes = page.finish();
    if (!num_bytes) return num_bytes.issues();
    return PageReport{files_.frames.size(),        kept_.size(),     bodies_->vertices().size(),
                      bodies_->triangles().size(), position_error(), *num_bytes};
  }

 private:
  static std::string script(const std::string& id, const std::string& type, const std::string& text) {
    return fmt::format("<script id=\"{}\" type=\"{}\">{}</script>\n", id, type, text);
  }

  /// Every n-th frame and the last, as many as there is room for at 60 % of their plain size: about what zlib leaves.
  void choose_frames(const Frame& first) {
    const double bytes_of_number = options_.is_exact ? 4.0 : 2.0;
    const double of_vertex = bytes_of_number * (4.0 + static_cast<double>(files_.fields.size()));
    const double of_frame = 0.6 * 4.0 / 3.0 * of_vertex * static_cast<double>(bodies_->vertices().size()) + 1000.0;
    (void)first;
    const auto room = static_cast<std::size_t>(std::max(2.0, 1e6 * options_.max_megabytes / of_frame));
    const std::size_t count = files_.frames.size(), stride = (count + room - 1) / room;
    for (std::size_t i = 0; i < count; i += stride) kept_.push_back(i);
    if (kept_.back() + 1 != count) kept_.push_back(count - 1);
  }

  void choose_fields(const Frame& first) {
    if (!first.velocity.empty()) fields_.push_back({"velocity", {}});
    for (const std::string& name : files_.fields) {
      if (name != "displacement") fields_.push_back({name, {}});  // the page knows where vertices were
    }
  }

  /// With the numbers of the field, one per vertex of the frame; empty where the frame has none.
  Result<Frame> read(std::size_t index, const std::string& field, std::vector<double>& values) const {
    Result<Frame> frame = read_frame(files_.frames[index], field == "velocity" ? "" : field);
    if (!frame) return frame;
    if (!bodies_->fits(*frame)) {
      return Issue{files_.frames[index].string(), "", "", "has other vertices than the first frame of the run"};
    }
    values.clear();
    if (field == "velocity") {
      for (const Vec<3>& v : frame->velocity) values.push_back(v.norm());
    } else {
      values = scalar_of_vertices(*frame);
    }
    return frame;
  }

  /// The first look at all frames that are kept: who keeps his shape, and between what numbers lie.
  Result<Done> measure() {
    std::vector<char> changes;
    std::vector<double> values;
    std::vector<Vec<3>> low(bodies_->bodies().size(), Vec<3>::Constant(infinity)), high(low.size(), -low.front());
    for (const std::size_t index : kept_) {
      Result<Frame> frame = read(index, "", values);
      if (!frame) return frame.issues();
      bodies_->note_shape(*frame, changes);
      for (std::size_t b = 0; b < low.size(); ++b) {
        const DrawnBody& body = bodies_->bodies()[b];
        for (std::size_t i = 0; i < body.num_vertices; ++i) {
          const Vec<3>& x = frame->mesh.vertices[static_cast<std::size_t>(bodies_->vertices()[body.first_vertex + i])];
          low[b] = low[b].cwiseMin(x);
          high[b] = high[b].cwiseMax(x);
        }
      }
      if (!frame->contact_force.empty()) has_forces_ = true;
      for (Field& field : fields_) {
        frame = read(index, field.name, values);
        if (!frame) return frame.issues();
        for (const int v : bodies_->vertices()) {
          if (!values.empty()) field.range.add(values[static_cast<std::size_t>(v)]);
        }
      }
    }
    std::erase_if(fields_, [](const Field& field) { return field.range.is_empty(); });
    low_ = Vec<3>::Constant(infinity);
    high_ = -low_;
    view_low_ = low_;
    view_high_ = high_;
    for (std::size_t b = 0; b < low.size(); ++b) {
      if (changes[b] != 0) low_ = low_.cwiseMin(low[b]), high_ = high_.cwiseMax(high[b]);
      if (!bodies_->bodies()[b].is_obstacle || low.size() == 1) {
        view_low_ = view_low_.cwiseMin(low[b]);
        view_high_ = view_high_.cwiseMax(high[b]);
      }
    }
    if (!(view_low_[0] <= view_high_[0])) view_low_ = low.front(), view_high_ = high.front();
    origin_ = 0.5 * (view_low_ + view_high_);
    bodies_->arrange(changes);
    return Done{};
  }

  double position_error() const {
    if (bodies_->num_moving() == 0) return 0.0;
    if (options_.is_exact) return 6e-8 * (high_ - low_).cwiseAbs().maxCoeff();
    return quantisation_error(0.0, (high_ - low_).maxCoeff());
  }

  Json head(const Frame& first) const {
    Json head = {{"version", CLEARANCE_VERSION},
                 {"title", files_.scene.is_object() ? files_.scene.value("name", "") : ""},
                 {"dimension", first.mesh.dim},
                 {"exact", options_.is_exact},
                 {"positionError", position_error()},
                 {"origin", vector_of(origin_)},
                 {"viewLow", vector_of(view_low_ - origin_)},
                 {"viewHigh", vector_of(view_high_ - origin_)},
                 {"low", vector_of(bodies_->num_moving() > 0 ? Vec<3>(low_ - origin_) : Vec<3>(Vec<3>::Zero()))},
                 {"high", vector_of(bodies_->num_moving() > 0 ? Vec<3>(high_ - origin_) : Vec<3>(Vec<3>::Zero()))},
                 {"vertices", bodies_->vertices().size()},
                 {"moving", bodies_->num_moving()},
                 {"triangles", bodies_->triangles().size()},
                 {"edges", bodies_->edges().size()},
                 {"hasForces", has_forces_},
                 {"framesOfRun", files_.frames.size()}};
    for (const DrawnBody& body : bodies_->bodies()) {
      const auto number = static_cast<std::size_t>(body.body);
      head["bodies"].push_back(
          {{"name", number < files_.names.size() ? files_.names[number] : fmt::format("body {}", number)},
           {"number", number},
           {"obstacle", body.is_obstacle},
           {"stiff", body.keeps_shape},
           {"vertices", {body.first_vertex, body.num_vertices}},
           {"triangles", {body.first_triangle, body.num_triangles}},
           {"edges", {body.first_edge, body.num_edges}}});
    }
    head["fields"] = Json::array();
    for (const Field& field : fields_) {
      head["fields"].push_back({{"name", field.name}, {"low", field.range.low}, {"high", field.range.high}});
    }
    for (const std::size_t index : kept_) {
      head["frames"].push_back({{"time", files_.times[index]}, {"step", files_.steps[index]}});
    }
    head["scene"] = files_.scene;
    head["stats"] = files_.stats;
    head["probes"] = files_.probes;
    head["warnings"] = files_.warnings;
    return head;
  }

  Vec<3> place(const Frame& frame, std::size_t vertex) const {
    return frame.mesh.vertices[static_cast<std::size_t>(bodies_->vertices()[vertex])] - origin_;
  }

  /// Triangles, lines, numbers of the vertices in the frames, and where they are in the first one.
  std::string topology(const Frame& first) const {
    Packer packer;
    std::vector<std::uint32_t> numbers;
    for (const auto& triangle : bodies_->triangles()) numbers.insert(numbers.end(), triangle.begin(), triangle.end());
    for (const auto& edge : bodies_->edges()) numbers.insert(numbers.end(), edge.begin(), edge.end());
    for (const int v : bodies_->vertices()) numbers.push_back(static_cast<std::uint32_t>(v));
    packer.add(numbers);
    std::vector<float> places;
    for (std::size_t v = 0; v < bodies_->vertices().size(); ++v) {
      for (const double x : place(first, v)) places.push_back(static_cast<float>(x));
    }
    packer.add(places);
    return packer.text();
  }

  void add_numbers(const std::vector<double>& values, double low, double high, Packer& packer) const {
    if (options_.is_exact) {
      packer.add(std::vector<float>(values.begin(), values.end()));
      return;
    }
    std::vector<std::uint16_t> numbers(values.size());
    std::transform(values.begin(), values.end(), numbers.begin(), [&](double x) { return quantised(x, low, high); });
    packer.add(numbers);
  }

  /// Poses of bodies that keep their shape, places of the others' vertices axis by axis, fields, forces where there are
  /// some.
  Result<std::string> pack(std::size_t index) const {
    std::vector<double> values;
    Result<Frame> frame = read(index, "", values);
    if (!frame) return frame.issues();
    Packer packer;
    std::vector<float> poses;
    for (const DrawnBody& body : bodies_->bodies()) {
      if (!body.keeps_shape) continue;
      Pose pose = bodies_->pose(body, *frame);
      // Of places about the origin of the page.
      const Eigen::Map<const Mat<3>> linear(pose.data());
      Eigen::Map<Vec<3>> translation(pose.data() + 9);
      translation += linear * origin_ - origin_;
      poses.insert(poses.end(), pose.begin(), pose.end());
    }
    packer.add(poses);
    std::vector<double> axis(bodies_->num_moving());
    for (int k = 0; k < 3; ++k) {
      for (std::size_t v = 0; v < axis.size(); ++v) axis[v] = place(*frame, v)[k];
      add_numbers(axis, low_[k] - origin_[k], high_[k] - origin_[k], packer);
    }
    add_forces(*frame, packer);
    for (const Field& field : fields_) {
      const Result<Frame> with_field = read(index, field.name, values);
      if (!with_field) return with_field.issues();
      std::vector<double> of_vertices;
      for (const int v : bodies_->vertices()) {
        of_vertices.push_back(values.empty() ? std::nan("") : values[static_cast<std::size_t>(v)]);
      }
      add_numbers(of_vertices, field.range.low, field.range.high, packer);
    }
    return packer.text();
  }

  void add_forces(const Frame& frame, Packer& packer) const {
    if (!has_forces_) return;
    std::vector<std::uint32_t> vertices;
    std::vector<float> forces;
    for (std::size_t v = 0; v < bodies_->vertices().size() && !frame.contact_force.empty(); ++v) {
      const Vec<3>& force = frame.contact_force[static_cast<std::size_t>(bodies_->vertices()[v])];
      if (force.isZero(0.0) || !force.allFinite()) continue;
      vertices.push_back(static_cast<std::uint32_t>(v));
      for (const double x : force) forces.push_back(static_cast<float>(x));
    }
    packer.add(std::vector<std::uint32_t>{static_cast<std::uint32_t>(vertices.size())});
    packer.add(vertices);
    packer.add(forces);
  }

  const PageOptions& options_;
  RunFiles files_;
  std::optional<DrawnBodies> bodies_;
  std::vector<std::size_t> kept_;
  std::vector<Field> fields_;
  bool has_forces_ = false;
  Vec<3> low_ = Vec<3>::Zero(), high_ = low_;  ///< between which bodies that change their shape move
  Vec<3> view_low_ = low_, view_high_ = low_;  ///< all but obstacles
  Vec<3> origin_ = low_;
};

}  // namespace

Result<fs::path> find_viewer() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path viewer = self.parent_path().parent_path() / "share" / "clearance" / "viewer.html";
  if (!error && fs::exists(viewer, error)) return viewer;
  return Issue{viewer.string(), "", "",
               "the viewer has not been built: it needs Node.js 18 or later with npm where Clearance is built (Debian: "
               "nodejs, npm); `./dev build` then makes it"};
}

Result<PageReport> write_page(const PageOptions& options, const fs::path& viewer) {
  std::ifstream file(viewer);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) return Issue{viewer.string(), "", "", "cannot be read"};
  Result<RunFiles> files = read_run_files(options.folder);
  if (!files) return files.issues();
  return PageMaker(options, std::move(*files)).write(text);
}

}  // namespace clearance::page
