// Surfaces of bodies around an operation on elements: at rest, where the step starts, and at its solution so far.
#pragma once

#include <vector>

#include "clearance/remesh/remesher.h"

namespace clearance {

/// Bounds of positions.
template <int dim>
struct PositionBox {
  Vec<dim> min = Vec<dim>::Constant(infinity);
  Vec<dim> max = Vec<dim>::Constant(-infinity);

  void extend(const Vec<dim>& x) {
    min = min.cwiseMin(x);
    max = max.cwiseMax(x);
  }
  void grow(double by) {
    min.array() -= by;
    max.array() += by;
  }
  bool meets(const PositionBox& other) const {
    return (min.array() <= other.max.array()).all() && (other.min.array() <= max.array()).all();
  }
  bool contains(const Vec<dim>& x) const {
    return (min.array() <= x.array()).all() && (x.array() <= max.array()).all();
  }
  double diagonal() const { return (max - min).norm(); }
};

/// What of a body may touch others. Numbers of vertices are its own.
template <int dim>
struct BodySurface {
  int body = 0;                  ///< in the model
  int like = -1;                 ///< a surface vertex of the model that the body has its scales of contact from
  std::vector<Vec<dim>> x0, x1;  ///< [m] per vertex: at the start of the step, and at the solution
  std::vector<double> measure;   ///< [m^2], 2D: [m]: ContactMeasures::vertex; 0: not on the surface
  std::vector<std::array<int, 2>> edges;
  std::vector<double> edge_measure, edge_length_sq;  ///< ContactMeasures::edge, Model::edge_rest_length_sq
  std::vector<std::array<int, 3>> triangles;
  // What follows from these.
  std::vector<std::array<int, 3>> edges_of_triangle;
  std::vector<int> lone_edges, lone_vertices;                ///< edges that no triangle has, vertices that no edge has
  std::vector<PositionBox<dim>> triangle_boxes, edge_boxes;  ///< per triangle; per lone edge

  void complete();
};

/// Of all bodies of a model.
template <int dim>
std::vector<BodySurface<dim>> surfaces_of(const RemeshInputs<dim>& in);

/// Of a body as its elements are now. Vertices have the numbers of its mesh.
template <int dim>
BodySurface<dim> surface_of_body(const AdaptingBody<dim>& body, int like);

}  // namespace clearance
