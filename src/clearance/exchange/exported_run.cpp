#include "clearance/exchange/exported_run.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "clearance/exchange/outline_fill.h"
#include "clearance/io/result/result_units.h"
#include "clearance/verify/rest_shape.h"

namespace clearance::exchange {
namespace {

/// [of a body's size] Largest distance from a rigid image of the first frame up to which a body counts as rigid. Stiff
/// affine bodies stretch by about this much under their own impacts; no picture shows it.
constexpr double largest_stretch = 1e-5;

/// The rotation of a deforming body can be followed as long as its stretches stay between these two limits and it
/// rotates by at most 60 degrees from frame to frame. Beyond them, its rotation means little.
constexpr double most_squeezed = 0.4, most_stretched = 2.5, cosine_of_half_turn = 0.8660254037844386;

std::array<double, 3> linear_rgb(int hex) {
  std::array<double, 3> color;
  for (int k = 0; k < 3; ++k) {
    const double c = (hex >> (16 - 8 * k) & 255) / 255.0;
    // A cubic replaces the curve of sRGB, with an error below 1/255, because results of pow depend on the processor.
    color[k] = c * (c * (0.305306011 * c + 0.682171111) + 0.012522878);
  }
  return color;
}

/// The colours of `clearance render`, by the order of the bodies that are no obstacles.
std::array<double, 3> body_color(int order) {
  static constexpr std::array palette = {0x3F8EDC, 0xF29F3D, 0x52B06B, 0xE2607A, 0x8F74D6,
                                         0x3DB7BF, 0xDDBE3F, 0xC47A52, 0x6C8BA4, 0xB65FB0};
  return linear_rgb(palette[order % palette.size()]);
}
constexpr int obstacle_color = 0xC9CCD1;

bool is_followed(const RigidMotion& motion, const Eigen::Quaterniond& before) {
  const Eigen::SelfAdjointEigenSolver<Mat<3>> solver(motion.stretch, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().minCoeff() > most_squeezed && solver.eigenvalues().maxCoeff() < most_stretched &&
         std::abs(motion.rotation.coeffs().dot(before.coeffs())) > cosine_of_half_turn;
}

}  // namespace

ExportedRun::ExportedRun(page::RunFiles files, std::vector<std::size_t> kept, Frame first)
    : files_(std::move(files)), kept_(std::move(kept)), first_(std::move(first)), drawn_(first_) {
  dim_ = first_.mesh.dim;
  adapts_ = !verify::rest_positions(first_).empty();
  if (files_.scene.is_object()) {
    name_ = files_.scene.value("name", "");
    const auto time = files_.scene.find("time");
    is_quasi_static_ = time != files_.scene.end() && time->is_object() &&
                       time->value("integrator", nlohmann::ordered_json()) == "quasi_static";
  }
  find_up();
  units_ = units_of_json(files_.scene);
}

void ExportedRun::find_up() {
  if (dim_ == 2 || !files_.scene.is_object()) return;
  const auto gravity = files_.scene.value("gravity", nlohmann::ordered_json::array());
  double most = 0.0;
  for (std::size_t k = 0; k < gravity.size() && k < 3; ++k) {
    const double g = gravity[k].is_number() ? std::abs(gravity[k].get<double>()) : 0.0;
    if (g > most) {
      most = g;
      up_ = static_cast<int>(k);
    }
  }
}

Result<RunFrames> list_frames(const std::filesystem::path& folder, const FrameRange& range) {
  Result<page::RunFiles> files = page::read_run_files(folder);
  if (!files) return files.issues();
  const std::size_t count = files->frames.size();
  const std::size_t last = range.last == FrameRange::to_the_end ? count - 1 : range.last;
  if (last >= count || last < range.first) {
    const std::string given = last == range.first ? fmt::format("{}", last) : fmt::format("{}:{}", range.first, last);
    return Issue{folder.string(), "--frames", given,
                 fmt::format("the run has the frames 0 to {}; expected rising numbers of these", count - 1)};
  }
  RunFrames frames{std::move(*files), {}};
  for (std::size_t i = range.first; i <= last; i += range.stride) frames.kept.push_back(i);
  return frames;
}

std::string take_name(const ExportedBody& body, std::string name, std::set<std::string>& taken) {
  if (!taken.insert(name).second) taken.insert(name += fmt::format("_{}", body.drawn.body));
  return name;
}

Result<ExportedRun> ExportedRun::open(const std::filesystem::path& folder, const FrameRange& range) {
  Result<RunFrames> frames = list_frames(folder, range);
  if (!frames) return frames.issues();
  Result<Frame> first = read_whole_frame(frames->files.frames[frames->kept.front()]);
  if (!first) return first.issues();
  return ExportedRun(std::move(frames->files), std::move(frames->kept), std::move(*first));
}

Result<Frame> ExportedRun::frame(std::size_t index) const {
  const std::filesystem::path& path = files_.frames[kept_[index]];
  Result<Frame> frame = read_frame(path);
  if (frame && adapts_ && !verify::has_same_cells(*frame, first_)) {
    return Issue{
        path.string(), "", "",
        "the frame has other elements than the first frame of the export, but files of this format need the same "
        "elements at all times; export to .html, .abc, .obj or .xdmf, or choose frames with the same elements by "
        "`--frames`"};
  }
  if (frame && !drawn_.fits(*frame)) {
    return Issue{path.string(), "", fmt::format("{} vertices", frame->mesh.vertices.size()),
                 fmt::format("expected the {} vertices of the first frame", first_.mesh.vertices.size())};
  }
  return frame;
}

Result<ExportedRun> ExportedRun::of_frame(std::size_t index) const {
  const std::size_t number = kept_[index];
  Result<Frame> frame = read_frame(files_.frames[number]);
  if (!frame) return frame.issues();
  page::RunFiles files;
  files.frames = {files_.frames[number]};
  files.times = {files_.times[number]};
  files.steps = {files_.steps[number]};
  files.names = files_.names;
  files.thicknesses = files_.thicknesses;
  files.scene = files_.scene;
  ExportedRun run(std::move(files), {0}, std::move(*frame));
  if (const auto measured = run.measure(); !measured) return measured.issues();
  return run;
}

/// Motion of the bodies over the frames noted so far, per body.
struct ExportedRun::BodyMotions {
  std::vector<char> changes, stretches, moves;
  std::vector<double> errors;
  std::vector<Eigen::Quaterniond> rotations;  // in the frame noted last

  explicit BodyMotions(std::size_t count)
      : stretches(count, 0), moves(count, 0), errors(count, 0.0), rotations(count, Eigen::Quaterniond::Identity()) {}
};

Issues ExportedRun::find_repeated_times() const {
  Issues issues;
  for (std::size_t i = 1; i < kept_.size(); ++i) {
    if (time(i) > time(i - 1)) continue;
    issues.push_back({files_.frames[kept_[i]].string(), "", fmt::format("{} s", time(i)),
                      fmt::format("expected a time after that of the frame before, {} s", time(i - 1))});
  }
  return issues;
}

void ExportedRun::note_motion(const Frame& frame, BodyMotions& noted) {
  drawn_.note_shape(frame, noted.changes);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    ExportedBody& body = bodies_[b];
    RigidMotion motion = best_motion(body, frame);
    body.has_turns = body.has_turns && is_followed(motion, noted.rotations[b]);
    noted.rotations[b] = motion.rotation;
    if (noted.changes[b] != 0 || (noted.stretches[b] != 0 && noted.moves[b] != 0)) continue;
    motion.stretch.setIdentity();
    const std::vector<Vec<3>> rest = places(body, first_), now = places(body, frame);
    for (std::size_t v = 0; v < rest.size(); ++v) {
      if (rest[v] != now[v]) noted.moves[b] = 1;
      const double off = (motion.place(rest[v] - body.axes.center) - now[v]).norm();
      if (!(off <= largest_stretch * body.axes.size)) noted.stretches[b] = 1;
      noted.errors[b] = std::max(noted.errors[b], off);
    }
  }
}

/// Completes the bodies by what the frames have told.
void ExportedRun::complete_bodies(const BodyMotions& noted) {
  // Colours follow the order of the bodies in the frames, as in pictures.
  int order = 0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    ExportedBody& body = bodies_[b];
    body.name = body_name(body.drawn.body);
    body.color = body.drawn.is_obstacle ? linear_rgb(obstacle_color) : body_color(order++);
    body.motion = noted.changes[b] != 0     ? Motion::deforming
                  : noted.moves[b] == 0     ? Motion::still
                  : noted.stretches[b] == 0 ? Motion::rigid
                                            : Motion::affine;
    find_triangles(body);
    if (body.motion == Motion::rigid) rigid_error_ = std::max(rigid_error_, noted.errors[b]);
  }
}

Result<Done> ExportedRun::measure() {
  Issues issues = find_repeated_times();
  for (std::size_t b = 0; b < drawn_.bodies().size(); ++b) {
    ExportedBody& body = bodies_.emplace_back();
    body.drawn = drawn_.bodies()[b];
    body.axes = find_axes(places(body, first_));
    body.has_turns = body.axes.rank >= 2;
  }
  BodyMotions noted(bodies_.size());
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const Result<Frame> frame = this->frame(i);
    if (!frame) {
      issues.insert(issues.end(), frame.issues().begin(), frame.issues().end());
      if (adapts_) break;  // one issue of this kind is enough
      continue;
    }
    note_motion(*frame, noted);
  }
  if (!issues.empty()) return issues;
  complete_bodies(noted);
  return Done{};
}

void ExportedRun::find_triangles(ExportedBody& body) const {
  const page::DrawnBody& drawn = body.drawn;
  const auto local = [&](std::uint32_t v) { return static_cast<std::uint32_t>(v - drawn.first_vertex); };
  for (std::size_t t = 0; t < drawn.num_triangles; ++t) {
    const auto& [a, b, c] = drawn_.triangles()[drawn.first_triangle + t];
    body.triangles.push_back({local(a), local(b), local(c)});
  }
  if (dim_ != 2 || !body.triangles.empty() || body.motion == Motion::deforming) return;
  std::vector<std::array<std::uint32_t, 2>> edges;
  for (std::size_t e = 0; e < drawn.num_edges; ++e) {
    const auto& [a, b] = drawn_.edges()[drawn.first_edge + e];
    edges.push_back({local(a), local(b)});
  }
  body.triangles = fill_outlines(places(body, first_), edges);
}

std::string ExportedRun::body_name(int body) const {
  const std::size_t b = body;
  const bool is_named = b < files_.names.size() && !files_.names[b].empty();
  return is_named ? files_.names[b] : fmt::format("body {}", body);
}

double ExportedRun::thickness(const ExportedBody& body) const {
  const std::size_t at = body.drawn.body;
  return at < files_.thicknesses.size() ? files_.thicknesses[at] : 0.0;
}

std::vector<Vec<3>> ExportedRun::at_vertices(const ExportedBody& body, const std::vector<Vec<3>>& values) const {
  std::vector<Vec<3>> result;
  result.reserve(body.drawn.num_vertices);
  for (std::size_t v = 0; v < body.drawn.num_vertices; ++v) {
    result.push_back(values[drawn_.vertices()[body.drawn.first_vertex + v]]);
  }
  return result;
}

std::vector<Vec<3>> ExportedRun::places(const ExportedBody& body, const Frame& frame) const {
  return at_vertices(body, frame.mesh.vertices);
}

std::vector<Vec<3>> ExportedRun::velocities(const ExportedBody& body, const Frame& frame) const {
  if (is_quasi_static_ || frame.velocity.size() != frame.mesh.vertices.size()) return {};
  return at_vertices(body, frame.velocity);
}

RigidMotion ExportedRun::best_motion(const ExportedBody& body, const Frame& frame) const {
  const page::Pose pose = drawn_.pose(body.drawn, frame);
  return split_motion(body.axes, Eigen::Map<const Mat<3>>(pose.data()), Eigen::Map<const Vec<3>>(pose.data() + 9));
}

RigidMotion ExportedRun::motion(const ExportedBody& body, const Frame& frame) const {
  RigidMotion motion = best_motion(body, frame);
  if (body.motion == Motion::deforming && !body.has_turns) motion.rotation.setIdentity();
  return motion;
}

}  // namespace clearance::exchange
