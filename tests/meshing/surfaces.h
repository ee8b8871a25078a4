// Surfaces that tests fill: good ones, and the same broken on purpose.
#pragma once

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/surface.h"

namespace clearance::test {

inline Mesh box_surface(const Vec<3>& size) {
  return surface_of(make_box(size, {1, 1, 1}));
}

inline Mesh sphere_surface(double radius, int layers) {
  return surface_of(make_sphere(radius, layers));
}

inline Mesh moved(Mesh mesh, const Vec<3>& by) {
  for (Vec<3>& x : mesh.vertices) x += by;
  return mesh;
}

/// Returns both surfaces in one mesh.
inline Mesh joined(const Mesh& a, const Mesh& b) {
  Mesh both = a;
  const int first = static_cast<int>(a.vertices.size());
  both.vertices.insert(both.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& [i, j, k] : b.triangles) both.triangles.push_back({first + i, first + j, first + k});
  for (const auto& [i, j] : b.edges) both.edges.push_back({first + i, first + j});
  return both;
}

/// Returns the mesh with three vertices per triangle, as in an STL file.
inline Mesh as_soup(const Mesh& mesh) {
  Mesh soup;
  for (const auto& triangle : mesh.triangles) {
    const int first = static_cast<int>(soup.vertices.size());
    for (const int v : triangle) soup.vertices.push_back(mesh.vertices[v]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  return soup;
}

/// Returns the mesh with some triangles turned around.
inline Mesh with_turned(Mesh mesh, int every) {
  for (std::size_t f = 0; f < mesh.triangles.size(); f += static_cast<std::size_t>(every)) {
    std::swap(mesh.triangles[f][1], mesh.triangles[f][2]);
  }
  return mesh;
}

inline Mesh with_hole(Mesh mesh) {
  mesh.triangles.pop_back();
  return mesh;
}

/// Returns the mesh with a triangle that hangs in the air, half inside.
inline Mesh with_loose_triangle(const Mesh& mesh) {
  Mesh loose;
  const BoundingBox box = bounding_box(mesh.vertices);
  const Vec<3> middle = 0.5 * (box.min + box.max), size = box.size();
  loose.vertices = {middle, middle + Vec<3>(0.6 * size[0], 0.1 * size[1], 0.0),
                    middle + Vec<3>(0.6 * size[0], 0.0, 0.1 * size[2])};
  loose.triangles = {{0, 1, 2}};
  return joined(mesh, loose);
}

inline double volume_inside(const Mesh& surface) {
  return mass_properties_of_solid(surface.vertices, surface.triangles).measure;
}

}  // namespace clearance::test
