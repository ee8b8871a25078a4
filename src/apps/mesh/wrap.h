// A closed surface around triangles of any quality (CGAL's Alpha_wrap_3).
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance::mesh {

struct WrapOptions {
  double alpha = 0.0;   ///< [m] holes and gaps narrower than about twice this are closed
  double offset = 0.0;  ///< [m] distance of the wrapping surface from the triangles
};

/// Returns a surface that is closed, manifold and free of intersections; all triangles of `surface` lie inside it.
Mesh wrap_surface(const Mesh& surface, const WrapOptions& options);

}  // namespace clearance::mesh
