#include "clearance/geometry/distance.h"

namespace clearance {

PointTriangleType point_triangle_boundary_type(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2) {
  using Type = PointTriangleType;
  const Vec<3>* corner[3] = {&t0, &t1, &t2};
  const Type vertex_type[3] = {Type::p_t0, Type::p_t1, Type::p_t2};
  const Type edge_type[3] = {Type::p_e0, Type::p_e1, Type::p_e2};

  Type best = Type::p_t0;
  double best_sq = infinity;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const PointEdgeType type = point_edge_type<3>(p, *corner[i], *corner[j]);
    const double distance_sq = point_edge_distance_sq<3>(p, *corner[i], *corner[j], type);
    if (!(distance_sq < best_sq)) continue;
    best_sq = distance_sq;
    best = type == PointEdgeType::p_e ? edge_type[i] : vertex_type[type == PointEdgeType::p_e0 ? i : j];
  }
  return best;
}

double point_triangle_distance_sq(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2,
                                  PointTriangleType type) {
  switch (type) {
    case PointTriangleType::p_t0:
      return point_point_distance_sq<3>(p, t0);
    case PointTriangleType::p_t1:
      return point_point_distance_sq<3>(p, t1);
    case PointTriangleType::p_t2:
      return point_point_distance_sq<3>(p, t2);
    case PointTriangleType::p_e0:
      return point_line_distance_sq<3>(p, t0, t1);
    case PointTriangleType::p_e1:
      return point_line_distance_sq<3>(p, t1, t2);
    case PointTriangleType::p_e2:
      return point_line_distance_sq<3>(p, t2, t0);
    case PointTriangleType::p_t:
      break;
  }
  return point_plane_distance_sq(p, t0, t1, t2);
}

EdgeEdgeType edge_edge_boundary_type(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1) {
  const EdgeEdgeType candidates[4] = {
      end_of_a_type(false, ea0, eb0, eb1),
      end_of_a_type(true, ea1, eb0, eb1),
      end_of_b_type(false, eb0, ea0, ea1),
      end_of_b_type(true, eb1, ea0, ea1),
  };
  EdgeEdgeType best = candidates[0];
  double best_sq = infinity;
  for (const EdgeEdgeType candidate : candidates) {
    const double distance_sq = edge_edge_distance_sq(ea0, ea1, eb0, eb1, candidate);
    if (!(distance_sq < best_sq)) continue;
    best_sq = distance_sq;
    best = candidate;
  }
  return best;
}

double edge_edge_distance_sq(const Vec<3>& ea0, const Vec<3>& ea1, const Vec<3>& eb0, const Vec<3>& eb1,
                             EdgeEdgeType type) {
  switch (type) {
    case EdgeEdgeType::ea0_eb0:
      return point_point_distance_sq<3>(ea0, eb0);
    case EdgeEdgeType::ea0_eb1:
      return point_point_distance_sq<3>(ea0, eb1);
    case EdgeEdgeType::ea1_eb0:
      return point_point_distance_sq<3>(ea1, eb0);
    case EdgeEdgeType::ea1_eb1:
      return point_point_distance_sq<3>(ea1, eb1);
    case EdgeEdgeType::ea_eb0:
      return point_line_distance_sq<3>(eb0, ea0, ea1);
    case EdgeEdgeType::ea_eb1:
      return point_line_distance_sq<3>(eb1, ea0, ea1);
    case EdgeEdgeType::ea0_eb:
      return point_line_distance_sq<3>(ea0, eb0, eb1);
    case EdgeEdgeType::ea1_eb:
      return point_line_distance_sq<3>(ea1, eb0, eb1);
    case EdgeEdgeType::ea_eb:
      break;
  }
  return line_line_distance_sq(ea0, ea1, eb0, eb1);
}

}  // namespace clearance
