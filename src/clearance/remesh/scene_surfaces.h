// The surfaces of a scene while elements of its bodies change; contacts of a part of a body are built from them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "clearance/contact/contact_at_rest.h"
#include "clearance/model/model.h"
#include "clearance/remesh/adapting_body.h"
#include "clearance/remesh/region.h"

namespace clearance {

template <int dim>
struct SurfaceNode {
  Vec<dim> x1, x0;                  ///< [m] at the end of the step (present solution) and at its start
  Vec<dim> v;                       ///< [m/s] at the start of the step
  int like;                         ///< a vertex of the step's surface with the same body, group and scales of contact
  std::optional<double> area = {};  ///< [m^2] (2D: [m]) share of the surface at rest; absent: that of `like`
};

struct SurfaceEdge {
  std::array<int, 2> ends;  ///< ascending
  double rest_length_sq;    ///< [m^2]
  ContactPart::Feature rest;
};

/// The surface of one body or of a part of it. Vertex numbers are those of its own nodes.
template <int dim>
struct BodySurface {
  std::vector<SurfaceNode<dim>> nodes;
  std::vector<SurfaceEdge> edges;  ///< sorted by ends
  std::vector<std::array<int, 3>> triangles;
  std::vector<ContactPart::Feature> triangles_at_rest;  ///< per triangle
  std::vector<StickVertex> stick;                       ///< friction history of nodes, sorted as in State
};

/// The surfaces of all bodies.
template <int dim>
class SceneSurfaces {
 public:
  explicit SceneSurfaces(const RemeshInputs<dim>& in);

  int num_bodies() const { return static_cast<int>(bodies_.size()); }
  const BodySurface<dim>& body(int b) const { return bodies_[b].surface; }
  void replace(int body, BodySurface<dim> surface);
  /// Returns the primitives of a body that meet the region, with their vertices and, for triangles, edges.
  BodySurface<dim> part(int body, const Extent<dim>& region) const;
  bool has_any(int body, const Extent<dim>& region) const;

 private:
  struct Body {
    BodySurface<dim> surface;
    ExtentGroups<dim> triangles, edges, nodes;  // edges that belong to no triangle, nodes that belong to no facet
  };
  static Body with_groups(BodySurface<dim> surface);

  std::vector<Body> bodies_;
};

}  // namespace clearance
