#include "clearance/simulation/load/region.h"

#include <algorithm>
#include <numbers>
#include <numeric>
#include <set>

#include "clearance/base/contract.h"
#include "clearance/bodies/fem/simplex_quadrature.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/surface.h"
#include "clearance/math/dimension.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace {

/// Returns a box of a region in coordinates of the mesh before its transform, widened by the effect of rounding.
Corners untransformed_corners(const BodyInstance& body, const TransformDesc& transform, RegionFrame frame,
                              const Corners& box) {
  const BoundingBox& bounds = body.untransformed_box;
  // Fractions 0 and 1, or corners of the mesh, have to select its nodes. Undoing the transform causes rounding errors
  // relative to what it added.
  const double moved = transform.translation.norm() + body.array_offset.norm() + body.shift.norm();
  const Vec<3> margin =
      (1e-15 * moved) * transform.scale.cwiseAbs().cwiseInverse() + Vec<3>::Constant(1e-12 * bounds.diagonal());
  const auto corner = [&](const Vec<3>& c) -> Vec<3> {
    return frame == RegionFrame::mesh ? c : bounds.min + c.cwiseProduct(bounds.size());
  };
  return {corner(box[0]) - margin, corner(box[1]) + margin};
}

/// Returns a box in the world, widened by the rounding that undoing a shift may cause.
Corners widened_corners(const BodyInstance& body, const Corners& box) {
  if (body.shift.isZero(0.0)) return box;
  const Vec<3> margin = Vec<3>::Constant(1e-12 * body.untransformed_box.diagonal() + 1e-15 * body.shift.norm());
  return {box[0] - margin, box[1] + margin};
}

/// Returns the faces of a body's boundary by their corners: those of its tetrahedra, or the triangles of a sheet.
Triangles boundary_faces(const Mesh& mesh) {
  return mesh.tets.empty() ? mesh.triangles : boundary_triangles(mesh.tets);
}

/// Returns 1 for each vertex on the surface. All vertices of an obstacle are, because it has no inside.
std::vector<char> surface_flags(const BodyInstance& body, int dim) {
  std::vector<char> is_on_surface(body.mesh.vertices.size(), body.is_obstacle ? 1 : 0);
  const auto mark = [&](const auto& faces) {
    for (const auto& face : faces) {
      for (int v : face) is_on_surface[v] = 1;
    }
  };
  if (dim == 2) {
    mark(boundary_edges(body.mesh));
  } else {
    mark(body.mesh.tets.empty() ? body.mesh.triangles : boundary_triangles(body.mesh));
  }
  return is_on_surface;
}

bool is_meant(const BodyGroup& group, const RegionDesc& region) {
  return std::any_of(region.tags.begin(), region.tags.end(),
                     [&](const std::string& tag) { return group.has_tag(tag); });
}

/// Marks the nodes of quadratic elements that lie between marked corners. Marks are by numbers of the file.
void mark_between(const BodyInstance& body, std::vector<char>& is_marked) {
  for (const auto& [node, corners] : corners_of_higher_nodes(body.mesh)) {
    const bool is_between = std::all_of(corners.begin(), corners.end(), [&](int corner) {
      return corner < 0 || is_marked[body.source_vertex[corner]] != 0;
    });
    if (is_between) is_marked[body.source_vertex[node]] = 1;
  }
}

/// Returns 1 for each vertex that the region's list of nodes, its groups and its choice of the surface allow.
std::vector<char> candidate_flags(const BodyInstance& body, const RegionDesc& region, int dim) {
  std::vector<char> is_candidate =
      region.surface_only ? surface_flags(body, dim) : std::vector<char>(body.mesh.vertices.size(), 1);
  // `numbers` are those of the mesh file. Numbers that the file lacks have been refused already.
  std::vector<char> is_listed;
  const auto list = [&](const std::vector<int>& numbers) {
    for (const int v : numbers) {
      if (v < std::ssize(is_listed)) is_listed[v] = 1;
    }
  };
  const auto keep_listed = [&] {
    for (std::size_t v = 0; v < is_candidate.size(); ++v) {
      is_candidate[v] = is_candidate[v] && is_listed[body.source_vertex[v]];
    }
  };
  if (!region.nodes.empty()) {
    is_listed.assign(body.num_source_vertices, 0);
    list(region.nodes);
    if (body.lists_reach_between) mark_between(body, is_listed);
    keep_listed();
  }
  if (!region.tags.empty() && body.groups) {
    is_listed.assign(body.num_source_vertices, 0);
    // Lists of nodes do not know those that quadratic elements add.
    bool has_points = false;
    for (const BodyGroup& group : *body.groups) {
      if (!is_meant(group, region)) continue;
      list(group.nodes);
      has_points = has_points || group.dim == 0;
    }
    if (has_points && body.lists_reach_between) mark_between(body, is_listed);
    keep_listed();
  }
  return is_candidate;
}

bool is_same(const RegionDesc& a, const RegionDesc& b) {
  return a.box == b.box && a.more_boxes == b.more_boxes && a.frame == b.frame && a.surface_only == b.surface_only &&
         a.nodes == b.nodes && a.tags == b.tags;
}

/// Returns the nodes of a region on adapted elements. A region that is not one of the scene's must be the default one,
/// which selects all nodes.
std::vector<int> adapted_nodes(const AdaptedElements& adapted, const RegionDesc& region) {
  const auto found = std::find_if(adapted.regions.begin(), adapted.regions.end(),
                                  [&](const RegionDesc& other) { return is_same(other, region); });
  if (found != adapted.regions.end()) {
    return adapted.mesh->nodes_of_region[found - adapted.regions.begin()];
  }
  CLEARANCE_ASSERT(is_same(region, RegionDesc{}));
  std::vector<int> all(adapted.mesh->mesh.vertices.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Returns 1 for each element of a list that the region selects. If the region has groups of such elements, it selects
/// only these and no others between the same nodes.
template <class Elements>
std::vector<char> are_selected(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                               int dim, const Elements& elements) {
  std::vector<char> is_selected_node(body.mesh.vertices.size(), 0);
  for (int v : select_nodes(body, transform, region, dim)) is_selected_node[v] = 1;
  constexpr int element_dim = static_cast<int>(std::tuple_size_v<typename Elements::value_type>) - 1;
  std::vector<const BodyGroup*> groups;  // groups of such elements
  for (std::size_t g = 0; !region.tags.empty() && body.groups && g < body.groups->size(); ++g) {
    const BodyGroup& group = (*body.groups)[g];
    if (group.dim == element_dim && is_meant(group, region)) groups.push_back(&group);
  }
  std::vector<char> is_selected(elements.size(), 0);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto& element = elements[e];
    const auto is_inside = [&](int v) { return is_selected_node[v] != 0; };
    if (!std::all_of(element.begin(), element.end(), is_inside)) continue;
    std::array<int, 4> corners = {-1, -1, -1, -1};
    std::transform(element.begin(), element.end(), corners.begin(), [&](int v) { return body.source_vertex[v]; });
    is_selected[e] = groups.empty() || std::any_of(groups.begin(), groups.end(),
                                                   [&](const BodyGroup* group) { return group->has_element(corners); });
  }
  return is_selected;
}

/// Adds to `shares` the integrals of the shape functions over faces of curved elements. `faces` holds corners.
template <int dim>
void share_curved_faces(const Mesh& mesh, const std::vector<std::array<int, 3>>& faces, bool is_axisymmetric,
                        std::vector<double>& shares) {
  const auto sorted = [](std::array<int, 3> corners) {
    std::sort(corners.begin(), corners.end());
    return corners;
  };
  std::set<std::array<int, 3>> is_selected;
  for (const std::array<int, 3>& face : faces) is_selected.insert(sorted(face));
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    const int order = mesh.order_of_cell(cell);
    const std::span<const int> nodes = mesh.nodes_of_cell(cell);
    for (std::size_t opposite = 0; order > 1 && opposite <= dim; ++opposite) {
      std::array<std::size_t, dim> local{};  // numbers of the face's corners in the element
      std::array<int, 3> corners = {-1, -1, -1};
      for (std::size_t i = 0, k = 0; i <= dim; ++i) {
        if (i == opposite) continue;
        corners[k] = nodes[i];
        local[k++] = i;
      }
      if (!is_selected.contains(sorted(corners))) continue;
      const int degree = 2 * order + (dim - 1) * (order - 1) + (is_axisymmetric ? order : 0);
      for (const QuadraturePoint& point : conical_quadrature(dim - 1, degree)) {
        Barycentrics at{};
        for (std::size_t k = 0; k < dim; ++k) at[local[k]] = point.at[k];
        std::vector<double> values(nodes.size()), gradients(nodes.size() * dim);
        lagrange_values(dim, order, at, values);
        lagrange_gradients(dim, order, at, gradients);
        // Tangents of the face point from its first corner to the others, by barycentrics of the element.
        std::array<Vec<3>, dim - 1> tangents;
        for (std::size_t k = 0; k + 1 < dim; ++k) {
          tangents[k] = Vec<3>::Zero();
          for (std::size_t a = 0; a < nodes.size(); ++a) {
            const auto slope = [&](std::size_t i) { return i == 0 ? 0.0 : gradients[a * dim + i - 1]; };
            tangents[k] += (slope(local[k + 1]) - slope(local[0])) * mesh.vertices[nodes[a]];
          }
        }
        double area = tangents[0].norm();
        if constexpr (dim == 3) area = 0.5 * cross_product(tangents[0], tangents[1]).norm();
        if (is_axisymmetric) {
          double radius = 0.0;
          for (std::size_t a = 0; a < nodes.size(); ++a) radius += values[a] * mesh.vertices[nodes[a]][0];
          area *= 2.0 * std::numbers::pi * radius;
        }
        for (std::size_t a = 0; a < nodes.size(); ++a) {
          shares[nodes[a]] += point.weight * area * values[a];
        }
      }
    }
  }
}

}  // namespace

std::vector<int> select_nodes(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                              int dim) {
  if (body.adapted) return adapted_nodes(*body.adapted, region);
  const std::vector<char> is_candidate = candidate_flags(body, region, dim);
  const bool is_relative = region.box && region.frame != RegionFrame::world;
  std::vector<Corners> boxes;
  if (region.box) {
    boxes = region.more_boxes;
    boxes.push_back(*region.box);
  }
  for (Corners& box : boxes) {
    box = is_relative ? untransformed_corners(body, transform, region.frame, box) : widened_corners(body, box);
  }
  const Mat<3> rotation = rotation_from_euler_xyz(transform.rotation);

  std::vector<int> nodes;
  for (std::size_t v = 0; v < body.mesh.vertices.size(); ++v) {
    // If the corners of the box are measured before the transform, so is the vertex.
    Vec<3> x = body.mesh.vertices[v] - body.shift;
    if (is_relative) {
      const Vec<3> unmoved = x - body.array_offset - transform.translation;
      x = (rotation.transpose() * unmoved).cwiseQuotient(transform.scale);
    }
    const auto is_inside = [&](const Corners& box) {
      for (int c = 0; c < dim; ++c) {
        if (!(x[c] >= box[0][c] && x[c] <= box[1][c])) return false;
      }
      return true;
    };
    const bool is_selected = !region.box || std::any_of(boxes.begin(), boxes.end(), is_inside);
    if (is_candidate[v] && is_selected) nodes.push_back(static_cast<int>(v));
  }
  return nodes;
}

double face_area(const std::vector<Vec<3>>& x, const std::array<int, 3>& face) {
  const auto at = [&](int i) { return x[face[i]]; };
  return face[2] < 0 ? (at(1) - at(0)).norm() : 0.5 * cross_product(at(1) - at(0), at(2) - at(0)).norm();
}

std::vector<std::array<int, 3>> faces_of_boundary(const Mesh& mesh) {
  std::vector<std::array<int, 3>> faces;
  if (mesh.dim == 3) return boundary_faces(mesh);
  for (const auto& [a, b] : boundary_edges(mesh.triangles)) faces.push_back({a, b, -1});
  return faces;
}

std::vector<char> are_faces_selected(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                     int dim) {
  return dim == 2 ? are_selected(body, transform, region, dim, boundary_edges(body.mesh.triangles))
                  : are_selected(body, transform, region, dim, boundary_faces(body.mesh));
}

std::vector<std::array<int, 3>> select_faces(const BodyInstance& body, const TransformDesc& transform,
                                             const RegionDesc& region, int dim) {
  std::vector<std::array<int, 3>> selected;
  if (body.adapted) {
    const std::vector<char> is_selected = are_faces_selected(*body.adapted->start, transform, region, dim);
    for (const BoundaryFacet& facet : body.adapted->mesh->facets) {
      if (is_selected[facet.origin]) selected.push_back(facet.vertices);
    }
    return selected;
  }
  const std::vector<char> is_selected = are_faces_selected(body, transform, region, dim);
  const std::vector<std::array<int, 3>> faces = faces_of_boundary(body.mesh);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (is_selected[f]) selected.push_back(faces[f]);
  }
  return selected;
}

std::vector<char> select_elements(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                  int dim) {
  if (body.adapted) {
    const std::vector<char> at_start = select_elements(*body.adapted->start, transform, region, dim);
    std::vector<char> is_selected;
    for (const int cell : body.adapted->mesh->origin_of_cell) {
      is_selected.push_back(at_start[cell]);
    }
    return is_selected;
  }
  return dim == 2 ? are_selected(body, transform, region, dim, body.mesh.triangles)
                  : are_selected(body, transform, region, dim, body.mesh.tets);
}

std::vector<double> share_face_areas(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                     SpaceOfFaces space) {
  const auto [dim, is_axisymmetric] = space;
  std::vector<double> shares(body.mesh.vertices.size(), 0.0);
  const std::vector<std::array<int, 3>> faces = select_faces(body, transform, region, dim);
  if (body.mesh.has_curved_cells()) {
    with_dimension(space.dim, [&](auto d) { share_curved_faces<d>(body.mesh, faces, space.is_axisymmetric, shares); });
    return shares;
  }
  if (is_axisymmetric) {
    // The integral of 2 pi R phi_a along a straight edge.
    for (const std::array<int, 3>& face : faces) {
      const double length = face_area(body.mesh.vertices, face);
      const double a = body.mesh.vertices[face[0]][0], b = body.mesh.vertices[face[1]][0];
      shares[face[0]] += std::numbers::pi / 3.0 * length * (2.0 * a + b);
      shares[face[1]] += std::numbers::pi / 3.0 * length * (a + 2.0 * b);
    }
    return shares;
  }
  for (const std::array<int, 3>& face : faces) {
    for (const int v : face) {
      if (v >= 0) shares[v] += face_area(body.mesh.vertices, face) / dim;
    }
  }
  return shares;
}

}  // namespace clearance
