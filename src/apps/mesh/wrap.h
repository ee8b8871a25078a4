// A closed surface around triangles of any quality (CGAL's Alpha_wrap_3).
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance::mesh {

struct WrapOptions {
  double alpha = 0.0;   ///< [m] holes and gaps narrower than about twice this are closed
  double offset = 0.0;  ///< [m] between the triangles and what is wrapped around them
};

/// Closed, manifold and free of intersections; it has all triangles of `surface` inside.
Mesh wrap_surface(const Mesh& surface, const WrapOptions& options);

}  // namespace clearance::mesh
