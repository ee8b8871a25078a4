#include "clearance/simulation/locking_hints.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

namespace {

/// Measured: 4.2 to 9.4, more for longer elements and larger Poisson's ratios.
constexpr double bending_factor_of_one_element = 7.0;

/// [m] along the principal axes of the body's vertices, smallest first.
Vec<3> principal_extents(const Vertices& vertices) {
  Vec<3> mean = Vec<3>::Zero();
  for (const Vec<3>& x : vertices) mean += x / static_cast<double>(vertices.size());
  Mat<3> moments = Mat<3>::Zero();
  for (const Vec<3>& x : vertices) moments += (x - mean) * (x - mean).transpose();
  const Mat<3> axes = Eigen::SelfAdjointEigenSolver<Mat<3>>(moments).eigenvectors();
  BoundingBox box;
  for (const Vec<3>& x : vertices) box.extend(axes.transpose() * (x - mean));
  return box.size();
}

struct Shape {
  double length = 0.0;     // [m]
  double thickness = 0.0;  // [m] extent; of curved bodies that of a plate of their volume and surface, half a rod's
  bool is_slender = false;
};

Shape shape_of(const BodyInstance& body, double surface_area) {
  constexpr double slenderness = 4.0;
  const Mesh& mesh = body.mesh;
  const bool is_plane = mesh.dim == 2;
  const Vec<3> extents = principal_extents(mesh.vertices);
  Shape shape{extents[2], extents[is_plane ? 1 : 0], false};
  shape.is_slender = shape.length > slenderness * shape.thickness;
  // Curved plates, walls and rings. A single element is no wall, however little room it has inside.
  constexpr std::size_t fewest_elements = 24;
  if (shape.is_slender || std::max(mesh.tets.size(), mesh.triangles.size()) < fewest_elements) return shape;
  const double volume = is_plane ? mass_properties_of_triangles(mesh.vertices, mesh.triangles).measure
                                 : mass_properties_of_tets(mesh.vertices, mesh.tets).measure;
  shape.thickness = 2.0 * volume / surface_area;
  shape.is_slender = shape.length > 2.0 * slenderness * shape.thickness;
  return shape;
}

/// Does it bend under its own weight by more than its length, too stiff as it is? Then it hangs like cloth, and bending
/// carries nothing. Sag of a beam on two supports: 5/32 rho g L^4 / (E t^2).
bool hangs_like_cloth(const SceneDesc& desc, const MaterialDesc& material, const Shape& shape) {
  const double sag = 5.0 / 32.0 * material.density * desc.gravity.norm() * std::pow(shape.length, 4) /
                     (material.youngs_modulus * shape.thickness * shape.thickness);
  return sag > bending_factor_of_one_element * shape.length;
}

/// Of a cantilever with four elements through its thickness: 1.7 at 0.45, 2.0 at 0.47, 3.5 at 0.49, 20 at 0.499.
double volumetric_factor(double poisson_ratio) {
  return 1.3 + 0.0185 / (0.5 - poisson_ratio);
}

void warn_of_bending(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces, Issues& hints) {
  std::size_t num_found = 0;
  const BodyInstance* first = nullptr;
  Shape first_shape;
  for (int b = 0; b < surfaces.count(); ++b) {
    const BodyInstance& body = scene.bodies[static_cast<std::size_t>(b)];
    // Without a vertex inside, no place has two elements between both sides.
    if (body.kind != BodyKind::deformable || surfaces.num_vertices(b) < static_cast<int>(body.mesh.vertices.size())) {
      continue;
    }
    const Shape shape = shape_of(body, surfaces.area(b));
    const MaterialDesc& material = desc.bodies[static_cast<std::size_t>(body.desc)].material;
    if (!shape.is_slender || hangs_like_cloth(desc, material, shape)) continue;
    if (num_found++ > 0) continue;
    first = &body;
    first_shape = shape;
  }
  if (num_found == 0) return;
  add_hint(hints, shape_place(desc, first->desc),
           fmt::format("body '{}'{}, {:.3g} m long and {:.2g} m thin, at {}, has a single linear element through its "
                       "thickness and bends four to nine times too stiffly; two elements make that about two times, "
                       "four 1.3 times, if they are as short in all directions",
                       first->name, and_more(num_found - 1), first_shape.length, first_shape.thickness,
                       place_text(first->mesh.vertices[0])));
}

void warn_of_poisson_ratios(const SceneDesc& desc, Issues& hints) {
  constexpr double highest = 0.45;
  std::size_t num_found = 0, first = 0;
  for (std::size_t d = 0; d < desc.bodies.size(); ++d) {
    const BodyDesc& body = desc.bodies[d];
    if (body.kind == BodyKind::deformable && body.material.poisson_ratio > highest && num_found++ == 0) first = d;
  }
  if (num_found == 0) return;
  const double ratio = desc.bodies[first].material.poisson_ratio;
  add_hint(hints, fmt::format("bodies[{}].material.poisson_ratio", first),
           fmt::format("body '{}'{}: linear elements lock where the material hardly changes its volume: with Poisson's "
                       "ratio {:g} and four of them through its thickness it bends about {:.2g} times too stiffly; "
                       "take at most {:g}, or more elements",
                       desc.bodies[first].name, and_more(num_found - 1), ratio, volumetric_factor(ratio), highest));
}

}  // namespace

void warn_of_locking(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces, Issues& hints) {
  warn_of_bending(desc, scene, surfaces, hints);
  warn_of_poisson_ratios(desc, hints);
}

}  // namespace clearance
