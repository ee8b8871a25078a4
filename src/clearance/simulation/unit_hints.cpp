#include "clearance/simulation/unit_hints.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/simulation/body_facts.h"

namespace clearance {

namespace {

constexpr double largest_size = 1e3;    // [m]
constexpr double smallest_size = 1e-5;  // [m]
constexpr double largest_mass = 1e7;    // [kg] a cube of water of 22 m
constexpr double largest_ratio = 1e3;

/// The largest body of an entry, and where all of them are.
struct Entry {
  double size = 0.0;  // [m] largest extent
  double mass = 0.0;  // [kg]
  BoundingBox box;
  bool is_obstacle = false;
};

std::vector<Entry> collect_entries(const SceneDesc& desc, const SceneModel& scene) {
  std::vector<Entry> entries(desc.bodies.size());
  const std::vector<double> masses = body_masses(scene);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    Entry& entry = entries[static_cast<std::size_t>(body.desc)];
    const BoundingBox box = bounding_box(body.mesh.vertices);
    entry.size = std::max(entry.size, box.size().maxCoeff());
    entry.mass = std::max(entry.mass, masses[b]);
    entry.is_obstacle = body.is_obstacle;
    entry.box.extend(box.min);
    entry.box.extend(box.max);
  }
  return entries;
}

const char* const if_millimetres =
    "lengths are in metres: if the mesh is in millimetres, set `transform.scale` to 0.001";

/// Tells of the first body that is `odd`, and how many more are.
template <class IsOdd, class Describe>
void warn_of_first(const SceneDesc& desc, const std::vector<Entry>& entries, const char* field, Issues& hints,
                   const IsOdd& is_odd, const Describe& describe) {
  std::size_t num_found = 0, first = 0;
  for (std::size_t d = 0; d < entries.size(); ++d) {
    if (!entries[d].is_obstacle && entries[d].size > 0.0 && is_odd(d) && num_found++ == 0) first = d;
  }
  if (num_found == 0) return;
  const std::string place =
      *field == 0 ? shape_place(desc, static_cast<int>(first)) : fmt::format("bodies[{}].{}", first, field);
  add_hint(hints, place,
           fmt::format("body '{}'{}, {:.4g} m large at {}, {}", desc.bodies[first].name, and_more(num_found - 1),
                       entries[first].size, place_text(entries[first].box.min), describe(first)));
}

void warn_of_sizes(const SceneDesc& desc, const std::vector<Entry>& entries, Issues& hints) {
  warn_of_first(
      desc, entries, "", hints, [&](std::size_t d) { return entries[d].size > largest_size; },
      [&](std::size_t) { return fmt::format("is larger than a kilometre; {}", if_millimetres); });
  warn_of_first(
      desc, entries, "", hints, [&](std::size_t d) { return entries[d].size < smallest_size; },
      [&](std::size_t) {
        return "is smaller than a hundredth of a millimetre; lengths are in metres: see `transform.scale`";
      });
}

void warn_of_masses(const SceneDesc& desc, const std::vector<Entry>& entries, Issues& hints) {
  if (desc.gravity.isZero(0.0)) return;
  // A mass that the scene gives is meant, and too large sizes have been told.
  const auto is_odd = [&](std::size_t d) {
    return entries[d].mass > largest_mass && !desc.bodies[d].mass && entries[d].size <= largest_size;
  };
  warn_of_first(desc, entries, "material.density", hints, is_odd, [&](std::size_t d) {
    return fmt::format("weighs {:.3g} kg; {}, and densities are in kg/m^3", entries[d].mass, if_millimetres);
  });
}

/// Is the small one within its own size of the large one's box?
bool is_near(const Entry& small, const Entry& large) {
  return ((large.box.min - small.box.max).array() <= small.size).all() &&
         ((small.box.min - large.box.max).array() <= small.size).all();
}

/// Large obstacles are floors and walls, and no reason to doubt.
void warn_of_ratios(const SceneDesc& desc, const std::vector<Entry>& entries, Issues& hints) {
  const auto find_large = [&](std::size_t small) {
    return std::find_if(entries.begin(), entries.end(), [&](const Entry& other) {
      return !other.is_obstacle && other.size >= largest_ratio * entries[small].size && is_near(entries[small], other);
    });
  };
  warn_of_first(
      desc, entries, "", hints, [&](std::size_t d) { return find_large(d) != entries.end(); },
      [&](std::size_t d) {
        const auto large = find_large(d);
        return fmt::format(
            "lies beside body '{}' of {:.4g} m: are both meshes in metres? `transform.scale` makes them "
            "agree",
            desc.bodies[static_cast<std::size_t>(large - entries.begin())].name, large->size);
      });
}

}  // namespace

void warn_of_units(const SceneDesc& desc, const SceneModel& scene, Issues& hints) {
  const std::vector<Entry> entries = collect_entries(desc, scene);
  warn_of_sizes(desc, entries, hints);
  warn_of_masses(desc, entries, hints);
  warn_of_ratios(desc, entries, hints);
}

}  // namespace clearance
