#include "clearance/simulation/build/affine_stiffness.h"

#include <algorithm>
#include <utility>

#include "clearance/geometry/mass_properties.h"
#include "clearance/simulation/build/load_size.h"

namespace clearance {

namespace {

constexpr double wave_speed = 1e4;          // [m/s] c
constexpr double strain_of_impacts = 1e-4;  // e_i
constexpr double strain_of_loads = 1e-5;    // e_l
constexpr double stiffer_than_others = 10.0;
/// Largest kappa h^2 / (rho R^2). A cube of 1 m that tumbles over the ground for 2 s deviates from a rigid one by
/// 5e-3 m at 33, by 3e-4 m at 330, by 3e-5 m from 3e3 to 3e10 (which the tolerance allows), by 6e-4 m at 3e12 and by
/// 2e-2 m at 3e13, where rounding hides its inertia. The number of iterations rises by a third from 3e3 to 3e8, and is
/// twice as high at 3e11.
constexpr double largest_ratio = 1e11;

/// Computes the mass of a deformable body [kg] without that of its stiff parts; curved elements count by their corners.
double mass_of_elements(const BodyInstance& body, const BodyDesc& desc) {
  // The elements of the start are used, because the choice must not change as elements adapt.
  const Mesh& mesh = body.adapted ? body.adapted->start->mesh : body.mesh;
  const double volume = mesh.dim == 2 ? mass_properties_of_triangles(mesh.vertices, mesh.triangles).measure
                                      : mass_properties_of_tets(mesh.vertices, mesh.tets).measure;
  return desc.material.density * volume;
}

/// Computes the surface of the body's box [m^2]; 2D: its perimeter [m].
double surface_of_box(const BodyInstance& body) {
  const Vec<3> size = bounding_box(body.mesh.vertices).size();
  if (body.mesh.dim == 2) return 2.0 * (size[0] + size[1]);
  return 2.0 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]);
}

/// Estimates the force of a load [N] on a body of this mass and radius.
double force_of(const LoadDesc& load, double value, const BodyInstance& body, double mass, double radius) {
  switch (load.kind) {
    case LoadKind::acceleration:
      return mass * value;
    case LoadKind::traction:
    case LoadKind::pressure:
      return surface_of_box(body) * value;
    case LoadKind::force:
      return value;
    case LoadKind::torque:
      return radius > 0.0 ? value / radius : 0.0;
  }
  return 0.0;
}

class Chooser {
 public:
  Chooser(const SceneDesc& scene, const std::vector<BodyInstance>& bodies, const std::vector<StiffUnit>& units,
          std::vector<double> masses)
      : scene_(scene), bodies_(bodies), units_(units), controls_(controls_of(scene)) {
    add_forces(std::move(masses));
    for (const BodyInstance& body : bodies) {
      if (body.kind != BodyKind::deformable || body.is_obstacle) continue;
      const BodyDesc& desc = desc_of(body);
      modulus_ = std::max(modulus_, desc.material.youngs_modulus);
      for (const MaterialPartDesc& part : desc.material_parts) {
        modulus_ = std::max(modulus_, part.material.youngs_modulus);
      }
    }
  }

  double stiffness_of(const StiffUnit& unit) const {
    const double rho = density_of(unit), radius = unit.frame.radius;
    const double of_step = radius * radius / (scene_.time.step * scene_.time.step);  // [m^2/s^2]
    const bool has_inertia = scene_.time.integrator != TimeIntegrator::quasi_static;
    double kappa = wave_speed_ * wave_speed_ * rho;
    if (has_inertia) kappa = std::max(kappa, rho * of_step / (8.0 * strain_of_impacts));
    kappa = std::max(
        {kappa, force_ * radius / (16.0 * strain_of_loads * unit.frame.volume), stiffer_than_others * modulus_});
    return has_inertia ? std::min(kappa, largest_ratio * rho * of_step) : kappa;
  }
  double force() const { return force_; }

 private:
  const BodyDesc& desc_of(const BodyInstance& body) const { return scene_.bodies[body.desc]; }

  /// Returns the density [kg/m^3]. A density that the scene gives is taken as it is, so that the choice does not depend
  /// on rounding. If the scene gives an inertia, it may be that of more than the mass within the radius; the larger
  /// density counts.
  double density_of(const StiffUnit& unit) const {
    const BodyDesc& desc = desc_of(bodies_[unit.body]);
    if (!unit.is_part() && (desc.mass || desc.inertia)) {
      const AffineFrame& frame = unit.frame;
      const double of_inertia = frame.second_moment.maxCoeff() / (frame.radius * frame.radius);
      return std::max(frame.mass, of_inertia) / frame.volume;
    }
    if (!unit.is_part()) return desc.material.density;
    return unit.frame.mass / unit.frame.volume;
  }

  /// Sums the weights and loads of all bodies, because any of them may come to press on one body. `mass` [kg] has the
  /// bodies that are neither solids nor stiff.
  void add_forces(std::vector<double> mass) {
    const double g = scene_.gravity.norm();
    std::vector<double> radius(bodies_.size(), 0.0);
    for (const StiffUnit& unit : units_) {
      const std::size_t b = unit.body;
      if (!unit.is_part()) mass[b] = unit.frame.mass, radius[b] = unit.frame.radius;
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const BodyInstance& body = bodies_[b];
      if (body.is_obstacle) continue;
      if (body.kind == BodyKind::deformable) mass[b] = mass_of_elements(body, desc_of(body));
      force_ += mass[b] * g;
      for (const LoadDesc& load : desc_of(body).loads) {
        const double duration = scene_.time.duration;
        const double value = load.kind == LoadKind::pressure ? largest_pressure(load, duration, controls_)
                                                             : largest_value(load, body, duration, controls_).norm();
        force_ += force_of(load, value, body, mass[b], radius[b]);
      }
    }
  }

  const SceneDesc& scene_;
  const std::vector<BodyInstance>& bodies_;
  const std::vector<StiffUnit>& units_;
  Controls controls_;
  double wave_speed_ = unit_system_of(scene_).from_si(wave_speed, dimension::speed);
  double force_ = 0.0;    // [N]
  double modulus_ = 0.0;  // [Pa]
};

}  // namespace

void choose_stiffness(const SceneDesc& scene, const std::vector<BodyInstance>& bodies, std::vector<StiffUnit>& units) {
  const auto has_none = [](const StiffUnit& unit) { return !(unit.stiffness > 0.0); };
  if (std::none_of(units.begin(), units.end(), has_none)) return;
  const Chooser chooser(scene, bodies, units, std::vector<double>(bodies.size(), 0.0));
  for (StiffUnit& unit : units) {
    if (has_none(unit)) unit.stiffness = chooser.stiffness_of(unit);
  }
}

double sum_of_loads(const SceneDesc& scene, const std::vector<BodyInstance>& bodies,
                    const std::vector<StiffUnit>& units, std::vector<double> thin_masses) {
  return Chooser(scene, bodies, units, std::move(thin_masses)).force();
}

}  // namespace clearance
