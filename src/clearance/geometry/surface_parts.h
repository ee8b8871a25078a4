// The parts that a surface falls into: facets that hang together, turned alike.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Triangles of a surface or, in 2D, edges of an outline.
template <std::size_t n>
using Facets = std::vector<std::array<int, n>>;

/// Facets that hang together, with one orientation: the one that the first of them is listed with.
template <std::size_t n>
struct SurfacePart {
  Facets<n> facets;
  std::vector<int> numbers;     ///< per facet: its number in the surface
  std::vector<char> is_turned;  ///< per facet: the surface lists it the other way round
  std::vector<int> openings;    ///< a vertex of each ridge (edge; 2D: vertex) that is not closed
};

/// Vertices in exactly the same place count as one. Two facets at a ridge are turned to agree; where more meet, they
/// stay as they are listed. A part is closed if its facets run along every ridge equally often in both directions.
template <std::size_t n>
std::vector<SurfacePart<n>> split_into_parts(const Vertices& vertices, const Facets<n>& facets);

}  // namespace clearance
