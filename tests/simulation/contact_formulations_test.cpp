// Contact formulations in scenes: pressures that do not depend on the mesh, stiff bodies, friction; bodies at rest do
// not repel.
#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/contact/contact_potential.h"
#include "clearance/contact/convergent_at_rest.h"
#include "clearance/contact/gcp_at_rest.h"
#include "clearance/contact/make_contact_model.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

/// Returns a block on the half-space y >= 0, pressed from above by a thousandth of Young's modulus.
std::string pressed_block(int dim, int cells, const std::string& contact) {
  const std::string n = std::to_string(cells);
  const std::string shape = dim == 2 ? R"("rectangle", "size": [1, 0.5], "resolution": [)" + n + ", 2]"
                                     : R"("box", "size": [1, 0.5, 1], "resolution": [)" + n + ", 2, " + n + "]";
  return R"({"dimension": )" + std::to_string(dim) + R"(, "gravity": [0, 0, 0],
    "time": {"step": 1, "integrator": "quasi_static"}, "solver": {"force_tolerance": 1e-7},
    "static": {"quadratic_elements": 0}, "contact": {"dhat": 0.01, "dhat_is_absolute": true, "gap_tolerance": 0, )" +
         contact + R"(},
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "bodies": [{"generator": {"kind": )" +
         shape + R"(}, "transform": {"translation": [0, 0.259, 0]},
      "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.0},
      "motions": [{"region": {"nodes": [0]}, "components": [true, false, true]}],
      "loads": [{"kind": "traction", "value": [0, -1000, 0], "region": {"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]}}]}]})";
}

/// Returns the law of a physical barrier: pressure over kappa at the gap x dhat.
double pressure_at(double x) {
  const double y = x * x - 1.0;
  return x < 1.0 ? 2 * x * (2 * y * std::log(x * x) + y * y / (x * x)) : 0.0;
}

TEST(ConvergentContactScene, PressureIsThatOfTheLawAtEveryGap) {
  // 0.01 of kappa = 0.1 E at a gap of 0.9794469.
  EXPECT_NEAR(pressure_at(0.9794469), 0.01, 1e-8);
  for (const int dim : {2, 3}) {
    for (const std::string kappa : {"", R"(, "kappa": 1e4)"}) {
      RunningScene block(pressed_block(dim, 4, R"("formulation": "convergent")" + kappa));
      block.steps(2);
      const AreasAtRest& areas = dynamic_cast<const ConvergentAtRest&>(*block.model().contact_at_rest).areas();
      const VecX x = block.model().surface_map.apply(block.state().x);
      double force = 0.0, total = 0.0;
      for (int v = 0; v < block.model().surface.num_vertices; ++v) {
        const double y = x[dim * v + 1], measure = areas.vertex[v];
        force += (kappa.empty() ? 1e5 : 1e4) * measure * pressure_at(y / 0.01);
        total += measure;
      }
      EXPECT_NEAR(force, 1000.0, 1e-3) << dim;
      EXPECT_NEAR(total, dim == 2 ? 3.0 : 4.0, 1e-12);  // all of its surface at rest
    }
  }
}

/// A scene of another program kept the stiffness that it had for another barrier, and crawled.
TEST(ConvergentContactScene, KappaOfAnotherUnitIsWarnedOf) {
  const auto warnings = [](const std::string& kappa) {
    const auto loaded =
        load_scene_text(pressed_block(2, 2, R"("formulation": "convergent", "kappa": )" + kappa), "scene", ".");
    return loaded ? loaded->warnings.size() : 99U;
  };
  EXPECT_EQ(warnings("1e-4"), 1U);
  EXPECT_EQ(warnings("1e4"), 0U);
}

/// Returns a heap of all kinds of bodies on a meshed floor.
std::string heap(const std::string& formulation) {
  return R"({"time": {"step": 0.01}, "friction": {"coefficient": 0.4}, "contact": {"formulation": ")" + formulation +
         R"("},
    "bodies": [{"name": "floor", "kind": "obstacle", "generator": {"kind": "box", "size": [3, 0.2, 3], "resolution": [4, 1, 4]},
      "transform": {"translation": [0, -0.11, 0]}},
    {"name": "soft", "generator": {"kind": "box", "size": [0.5, 0.3, 0.5], "resolution": [3, 2, 3]},
      "transform": {"translation": [0, 0.2, 0]}, "material": {"youngs_modulus": 1e5}},
    {"name": "rigid", "kind": "rigid", "generator": {"kind": "box", "size": [0.4, 0.2, 0.4], "resolution": [2, 1, 2]},
      "transform": {"translation": [0.05, 0.5, 0.02], "rotation": [0, 20, 0]}},
    {"name": "affine", "kind": "affine", "generator": {"kind": "sphere", "size": [0.15], "resolution": [3]},
      "transform": {"translation": [0.02, 0.8, 0]}}],
    "output": {"probes": [{"name": "carried", "kind": "contact", "bodies": ["soft", "floor"]}]}})";
}

class EveryFormulation : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(ContactScene, EveryFormulation, testing::Values("convergent", "gcp"));

TEST_P(EveryFormulation, CarriesAHeapOfAllKindsOfBodies) {
  ProbedScene scene(heap(GetParam()));
  double mass = 0.0;
  for (const StiffUnit& unit : scene.scene().stiff_units) mass += unit.frame.mass;
  mass += 0.5 * 0.3 * 0.5 * 1000;
  Vec<3> mean = Vec<3>::Zero();
  int num_unconverged = 0;
  for (int n = 0; n < 150; ++n) {
    // Landing under gcp, friction may be lagged to its limit in a step.
    num_unconverged += scene.simulation().step().status != StepStatus::converged ? 1 : 0;
    if (n >= 100) mean += scene.probe_vector("carried.normal", "N") / 50;
  }
  EXPECT_NEAR(mean[1], mass * 9.80665, 0.02 * mass * 9.80665);
  EXPECT_LE(num_unconverged, 1);
}

TEST_P(EveryFormulation, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<VecX> ends;
  for (const int threads : {1, 4}) {
    const ThreadLimit limit(threads);
    RunningScene scene(heap(GetParam()));
    for (int n = 0; n < 40; ++n) scene.simulation().step();
    ends.push_back(scene.state().x);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

/// A block starts nearer than dhat over one of many triangles: measured per feature, its distance at rest was a step of
/// the barrier that it ran into.
TEST_P(EveryFormulation, SlidesOverATessellatedFloorWhereItStartedAndBeyond) {
  for (const double friction : {0.0, 0.2}) {
    RunningScene scene(fmt::format(R"({{"time": {{"step": 0.002}}, "friction": {{"coefficient": {}}},
      "contact": {{"formulation": "{}"}},
      "bodies": [{{"kind": "affine", "generator": {{"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]}},
        "transform": {{"translation": [0.003, 0.0501, 0.007]}}, "linear_velocity": [1, 0, 0]}},
      {{"kind": "obstacle", "generator": {{"kind": "sheet", "size": [2, 1], "resolution": [8, 5]}}}}]}})",
                                   friction, GetParam()));
    for (int n = 0; n < 150; ++n) scene.simulation().step();
    EXPECT_NEAR(scene.v(0)[0], 1.0 - 0.3 * friction * 9.80665, 0.005) << friction;
    EXPECT_NEAR(scene.v(0)[2], 0.0, 0.005) << friction;
  }
}

/// Returns a scene in which nothing acts from outside on bodies that start nearer than dhat.
std::string at_rest(int dim, double dhat, const std::string& bodies, const std::string& formulation) {
  return fmt::format(R"({{"dimension": {}, "gravity": [0, 0, 0], "time": {{"step": 0.005}},
    "contact": {{"formulation": "{}", "dhat": {}, "dhat_is_absolute": true}}, "bodies": [{}]}})",
                     dim, formulation, dhat, bodies);
}

struct RestScene {
  const char* name;
  int dim;
  double dhat;
  std::string bodies;
};

std::vector<RestScene> rest_scenes() {
  const std::string material = R"("material": {"youngs_modulus": 4000, "density": 100, "poisson_ratio": 0.2})";
  const std::string block = R"({"generator": {"kind": "box", "size": [1, 1, 1], "resolution": [3, 3, 3]}, )" + material;
  const std::string plate = R"({"generator": {"kind": "rectangle", "size": [1, 1], "resolution": [8, 8]}, )" + material;
  const std::string ring =
      R"({"generator": {"kind": "torus", "size": [0.5, 0.15], "resolution": [16, 2]}, )" + material;
  return {
      {"two blocks", 3, 0.025, block + "}, " + block + R"(, "transform": {"translation": [1.01, 0, 0]}})"},
      {"two blocks in the plane", 2, 0.1, plate + "}, " + plate + R"(, "transform": {"translation": [1.01, 0.1, 0]}})"},
      {"slit block", 3, 0.0125,
       R"({"generator": {"kind": "blocks", "size": [0.2, 0.2, 0.2], "blocks":
          [[[0, 0, 0], [0.495, 1, 0.4]], [[0.505, 0, 0], [1, 1, 0.4]], [[0, 0, 0], [1, 0.4, 0.4]]]}, )" +
           material + "}"},
      {"thin wall", 3, 0.3,
       R"({"generator": {"kind": "mat", "size": [1, 0.02, 1], "resolution": [8, 1, 8]}, )" + material + "}"},
      {"interlocked rings", 3, 0.05, ring + "}, " + ring + R"(, "transform": {"rotation": [90, 0, 0],
          "translation": [0.67, 0, 0]}})"},
      {"stiff rings", 3, 0.05, R"({"kind": "affine", "generator": {"kind": "torus", "size": [0.5, 0.15],
          "resolution": [16, 2]}}, {"kind": "rigid", "generator": {"kind": "torus", "size": [0.5, 0.15],
          "resolution": [16, 2]}, "transform": {"rotation": [90, 0, 0], "translation": [0.67, 0, 0]}})"},
  };
}

TEST(GcpContactScene, NothingRepelsAtRestNorIteratesHoweverNear) {
  for (const RestScene& rest : rest_scenes()) {
    RunningScene scene(at_rest(rest.dim, rest.dhat, rest.bodies, "gcp"));
    const VecX start = scene.state().x;
    for (int n = 0; n < 20; ++n) {
      const StepReport report = scene.step();
      EXPECT_EQ(report.newton_iterations, 0) << rest.name;
      EXPECT_EQ(report.num_contacts, 0) << rest.name;
    }
    // The second order of stiff bodies extrapolates positions, which rounds them.
    EXPECT_LT((scene.state().x - start).cwiseAbs().maxCoeff(), 1e-15) << rest.name;
  }
}

/// The reference for the tests of rest above: IPC pushes apart.
TEST(GcpContactScene, IpcPushesApartWhatStartsNear) {
  const RestScene blocks = rest_scenes()[0];
  RunningScene scene(at_rest(blocks.dim, blocks.dhat, blocks.bodies, "ipc"));
  const VecX start = scene.state().x;
  scene.steps(20);
  EXPECT_GT((scene.state().x - start).cwiseAbs().maxCoeff(), 1e-4);
}

/// Surfaces of stiff bodies may point inwards, all of them, or (with a cavity) some: the outside is found or left open.
TEST(GcpContactScene, StiffBodiesAreCarriedWhicheverWayTheirTrianglesPoint) {
  const std::string outwards = "[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]",
                    inwards = "[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]";
  const std::string more = ", [4, 5, 6], [4, 7, 5], [5, 7, 6], [6, 7, 4]";  // a second one beside it, inwards
  for (const std::string& triangles : {outwards, inwards, outwards + more, inwards + more}) {
    const bool is_pair = triangles.size() > outwards.size() + 5;
    const std::string second = is_pair ? ", [1.5, 0, 0], [2.5, 0, 0], [1.5, 0, 1], [1.5, 1, 0]" : "";
    RunningScene scene(fmt::format(R"({{"time": {{"step": 0.01}}, "contact": {{"formulation": "gcp"}}, "bodies": [
      {{"kind": "affine", "geometry": {{"vertices": [[0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]{}], "triangles": [{}]}},
        "transform": {{"translation": [0, 0.01, 0]}}}},
      {{"kind": "obstacle", "generator": {{"kind": "sheet", "size": [8, 8], "resolution": [7, 7]}}}}]}})",
                                   second, triangles));
    for (int n = 0; n < 30; ++n) scene.step();
    EXPECT_FALSE(scene.simulation().contacts().empty());
    EXPECT_NEAR(scene.v(0)[1], 0.0, 0.01) << triangles;
  }
}

/// Its walls become thinner than dhat on the way, and elements shorter.
TEST(GcpContactScene, SqueezedCubeFeelsNothingOfItself) {
  RunningScene cube(R"json({"gravity": [0, 0, 0], "time": {"step": 0.01},
    "contact": {"formulation": "gcp", "dhat": 0.2, "dhat_is_absolute": true},
    "bodies": [{"generator": {"kind": "box", "size": [1, 1, 1], "resolution": [5, 8, 5]},
      "material": {"youngs_modulus": 1e4, "density": 100, "poisson_ratio": 0},
      "motions": [{"region": {"frame": "body", "box": [[0, 0, 0], [1, 0, 1]]}},
        {"region": {"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]}, "displacement": ["0", "-0.67 * min(t / 0.2, 1)", "0"]}]}]})json");
  for (int n = 0; n < 22; ++n) EXPECT_EQ(cube.step().num_contacts, 0);
}

/// The law is minus the derivative of b(d) = eps B(2 z) / z^(dim - 1), z = d / eps, with the spline B.
double gcp_pressure_at(double z, int dim) {
  const double power = std::pow(z, 1 - dim);
  const double h = z > 0.5 ? 2 * std::pow(1 - z, 3) : 1 - 6 * z * z * (1 - z);
  const double slope = z > 0.5 ? -6 * (1 - z) * (1 - z) : 18 * z * z - 12 * z;
  return z < 1.0 ? ((dim - 1) * h / z - slope) * power : 0.0;
}

/// 2D: a corner stands for what the outline gains there when moved outwards by dhat, on every mesh and over every
/// floor: once it had half of its edges as well, whose gap is another on every mesh, and over a vertex that one's.
TEST(GcpContactScene, SharpCornersStandForTheirAngles) {
  for (const int cells : {2, 4, 16}) {
    for (const bool is_meshed : {false, true}) {
      const std::string floor =
          is_meshed ? fmt::format(R"(, {{"kind": "obstacle", "transform": {{"translation": [0, -0.25, 0]}},
            "generator": {{"kind": "rectangle", "size": [3, 0.5], "resolution": [{}, 1]}}}})",
                                  2 * cells)
                    : "";
      const std::string half_space = R"("half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],)";
      RunningScene square(fmt::format(
          R"({{"dimension": 2, "gravity": [0, 0, 0], "solver": {{"force_tolerance": 1e-7}},
          "time": {{"step": 1, "integrator": "quasi_static"}}, {}
          "contact": {{"formulation": "gcp", "dhat": 0.05, "dhat_is_absolute": true, "kappa": 1e6, "adaptive_dhat": false}},
          "bodies": [{{"kind": "affine",
            "generator": {{"kind": "rectangle", "size": [1, 1], "resolution": [{}, {}]}},
            "transform": {{"rotation": 45, "translation": [0, 0.74, 0]}}, "fixed_rotation": true,
            "fixed_translation": [true, false, false],
            "loads": [{{"kind": "force", "value": [0, -10000, 0]}}]}}{}]}})",
          is_meshed ? "" : half_space, cells, cells, floor));
      square.steps(2);
      const double weight = (is_meshed ? 0.5 : 1.0) * 0.05 * 0.5 * 3.14159265358979;
      const double z = square.simulation().contacts().at(0).distance / 0.05;
      ASSERT_LT(z, 1.0);
      EXPECT_NEAR(1e6 * weight * gcp_pressure_at(z, 2), 1e4, 1.0) << cells << ' ' << is_meshed;
    }
  }
}

/// A body that is flat at rest may be crushed to a point, of which no facet faces what it meets: there it had no area,
/// and the gap closed without a barrier.
TEST(GcpContactScene, NothingIsWithoutAreaHoweverItIsDeformed) {
  for (const int dim : {2, 3}) {
    RunningScene block(pressed_block(dim, 4, R"("formulation": "gcp")"));
    const GcpRest& rest = dynamic_cast<const GcpAtRest&>(*block.model().contact_at_rest).rest();
    for (std::size_t v = 0; v < rest.areas.vertex.size(); ++v) {
      EXPECT_GE(rest.vertex_sharpness[v], 0.09 * rest.areas.vertex[v]) << v;
    }
    for (std::size_t e = 0; dim == 3 && e < rest.areas.edge.size(); ++e) {
      EXPECT_GE(rest.edge_sharpness[e], 0.09 * rest.areas.edge[e]) << e;
    }
  }
}

/// If elements are smaller than the gap, all vertices within alpha_t of it faced a vertex at once: the energy grew with
/// their number.
TEST(GcpContactScene, EnergySettlesAsMeshesAreRefined) {
  std::vector<double> energies;
  for (const int rings : {4, 16, 32, 64}) {
    const std::string disk = fmt::format(R"("kind": "affine", "generator": {{"kind": "disk", "size": [0.5],
      "resolution": [{}]}})",
                                         rings);
    RunningScene scene(fmt::format(R"({{"dimension": 2, "contact": {{"formulation": "gcp", "dhat": 0.1, "kappa": 1e5,
      "dhat_is_absolute": true, "adaptive_dhat": false}},
      "bodies": [{{{}}}, {{{}, "transform": {{"translation": [0.01, 1.02, 0]}}}}]}})",
                                   disk, disk));
    const Model& model = scene.model();
    const auto made = make_contact_model<2>(model, scene.scene().options.barrier);
    const ContactModel<2>& contacts = *made;
    const VecX x = model.surface_map.apply(scene.state().x);
    const auto broad_phase = make_broad_phase(2, model.surface);
    const ContactSet set = contacts.build(x, contacts.find_candidates(*broad_phase, x, x));
    energies.push_back(ContactPotential<2>(model, contacts).energy(set, x).value());
  }
  EXPECT_NEAR(energies[0], energies[3], 0.25 * energies[3]);
  EXPECT_NEAR(energies[1], energies[3], 0.1 * energies[3]);
  EXPECT_NEAR(energies[2], energies[3], 0.1 * energies[3]);
}

/// Flat on a floor it stands for the facets that face the floor alone: the gap is the same everywhere, at edges too.
TEST(GcpContactScene, PressureIsEvenUpToSharpEdges) {
  for (const int dim : {2, 3}) {
    for (const int cells : {2, 3}) {
      RunningScene block(pressed_block(dim, cells, R"("formulation": "gcp", "adaptive_dhat": false)"));
      block.steps(2);
      const VecX x = block.model().surface_map.apply(block.state().x);
      double lowest = infinity, highest = 0.0;
      for (int v = 0; v < block.model().surface.num_vertices; ++v) {
        const double y = x[dim * v + 1];
        lowest = std::min(lowest, y);
        if (y < 0.05) highest = std::max(highest, y);
      }
      EXPECT_NEAR(highest, lowest, 1e-6 * lowest) << dim;
      EXPECT_NEAR(1e5 * gcp_pressure_at(lowest / 0.01, dim), 1000.0, 0.01) << dim;
    }
  }
}

}  // namespace
}  // namespace clearance
