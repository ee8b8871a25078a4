// Meshes of USD's text form, in metres and with y upwards.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/stage_shapes.h"
#include "clearance/io/mesh/usd_text.h"
#include "clearance/math/rotation.h"

namespace clearance {
namespace {

using Place = Eigen::Matrix4d;  // x_world = place * x

/// Adds the shapes of prims to a mesh, at a code of time or, without one, with their default values.
class UsdMeshBuilder {
 public:
  UsdMeshBuilder(MeshInput& input, const UsdStage& stage, std::string selected, std::optional<double> code)
      : input_(input), selected_(std::move(selected)), code_(code) {
    root_ = Place::Identity() * stage.metres_per_unit;
    root_(3, 3) = 1.0;
    if (stage.is_z_up) root_.topLeftCorner<3, 3>() *= rotation_from_euler_xyz({-90.0, 0.0, 0.0});
  }

  void add_all(const UsdStage& stage, Mesh& mesh) {
    for (const UsdPrim& prim : stage.prims) add(prim, root_, mesh);
    if (input_.has_failed() || has_found_) return;
    if (selected_.empty())
      input_.add_issue("", "", "expected a prim of type Mesh, TetMesh, BasisCurves or Points");
    else
      input_.add_issue("", selected_, "expected the path of a prim with a Mesh, TetMesh, BasisCurves or Points");
  }

  /// Codes of time of all samples that shapes depend on.
  const std::set<double>& codes() const { return codes_; }

 private:
  bool is_selected(const std::string& path) const {
    return selected_.empty() || path == selected_ || path.starts_with(selected_ + "/");
  }

  std::vector<double> numbers(const UsdPrim& prim, const std::string& name) {
    const UsdAttribute* attribute = prim.find(name);
    if (attribute == nullptr) return {};
    for (const auto& [code, value] : attribute->samples) codes_.insert(code);
    return attribute->numbers_at(code_);
  }

  void fail(const UsdPrim& prim, const std::string& name, std::string_view value, std::string message) {
    const UsdAttribute* attribute = prim.find(name);
    input_.add_issue_at_line(attribute == nullptr ? prim.position : attribute->position, value,
                             fmt::format("{}.{}: {}", prim.path, name, message));
  }

  void add(const UsdPrim& prim, const Place& parent, Mesh& mesh) {
    const UsdAttribute* visibility = prim.find("visibility");
    if (input_.is_full() || (visibility != nullptr && visibility->word() == "invisible")) return;
    // Places above a selected prim count, too; those of others would only add times.
    if (!is_selected(prim.path) && !selected_.starts_with(prim.path + "/")) return;
    const std::optional<Place> local = place_of(prim);
    if (!local) return;
    const Place place = (resets_ ? root_ : parent) * *local;
    if (is_selected(prim.path)) add_shape(prim, place, mesh);
    for (const UsdPrim& child : prim.children) add(child, place, mesh);
  }

  /// Returns where a prim is beside its parent: the product of its operations, of which the last acts first.
  std::optional<Place> place_of(const UsdPrim& prim) {
    Place place = Place::Identity();
    resets_ = false;
    const UsdAttribute* order = prim.find("xformOpOrder");
    if (order == nullptr || !order->value) return place;
    for (std::string name : order->value->words) {
      if (name == "!resetXformStack!") {
        resets_ = true;
        place = Place::Identity();
        continue;
      }
      const bool is_inverse = name.starts_with("!invert!");
      if (is_inverse) name.erase(0, std::string_view("!invert!").size());
      const std::optional<Place> operation = operation_of(prim, name);
      if (!operation) return {};
      place = place * (is_inverse ? Place(operation->inverse()) : *operation);
    }
    if (!place.allFinite()) {
      fail(prim, "xformOpOrder", "", "expected operations with finite numbers that can be undone where they are");
      return {};
    }
    return place;
  }

  std::optional<Place> operation_of(const UsdPrim& prim, const std::string& name) {
    // xformOp:KIND or xformOp:KIND:SUFFIX
    const std::size_t begin = name.find(':') + 1;
    const std::string kind = name.substr(begin, name.find(':', begin) - begin);
    const std::vector<double> values = numbers(prim, name);
    Place place = Place::Identity();
    const auto needs = [&](std::size_t count) {
      if (values.size() != count)
        fail(prim, name, fmt::format("{} numbers", values.size()), fmt::format("expected {}", count));
      return values.size() == count;
    };
    if (kind == "transform") {
      if (!needs(16)) return {};
      // The format multiplies rows from the right.
      for (int i = 0; i < 16; ++i) place(i % 4, i / 4) = values[i];
    } else if (kind == "translate") {
      if (!needs(3)) return {};
      place.topRightCorner<3, 1>() = Vec<3>(values[0], values[1], values[2]);
    } else if (kind == "scale") {
      if (!needs(3)) return {};
      place.diagonal().head<3>() = Vec<3>(values[0], values[1], values[2]);
    } else if (kind == "orient") {
      if (!needs(4)) return {};
      place.topLeftCorner<3, 3>() =
          Eigen::Quaterniond(values[0], values[1], values[2], values[3]).normalized().toRotationMatrix();
    } else if (kind.starts_with("rotate") && kind.find_first_not_of("XYZ", 6) == std::string::npos && kind.size() > 6) {
      // The first axis of the name turns first.
      const std::string axes = kind.substr(6);
      if (!needs(axes.size())) return {};
      Mat<3> turn = Mat<3>::Identity();
      for (const char axis : axes) {
        Vec<3> degrees = Vec<3>::Zero();
        degrees[axis - 'X'] = values[axes.size() == 1 ? 0 : axis - 'X'];
        turn = rotation_from_euler_xyz(degrees) * turn;
      }
      place.topLeftCorner<3, 3>() = turn;
    } else {
      fail(prim, "xformOpOrder", name, "expected transform, translate, scale, orient, rotateX, ..., rotateXYZ, ...");
      return {};
    }
    return place;
  }

  void add_shape(const UsdPrim& prim, const Place& place, Mesh& mesh) {
    const std::string& type = prim.type;
    if (type == "Mesh" || type == "TetMesh" || type == "BasisCurves" || type == "Points") {
      has_found_ = true;
      const int first = static_cast<int>(mesh.vertices.size());
      const ShapeBegin begin(mesh);
      if (!add_points(prim, place, mesh)) return;
      if (type == "Mesh") add_faces(prim, place, first, mesh);
      if (type == "TetMesh") add_tets(prim, first, mesh);
      if (type == "BasisCurves") add_curves(prim, first, mesh);
      if (type == "Points") {
        for (int v = first; v < static_cast<int>(mesh.vertices.size()); ++v) mesh.points.push_back(v);
      }
      begin.add_groups(prim.path, mesh);
      return;
    }
    for (const char* shape : {"Cube", "Sphere", "Cylinder", "Cylinder_1", "Capsule", "Capsule_1", "Cone", "Plane",
                              "NurbsPatch", "NurbsCurves", "HermiteCurves", "PointInstancer"}) {
      if (type != shape) continue;
      input_.add_issue_at_line(prim.position, type,
                               fmt::format("{}: expected Mesh, TetMesh, BasisCurves or Points; make a mesh of it, hide "
                                           "it, or select a prim with `file.usda</path>`",
                                           prim.path));
    }
  }

  bool add_points(const UsdPrim& prim, const Place& place, Mesh& mesh) {
    const std::vector<double> points = numbers(prim, "points");
    if (points.empty() || points.size() % 3 != 0) {
      fail(prim, "points", fmt::format("{} numbers", points.size()), "expected three numbers a point");
      return false;
    }
    for (std::size_t i = 0; i < points.size(); i += 3) {
      const Vec<3> x =
          place.topLeftCorner<3, 3>() * Vec<3>(points[i], points[i + 1], points[i + 2]) + place.topRightCorner<3, 1>();
      if (!x.allFinite()) {
        fail(prim, "points", "", fmt::format("expected finite coordinates of point {}", i / 3));
        return false;
      }
      mesh.vertices.push_back(x);
    }
    return true;
  }

  /// Returns the indices of an attribute as vertices of the mesh; nothing if one is out of range.
  std::optional<std::vector<int>> vertices(const UsdPrim& prim, const std::string& name, int first,
                                           std::size_t num_vertices) {
    std::vector<int> result;
    const double count = static_cast<double>(num_vertices) - first;
    for (const double number : numbers(prim, name)) {
      if (number != std::floor(number) || number < 0.0 || number >= count) {
        fail(prim, name, fmt::format("{}", number), fmt::format("expected indices of points, 0 to {}", count - 1));
        return {};
      }
      result.push_back(first + static_cast<int>(number));
    }
    return result;
  }

  /// Reads how many indices each face or curve has. Their sum must be `total`.
  std::optional<std::vector<int>> counts(const UsdPrim& prim, const std::string& name, int smallest,
                                         std::size_t total) {
    std::vector<int> result;
    double sum = 0.0;
    for (const double number : numbers(prim, name)) {
      if (number != std::floor(number) || number < smallest || number > static_cast<double>(total)) {
        fail(prim, name, fmt::format("{}", number), fmt::format("expected whole numbers from {} on", smallest));
        return {};
      }
      result.push_back(static_cast<int>(number));
      sum += number;
    }
    if (sum == static_cast<double>(total)) return result;
    fail(prim, name, fmt::format("{}", sum), fmt::format("expected counts with the sum {}", total));
    return {};
  }

  bool is_left_handed(const UsdPrim& prim) const {
    const UsdAttribute* orientation = prim.find("orientation");
    return orientation != nullptr && orientation->word() == "leftHanded";
  }

  void add_faces(const UsdPrim& prim, const Place& place, int first, Mesh& mesh) {
    const auto corners = vertices(prim, "faceVertexIndices", first, mesh.vertices.size());
    if (!corners) return;
    const auto sizes = counts(prim, "faceVertexCounts", 3, corners->size());
    if (!sizes) return;
    const std::vector<double> holes = numbers(prim, "holeIndices");
    const bool is_turned = is_left_handed(prim) != (place.topLeftCorner<3, 3>().determinant() < 0.0);
    std::size_t at = 0;
    for (std::size_t face = 0; face < sizes->size(); ++face) {
      std::vector<int> polygon(corners->begin() + static_cast<long>(at),
                               corners->begin() + static_cast<long>(at) + (*sizes)[face]);
      at += static_cast<std::size_t>((*sizes)[face]);
      if (std::find(holes.begin(), holes.end(), static_cast<double>(face)) != holes.end()) continue;
      if (is_turned) std::reverse(polygon.begin(), polygon.end());
      add_polygon(polygon, mesh);
    }
  }

  void add_tets(const UsdPrim& prim, int first, Mesh& mesh) {
    const auto corners = vertices(prim, "tetVertexIndices", first, mesh.vertices.size());
    if (!corners) return;
    if (corners->empty() || corners->size() % 4 != 0) {
      return fail(prim, "tetVertexIndices", fmt::format("{} numbers", corners->size()),
                  "expected four indices a tetrahedron");
    }
    // Left-handed ones, and those of a mirrored prim, are inverted, which bodies report; here they are turned.
    for (std::size_t i = 0; i < corners->size(); i += 4) {
      std::array<int, 4> tet = {(*corners)[i], (*corners)[i + 1], (*corners)[i + 2], (*corners)[i + 3]};
      const Vec<3>& origin = mesh.vertices[tet[0]];
      const Vec<3> a = mesh.vertices[tet[1]] - origin, b = mesh.vertices[tet[2]] - origin,
                   c = mesh.vertices[tet[3]] - origin;
      if (a.cross(b).dot(c) < 0.0) std::swap(tet[2], tet[3]);
      mesh.tets.push_back(tet);
    }
  }

  void add_curves(const UsdPrim& prim, int first, Mesh& mesh) {
    const UsdAttribute* type = prim.find("type");
    if (type == nullptr || type->word() != "linear") {
      return fail(prim, "type", type == nullptr ? "cubic" : type->word(), "expected linear curves");
    }
    const auto sizes = counts(prim, "curveVertexCounts", 2, mesh.vertices.size() - static_cast<std::size_t>(first));
    if (!sizes) return;
    const UsdAttribute* wrap = prim.find("wrap");
    int at = first;
    for (const int size : *sizes) {
      for (int i = 0; i + 1 < size; ++i) mesh.edges.push_back({at + i, at + i + 1});
      if (wrap != nullptr && wrap->word() == "periodic" && size > 2) mesh.edges.push_back({at + size - 1, at});
      at += size;
    }
  }

  MeshInput& input_;
  std::string selected_;
  std::optional<double> code_;
  Place root_;
  bool resets_ = false, has_found_ = false;
  std::set<double> codes_;
};

}  // namespace

MeshAt usd_mesh_at(MeshInput& input, const std::string& prim) {
  const auto stage = std::make_shared<const UsdStage>(read_usd_text(input));
  return [&input, stage, prim](std::optional<double> code, std::set<double>& codes) {
    Mesh mesh;
    UsdMeshBuilder builder(input, *stage, prim, code);
    builder.add_all(*stage, mesh);
    codes.insert(builder.codes().begin(), builder.codes().end());
    return mesh;
  };
}

}  // namespace clearance
