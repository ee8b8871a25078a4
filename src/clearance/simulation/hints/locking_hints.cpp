#include "clearance/simulation/hints/locking_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "clearance/geometry/edge_length.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/principal_axes.h"
#include "clearance/math/elementary.h"
#include "clearance/scene/body_remesh.h"
#include "clearance/simulation/hints/bending_loads.h"
#include "clearance/simulation/stiffness/load_errors.h"

namespace clearance {

namespace {

/// Factor by which a single element through the thickness bends too stiffly. Measured values are 4.2 to 9.4; they are
/// higher for longer elements and larger Poisson's ratios.
constexpr double bending_factor_of_one_element = 7.0;

/// Computes the extents of some vertices along axes [m].
template <class Indices>
Vec<3> extents_along(const Mat<3>& axes, const Vertices& vertices, const Indices& indices) {
  BoundingBox box;
  for (const int v : indices) box.extend(axes.transpose() * vertices[v]);
  return box.size();
}

/// Computes the mean extents of the elements along axes [m].
template <class Elements>
Vec<3> mean_extents(const Mat<3>& axes, const Vertices& vertices, const Elements& elements) {
  Vec<3> sum = Vec<3>::Zero();
  for (const auto& element : elements) sum += extents_along(axes, vertices, element);
  return sum / static_cast<double>(elements.size());
}

struct Shape {
  double length = 0.0;  // [m]
  // Extent [m]; for curved bodies the thickness of a plate with their volume and surface, half that of a rod.
  double thickness = 0.0;
  // Thickness [m] that bends under the weight: the extent, or the thickness of curved walls.
  double sag_thickness = 0.0;
  bool is_slender = false;
  double element_length = 0.0, element_thickness = 0.0;  // [m] mean values
  bool is_straight = false;                              // true if the body is slender along a line or in a plane
  Mat<3> axes = Mat<3>::Identity();                      // columns; the axis of the shortest extent is the first
  Vec<3> extents = Vec<3>::Zero();                       // [m] extents along the axes
};

/// Measures the mean lengths [m] of elements that lie in all directions: the thickness from the smallest height, which
/// is half the diagonal of a cell's face, and the length from the mean edge. Both are scaled to the side of a cubic
/// cell that is cut into six tetrahedra (2D: into two triangles).
void measure_elements(const Mesh& mesh, Shape& shape) {
  const auto at = [&](int v) { return mesh.vertices[v]; };
  double height = 0.0;
  const auto add = [&](const auto& element) {
    double smallest = infinity;
    for (std::size_t i = 0; i < element.size(); ++i) {
      // The height above the opposite face is a volume divided by an area; in 2D an area divided by a length.
      const Vec<3> a = at(element[(i + 1) % element.size()]), u = at(element[(i + 2) % element.size()]) - a,
                   w = at(element[i]) - a;
      if (element.size() == 3) {
        smallest = std::min(smallest, u.cross(w).norm() / u.norm());
      } else {
        const Vec<3> normal = u.cross(Vec<3>(at(element[(i + 3) % element.size()]) - a));
        smallest = std::min(smallest, std::abs(normal.dot(w)) / normal.norm());
      }
    }
    height += smallest;
  };
  std::size_t count = 0;
  if (mesh.dim == 2) {
    for (const auto& triangle : mesh.triangles) add(triangle);
    count = mesh.triangles.size();
  } else {
    for (const auto& tet : mesh.tets) add(tet);
    count = mesh.tets.size();
  }
  const double mean_edge_of_cell = mesh.dim == 2 ? 1.138 : 1.263;
  shape.element_thickness = std::sqrt(2.0) * height / static_cast<double>(count);
  shape.element_length = mean_edge_length(mesh) / mean_edge_of_cell;
}

Shape shape_of(const BodyInstance& body, double surface_area) {
  constexpr double slenderness = 4.0;
  const Mesh& mesh = body.mesh;
  const bool is_plane = mesh.dim == 2;
  const Mat<3> axes = principal_axes(mesh.vertices);
  BoundingBox box;
  for (const Vec<3>& x : mesh.vertices) box.extend(axes.transpose() * x);
  const Vec<3> extents = box.size();
  const int thin = is_plane ? 1 : 0;
  Shape shape;
  shape.length = extents[2];
  shape.thickness = shape.sag_thickness = extents[thin];
  shape.axes = axes;
  shape.extents = extents;
  shape.is_slender = shape.length > slenderness * shape.thickness;
  const double volume = is_plane ? mass_properties_of_triangles(mesh.vertices, mesh.triangles).measure
                                 : mass_properties_of_tets(mesh.vertices, mesh.tets).measure;
  if (shape.is_slender) {
    // Elements of bodies that are bent or have holes lie in all directions. (A square across its diagonals fills a
    // half.)
    constexpr double least_filling = 0.4;
    const double room = is_plane ? extents[1] * extents[2] : extents.prod();
    if (volume < least_filling * room) {
      shape.thickness = std::min(shape.thickness, 2.0 * volume / surface_area);
      measure_elements(mesh, shape);
      return shape;
    }
    // The axes across a square beam may be its diagonals, so that the extent along them is too large.
    if (!is_plane) shape.thickness = std::min(shape.thickness, std::sqrt(volume / shape.length));
    const Vec<3> of_elements =
        is_plane ? mean_extents(axes, mesh.vertices, mesh.triangles) : mean_extents(axes, mesh.vertices, mesh.tets);
    shape.element_length = of_elements[2];
    shape.element_thickness = of_elements[thin];
    shape.is_straight = true;
    return shape;
  }
  // The rest are curved plates, walls and rings. A single element is no wall, even if it has little volume for its
  // surface.
  constexpr std::size_t fewest_elements = 24;
  if (std::max(mesh.tets.size(), mesh.triangles.size()) < fewest_elements) return shape;
  shape.thickness = shape.sag_thickness = 2.0 * volume / surface_area;
  shape.is_slender = shape.length > 2.0 * slenderness * shape.thickness;
  measure_elements(mesh, shape);
  return shape;
}

/// Returns the ratio that acts in the plane as that of plane strain: locking is a matter of plane strain and of space.
double poisson_ratio_of(const MaterialDesc& material) {
  const double nu = material.poisson_ratio;
  return material.plane_stress ? nu / (1.0 + nu) : nu;
}

/// Returns the factor by which a straight beam or plate bends too stiffly: strains across an element do not vary, and
/// its shear cannot vanish. The formula is fitted to cantilevers of length 10 with 1, 2 and 4 cells through their
/// thickness, which are 0.25 to 5 thicknesses long, with Poisson's ratios 0.3 and 0.4 (factors of 1.3 to 28). It is
/// accurate within 20 %.
double bending_factor(const Shape& shape, double poisson_ratio) {
  const double across = shape.element_thickness / shape.thickness, along = shape.element_length / shape.thickness;
  const double nu = poisson_ratio;
  const double held_sideways = (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));  // stiffness in units of Young's modulus
  return 1.0 + 2.2 * held_sideways * across * across + 1.1 * along * along;
}

/// Returns true if the body bends under its own weight by more than its length even though its elements are too stiff.
/// It then hangs like cloth, and bending carries nothing. The sag is that of a beam on two supports:
/// 5/32 rho g L^4 / (E t^2).
bool hangs_like_cloth(const SceneDesc& desc, const MaterialDesc& material, const Shape& shape) {
  const double sag = 5.0 / 32.0 * material.density * desc.gravity.norm() * elementary::pow(shape.length, 4) /
                     (material.youngs_modulus * shape.sag_thickness * shape.sag_thickness);
  return sag > bending_factor_of_one_element * shape.length;
}

/// Returns the factor by which a cantilever with four elements through its thickness bends too stiffly: 1.7 at 0.45,
/// 2.0 at 0.47, 3.5 at 0.49, 20 at 0.499.
double volumetric_factor(double poisson_ratio) {
  return 1.3 + 0.0185 / (0.5 - poisson_ratio);
}

/// True if the body is so stiff that its own weight hardly strains it. One that nothing holds then moves as it would if
/// it were rigid; a run tells where impacts strain it.
bool is_hardly_strained(const SceneDesc& desc, const BodyInstance& body) {
  constexpr double harmless_strain = 1e-3;
  const BodyDesc& given = desc.bodies[body.desc];
  const double size = bounding_box(body.mesh.vertices).diagonal();
  return desc.time.integrator != TimeIntegrator::quasi_static && given.motions.empty() && given.loads.empty() &&
         given.stiff_parts.empty() &&
         given.material.density * desc.gravity.norm() * size < harmless_strain * given.material.youngs_modulus;
}

/// The first body of a kind, and the number of such bodies.
struct Found {
  std::size_t count = 0;
  const BodyInstance* body = nullptr;
  Shape shape;

  void add(const BodyInstance& another, const Shape& its_shape) {
    if (count++ > 0) return;
    body = &another;
    shape = its_shape;
  }
};

constexpr const char* name_of_warning = "coarse_elements";

/// True if elements of the body are split where it bends.
bool gets_more_elements(const SceneDesc& desc, const BodyDesc& body) {
  const RemeshDesc* remesh = find_remesh(desc, body);
  return remesh != nullptr && remesh->split;
}

/// Returns what an advice to raise the order adds for a body whose elements adapt, which only linear ones do.
const char* in_place_of_remesh(const SceneDesc& desc, const BodyDesc& body) {
  return find_remesh(desc, body) == nullptr ? "" : " in place of `remesh`";
}

std::string text_of(const Found& found) {
  return fmt::format("body '{}'{}, {:.3g} m long and {:.2g} m thin, at {},", found.body->name,
                     and_more(found.count - 1), found.shape.length, found.shape.thickness,
                     place_text(found.body->mesh.vertices[0]));
}

void warn_of_single_elements(const SceneDesc& desc, const Found& found, NamedHints& hints) {
  if (found.count == 0) return;
  add_named_hint(hints, name_of_warning, shape_place(desc, found.body->desc),
                 text_of(found) +
                     " has a single linear element through its thickness and is four to nine times too stiff in "
                     "bending; with two elements it is about two times too stiff, with four 1.3 times, if they are as "
                     "short in all directions; with `\"order\": 2`" +
                     in_place_of_remesh(desc, desc.bodies[found.body->desc]) + " a single element bends correctly");
}

/// Warns of a body whose elements adapt. The error that remains was measured on cantilevers of one element through
/// their thickness.
void warn_of_adapting_elements(const SceneDesc& desc, const Found& found, NamedHints& hints) {
  if (found.count == 0) return;
  const RemeshDesc& remesh = *find_remesh(desc, desc.bodies[found.body->desc]);
  add_named_hint(
      hints, name_of_warning, shape_place(desc, found.body->desc),
      fmt::format(
          "{} starts with a single linear element through its thickness; its elements adapt (`remesh`), but with a "
          "relative_gain of {:g} it still bends about a tenth too little; compare with a run with a tenth of that gain",
          text_of(found), remesh.relative_gain));
}

double factor_of(const SceneDesc& desc, const Found& found) {
  return bending_factor(found.shape, poisson_ratio_of(desc.bodies[found.body->desc].material));
}

void warn_of_long_elements(const SceneDesc& desc, const Found& found, NamedHints& hints) {
  if (found.count == 0) return;
  const MaterialDesc& material = desc.bodies[found.body->desc].material;
  Shape short_elements;
  short_elements.thickness = 1.0;
  short_elements.element_length = short_elements.element_thickness = 0.25;
  add_named_hint(
      hints, name_of_warning, shape_place(desc, found.body->desc),
      fmt::format(
          "{} has linear elements that are {:.2g} m long along it and {:.2g} m through its thickness, so that it is "
          "about {:.2g} times too stiff in bending; with elements no longer than a fourth of its thickness, in all "
          "directions, it is about {:.2g} times too stiff; with `\"order\": 2`{} it bends correctly",
          text_of(found), found.shape.element_length, found.shape.element_thickness, factor_of(desc, found),
          bending_factor(short_elements, poisson_ratio_of(material)),
          in_place_of_remesh(desc, desc.bodies[found.body->desc])));
}

/// Warns of elements that are good enough for most bodies, but not for one that is held and loaded to bend. Boxes that
/// the program generates are cut along one diagonal everywhere, which couples bending in one plane with the other: a
/// beam of two cells moved sideways by 17 % of its deflection at a Poisson's ratio of 0.3, and by 38 % at 0.495.
void warn_of_bent_bodies(const SceneDesc& desc, const Found& found, NamedHints& hints) {
  if (found.count == 0) return;
  const BodyDesc& given = desc.bodies[found.body->desc];
  const double factor = factor_of(desc, found);
  const bool is_cut_alike = given.generator && given.generator->kind == GeneratorKind::box && factor > 1.3;
  add_named_hint(
      hints, name_of_warning, shape_place(desc, found.body->desc),
      fmt::format(
          "{} is held and loaded so that it bends, and its linear elements, {:.2g} m through its thickness, make it "
          "about {:.2g} times too stiff, so that it bends about {:.0f} % too little{}; use `\"order\": 2`{}, which "
          "bends "
          "correctly, or elements of half the length, which quarter the error",
          text_of(found), found.shape.element_thickness, factor, 100.0 * (1.0 - 1.0 / factor),
          is_cut_alike
              ? ", and sideways by up to a third of that, because all of its cells are cut along the same diagonal"
              : "",
          in_place_of_remesh(desc, given)));
}

/// Estimates of the bodies that strain under the loads of a quasi-static scene, from one linear solve.
class ForeseenErrors {
 public:
  ForeseenErrors(const SceneDesc& desc, const SceneModel& scene) {
    for (const DiscretisationError& error : foresee_discretisation_errors(desc, scene)) {
      // Elements that adapt get shorter in the run.
      if (error.strain > 0.0 && !gets_more_elements(desc, desc.bodies[scene.bodies[error.body].desc])) {
        errors_[error.body] = error;
      }
    }
  }

  bool has(int body) const { return errors_.count(body) > 0; }

  void warn(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) const {
    std::size_t count = 0;
    const DiscretisationError* worst = nullptr;
    for (const auto& [body, error] : errors_) {
      if (error.displacement <= tolerated_error) continue;
      ++count;
      if (worst == nullptr || error.displacement > worst->displacement) worst = &error;
    }
    if (worst == nullptr) return;
    const BodyInstance& body = scene.bodies[worst->body];
    add_named_hint(hints, name_of_warning, shape_place(desc, body.desc),
                   fmt::format("body '{}'{} has too coarse elements: its displacements under the loads will be about "
                               "{:.2g} % too small, as one linear solve estimates; most of the error comes from {}; {}",
                               body.name, and_more(count - 1), 100.0 * worst->displacement, place_text(worst->where),
                               remedy_for(*worst)));
  }

 private:
  std::map<int, DiscretisationError> errors_;
};

void warn_of_bending(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces,
                     const ForeseenErrors& foreseen, NamedHints& hints) {
  constexpr double largest_factor = 4.0, largest_factor_of_bent = 1.1;
  constexpr double good_gain = 1e-5;  // relative_gain that leaves a small error
  Found single, long_elements, adapting, bent;
  for (int b = 0; b < surfaces.count(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    if (body.kind != BodyKind::deformable || body.mesh.has_curved_cells() || foreseen.has(b)) continue;
    const BodyDesc& body_desc = desc.bodies[body.desc];
    const RemeshDesc* remesh = find_remesh(desc, body_desc);
    const bool adapts = gets_more_elements(desc, body_desc);
    if (adapts && (remesh->criterion != RemeshCriterion::energy || remesh->error > 0.0 || remesh->gain > 0.0 ||
                   remesh->relative_gain <= good_gain)) {
      continue;
    }
    const Shape shape = shape_of(body, surfaces.area(b));
    const MaterialDesc& material = body_desc.material;
    if (!shape.is_slender || hangs_like_cloth(desc, material, shape)) continue;
    // If all vertices are on the surface, no place has two elements between both sides.
    const bool is_single = surfaces.num_vertices(b) == static_cast<int>(body.mesh.vertices.size());
    const double factor = bending_factor(shape, poisson_ratio_of(material));
    if (adapts) {
      if (is_single) adapting.add(body, shape);
    } else if (is_single) {
      single.add(body, shape);
    } else if (shape.is_straight && factor > largest_factor) {
      long_elements.add(body, shape);
    } else if (factor > largest_factor_of_bent &&
               is_bent(desc, scene, {b, shape.axes, shape.extents, shape.is_straight})) {
      bent.add(body, shape);
    }
  }
  warn_of_single_elements(desc, single, hints);
  warn_of_adapting_elements(desc, adapting, hints);
  warn_of_long_elements(desc, long_elements, hints);
  warn_of_bent_bodies(desc, bent, hints);
}

void warn_of_poisson_ratios(const SceneDesc& desc, const SceneModel& scene, const ForeseenErrors& foreseen,
                            NamedHints& hints) {
  constexpr double highest = 0.45;
  std::vector<char> is_linear(desc.bodies.size(), 0);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    if (body.mesh.has_curved_cells() || foreseen.has(static_cast<int>(b)) || is_hardly_strained(desc, body)) continue;
    is_linear[body.desc] = 1;
  }
  std::size_t num_found = 0, first = 0;
  for (std::size_t d = 0; d < desc.bodies.size(); ++d) {
    const BodyDesc& body = desc.bodies[d];
    if (body.kind != BodyKind::deformable || !is_linear[d]) continue;
    if (poisson_ratio_of(body.material) > highest && num_found++ == 0) first = d;
  }
  if (num_found == 0) return;
  const double ratio = desc.bodies[first].material.poisson_ratio;
  add_named_hint(
      hints, name_of_warning, fmt::format("bodies[{}].material.poisson_ratio", first),
      fmt::format("body '{}'{} has linear elements, which lock if the material is nearly incompressible: with "
                  "Poisson's ratio {:g} and four elements through its thickness the body is about {:.2g} times too "
                  "stiff in bending; use a ratio of at most {:g}, more elements, or `\"order\": 2`{}",
                  desc.bodies[first].name, and_more(num_found - 1), ratio, volumetric_factor(ratio), highest,
                  in_place_of_remesh(desc, desc.bodies[first])));
}

/// Warns of linear elements that may yield. Plastic flow keeps the volume, as a Poisson's ratio of 0.5 does: the
/// outside of a pipe of 16 linear triangles through its wall moved by 26 % too little to 24 % too far.
void warn_of_flow(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  const auto yields = [](const MaterialDesc& material) { return material.yield_stress || !material.hardening.empty(); };
  std::size_t num_found = 0;
  const BodyInstance* first = nullptr;
  for (const BodyInstance& body : scene.bodies) {
    if (body.kind != BodyKind::deformable || body.mesh.has_curved_cells()) continue;
    const BodyDesc& given = desc.bodies[body.desc];
    const bool may_yield =
        yields(given.material) || std::any_of(given.material_parts.begin(), given.material_parts.end(),
                                              [&](const MaterialPartDesc& part) { return yields(part.material); });
    if (may_yield && num_found++ == 0) first = &body;
  }
  if (first == nullptr) return;
  add_named_hint(hints, name_of_warning, shape_place(desc, first->desc),
                 fmt::format("body '{}'{} may yield and has linear elements, which lock where a material flows; use "
                             "`\"order\": 2`{}",
                             first->name, and_more(num_found - 1), in_place_of_remesh(desc, desc.bodies[first->desc])));
}

}  // namespace

void warn_of_locking(const SceneDesc& desc, const SceneModel& scene, const BodySurfaces& surfaces, NamedHints& hints) {
  const ForeseenErrors foreseen(desc, scene);
  foreseen.warn(desc, scene, hints);
  warn_of_bending(desc, scene, surfaces, foreseen, hints);
  warn_of_poisson_ratios(desc, scene, foreseen, hints);
  warn_of_flow(desc, scene, hints);
}

}  // namespace clearance
