#include "clearance/geometry/closed_surface.h"

#include <algorithm>
#include <utility>

#include "clearance/math/predicates.h"

namespace clearance {

namespace {

/// Returns the orientation of a solid element: 1, -1 or 0.
int orientation_of(const Mesh& mesh, const std::array<int, 4>& tet) {
  const auto at = [&](std::size_t i) -> const Vec<3>& { return mesh.vertices[tet[i]]; };
  return orient3d(at(0), at(1), at(2), at(3));
}
int orientation_of(const Mesh& mesh, const std::array<int, 3>& triangle) {
  const auto at = [&](std::size_t i) -> Vec<2> { return mesh.vertices[triangle[i]].head<2>(); };
  return orient2d(at(0), at(1), at(2));
}

/// Sorts the corners and returns the sign of the permutation.
template <std::size_t n>
int sort_with_sign(std::array<int, n>& corners) {
  int sign = 1;
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = i; j > 0 && corners[j - 1] > corners[j]; --j) {
      std::swap(corners[j - 1], corners[j]);
      sign = -sign;
    }
  }
  return sign;
}

/// A face of an element. If two elements lie on different sides of a face, their signs for it differ.
template <std::size_t n>
struct SignedFace {
  std::array<int, n - 1> corners;
  int as_listed;  // sign of the face by the order of the element's corners
  int in_space;   // sign by their positions; 0: flat
  int element;
};

/// Returns the faces of all elements, those with the same corners next to each other.
template <std::size_t n>
std::vector<SignedFace<n>> sorted_faces(const Mesh& mesh, const std::vector<std::array<int, n>>& solids) {
  using Face = SignedFace<n>;
  std::vector<Face> faces;
  faces.reserve(n * solids.size());
  for (int e = 0; e < static_cast<int>(solids.size()); ++e) {
    const auto& solid = solids[e];
    const int orientation = orientation_of(mesh, solid);
    for (std::size_t opposite = 0; opposite < n; ++opposite) {
      Face face{{}, 0, 0, e};
      for (std::size_t i = 0, k = 0; i < n; ++i) {
        if (i != opposite) face.corners[k++] = solid[i];
      }
      face.as_listed = (opposite % 2 == 0 ? 1 : -1) * sort_with_sign(face.corners);
      face.in_space = face.as_listed * orientation;
      faces.push_back(face);
    }
  }
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
    return std::pair(a.corners, a.element) < std::pair(b.corners, b.element);
  });
  return faces;
}

template <std::size_t n>
CrowdedFaces find_crowded(const Mesh& mesh, const std::vector<std::array<int, n>>& solids) {
  using Face = SignedFace<n>;
  const std::vector<Face> faces = sorted_faces(mesh, solids);
  // If two elements are listed consistently but lie on one side, one of them is inverted, which is another defect.
  const auto are_apart = [](const Face& a, const Face& b) {
    return a.as_listed != b.as_listed || a.in_space * b.in_space <= 0;
  };
  CrowdedFaces crowded;
  int first = static_cast<int>(solids.size());  // element of the first crowded face
  for (std::size_t begin = 0, end = 0; begin < faces.size(); begin = end) {
    while (end < faces.size() && faces[end].corners == faces[begin].corners) ++end;
    if (end - begin == 1 || (end - begin == 2 && are_apart(faces[begin], faces[begin + 1]))) continue;
    ++crowded.count;
    if (faces[begin].element >= first) continue;
    first = faces[begin].element;
    std::copy(faces[begin].corners.begin(), faces[begin].corners.end(), crowded.corners.begin());
    crowded.elements.clear();
    for (std::size_t i = begin; i < end; ++i) crowded.elements.push_back(faces[i].element);
  }
  return crowded;
}

}  // namespace

bool is_closed_surface(const Triangles& triangles) {
  struct Side {
    std::array<int, 2> edge;
    int direction;
  };
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (const auto& [a, b, c] : triangles) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
      if (from != to) sides.push_back({{std::min(from, to), std::max(from, to)}, from < to ? 1 : -1});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.edge < b.edge; });
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    int balance = 0;
    for (; end < sides.size() && sides[end].edge == sides[begin].edge; ++end) balance += sides[end].direction;
    if (balance != 0) return false;
  }
  return true;
}

CrowdedFaces find_crowded_faces(const Mesh& mesh) {
  return mesh.dim == 3 ? find_crowded(mesh, mesh.tets) : find_crowded(mesh, mesh.triangles);
}

}  // namespace clearance
