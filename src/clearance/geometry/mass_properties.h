// Volume, centre of mass and moments of shapes of unit density: exact integrals over simplices. Also boxes.
#pragma once

#include "clearance/geometry/surface.h"

namespace clearance {

/// Of a shape of density 1 per unit of its measure.
struct MassProperties {
  double measure = 0.0;                   ///< volume [m^3], area [m^2] or length [m]
  Vec<3> center = Vec<3>::Zero();         ///< [m]
  Mat<3> second_moment = Mat<3>::Zero();  ///< integral of (x - center)(x - center)^T [measure m^2]

  /// Inertia tensor about the centre of mass: trace(M) I - M.
  Mat<3> inertia() const { return second_moment.trace() * Mat<3>::Identity() - second_moment; }
};

using Vertices = std::vector<Vec<3>>;

/// Solid bounded by a closed surface that points outwards (a negative volume tells that it points inwards).
MassProperties mass_properties_of_solid(const Vertices& vertices, const Triangles& surface);
/// Area bounded by closed curves in the plane z = 0, with the area to their left.
MassProperties mass_properties_of_area(const Vertices& vertices, const Edges& boundary);

MassProperties mass_properties_of_tets(const Vertices& vertices, const std::vector<std::array<int, 4>>& tets);
/// Sheet (also the area elements of a 2D mesh).
MassProperties mass_properties_of_triangles(const Vertices& vertices, const Triangles& triangles);
MassProperties mass_properties_of_edges(const Vertices& vertices, const Edges& edges);

// Thin shapes with the thickness that makes them solid, so that no moment vanishes. Where they meet, they overlap.
/// Triangles of the given thickness [m], measured in volume.
MassProperties mass_properties_of_sheet(const Vertices& vertices, const Triangles& triangles, double thickness);
/// Round rods of the given diameter [m] with flat ends, measured in volume.
MassProperties mass_properties_of_rods(const Vertices& vertices, const Edges& edges, double diameter);
/// Balls of the given diameter [m] at some of the vertices, measured in volume.
MassProperties mass_properties_of_balls(const Vertices& vertices, const std::vector<int>& points, double diameter);
/// Rectangles of the given width [m] in the plane z = 0, measured in area.
MassProperties mass_properties_of_strips(const Vertices& vertices, const Edges& edges, double width);
/// Disks of the given diameter [m] in the plane z = 0 at some of the vertices, measured in area.
MassProperties mass_properties_of_disks(const Vertices& vertices, const std::vector<int>& points, double diameter);

/// Of both shapes together (parallel axes). A shape of negative measure is taken away.
MassProperties combine(const MassProperties& a, const MassProperties& b);

/// Axis-aligned box; empty until the first point. (`Box` is the float box of the broad phase.)
struct BoundingBox {
  Vec<3> min = Vec<3>::Constant(infinity);
  Vec<3> max = Vec<3>::Constant(-infinity);

  void extend(const Vec<3>& point) {
    min = min.cwiseMin(point);
    max = max.cwiseMax(point);
  }
  bool is_empty() const { return !(min[0] <= max[0]); }
  Vec<3> size() const { return is_empty() ? Vec<3>(Vec<3>::Zero()) : Vec<3>(max - min); }  ///< [m]
  double diagonal() const { return size().norm(); }                                        ///< [m]
};

BoundingBox bounding_box(const Vertices& vertices);

}  // namespace clearance
