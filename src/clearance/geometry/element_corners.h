// Corners of elements: canonical orders, and the vertices that elements use.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Returns the corners in ascending order. Elements on the same vertices have the same sorted corners, whatever their
/// orientation.
template <std::size_t n>
std::array<int, n> sorted_corners(std::array<int, n> element) {
  std::sort(element.begin(), element.end());
  return element;
}

/// Sets `is_used` to 1 for the corners of all elements.
template <class Elements>
void mark_corners(const Elements& elements, std::vector<char>& is_used) {
  for (const auto& element : elements) {
    for (const int v : element) is_used[v] = 1;
  }
}

/// Calls visit(int&) for the corners and nodes of all elements, and for points, but not for groups.
template <class Visit>
void for_each_corner(Mesh& mesh, const Visit& visit) {
  const auto visit_all = [&](auto& elements) {
    for (auto& element : elements) std::for_each(element.begin(), element.end(), visit);
  };
  visit_all(mesh.tets);
  visit_all(mesh.triangles);
  visit_all(mesh.edges);
  std::for_each(mesh.points.begin(), mesh.points.end(), visit);
  std::for_each(mesh.cell_nodes.begin(), mesh.cell_nodes.end(), visit);
}

}  // namespace clearance
