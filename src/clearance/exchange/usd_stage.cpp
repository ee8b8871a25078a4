#include "clearance/exchange/usd_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

#include "clearance/exchange/body_shapes.h"
#include "clearance/exchange/file_set.h"
#include "clearance/exchange/polylines.h"

namespace clearance::exchange {
namespace {

namespace fs = std::filesystem;

/// Returns a quoted string of the text form.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

/// Returns a name that a prim may have: letters, digits and `_`, no digit first.
std::string identifier(const std::string& name, const std::string& fallback) {
  std::string result;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    result += is_plain ? c : '_';
  }
  if (result.find_first_not_of('_') == std::string::npos) return fallback;
  return result[0] >= '0' && result[0] <= '9' ? "_" + result : result;
}

template <class List, class Write>
std::string array_text(const List& list, const Write& write) {
  std::string text = "[";
  const auto out = std::back_inserter(text);
  bool is_first = true;
  for (const auto& value : list) {
    if (!std::exchange(is_first, false)) text += ", ";
    write(out, value);
  }
  return text + "]";
}

/// Returns vectors in single precision, which points and normals of the format have.
std::string vectors_text(std::span<const Vec<3>> vectors) {
  return array_text(vectors, [](auto out, const Vec<3>& v) {
    fmt::format_to(out, "({}, {}, {})", static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2]));
  });
}

template <class List>
std::string numbers_text(const List& numbers) {
  return array_text(numbers, [](auto out, const auto& number) { fmt::format_to(out, "{}", number); });
}

/// Returns a matrix that multiplies rows from the right: its rows are the images of the axes, then the translation.
std::string matrix_text(const Mat<3>& linear, const Vec<3>& translation) {
  std::string text = "( ";
  for (int axis = 0; axis < 3; ++axis) {
    const Vec<3> image = linear.col(axis);
    text += fmt::format("({}, {}, {}, 0), ", image[0], image[1], image[2]);
  }
  return text + fmt::format("({}, {}, {}, 1) )", translation[0], translation[1], translation[2]);
}

std::array<Vec<3>, 2> bounds_of(std::span<const Vec<3>> places, double radius) {
  std::array<Vec<3>, 2> bounds = {Vec<3>::Constant(std::numeric_limits<double>::max()),
                                  Vec<3>::Constant(std::numeric_limits<double>::lowest())};
  for (const Vec<3>& x : places) {
    bounds[0] = bounds[0].cwiseMin(x);
    bounds[1] = bounds[1].cwiseMax(x);
  }
  return {bounds[0] - Vec<3>::Constant(radius), bounds[1] + Vec<3>::Constant(radius)};
}

/// The values of an attribute that changes: lines `code: value`, in a file of their own until the stage is written.
class Samples {
 public:
  explicit Samples(fs::path path) : path_(std::move(path)) {}

  bool add(double code, const std::string& value) const {
    std::ofstream file(path_, std::ios::binary | std::ios::app);
    file << fmt::format("                {}: {},\n", code, value);
    file.close();
    return static_cast<bool>(file);
  }
  /// The stage has failed afterwards if there was nothing to copy.
  void copy_to(std::ofstream& stage) const {
    std::ifstream file(path_, std::ios::binary);
    stage << file.rdbuf();
  }

 private:
  fs::path path_;
};

/// A piece of a body: a prim of one kind with vertices of its own.
struct Piece {
  const char* type;                    ///< Mesh, BasisCurves or Points
  const char* name;                    ///< of the prim
  std::vector<std::uint32_t> sources;  ///< the body's vertex at each of its points
  std::string fixed;                   ///< attributes that do not change, as lines of the file

  std::vector<Vec<3>> points(std::span<const Vec<3>> places) const {
    std::vector<Vec<3>> result;
    for (const std::uint32_t v : sources) result.push_back(places[v]);
    return result;
  }
};

class UsdWriter {
 public:
  UsdWriter(const ExportedRun& run, double speed, const FileSet& files, std::string name)
      : run_(run), files_(files), name_(std::move(name)) {
    // Codes of time count frames, as far as these are even.
    const std::size_t last = run.num_frames() - 1;
    const double span = run.seconds(last) - run.seconds(0);
    const double codes_per_second = last > 0 && span > 0.0 ? static_cast<double>(last) / span : 24.0;
    for (std::size_t i = 0; i <= last; ++i) {
      const double code = (run.seconds(i) - run.seconds(0)) * codes_per_second, whole = std::round(code);
      codes_.push_back(std::abs(code - whole) < 1e-6 ? whole : code);
    }
    codes_per_second_ = codes_per_second * speed;
    std::set<std::string> taken;
    for (const ExportedBody& body : run.bodies()) {
      add_body(body, take_name(body, identifier(body.name, fmt::format("body_{}", body.drawn.body)), taken));
    }
  }

  Result<Done> write() {
    for (std::size_t i = 0; i < run_.num_frames(); ++i) {
      const Result<Frame> frame = run_.frame(i);
      if (!frame) return frame.issues();
      for (Body& body : bodies_) {
        if (!add_frame(body, *frame, codes_[i])) return failure_;
      }
    }
    std::ofstream stage(files_.temporary(name_), std::ios::binary);
    stage << head();
    for (const Body& body : bodies_) write_body(body, stage);
    stage << "}\n";
    stage.close();
    if (!stage) return write_failure(files_.temporary(name_));
    return Done{};
  }

 private:
  struct Body {
    const ExportedBody& exported;
    std::string prim;
    BodyShapes shapes;
    std::vector<Vec<3>> rest;  ///< positions in the first frame, about the centre
    std::vector<Piece> pieces;
    double radius = 0.0;                                 ///< [m] half the thickness
    std::string transforms = {};                         ///< one line per frame, of a body that keeps its shape
    std::vector<std::vector<std::string>> extents = {};  ///< of each piece, per frame, of a body that deforms

    bool deforms() const { return exported.motion == Motion::deforming; }
  };

  void add_body(const ExportedBody& exported, const std::string& prim) {
    Body body{exported, prim, find_shapes(run_, exported), run_.places(exported, run_.first()), {}};
    body.radius = 0.5 * run_.thickness(exported);
    for (Vec<3>& x : body.rest) x -= exported.axes.center;
    const std::string width =
        body.radius > 0.0
            ? fmt::format(
                  "            float[] widths = [{}] (\n                interpolation = \"constant\"\n            )\n",
                  static_cast<float>(2.0 * body.radius))
            : std::string();
    if (body.shapes.surface) {
      Piece mesh{"Mesh", "surface", {}, {}};
      for (std::size_t v = 0; v < body.rest.size(); ++v) mesh.sources.push_back(static_cast<std::uint32_t>(v));
      std::vector<std::uint32_t> corners, corner_normals;
      for (const auto& triangle : exported.triangles) corners.insert(corners.end(), triangle.begin(), triangle.end());
      for (const auto& triangle : body.shapes.surface->triangles())
        corner_normals.insert(corner_normals.end(), triangle.begin(), triangle.end());
      mesh.fixed = fmt::format(
          "            uniform token subdivisionScheme = \"none\"\n            uniform bool doubleSided = 1\n"
          "            int[] faceVertexCounts = {}\n            int[] faceVertexIndices = {}\n"
          "            int[] primvars:normals:indices = {}\n",
          numbers_text(std::vector<int>(exported.triangles.size(), 3)), numbers_text(corners),
          numbers_text(corner_normals));
      body.pieces.push_back(std::move(mesh));
    }
    if (!body.shapes.lines.empty()) {
      Piece curves{"BasisCurves", "lines", {}, {}};
      std::vector<std::size_t> counts;
      for (const std::vector<std::uint32_t>& line : join_lines(body.shapes.lines)) {
        counts.push_back(line.size());
        curves.sources.insert(curves.sources.end(), line.begin(), line.end());
      }
      curves.fixed = fmt::format(
          "            uniform token type = \"linear\"\n            uniform token wrap = \"nonperiodic\"\n"
          "            int[] curveVertexCounts = {}\n{}",
          numbers_text(counts), width);
      body.pieces.push_back(std::move(curves));
    }
    if (!body.shapes.points.empty()) body.pieces.push_back({"Points", "points", body.shapes.points, width});
    body.extents.resize(body.pieces.size());
    bodies_.push_back(std::move(body));
  }

  Samples samples(const Body& body, std::size_t piece, const char* attribute) const {
    return Samples(files_.scratch(fmt::format("{}_{}_{}", body.exported.drawn.body, piece, attribute)));
  }

  static bool has_normals(const Piece& piece) { return std::string_view(piece.type) == "Mesh"; }

  std::string extent_text(const Body& body, const Piece& piece, std::span<const Vec<3>> places) const {
    const std::vector<Vec<3>> points = piece.points(places);
    return vectors_text(bounds_of(points, has_normals(piece) ? 0.0 : body.radius));
  }

  /// Notes where a body is in a frame. False if a file could not be written.
  bool add_frame(Body& body, const Frame& frame, double code) {
    const ExportedBody& exported = body.exported;
    if (exported.motion == Motion::rigid || exported.motion == Motion::affine) {
      const RigidMotion motion = run_.motion(exported, frame);
      body.transforms += fmt::format("            {}: {},\n", code,
                                     matrix_text(motion.rotation.toRotationMatrix() * motion.stretch, motion.position));
    }
    if (!body.deforms()) return true;
    std::vector<Vec<3>> places = run_.places(exported, frame);
    for (Vec<3>& x : places) x -= exported.axes.center;
    for (std::size_t k = 0; k < body.pieces.size(); ++k) {
      const Piece& piece = body.pieces[k];
      body.extents[k].push_back(fmt::format("{}: {}", code, extent_text(body, piece, places)));
      const bool is_written =
          samples(body, k, "points").add(code, vectors_text(piece.points(places))) &&
          (!has_normals(piece) ||
           samples(body, k, "normals").add(code, vectors_text(body.shapes.surface->normals(places))));
      if (!is_written) {
        failure_ = write_failure(files_.temporary(name_));
        return false;
      }
    }
    return true;
  }

  std::string head() const {
    std::string text = "#usda 1.0\n(\n";
    const std::string root = identifier(run_.name(), "run");
    text += fmt::format(
        "    customLayerData = {{\n        string creator = \"Clearance " CLEARANCE_VERSION
        "\"\n    }}\n    defaultPrim = \"{}\"\n    endTimeCode = {}\n    framesPerSecond = {}\n    metersPerUnit = {}\n"
        "    startTimeCode = {}\n    timeCodesPerSecond = {}\n    upAxis = \"{}\"\n)\n\n",
        root, codes_.back(), codes_per_second_, run_.metres_per_unit(), codes_.front(), codes_per_second_,
        run_.up() == 2 ? 'Z' : 'Y');
    text += fmt::format("def Xform \"{}\" (\n    kind = \"group\"\n)\n{{\n", root);
    text += fmt::format("    custom string clearance:name = {}\n", quoted(run_.name()));
    // A stage has y or z upwards.
    if (run_.up() == 0) {
      text += "    double xformOp:rotateZ = 90\n    uniform token[] xformOpOrder = [\"xformOp:rotateZ\"]\n";
    }
    return text;
  }

  void write_body(const Body& body, std::ofstream& stage) const {
    const ExportedBody& exported = body.exported;
    const Vec<3>& center = exported.axes.center;
    stage << fmt::format("\n    def Xform \"{}\" (\n        kind = \"component\"\n    )\n    {{\n", body.prim)
          << fmt::format("        custom string clearance:name = {}\n        custom int clearance:body = {}\n",
                         quoted(exported.name), exported.drawn.body)
          << fmt::format("        custom bool clearance:isObstacle = {}\n", exported.drawn.is_obstacle ? 1 : 0);
    if (body.transforms.empty()) {
      stage << fmt::format(
          "        double3 xformOp:translate = ({}, {}, {})\n        uniform token[] xformOpOrder = "
          "[\"xformOp:translate\"]\n",
          center[0], center[1], center[2]);
    } else {
      stage << "        matrix4d xformOp:transform = " << matrix_text(Mat<3>::Identity(), center) << '\n'
            << "        matrix4d xformOp:transform.timeSamples = {\n"
            << body.transforms << "        }\n        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n";
    }
    for (std::size_t k = 0; k < body.pieces.size(); ++k) write_piece(body, k, stage);
    stage << "    }\n";
  }

  void write_piece(const Body& body, std::size_t k, std::ofstream& stage) const {
    const Piece& piece = body.pieces[k];
    const auto& [red, green, blue] = body.exported.color;
    stage << fmt::format("\n        def {} \"{}\"\n        {{\n", piece.type, piece.name);
    stage << piece.fixed;
    stage << fmt::format("            color3f[] primvars:displayColor = [({:.6g}, {:.6g}, {:.6g})]\n", red, green,
                         blue);
    // Values in the first exported frame are also those of programs that do not play the run.
    const auto write_value = [&](const std::string& attribute, const std::string& value, const char* metadata) {
      stage << "            " << attribute << " = " << value << metadata << '\n';
    };
    const char* const of_corners = " (\n                interpolation = \"faceVarying\"\n            )";
    write_value("float3[] extent", extent_text(body, piece, body.rest), "");
    write_value("point3f[] points", vectors_text(piece.points(body.rest)), "");
    if (has_normals(piece)) {
      write_value("normal3f[] primvars:normals", vectors_text(body.shapes.surface->normals(body.rest)), of_corners);
    }
    if (body.deforms()) {
      stage << "            float3[] extent.timeSamples = {\n";
      for (const std::string& extent : body.extents[k]) stage << "                " << extent << ",\n";
      stage << "            }\n            point3f[] points.timeSamples = {\n";
      samples(body, k, "points").copy_to(stage);
      stage << "            }\n";
      if (has_normals(piece)) {
        stage << "            normal3f[] primvars:normals.timeSamples = {\n";
        samples(body, k, "normals").copy_to(stage);
        stage << "            }\n";
      }
    }
    stage << "        }\n";
  }

  const ExportedRun& run_;
  const FileSet& files_;
  std::string name_;
  std::vector<double> codes_;
  double codes_per_second_ = 24.0;
  std::vector<Body> bodies_;
  Issue failure_;
};

}  // namespace

Result<ExportReport> write_usd_stage(const AnimationJob& options) {
  const std::string name = options.job.output.filename().string();
  FileSet files(options.job.output.parent_path(), {name});
  const Result<ExportedRun> run =
      open_measured(options.job, files.find_obstructions(options.job.is_overwriting, options.job.folder));
  if (!run) return run.issues();
  if (const auto opened = files.open(); !opened) return opened.issues();
  if (const auto written = UsdWriter(*run, options.speed, files, name).write(); !written) {
    return files.by_their_places(written.issues());
  }
  Result<ExportReport> report = finish_export(files, report_of(*run));
  if (!report) return report;
  note_rigid_error(*run, *report);
  return report;
}

}  // namespace clearance::exchange
