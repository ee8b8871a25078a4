#include "clearance/io/polyfem/polyfem_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace clearance {
namespace {

using Inside = std::function<bool(const Vec<3>&)>;
// Function that returns the number of a point; no_id if the point is not selected.
using Selector = std::function<int(const Vec<3>&)>;

Selector select(int id, Inside is_inside) {
  return [id, is_inside = std::move(is_inside)](const Vec<3>& p) { return is_inside(p) ? id : no_id; };
}

// Reads the name or number of an axis: 1 and "x" upwards, -1 and "-x" downwards; 0 after an issue.
int read_axis(const ForeignObject& from, int dim) {
  const Json& value = *from.find("axis");
  int axis = 0;
  if (value.is_number_integer()) axis = value.get<int>();
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    const bool is_negative = text.starts_with('-');
    const std::string name = text.substr(is_negative || text.starts_with('+') ? 1 : 0);
    if (name.size() == 1 && name[0] >= 'x' && name[0] <= 'z') axis = (name[0] - 'x' + 1) * (is_negative ? -1 : 1);
  }
  if (axis != 0 && std::abs(axis) <= dim) return axis;
  from.error("axis", fmt::format("expected an axis, 1 to {} or -1 to -{}, or a name such as `x` or `-x`", dim, dim));
  return 0;
}

// A selector by `threshold`: it selects everything, and numbers it by the side of the box on which it lies.
struct BoxSides {
  double threshold = 0.0;  ///< [m]
  int offset = 0;          ///< added to the number of the side
};

BoxSides read_box_sides(const ForeignObject& from) {
  static const std::vector<std::string_view> known = {"threshold", "id_offset"};
  std::vector<std::string> reported;
  from.warn_of_unknown_keys(known, reported);
  const double threshold = from.number("threshold", 0.0);
  // PolyFEM replaces a negative threshold by 1e-7.
  return {threshold < 0.0 ? 1e-7 : threshold, from.integer("id_offset", 0)};
}

// Returns the side of the box on which a point lies: 1 left, 2 bottom, 3 right, 4 top, 5 back, 6 front, 7 none. The
// sides are tested in this order.
int side_of_box(const Vec<3>& p, const BoundingBox& box, double threshold, int dim) {
  if (std::abs(p[0] - box.min[0]) < threshold) return 1;
  if (std::abs(p[1] - box.min[1]) < threshold) return 2;
  if (std::abs(p[0] - box.max[0]) < threshold) return 3;
  if (std::abs(p[1] - box.max[1]) < threshold) return 4;
  if (dim == 3 && std::abs(p[2] - box.min[2]) < threshold) return 5;
  if (dim == 3 && std::abs(p[2] - box.max[2]) < threshold) return 6;
  return 7;
}

class SelectorReader {
 public:
  SelectorReader(const BoundingBox& box, int dim) : box_(box), dim_(dim) {}

  /// Reads a selector. A selector without a shape selects nothing, after an issue.
  Selector read(const ForeignObject& from) const {
    static const std::vector<std::string_view> known = {"id",       "box",    "axis",   "position",
                                                        "relative", "center", "radius", "p1",
                                                        "p2",       "normal", "point",  "boundary_only"};
    std::vector<std::string> reported;
    const Selector nothing = [](const Vec<3>&) { return no_id; };
    if (from.has("file")) {
      from.error("file", "selections from files are not supported yet");
      return nothing;
    }
    if (from.has("threshold")) {
      const BoxSides sides = read_box_sides(from);
      return [sides, box = box_, dim = dim_](const Vec<3>& p) {
        return sides.offset + side_of_box(p, box, sides.threshold, dim);
      };
    }
    from.warn_of_unknown_keys(known, reported);
    if (!from.has("id")) from.error("id", "expected the number to give to the selection");
    Inside shape = read_shape(from);
    return shape ? select(from.integer("id", no_id), std::move(shape)) : nothing;
  }

 private:
  Inside read_shape(const ForeignObject& from) const {
    const bool is_relative = from.flag("relative", false);
    if (from.has("box")) return read_box(from, is_relative);
    if (from.has("axis")) {
      const int axis = read_axis(from, dim_);
      if (axis == 0) return {};
      const auto c = static_cast<Eigen::Index>(std::abs(axis) - 1);
      double position = from.number("position", 0.0);
      if (is_relative) position = box_.min[c] + position * box_.size()[c];
      return [=](const Vec<3>& p) { return axis > 0 ? p[c] >= position : p[c] <= position; };
    }
    if (from.has("p1") && from.has("p2")) {
      const Vec<3> p1 = corner(from, "p1", is_relative), p2 = corner(from, "p2", is_relative);
      const double height = (p2 - p1).norm(),
                   radius = from.number("radius", 0.0) * (is_relative ? box_.diagonal() : 1.0);
      const Vec<3> axis = height > 0.0 ? Vec<3>((p2 - p1) / height) : Vec<3>(Vec<3>::Zero());
      return [=](const Vec<3>& p) {
        const double along = (p - p1).dot(axis);
        return along >= 0.0 && along <= height && (p - p1 - along * axis).norm() <= radius;
      };
    }
    if (from.has("center")) {
      const Vec<3> center = corner(from, "center", is_relative);
      const double radius = from.number("radius", 0.0) * (is_relative ? box_.diagonal() : 1.0);
      return [=](const Vec<3>& p) { return (p - center).norm() <= radius; };
    }
    if (from.has("normal")) {
      const Vec<3> point = corner(from, "point", is_relative);
      const Vec<3> normal = polyfem_vector(from, "normal", dim_, Vec<3>::Zero());
      return [=](const Vec<3>& p) { return (p - point).dot(normal) >= 0.0; };
    }
    from.issues().push_back({"", from.place(), "", "expected a selection: box, axis, center, p1 and p2, or normal"});
    return {};
  }

  Inside read_box(const ForeignObject& from, bool is_relative) const {
    const Json& value = *from.find("box");
    Corners corners;
    bool is_good = value.is_array() && value.size() == 2;
    for (std::size_t k = 0; is_good && k < 2; ++k) {
      is_good = value[k].is_array() && std::ssize(value[k]) >= dim_ &&
                std::all_of(value[k].begin(), value[k].end(), [](const Json& n) { return n.is_number(); });
      if (!is_good) break;
      corners[k] = Vec<3>::Zero();
      for (int c = 0; c < dim_; ++c) corners[k][c] = value[k][c].get<double>();
      if (is_relative) corners[k] = box_.min + corners[k].cwiseProduct(box_.size());
    }
    if (!is_good) {
      from.error("box", fmt::format("expected two corners of {} numbers each", dim_));
      return {};
    }
    // PolyFEM sorts the corners.
    const Vec<3> low = corners[0].cwiseMin(corners[1]), high = corners[0].cwiseMax(corners[1]);
    return [=, dim = dim_](const Vec<3>& p) {
      for (int c = 0; c < dim; ++c) {
        if (!(p[c] >= low[c] && p[c] <= high[c])) return false;
      }
      return true;
    };
  }

  Vec<3> corner(const ForeignObject& from, const char* key, bool is_relative) const {
    const Vec<3> given = polyfem_vector(from, key, dim_, Vec<3>::Zero());
    return is_relative ? Vec<3>(box_.min + given.cwiseProduct(box_.size())) : given;
  }

  const BoundingBox& box_;
  int dim_;
};

// Returns the numbers of points by the selection at `key`. The first selector that has a point decides.
std::vector<int> number_points(const ForeignObject& entry, const char* key, const std::vector<Vec<3>>& points,
                               const BoundingBox& box, int dim) {
  std::vector<int> ids(points.size(), no_id);
  const Json* value = entry.find(key);
  if (value == nullptr) return ids;
  if (value->is_number()) {
    ids.assign(points.size(), entry.integer(key, 0));
    return ids;
  }
  if (value->is_string()) {
    entry.error(key, "selections from files are not supported yet");
    return ids;
  }
  std::vector<Selector> selectors;
  const SelectorReader reader(box, dim);
  if (value->is_object()) selectors.push_back(reader.read(entry.child(key)));
  for (std::size_t i = 0; value->is_array() && i < value->size(); ++i) {
    const std::string place = element_path(entry.place_of(key), i);
    const Json& element = (*value)[i];
    if (element.is_number_integer()) {
      selectors.push_back([id = element.get<int>()](const Vec<3>&) { return id; });
    } else {
      selectors.push_back(reader.read(ForeignObject(element, place, entry.issues())));
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const Selector& number_of : selectors) {
      ids[i] = number_of(points[i]);
      if (ids[i] != no_id) break;
    }
  }
  return ids;
}

// Returns the mean of the corners of each element, which are its first nodes.
template <class Elements>
std::vector<Vec<3>> middles(const Elements& elements, int num_corners, const std::vector<Vec<3>>& x) {
  std::vector<Vec<3>> points;
  points.reserve(elements.size());
  for (const auto& element : elements) {
    Vec<3> sum = Vec<3>::Zero();
    for (int k = 0; k < num_corners; ++k) sum += x[element[k]];
    points.push_back(sum / num_corners);
  }
  return points;
}

void read_faces(const ForeignObject& entry, const PolyfemMesh& mesh, PolyfemSelections& selections) {
  const Mesh& placed = mesh.placed;
  for (PolyfemFace& face : boundary_faces(placed)) selections.faces.push_back(std::move(face.nodes));
  const std::vector<Vec<3>> points = middles(selections.faces, placed.dim, placed.vertices);
  selections.face_ids = number_points(entry, "surface_selection", points, mesh.box, placed.dim);
}

void read_nodes(const ForeignObject& entry, const PolyfemMesh& mesh, PolyfemSelections& selections) {
  if (!entry.has("point_selection")) return;
  const Mesh& placed = mesh.placed;
  selections.node_ids = number_points(entry, "point_selection", placed.vertices, mesh.box, placed.dim);
  std::vector<char> is_on_boundary(placed.vertices.size(), 0);
  for (const std::vector<int>& face : selections.faces) {
    for (const int v : face) is_on_boundary[v] = 1;
  }
  for (std::size_t v = 0; v < is_on_boundary.size(); ++v) {
    if (!is_on_boundary[v]) selections.node_ids[v] = no_id;
  }
}

// Returns the number of parts of an element after refinement. The parts of one element follow each other.
std::size_t parts_of_element(const PolyfemMesh& mesh) {
  return std::size_t{1} << (mesh.placed.dim * mesh.refinements);
}

// Returns the middles of the elements before refinement. All parts of an element have the same volume, so the mean of
// their middles is its middle.
std::vector<Vec<3>> middles_of_coarse_elements(const PolyfemMesh& mesh) {
  const Mesh& placed = mesh.placed;
  const std::vector<Vec<3>> points =
      placed.dim == 3 ? middles(placed.tets, 4, placed.vertices) : middles(placed.triangles, 3, placed.vertices);
  const std::size_t num_parts = parts_of_element(mesh);
  std::vector<Vec<3>> coarse(mesh.num_coarse_elements, Vec<3>::Zero());
  for (std::size_t e = 0; e < points.size(); ++e) coarse[e / num_parts] += points[e] / static_cast<double>(num_parts);
  return coarse;
}

// Returns the numbers of the physical groups of the mesh file per element before refinements, 0 for elements without a
// group; one entry if all are the same. PolyFEM takes the first group of an element, which here is the one with the
// smallest number.
std::vector<int> stored_body_ids(const PolyfemMesh& mesh) {
  const Mesh& placed = mesh.placed;
  const std::size_t dim = placed.dim;
  const auto key_of = [&](const int* corners) {
    std::array<int, 4> key = {-1, -1, -1, -1};
    std::copy(corners, corners + dim + 1, key.begin());
    std::sort(key.begin(), key.end());
    return key;
  };
  std::map<std::array<int, 4>, int> id_of;
  for (const MeshGroup& group : placed.groups) {
    if (group.dim != placed.dim) continue;
    for (const std::array<int, 4>& element : group.elements) {
      const auto [found, is_new] = id_of.emplace(key_of(element.data()), group.number);
      if (!is_new) found->second = std::min(found->second, group.number);
    }
  }
  std::vector<int> ids(mesh.num_coarse_elements, 0);
  for (std::size_t e = 0; e < ids.size(); ++e) {
    const std::size_t part = e * parts_of_element(mesh);
    const auto found = id_of.find(key_of(dim == 3 ? placed.tets[part].data() : placed.triangles[part].data()));
    if (found != id_of.end()) ids[e] = found->second;
  }
  const bool is_uniform = std::adjacent_find(ids.begin(), ids.end(), std::not_equal_to<>()) == ids.end();
  if (is_uniform) ids.assign(1, ids.empty() ? 0 : ids.front());
  return ids;
}

}  // namespace

std::vector<int> read_body_ids(const ForeignObject& entry, const PolyfemMesh& mesh) {
  const Json* value = entry.find("volume_selection");
  if (value != nullptr && value->is_number()) return {entry.integer("volume_selection", 0)};
  // Elements outside of every selection keep the number from the file.
  std::vector<int> ids = stored_body_ids(mesh);
  if (value == nullptr || value->is_null()) return ids;
  if (value->is_object() && value->contains("id_offset") && value->size() == 1) {
    const int offset = entry.child("volume_selection").integer("id_offset", 0);
    for (int& id : ids) id += offset;
    return ids;
  }
  std::vector<int> selected =
      number_points(entry, "volume_selection", middles_of_coarse_elements(mesh), mesh.box, mesh.placed.dim);
  for (std::size_t e = 0; e < selected.size(); ++e) {
    if (selected[e] == no_id) selected[e] = ids[ids.size() == 1 ? 0 : e];
  }
  return selected;
}

PolyfemSelections read_selections(const ForeignObject& entry, const PolyfemMesh& mesh, std::vector<int> body_ids) {
  PolyfemSelections selections;
  read_faces(entry, mesh, selections);
  read_nodes(entry, mesh, selections);
  selections.body_ids = std::move(body_ids);
  return selections;
}

int read_obstacle_id(const ForeignObject& entry) {
  const Json* value = entry.find("surface_selection");
  if (value == nullptr) return 0;
  if (value->is_number()) return entry.integer("surface_selection", 0);
  entry.error("surface_selection", "expected one number, for the whole surface of the obstacle");
  return 0;
}

bool read_ids(const ForeignObject& from, std::vector<int>& ids, bool& is_any, int usual) {
  const Json* value = from.find("id");
  is_any = false;
  if (value == nullptr && usual != no_id) {
    ids = {usual};
    return true;
  }
  if (value != nullptr && *value == Json("all")) {
    is_any = true;
    return true;
  }
  const bool is_list = value != nullptr && value->is_array() && !value->empty() &&
                       std::all_of(value->begin(), value->end(), [](const Json& id) { return id.is_number_integer(); });
  if (is_list) {
    ids = value->get<std::vector<int>>();
    return true;
  }
  if (value != nullptr && value->is_number_integer()) {
    ids = {value->get<int>()};
    return true;
  }
  from.error("id", "expected a number or a list of numbers");
  return false;
}

}  // namespace clearance
