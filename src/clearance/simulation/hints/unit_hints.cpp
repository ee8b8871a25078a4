#include "clearance/simulation/hints/unit_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "clearance/math/elementary.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/unit.h"
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

/// Returns the scene with those numbers in SI that are judged here, because materials and sizes are known in SI.
SceneDesc in_si(const SceneDesc& desc) {
  const UnitSystem& units = unit_system_of(desc);
  SceneDesc si = desc;
  const auto convert = [&](auto& value, const Dimension& dimension) { value *= units.to_si(1.0, dimension); };
  convert(si.gravity, dimension::acceleration);
  convert(si.time.step, dimension::time);
  if (si.contact.dhat_is_absolute) convert(si.contact.dhat, dimension::length);
  for (BodyDesc& body : si.bodies) {
    body.material.density = units.to_si(body.material.density, dimension::density);
    body.material.youngs_modulus = units.to_si(body.material.youngs_modulus, dimension::pressure);
    convert(body.linear_velocity, dimension::speed);
    if (body.mass) convert(*body.mass, dimension::mass);
  }
  return si;
}

Dimension mass_dimension(const SceneDesc& desc) {
  return desc.dimension == 2 ? Dimension{-1, 1, 0} : dimension::mass;
}

/// Formats a number of SI with up to `digits` digits in the units of the scene: `7.85e-09 t/mm^3`.
std::string amount(const SceneDesc& desc, double si, Unit unit, int digits) {
  const UnitSystem& units = unit_system_of(desc);
  return fmt::format("{:.{}g} {}", units.from_si(si, unit.dimension), digits, units.text(unit.text));
}

/// Formats the mass of a body. A body in the plane is a slice one unit of length deep, whose mass is that of its depth.
std::string mass_text(const SceneDesc& desc, double si, int digits) {
  const UnitSystem& units = unit_system_of(desc);
  return fmt::format("{:.{}g} {}", units.from_si(si, mass_dimension(desc)), digits, units.mass_name);
}

std::string text_of(const SceneDesc& desc, std::string_view unit) {
  return unit_system_of(desc).text(unit);
}

std::string place_in_units(const SceneDesc& desc, const Vec<3>& si) {
  return place_text(unit_system_of(desc).is_si() ? si
                                                 : Vec<3>(si * unit_system_of(desc).from_si(1.0, dimension::length)));
}

/// Largest values of the bodies of an entry in SI, and the box around all of them.
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
  const UnitSystem& units = unit_system_of(desc);
  if (units.is_si()) return entries;
  for (Entry& entry : entries) {
    entry.size = units.to_si(entry.size, dimension::length);
    entry.height = units.to_si(entry.height, dimension::length);
    entry.mass = units.to_si(entry.mass, mass_dimension(desc));
    entry.box.min *= units.length;
    entry.box.max *= units.length;
  }
  return entries;
}

/// Returns advice for lengths that may be in millimetres. Only files have units.
std::string if_millimetres(const SceneDesc& desc, const BodyDesc& body) {
  if (const UnitSystem& units = unit_system_of(desc); !units.is_si()) {
    return fmt::format("the unit of length is {}{}", units.length_name,
                       body.mesh.empty() ? "" : "; if the mesh has another unit, give the body `units`");
  }
  return body.mesh.empty()
             ? "lengths are in metres; if the sizes are meant in millimetres, set `transform.scale` to 0.001"
             : "lengths are in metres; if the mesh is in millimetres, give the body `\"units\": \"mm\"`";
}

std::string density_unit(const SceneDesc& desc) {
  return text_of(desc, desc.dimension == 2 ? "kg/m^2" : "kg/m^3");
}

/// A unit in which densities are often given.
struct DensityUnit {
  const char* name;
  double kilograms;  ///< [kg/m^3] of one
};
constexpr std::array<DensityUnit, 6> density_units = {{{"kg/m^3", 1.0},
                                                       {"g/cm^3", 1e3},
                                                       {"t/mm^3", 1e12},
                                                       {"kg/mm^3", 1e9},
                                                       {"lb/in^3", 27679.9},
                                                       {"lb/ft^3", 16.01846}}};

/// Says what a number is in the scene's units if it is the density of a solid in another unit; empty: in none.
std::string density_advice(const UnitSystem& units, double written) {
  constexpr double lightest = 400.0, heaviest = 23000.0;  // [kg/m^3] wood, osmium
  for (const DensityUnit& unit : density_units) {
    const double density = written * unit.kilograms;
    if (density < lightest || density > heaviest) continue;
    return fmt::format(": {:g} {} is {:.5g}", written, unit.name, units.from_si(density, dimension::density));
  }
  return "";
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
  add_hint(hints, subject.name, place,
           fmt::format("body '{}'{}, with a size of {} at {}, {}", desc.bodies[first].name, and_more(num_found - 1),
                       amount(desc, entries[first].size, "m", 4), place_in_units(desc, entries[first].box.min),
                       describe(first)));
}

void warn_of_sizes(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const auto is_of_file = [&](std::size_t d) { return !desc.bodies[d].mesh.empty(); };
  const auto largest_of = [&](std::size_t d) {
    return is_of_file(d) ? largest_size_of_file(desc.bodies[d].mesh) : largest_size;
  };
  const bool is_si = unit_system_of(desc).is_si();
  const auto doubt_of_file = [&](std::size_t d) {
    return doubt_of_unit(desc.bodies[d].mesh, entries[d].size, "give the body `\"units\": \"mm\"`");
  };
  const auto doubt_in_units = [&](std::size_t d, const char* limit, double of_file) {
    return fmt::format("is {} than {}; {}", entries[d].size > largest_of(d) ? "larger" : "smaller",
                       is_of_file(d) ? amount(desc, of_file, "m", 3) : limit, if_millimetres(desc, desc.bodies[d]));
  };
  const auto is_large = [&](std::size_t d) { return entries[d].size > largest_of(d) && !desc.bodies[d].units; };
  const auto is_small = [&](std::size_t d) {
    return entries[d].size < (is_of_file(d) ? smallest_size_of_file : smallest_size) && !desc.bodies[d].units;
  };
  warn_of_first(desc, entries, {"doubtful_size"}, hints, is_large, [&](std::size_t d) {
    if (!is_si) return doubt_in_units(d, "a kilometre", largest_of(d));
    if (is_of_file(d)) return doubt_of_file(d);
    return fmt::format("is larger than a kilometre; {}", if_millimetres(desc, desc.bodies[d]));
  });
  warn_of_first(desc, entries, {"doubtful_size"}, hints, is_small, [&](std::size_t d) {
    if (!is_si) return doubt_in_units(d, "a hundredth of a millimetre", smallest_size_of_file);
    if (is_of_file(d)) return doubt_of_file(d);
    return std::string("is smaller than a hundredth of a millimetre; lengths are in metres (see `transform.scale`)");
  });
}

/// True if no material is as dense. The scene is in other units than those of its system; what follows is not told.
bool is_too_dense(const SceneDesc& desc, const BodyDesc& body) {
  constexpr double largest_density = 1e5;  // [kg/m^3] osmium has 22 600
  return !unit_system_of(desc).is_si() && !body.mass && body.material.density > largest_density;
}

void warn_of_masses(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  if (desc.gravity.isZero(0.0)) return;
  // A mass that the scene gives is intended. Bodies that are too large have been reported already.
  const auto is_odd = [&](std::size_t d) {
    return entries[d].mass > largest_mass && !desc.bodies[d].mass && entries[d].size <= largest_size &&
           !is_too_dense(desc, desc.bodies[d]);
  };
  warn_of_first(desc, entries, {"doubtful_mass", "material.density"}, hints, is_odd, [&](std::size_t d) {
    return fmt::format("has a mass of {}; {}, and densities are in {}", mass_text(desc, entries[d].mass, 3),
                       if_millimetres(desc, desc.bodies[d]), density_unit(desc));
  });
}

/// Warns of stiff bodies whose given mass means an impossible mean density. Osmium has 22 600 kg/m^3, white dwarfs have
/// more than 1e6, and air has 1.2. Shapes that only stand for what touches may be far smaller than the body, and hollow
/// ones far lighter.
void warn_of_given_masses(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  constexpr double largest_density = 1e6, smallest_density = 1e-3;  // [kg/m^3]
  if (desc.dimension == 2) return;
  const UnitSystem& units = unit_system_of(desc);
  const auto density_of = [&](const StiffUnit& unit) {
    return units.to_si(unit.frame.mass / unit.frame.volume, dimension::density);
  };
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
  add_hint(hints, "doubtful_mass", fmt::format("bodies[{}].mass", d),
           fmt::format("body '{}'{} has {:.3g} {} in {:.3g} {}, {}: {}; masses are in {}, lengths in {}",
                       desc.bodies[d].name, and_more(odd.size() - 1), first.frame.mass, units.mass_name,
                       first.frame.volume, units.text("m^3"), amount(desc, density, "kg/m^3", 2),
                       density > largest_density ? fmt::format("no material is as dense (osmium has {:g})",
                                                               units.from_si(22600, dimension::density))
                                                 : "that is less than a thousandth of the density of air",
                       units.mass_name, units.is_si() ? "metres" : units.length_name));
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
    {"MPa", "t/mm^3", 1e6, 1e12,
     "; if lengths are in mm and forces in N, name this system of units: `\"units\": \"mm-N-MPa\"`; else give them in "
     "m"},
    {"GPa", "kg/mm^3", 1e9, 1e9,
     "; if lengths are in mm and times in ms, name this system of units: `\"units\": \"mm-kN-GPa\"`; else give them in "
     "m"},
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
bool has_other_units(const SceneDesc& desc, const BodyDesc& body) {
  // The table of units is that of numbers given for SI.
  return unit_system_of(desc).is_si() && uses_modulus(body) && find_units(body.material) != nullptr;
}

/// Warns of bodies that their own weight crushes. A column is squashed to nothing if its foot carries more than its
/// stiffness: rho g h > E. Published scenes of very soft bodies reach 1.2 E; moduli in MPa are off by a million.
/// Upright sheets do not count, because they are cloth, whatever their material.
void warn_of_stiffness(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const double g = desc.gravity.norm();
  const UnitSystem& units = unit_system_of(desc);
  const auto pressure = [&](std::size_t d) { return desc.bodies[d].material.density * g * entries[d].height; };
  const auto is_odd = [&](std::size_t d) {
    const Entry& entry = entries[d];
    const MaterialDesc& material = desc.bodies[d].material;
    const bool is_sheet = entry.mass / material.density < 0.05 * elementary::pow(entry.height, desc.dimension);
    return desc.bodies[d].kind == BodyKind::deformable && !has_other_units(desc, desc.bodies[d]) &&
           !is_too_dense(desc, desc.bodies[d]) && !is_sheet && entry.size <= largest_size &&
           pressure(d) > 10.0 * material.youngs_modulus;
  };
  warn_of_first(desc, entries, {"crushed_by_weight", "material.youngs_modulus"}, hints, is_odd, [&](std::size_t d) {
    return fmt::format(
        "is crushed by its own weight: its density of {:g} {} times gravity times its height of {} is {}, far more "
        "than its Young's modulus of {}; moduli are in {}{}",
        units.from_si(desc.bodies[d].material.density, dimension::density), density_unit(desc),
        amount(desc, entries[d].height, "m", 4), amount(desc, pressure(d), "Pa", 3),
        amount(desc, desc.bodies[d].material.youngs_modulus, "Pa", 3), units.pressure_name,
        units.pressure_name == "MPa" ? "" : fmt::format(" (1 MPa is {:g})", units.from_si(1e6, dimension::pressure)));
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
      return has_other_units(desc, desc.bodies[d]) && field_of(*find_units(desc.bodies[d].material)) == field;
    };
    warn_of_first(desc, entries, {"doubtful_units", field}, hints, is_odd, describe);
  }
}

/// Warns of densities that are too small. Stiff bodies have no modulus, so that their density counts alone. In
/// published 2D scenes, the density of stiff bodies has no unit.
void warn_of_densities(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const UnitSystem& units = unit_system_of(desc);
  const auto is_odd = [&](std::size_t d) {
    const BodyDesc& body = desc.bodies[d];
    const bool is_light = body.material.density < largest_density_in_g_cm3 && !body.mass;
    if (has_other_units(desc, body)) return false;
    return is_light && (is_stiff(body.kind) ? desc.dimension == 3 : sound_speed(body.material) > fastest_light_sound);
  };
  warn_of_first(desc, entries, {"doubtful_density", "material.density"}, hints, is_odd, [&](std::size_t d) {
    const BodyDesc& body = desc.bodies[d];
    const double written = units.from_si(body.material.density, dimension::density);
    const std::string what =
        units.is_si()
            ? fmt::format("is lighter than foam, with a density of {}; densities are in kg/m^3 ({:g} g/cm^3 is {:g})",
                          amount(desc, body.material.density, "kg/m^3", 6), written, 1e3 * written)
            : fmt::format("is lighter than foam, with a density of {}; densities are in {}{}",
                          amount(desc, body.material.density, "kg/m^3", 6), units.text("kg/m^3"),
                          density_advice(units, written));
    if (is_stiff(body.kind)) return what + "; if the body is hollow, give its `mass`";
    return fmt::format("{}; sound would run through it at {}", what,
                       amount(desc, sound_speed(body.material), "m/s", 3));
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
    const UnitSystem& units = unit_system_of(desc);
    const double written = units.from_si(material.youngs_modulus, dimension::pressure);
    return fmt::format(
        "has the density of a metal or stone ({}), but with a Young's modulus of {} sound runs through it at {}; "
        "moduli "
        "are in {}: {:g} MPa is {:g}",
        amount(desc, material.density, "kg/m^3", 6), amount(desc, material.youngs_modulus, "Pa", 6),
        amount(desc, sound_speed(material), "m/s", 2), units.pressure_name, written,
        units.from_si(1e6 * written, dimension::pressure));
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
            "lies beside body '{}', whose size is {}; check that both meshes are in {}, and correct them with "
            "`transform.scale`",
            desc.bodies[large - entries.begin()].name, amount(desc, large->size, "m", 4),
            unit_system_of(desc).is_si() ? "metres" : unit_system_of(desc).length_name);
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
        return fmt::format("has a mass of {} and lies beside body '{}' of {}; densities are in {}",
                           mass_text(desc, entries[d].mass, 2), desc.bodies[heavy - entries.begin()].name,
                           mass_text(desc, heavy->mass, 2), density_unit(desc));
      });
}

void warn_of_speeds(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  const auto advance = [&](std::size_t d) { return desc.time.step * desc.bodies[d].linear_velocity.norm(); };
  warn_of_first(
      desc, entries, {"doubtful_speed", "linear_velocity"}, hints,
      [&](std::size_t d) { return advance(d) > largest_advance * entries[d].size; },
      [&](std::size_t d) {
        return fmt::format(
            "moves {} in every step, {:.2g} times its size; velocities are in {}; with a step of {} it would move no "
            "further than its size",
            amount(desc, advance(d), "m", 3), advance(d) / entries[d].size, text_of(desc, "m/s"),
            amount(desc, desc.time.step * entries[d].size / advance(d), "s", 1));
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
    add_hint(
        hints, "large_dhat", "contact.dhat",
        fmt::format("surfaces repel each other at distances below {}, but the size of body '{}' is only {}; dhat is "
                    "in {} here, because of `dhat_is_absolute`",
                    amount(desc, desc.contact.dhat, "m", 6), desc.bodies[d].name, amount(desc, entries[d].size, "m", 4),
                    unit_system_of(desc).is_si() ? "metres" : unit_system_of(desc).length_name));
    return;
  }
}

/// Warns of numbers that no material has, in scenes that name another system than SI: they are often those of SI.
void warn_of_system(const SceneDesc& desc, const std::vector<Entry>& entries, NamedHints& hints) {
  constexpr double largest_modulus = 1e13;  // [Pa] diamond has 1.2e12
  const UnitSystem& units = unit_system_of(desc);
  const auto is_heavy = [&](std::size_t d) { return is_too_dense(desc, desc.bodies[d]); };
  warn_of_first(desc, entries, {"doubtful_density", "material.density"}, hints, is_heavy, [&](std::size_t d) {
    const double density = desc.bodies[d].material.density, written = units.from_si(density, dimension::density);
    return fmt::format(
        "has a density of {}, which is {:.3g} kg/m^3, and no material is as dense (osmium has 22600 kg/m^3); densities "
        "of a scene in {} are in {}{}",
        amount(desc, density, "kg/m^3", 6), density, units.name, units.text("kg/m^3"), density_advice(units, written));
  });
  const auto is_stiff_material = [&](std::size_t d) {
    return uses_modulus(desc.bodies[d]) && desc.bodies[d].material.youngs_modulus > largest_modulus;
  };
  warn_of_first(
      desc, entries, {"doubtful_modulus", "material.youngs_modulus"}, hints, is_stiff_material, [&](std::size_t d) {
        const double modulus = desc.bodies[d].material.youngs_modulus;
        const double written = units.from_si(modulus, dimension::pressure);
        return fmt::format(
            "has a Young's modulus of {}, which is {:.3g} Pa, and no material is as stiff (diamond has 1.2e12 "
            "Pa); moduli of a scene in {} are in {}: {:g} Pa is {:g}",
            amount(desc, modulus, "Pa", 6), modulus, units.name, units.pressure_name, written,
            units.from_si(written, dimension::pressure));
      });
}

/// Warns of a gravity whose number is that of the earth in another system.
void warn_of_gravity(const SceneDesc& si, NamedHints& hints) {
  constexpr double earth = 9.80665, tolerance = 0.02;
  const UnitSystem& units = unit_system_of(si);
  const double gravity = si.gravity.norm(), written = units.from_si(gravity, dimension::acceleration);
  const auto is_near = [&](double a, double b) { return std::abs(a - b) < tolerance * b; };
  if (is_near(gravity, earth)) return;
  for (const auto& known : EnumInfo<UnitSystemName>::values) {
    const UnitSystem& other = unit_system(known.value);
    if (!is_near(written, other.from_si(earth, dimension::acceleration))) continue;
    add_hint(hints, "doubtful_gravity", "gravity",
             fmt::format("the gravity of {:g} {} is {:.2g} times that of the earth; {:g} is the number of the earth in "
                         "{}. In a scene in {} it is {:.6g}",
                         written, units.text("m/s^2"), gravity / earth, written, other.name, units.name,
                         units.from_si(earth, dimension::acceleration)));
    return;
  }
}

}  // namespace

void warn_of_units(const SceneDesc& given, const SceneModel& scene, NamedHints& hints) {
  std::optional<SceneDesc> converted;
  if (!unit_system_of(given).is_si()) converted = in_si(given);
  const SceneDesc& desc = converted ? *converted : given;
  const std::vector<Entry> entries = collect_entries(desc, scene);
  if (converted) warn_of_system(desc, entries, hints);
  warn_of_gravity(desc, hints);
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
