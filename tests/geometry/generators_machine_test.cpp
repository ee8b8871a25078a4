// Machine parts that move in one another: threads and gears have to fit at every angle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/intersection.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh_checks.h"

namespace clearance {
namespace {

using std::numbers::pi;

/// Turns the mesh about the y axis, then moves it.
Mesh moved(Mesh mesh, double turns, const Vec<3>& offset) {
  const double c = std::cos(2.0 * pi * turns), s = std::sin(2.0 * pi * turns);
  for (Vec<3>& v : mesh.vertices) v = Vec<3>(c * v[0] + s * v[2], v[1], c * v[2] - s * v[0]) + offset;
  return mesh;
}

/// True if an edge of one surface meets a triangle of the other. Pairs whose boxes are apart are left out.
bool has_crossing(const Mesh& edges_of, const Mesh& triangles_of) {
  const auto at = [](const Mesh& mesh, int v) -> const Vec<3>& { return mesh.vertices[v]; };
  for (const auto& [a, b] : unique_edges(edges_of.triangles)) {
    const Vec<3>&p = at(edges_of, a), &q = at(edges_of, b);
    for (const auto& t : triangles_of.triangles) {
      const Vec<3>&u = at(triangles_of, t[0]), &v = at(triangles_of, t[1]), &w = at(triangles_of, t[2]);
      if ((p.cwiseMax(q).array() < u.cwiseMin(v).cwiseMin(w).array()).any()) continue;
      if ((p.cwiseMin(q).array() > u.cwiseMax(v).cwiseMax(w).array()).any()) continue;
      if (edge_intersects_triangle(p, q, u, v, w)) return true;
    }
  }
  return false;
}
bool has_crossing_with_itself(const Mesh& mesh) {
  const auto at = [&](int v) -> const Vec<3>& { return mesh.vertices[v]; };
  for (const auto& [a, b] : unique_edges(mesh.triangles)) {
    for (const auto& t : mesh.triangles) {
      if (std::find(t.begin(), t.end(), a) != t.end() || std::find(t.begin(), t.end(), b) != t.end()) continue;
      if ((at(a).cwiseMax(at(b)).array() < at(t[0]).cwiseMin(at(t[1])).cwiseMin(at(t[2])).array()).any()) continue;
      if ((at(a).cwiseMin(at(b)).array() > at(t[0]).cwiseMax(at(t[1])).cwiseMax(at(t[2])).array()).any()) continue;
      if (edge_intersects_triangle(at(a), at(b), at(t[0]), at(t[1]), at(t[2]))) return true;
    }
  }
  return false;
}

bool intersect(const Mesh& a, const Mesh& b) {
  return has_crossing(a, b) || has_crossing(b, a);
}

double volume_of(const Mesh& surface) {
  return mass_properties_of_solid(surface.vertices, surface.triangles).measure;
}

/// Returns the volume of a thread between y = 0 and one pitch.
double volume_per_pitch(double radius, double pitch) {
  const double depth = 5.0 / 16.0 * std::sqrt(3.0) * pitch, root = radius - depth;
  const double flank = (radius * radius + radius * root + root * root) / 3.0;  // mean square radius of a cone
  return pi * pitch * (radius * radius / 8.0 + root * root / 4.0 + flank * 5.0 / 8.0);
}

TEST(Thread, Bolt_IsClosedAndOutward) {
  for (const int cells : {1, 24, 48}) {
    const Mesh mesh = make_bolt(1.0, 4.0, 0.5, cells);
    EXPECT_TRUE(is_closed_manifold(mesh.triangles));
    EXPECT_EQ(euler_characteristic(mesh.triangles), 2);
    EXPECT_TRUE(find_element_defects(mesh).empty());
    EXPECT_FALSE(has_crossing_with_itself(mesh));
  }
}

TEST(Thread, LongBolt_AddsTheVolumeOfItsPitches) {
  // The longer bolt has four more pitches; chords lack sin(a) / a of a circle's sector.
  const double added = volume_of(make_bolt(1.0, 6.0, 0.5, 48)) - volume_of(make_bolt(1.0, 4.0, 0.5, 48));
  const double angle = 2.0 * pi / 48.0;
  EXPECT_NEAR(added, 4.0 * volume_per_pitch(1.0, 0.5) * std::sin(angle) / angle, 1e-3 * added);
}

TEST(Thread, Nut_IsClosedOutwardAndAboutItsBolt) {
  const Mesh mesh = make_nut(1.0, 2.0, 0.5, 0.02, 24);
  EXPECT_TRUE(is_closed_manifold(mesh.triangles));
  EXPECT_EQ(euler_characteristic(mesh.triangles), 0);
  EXPECT_TRUE(find_element_defects(mesh).empty());
  EXPECT_FALSE(has_crossing_with_itself(mesh));
  // The head is a hexagon one and a half times as wide as the thread, less a thread between root and crest.
  const double hexagon = 2.0 * std::sqrt(3.0) * 1.5 * 1.5 * 2.0;
  EXPECT_LT(volume_of(mesh), hexagon - 2.0 * pi * 0.73 * 0.73);
  EXPECT_GT(volume_of(mesh), hexagon - 2.0 * pi * 1.05 * 1.05);
}

TEST(Thread, BoltRunsThroughItsNutWithoutTouching) {
  const double radius = 1.0, pitch = 0.5;
  for (const double clearance : {0.01, 0.05}) {
    const Mesh nut = make_nut(radius, 1.5, pitch, clearance, 24), bolt = make_bolt(radius, 4.0, pitch, 24);
    // Turns range from where the head nearly meets the nut until the bolt is out; a turn lifts it by one pitch.
    for (double turns = -2.4; turns < 6.0; turns += 0.37) {
      const Vec<3> lift(0, pitch * turns, 0);
      EXPECT_FALSE(intersect(moved(bolt, turns, lift), nut)) << turns;
      // Half a turn off, the threads meet.
      if (std::abs(turns) >= 3.0) continue;
      EXPECT_TRUE(intersect(moved(bolt, turns + 0.5, lift), nut)) << turns;
    }
  }
}

TEST(Gear, MeshesWithAnotherOfItsModuleWhereverTheyTurn) {
  const auto expect_mesh = [](int teeth, int other_teeth) {
    const double module = 0.1, r = 0.5 * module * teeth, other_r = 0.5 * module * other_teeth;
    const Mesh gear = surface_of(make_gear(r, 0.2, 0.1, teeth, 4));
    const Mesh other = surface_of(make_gear(other_r, 0.2, 0.1, other_teeth, 4));
    for (double turns = 0.0; turns < 1.0; turns += 0.11) {
      // Angles cover one tooth of the first gear. The second has a gap at -x where the first has a tooth at +x.
      const double angle = turns / teeth, other_angle = 0.5 - (turns + 0.5) / other_teeth;
      const Mesh placed = moved(other, other_angle, Vec<3>(r + other_r, 0, 0));
      EXPECT_FALSE(intersect(moved(gear, angle, Vec<3>::Zero()), placed))
          << teeth << ' ' << other_teeth << ' ' << turns;
      // A tenth of a tooth further, the backlash is used up.
      EXPECT_TRUE(intersect(moved(gear, angle + 0.1 / teeth, Vec<3>::Zero()), placed));
    }
  };
  expect_mesh(12, 24);
  expect_mesh(17, 17);
  expect_mesh(30, 13);
}

}  // namespace
}  // namespace clearance
