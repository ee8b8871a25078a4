// Decomposition of a surface into connected parts with consistent orientation.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// The triangles of a surface or, in 2D, the edges of an outline.
template <std::size_t n>
using Facets = std::vector<std::array<int, n>>;

/// Connected facets with one orientation, the one in which the first of them is listed.
template <std::size_t n>
struct SurfacePart {
  Facets<n> facets;
  std::vector<int> numbers;     ///< number of each facet in the surface
  std::vector<char> is_turned;  ///< 1 for facets that the surface lists in the opposite orientation
  std::vector<int> openings;    ///< a vertex of each ridge (edge; 2D: vertex) that is not closed
  bool has_branches = false;    ///< true if more than two facets meet at a ridge
};

/// Splits a surface into its parts. Vertices at exactly the same position count as one, except those of facets that
/// close a surface by vertices of their own: such a part stays apart from others that touch it. Two facets at a ridge
/// are oriented consistently; if more facets meet, they keep the orientation in which they are listed. A part is closed
/// if its facets run along every ridge equally often in both directions.
template <std::size_t n>
std::vector<SurfacePart<n>> split_into_parts(const Vertices& vertices, const Facets<n>& facets);

}  // namespace clearance
