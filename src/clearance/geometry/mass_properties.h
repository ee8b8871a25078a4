// Volume, centre of mass and moments of shapes of unit density, computed as exact integrals over simplices. Also
// bounding boxes.
#pragma once

#include "clearance/geometry/surface.h"

namespace clearance {

/// Mass properties of a shape of density 1 per unit of its measure.
struct MassProperties {
  double measure = 0.0;                   ///< volume [m^3], area [m^2] or length [m]
  Vec<3> center = Vec<3>::Zero();         ///< [m]
  Mat<3> second_moment = Mat<3>::Zero();  ///< integral of (x - center)(x - center)^T [measure m^2]

  /// Returns the inertia tensor about the centre of mass: trace(M) I - M.
  Mat<3> inertia() const { return second_moment.trace() * Mat<3>::Identity() - second_moment; }
};

using Vertices = std::vector<Vec<3>>;

/// Returns the properties of the solid bounded by a closed surface that is oriented outwards. A negative volume shows
/// that it is oriented inwards.
MassProperties mass_properties_of_solid(const Vertices& vertices, const Triangles& surface);
/// Returns the properties of the area bounded by closed curves in the plane z = 0, with the area to their left.
MassProperties mass_properties_of_area(const Vertices& vertices, const Edges& boundary);

MassProperties mass_properties_of_tets(const Vertices& vertices, const std::vector<std::array<int, 4>>& tets);
/// Returns the properties of a sheet (also of the area elements of a 2D mesh).
MassProperties mass_properties_of_triangles(const Vertices& vertices, const Triangles& triangles);
MassProperties mass_properties_of_edges(const Vertices& vertices, const Edges& edges);

// The following shapes are thin, with the thickness that makes them solid, so that no moment vanishes. They overlap
// where they meet.
/// Returns the properties of triangles of the given thickness [m], measured in volume.
MassProperties mass_properties_of_sheet(const Vertices& vertices, const Triangles& triangles, double thickness);
/// Returns the properties of round rods of the given diameter [m] with flat ends, measured in volume.
MassProperties mass_properties_of_rods(const Vertices& vertices, const Edges& edges, double diameter);
/// Returns the properties of balls of the given diameter [m] at some of the vertices, measured in volume.
MassProperties mass_properties_of_balls(const Vertices& vertices, const std::vector<int>& points, double diameter);
/// Returns the properties of rectangles of the given width [m] in the plane z = 0, measured in area.
MassProperties mass_properties_of_strips(const Vertices& vertices, const Edges& edges, double width);
/// Returns the properties of disks of the given diameter [m] in the plane z = 0 at some of the vertices, measured in
/// area.
MassProperties mass_properties_of_disks(const Vertices& vertices, const std::vector<int>& points, double diameter);

/// Returns the properties of all points within `radius` [m] of the line from a to b, measured in volume; of a ball if a
/// and b are the same.
MassProperties mass_properties_of_capsule(const Vec<3>& a, const Vec<3>& b, double radius);

/// Returns the properties of both shapes together (parallel axes). A shape of negative measure is subtracted.
MassProperties combine(const MassProperties& a, const MassProperties& b);

/// Axis-aligned box, empty until the first point is added. (`Box` is the float box of the broad phase.)
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
