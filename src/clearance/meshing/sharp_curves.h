// Curves of sharp edges of a surface, and the edges of coarse elements that stand for pieces of them.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh.h"

namespace clearance {

/// A chain of sharp edges from one corner to another, or a loop.
struct SharpCurve {
  std::vector<Vec<3>> points;   ///< [m] a loop ends with its first point
  std::vector<double> lengths;  ///< [m] along the curve from its start to each point
  bool is_closed = false;
  BoundingBox box;

  double length() const { return lengths.back(); }
  /// Returns the point at a distance along the curve [m]; a loop continues beyond its end.
  Vec<3> at(double along) const;
};

/// The surface in patches that sharp edges bound.
struct SharpCurves {
  std::vector<SharpCurve> curves;
  std::vector<int> patches;  ///< of each triangle
};

/// Finds the edges between whose faces the normals differ by more than `angle` [deg], and the patches between them.
/// Corners are vertices with another number of sharp edges than two.
SharpCurves find_sharp_curves(const Mesh& surface, double angle);

/// The piece of a curve that an edge of a coarse mesh stands for.
struct CurvePiece {
  int curve = -1;
  double from = 0.0, to = 0.0;  ///< [m] along the curve, of the edge's ends, the smaller vertex first
};
/// Pieces by the vertices of their edges, the smaller first.
using CurvePieces = std::map<std::array<int, 2>, CurvePiece>;

/// Finds the edges of a boundary whose ends follow each other on a curve. Vertices are on a curve if they are within
/// `tolerance` [m] of it.
CurvePieces match_curves(const std::vector<SharpCurve>& curves, const Vertices& vertices, const Triangles& boundary,
                         double tolerance);

/// Numbers the patches of triangles that are connected through edges for which `is_sharp(edge)` is false, the smaller
/// vertex of the edge first.
std::vector<int> find_patches(const Triangles& triangles,
                              const std::function<bool(const std::array<int, 2>&)>& is_sharp);

}  // namespace clearance
