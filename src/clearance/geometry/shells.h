// Classification of the closed parts of a surface as the outside of a solid or as cavities in it.
#pragma once

#include "clearance/geometry/surface_parts.h"

namespace clearance {

enum class ShellKind {
  open,    ///< not closed; has no inside
  flat,    ///< closed, but with no room between its two sides
  solid,   ///< encloses solid material, except for cavities
  cavity,  ///< its inside is removed from the solid around it
};

/// A part of a surface and its meaning.
template <std::size_t n>
struct Shell {
  SurfacePart<n> part;
  BoundingBox box;
  ShellKind kind = ShellKind::open;
  /// True for a solid part within the solid of another or on it, and for one that encloses its solid twice: both count.
  bool is_inside_of_solid = false;
  /// True if `part.facets`, as oriented, point out of the enclosed region of a solid or a cavity.
  bool points_outwards = true;
  bool is_listed_outwards = true;  ///< true if most of its facets, as listed, point outwards
  MassProperties properties;       ///< volume (2D: area) of a solid; negative for a cavity

  bool encloses_nothing() const { return kind == ShellKind::open || kind == ShellKind::flat; }
};

/// Classifies the parts of a surface by exact winding numbers. A part is inside another if most of up to 64 of its
/// vertices are, ignoring those on the other's surface. A part inside no other is solid, whatever its orientation. A
/// part in the solid of another is a cavity if its orientation is opposite to that of the outermost part around it, and
/// otherwise one more solid. A part in a cavity is solid again. Of two parts that lie on each other but for rounding,
/// the second is one more solid.
template <std::size_t n>
std::vector<Shell<n>> find_shells(const Vertices& vertices, const Facets<n>& facets);

/// Returns, per facet as it is listed, 1 if it points out of the material, -1 if it points into it, and 0 if it belongs
/// to an open or flat part. Edges in 2D point to their right.
template <std::size_t n>
std::vector<signed char> outward_signs(const Vertices& vertices, const Facets<n>& facets);

}  // namespace clearance
