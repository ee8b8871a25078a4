#include "clearance/page/packed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/io/mesh/frame_scalar.h"
#include "clearance/io/result/result_units.h"
#include "clearance/verify/rest_shape.h"

namespace clearance::page {
namespace {

using Json = nlohmann::ordered_json;

Json vector_of(const Vec<3>& v) {
  return Json::array({v[0], v[1], v[2]});
}

Json number_of(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

struct Boxes {
  explicit Boxes(std::size_t count) : low(count, Vec<3>::Constant(infinity)), high(count, -low.front()) {}
  void add(const DrawnBodies& bodies, const Frame& frame) {
    for (std::size_t b = 0; b < low.size(); ++b) {
      const DrawnBody& body = bodies.bodies()[b];
      for (std::size_t i = 0; i < body.num_vertices; ++i) {
        const Vec<3>& x = frame.mesh.vertices[bodies.vertices()[body.first_vertex + i]];
        low[b] = low[b].cwiseMin(x);
        high[b] = high[b].cwiseMax(x);
      }
    }
  }
  std::vector<Vec<3>> low, high;
};

}  // namespace

void PackedRun::Range::add(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Result<PackedRun> PackedRun::open(RunFiles files) {
  Result<Frame> first = read_whole_frame(files.frames.front());
  if (!first) return first.issues();
  return PackedRun(std::move(files), std::move(*first));
}

PackedRun::PackedRun(RunFiles files, Frame first)
    : files_(std::move(files)),
      first_(std::move(first)),
      adapts_(!verify::rest_positions(first_).empty()),
      unarranged_(first_),
      bodies_(unarranged_),
      changes_(bodies_.bodies().size(), 1) {
  choose_fields();
  if (files_.scene.is_object()) {
    has_forces_ = files_.scene.value("output", Json::object()).value("contact_forces", false);
  }
  Boxes boxes(bodies_.bodies().size());
  boxes.add(bodies_, first_);
  set_bounds(boxes.low, boxes.high);
  bodies_.arrange(changes_);
}

std::size_t PackedRun::topology_of(std::size_t index) const {
  if (!adapts_) return 0;
  return topology_of_.empty() ? index : topology_of_[index];
}

void PackedRun::choose_fields() {
  if (!first_.velocity.empty()) fields_.push_back({"velocity", {}});
  for (const std::string& name : files_.fields) {
    if (name != "displacement") fields_.push_back({name, {}});  // the page derives displacements from positions
  }
}

/// Reads a frame and one number per vertex for a field; `values` is empty if the frame lacks the field.
Result<Frame> PackedRun::read(std::size_t number, const std::string& field, std::vector<double>& values) const {
  Result<Frame> frame = read_frame(files_.frames[number], field == "velocity" ? "" : field);
  if (!frame) return frame;
  if (!adapts_ && !bodies_.fits(*frame)) {
    return Issue{files_.frames[number].string(), "", "",
                 "the frame has other vertices than the first frame of the run"};
  }
  values.clear();
  if (field == "velocity") {
    for (const Vec<3>& v : frame->velocity) values.push_back(v.norm());
  } else {
    values = scalar_of_vertices(*frame);
  }
  return frame;
}

Result<DrawnBodies> PackedRun::drawn_of(std::size_t number) const {
  const Result<Frame> frame = read_whole_frame(files_.frames[number]);
  if (!frame) return frame.issues();
  std::vector<Vec<3>> rest = verify::rest_positions(*frame);
  if (rest.empty()) rest = frame->mesh.vertices;
  DrawnBodies drawn(*frame, rest);
  const auto is_other = [](const DrawnBody& a, const DrawnBody& b) { return a.body != b.body; };
  const std::vector<DrawnBody>& first = unarranged_.bodies();
  bool has_others = drawn.bodies().size() != first.size();
  for (std::size_t b = 0; !has_others && b < first.size(); ++b) has_others = is_other(drawn.bodies()[b], first[b]);
  if (has_others) {
    return Issue{files_.frames[number].string(), "", "", "the frame has other bodies than the first frame of the run"};
  }
  // Bodies whose elements have not changed refer to the first frame, as in runs without changes.
  const std::vector<Vec<3>> at_first = verify::rest_positions(first_);
  std::vector<Vec<3>> told_from = rest;
  for (std::size_t b = 0; b < first.size(); ++b) {
    if (!drawn.is_drawn_as(unarranged_, b)) continue;
    const auto vertex = [&](const DrawnBodies& bodies, std::size_t i) {
      return bodies.vertices()[bodies.bodies()[b].first_vertex + i];
    };
    bool is_same = true;
    for (std::size_t i = 0; is_same && i < first[b].num_vertices; ++i) {
      is_same = rest[vertex(drawn, i)] == at_first[vertex(unarranged_, i)];
    }
    for (std::size_t i = 0; is_same && i < first[b].num_vertices; ++i) {
      told_from[vertex(drawn, i)] = first_.mesh.vertices[vertex(unarranged_, i)];
    }
  }
  return DrawnBodies(*frame, std::move(told_from));
}

Result<std::optional<DrawnBodies>> PackedRun::arranged_of(std::size_t number) const {
  if (!adapts_) return std::optional<DrawnBodies>();
  Result<DrawnBodies> drawn = drawn_of(number);
  if (!drawn) return drawn.issues();
  drawn->arrange(changes_);
  return std::optional<DrawnBodies>(std::move(*drawn));
}

Result<Done> PackedRun::measure(std::vector<std::size_t> kept, bool is_exact) {
  kept_ = std::move(kept);
  topology_of_.clear();
  is_exact_ = is_exact;
  has_forces_ = false;
  std::vector<char> changes(unarranged_.bodies().size(), 0);
  std::vector<double> values;
  Boxes boxes(unarranged_.bodies().size());
  std::optional<DrawnBodies> other;  // drawn bodies of the frame, if elements change
  Frame before;
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const std::size_t number = kept_[k];
    Result<Frame> frame = read(number, "", values);
    if (!frame) return frame.issues();
    if (adapts_) {
      Result<DrawnBodies> drawn = drawn_of(number);
      if (!drawn) return drawn.issues();
      const bool is_same = other && verify::has_same_cells(*frame, before) && drawn->rest() == other->rest();
      topology_of_.push_back(is_same ? topology_of_.back() : k);
      for (std::size_t b = 0; b < changes.size(); ++b) {
        if (!drawn->is_drawn_as(unarranged_, b)) changes[b] = 1;
      }
      other = std::move(*drawn);
      before = *frame;
    }
    const DrawnBodies& drawn = other ? *other : unarranged_;
    most_vertices_ = std::max(most_vertices_, drawn.vertices().size());
    most_triangles_ = std::max(most_triangles_, drawn.triangles().size());
    drawn.note_shape(*frame, changes);
    boxes.add(drawn, *frame);
    if (!frame->contact_force.empty()) has_forces_ = true;
    for (Field& field : fields_) {
      frame = read(number, field.name, values);
      if (!frame) return frame.issues();
      for (const int v : drawn.vertices()) {
        if (!values.empty()) field.range.add(values[v]);
      }
    }
  }
  std::erase_if(fields_, [](const Field& field) { return field.range.is_empty(); });
  changes_ = std::move(changes);
  set_bounds(boxes.low, boxes.high);
  bodies_ = unarranged_;
  bodies_.arrange(changes_);
  return Done{};
}

void PackedRun::set_bounds(const std::vector<Vec<3>>& low, const std::vector<Vec<3>>& high) {
  low_ = Vec<3>::Constant(infinity);
  high_ = -low_;
  view_low_ = low_;
  view_high_ = high_;
  for (std::size_t b = 0; b < low.size(); ++b) {
    if (changes_[b] != 0) low_ = low_.cwiseMin(low[b]), high_ = high_.cwiseMax(high[b]);
    if (!unarranged_.bodies()[b].is_obstacle || low.size() == 1) {
      view_low_ = view_low_.cwiseMin(low[b]);
      view_high_ = view_high_.cwiseMax(high[b]);
    }
  }
  if (!(view_low_[0] <= view_high_[0])) view_low_ = low.front(), view_high_ = high.front();
  origin_ = 0.5 * (view_low_ + view_high_);
}

double PackedRun::position_error() const {
  if (bodies_.num_moving() == 0) return 0.0;
  if (is_exact_) return 6e-8 * (high_ - low_).cwiseAbs().maxCoeff();
  return quantisation_error(0.0, (high_ - low_).maxCoeff());
}

/// Adds the bodies, the fields and the frames.
void PackedRun::add_parts(Json& head) const {
  for (const DrawnBody& body : bodies_.bodies()) {
    const std::size_t number = body.body;
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
    head["fields"].push_back(
        {{"name", field.name}, {"low", number_of(field.range.low)}, {"high", number_of(field.range.high)}});
  }
  const std::size_t num_frames = kept_.empty() ? files_.frames.size() : kept_.size();
  for (std::size_t i = 0; i < num_frames; ++i) {
    const std::size_t number = number_in_run(i);
    head["frames"].push_back({{"time", files_.times[number]}, {"step", files_.steps[number]}});
    if (adapts_) head["frames"].back()["topology"] = topology_of(i);
  }
}

namespace {

/// Returns the names of the scene's units by those of SI; null for a scene in SI.
Json names_of_units(const Json& scene) {
  const UnitSystem units = units_of_json(scene);
  if (units.is_si()) return {};
  Json names = Json::object();
  for (const char* name : {"m", "kg", "s", "N", "Pa", "J"}) names[name] = units.text(name);
  return names;
}

}  // namespace

Json PackedRun::head() const {
  Json head = {{"version", CLEARANCE_VERSION},
               {"title", files_.scene.is_object() ? files_.scene.value("name", "") : ""},
               {"dimension", first_.mesh.dim},
               {"exact", is_exact_},
               {"positionError", position_error()},
               {"origin", vector_of(origin_)},
               {"viewLow", vector_of(view_low_ - origin_)},
               {"viewHigh", vector_of(view_high_ - origin_)},
               {"low", vector_of(bodies_.num_moving() > 0 ? Vec<3>(low_ - origin_) : Vec<3>(Vec<3>::Zero()))},
               {"high", vector_of(bodies_.num_moving() > 0 ? Vec<3>(high_ - origin_) : Vec<3>(Vec<3>::Zero()))},
               {"vertices", bodies_.vertices().size()},
               {"moving", bodies_.num_moving()},
               {"triangles", bodies_.triangles().size()},
               {"edges", bodies_.edges().size()},
               {"hasForces", has_forces_},
               {"adapts", adapts_},
               {"framesOfRun", files_.frames.size()}};
  add_parts(head);
  head["scene"] = files_.scene;
  head["units"] = names_of_units(files_.scene);
  head["stats"] = files_.stats;
  head["probes"] = files_.probes;
  head["warnings"] = files_.warnings;
  return head;
}

Vec<3> PackedRun::place(const DrawnBodies& bodies, const Frame& frame, std::size_t vertex) const {
  return frame.mesh.vertices[bodies.vertices()[vertex]] - origin_;
}

Result<Packer> PackedRun::topology(std::size_t index) const {
  const Result<std::optional<DrawnBodies>> other = arranged_of(number_in_run(index));
  if (!other) return other.issues();
  const DrawnBodies& bodies = *other ? **other : bodies_;
  Packer packer;
  std::vector<std::uint32_t> numbers;
  const auto add = [&](std::size_t number) { numbers.push_back(static_cast<std::uint32_t>(number)); };
  if (adapts_) {
    for (const std::size_t count :
         {bodies.vertices().size(), bodies.num_moving(), bodies.triangles().size(), bodies.edges().size()})
      add(count);
    for (const DrawnBody& body : bodies.bodies()) {
      for (const std::size_t number : {body.first_vertex, body.num_vertices, body.first_triangle, body.num_triangles,
                                       body.first_edge, body.num_edges})
        add(number);
    }
  }
  for (const auto& triangle : bodies.triangles()) numbers.insert(numbers.end(), triangle.begin(), triangle.end());
  for (const auto& edge : bodies.edges()) numbers.insert(numbers.end(), edge.begin(), edge.end());
  for (const int v : bodies.vertices()) add(v);
  packer.add(numbers);
  std::vector<float> places;
  for (const int v : bodies.vertices()) {
    const Vec<3> x = bodies.rest()[v] - origin_;
    for (const double coordinate : x) places.push_back(static_cast<float>(coordinate));
  }
  packer.add(places);
  return packer;
}

void PackedRun::add_numbers(const std::vector<double>& values, double low, double high, Packer& packer) const {
  if (is_exact_) {
    packer.add(std::vector<float>(values.begin(), values.end()));
    return;
  }
  std::vector<std::uint16_t> numbers(values.size());
  std::transform(values.begin(), values.end(), numbers.begin(), [&](double x) { return quantised(x, low, high); });
  packer.add(numbers);
}

Result<Packer> PackedRun::frame(std::size_t index) const {
  const std::size_t number = number_in_run(index);
  std::vector<double> values;
  Result<Frame> frame = read(number, "", values);
  if (!frame) return frame.issues();
  const Result<std::optional<DrawnBodies>> other = arranged_of(number);
  if (!other) return other.issues();
  const DrawnBodies& bodies = *other ? **other : bodies_;
  Packer packer;
  std::vector<float> poses;
  for (const DrawnBody& body : bodies.bodies()) {
    if (!body.keeps_shape) continue;
    Pose pose = bodies.pose(body, *frame);
    // The translation is adapted to positions relative to the origin of the page.
    const Eigen::Map<const Mat<3>> linear(pose.data());
    Eigen::Map<Vec<3>> translation(pose.data() + 9);
    translation += linear * origin_ - origin_;
    poses.insert(poses.end(), pose.begin(), pose.end());
  }
  packer.add(poses);
  std::vector<double> axis(bodies.num_moving());
  for (int k = 0; k < 3; ++k) {
    for (std::size_t v = 0; v < axis.size(); ++v) axis[v] = place(bodies, *frame, v)[k];
    add_numbers(axis, low_[k] - origin_[k], high_[k] - origin_[k], packer);
  }
  add_forces(bodies, *frame, packer);
  for (const Field& field : fields_) {
    const Result<Frame> with_field = read(number, field.name, values);
    if (!with_field) return with_field.issues();
    std::vector<double> of_vertices;
    for (const int v : bodies.vertices()) {
      of_vertices.push_back(values.empty() ? std::nan("") : values[v]);
    }
    add_numbers(of_vertices, field.range.low, field.range.high, packer);
  }
  return packer;
}

void PackedRun::add_forces(const DrawnBodies& bodies, const Frame& frame, Packer& packer) const {
  if (!has_forces_) return;
  std::vector<std::uint32_t> vertices;
  std::vector<float> forces;
  for (std::size_t v = 0; v < bodies.vertices().size() && !frame.contact_force.empty(); ++v) {
    const Vec<3>& force = frame.contact_force[bodies.vertices()[v]];
    if (force.isZero(0.0) || !force.allFinite()) continue;
    vertices.push_back(static_cast<std::uint32_t>(v));
    for (const double x : force) forces.push_back(static_cast<float>(x));
  }
  packer.add(std::vector<std::uint32_t>{static_cast<std::uint32_t>(vertices.size())});
  packer.add(vertices);
  packer.add(forces);
}

}  // namespace clearance::page
