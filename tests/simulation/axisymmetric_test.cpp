// Bodies of revolution against closed forms.
#include <cmath>
#include <functional>
#include <numbers>

#include "clearance/bodies/fem/materials.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

constexpr double pi = std::numbers::pi;

/// Returns the inline mesh of a grid of m x n cells, mapped from the unit square to the section.
std::string mapped_grid(int m, int n, const std::function<Vec<2>(double, double)>& map) {
  std::string vertices, triangles;
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= m; ++i) {
      const Vec<2> at = map(static_cast<double>(i) / m, static_cast<double>(j) / n);
      vertices += fmt::format("{}[{:.17g}, {:.17g}, 0]", vertices.empty() ? "" : ", ", at[0], at[1]);
    }
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      const int a = j * (m + 1) + i, b = a + 1, c = b + m + 1, d = c - 1;
      triangles += fmt::format("{}[{}, {}, {}], [{}, {}, {}]", triangles.empty() ? "" : ", ", a, b, c, a, c, d);
    }
  }
  return fmt::format(R"({{"vertices": [{}], "triangles": [{}]}})", vertices, triangles);
}

std::string box(double x0, double y0, double x1, double y1) {
  return fmt::format(R"({{"box": [[{}, {}], [{}, {}]]}})", x0, y0, x1, y1);
}

std::string slide_along_r(const std::string& region) {
  return fmt::format(R"({{"region": {}, "components": [false, true, true]}})", region);
}

std::string statics(const std::string& bodies, const std::string& more = "") {
  return fmt::format(R"({{"dimension": 2, "axisymmetric": true, "gravity": [0, 0],
    "solver": {{"force_tolerance": 1e-9}}, "time": {{"step": 1, "integrator": "quasi_static"}}{}, "bodies": [{}]}})",
                     more, bodies);
}

/// Returns the mean radial displacement of the nodes whose radius at rest is r.
double radial_displacement(const RunningScene& scene, double r) {
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < scene.num_nodes(); ++i) {
    if (std::abs(scene.rest(i)[0] - r) > 1e-9) continue;
    sum += scene.x(i)[0] - scene.rest(i)[0];
    ++count;
  }
  return sum / count;
}

TEST(AxisymmetricTube, WidensByLamesFormulaUnderInnerPressure) {
  // u = (1 + nu) p a^2 / (E (b^2 - a^2)) ((1 - 2 nu) r + b^2 / r) between planes that hold the length.
  const double a = 1.0, b = 2.0, p = 2.0, modulus = 2e6, nu = 0.3;
  for (const int order : {1, 2}) {
    for (const char* model : {"neo_hookean", "fixed_corotational", "st_venant_kirchhoff", "linear_elasticity"}) {
      SCOPED_TRACE(fmt::format("order {}, {}", order, model));
      const int cells = order == 1 ? 24 : 8;
      RunningScene tube(statics(fmt::format(
          R"({{"generator": {{"kind": "rectangle", "size": [1, 0.25], "resolution": [{}, {}]}}, "order": {},
            "transform": {{"translation": [1.5, 0]}},
            "material": {{"model": "{}", "youngs_modulus": {}, "poisson_ratio": {}}}, "motions": [{}, {}],
            "loads": [{{"kind": "pressure", "pressure": "{}", "region": {}}}]}})",
          cells, cells / 4, order, model, modulus, nu, slide_along_r(box(0, -0.13, 3, -0.12)),
          slide_along_r(box(0, 0.12, 3, 0.13)), p, box(0.9, -1, 1.0 + 1e-9, 1))));
      tube.step();
      for (const double r : {a, b}) {
        const double expected =
            (1.0 + nu) * p * a * a / (modulus * (b * b - a * a)) * ((1.0 - 2.0 * nu) * r + b * b / r);
        EXPECT_NEAR(radial_displacement(tube, r), expected, (order == 1 ? 2e-3 : 1e-4) * expected) << r;
      }
      // Hoop and radial stress at the points of the elements, and the axial stress that holds the length.
      const ElementStresses stresses = tube.scene().element_stresses(tube.state().x, tube.state().history, 0);
      double volume = 0.0, hoop = 0.0, axial = 0.0;
      for (std::size_t q = 0; q < stresses.stress.size(); ++q) {
        volume += stresses.volume[q];
        hoop += stresses.volume[q] * stresses.stress[q][2];
        axial += stresses.volume[q] * stresses.stress[q][1];
      }
      EXPECT_NEAR(volume, pi * (b * b - a * a) * 0.25, 1e-12);
      // The mean of p a^2 / (b^2 - a^2) (1 + b^2 / r^2) over the section, and 2 nu p a^2 / (b^2 - a^2).
      const double s = p * a * a / (b * b - a * a);
      EXPECT_NEAR(hoop / volume, s * (1.0 + 2.0 * b * b * std::log(b / a) / (b * b - a * a)), 3e-3 * s);
      EXPECT_NEAR(axial / volume, 2.0 * nu * s, 3e-3 * s);
    }
  }
}

TEST(AxisymmetricSphere, WidensByLamesFormulaUnderInnerPressure) {
  // Upper half of a hollow sphere, whose section is mapped from a grid: u = p a^3 / (E (b^3 - a^3)) ((1 - 2 nu) r +
  // (1 + nu) b^3 / (2 r^2)).
  const double a = 1.0, b = 2.0, p = 2.0, modulus = 2e6, nu = 0.3;
  const std::string mesh = mapped_grid(12, 24, [&](double u, double v) {
    const double r = a + (b - a) * u, angle = 0.5 * pi * v;
    return Vec<2>(r * std::cos(angle), r * std::sin(angle));
  });
  std::string inner;
  for (int j = 0; j <= 24; ++j) inner += fmt::format("{}{}", j > 0 ? ", " : "", 13 * j);
  RunningScene sphere(statics(fmt::format(
      R"({{"geometry": {}, "order": 2, "material": {{"youngs_modulus": {}, "poisson_ratio": {}}}, "motions": [{}],
        "loads": [{{"kind": "pressure", "pressure": "{}", "region": {{"nodes": [{}]}}}}]}})",
      mesh, modulus, nu, slide_along_r(box(0, -1e-9, 3, 1e-9)), p, inner)));
  sphere.step();
  const double factor = p * a * a * a / (modulus * (b * b * b - a * a * a));
  for (int i = 0; i < sphere.num_nodes(); ++i) {
    const Vec<3> rest = sphere.rest(i), u = sphere.x(i) - rest;
    const double r = rest.norm();
    const double expected = factor * ((1.0 - 2.0 * nu) * r + (1.0 + nu) * b * b * b / (2.0 * r * r));
    // Nodes on sides of the polygon are off the sphere by 0.1 %.
    EXPECT_NEAR(u.dot(rest) / r, expected, 5e-3 * factor * 2.0);
    if (rest[0] == 0.0) {
      EXPECT_EQ(u[0], 0.0);
    }
  }
}

TEST(AxisymmetricBar, PulledByMuchIsTheSameAsInSpace) {
  // A neo-Hookean round bar of radius 0.5 and length 1: t across solves mu (t^2 - 1) + lambda ln(s t^2) = 0, and the
  // energy is psi times the volume of the whole bar.
  for (const double s : {1.0 + 1e-5, 0.7, 1.8}) {
    RunningScene bar(statics(fmt::format(
        R"({{"generator": {{"kind": "rectangle", "size": [0.5, 1], "resolution": [4, 8]}},
          "transform": {{"translation": [0.25, 0.5]}},
          "material": {{"youngs_modulus": 2e5, "poisson_ratio": 0.4}},
          "motions": [{}, {{"region": {}, "linear_velocity": [0, {}, 0], "components": [false, true, true]}}]}})",
        slide_along_r(box(0, -1e-9, 1, 1e-9)), box(0, 1.0 - 1e-9, 1, 2), s - 1.0)));
    const double energy = energy_term(bar.step(), "elastic");
    const MaterialParameters m = make_material(ElasticModel::neo_hookean, 2e5, 0.4);
    double low = 0.1, high = 3.0;
    for (int i = 0; i < 200; ++i) {
      const double t = 0.5 * (low + high);
      (m.mu * (t * t - 1.0) + m.lambda * std::log(s * t * t) < 0.0 ? low : high) = t;
    }
    const double t = 0.5 * (low + high), log_j = std::log(s * t * t);
    const double psi = 0.5 * m.mu * (s * s + 2.0 * t * t - 3.0) - m.mu * log_j + 0.5 * m.lambda * log_j * log_j;
    const double volume = pi * 0.25;
    // The logarithm cancels against the squares up to rounding of the moduli.
    EXPECT_NEAR(energy, volume * psi, 1e-7 * volume * psi + 1e-15 * 2e5 * volume) << s;
    EXPECT_NEAR(radial_displacement(bar, 0.5), 0.5 * (t - 1.0), 1e-6 * std::abs(t - 1.0) + 1e-9) << s;
    if (std::abs(s - 1.0) < 1e-3) {
      EXPECT_NEAR(energy, 0.5 * 2e5 * 1e-10 * volume, 1e-4 * energy);
    }
  }
}

TEST(AxisymmetricBody, FallsFreelyAndHasTheMassOfTheWholeTurn) {
  // A ring of 0.2 x 0.1 at the mean radius 1: 2 pi 1 0.02 1000 kg.
  for (const int order : {1, 2}) {
    for (const char* mass : {"lumped", "consistent"}) {
      RunningScene ring(fmt::format(R"({{"dimension": 2, "axisymmetric": true, "gravity": [0, -10],
        "time": {{"step": 0.01, "integrator": "implicit_newmark", "mass": "{}"}},
        "bodies": [{{"generator": {{"kind": "rectangle", "size": [0.2, 0.1], "resolution": [2, 1]}}, "order": {},
          "transform": {{"translation": [1, 3]}}, "material": {{"youngs_modulus": 1e6, "density": 1000}}}}]}})",
                                    mass, order));
      const double expected = 2.0 * pi * 0.02 * 1000.0;
      EXPECT_NEAR(ring.total_mass(), expected, 1e-9 * expected);
      const StepReport report = ring.steps(10);
      EXPECT_NEAR(report.momentum.total[1], -10.0 * 0.1 * expected, 1e-6 * expected);
      EXPECT_EQ(report.momentum.total[0], 0.0);
      for (int i = 0; i < ring.num_nodes(); ++i) {
        EXPECT_NEAR(ring.x(i)[1] - ring.rest(i)[1], -0.05, 1e-7);
        EXPECT_NEAR(ring.x(i)[0], ring.rest(i)[0], 1e-7);
      }
    }
  }
}

TEST(AxisymmetricLoads, TractionsAndForcesAreThoseOfTheWholeTurn) {
  // A disk of radius 1, held below, pressed by a traction of 3 Pa on its top or by a force of 3 pi N.
  const auto held_by = [&](int order, const std::string& load) {
    RunningScene disk(statics(fmt::format(
        R"({{"generator": {{"kind": "rectangle", "size": [1, 0.5], "resolution": [4, 2]}}, "order": {},
          "transform": {{"translation": [0.5, 0.25]}}, "material": {{"youngs_modulus": 1e6, "poisson_ratio": 0}},
          "motions": [{}], "loads": [{}]}})",
        order, slide_along_r(box(0, -1, 2, 1e-9)), load)));
    disk.step();
    double down = 0.0;
    for (int i = 0; i < disk.num_nodes(); ++i) {
      if (disk.rest(i)[1] > 0.5 - 1e-9) down = std::min(down, disk.x(i)[1] - disk.rest(i)[1]);
    }
    return down;
  };
  const std::string top = box(-1, 0.5 - 1e-9, 2, 1);
  for (const int order : {1, 2}) {
    // Without a Poisson's ratio the disk is shorter by p h / E.
    const double expected = -3.0 * 0.5 / 1e6, tolerance = 1e-4 * std::abs(expected);
    EXPECT_NEAR(held_by(order, fmt::format(R"({{"kind": "traction", "value": [0, -3], "region": {}}})", top)), expected,
                tolerance);
    EXPECT_NEAR(held_by(order, fmt::format(R"({{"kind": "force", "value": [0, {}], "region": {}}})", -3.0 * pi, top)),
                expected, tolerance);
    EXPECT_NEAR(held_by(order, fmt::format(R"({{"kind": "pressure", "pressure": "3", "region": {}}})", top)), expected,
                tolerance);
  }
}

/// Returns the part of a ball of radius 1 about the origin that is nearer than 1 to its lowest point, as rings about
/// that point that become finer towards it.
std::string lowest_part_of_ball(int rings, double smallest, int cells) {
  std::string vertices = "[0, -1, 0]", triangles;
  for (int k = 0; k < rings; ++k) {
    const double distance = smallest * std::pow(1.0 / smallest, static_cast<double>(k) / (rings - 1));
    const double widest = 0.5 * pi - std::asin(0.5 * distance);
    for (int i = 0; i <= cells; ++i) {
      const double angle = widest * i / cells;
      vertices += fmt::format(", [{:.17g}, {:.17g}, 0]", distance * std::sin(angle), distance * std::cos(angle) - 1.0);
    }
    // Corners run counterclockwise: angles from the axis run clockwise.
    const int first = 1 + k * (cells + 1);
    for (int i = 0; i < cells; ++i) {
      const int a = first + i, b = a + 1;
      if (k == 0) {
        triangles += fmt::format("{}[0, {}, {}]", i == 0 ? "" : ", ", b, a);
      } else {
        const int c = a - cells - 1, d = c + 1;
        triangles += fmt::format(", [{}, {}, {}], [{}, {}, {}]", a, c, d, a, d, b);
      }
    }
  }
  return fmt::format(R"({{"vertices": [{}], "triangles": [{}]}})", vertices, triangles);
}

TEST(AxisymmetricContact, ASpherePressedOnAPlaneFollowsHertz) {
  // F = 4/3 E / (1 - nu^2) sqrt(R) d^(3/2), the radius of the contact is a = sqrt(R d), and the largest pressure is
  // 3 F / (2 pi a^2). The ball is moved where it is cut off, at a distance R from the contact: there Hertz's half-space
  // still moves by 4 a / (3 pi R) of the approach, 1.3 % for a = 0.03.
  const double modulus = 1e6, nu = 0.3, dhat = 1e-5;
  const int rings = 60, cells = 12;
  std::string top;
  for (int i = 0; i <= cells; ++i) top += fmt::format("{}{}", i > 0 ? ", " : "", 1 + (rings - 1) * (cells + 1) + i);
  ProbedScene ball(fmt::format(R"({{"dimension": 2, "axisymmetric": true, "gravity": [0, 0],
    "time": {{"step": 1, "integrator": "quasi_static"}}, "contact": {{"dhat": {}, "dhat_is_absolute": true}},
    "half_spaces": [{{"point": [0, {}, 0]}}],
    "bodies": [{{"name": "ball", "geometry": {}, "order": 2,
      "material": {{"youngs_modulus": {}, "poisson_ratio": {}}},
      "motions": [{{"region": {{"nodes": [{}]}}, "linear_velocity": [0, -9e-4, 0]}}]}}],
    "output": {{"fields": ["contact_pressure"],
      "probes": [{{"name": "plane", "kind": "contact", "bodies": ["ball", "half_spaces[0]"]}}]}}}})",
                               dhat, -1.0 - 0.5 * dhat, lowest_part_of_ball(rings, 0.002, cells), modulus, nu, top));
  ball.step();
  double lowest = infinity;
  for (int i = 0; i < ball.num_nodes(); ++i) lowest = std::min(lowest, ball.x(i)[1]);
  const double approach = lowest + 1.0 + 9e-4, a = std::sqrt(approach);
  EXPECT_NEAR(approach, 9e-4, dhat);
  const double force = ball.probe("plane.normal.y [N]");
  const double expected = 4.0 / 3.0 * modulus / (1.0 - nu * nu) * std::pow(approach, 1.5);
  EXPECT_NEAR(force, expected, 0.04 * expected);
  EXPECT_GT(force, expected);  // the part that is cut off would have given way
  const Frame frame = ball.simulation().frame();
  const auto pressure = ProbedScene::values_of(frame.point_arrays, "contact_pressure");
  double largest = 0.0, widest = 0.0;
  for (std::size_t v = 0; v < pressure.size(); ++v) {
    largest = std::max(largest, pressure[v]);
    if (pressure[v] > 0.0) widest = std::max(widest, frame.mesh.vertices[v][0]);
  }
  EXPECT_NEAR(largest, 1.5 * force / (pi * a * a), 0.06 * largest);
  // Contact ends within an element.
  EXPECT_NEAR(widest, a, 0.12 * a);
}

TEST(AxisymmetricContact, APressFitHasThePressureOfLame) {
  // A rigid shaft that becomes thicker widens a sleeve between planes: u(a) = (1 + nu) p a^2 / (E (b^2 - a^2))
  // ((1 - 2 nu) a + b^2 / a).
  const double a = 1.0, b = 2.0, modulus = 2e6, nu = 0.3, height = 0.5, dhat = 1e-4;
  ProbedScene fit(fmt::format(R"({{"dimension": 2, "axisymmetric": true, "gravity": [0, 0],
    "time": {{"step": 1, "integrator": "quasi_static"}}, "contact": {{"dhat": {}, "dhat_is_absolute": true}},
    "bodies": [{{"name": "sleeve",
        "generator": {{"kind": "rectangle", "size": [1, {}], "resolution": [12, 6]}}, "order": 2,
        "transform": {{"translation": [1.5, 0]}},
        "material": {{"youngs_modulus": {}, "poisson_ratio": {}}}, "motions": [{}, {}]}},
      {{"name": "shaft", "kind": "obstacle",
        "geometry": {{"vertices": [[0.9999, -1, 0], [0.9999, 1, 0]], "edges": [[0, 1]]}},
        "motions": [{{"linear_velocity": [2e-3, 0, 0]}}]}}],
    "output": {{"fields": ["contact_pressure"],
      "probes": [{{"name": "shaft", "kind": "contact", "bodies": ["sleeve", "shaft"]}}]}}}})",
                              dhat, height, modulus, nu, slide_along_r(box(0, -0.26, 3, -0.24)),
                              slide_along_r(box(0, 0.24, 3, 0.26))));
  fit.step();
  const double u = radial_displacement(fit, a);
  EXPECT_NEAR(u, 1.9e-3, dhat);
  const double expected = u * modulus * (b * b - a * a) / ((1.0 + nu) * a * a * ((1.0 - 2.0 * nu) * a + b * b / a));
  // Forces are those of the whole turn; the strain is 0.2 %.
  EXPECT_NEAR(fit.probe("shaft.normal.x [N]"), expected * 2.0 * pi * a * height, 5e-3 * expected * 2.0 * pi * height);
  const Frame frame = fit.simulation().frame();
  const auto pressure = ProbedScene::values_of(frame.point_arrays, "contact_pressure");
  int count = 0;
  for (std::size_t v = 0; v < pressure.size(); ++v) {
    const Vec<3>& rest = fit.scene().frames.mesh.vertices[v];
    if (std::abs(rest[0] - a) > 1e-9) continue;
    EXPECT_NEAR(pressure[v], expected, 0.02 * expected) << "at height " << rest[1];
    ++count;
  }
  EXPECT_GE(count, 7);
}

TEST(AxisymmetricContact, TwoRingsPressedTogetherBalanceByLame) {
  // A ring of radii 2 and 3 is inside the first one's outer pressure: a pressure on the inside of an inner ring, which
  // touches an outer ring, acts as on one thick ring of radii 1 and 3 once the gap is closed.
  const double modulus = 2e6, nu = 0.3, p = 2000.0, gap = 1e-5, dhat = 2e-5;
  const auto ring = [&](double inner, const std::string& more) {
    return fmt::format(R"({{"generator": {{"kind": "rectangle", "size": [1, 0.25], "resolution": [8, 2]}}, "order": 2,
        "transform": {{"translation": [{}, 0]}}, "material": {{"youngs_modulus": {}, "poisson_ratio": {}}},
        "motions": [{}, {}]{}}})",
                       inner + 0.5, modulus, nu, slide_along_r(box(0, -0.13, 4, -0.12)),
                       slide_along_r(box(0, 0.12, 4, 0.13)), more);
  };
  RunningScene rings(statics(ring(1.0, fmt::format(R"(, "loads": [{{"kind": "pressure", "pressure": "{}",
        "region": {}}}])",
                                                   p, box(0.9, -1, 1.0 + 1e-9, 1))) +
                                 ", " + ring(2.0 + gap, ""),
                             fmt::format(R"(, "contact": {{"dhat": {}, "dhat_is_absolute": true}})", dhat)));
  rings.step();
  const double s = p / (9.0 - 1.0) * (1.0 + nu) / modulus;
  EXPECT_NEAR(radial_displacement(rings, 3.0 + gap), s * ((1.0 - 2.0 * nu) * 3.0 + 3.0), 0.02 * s * 4.2);
  EXPECT_NEAR(radial_displacement(rings, 1.0), s * (0.4 + 9.0), 0.02 * s * 9.4 + gap);
}

TEST(AxisymmetricStatics, AFreeRingWidensAsIfNothingHeldIt) {
  // Soft springs hold a ring along its axis alone: those against a change of the radius would make it too stiff.
  const double modulus = 2e6, nu = 0.3, p = 2e4;
  RunningScene ring(
      statics(fmt::format(
                  R"({{"generator": {{"kind": "rectangle", "size": [1, 0.5], "resolution": [8, 4]}}, "order": 2,
        "transform": {{"translation": [1.5, 0]}}, "material": {{"model": "linear_elasticity", "youngs_modulus": {},
        "poisson_ratio": {}}}, "loads": [{{"kind": "pressure", "pressure": "{}", "region": {}}}]}})",
                  modulus, nu, p, box(0.9, -1, 1.0 + 1e-9, 1)),
              R"(, "static": {"hold_free": true})"));
  ring.step();
  // With free ends: u = p a^2 / (E (b^2 - a^2)) ((1 - nu) r + (1 + nu) b^2 / r). The pressure follows the current
  // radius: it grows by u(a) / a.
  const double s = p / (modulus * 3.0), inner = s * (0.7 + 1.3 * 4.0);
  EXPECT_NEAR(radial_displacement(ring, 1.0), inner, 1.2 * inner * inner);
  EXPECT_GT(radial_displacement(ring, 1.0), inner);
}

std::string errors_of(const std::string& json) {
  const Result<LoadedScene> loaded = load_scene_text(json, "scene", ".", {});
  std::string all;
  for (const Issue& issue : loaded.issues()) all += to_string(issue) + "\n";
  if (!loaded) return all;
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  for (const Issue& issue : simulation.issues()) all += to_string(issue) + "\n";
  return all;
}

TEST(AxisymmetricScene, RefusesBodiesBeyondTheAxis) {
  const std::string across = statics(R"({"generator": {"kind": "rectangle", "size": [1, 1]}})");
  EXPECT_NE(errors_of(across).find("reaches beyond the axis of revolution"), std::string::npos) << errors_of(across);
}

TEST(AxisymmetricScene, EndsAMotionThatMovesTheAxisOffItself) {
  Result<LoadedScene> loaded = load_scene_text(
      statics(R"({"generator": {"kind": "rectangle", "size": [1, 1]}, "transform": {"translation": [0.5, 0]},
        "motions": [{"region": {"frame": "body", "box": [[0, 1], [1, 1]]}, "linear_velocity": [0.1, 0, 0]}]})"),
      "scene", ".", {});
  ASSERT_TRUE(loaded);
  Result<Simulation> simulation = Simulation::create(loaded->scene);
  ASSERT_TRUE(simulation);
  const StepReport report = simulation->step();
  EXPECT_FALSE(report.is_advanced());
}

}  // namespace
}  // namespace clearance
