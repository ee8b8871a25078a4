#include "clearance/simulation/region.h"

#include <algorithm>

#include "clearance/geometry/distance.h"
#include "clearance/geometry/surface.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace {

/// A box of a region in the mesh before its transform, wider by what rounding may move.
Corners untransformed_corners(const BodyInstance& body, const TransformDesc& transform, RegionFrame frame,
                              const Corners& box) {
  const BoundingBox& bounds = body.untransformed_box;
  // Fractions 0 and 1, or corners of the mesh, mean its nodes; taking the transform back rounds relative to what it
  // added.
  const double moved = transform.translation.norm() + body.array_offset.norm() + body.shift.norm();
  const Vec<3> margin =
      (1e-15 * moved) * transform.scale.cwiseAbs().cwiseInverse() + Vec<3>::Constant(1e-12 * bounds.diagonal());
  const auto corner = [&](const Vec<3>& c) -> Vec<3> {
    return frame == RegionFrame::mesh ? c : bounds.min + c.cwiseProduct(bounds.size());
  };
  return {corner(box[0]) - margin, corner(box[1]) + margin};
}

/// A box in the world, wider by what taking a shift back may have rounded.
Corners widened_corners(const BodyInstance& body, const Corners& box) {
  if (body.shift.isZero(0.0)) return box;
  const Vec<3> margin = Vec<3>::Constant(1e-12 * body.untransformed_box.diagonal() + 1e-15 * body.shift.norm());
  return {box[0] - margin, box[1] + margin};
}

/// Per vertex: 1 on the surface. All of an obstacle is: it has no inside.
std::vector<char> surface_flags(const BodyInstance& body, int dim) {
  std::vector<char> is_on_surface(body.mesh.vertices.size(), body.is_obstacle ? 1 : 0);
  const auto mark = [&](const auto& faces) {
    for (const auto& face : faces) {
      for (int v : face) is_on_surface[static_cast<std::size_t>(v)] = 1;
    }
  };
  if (dim == 2) {
    mark(boundary_edges(body.mesh.triangles));
  } else {
    mark(boundary_triangles(body.mesh.tets));
  }
  return is_on_surface;
}

/// Per vertex: 1 for those that the region lists, or all.
std::vector<char> candidate_flags(const BodyInstance& body, const RegionDesc& region, int dim) {
  std::vector<char> is_candidate =
      region.surface_only ? surface_flags(body, dim) : std::vector<char>(body.mesh.vertices.size(), 1);
  if (region.nodes.empty()) return is_candidate;
  std::vector<char> is_listed(body.num_source_vertices, 0);
  for (int v : region.nodes) {
    if (static_cast<std::size_t>(v) < is_listed.size()) is_listed[static_cast<std::size_t>(v)] = 1;
  }
  for (std::size_t v = 0; v < is_candidate.size(); ++v) {
    is_candidate[v] = is_candidate[v] && is_listed[static_cast<std::size_t>(body.source_vertex[v])];
  }
  return is_candidate;
}

double area(const std::vector<Vec<3>>& x, const std::array<int, 3>& t) {
  const auto at = [&](int i) { return x[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])]; };
  return 0.5 * cross_product(at(1) - at(0), at(2) - at(0)).norm();
}
double area(const std::vector<Vec<3>>& x, const std::array<int, 2>& e) {
  return (x[static_cast<std::size_t>(e[1])] - x[static_cast<std::size_t>(e[0])]).norm();
}

}  // namespace

std::vector<int> select_nodes(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                              int dim) {
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
    // Where the vertex was before the transform, if the corners are measured there.
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

std::vector<double> share_face_areas(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                     int dim) {
  std::vector<char> is_selected(body.mesh.vertices.size(), 0);
  for (int v : select_nodes(body, transform, region, dim)) is_selected[static_cast<std::size_t>(v)] = 1;
  std::vector<double> shares(body.mesh.vertices.size(), 0.0);
  const auto share = [&](const auto& faces) {
    for (const auto& face : faces) {
      bool is_inside = true;
      for (int v : face) is_inside = is_inside && is_selected[static_cast<std::size_t>(v)];
      for (int v : face) {
        if (is_inside) shares[static_cast<std::size_t>(v)] += area(body.mesh.vertices, face) / dim;
      }
    }
  };
  if (dim == 2) {
    share(boundary_edges(body.mesh.triangles));
  } else {
    share(boundary_triangles(body.mesh.tets));
  }
  return shares;
}

}  // namespace clearance
