#include "apps/cli/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "apps/cli/console.h"
#include "clearance/base/parallel.h"
#include "clearance/io/result/result_check.h"
#include "clearance/io/result/result_files.h"
#include "clearance/io/result/result_units.h"
#include "clearance/render/draw.h"
#include "clearance/render/field.h"
#include "clearance/render/legend.h"
#include "clearance/render/trace.h"
#include "clearance/verify/folder/verify_folder.h"

namespace clearance::cli {

using namespace render;
namespace {

namespace fs = std::filesystem;

constexpr int frames_per_second = 25;
/// Shortest duration of a film; a shorter one is slowed down as far as there are frames for it.
constexpr double min_film_seconds = 4;
constexpr int max_film_frames = 1800;

struct Folder {
  std::vector<fs::path> frames;
  std::vector<double> times;  ///< [s]
  Vec<3> up = Vec<3>::UnitY();
  bool has_gravity = false;
  bool is_plane = false;
  std::vector<DrawPlane> half_spaces;
  std::vector<double> radii;       ///< [m] per body: half the thickness of rods and particles
  std::vector<std::string> names;  ///< of the bodies
  UnitSystem units;
};

/// The extent of one frame, and the problems of reading it.
struct FrameExtent {
  PictureExtent extent;
  Issues issues;
};

Vec<3> read_vector(const nlohmann::json& value) {
  Vec<3> v = Vec<3>::Zero();
  for (std::size_t i = 0; i < std::min<std::size_t>(3, value.size()); ++i)
    v[static_cast<int>(i)] = value[i].get<double>();
  return v;
}

/// Reads the up direction (against gravity), the dimension and the planes of the scene; without a scene file the
/// defaults stay.
void read_scene(const fs::path& path, Folder& folder) {
  std::ifstream file(path);
  if (!file) return;
  const nlohmann::json scene = nlohmann::json::parse(file);
  folder.is_plane = scene.value("dimension", 3) == 2;
  const Vec<3> gravity = scene.contains("gravity") ? read_vector(scene["gravity"]) : Vec<3>(0, -1, 0);
  folder.has_gravity = gravity.norm() > 0;
  if (folder.has_gravity && !folder.is_plane) folder.up = -gravity.normalized();
  for (const auto& h : scene.value("half_spaces", nlohmann::json::array())) {
    DrawPlane plane;
    if (h.contains("point")) plane.point = read_vector(h["point"]);
    if (h.contains("normal")) plane.normal = read_vector(h["normal"]);
    if (plane.normal.norm() > 0) folder.half_spaces.push_back({plane.point, plane.normal.normalized()});
  }
}

Result<Folder> read_folder(const fs::path& path) {
  if (const auto checked = check_result_folder(path, "frames.pvd"); !checked) return checked.issues();
  Folder folder;
  folder.units = read_units(path);
  try {
    read_scene(path / "scene.json", folder);
  } catch (const nlohmann::json::exception& e) {
    return Issue{(path / "scene.json").string(), "", "", e.what()};
  }
  const auto entries = read_stored_frames(path);
  if (!entries) return entries.issues();
  for (const PvdEntry& entry : *entries) {
    folder.frames.push_back(path / entry.file);
    folder.times.push_back(entry.time);
  }
  if (folder.frames.empty()) return Issue{(path / "frames.pvd").string(), "", "", "the file lists no frames"};
  if (const auto checked = verify::read_verify_folder(path)) {
    for (const verify::VerifyBody& body : checked->scene.bodies) {
      folder.radii.push_back(body.radius);
      folder.names.push_back(body.name);
    }
  }
  return folder;
}

/// Measures one frame. `first` is the frame that displacements count from.
FrameExtent measure_frame(const fs::path& path, const std::string& color, const Frame& first) {
  FrameExtent measured;
  PictureExtent& extent = measured.extent;
  const auto frame = read_frame_for(path, color, first);
  if (!frame) {
    measured.issues = frame.issues();
    return measured;
  }
  const Mesh& mesh = frame->mesh;
  const std::vector<double> values = field_values(*frame, color, first);
  extent.has_field = !values.empty();
  std::vector<char> is_done(mesh.vertices.size(), 0);
  std::size_t cell = 0;
  const auto add = [&](const auto& vertices) {
    const bool is_obstacle = cell < frame->cell_is_obstacle.size() && frame->cell_is_obstacle[cell] != 0;
    ++cell;
    for (const int v : vertices) {
      if (is_done[v] || !mesh.vertices[v].allFinite()) continue;
      is_done[v] = 1;
      (is_obstacle ? extent.obstacles : extent.bodies).add(mesh.vertices[v]);
      if (!values.empty() && !is_obstacle) extent.field.add(values[v]);
    }
  };
  for (const auto& t : mesh.tets) add(t);
  for (const auto& t : mesh.triangles) add(t);
  for (const auto& e : mesh.edges) add(e);
  for (const int p : mesh.points) add(std::array{p});
  return measured;
}

/// Measures several frames together, so that a film has one camera and one colour map. `asked` is the colour as the
/// user named it.
Result<PictureExtent> measure_frames(const std::vector<fs::path>& frames, const std::string& color,
                                     const std::string& asked, const Frame& first) {
  std::vector<FrameExtent> extents(frames.size());
  parallel_for(static_cast<int>(extents.size()), 1,
               [&](int i) { extents[i] = measure_frame(frames[i], color, first); });
  PictureExtent film;
  for (const FrameExtent& e : extents) {
    if (!e.issues.empty()) return e.issues;
    film.add(e.extent);
  }
  if (film.bodies.is_empty()) film.bodies = film.obstacles;
  if (film.bodies.is_empty()) return Issue{frames[0].string(), "", "", "the frame has nothing to draw"};
  if (is_field(color) && film.field.is_empty) {
    const std::string message =
        film.has_field
            ? fmt::format("the frames have `{}`, but without a finite number on a body that is not an obstacle", color)
            : advice_for_missing(color);
    return Issue{frames[0].string(), "--color", asked, message};
  }
  return film;
}

/// Returns the bounds of the deformable bodies, and of obstacles that are not much larger than the space they move in.
RenderBounds choose_view(const PictureExtent& film) {
  RenderBounds view = film.bodies;
  RenderBounds both = film.bodies;
  both.add(film.obstacles);
  if (!film.obstacles.is_empty() && both.diagonal() < 2.2 * film.bodies.diagonal()) view = both;
  return view;
}

/// Returns the half-spaces seen from their free side; if there are none, a ground just below everything.
std::vector<DrawPlane> choose_planes(const Folder& folder, const PictureExtent& film, const Camera& camera,
                                     double size) {
  std::vector<DrawPlane> planes;
  for (const DrawPlane& plane : folder.half_spaces) {
    if (folder.is_plane || plane.normal.dot(camera.position - plane.point) > 0) planes.push_back(plane);
  }
  if (!planes.empty() || folder.is_plane || !folder.has_gravity) return planes;
  double lowest = infinity;
  for (const RenderBounds* bounds : {&film.bodies, &film.obstacles}) {
    if (bounds->is_empty()) continue;
    for (const Vec<3>& point : bounds->outermost) lowest = std::min(lowest, point.dot(folder.up));
  }
  planes.push_back({(lowest - 1e-3 * size) * folder.up, folder.up});
  return planes;
}

/// Chooses the frames of a film, evenly over simulated time: in real time, or slower if the film would be over at once.
std::vector<int> choose_film_frames(const std::vector<double>& times) {
  const int num_frames = static_cast<int>(times.size());
  const double duration = times.back() - times.front();
  const double seconds =
      std::max(duration, std::min(min_film_seconds, num_frames / static_cast<double>(frames_per_second)));
  const int count = std::clamp(static_cast<int>(std::lround(seconds * frames_per_second)) + 1, 1, max_film_frames);
  std::vector<int> chosen;
  for (int i = 0; i < count; ++i) {
    const double time = times.front() + (count > 1 ? duration * i / (count - 1) : duration);
    // Take the frame nearest in time.
    auto after = std::lower_bound(times.begin(), times.end(), time);
    if (after == times.end()) --after;
    if (after != times.begin() && time - *(after - 1) < *after - time) --after;
    chosen.push_back(static_cast<int>(after - times.begin()));
  }
  return chosen;
}

bool makes_film(const RenderOptions& options) {
  return options.output.extension() == ".mp4";
}

/// Returns the middle of the vertices of a body.
Vec<3> middle_of(const Frame& frame, int body) {
  RenderBounds bounds;
  const Mesh& mesh = frame.mesh;
  std::size_t cell = 0;
  const auto add = [&](const auto& vertices) {
    if (cell < frame.cell_body.size() && frame.cell_body[cell] == body) {
      for (const int v : vertices) bounds.add(mesh.vertices[v]);
    }
    ++cell;
  };
  for (const auto& t : mesh.tets) add(t);
  for (const auto& t : mesh.triangles) add(t);
  for (const auto& e : mesh.edges) add(e);
  for (const int p : mesh.points) add(std::array{p});
  return bounds.is_empty() ? Vec<3>(Vec<3>::Zero()) : bounds.center();
}

/// Data that all pictures of a run share.
class Studio {
 public:
  /// `color` is the array that options.color stands for.
  Studio(Folder folder, PictureExtent film, Frame first, const RenderOptions& options, std::string color)
      : folder_(std::move(folder)),
        film_(std::move(film)),
        first_(std::move(first)),
        options_(options),
        color_(std::move(color)) {
    view_ = choose_view(film_);
    drawing_.origin = view_.center();
    drawing_.size = std::max(view_.diagonal(), 1e-12);
    drawing_.up = folder_.up;
    drawing_.is_plane = folder_.is_plane;
    if (!options.follow.empty()) {
      const auto found = std::find(folder_.names.begin(), folder_.names.end(), options.follow);
      followed_ = static_cast<int>(found - folder_.names.begin());
      followed_t0_ = middle_of(first_, followed_);
    }
    const FieldRange scale = film_.field.as_scale();
    style_.low = scale.low;
    style_.high = scale.high;
    style_.has_edges = options.has_edges;
    style_.radii = folder_.radii;
    const std::string unit = folder_.units.text(unit_of(color_));
    legend_ = {unit.empty() ? color_ : fmt::format("{} [{}]", color_, unit), scale.low, scale.high};
  }

  /// Draws a frame, which is the given share of the film.
  Result<Image> draw(int index, double share = 0.0) {
    const fs::path& path = folder_.frames[index];
    auto frame = read_frame_for(path, color_, first_);
    if (!frame) return frame.issues();
    style_.values = is_field(color_) ? field_values(*frame, color_, first_) : std::vector<double>{};
    if (is_field(color_) && style_.values.empty()) {
      if (!makes_film(options_)) {
        return Issue{path.string(), "--color", options_.color,
                     fmt::format("this frame has no `{}`; choose a frame that has it with --frame", color_)};
      }
      style_.values.assign(frame->mesh.vertices.size(), std::numeric_limits<double>::quiet_NaN());
    }
    if (folder_.is_plane) frame->mesh.dim = 2;
    const Camera camera = camera_of(*frame, share);
    drawing_.planes = choose_planes(folder_, film_, camera, drawing_.size);
    draw_frame(*frame, style_, drawing_);
    Image image = trace(drawing_, camera, {options_.width, options_.height, options_.samples});
    if (is_field(color_)) draw_legend(image, legend_);
    return image;
  }

  const Folder& folder() const { return folder_; }

 private:
  Camera camera_of(const Frame& frame, double share) const {
    CameraRequest request = options_.camera;
    if (options_.view) {
      Vec<3> right, front;
      complete_basis(folder_.up, right, front);
      request.side = (*options_.view)[0] * right + (*options_.view)[1] * folder_.up + (*options_.view)[2] * front;
    }
    request.turned = 2.0 * std::numbers::pi * options_.turns * share;
    Camera camera = frame_camera(view_, folder_.up, folder_.is_plane,
                                 static_cast<double>(options_.width) / options_.height, request);
    if (followed_ >= 0) camera.position += middle_of(frame, followed_) - followed_t0_;
    return camera;
  }

  Folder folder_;
  PictureExtent film_;
  RenderBounds view_;
  int followed_ = -1;                    // body that the camera goes along with
  Vec<3> followed_t0_ = Vec<3>::Zero();  // [m] its middle in the first frame
  Frame first_;
  RenderOptions options_;
  std::string color_;
  Drawing drawing_;
  DrawStyle style_;
  Legend legend_;
};

/// Returns the index of the frame that a picture shows.
Result<int> choose_frame(const Folder& folder, const RenderOptions& options) {
  const int num_frames = static_cast<int>(folder.frames.size());
  const int wanted = options.frame.value_or(-1);
  const int index = wanted < 0 ? num_frames + wanted : wanted;
  if (index >= 0 && index < num_frames) return index;
  return Issue{options.folder.string(), "--frame", std::to_string(wanted),
               fmt::format("this frame does not exist; expected 0 to {}, or -1 to {} counted from the end",
                           num_frames - 1, -num_frames)};
}

/// Draws the picture and returns a line that describes it.
Result<std::string> render_picture(Studio& studio, const RenderOptions& options) {
  const Result<int> index = choose_frame(studio.folder(), options);
  if (!index) return index.issues();
  const auto image = studio.draw(*index);
  if (!image) return image.issues();
  const auto written = write_png(options.output, *image);
  if (!written) return written.issues();
  return fmt::format("{}: frame {} at {:.6g} {}, {}x{}", options.output.string(), *index, studio.folder().times[*index],
                     studio.folder().units.time_name, options.width, options.height);
}

int render_film(Studio& studio, const RenderOptions& options) {
  const std::vector<int> frames = choose_film_frames(studio.folder().times);
  auto film = FilmWriter::open(options.output, options.width, options.height, frames_per_second);
  if (!film) return refuse(film.issues());
  const bool shows_progress = options.show_progress && isatty(STDERR_FILENO) != 0;
  std::optional<Image> image;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    // A film in slow motion repeats frames, unless the camera moves.
    if (i == 0 || frames[i] != frames[i - 1] || options.turns != 0.0) {
      auto drawn = studio.draw(frames[i], static_cast<double>(i) / static_cast<double>(frames.size()));
      if (!drawn) return refuse(drawn.issues());
      image = std::move(*drawn);
    }
    if (!film->add(*image)) break;
    if (shows_progress) fmt::print(stderr, "\rpicture {} of {}", i + 1, frames.size());
  }
  if (shows_progress) fmt::print(stderr, "\n");
  const auto closed = film->close();
  if (!closed) return refuse(closed.issues());
  const double seconds = static_cast<double>(frames.size()) / frames_per_second;
  const double duration = studio.folder().times.back() - studio.folder().times.front();
  fmt::print("{}: {} pictures, {:.2f} s for {:.4g} {} of simulated time, {}x{}\n", options.output.string(),
             frames.size(), seconds, duration, studio.folder().units.time_name, options.width, options.height);
  return 0;
}

/// Chooses the sizes and samples that the user left open; films need even sizes.
Result<RenderOptions> complete_options(RenderOptions options) {
  const std::string extension = options.output.extension().string();
  const bool is_film = makes_film(options);
  if (!is_film && extension != ".png") {
    return Issue{options.output.string(), "", extension, "expected a name that ends in .png or .mp4"};
  }
  if (is_film && options.frame) return Issue{options.output.string(), "--frame", "", "a film always shows all frames"};
  if (!is_film && options.turns != 0.0)
    return Issue{options.output.string(), "--turntable", fmt::format("{}", options.turns), "only films (.mp4) turn"};
  if (options.width <= 0) options.width = is_film ? 854 : 1280;
  if (options.height <= 0) options.height = is_film ? 480 : 720;
  if (options.samples <= 0) options.samples = is_film ? 5 : 32;
  if (is_film) options.width -= options.width % 2, options.height -= options.height % 2;
  std::error_code error;
  const fs::path parent = options.output.parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  if (error) return Issue{parent.string(), "", "", "the folder cannot be created: " + error.message()};
  return options;
}

/// Returns the full name of a color. An array whose own name is the short name goes first, and the recovered stress
/// before that of elements, because it is more accurate.
std::string complete_color(const Folder& folder, const std::string& color) {
  const auto has_array = [&](const std::string& name) {
    const auto last = read_frame(folder.frames.back(), array_of(name));
    return !last || !last->point_scalar.empty() || !last->cell_scalar.empty();
  };
  if (has_array(color)) return color;
  return color == "stress" && has_array(recovered_stress) ? recovered_stress : full_name_of(color);
}

/// Lists the first names.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  const std::vector<std::string> some(names.begin(),
                                      names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  return fmt::format("{}{}", fmt::join(some, ", "), names.size() > most ? ", ..." : "");
}

Result<Studio> open_studio(const RenderOptions& options) {
  auto folder = read_folder(options.folder);
  if (!folder) return folder.issues();
  const std::vector<std::string>& names = folder->names;
  if (!options.follow.empty() && std::find(names.begin(), names.end(), options.follow) == names.end()) {
    return Issue{options.folder.string(), "--follow", options.follow,
                 fmt::format("no body has this name; the bodies are {}", listed(names))};
  }
  const std::string color = complete_color(*folder, options.color);
  auto first = read_whole_frame(folder->frames[0]);
  if (!first) return first.issues();
  auto film = options.extent ? Result<PictureExtent>(*options.extent)
                             : measure_frames(folder->frames, color, options.color, *first);
  if (!film) return film.issues();
  return Studio(std::move(*folder), std::move(*film), std::move(*first), options, color);
}

}  // namespace

void PictureExtent::add(const PictureExtent& other) {
  bodies.add(other.bodies);
  obstacles.add(other.obstacles);
  field.add(other.field);
  has_field = has_field || other.has_field;
}

Result<PictureExtent> measure_picture(const RenderOptions& options) {
  auto folder = read_folder(options.folder);
  if (!folder) return folder.issues();
  const Result<int> index = choose_frame(*folder, options);
  if (!index) return index.issues();
  const std::string color = complete_color(*folder, options.color);
  auto first = read_whole_frame(folder->frames[0]);
  if (!first) return first.issues();
  return measure_frames({folder->frames[0], folder->frames[*index]}, color, options.color, *first);
}

Result<std::string> draw_picture(const RenderOptions& given) {
  auto options = complete_options(given);
  if (!options) return options.issues();
  auto studio = open_studio(*options);
  if (!studio) return studio.issues();
  return render_picture(*studio, *options);
}

int run_render(const RenderOptions& given) {
  if (!makes_film(given)) {
    const auto drawn = draw_picture(given);
    if (!drawn) return refuse(drawn.issues());
    fmt::print("{}\n", *drawn);
    return 0;
  }
  auto options = complete_options(given);
  if (!options) return refuse(options.issues());
  auto studio = open_studio(*options);
  if (!studio) return refuse(studio.issues());
  return render_film(*studio, *options);
}

}  // namespace clearance::cli
