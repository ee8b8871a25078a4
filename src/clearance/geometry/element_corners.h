// The corners of elements: in a canonical order, and which vertices of a mesh they are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace clearance {

/// Elements on the same vertices have the same sorted corners, however they are turned.
template <std::size_t n>
std::array<int, n> sorted_corners(std::array<int, n> element) {
  std::sort(element.begin(), element.end());
  return element;
}

/// Sets `is_used` to 1 for the corners of all elements.
template <class Elements>
void mark_corners(const Elements& elements, std::vector<char>& is_used) {
  for (const auto& element : elements) {
    for (const int v : element) is_used[static_cast<std::size_t>(v)] = 1;
  }
}

}  // namespace clearance
