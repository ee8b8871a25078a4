#include "clearance/exchange/glb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "clearance/exchange/body_shapes.h"
#include "clearance/exchange/file_set.h"
#include "clearance/exchange/glb_file.h"

namespace clearance::exchange {
namespace {

using Json = nlohmann::ordered_json;
using Use = GlbFile::Use;

// Modes of primitives (glTF 2.0, 5.24.4).
constexpr int points_mode = 0, lines_mode = 1, triangles_mode = 4;

/// Triangles, lines or points of a body, with vertices of their own.
struct Primitive {
  int mode = triangles_mode;
  std::vector<std::uint32_t> sources;  ///< the body's vertex at each vertex of the primitive
  const Shading* shading = nullptr;    ///< null for lines and points, which have no normals
  Json json;
};

/// Returns six matrices whose linear combinations are the symmetric matrices.
std::array<Mat<3>, 6> symmetric_basis() {
  std::array<Mat<3>, 6> basis;
  std::size_t count = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      basis[count].setZero();
      basis[count](i, j) = basis[count](j, i) = 1.0;
      ++count;
    }
  }
  return basis;
}

std::array<float, 4> quaternion(const Eigen::Quaterniond& q) {
  return {static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z()), static_cast<float>(q.w())};
}

class GlbWriter {
 public:
  GlbWriter(const ExportedRun& run, const GlbOptions& options, const FileSet& files, const std::string& name)
      : run_(run), options_(options), file_(files.scratch(name)) {}

  Result<Done> write(const std::filesystem::path& path) {
    choose_targets();
    for (const ExportedBody& body : run_.bodies()) add_body(body);
    if (const auto added = add_frames(); !added) return added.issues();
    add_animation();
    return file_.write(path, document());
  }

  std::size_t num_targets() const { return has_deforming() ? targets_.size() - 1 : 0; }
  double interpolation_error() const { return interpolation_error_; }
  bool has_deforming() const {
    return std::any_of(run_.bodies().begin(), run_.bodies().end(),
                       [](const ExportedBody& body) { return body.motion == Motion::deforming; });
  }

 private:
  struct Body {
    BodyShapes shapes;
    std::vector<Vec<3>> rest;  ///< positions of its vertices relative to its node
    std::vector<Primitive> primitives;
    std::vector<std::vector<Vec<3>>> rest_normals;  ///< one list per primitive
    Json json;                                      ///< the node of the body
    // Pose of the body in each frame.
    std::vector<Vec<3>> positions;
    std::vector<std::array<float, 4>> rotations;
    std::vector<float> stretches;  ///< six weights per frame
  };

  /// Chooses the frames whose shapes become targets: evenly spaced, with the first and the last frame.
  void choose_targets() {
    const std::size_t last = run_.num_frames() - 1;
    const std::size_t count = std::min<std::size_t>(last, options_.max_targets);
    for (std::size_t k = 0; k <= count; ++k) targets_.push_back(count == 0 ? 0 : (k * last + count / 2) / count);
  }

  /// Adds the body's shape in the first frame, relative to its centre.
  void add_body(const ExportedBody& exported) {
    Body& body = bodies_.emplace_back();
    body.shapes = find_shapes(run_, exported);
    body.rest = run_.places(exported, run_.first());
    for (Vec<3>& x : body.rest) x -= exported.axes.center;
    const auto whole = [&](std::span<const std::uint32_t> vertices, int mode) {
      // Vertices are numbered in the order of their first use.
      Primitive primitive;
      primitive.mode = mode;
      std::vector<std::uint32_t> indices, number_of(body.rest.size(), static_cast<std::uint32_t>(-1));
      for (const std::uint32_t v : vertices) {
        if (number_of[v] == static_cast<std::uint32_t>(-1)) {
          number_of[v] = static_cast<std::uint32_t>(primitive.sources.size());
          primitive.sources.push_back(v);
        }
        indices.push_back(number_of[v]);
      }
      add_primitive(exported, body, std::move(primitive), indices);
    };
    if (body.shapes.surface) {
      Primitive primitive;
      primitive.shading = &*body.shapes.surface;
      primitive.sources = primitive.shading->sources();
      std::vector<std::uint32_t> indices;
      for (const auto& t : primitive.shading->triangles()) indices.insert(indices.end(), t.begin(), t.end());
      add_primitive(exported, body, std::move(primitive), indices);
    }
    std::vector<std::uint32_t> ends;
    for (const auto& line : body.shapes.lines) ends.insert(ends.end(), line.begin(), line.end());
    if (!ends.empty()) whole(ends, lines_mode);
    if (!body.shapes.points.empty()) whole(body.shapes.points, points_mode);
    body.json = {{"name", exported.name}, {"mesh", bodies_.size() - 1}};
    const Vec<3>& center = exported.axes.center;
    body.json["translation"] = {center[0], center[1], center[2]};
    body.json["extras"] = {{"body", exported.drawn.body}, {"is_obstacle", exported.drawn.is_obstacle}};
  }

  void add_primitive(const ExportedBody& exported, Body& body, Primitive primitive,
                     std::span<const std::uint32_t> indices) {
    std::vector<Vec<3>>& normals = body.rest_normals.emplace_back();
    if (primitive.shading != nullptr) normals = primitive.shading->normals(body.rest);
    const std::vector<Vec<3>> places = gather(body.rest, primitive);
    Json attributes = {{"POSITION", file_.add_vectors(places, Use::vertices, true)}};
    if (!normals.empty()) attributes["NORMAL"] = file_.add_vectors(normals, Use::vertices, false);
    primitive.json = {{"attributes", attributes},
                      {"indices", file_.add_indices(indices)},
                      {"mode", primitive.mode},
                      {"material", bodies_.size() - 1}};
    if (exported.motion == Motion::affine) add_stretches(places, normals, primitive);
    body.primitives.push_back(std::move(primitive));
  }

  static std::vector<Vec<3>> gather(const std::vector<Vec<3>>& of_vertices, const Primitive& primitive) {
    std::vector<Vec<3>> gathered;
    gathered.reserve(primitive.sources.size());
    for (const std::uint32_t v : primitive.sources) gathered.push_back(of_vertices[v]);
    return gathered;
  }

  /// Adds six targets that turn x + (S - I) x into a sum. The sum is exact for positions and of first order for
  /// normals.
  void add_stretches(const std::vector<Vec<3>>& places, const std::vector<Vec<3>>& normals, Primitive& primitive) {
    static const std::array<Mat<3>, 6> basis = symmetric_basis();
    const auto mapped = [](const Mat<3>& map, const std::vector<Vec<3>>& from) {
      std::vector<Vec<3>> to;
      for (const Vec<3>& x : from) to.push_back(map * x);
      return to;
    };
    for (const Mat<3>& map : basis) {
      Json target = {{"POSITION", file_.add_vectors(mapped(map, places), Use::vertices, true)}};
      if (!normals.empty()) target["NORMAL"] = file_.add_vectors(mapped(-map, normals), Use::vertices, false);
      primitive.json["targets"].push_back(target);
    }
  }

  /// Reads every frame once. For frames between two targets, it notes how far linear interpolation between the targets
  /// is off.
  Result<Done> add_frames() {
    std::vector<std::vector<Vec<3>>> from, to;  // vertices of deforming bodies, relative to their centres
    const bool deforming = has_deforming();
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      if (const auto added = add_frame(targets_[k], k, to); !added) return added.issues();
      for (std::size_t i = k == 0 ? 0 : targets_[k - 1] + 1; i < targets_[k]; ++i) {
        const Result<Frame> frame = run_.frame(i);
        if (!frame) return frame.issues();
        note_poses(*frame, i);
        if (deforming) note_error(*frame, i, k, from, to);
      }
      from = std::move(to);
      to.clear();
    }
    return Done{};
  }

  Result<Done> add_frame(std::size_t index, std::size_t target, std::vector<std::vector<Vec<3>>>& places) {
    const Result<Frame> frame = run_.frame(index);
    if (!frame) return frame.issues();
    note_poses(*frame, index);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      if (run_.bodies()[b].motion != Motion::deforming) continue;
      places.push_back(places_in_node(run_.bodies()[b], *frame));
      if (target > 0) add_target(bodies_[b], places.back());
    }
    return Done{};
  }

  /// Returns the vertices of a deforming body relative to its centre, with its rotation undone.
  std::vector<Vec<3>> places_in_node(const ExportedBody& body, const Frame& frame) const {
    const RigidMotion motion = run_.motion(body, frame);
    std::vector<Vec<3>> places = run_.places(body, frame);
    for (Vec<3>& x : places) x = motion.rotation.conjugate() * (x - motion.position);
    return places;
  }

  void add_target(Body& body, const std::vector<Vec<3>>& places) {
    for (std::size_t p = 0; p < body.primitives.size(); ++p) {
      Primitive& primitive = body.primitives[p];
      std::vector<Vec<3>> offsets;
      for (const std::uint32_t v : primitive.sources) offsets.push_back(places[v] - body.rest[v]);
      Json json = {{"POSITION", file_.add_vectors(offsets, Use::vertices, true)}};
      if (primitive.shading != nullptr) {
        std::vector<Vec<3>> turns = primitive.shading->normals(places);
        for (std::size_t v = 0; v < turns.size(); ++v) turns[v] -= body.rest_normals[p][v];
        json["NORMAL"] = file_.add_vectors(turns, Use::vertices, false);
      }
      primitive.json["targets"].push_back(json);
    }
  }

  void note_poses(const Frame& frame, std::size_t index) {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const ExportedBody& exported = run_.bodies()[b];
      if (exported.motion == Motion::still) continue;
      Body& body = bodies_[b];
      body.positions.resize(run_.num_frames());
      body.rotations.resize(run_.num_frames());
      const RigidMotion motion = run_.motion(exported, frame);
      body.positions[index] = motion.position;

      body.rotations[index] = quaternion(motion.rotation);
      if (exported.motion != Motion::affine) continue;
      body.stretches.resize(6 * run_.num_frames());
      const Mat<3> stretch = motion.stretch - Mat<3>::Identity();
      std::size_t at = 6 * index;
      for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) body.stretches[at++] = static_cast<float>(stretch(i, j));
      }
    }
  }

  void note_error(const Frame& frame, std::size_t index, std::size_t target,
                  const std::vector<std::vector<Vec<3>>>& from, const std::vector<std::vector<Vec<3>>>& to) {
    const double start = run_.time(targets_[target - 1]), end = run_.time(targets_[target]);
    const double t = (run_.time(index) - start) / (end - start);
    std::size_t deforming = 0;
    for (const ExportedBody& body : run_.bodies()) {
      if (body.motion != Motion::deforming) continue;
      const std::vector<Vec<3>> places = places_in_node(body, frame);
      for (std::size_t v = 0; v < places.size(); ++v) {
        const Vec<3> between = (1.0 - t) * from[deforming][v] + t * to[deforming][v];
        interpolation_error_ = std::max(interpolation_error_, (between - places[v]).norm());
      }
      ++deforming;
    }
  }

  /// [s] Returns times that rise strictly, even where single precision cannot resolve the steps.
  std::vector<float> animation_times() const {
    std::vector<float> times;
    for (std::size_t i = 0; i < run_.num_frames(); ++i) {
      const auto time = static_cast<float>((run_.seconds(i) - run_.seconds(0)) / options_.speed);
      times.push_back(i > 0 ? std::max(time, std::nextafter(times.back(), std::numeric_limits<float>::max())) : time);
    }
    return times;
  }

  void add_animation() {
    if (run_.num_frames() < 2) return;
    const std::vector<float> all = animation_times();
    std::vector<float> of_targets;
    for (const std::size_t i : targets_) of_targets.push_back(all[i]);
    int all_times = -1, target_times = -1, target_weights = -1;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      Body& body = bodies_[b];
      const int node = static_cast<int>(b);
      if (!body.positions.empty()) {
        if (all_times < 0) all_times = file_.add_scalars(all, true);
        for (std::size_t i = 1; i < body.rotations.size(); ++i) {
          const Eigen::Vector4f before(body.rotations[i - 1].data()), now(body.rotations[i].data());
          if (before.dot(now) >= 0.0F) continue;
          for (float& x : body.rotations[i]) x = -x;
        }
        add_channel(node, "translation", all_times, file_.add_vectors(body.positions, Use::animation, false));
        add_channel(node, "rotation", all_times, file_.add_rotations(body.rotations));
        if (!body.stretches.empty()) add_channel(node, "weights", all_times, file_.add_scalars(body.stretches, false));
      }
      if (run_.bodies()[b].motion == Motion::deforming) {
        if (target_times < 0) {
          // At the time of a target its weight is 1 and all other weights are 0.
          target_times = file_.add_scalars(of_targets, true);
          const std::size_t count = targets_.size() - 1;
          std::vector<float> weights(targets_.size() * count, 0.0F);
          for (std::size_t k = 1; k <= count; ++k) weights[k * count + k - 1] = 1.0F;
          target_weights = file_.add_scalars(weights, false);
        }
        add_channel(node, "weights", target_times, target_weights);
      }
    }
  }

  void add_channel(int node, const char* path, int times, int values) {
    samplers_.push_back({{"input", times}, {"interpolation", "LINEAR"}, {"output", values}});
    channels_.push_back({{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  Json document() const {
    Json meshes = Json::array(), materials = Json::array(), nodes = Json::array(), children = Json::array();
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const ExportedBody& exported = run_.bodies()[b];
      Json primitives = Json::array();
      for (const Primitive& primitive : bodies_[b].primitives) primitives.push_back(primitive.json);
      meshes.push_back({{"name", exported.name}, {"primitives", primitives}});
      const auto& [red, green, blue] = exported.color;
      materials.push_back(
          {{"name", exported.name},
           {"pbrMetallicRoughness",
            {{"baseColorFactor", {red, green, blue, 1.0}}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.6}}},
           {"doubleSided", true}});
      nodes.push_back(bodies_[b].json);
      children.push_back(b);
    }
    // The root node turns the scene, because y points up in glTF.
    Json root = {{"name", run_.name().empty() ? "run" : run_.name()}, {"children", children}};
    if (run_.up() != 1) {
      const auto turn = Eigen::Quaterniond::FromTwoVectors(Vec<3>(Vec<3>::Unit(run_.up())), Vec<3>(Vec<3>::UnitY()));
      root["rotation"] = quaternion(turn);
    }
    // Lengths are in metres in glTF.
    if (const double metres = run_.metres_per_unit(); metres != 1.0) root["scale"] = {metres, metres, metres};
    nodes.push_back(root);
    Json document = {{"asset", {{"version", "2.0"}, {"generator", "Clearance " CLEARANCE_VERSION}}},
                     {"scene", 0},
                     {"scenes", {{{"name", root["name"]}, {"nodes", {nodes.size() - 1}}}}},
                     {"nodes", nodes},
                     {"meshes", meshes},
                     {"materials", materials}};
    if (!channels_.empty())
      document["animations"] = {{{"name", "run"}, {"samplers", samplers_}, {"channels", channels_}}};
    return document;
  }

  const ExportedRun& run_;
  const GlbOptions& options_;
  GlbFile file_;
  std::deque<Body> bodies_;           ///< a deque, because primitives point into its elements
  std::vector<std::size_t> targets_;  ///< frames of the export whose shapes are stored; the first frame comes first
  Json samplers_ = Json::array(), channels_ = Json::array();
  double interpolation_error_ = 0.0;
};

}  // namespace

Result<ExportReport> write_glb(const GlbOptions& options) {
  const std::string name = options.job.output.filename().string();
  FileSet files(options.job.output.parent_path(), {name});
  const Result<ExportedRun> run =
      open_measured(options.job, files.find_obstructions(options.job.is_overwriting, options.job.folder));
  if (!run) return run.issues();
  if (const auto opened = files.open(); !opened) return opened.issues();

  GlbWriter writer(*run, options, files, name);
  if (const auto written = writer.write(files.temporary(name)); !written) {
    return files.by_their_places(written.issues());
  }
  Result<ExportReport> report = finish_export(files, report_of(*run));
  if (!report) return report;
  report->values["targets"] = writer.num_targets();
  report->values["interpolation_error"] = writer.interpolation_error();
  note_rigid_error(*run, *report);
  if (writer.has_deforming() && writer.num_targets() + 1 < run->num_frames()) {
    report->notes.push_back(fmt::format(
        "deforming bodies have the shapes of {} of {} frames, evenly (--max-targets); straight lines between them are "
        "off by up to {:.2g} m",
        writer.num_targets() + 1, run->num_frames(), writer.interpolation_error()));
  }
  return report;
}

}  // namespace clearance::exchange
