#include "clearance/io/ipc/ipc_script_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

constexpr double max_vertices = 2e7;
const std::string not_found = "found neither beside the script nor from any directory above it";
constexpr double degree = std::numbers::pi / 180.0;

bool is_tet_mesh(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".msh" || extension == ".ele";
}

bool is_codimensional(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".obj" || extension == ".seg" || extension == ".pt";
}

// Segments and points may be given by the .obj of the same name (read_mesh does it).
bool is_there(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return true;
  const bool may_be_obj = path.extension() == ".seg" || path.extension() == ".pt";
  return may_be_obj && fs::is_regular_file(fs::path(path).replace_extension(".obj"), error);
}

Issue at_line(int line, std::string message, std::string value = "") {
  return {"", fmt::format("line {}", line), std::move(value), std::move(message)};
}

// Removes rounding of products of rotations, such as 1e-16 instead of 0.
Mat<3> cleaned(Mat<3> rotation) {
  for (double& entry : rotation.reshaped()) {
    const double nearest = std::round(entry);
    if (std::abs(entry - nearest) <= 1e-15) entry = nearest + 0.0;
  }
  return rotation;
}

// Returns the angle [deg] of a point on the unit circle; right angles are exact.
double angle_degrees(double cosine, double sine) {
  const double angle = elementary::atan2(sine, cosine) / degree;
  const double right = 90.0 * std::round(angle / 90.0);
  return std::abs(angle - right) <= 1e-12 ? right + 0.0 : angle;
}

Mat<3> axis_turn(int axis, double degrees) {
  const auto [c, s] = cos_sin_degrees(degrees);
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  Mat<3> rotation = Mat<3>::Identity();
  rotation(a, a) = rotation(b, b) = c;
  rotation(a, b) = -s;
  rotation(b, a) = s;
  return rotation;
}

// `rotateModel` turns about half the extents, not about the middle of the box: the reference does so.
void rotate_model(const IpcScript& script, std::vector<PlacedShape>& shapes) {
  if (script.model_angle == 0.0) return;
  const Mat<3> turn = axis_rotation(script.model_axis.normalized(), script.model_angle);
  const Vec<3> center = 0.5 * box_of(shapes).extent();
  for (PlacedShape& shape : shapes) {
    shape.rotation = cleaned(turn * shape.rotation);
    shape.translation = turn * (shape.translation - center) + center;
  }
}

// `size`: the largest extent becomes s and the lower corner moves to the origin.
void resize_model(double size, std::vector<PlacedShape>& shapes) {
  if (!(size > 0.0) || shapes.empty()) return;
  const Box box = box_of(shapes);
  const double extent = box.extent().maxCoeff();
  if (!(extent > 0.0)) return;
  const double factor = size / extent;
  for (PlacedShape& shape : shapes) {
    shape.scale *= factor;
    shape.translation = factor * (shape.translation - box.min);
    if (shape.array) shape.array->spacing *= factor;
  }
}

}  // namespace

void Box::add(const Vec<3>& point) {
  min = min.cwiseMin(point);
  max = max.cwiseMax(point);
}

std::array<double, 2> cos_sin_degrees(double degrees) {
  const double turn = std::remainder(degrees, 360.0);
  if (turn == 0.0) return {1.0, 0.0};
  if (turn == 90.0) return {0.0, 1.0};
  if (turn == -90.0) return {0.0, -1.0};
  if (std::abs(turn) == 180.0) return {-1.0, 0.0};
  return {elementary::cos(turn * degree), elementary::sin(turn * degree)};
}

Mat<3> ipc_rotation(const Vec<3>& degrees) {
  return cleaned(axis_turn(0, degrees[0]) * axis_turn(1, degrees[1]) * axis_turn(2, degrees[2]));
}

Mat<3> axis_rotation(const Vec<3>& axis, double degrees) {
  const auto [c, s] = cos_sin_degrees(degrees);
  Mat<3> cross;
  cross << 0.0, -axis[2], axis[1], axis[2], 0.0, -axis[0], -axis[1], axis[0], 0.0;
  // This is Rodrigues' formula.
  return cleaned(Mat<3>::Identity() + s * cross + (1.0 - c) * cross * cross);
}

Vec<3> native_angles(const Mat<3>& r) {
  // In R = Rz Ry Rx, r20 is -sin(y), and the first column and last row hold the other two angles.
  const double cosine_y = elementary::hypot(r(0, 0), r(1, 0));
  const double y = angle_degrees(cosine_y, -r(2, 0));
  if (cosine_y > 1e-12) return {angle_degrees(r(2, 2), r(2, 1)), y, angle_degrees(r(0, 0), r(1, 0))};
  // y is a right angle: only x - z or x + z is determined; z = 0.
  return {angle_degrees(r(1, 1), -r(1, 2)), y, 0.0};
}

Vec<3> native_angular_velocity(const Vec<3>& degrees_per_second, double step) {
  const int num_axes = static_cast<int>((degrees_per_second.array() != 0.0).count());
  if (num_axes <= 1) return degrees_per_second;
  return rotation_vector(ipc_rotation(degrees_per_second * step)) / (degree * step);
}

long long num_copies(const ArrayDesc& array) {
  const double copies = 1.0 * array.counts[0] * array.counts[1] * array.counts[2];
  // The bound exceeds any scene and lies within the range of the type.
  return static_cast<long long>(std::min(copies, 1e15));
}

TransformDesc PlacedShape::transform() const {
  return {.scale = scale, .rotation = native_angles(rotation), .translation = translation};
}

Vertices PlacedShape::world_vertices() const {
  Vertices world;
  world.reserve(vertices->size());
  for (const Vec<3>& v : *vertices) world.push_back(rotation * scale.cwiseProduct(v) + translation);
  return world;
}

Box PlacedShape::box() const {
  Box box;
  for (const Vec<3>& v : world_vertices()) box.add(v);
  if (!array) return box;
  const Vec<3> last(array->spacing[0] * (array->counts[0] - 1), array->spacing[1] * (array->counts[1] - 1),
                    array->spacing[2] * (array->counts[2] - 1));
  box.min += last.cwiseMin(0.0);
  box.max += last.cwiseMax(0.0);
  return box;
}

std::string IpcMeshes::find(const std::string& written, int line, Issues& issues) const {
  if (written.empty()) return {};
  // A mesh without extension is a TetGen pair.
  const std::string path = fs::path(written).has_extension() ? written : written + ".ele";
  const std::string found = search(path, is_there);
  if (!found.empty()) return found;
  // Published scripts name folders of their authors' machine, although the mesh lies beside the script.
  const std::string moved = search(fs::path(path).filename().string(), is_there);
  Issue issue = at_line(line,
                        moved.empty() ? "the mesh file was " + not_found
                                      : "the mesh file does not exist; one with the same name is used: " + moved,
                        written);
  if (!moved.empty()) issue.severity = Severity::warning;
  issues.push_back(std::move(issue));
  return moved;
}

std::string IpcMeshes::find_folder(const std::string& written, int line, Issues& issues) const {
  if (written.empty()) return {};
  const auto is_folder = [](const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error);
  };
  const std::string found = search(written, is_folder);
  if (found.empty()) issues.push_back(at_line(line, "the folder was " + not_found, written));
  return found;
}

// Searches beside the script, then in each directory above it.
std::string IpcMeshes::search(const std::string& path, const std::function<bool(const fs::path&)>& is_found) const {
  std::error_code error;
  const fs::path directory = fs::absolute(script_, error).parent_path();
  if (is_found(directory / path)) return path;
  for (fs::path above = directory; above.has_relative_path();) {
    above = above.parent_path();
    if (is_found(above / path)) return (above / path).lexically_normal().string();
  }
  return {};
}

std::shared_ptr<const Vertices> IpcMeshes::read(const std::string& mesh, bool needs_tets, int line, Issues& issues) {
  std::error_code error;
  const fs::path path = fs::absolute(script_, error).parent_path() / mesh;
  const auto known = read_.find(path.string());
  if (known != read_.end()) return known->second;
  std::shared_ptr<const Vertices> vertices;
  Result<Mesh> result = read_mesh(path);
  if (!result) {
    issues.push_back(at_line(line, "the mesh cannot be read", mesh));
    issues.insert(issues.end(), result.issues().begin(), result.issues().end());
  } else if (result->vertices.empty()) {
    issues.push_back(at_line(line, "the mesh has no vertices", mesh));
  } else if (needs_tets && result->tets.empty()) {
    issues.push_back(at_line(line, "the mesh has no tetrahedra", mesh));
  } else {
    vertices = std::make_shared<const Vertices>(std::move(result->vertices));
  }
  read_.emplace(path.string(), vertices);
  return vertices;
}

std::vector<IpcShape> without_arrays(const std::vector<IpcShape>& shapes) {
  std::vector<IpcShape> single;
  for (const IpcShape& shape : shapes) {
    const ArrayDesc array = shape.array.value_or(ArrayDesc{});
    for (int i = 0; i < array.counts[0]; ++i) {
      for (int j = 0; j < array.counts[1]; ++j) {
        for (int k = 0; k < array.counts[2]; ++k) {
          single.push_back(shape);
          single.back().array.reset();
          single.back().translation += array.spacing.cwiseProduct(Vec<3>(i, j, k));
        }
      }
    }
  }
  return single;
}

std::vector<PlacedShape> place_shapes(const IpcScript& script, IpcMeshes& meshes, Issues& issues) {
  std::vector<PlacedShape> placed;
  for (const IpcShape& shape : script.shapes) {
    PlacedShape place;
    place.mesh = meshes.find(shape.path, shape.line, issues);
    if (place.mesh.empty()) continue;
    place.is_deformable = is_tet_mesh(place.mesh);
    if (!place.is_deformable && !is_codimensional(place.mesh)) {
      issues.push_back(at_line(shape.line, "unknown kind of mesh: expected .msh, .ele, .obj, .seg or .pt", shape.path));
      continue;
    }
    place.vertices = meshes.read(place.mesh, place.is_deformable, shape.line, issues);
    if (!place.vertices) continue;
    place.rotation = ipc_rotation(shape.rotation);
    place.scale = shape.scale;
    place.translation = shape.translation;
    place.array = shape.array;
    // Named scripts visit the vertices of all copies, so a bound keeps a typing error from taking minutes.
    const double num_vertices = static_cast<double>(place.vertices->size()) * static_cast<double>(place.num_copies());
    if (num_vertices > max_vertices) {
      issues.push_back(at_line(shape.line, fmt::format("too many copies: at most {:g} vertices in all", max_vertices),
                               fmt::format("{:g} vertices", num_vertices)));
      continue;
    }
    placed.push_back(std::move(place));
  }
  if (has_errors(issues)) return placed;
  rotate_model(script, placed);
  resize_model(script.size, placed);
  return placed;
}

std::optional<PlacedShape> place_mesh_obstacle(const IpcMeshObstacle& obstacle, IpcMeshes& meshes, Issues& issues) {
  PlacedShape place;
  place.mesh = meshes.find(obstacle.path, obstacle.line, issues);
  if (place.mesh.empty()) return std::nullopt;
  place.vertices = meshes.read(place.mesh, false, obstacle.line, issues);
  if (!place.vertices) return std::nullopt;
  place.rotation = ipc_rotation(obstacle.rotation);
  const double extent = place.box().extent().maxCoeff();
  if (!(extent > 0.0)) {
    issues.push_back(at_line(obstacle.line, "the mesh has no extent", obstacle.path));
    return std::nullopt;
  }
  Vec<3> mean = Vec<3>::Zero();
  for (const Vec<3>& v : *place.vertices) mean += v;
  mean /= static_cast<double>(place.vertices->size());
  const double factor = obstacle.scale / extent;
  place.scale = Vec<3>::Constant(factor);
  place.translation = obstacle.origin - factor * (place.rotation * mean);
  return place;
}

Box box_of(const std::vector<PlacedShape>& shapes) {
  Box box;
  for (const PlacedShape& shape : shapes) {
    const Box own = shape.box();
    box.add(own.min);
    box.add(own.max);
  }
  return box;
}

}  // namespace clearance
