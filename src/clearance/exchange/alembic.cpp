#include "clearance/exchange/alembic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "clearance/exchange/body_shapes.h"
#include "clearance/exchange/file_set.h"
#include "clearance/exchange/ogawa_writer.h"
#include "clearance/exchange/polylines.h"

namespace clearance::exchange {
namespace {

using Property = OgawaWriter::Property;
using Object = OgawaWriter::Object;

/// Returns a name that an object may have: any but for slashes, which divide paths, and control characters.
std::string object_name(std::string name, const std::string& fallback) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || (c >= 0 && c < ' '); }, '_');
  return name.find_first_not_of('_') == std::string::npos ? fallback : name;
}

/// Returns the times of the frames in the animation.
AbcTimes times_of(const ExportedRun& run, double speed) {
  AbcTimes result;
  for (std::size_t i = 0; i < run.num_frames(); ++i) result.times.push_back((run.seconds(i) - run.seconds(0)) / speed);
  const std::size_t last = run.num_frames() - 1;
  result.spacing = last > 0 ? result.times.back() / static_cast<double>(last) : 1.0 / 24.0;
  for (std::size_t i = 0; i <= last; ++i) {
    if (std::abs(result.times[i] / result.spacing - static_cast<double>(i)) < 1e-6) continue;
    result.spacing = 0.0;
    break;
  }
  return result;
}

AbcMetadata archive_metadata(const ExportedRun& run, const AbcTimes& times) {
  AbcMetadata metadata = {{"_ai_AlembicVersion", "Alembic 1.8.9"},
                          {"_ai_Application", "Clearance " CLEARANCE_VERSION},
                          {"_ai_Description", object_name(run.name(), "run")}};
  if (times.spacing > 0.0) metadata["_ai_DCC_FPS"] = fmt::format("{}", 1.0 / times.spacing);
  // Semicolons and equal signs divide metadata.
  for (auto& [key, value] : metadata) {
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == ';' || c == '='; }, '_');
  }
  return metadata;
}

/// Metadata of an object or of its compound, by the name of its schema.
AbcMetadata schema(const std::string& title, const std::string& compound, bool is_object) {
  AbcMetadata metadata = {{"schema", title}};
  if (is_object) metadata["schemaObjTitle"] = title + ":" + compound;
  if (compound == ".geom") metadata["schemaBaseType"] = "AbcGeom_GeomBase_v1";
  return metadata;
}

/// Metadata of a value of a shape: one for all of it (`con`) or one for each point (`vtx`).
AbcMetadata shape_value(const char* scope, int extent, const char* interpretation) {
  return {{"arrayExtent", "1"},     {"geoScope", scope},
          {"isGeomParam", "true"},  {"podExtent", fmt::format("{}", extent)},
          {"podName", "float32_t"}, {"interpretation", interpretation}};
}

/// Returns vectors in single precision, which shapes of the format have.
std::vector<float> floats(std::span<const Vec<3>> vectors, double scale = 1.0) {
  std::vector<float> result;
  result.reserve(3 * vectors.size());
  for (const Vec<3>& v : vectors) {
    for (const double x : v) result.push_back(static_cast<float>(scale * x));
  }
  return result;
}

/// Returns the box around points, in doubles.
std::array<double, 6> box_of(std::span<const float> points, double radius) {
  constexpr double most = std::numeric_limits<double>::max();
  std::array<double, 6> box = {most, most, most, -most, -most, -most};
  for (std::size_t i = 0; i < points.size(); ++i) {
    box[i % 3] = std::min(box[i % 3], points[i] - radius);
    box[3 + i % 3] = std::max(box[3 + i % 3], points[i] + radius);
  }
  return box;
}

/// Returns a matrix that multiplies rows from the right: its rows are the images of the axes, then the translation.
std::array<double, 16> matrix(const Mat<3>& linear, const Vec<3>& translation) {
  std::array<double, 16> m = {};
  for (int row = 0; row < 3; ++row) {
    for (int c = 0; c < 3; ++c) m[4 * row + c] = linear(c, row);
    m[12 + row] = translation[row];
  }
  m[15] = 1.0;
  return m;
}

/// Returns the rotation that turns the upward axis of a run to y, as a permutation of axes.
Mat<3> upright(int up) {
  Mat<3> turn = Mat<3>::Identity();
  if (up == 0) turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  if (up == 2) turn << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  return turn;
}

/// One kind of object that shows a body: the vertex of the body at each of its points, and how they are connected.
struct Shape {
  enum class Kind { surface, lines, points };
  Kind kind;
  std::vector<std::uint32_t> sources;
  std::vector<std::int32_t> indices;  ///< corners of faces
  std::vector<std::int32_t> counts;   ///< of corners by face, or of points by line

  std::vector<Vec<3>> of(std::span<const Vec<3>> vectors) const {
    std::vector<Vec<3>> result;
    for (const std::uint32_t v : sources) result.push_back(vectors[v]);
    return result;
  }
};

std::vector<Shape> shapes_of(const ExportedRun& run, const ExportedBody& body) {
  const BodyShapes shapes = find_shapes(run, body);
  std::vector<Shape> result;
  if (shapes.surface) {
    Shape& surface = result.emplace_back(Shape{Shape::Kind::surface, {}, {}, {}});
    surface.sources.resize(body.drawn.num_vertices);
    std::iota(surface.sources.begin(), surface.sources.end(), 0U);
    // Seen from outside, corners of the format go round clockwise.
    for (const auto& [a, b, c] : body.triangles) {
      for (const std::uint32_t corner : {c, b, a}) surface.indices.push_back(static_cast<std::int32_t>(corner));
    }
    surface.counts.assign(body.triangles.size(), 3);
  }
  if (!shapes.lines.empty()) {
    Shape& lines = result.emplace_back(Shape{Shape::Kind::lines, {}, {}, {}});
    for (const std::vector<std::uint32_t>& line : join_lines(shapes.lines)) {
      lines.counts.push_back(static_cast<std::int32_t>(line.size()));
      lines.sources.insert(lines.sources.end(), line.begin(), line.end());
    }
  }
  if (!shapes.points.empty()) result.push_back({Shape::Kind::points, shapes.points, {}, {}});
  return result;
}

/// An object with the points of a shape. Properties that a kind of shapes does not have are null.
class ShapeObject {
 public:
  ShapeObject(Object& parent, Shape::Kind kind, bool is_timed) : kind_(kind) {
    constexpr std::array names = {"surface", "lines", "points"};
    constexpr std::array titles = {"AbcGeom_PolyMesh_v1", "AbcGeom_Curve_v2", "AbcGeom_Points_v1"};
    const auto k = static_cast<std::size_t>(kind);
    Object& object = parent.add_object(names[k], schema(titles[k], ".geom", true));
    geometry_ = &add_compound(object.properties, ".geom", schema(titles[k], ".geom", false));
    is_timed_ = is_timed;
    box_ = &add_scalar(*geometry_, ".selfBnds", AbcPod::float64, 6, is_timed, {{"interpretation", "box"}});
    points_ =
        &add_array(*geometry_, "P", AbcPod::float32, 3, is_timed, {{"geoScope", "vtx"}, {"interpretation", "point"}});
    if (kind == Shape::Kind::surface) {
      indices_ = &add_array(*geometry_, ".faceIndices", AbcPod::int32, 1, is_timed);
      counts_ = &add_array(*geometry_, ".faceCounts", AbcPod::int32, 1, is_timed);
    } else if (kind == Shape::Kind::lines) {
      counts_ = &add_array(*geometry_, "nVertices", AbcPod::int32, 1, is_timed);
      types_ = &add_scalar(*geometry_, "curveBasisAndType", AbcPod::uint8, 4, is_timed);
    } else {
      ids_ = &add_array(*geometry_, ".pointIds", AbcPod::uint64, 1, is_timed, {{"geoScope", "var"}});
    }
  }

  /// Adds what points and lines have as their thickness [m].
  void set_width(OgawaWriter& archive, double width) {
    if (kind_ == Shape::Kind::surface || !(width > 0.0)) return;
    const char* name = kind_ == Shape::Kind::lines ? "width" : ".widths";
    Property& property = add_array(*geometry_, name, AbcPod::float32, 1, false, shape_value("con", 1, ""));
    archive.add<float>(property, std::array{static_cast<float>(width)});
    radius_ = 0.5 * width;
  }

  /// Adds a sample: the shape at its points [m], with velocities [m/s] unless they are empty.
  void add(OgawaWriter& archive, const Shape& shape, std::span<const float> points, std::span<const float> velocities,
           const std::array<double, 3>& color) {
    archive.add<float>(*points_, points);
    archive.add<double>(*box_, box_of(points, radius_));
    if (indices_ != nullptr) archive.add<std::int32_t>(*indices_, shape.indices);
    if (counts_ != nullptr) archive.add<std::int32_t>(*counts_, shape.counts);
    // Straight lines that are not closed.
    if (types_ != nullptr) archive.add<std::uint8_t>(*types_, std::array<std::uint8_t, 4>{1, 0, 0, 0});
    if (ids_ != nullptr) {
      archive.add<std::uint64_t>(*ids_, std::vector<std::uint64_t>(shape.sources.begin(), shape.sources.end()));
    }
    if (!velocities.empty()) {
      if (velocities_ == nullptr) {
        velocities_ =
            &add_array(*geometry_, ".velocities", AbcPod::float32, 3, is_timed_, {{"interpretation", "vector"}});
      }
      archive.add(*velocities_, velocities);
    }
    // A colour for each point, because Blender takes no other ones.
    if (colors_ == nullptr) {
      Property& others = add_compound(*geometry_, ".arbGeomParams");
      colors_ = &add_array(others, "Cd", AbcPod::float32, 3, is_timed_, shape_value("vtx", 3, "rgb"));
    }
    std::vector<Vec<3>> colors(points.size() / 3, Vec<3>(color[0], color[1], color[2]));
    archive.add<float>(*colors_, floats(colors));
  }

 private:
  Shape::Kind kind_;
  Property* geometry_;
  bool is_timed_;
  double radius_ = 0.0;
  Property *box_, *points_, *indices_ = nullptr, *counts_ = nullptr, *types_ = nullptr, *ids_ = nullptr,
                            *velocities_ = nullptr, *colors_ = nullptr;
};

/// An object that places those below it by a matrix.
class PlaceObject {
 public:
  PlaceObject(Object& parent, std::string name, bool is_timed)
      : object_(&parent.add_object(std::move(name), schema("AbcGeom_Xform_v3", ".xform", true))),
        place_(&add_compound(object_->properties, ".xform", schema("AbcGeom_Xform_v3", ".xform", false))),
        inherits_(&add_scalar(*place_, ".inherits", AbcPod::boolean, 1, is_timed)),
        operations_(&add_scalar(*place_, ".ops", AbcPod::uint8, 1, false)),
        values_(&add_scalar(*place_, ".vals", AbcPod::float64, 16, is_timed)) {}

  Object& object() { return *object_; }

  void add(OgawaWriter& archive, const std::array<double, 16>& matrix) {
    constexpr std::uint8_t matrix_operation = 3 << 4;
    archive.add<std::uint8_t>(*inherits_, std::array<std::uint8_t, 1>{1});
    if (operations_->num_samples == 0) archive.add<std::uint8_t>(*operations_, std::array{matrix_operation});
    archive.add<double>(*values_, matrix);
    if (first_.empty()) first_.assign(matrix.begin(), matrix.end());
    for (std::uint32_t k = 0; k < 16; ++k) {
      if (matrix[k] != first_[k]) changing_.insert(k);
    }
  }

  /// Adds what readers want to know beforehand: that there is a matrix, which of its numbers change, and the body.
  void finish(OgawaWriter& archive, const ExportedBody* body) {
    Property& is_place = add_scalar(*place_, "isNotConstantIdentity", AbcPod::boolean, 1, false);
    archive.add<std::uint8_t>(is_place, std::array<std::uint8_t, 1>{1});
    if (!changing_.empty()) {
      Property& channels = add_array(*place_, ".animChans", AbcPod::uint32, 1, false);
      archive.add<std::uint32_t>(channels, std::vector<std::uint32_t>(changing_.begin(), changing_.end()));
    }
    if (body == nullptr) return;
    Property& user = add_compound(*place_, ".userProperties");
    archive.add(add_scalar(user, "clearance_name", AbcPod::string, 1, false), body->name);
    const auto add_number = [&](const char* name, std::int32_t number) {
      archive.add<std::int32_t>(add_scalar(user, name, AbcPod::int32, 1, false), std::array{number});
    };
    add_number("clearance_body", body->drawn.body);
    add_number("clearance_is_obstacle", body->drawn.is_obstacle ? 1 : 0);
  }

 private:
  Object* object_;
  Property *place_, *inherits_, *operations_, *values_;
  std::vector<double> first_;
  std::set<std::uint32_t> changing_;
};

class AlembicWriter {
 public:
  /// `first` is the run measured, or its first frame if elements change.
  AlembicWriter(const ExportedRun& run, const ExportedRun& first, double speed, OgawaWriter& archive)
      : run_(run),
        first_(first),
        archive_(archive),
        metres_(run.metres_per_unit()),
        velocity_unit_(run.metres_per_second() * speed),
        root_(archive.root(), object_name(run.name(), "run"), false) {
    root_.add(archive, matrix(upright(run.up()), Vec<3>::Zero()));
    root_.finish(archive, nullptr);
    std::set<std::string> taken;
    for (const ExportedBody& body : first.bodies()) {
      add_body(body, take_name(body, object_name(body.name, fmt::format("body_{}", body.drawn.body)), taken));
    }
  }

  Result<Done> write() {
    for (std::size_t i = 0; i < run_.num_frames() && !archive_.has_failed(); ++i) {
      if (const auto added = run_.adapts() ? add_changed_frame(i) : add_frame(i); !added) return added.issues();
    }
    for (Body& body : bodies_) body.place.finish(archive_, &body.exported);
    return archive_.close();
  }

 private:
  struct Body {
    const ExportedBody& exported;
    PlaceObject place;
    std::vector<Shape> shapes;
    std::vector<ShapeObject> objects;
    bool deforms;
  };

  void add_body(const ExportedBody& exported, const std::string& name) {
    // The motion of bodies whose elements change is unknown.
    const bool deforms = run_.adapts() || exported.motion == Motion::deforming;
    const bool moves = !deforms && exported.motion != Motion::still;
    Body body{exported, PlaceObject(root_.object(), name, moves), shapes_of(first_, exported), {}, deforms};
    for (const Shape& shape : body.shapes) {
      body.objects.emplace_back(body.place.object(), shape.kind, deforms);
      body.objects.back().set_width(archive_, metres_ * first_.thickness(exported));
    }
    if (!moves) body.place.add(archive_, matrix(Mat<3>::Identity(), metres_ * exported.axes.center));
    if (!deforms) add_shapes(body, body.shapes, first_, exported, first_.first());
    bodies_.push_back(std::move(body));
  }

  /// Adds a sample of each shape, about the centre of the body in the first frame.
  void add_shapes(Body& body, const std::vector<Shape>& shapes, const ExportedRun& run, const ExportedBody& exported,
                  const Frame& frame) {
    std::vector<Vec<3>> places = run.places(exported, frame);
    for (Vec<3>& x : places) x -= body.exported.axes.center;
    const std::vector<Vec<3>> velocities = body.deforms ? run.velocities(exported, frame) : std::vector<Vec<3>>();
    for (std::size_t k = 0; k < body.objects.size() && k < shapes.size(); ++k) {
      const Shape& shape = shapes[k];
      const std::vector<Vec<3>> moving = velocities.empty() ? velocities : shape.of(velocities);
      body.objects[k].add(archive_, shape, floats(shape.of(places), metres_), floats(moving, velocity_unit_),
                          body.exported.color);
    }
  }

  Result<Done> add_frame(std::size_t index) {
    const Result<Frame> frame = first_.frame(index);
    if (!frame) return frame.issues();
    for (Body& body : bodies_) {
      if (body.deforms) {
        add_shapes(body, body.shapes, first_, body.exported, *frame);
      } else if (body.exported.motion != Motion::still) {
        const RigidMotion motion = first_.motion(body.exported, *frame);
        body.place.add(archive_,
                       matrix(motion.rotation.toRotationMatrix() * motion.stretch, metres_ * motion.position));
      }
    }
    return Done{};
  }

  /// Adds a frame with elements of its own.
  Result<Done> add_changed_frame(std::size_t index) {
    const Result<ExportedRun> run = run_.of_frame(index);
    if (!run) return run.issues();
    for (Body& body : bodies_) {
      for (const ExportedBody& exported : run->bodies()) {
        if (exported.drawn.body != body.exported.drawn.body) continue;
        add_shapes(body, shapes_of(*run, exported), *run, exported, run->first());
      }
    }
    return Done{};
  }

  const ExportedRun& run_;
  const ExportedRun& first_;
  OgawaWriter& archive_;
  double metres_;         // per unit of length of the run
  double velocity_unit_;  // [m/s] of the animation per unit of velocity of the run
  PlaceObject root_;
  std::vector<Body> bodies_;
};

}  // namespace

Result<ExportReport> write_alembic(const AnimationJob& options) {
  const std::string name = options.job.output.filename().string();
  FileSet files(options.job.output.parent_path(), {name});
  const Result<RunAndFirst> opened =
      open_with_own_elements(options.job, files.find_obstructions(options.job.is_overwriting, options.job.folder));
  if (!opened) return opened.issues();
  const auto& [run, first] = *opened;
  if (const auto made = files.open(); !made) return made.issues();
  const AbcTimes times = times_of(run, options.speed);
  OgawaWriter archive(files.temporary(name), times, archive_metadata(run, times));
  if (const auto written = AlembicWriter(run, first, options.speed, archive).write(); !written) {
    return files.by_their_places(written.issues());
  }
  Result<ExportReport> report = finish_export(files, report_of(*opened));
  if (!report) return report;
  note_rigid_error(first, *report);
  return report;
}

}  // namespace clearance::exchange
