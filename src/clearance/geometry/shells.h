// Closed parts of a surface: which are the outside of something solid, and which are cavities in it.
#pragma once

#include "clearance/geometry/surface_parts.h"

namespace clearance {

enum class ShellKind {
  open,    ///< not closed: has no inside
  flat,    ///< closed around nothing: two sides with no room between them
  solid,   ///< what it encloses is solid, but for cavities
  cavity,  ///< what it encloses is taken from the solid around it
};

/// A part of a surface and what it means.
template <std::size_t n>
struct Shell {
  SurfacePart<n> part;
  BoundingBox box;
  ShellKind kind = ShellKind::open;
  bool is_inside_of_solid = false;  ///< a solid part within the solid of another: both count
  /// Of a solid or a cavity: the orientation that `part.facets` have points out of what is enclosed.
  bool points_outwards = true;
  bool is_listed_outwards = true;  ///< as most of its facets are listed
  MassProperties properties;       ///< volume (2D: area) of a solid, of a cavity negative

  bool encloses_nothing() const { return kind == ShellKind::open || kind == ShellKind::flat; }
};

/// Decided by exact winding numbers, never by boxes: a part is inside of another if most of up to 64 of its vertices
/// are, those on the other's surface apart. A part in no other is solid, whichever way its facets are turned. A part in
/// the solid of another is a cavity if it is turned against the outermost one around it, and else one more solid.
/// A part in a cavity is solid again.
template <std::size_t n>
std::vector<Shell<n>> find_shells(const Vertices& vertices, const Facets<n>& facets);

/// Per facet 1 if it points out of the material as it is listed, -1 if into it, 0 if it is of an open or flat part.
/// Edges in 2D point to their right.
template <std::size_t n>
std::vector<signed char> outward_signs(const Vertices& vertices, const Facets<n>& facets);

}  // namespace clearance
