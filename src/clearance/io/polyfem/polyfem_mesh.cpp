#include "clearance/io/polyfem/polyfem_mesh.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/geometry/boundary_descriptions.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/refine.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/polyfem/polyfem_files.h"
#include "clearance/math/rotation.h"

namespace clearance {
namespace {

// A larger number would mean millions of elements, and is a typing error.
constexpr int max_refinements = 8;

bool has_numbers(const Json& value) {
  return std::all_of(value.begin(), value.end(), [](const Json& entry) { return entry.is_number(); });
}

// Returns the rotation about several axes, one after the other, such as `xyz`; returns nothing after an issue.
std::optional<Mat<3>> rotation_about_axes(const ForeignObject& from, const std::string& mode, const Vec<3>& angles) {
  if (mode.empty() || mode.find_first_not_of("xyzXYZ") != std::string::npos) {
    from.error("rotation_mode", "expected axes such as `xyz`, `axis_angle`, `quaternion` or `rotation_vector`");
    return std::nullopt;
  }
  Mat<3> rotation = Mat<3>::Identity();
  for (const char name : mode) {
    const auto axis = static_cast<Eigen::Index>((name | 32) - 'x');
    Vec<3> angle = Vec<3>::Zero();
    angle[axis] = angles[axis];
    rotation = rotation_from_euler_xyz(angle) * rotation;
  }
  return rotation;
}

// Returns the rotation of an axis and an angle or of a quaternion; returns nothing after an issue.
std::optional<Mat<3>> rotation_of_four(const ForeignObject& from, const std::string& mode,
                                       const std::vector<double>& numbers) {
  const Vec<3> last(numbers[1], numbers[2], numbers[3]);
  if (mode == "quaternion") {
    // The scalar part comes last.
    const Eigen::Quaterniond q(numbers[3], numbers[0], numbers[1], numbers[2]);
    if (q.norm() > 0.0) return Mat<3>(q.normalized().toRotationMatrix());
  } else if (last.norm() > 0.0) {
    return rotation_from_vector(numbers[0] * radians_per_degree * last.normalized());
  }
  from.error("rotation", "must not be zero");
  return std::nullopt;
}

// Returns no numbers after an issue.
std::vector<double> rotation_numbers(const ForeignObject& from, const Json& value) {
  std::vector<double> numbers;
  if (value.is_number()) {
    numbers = {value.get<double>()};
  } else if (value.is_array() && has_numbers(value)) {
    numbers = value.get<std::vector<double>>();
  } else {
    from.error("rotation", "expected an angle in degrees or a list of numbers");
  }
  return numbers;
}

// Reads a rotation, in any of PolyFEM's modes, as a matrix; returns nothing after an issue.
std::optional<Mat<3>> read_rotation(const ForeignObject& from, int dim) {
  const Json* value = from.find("rotation");
  if (value == nullptr || (value->is_array() && value->empty())) return Mat<3>(Mat<3>::Identity());
  const std::string mode = from.word("rotation_mode", "xyz");
  const std::vector<double> numbers = rotation_numbers(from, *value);
  if (numbers.empty()) return std::nullopt;
  if (dim == 2) return rotation_from_euler_xyz({0.0, 0.0, numbers.size() == 3 ? numbers[2] : numbers[0]});
  const auto has = [&](std::size_t count) {
    if (numbers.size() == count) return true;
    from.error("rotation",
               fmt::format("expected {} numbers for rotation_mode {}, not {}", count, mode, numbers.size()));
    return false;
  };
  if (mode == "axis_angle" || mode == "quaternion") {
    if (!has(4)) return std::nullopt;
    return rotation_of_four(from, mode, numbers);
  }
  if (!has(3)) return std::nullopt;
  const Vec<3> angles(numbers[0], numbers[1], numbers[2]);
  if (mode == "rotation_vector") return rotation_from_vector(radians_per_degree * angles);
  return rotation_about_axes(from, mode, angles);
}

Vec<3> read_scale(const ForeignObject& from, int dim, const BoundingBox& box) {
  if (from.has("dimensions") && from.find("dimensions")->is_array() && !from.find("dimensions")->empty()) {
    Vec<3> scale = polyfem_vector(from, "dimensions", dim, Vec<3>::Zero());
    for (int c = 0; c < dim; ++c) scale[c] /= box.size()[c] > 0.0 ? box.size()[c] : 1.0;
    if (dim == 2) scale[2] = 1.0;
    return scale;
  }
  const Json* value = from.find("scale");
  if (value != nullptr && value->is_number()) {
    const double scale = from.number("scale", 1.0);
    return {scale, scale, dim == 3 ? scale : 1.0};
  }
  if (value == nullptr || (value->is_array() && value->empty())) return Vec<3>::Ones();
  Vec<3> scale = polyfem_vector(from, "scale", dim, Vec<3>::Zero());
  if (dim == 2) scale[2] = 1.0;
  return scale;
}

// Reads the transform x = R (scale x) + translation, about the origin of the mesh. An axis without extent that is
// scaled by 0 is moved instead.
std::optional<TransformDesc> read_transform(const ForeignObject& entry, int dim, const BoundingBox& box) {
  static const std::vector<std::string_view> known = {"translation", "rotation", "rotation_mode", "scale",
                                                      "dimensions"};
  std::vector<std::string> reported;
  const ForeignObject from = entry.child("transformation");
  from.warn_of_unknown_keys(known, reported);
  TransformDesc transform;
  transform.scale = read_scale(from, dim, box);
  const std::optional<Mat<3>> rotation = read_rotation(from, dim);
  if (!rotation) return std::nullopt;
  Vec<3> flattened = Vec<3>::Zero();
  for (int c = 0; c < dim; ++c) {
    if (transform.scale[c] != 0.0) continue;
    if (box.size()[c] > 0.0) {
      from.error(from.has("dimensions") ? "dimensions" : "scale", "this transformation flattens the mesh");
      return std::nullopt;
    }
    transform.scale[c] = 1.0;
    flattened[c] = -box.min[c];
  }
  // The angles are kept unchanged where they have the same meaning.
  const std::string mode = from.word("rotation_mode", "xyz");
  const Vec<3> angles = mode == "xyz" && dim == 3 ? polyfem_vector(from, "rotation", dim, Vec<3>::Zero())
                                                  : euler_xyz_from_rotation(*rotation);
  transform.rotation = dim == 2 ? Vec<3>(0.0, 0.0, angles[2]) : angles;
  transform.translation = polyfem_vector(from, "translation", dim, Vec<3>::Zero()) + *rotation * flattened;
  return transform;
}

// Reads a grid of copies. Spacings may be relative to the size of the mesh.
std::optional<ArrayDesc> read_array(const ForeignObject& entry, int dim, const BoundingBox& placed) {
  const ForeignObject from = entry.child("array");
  ArrayDesc array;
  array.spacing = Vec<3>::Constant(from.number("offset", 1.0));
  if (from.flag("relative", false)) array.spacing = array.spacing.cwiseProduct(placed.size());
  const Json* size = from.find("size");
  const bool is_list = size != nullptr && size->is_array() && std::ssize(*size) == dim &&
                       std::all_of(size->begin(), size->end(), [](const Json& n) {
                         return n.is_number_integer() && n.get<double>() >= 1.0 && n.get<double>() <= 1e6;
                       });
  if (!is_list) {
    from.error("size", fmt::format("expected {} numbers of copies, each at least 1", dim));
    return std::nullopt;
  }
  for (std::size_t c = 0; c < size->size(); ++c) array.counts[c] = (*size)[c].get<int>();
  for (Eigen::Index c = 0; c < 3; ++c) {
    if (!(std::abs(array.spacing[c]) > 0.0)) array.spacing[c] = 1.0;  // of a single copy, or reported by the scene
  }
  return array;
}

// Flips the elements if all of them are inverted. Bodies flip such elements anyway, and the order of their corners
// determines the numbers of the nodes that a higher order adds.
void turn_inverted_elements(Mesh& mesh) {
  const ElementDefects defects = find_element_defects(mesh);
  const std::size_t num_inverted = mesh.dim == 3 ? defects.inverted_tets.size() : defects.inverted_triangles.size();
  if (num_inverted != mesh.num_solid_cells()) return;
  for (std::size_t cell = 0; cell < num_inverted; ++cell) flip_cell(mesh, cell);
}

}  // namespace

void move_mesh(const TransformDesc& transform, Mesh& mesh) {
  const Mat<3> rotation = rotation_from_euler_xyz(transform.rotation);
  for (Vec<3>& v : mesh.vertices) v = rotation * transform.scale.cwiseProduct(v) + transform.translation;
}

namespace {

/// Faces by their corners, sorted; in 2D the third is -1.
using FaceWithCorners = std::map<std::array<int, 3>, std::size_t>;

std::array<int, 3> key_of(std::size_t dim, const int* corners, std::size_t without) {
  std::array<int, 3> key = {-1, -1, -1};
  for (std::size_t c = 0, k = 0; k < dim; ++c) {
    if (c != without) key[k++] = corners[c];
  }
  std::sort(key.begin(), key.end());
  return key;
}

/// Finds the cell of each face, and the nodes of the cell in it.
template <class Cells>
void find_cells_of_faces(const Mesh& mesh, const Cells& cells, const FaceWithCorners& face_with,
                         std::vector<PolyfemFace>& faces) {
  const std::size_t dim = mesh.dim;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const std::span<const int> nodes = mesh.nodes_of_cell(cell);
    for (std::size_t opposite = 0; opposite <= dim; ++opposite) {
      const auto found = face_with.find(key_of(dim, cells[cell].data(), opposite));
      if (found == face_with.end()) continue;
      PolyfemFace& face = faces[found->second];
      face.cell = cell;
      face.opposite = opposite;
      for (std::size_t a = dim + 1; a < nodes.size(); ++a) {
        if (lagrange_nodes(mesh.dim, mesh.order_of_cell(cell))[a][opposite] == 0) face.nodes.push_back(nodes[a]);
      }
    }
  }
}

}  // namespace

std::vector<PolyfemFace> boundary_faces(const Mesh& mesh) {
  const std::size_t dim = mesh.dim;
  std::vector<PolyfemFace> faces;
  FaceWithCorners face_with;
  const auto take = [&](const auto& by_corners) {
    for (const auto& corners : by_corners) {
      face_with.emplace(key_of(dim, corners.data(), dim), faces.size());
      faces.emplace_back().nodes.assign(corners.begin(), corners.end());
    }
  };
  if (mesh.dim == 3) {
    take(boundary_triangles(mesh.tets));
    find_cells_of_faces(mesh, mesh.tets, face_with, faces);
  } else {
    take(boundary_edges(mesh.triangles));
    find_cells_of_faces(mesh, mesh.triangles, face_with, faces);
  }
  return faces;
}

std::vector<PolyfemMesh> copies_of(const PolyfemMesh& mesh) {
  if (!mesh.array) return {mesh};
  std::vector<PolyfemMesh> copies;
  BoundingBox box;
  const auto& [counts, spacing] = *mesh.array;
  for (int i = 0; i < counts[0]; ++i) {
    for (int j = 0; j < counts[1]; ++j) {
      for (int k = 0; k < counts[2]; ++k) {
        PolyfemMesh& copy = copies.emplace_back(mesh);
        const Vec<3> offset = Vec<3>(i, j, k).cwiseProduct(spacing);
        copy.array.reset();
        copy.transform.translation += offset;
        for (Vec<3>& v : copy.placed.vertices) v += offset;
        box.extend(mesh.box.min + offset);
        box.extend(mesh.box.max + offset);
      }
    }
  }
  for (PolyfemMesh& copy : copies) copy.box = box;
  return copies;
}

bool is_disabled(const ForeignObject& entry) {
  return !entry.flag("enabled", true);
}

Vec<3> polyfem_vector(const ForeignObject& from, const char* key, int dim, const Vec<3>& usual) {
  const Json* value = from.find(key);
  if (value == nullptr || (value->is_array() && value->empty())) return usual;
  Vec<3> vector = usual;
  if (value->is_number()) {
    vector[0] = from.number(key, usual[0]);
    return vector;
  }
  if (!value->is_array() || !has_numbers(*value)) {
    from.error(key, fmt::format("expected up to {} numbers", dim));
    return usual;
  }
  for (std::size_t c = 0; c < std::min<std::size_t>(value->size(), dim); ++c) {
    vector[static_cast<Eigen::Index>(c)] = (*value)[c].get<double>();
  }
  return vector;
}

std::shared_ptr<const Mesh> PolyfemMeshes::load(const ForeignObject& entry, const char* key, const std::string& name,
                                                int dim, std::string& path) {
  const auto [found, is_new] = loaded_.try_emplace({name, dim}, nullptr);
  path = find_polyfem_file(name, scene_, root_);
  if (!is_new) return found->second;
  if (path.empty()) {
    entry.error(
        key, "the mesh file does not exist; looked for " + (scene_.parent_path() / name).lexically_normal().string());
    return nullptr;
  }
  Result<Mesh> mesh = read_mesh(scene_.parent_path() / path, {.dim = dim});
  for (const Issue& issue : mesh.issues()) {
    const std::string at = issue.place.empty() ? "" : " at " + issue.place;
    const std::string value = issue.value.empty() ? "" : " (got " + issue.value + ")";
    entry.error(key, fmt::format("the mesh cannot be read{}: {}{}", at, issue.message, value));
  }
  if (mesh) found->second = std::make_shared<const Mesh>(std::move(mesh).value());
  return found->second;
}

std::vector<std::string> PolyfemMeshes::find_sequence(const ForeignObject& entry) const {
  const Json* value = entry.find("mesh_sequence");
  std::vector<std::string> files;
  if (value != nullptr && value->is_array()) {
    for (std::size_t i = 0; i < value->size(); ++i) {
      const Json& name = (*value)[i];
      const std::string path = name.is_string() ? find_polyfem_file(name.get<std::string>(), scene_, root_) : "";
      if (path.empty()) {
        entry.error("mesh_sequence",
                    fmt::format("entry {}: the mesh file does not exist (got {})", i, brief_text(name)));
        return {};
      }
      files.push_back(path);
    }
  } else if (value != nullptr && value->is_string()) {
    files = find_polyfem_files(value->get<std::string>(), scene_, root_);
  }
  if (files.empty()) {
    entry.error("mesh_sequence",
                "expected a folder of mesh files, a pattern such as `frames/*.obj`, or a list of files");
  }
  return files;
}

int PolyfemMeshes::find_dimension(const std::vector<ForeignObject>& geometry) {
  for (const ForeignObject& entry : geometry) {
    if (is_disabled(entry) || entry.flag("is_obstacle", false)) continue;
    const std::string name = entry.word("mesh", "");
    std::string path;
    const auto mesh = name.empty() ? nullptr : load(entry, "mesh", name, 3, path);
    if (mesh == nullptr) return 3;
    const bool is_flat =
        std::all_of(mesh->vertices.begin(), mesh->vertices.end(), [](const Vec<3>& v) { return v[2] == 0.0; });
    return mesh->tets.empty() && is_flat ? 2 : 3;
  }
  return 3;
}

std::optional<PolyfemMesh> PolyfemMeshes::read(const ForeignObject& entry, int dim) {
  PolyfemMesh read;
  const bool is_sequence = entry.word("type", "mesh") == "mesh_sequence";
  if (is_sequence) read.sequence = find_sequence(entry);
  if (!is_sequence && entry.word("mesh", "").empty()) {
    if (!entry.has("mesh")) entry.error("mesh", "expected the path of a mesh");
    return std::nullopt;
  }
  if (is_sequence && read.sequence.empty()) return std::nullopt;
  const char* key = is_sequence ? "mesh_sequence" : "mesh";
  const auto mesh = load(entry, key, is_sequence ? read.sequence.front() : entry.word("mesh", ""), dim, read.path);
  const int refinements = entry.integer("n_refs", 0);
  if (refinements < 0 || refinements > max_refinements) {
    entry.error("n_refs", fmt::format("must be between 0 and {}", max_refinements));
    return std::nullopt;
  }
  if (mesh == nullptr) return std::nullopt;
  const std::optional<TransformDesc> transform = read_transform(entry, dim, bounding_box_of_elements(*mesh));
  if (!transform) return std::nullopt;
  read.transform = *transform;
  read.refinements = refinements;
  read.placed = *mesh;
  read.placed.dim = dim;
  read.num_coarse_elements = dim == 3 ? mesh->tets.size() : mesh->triangles.size();
  if (refinements > 0 && mesh->has_curved_cells()) {
    entry.error("n_refs", "the mesh has curved elements, but only linear elements can be refined");
    return std::nullopt;
  }
  if (!entry.flag("is_obstacle", false)) turn_inverted_elements(read.placed);
  for (int i = 0; i < refinements; ++i) read.placed = refine_uniformly(read.placed);
  move_mesh(read.transform, read.placed);
  read.box = bounding_box_of_elements(read.placed);
  if (entry.word("type", "mesh") == "mesh_array") {
    read.array = read_array(entry, dim, read.box);
    if (!read.array) return std::nullopt;
  }
  return read;
}

}  // namespace clearance
