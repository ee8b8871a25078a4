#include "clearance/simulation/hints/unit_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "clearance/math/elementary.h"
#include "clearance/simulation/hints/body_facts.h"
#include "clearance/simulation/load/mesh_units.h"

namespace clearance {

namespace {

constexpr double largest_size = 1e3;    // [m]
constexpr double smallest_size = 1e-5;  // [m]
constexpr double largest_mass = 1e7;    // [kg] mass of a cube of water of 22 m
constexpr double largest_ratio = 1e3;
constexpr double largest_mass_ratio = 1e8;
constexpr double largest_advance = 30.0;  // multiple of a body's size, per step

// Densities in g/cm^3 reach 22.6. Materials below 25 kg/m^3 are aerogels and foams, which carry sound at up to 600 m/s.
// A material with the right modulus and a density that is a thousand times too small carries it at 20 000 m/s and more.
constexpr double largest_density_in_g_cm3 = 25.0;  // [kg/m^3]
constexpr double fastest_light_sound = 700.0;      // [m/s]
// Metals, glass and concrete are the solids above 2000 kg/m^3 and carry sound at 3000 to 7000 m/s. With a modulus in
// MPa, the speed is a thousandth of that. Soft matter is lighter.
constexpr double least_density_of_stiff = 2000.0;           // [kg/m^3]
constexpr double slowest_sound = 3.0, fastest_sound = 7.0;  // [m/s]

/// Largest values of the bodies of an entry, and the box around all of them.
struct Entry {
  double size = 0.0;    // [m] largest extent
  double mass = 0.0;    // [kg]
  double height = 0.0;  // [m] largest extent along gravity
  BoundingBox box;
  bool is_obstacle = false;
};

/// Computes the extent of vertices along a direction [m].
double extent_along(const Vec<3>& direction, const Vertices& vertices) {
  double lowest = infinity, highest = -infinity;
  for (const Vec<3>& x : vertices) {
    lowest = std::min(lowest, direction.dot(x));
    highest = std::max(highest, direction.dot(x));
  }
  return highest - lowest;
}

std::vector<Entry> collect_entries(const SceneDesc& desc, const SceneModel& scene) {
  std::vector<Entry> entries(desc.bodies.size());
  const std::vector<double> masses = body_masses(scene);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    Entry& entry = entries[body.desc];
    const BoundingBox box = bounding_box(body.mesh.vertices);
    entry.size = std::max(entry.size, box.size().maxCoeff());
    entry.mass = std::max(entry.mass, masses[b]);
    const double g = desc.gravity.norm();
    if (g > 0.0) entry.height = std::max(entry.height, extent_along(desc.gravity / g, body.mesh.vertices));
    entry.is_obstacle = body.is_obstacle;
    entry.box.extend(box.min);
    entry.box.extend(box.max);
  }
  return entries;
}

/// Returns advice for lengths that may be in millimetres. Only files have units.
const char* if_millimetres(const BodyDesc& body) {
  return body.mesh.empty()
             ? "lengths are in metres; if the sizes are meant in millimetres, set `transform.scale` to 0.001"
             : "lengths are in metres; if the mesh is in millimetres, give the body `\"units\": \"mm\"`";
}

const char* density_unit(const SceneDesc& desc) {
  return desc.dimension == 2 ? "kg/m^2" : "kg/m^3";
}

/// Field that a warning is about; empty: the shape of the body.
struct Subject {
  const char* name;  ///< of the warning
  const char* field = "";
};

/// Warns of the first body for which `is_odd` is true, and of how many more there are.
template <class IsOdd, class Describe>
void warn_of_first(const SceneDesc& desc, const std::vector<Entry>& entries, const Subject& subject, NamedHints& hints,
                   const IsOdd& is_odd, const Describe& describe) {
  std::size_t num_found = 0, first = 0;
  for (std::size_t d = 0; d < entries.size(); ++d) {
    if (!entries[d].is_obstacle && entries[d].size > 0.0 && is_odd(d) && num_found++ == 0) first = d;
  }
  if (num_found == 0) return;
  const std::string place = *subject.field == 0 ? shape_place(desc, static_cast<int>(first))
                                                : fmt::format("bodies[{}].{}", first, subject.field);
  add_hint(
      hints, subject.name, place,
      fmt::format("body '{}'{}, with a size of {:.4g} m at {}, {}", desc.bodies[first].name, and_more(num_found - 1),
                  entries[first].size, place_text(entries[first].box.min), describe(first)));
}

void warn_of_sizes(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const auto is_of_file = [&](std::size_t d) { return !desc.bodies[d].mesh.empty(); };
  const auto largest_of = [&](std::size_t d) {
    return is_of_file(d) ? largest_size_of_file(desc.bodies[d].mesh) : largest_size;
  };
  const auto doubt_of_file = [&](std::size_t d) {
    return doubt_of_unit(desc.bodies[d].mesh, entries[d].size, "give the body `\"units\": \"mm\"`");
  };
  const auto is_large = [&](std::size_t d) { return entries[d].size > largest_of(d) && !desc.bodies[d].units; };
  const auto is_small = [&](std::size_t d) {
    return entries[d].size < (is_of_file(d) ? smallest_size_of_file : smallest_size) && !desc.bodies[d].units;
  };
  warn_of_first(desc, entries, {"doubtful_size"}, hints, is_large, [&](std::size_t d) {
    if (is_of_file(d)) return doubt_of_file(d);
    return fmt::format("is larger than a kilometre; {}", if_millimetres(desc.bodies[d]));
  });
  warn_of_first(desc, entries, {"doubtful_size"}, hints, is_small, [&](std::size_t d) {
    if (is_of_file(d)) return doubt_of_file(d);
    return std::string("is smaller than a hundredth of a millimetre; lengths are in metres (see `transform.scale`)");
  });
}

void warn_of_masses(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  if (desc.gravity.isZero(0.0)) return;
  // A mass that the scene gives is intended. Bodies that are too large have been reported already.
  const auto is_odd = [&](std::size_t d) {
    return entries[d].mass > largest_mass && !desc.bodies[d].mass && entries[d].size <= largest_size;
  };
  warn_of_first(desc, entries, {"doubtful_mass", "material.density"}, hints, is_odd, [&](std::size_t d) {
    return fmt::format("has a mass of {:.3g} kg; {}, and densities are in {}", entries[d].mass,
                       if_millimetres(desc.bodies[d]), density_unit(desc));
  });
}

/// Warns of stiff bodies whose given mass means an impossible mean density. Osmium has 22 600 kg/m^3, white dwarfs have
/// more than 1e6, and air has 1.2. Shapes that only stand for what touches may be far smaller than the body, and hollow
/// ones far lighter.
void warn_of_given_masses(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  constexpr double largest_density = 1e6, smallest_density = 1e-3;  // [kg/m^3]
  if (desc.dimension == 2) return;
  const auto density_of = [](const StiffUnit& unit) { return unit.frame.mass / unit.frame.volume; };
  std::vector<const StiffUnit*> odd;
  for (const StiffUnit& unit : scene.stiff_units) {
    const BodyDesc& body = desc.bodies[scene.bodies[unit.body].desc];
    if (unit.is_part() || !body.mass || body.inertia) continue;
    const double density = density_of(unit);
    if (!(density <= largest_density && density >= smallest_density)) odd.push_back(&unit);
  }
  if (odd.empty()) return;
  const StiffUnit& first = *odd.front();
  const int d = scene.bodies[first.body].desc;
  const double density = density_of(first);
  add_hint(
      hints, "doubtful_mass", fmt::format("bodies[{}].mass", d),
      fmt::format("body '{}'{} has {:.3g} kg in {:.3g} m^3, {:.2g} kg/m^3: {}; masses are in kg, lengths in metres",
                  desc.bodies[d].name, and_more(odd.size() - 1), first.frame.mass, first.frame.volume, density,
                  density > largest_density ? "no material is as dense (osmium has 22600)"
                                            : "that is less than a thousandth of the density of air"));
}

/// Computes the speed of a long wave along a bar [m/s], sqrt(E / rho).
double sound_speed(const MaterialDesc& material) {
  return std::sqrt(material.youngs_modulus / material.density);
}

/// Units in which a modulus and a density may have been entered, and what these are in SI.
struct MaterialUnits {
  const char* modulus;
  const char* density;
  double pascals, kilograms;  ///< [Pa], [kg/m^3] of one unit
  const char* advice;         ///< about everything else in these units
};

constexpr std::array<MaterialUnits, 5> material_units = {{
    {"GPa", "g/cm^3", 1e9, 1e3, ""},
    {"Pa", "g/cm^3", 1.0, 1e3, ""},
    {"MPa", "t/mm^3", 1e6, 1e12, "; in this system of units lengths are in mm; give them in m"},
    {"GPa", "kg/mm^3", 1e9, 1e9, "; in this system of units lengths are in mm; give them in m"},
    {"GPa", "kg/m^3", 1e9, 1.0, ""},
}};

/// Returns the units in which the modulus and the density are those of a dense solid, although they are not in SI; null
/// if there are none. Plastics, wood, glass, metals and stone have 500 to 23 000 kg/m^3 and carry sound at 1000 to
/// 13 000 m/s. Nothing that is as light as foam carries it at less than 20 m/s, unless it is as soft as a gel.
const MaterialUnits* find_units(const MaterialDesc& material) {
  constexpr double lightest = 500.0, heaviest = 23000.0;  // [kg/m^3]
  constexpr double slowest = 1000.0, fastest = 13000.0;   // [m/s]
  const double speed = sound_speed(material);
  const bool is_light = material.density < largest_density_in_g_cm3;
  const bool is_odd = is_light ? speed > fastest_light_sound || speed < fastest / 1000.0
                               : material.density >= least_density_of_stiff && speed < slowest_sound / 10.0;
  if (!is_odd) return nullptr;
  const auto fits = [&](const MaterialUnits& units) {
    const double density = material.density * units.kilograms;
    const double real_speed = speed * std::sqrt(units.pascals / units.kilograms);
    return density >= lightest && density <= heaviest && real_speed >= slowest && real_speed <= fastest;
  };
  const auto found = std::find_if(material_units.begin(), material_units.end(), fits);
  return found == material_units.end() ? nullptr : &*found;
}

/// Returns the field that is not in SI.
std::string_view field_of(const MaterialUnits& units) {
  if (units.pascals == 1.0) return "material.density";
  return units.kilograms == 1.0 ? "material.youngs_modulus" : "material";
}

/// True if the Young's modulus of the material decides how the body stretches. A given stiffness may be that of a weave
/// or a chain, which no material has.
bool uses_modulus(const BodyDesc& body) {
  if (body.kind == BodyKind::rod) return !(body.rod && body.rod->stretching_stiffness);
  if (body.kind == BodyKind::shell) return !(body.shell && body.shell->orthotropy);
  return body.kind == BodyKind::deformable;
}

/// Returns true if the modulus and the density of a body that deforms are those of a solid in other units.
bool has_other_units(const BodyDesc& body) {
  return uses_modulus(body) && find_units(body.material) != nullptr;
}

/// Warns of bodies that their own weight crushes. A column is squashed to nothing if its foot carries more than its
/// stiffness: rho g h > E. Published scenes of very soft bodies reach 1.2 E; moduli in MPa are off by a million.
/// Upright sheets do not count, because they are cloth, whatever their material.
void warn_of_stiffness(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const double g = desc.gravity.norm();
  const auto pressure = [&](std::size_t d) { return desc.bodies[d].material.density * g * entries[d].height; };
  const auto is_odd = [&](std::size_t d) {
    const Entry& entry = entries[d];
    const MaterialDesc& material = desc.bodies[d].material;
    const bool is_sheet = entry.mass / material.density < 0.05 * elementary::pow(entry.height, desc.dimension);
    return desc.bodies[d].kind == BodyKind::deformable && !has_other_units(desc.bodies[d]) && !is_sheet &&
           entry.size <= largest_size && pressure(d) > 10.0 * material.youngs_modulus;
  };
  warn_of_first(desc, entries, {"crushed_by_weight", "material.youngs_modulus"}, hints, is_odd, [&](std::size_t d) {
    return fmt::format(
        "is crushed by its own weight: its density of {:g} {} times gravity times its height of {:.4g} m is {:.3g} Pa, "
        "far more than its Young's modulus of {:.3g} Pa; moduli are in Pa (1 MPa is 1e6)",
        desc.bodies[d].material.density, density_unit(desc), entries[d].height, pressure(d),
        desc.bodies[d].material.youngs_modulus);
  });
}

void warn_of_material_units(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const auto describe = [&](std::size_t d) {
    const MaterialDesc& material = desc.bodies[d].material;
    const MaterialUnits& units = *find_units(material);
    return fmt::format(
        "has a Young's modulus of {:g} Pa and a density of {:g} kg/m^3, so that sound would run through it at {:.3g} "
        "m/s; these look like {:g} {} and {:g} {}, which are {:g} Pa and {:g} kg/m^3{}",
        material.youngs_modulus, material.density, sound_speed(material), material.youngs_modulus, units.modulus,
        material.density, units.density, material.youngs_modulus * units.pascals, material.density * units.kilograms,
        units.advice);
  };
  for (const char* field : {"material", "material.density", "material.youngs_modulus"}) {
    const auto is_odd = [&](std::size_t d) {
      return has_other_units(desc.bodies[d]) && field_of(*find_units(desc.bodies[d].material)) == field;
    };
    warn_of_first(desc, entries, {"doubtful_units", field}, hints, is_odd, describe);
  }
}

/// Warns of densities that are too small. Stiff bodies have no modulus, so that their density counts alone. In
/// published 2D scenes, the density of stiff bodies has no unit.
void warn_of_densities(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const auto is_odd = [&](std::size_t d) {
    const BodyDesc& body = desc.bodies[d];
    const bool is_light = body.material.density < largest_density_in_g_cm3 && !body.mass;
    if (has_other_units(body)) return false;
    return is_light && (is_stiff(body.kind) ? desc.dimension == 3 : sound_speed(body.material) > fastest_light_sound);
  };
  warn_of_first(desc, entries, {"doubtful_density", "material.density"}, hints, is_odd, [&](std::size_t d) {
    const BodyDesc& body = desc.bodies[d];
    const std::string what = fmt::format(
        "is lighter than foam, with a density of {:g} kg/m^3; densities are in kg/m^3 ({:g} g/cm^3 is {:g})",
        body.material.density, body.material.density, 1e3 * body.material.density);
    if (is_stiff(body.kind)) return what + "; if the body is hollow, give its `mass`";
    return fmt::format("{}; sound would run through it at {:.3g} m/s", what, sound_speed(body.material));
  });
}

void warn_of_moduli(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const auto is_odd = [&](std::size_t d) {
    const MaterialDesc& material = desc.bodies[d].material;
    const double speed = sound_speed(material);
    return uses_modulus(desc.bodies[d]) && material.density >= least_density_of_stiff && speed >= slowest_sound &&
           speed <= fastest_sound;
  };
  warn_of_first(desc, entries, {"doubtful_modulus", "material.youngs_modulus"}, hints, is_odd, [&](std::size_t d) {
    const MaterialDesc& material = desc.bodies[d].material;
    return fmt::format(
        "has the density of a metal or stone ({:g} kg/m^3), but with a Young's modulus of {:g} Pa sound runs through "
        "it at {:.2g} m/s; moduli are in Pa: {:g} MPa is {:g}",
        material.density, material.youngs_modulus, sound_speed(material), material.youngs_modulus,
        1e6 * material.youngs_modulus);
  });
}

/// Returns true if the small body is within its own size of the large one's box.
bool is_near(const Entry& small, const Entry& large) {
  return ((large.box.min - small.box.max).array() <= small.size).all() &&
         ((small.box.min - large.box.max).array() <= small.size).all();
}

/// Warns of bodies beside one that is a thousand times as large. Large obstacles are floors and walls and do not count.
void warn_of_ratios(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const auto find_large = [&](std::size_t small) {
    return std::find_if(entries.begin(), entries.end(), [&](const Entry& other) {
      return !other.is_obstacle && other.size >= largest_ratio * entries[small].size && is_near(entries[small], other);
    });
  };
  warn_of_first(
      desc, entries, {"unequal_sizes"}, hints, [&](std::size_t d) { return find_large(d) != entries.end(); },
      [&](std::size_t d) {
        const auto large = find_large(d);
        return fmt::format(
            "lies beside body '{}', whose size is {:.4g} m; check that both meshes are in metres, and correct them "
            "with `transform.scale`",
            desc.bodies[large - entries.begin()].name, large->size);
      });
}

/// Warns of bodies beside one that is far heavier. The light body is then no more than the rounding of what is computed
/// for the heavy one.
void warn_of_mass_ratios(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const auto find_heavy = [&](std::size_t light) {
    return std::find_if(entries.begin(), entries.end(), [&](const Entry& other) {
      const bool is_heavy = !other.is_obstacle && other.mass >= largest_mass_ratio * entries[light].mass;
      return is_heavy && other.size < largest_ratio * entries[light].size && is_near(entries[light], other);
    });
  };
  warn_of_first(
      desc, entries, {"unequal_masses", "material.density"}, hints,
      [&](std::size_t d) { return find_heavy(d) != entries.end(); },
      [&](std::size_t d) {
        const auto heavy = find_heavy(d);
        return fmt::format("has a mass of {:.2g} kg and lies beside body '{}' of {:.2g} kg; densities are in {}",
                           entries[d].mass, desc.bodies[heavy - entries.begin()].name, heavy->mass, density_unit(desc));
      });
}

void warn_of_speeds(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const auto advance = [&](std::size_t d) { return desc.time.step * desc.bodies[d].linear_velocity.norm(); };
  warn_of_first(
      desc, entries, {"doubtful_speed", "linear_velocity"}, hints,
      [&](std::size_t d) { return advance(d) > largest_advance * entries[d].size; },
      [&](std::size_t d) {
        return fmt::format(
            "moves {:.3g} m in every step, {:.2g} times its size; velocities are in m/s; with a step of {:.1g} s it "
            "would move no further than its size",
            advance(d), advance(d) / entries[d].size, desc.time.step * entries[d].size / advance(d));
      });
}

/// Warns of an absolute dhat that is large beside a body. The barrier throws apart bodies that start within its reach.
/// Relative lengths are bounded by the bodies themselves (contact_scales.h), absolute ones are not.
void warn_of_dhat(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  constexpr double largest_share = 0.3;
  if (!desc.contact.enabled || !desc.contact.dhat_is_absolute) return;
  const auto is_small = [&](std::size_t d) { return desc.contact.dhat > largest_share * entries[d].size; };
  for (std::size_t d = 0; d < entries.size(); ++d) {
    if (entries[d].is_obstacle || !(entries[d].size > 0.0) || !is_small(d)) continue;
    add_hint(hints, "large_dhat", "contact.dhat",
             fmt::format("surfaces repel each other at distances below {:g} m, but the size of body '{}' is only "
                         "{:.4g} m; dhat is in metres here, because of `dhat_is_absolute`",
                         desc.contact.dhat, desc.bodies[d].name, entries[d].size));
    return;
  }
}

}  // namespace

void warn_of_units(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  const std::vector<Entry> entries = collect_entries(desc, scene);
  warn_of_sizes(desc, entries, hints);
  warn_of_masses(desc, entries, hints);
  warn_of_given_masses(desc, scene, hints);
  warn_of_material_units(desc, entries, hints);
  warn_of_densities(desc, entries, hints);
  warn_of_moduli(desc, entries, hints);
  warn_of_stiffness(desc, entries, hints);
  warn_of_ratios(desc, entries, hints);
  warn_of_mass_ratios(desc, entries, hints);
  warn_of_speeds(desc, entries, hints);
  warn_of_dhat(desc, entries, hints);
}

}  // namespace clearance
