// Parts shared by the builders of contact sets: stencils of closest features, and sums of equal stencils.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clearance/contact/barrier.h"
#include "clearance/contact/contact.h"
#include "clearance/geometry/distance.h"
#include "clearance/model/model.h"

namespace clearance {

/// The stencil that the closest features of two primitives form: its kind and where its vertices are among p t0 t1 t2
/// or ea0 ea1 eb0 eb1. 4: none.
struct ClosestStencil {
  ContactKind kind;
  std::array<std::uint8_t, 4> local;
};

/// Stencils by PointEdgeType.
inline constexpr std::array<ClosestStencil, 3> point_edge_stencils = {{{ContactKind::point_point, {0, 1, 4, 4}},
                                                                       {ContactKind::point_point, {0, 2, 4, 4}},
                                                                       {ContactKind::point_edge, {0, 1, 2, 4}}}};
/// Stencils by PointTriangleType.
inline constexpr std::array<ClosestStencil, 7> point_triangle_stencils = {
    {{ContactKind::point_point, {0, 1, 4, 4}},
     {ContactKind::point_point, {0, 2, 4, 4}},
     {ContactKind::point_point, {0, 3, 4, 4}},
     {ContactKind::point_edge, {0, 1, 2, 4}},
     {ContactKind::point_edge, {0, 2, 3, 4}},
     {ContactKind::point_edge, {0, 3, 1, 4}},
     {ContactKind::point_triangle, {0, 1, 2, 3}}}};
/// Stencils by EdgeEdgeType.
inline constexpr std::array<ClosestStencil, 9> edge_edge_stencils = {{{ContactKind::point_point, {0, 2, 4, 4}},
                                                                      {ContactKind::point_point, {0, 3, 4, 4}},
                                                                      {ContactKind::point_point, {1, 2, 4, 4}},
                                                                      {ContactKind::point_point, {1, 3, 4, 4}},
                                                                      {ContactKind::point_edge, {2, 0, 1, 4}},
                                                                      {ContactKind::point_edge, {3, 0, 1, 4}},
                                                                      {ContactKind::point_edge, {0, 2, 3, 4}},
                                                                      {ContactKind::point_edge, {1, 2, 3, 4}},
                                                                      {ContactKind::edge_edge, {0, 1, 2, 3}}}};

inline const ClosestStencil& stencil_of(PointEdgeType type) {
  return point_edge_stencils[static_cast<std::size_t>(type)];
}
inline const ClosestStencil& stencil_of(PointTriangleType type) {
  return point_triangle_stencils[static_cast<std::size_t>(type)];
}
inline const ClosestStencil& stencil_of(EdgeEdgeType type) {
  return edge_edge_stencils[static_cast<std::size_t>(type)];
}

/// The stencil of a pair with these vertices becomes that of the contact. Equal stencils have equal vertices: points of
/// a pair and ends of an edge ascend.
void set_stencil(const ClosestStencil& stencil, const std::array<int, 4>& vertices, double distance_sq,
                 Contact& contact);

/// Evaluates the closed formula of a pair's closest features: the same as its distance by type, with fewer branches.
double stencil_distance_sq(const ClosestStencil& stencil, const std::array<Vec<3>, 4>& x);

std::array<Vec<3>, 4> stencil_positions(const VecX& x, const std::array<int, 4>& vertices);

/// Returns the activation distance [m] of formulations with one for all features of two bodies, each given by one of
/// its vertices.
double dhat_between(const Model& model, const BarrierOptions& options, int a, int b);

/// Makes equal stencils one with the sum of their weights [Fer23, app. A.7.1], and sorts them by `precedes`.
void merge_duplicates(std::vector<Contact>& contacts, int num_vertices);

}  // namespace clearance
