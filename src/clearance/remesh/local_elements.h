// The elements of a part of a body, with their loads: what a local problem and the estimate of a split evaluate.
#pragma once

#include <span>
#include <vector>

#include "clearance/bodies/fem/element_mesh.h"
#include "clearance/remesh/adapting_body.h"

namespace clearance {

/// Elements and moving vertices, by their numbers in the mesh, ascending.
struct Scope {
  std::vector<int> cells;
  std::vector<int> facets;  ///< boundary facets with a moving vertex, and those that the operation replaces
  std::vector<int> moving;
};

template <int dim>
struct LocalElements {
  /// `others` lists vertices without elements of the scope that also get a number.
  LocalElements(const AdaptingBody<dim>& body, const Scope& scope, std::vector<int> others = {});

  int num_vertices() const { return static_cast<int>(vertices.size()); }
  /// Returns the number of a vertex of the body, or -1.
  int block_of(int vertex) const;

  std::vector<int> vertices;  ///< of the body: the moving ones, then all others, each ascending
  int num_moving = 0;
  ElementMesh<dim> elements;
  VecX force;                ///< [N] of accelerations and tractions; empty: none
  double edge_length = 0.0;  ///< [m] mean, at rest

 private:
  void number_vertices(const SimplexMesh<dim>& mesh, const Scope& scope, std::vector<int>& others);
  void add_elements(const AdaptingBody<dim>& body, const Scope& scope);
  void add_loads(const AdaptingBody<dim>& body, const Scope& scope);
};

extern template struct LocalElements<2>;
extern template struct LocalElements<3>;

}  // namespace clearance
