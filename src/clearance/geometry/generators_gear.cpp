// Generator of spur gears: an outline with involute flanks around a bore, extruded.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/prism.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

using std::numbers::pi;

constexpr double pressure_angle = 25.0 / 180.0 * pi;
constexpr double filled_fraction = 0.47;  // fraction of the pitch circle that teeth fill

/// A point of the outline.
struct Polar {
  double radius;  // [m]
  double angle;   // [rad]
};

/// Returns the angle [rad] by which the involute of a circle has turned when it reaches `radius`.
double involute_angle(double radius, double base_radius) {
  const double roll = std::sqrt(std::max(0.0, radius * radius / (base_radius * base_radius) - 1.0));
  return roll - elementary::atan(roll);
}

/// Returns half a tooth from the root to the tip, with descending angles from the middle of the tooth.
std::vector<Polar> half_tooth(double pitch_radius, int teeth, int cells_flank) {
  const double module = 2.0 * pitch_radius / teeth, base_radius = pitch_radius * elementary::cos(pressure_angle);
  const double root = pitch_radius - 1.25 * module, tip = pitch_radius + module;
  const auto half_angle = [&](double radius) {
    return filled_fraction * pi / teeth + involute_angle(pitch_radius, base_radius) -
           involute_angle(radius, base_radius);
  };
  // The involute ends at its base circle. Below this circle or a quarter of a module above the root, whichever is
  // larger, the tooth widens towards the root.
  const double start = std::max(base_radius, root + 0.25 * module);
  const double gap = pi / teeth - half_angle(start);
  std::vector<Polar> outline = {{root, half_angle(start) + 0.2 * gap}};
  for (int i = 0; i <= cells_flank; ++i) {
    const double radius = start + (tip - start) * i / cells_flank;
    outline.push_back({radius, half_angle(radius)});
  }
  return outline;
}

}  // namespace

Mesh make_gear(double pitch_radius, double width, double bore_radius, int teeth, int cells_flank) {
  const std::vector<Polar> half = half_tooth(pitch_radius, teeth, std::max(1, cells_flank));
  std::vector<Polar> outline;
  for (int tooth = 0; tooth < teeth; ++tooth) {
    const double middle = 2.0 * pi * tooth / teeth;
    for (const Polar& p : half) outline.push_back({p.radius, middle - p.angle});
    for (auto p = half.rbegin(); p != half.rend(); ++p) outline.push_back({p->radius, middle + p->angle});
  }
  // Each point of the outline, and the point of the bore at its angle, has a vertex below and one above.
  Mesh mesh;
  for (const double y : {-0.5 * width, 0.5 * width}) {
    for (const Polar& p : outline) {
      for (const double radius : {bore_radius, p.radius}) {
        mesh.vertices.emplace_back(radius * elementary::cos(p.angle), y, -radius * elementary::sin(p.angle));
      }
    }
  }
  const int num_columns = static_cast<int>(outline.size());
  for (int i = 0; i < num_columns; ++i) {
    const int inner = 2 * i, next = 2 * ((i + 1) % num_columns);
    add_prism(mesh, {inner, inner + 1, next + 1}, 0, 2 * num_columns);
    add_prism(mesh, {inner, next + 1, next}, 0, 2 * num_columns);
  }
  orient_positively(mesh);
  return mesh;
}

}  // namespace clearance
