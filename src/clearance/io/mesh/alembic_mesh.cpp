// Meshes of Alembic archives: the shapes of an object and of those below it, at a time.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/ogawa_reader.h"
#include "clearance/io/mesh/stage_shapes.h"
#include "clearance/math/rotation.h"

namespace clearance {
namespace {

using Place = Eigen::Matrix4d;  // x_world = place * x
using Properties = std::map<std::string, AbcProperty>;

/// Times that one property may have.
constexpr std::size_t max_times = 100000;
/// [s] Times of two properties that are closer than this are the same, as Alembic has it.
constexpr double same_time = 1e-9;

/// An operation of a place: its code, and how many numbers it has.
enum class Operation { scale, translate, rotate, matrix, rotate_x, rotate_y, rotate_z };
constexpr std::array<std::size_t, 7> operation_sizes = {3, 3, 4, 16, 1, 1, 1};

class AlembicMeshBuilder {
 public:
  AlembicMeshBuilder(MeshInput& input, OgawaReader& archive, std::string selected, std::optional<double> time,
                     std::set<double>& times)
      : input_(input), archive_(archive), selected_(std::move(selected)), time_(time), times_(times) {}

  Mesh build() {
    add(archive_.root(), Place::Identity());
    if (input_.has_failed() || has_found_) return std::move(mesh_);
    if (selected_.empty())
      input_.add_issue("", "", "expected an object that is a PolyMesh, SubD, Curves or Points");
    else
      input_.add_issue("", selected_, "expected the path of an object with a PolyMesh, SubD, Curves or Points");
    return std::move(mesh_);
  }

 private:
  bool is_selected(const std::string& path) const {
    return selected_.empty() || path == selected_ || path.starts_with(selected_ + "/");
  }

  void fail(const std::string& owner, std::string_view value, std::string message) {
    input_.add_issue(owner, value, std::move(message));
  }

  /// Returns the number of the sample at the time, and how far the time is on the way to the next one.
  std::pair<std::size_t, double> locate(const AbcProperty& property) const {
    const AbcTimeSampling& sampling = archive_.time_sampling(property);
    // The number of samples up to the last change is limited, so that a search for the time ends.
    std::size_t begin = 0, end = property.last_changed;
    if (*time_ <= sampling.time(begin)) return {begin, 0.0};
    if (*time_ >= sampling.time(end)) return {end, 0.0};
    while (end - begin > 1) {
      const std::size_t middle = (begin + end) / 2;
      (sampling.time(middle) <= *time_ ? begin : end) = middle;
    }
    const double t0 = sampling.time(begin), t1 = sampling.time(end);
    return {begin, t1 > t0 ? (*time_ - t0) / (t1 - t0) : 0.0};
  }

  void note_times(const AbcProperty& property, const std::string& owner) {
    if (time_ || property.is_constant()) return;
    if (property.last_changed > max_times) {
      return fail(owner, fmt::format("{}", property.last_changed),
                  fmt::format("expected at most {} samples", max_times));
    }
    for (std::size_t i = 0; i <= property.last_changed; ++i) {
      const double time = archive_.time_sampling(property).time(i);
      const auto next = times_.lower_bound(time - same_time);
      if (next == times_.end() || *next > time + same_time) times_.insert(time);
    }
  }

  /// Returns the numbers of a property, linearly between samples; none if there is no such property.
  std::vector<double> numbers(const Properties& properties, const std::string& name, const std::string& owner) {
    const auto found = properties.find(name);
    if (found == properties.end() || found->second.num_samples == 0 || input_.has_failed()) return {};
    const AbcProperty& property = found->second;
    note_times(property, owner);
    if (input_.has_failed()) return {};
    const auto [sample, part] = time_ ? locate(property) : std::pair<std::size_t, double>(0, 0.0);
    std::optional<std::vector<double>> values = archive_.numbers(property, sample, owner);
    if (!values || part == 0.0) return values.value_or(std::vector<double>());
    const auto next = archive_.numbers(property, sample + 1, owner);
    if (!next) return {};
    if (next->size() != values->size()) {
      fail(owner, name,
           fmt::format("expected as many numbers in all samples; sample {} has {}, the next one {}", sample,
                       values->size(), next->size()));
      return {};
    }
    for (std::size_t i = 0; i < values->size(); ++i) (*values)[i] += part * ((*next)[i] - (*values)[i]);
    return std::move(*values);
  }

  /// Returns the numbers of a property that must not change, because vertices keep their numbers.
  std::vector<double> fixed_numbers(const Properties& properties, const std::string& name, const std::string& owner) {
    const auto found = properties.find(name);
    if (found == properties.end() || found->second.num_samples == 0 || input_.has_failed()) return {};
    if (time_ && !found->second.is_constant()) {
      fail(owner, name, "expected the same elements at all times; they change from sample to sample");
      return {};
    }
    return archive_.numbers(found->second, 0, owner).value_or(std::vector<double>());
  }

  void add(const AbcObject& object, const Place& parent) {
    if (input_.has_failed()) return;
    if (!object.path.empty() && !is_selected(object.path) && !selected_.starts_with(object.path + "/")) return;
    const Properties properties = archive_.properties(object.properties, object.path);
    if (is_hidden(properties, object.path)) return;
    if (object.is_instance && is_selected(object.path)) {
      return fail(object.path, "instance", "expected a shape of its own; write the archive without instances");
    }
    Place place = parent;
    if (const auto xform = properties.find(".xform"); xform != properties.end()) {
      const std::optional<Place> local = place_of(xform->second, object.path);
      if (!local) return;
      place = (inherits_ ? parent : Place(Place::Identity())) * *local;
    }
    const auto geometry = properties.find(".geom");
    if (geometry != properties.end() && is_selected(object.path)) add_shape(object, geometry->second, place);
    for (const AbcObject& child : object.children) add(child, place);
  }

  /// True if an object is hidden in its first sample: `visible` is 0. 1 is visible, and -1 as the parent.
  bool is_hidden(const Properties& properties, const std::string& owner) {
    const auto found = properties.find("visible");
    if (found == properties.end() || found->second.num_samples == 0) return false;
    const auto visible = archive_.numbers(found->second, 0, owner);
    return visible && !visible->empty() && visible->front() == 0.0;
  }

  /// Returns where an object is beside its parent: the product of its operations, of which the last acts first.
  std::optional<Place> place_of(const AbcProperty& xform, const std::string& owner) {
    const Properties properties = archive_.properties(xform.group, owner);
    const std::vector<double> inherits = numbers(properties, ".inherits", owner);
    inherits_ = inherits.empty() || inherits[0] != 0.0;
    const std::vector<double> operations = fixed_numbers(properties, ".ops", owner);
    const std::vector<double> values = numbers(properties, ".vals", owner);
    if (input_.has_failed()) return {};
    Place place = Place::Identity();
    std::size_t at = 0;
    for (const double code : operations) {
      const std::size_t kind = code >= 0.0 && code < 256.0 ? static_cast<std::size_t>(code) >> 4 : 255;
      if (kind >= operation_sizes.size() || at + operation_sizes[kind] > values.size()) {
        fail(owner, ".ops", "expected operations that move, turn and scale, with their numbers in `.vals`");
        return {};
      }
      place = place * operation(static_cast<Operation>(kind), &values[at]);
      at += operation_sizes[kind];
    }
    if (place.allFinite()) return place;
    fail(owner, ".vals", "expected finite numbers");
    return {};
  }

  static Place operation(Operation kind, const double* values) {
    Place place = Place::Identity();
    const Eigen::Map<const Vec<3>> vector(values);
    const auto turn = [&](const Vec<3>& axis, double degrees) {
      // An axis without a length turns nothing.
      const double length = axis.norm();
      if (length > 0.0)
        place.topLeftCorner<3, 3>() = rotation_from_vector((degrees * radians_per_degree / length) * axis);
    };
    switch (kind) {
      case Operation::scale:
        place.diagonal().head<3>() = vector;
        break;
      case Operation::translate:
        place.topRightCorner<3, 1>() = vector;
        break;
      case Operation::rotate:
        turn(vector, values[3]);
        break;
      case Operation::matrix:
        // The format multiplies rows from the right.
        for (int i = 0; i < 16; ++i) place(i % 4, i / 4) = values[i];
        break;
      case Operation::rotate_x:
      case Operation::rotate_y:
      case Operation::rotate_z:
        turn(Vec<3>::Unit(static_cast<int>(kind) - static_cast<int>(Operation::rotate_x)), values[0]);
        break;
    }
    return place;
  }

  void add_shape(const AbcObject& object, const AbcProperty& geometry, const Place& place) {
    const std::string& schema = object.schema;
    const bool is_surface = schema.starts_with("AbcGeom_PolyMesh_") || schema.starts_with("AbcGeom_SubD_");
    const bool is_curves = schema.starts_with("AbcGeom_Curve_"), is_points = schema.starts_with("AbcGeom_Points_");
    if (schema.starts_with("AbcGeom_NuPatch_"))
      return fail(object.path, schema, "expected a PolyMesh, SubD, Curves or Points; make a mesh of it, or hide it");
    if (!is_surface && !is_curves && !is_points) return;
    has_found_ = true;
    const Properties properties = archive_.properties(geometry.group, object.path);
    const int first = static_cast<int>(mesh_.vertices.size());
    const ShapeBegin begin(mesh_);
    if (!add_vertices(properties, object.path, place)) return;
    if (is_surface) add_faces(properties, object.path, place, first);
    if (is_curves) add_curves(properties, object.path, first);
    if (is_points) {
      for (int v = first; v < static_cast<int>(mesh_.vertices.size()); ++v) mesh_.points.push_back(v);
    }
    begin.add_groups(object.path, mesh_);
  }

  bool add_vertices(const Properties& properties, const std::string& owner, const Place& place) {
    const std::vector<double> points = numbers(properties, "P", owner);
    if (input_.has_failed()) return false;
    if (points.empty() || points.size() % 3 != 0) {
      fail(owner, fmt::format("{} numbers", points.size()), "expected three numbers a point in `P`");
      return false;
    }
    for (std::size_t i = 0; i < points.size(); i += 3) {
      const Vec<3> x =
          place.topLeftCorner<3, 3>() * Vec<3>(points[i], points[i + 1], points[i + 2]) + place.topRightCorner<3, 1>();
      if (!x.allFinite()) {
        fail(owner, "", fmt::format("expected finite coordinates of point {}", i / 3));
        return false;
      }
      mesh_.vertices.push_back(x);
    }
    return true;
  }

  /// Returns how many corners or points each face or line has. Their sum must be `total`.
  std::optional<std::vector<int>> counts(const Properties& properties, const std::string& name,
                                         const std::string& owner, std::size_t total) {
    std::vector<int> result;
    double sum = 0.0;
    for (const double number : fixed_numbers(properties, name, owner)) {
      if (!(number >= 1.0 && number <= static_cast<double>(total)) || number != std::floor(number)) {
        fail(owner, fmt::format("{}", number), fmt::format("expected whole numbers from 1 on in `{}`", name));
        return {};
      }
      result.push_back(static_cast<int>(number));
      sum += number;
    }
    if (input_.has_failed()) return {};
    if (sum == static_cast<double>(total)) return result;
    fail(owner, fmt::format("{}", sum), fmt::format("expected numbers with the sum {} in `{}`", total, name));
    return {};
  }

  void add_faces(const Properties& properties, const std::string& owner, const Place& place, int first) {
    const double num_points = static_cast<double>(mesh_.vertices.size()) - first;
    std::vector<int> corners;
    for (const double number : fixed_numbers(properties, ".faceIndices", owner)) {
      if (!(number >= 0.0 && number < num_points) || number != std::floor(number)) {
        return fail(owner, fmt::format("{}", number),
                    fmt::format("expected numbers of points, 0 to {}, in `.faceIndices`", num_points - 1.0));
      }
      corners.push_back(first + static_cast<int>(number));
    }
    const auto sizes = counts(properties, ".faceCounts", owner, corners.size());
    if (!sizes) return;
    std::vector<double> holes = fixed_numbers(properties, ".holes", owner);
    std::sort(holes.begin(), holes.end());
    // Seen from outside, corners of the format go round clockwise.
    const bool is_turned = place.topLeftCorner<3, 3>().determinant() > 0.0;
    auto at = corners.begin();
    for (std::size_t face = 0; face < sizes->size(); ++face) {
      std::vector<int> polygon(at, at + (*sizes)[face]);
      at += (*sizes)[face];
      if (std::binary_search(holes.begin(), holes.end(), static_cast<double>(face))) continue;
      if (is_turned) std::reverse(polygon.begin(), polygon.end());
      add_polygon(polygon, mesh_);
    }
  }

  void add_curves(const Properties& properties, const std::string& owner, int first) {
    // Type (1: straight lines), whether they are closed, and basis.
    const std::vector<double> types = fixed_numbers(properties, "curveBasisAndType", owner);
    if (input_.has_failed()) return;
    if (types.size() != 4 || types[0] != 1.0) return fail(owner, "curveBasisAndType", "expected linear curves");
    const auto sizes = counts(properties, "nVertices", owner, mesh_.vertices.size() - static_cast<std::size_t>(first));
    if (!sizes) return;
    int at = first;
    for (const int size : *sizes) {
      for (int i = 0; i + 1 < size; ++i) mesh_.edges.push_back({at + i, at + i + 1});
      if (types[1] == 1.0 && size > 2) mesh_.edges.push_back({at + size - 1, at});
      at += size;
    }
  }

  MeshInput& input_;
  OgawaReader& archive_;
  std::string selected_;
  std::optional<double> time_;
  std::set<double>& times_;
  Mesh mesh_;
  bool inherits_ = true, has_found_ = false;
};

}  // namespace

MeshAt alembic_mesh_at(MeshInput& input, const std::string& object) {
  const auto archive = std::make_shared<OgawaReader>(input);
  return [&input, archive, object](std::optional<double> time, std::set<double>& times) {
    return AlembicMeshBuilder(input, *archive, object, time, times).build();
  };
}

}  // namespace clearance
