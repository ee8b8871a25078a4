// Motion that the remaining forces would still cause: small forces beside large ones, and soft structures.
#include <fmt/format.h>

#include <cmath>

#include "clearance/model/blocks.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

constexpr double pi = 3.14159265358979323846;

// --- blocks on smooth floors ---

struct Push {
  std::string kind = "deformable";
  int dim = 3;
  std::string integrator = "implicit_euler", formulation = "ipc";
  double share = 1e-4;  // of the weight: what pushes
  double young = 1e7;   // [Pa]
  double speed = 0.0;   // [m/s] at the start
  double friction = 0.0;
  std::string solver = "automatic";
};

std::string name_of(const Push& p) {
  return fmt::format("{} {}D {} {} {} young {} speed {} {}", p.kind, p.dim, p.integrator, p.formulation, p.share,
                     p.young, p.speed, p.solver);
}

std::string block(const Push& p, const std::string& name, double size, double density, double x, double force) {
  return fmt::format(
      R"({{"name": "{}", "kind": "{}", "generator": {{"kind": "{}", "size": [{}, {}{}], "resolution": [2, 2, 2]}},
          "transform": {{"translation": [{}, {}, 0]}}, "linear_velocity": [{}, 0, 0],
          "material": {{"density": {}, "youngs_modulus": {}}}, "loads": [{{"kind": "force", "value": [{}, 0, 0]}}]}})",
      name, p.kind, p.dim == 3 ? "box" : "rectangle", size, size, p.dim == 3 ? fmt::format(", {}", size) : "", x,
      0.501 * size, p.speed, density, p.young, force);
}

std::string on_floor(const Push& p, const std::string& bodies) {
  return fmt::format(
      R"({{"dimension": {}, "gravity": [0, -1, 0], "time": {{"step": 0.01, "integrator": "{}"}},
          "contact": {{"formulation": "{}"}}, "friction": {{"coefficient": {}}}, "solver": {{"linear_solver": "{}"}},
          "bodies": [{}], "half_spaces": [{{"normal": [0, 1, 0]}}]}})",
      p.dim, p.integrator, p.formulation, p.friction, p.solver, bodies);
}

/// Returns a block of a ton that is pushed by a share of its weight, g = 1 m/s^2.
RunningScene pushed_block(const Push& p) {
  return RunningScene(on_floor(p, block(p, "block", 1.0, 1000.0, 0.0, p.share * 1000.0)));
}

/// Distance by t = n h [m]; implicit Euler is half a step ahead.
double way_of(const Push& p, int n) {
  const double t = 0.01 * n;
  return p.share * (0.5 * t * t + (p.integrator == "implicit_euler" ? 0.005 * t : 0.0));
}

/// Centre of mass of a body [m]; columns of affine maps are no points.
Vec<3> center(const RunningScene& scene, int body) {
  const std::vector<char> is_column = column_flags(scene.model());
  Vec<3> sum = Vec<3>::Zero();
  double mass = 0.0;
  for (int i = 0; i < scene.num_nodes(); ++i) {
    if (is_column[i] != 0 || body_of_block(scene.model(), i) != body) continue;
    sum += scene.mass(i) * scene.x(i);
    mass += scene.mass(i);
  }
  return sum / mass;
}

void expect_pushed(const Push& p, int n = 40, double tolerance = 0.01) {
  SCOPED_TRACE(name_of(p));
  RunningScene scene = pushed_block(p);
  const double start = center(scene, 0)[0];
  scene.steps(n);
  const double way = center(scene, 0)[0] - start - 0.01 * n * p.speed;
  EXPECT_NEAR(way / way_of(p, n), 1.0, tolerance);
}

TEST(RemainingMotion, AForceFarBelowTheWeightMovesASmoothBlockOfAnyKind) {
  for (const std::string kind : {"deformable", "affine", "rigid"}) {
    for (const int dim : {2, 3}) {
      for (const double share : {1e-4, 1e-5, 1e-6}) expect_pushed({.kind = kind, .dim = dim, .share = share});
    }
  }
}

TEST(RemainingMotion, AForceFarBelowTheWeightMovesASmoothBlockByEveryIntegrator) {
  for (const std::string kind : {"deformable", "affine", "rigid"}) {
    for (const std::string integrator : {"implicit_newmark", "bdf2", "bdf2_restarted"}) {
      // The first step of BDF2 is one of implicit Euler.
      const double tolerance = integrator == "implicit_newmark" ? 0.01 : 0.03;
      expect_pushed({.kind = kind, .integrator = integrator, .share = 1e-6}, 50, tolerance);
    }
  }
}

TEST(RemainingMotion, AForceFarBelowTheWeightMovesASmoothBlockInEveryFormulation) {
  for (const std::string kind : {"deformable", "rigid"}) {
    for (const int dim : {2, 3}) {
      for (const std::string formulation : {"convergent", "gcp"}) {
        expect_pushed({.kind = kind, .dim = dim, .formulation = formulation, .share = 1e-5});
      }
    }
  }
}

TEST(RemainingMotion, ASmallForceMovesElementsOfHigherOrderSlopesAndTurnsSmoothBodies) {
  const auto scene = [](int dim, const std::string& body, const std::string& more = "") {
    return fmt::format(
        R"({{"dimension": {}, "gravity": [0, -9.81, 0], "time": {{"step": 0.01, "integrator": "implicit_euler"}}{}, "bodies": [{{"name": "b", {},
            "transform": {{"translation": [0, 0.0501, 0]}}}}], "half_spaces": [{{"normal": [0, 1, 0]}}],
            "output": {{"probes": [{{"name": "p", "kind": "position", "body": "b"}}]}}}})",
        dim, more, body);
  };
  const std::string cube = R"("generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]})";
  const std::string square = R"("generator": {"kind": "rectangle", "size": [0.1, 0.1], "resolution": [2, 2]})";
  const auto force = [](const char* newton) {
    return fmt::format(R"(, "loads": [{{"kind": "force", "value": [{}, 0, 0]}}])", newton);
  };
  // 1 kg, or 10 kg in the plane, pushed by a hundred-thousandth of its weight or less: a t^2 / 2, and half a step more.
  const double seconds = 0.5 * 0.4 * 0.4 + 0.005 * 0.4;
  for (const auto& [json, acceleration] :
       {std::pair(scene(3, cube + R"(, "order": 2)" + force("1e-4")), 1e-4),
        std::pair(scene(3, cube + R"(, "order": 3)" + force("1e-4")), 1e-4),
        std::pair(scene(2, square + R"(, "order": 2)" + force("1e-3")), 1e-4),
        std::pair(scene(2, square + R"(, "kind": "affine")" + force("1e-3")), 1e-4),
        std::pair(scene(3, cube + R"(, "kind": "rigid", "mass": 1e6)" + force("1e2")), 1e-4),
        std::pair(scene(3, cube + R"(, "kind": "affine", "mass": 1e-4)" + force("1e-8")), 1e-4)}) {
    RunningScene running(json);
    running.steps(40);
    EXPECT_NEAR(running.simulation().probe_values().at(0) / (acceleration * seconds), 1.0, 0.01) << json;
  }
  // A floor that is 1e-5 rad off the level.
  for (const std::string kind : {"deformable", "affine", "rigid"}) {
    std::string json = scene(3, cube + fmt::format(R"(, "kind": "{}")", kind));
    json.replace(json.find(R"("normal": [0, 1, 0])"), 19, R"("normal": [1e-5, 1, 0])");
    RunningScene running(json);
    running.steps(40);
    EXPECT_NEAR(running.simulation().probe_values().at(0) / (9.81e-5 * seconds), 1.0, 0.02) << kind;
  }
  // A torque of 1e-6 N m about the vertical on a cube of 1/600 kg m^2.
  for (const std::string kind : {"affine", "rigid"}) {
    RunningScene running(scene(
        3, cube + fmt::format(R"(, "kind": "{}", "loads": [{{"kind": "torque", "value": [0, 1e-6, 0]}}])", kind)));
    running.steps(40);
    const double angle = running.simulation().pose(0)->coeff(0, 2);
    EXPECT_NEAR(angle / (1e-6 * 600.0 * seconds), 1.0, 0.01) << kind;
  }
}

TEST(RemainingMotion, AForceFarBelowTheWeightMovesASteelBlockAndOneThatGlides) {
  for (const std::string kind : {"deformable", "affine", "rigid"}) {
    expect_pushed({.kind = kind, .share = 1e-6, .young = 2e11});
    expect_pushed({.kind = kind, .share = 1e-5, .speed = 0.3});
  }
}

TEST(RemainingMotion, WithoutAFactorItIsJudgedByConjugateGradients) {
  expect_pushed({.share = 1e-6, .solver = "pcg"}, 20);
}

TEST(RemainingMotion, ALightBlockIsPushedAsIfTheHeavyOneBesideItWereNotThere) {
  for (const std::string kind : {"deformable", "affine", "rigid"}) {
    SCOPED_TRACE(kind);
    const Push p{.kind = kind, .share = 1e-5};
    RunningScene scene(on_floor(
        p, block(p, "heavy", 1.0, 8000.0, 0.0, 0.0) + ", " + block(p, "light", 0.1, 100.0, 2.0, p.share * 0.1)));
    const double start = center(scene, 1)[0];
    scene.steps(40);
    EXPECT_NEAR((center(scene, 1)[0] - start) / way_of(p, 40), 1.0, 0.01);
  }
}

TEST(RemainingMotion, WhatFrictionHoldsStaysAndComesToRest) {
  for (const std::string kind : {"deformable", "affine", "rigid"}) {
    for (const int dim : {2, 3}) {
      const Push p{.kind = kind, .dim = dim, .share = 0.1, .friction = 0.3};
      SCOPED_TRACE(name_of(p));
      RunningScene scene = pushed_block(p);
      scene.steps(40);
      const double held = center(scene, 0)[0];
      scene.steps(40);
      // Elastic sliding is 1e-5 of the size.
      EXPECT_LT(std::abs(center(scene, 0)[0] - held), 1e-6);
    }
  }
}

TEST(RemainingMotion, ABodyAtRestTakesOneDirectionAStepAtMost) {
  for (const std::string kind : {"deformable", "affine", "rigid"}) {
    SCOPED_TRACE(kind);
    RunningScene scene = pushed_block({.kind = kind, .share = 0.0, .young = 1e6});
    scene.steps(300);
    const Vec<3> rest = center(scene, 0);
    for (int i = 0; i < 20; ++i) EXPECT_LE(scene.step().newton_iterations, 1);
    EXPECT_LT((center(scene, 0) - rest).norm(), 1e-9);
  }
}

// --- soft structures ---

struct Column {
  int dim = 3;
  int order = 2;
  double step = 0.02;
  double share = 1e-4;  // of the axial load: what pushes sideways
  int num_elements = 24;
  std::string solver = "automatic";
  std::string more = "";  // of the solver
};

/// Returns a steel column of 3 m, 0.1 m thick, held below. Its axial load grows by 12 kN every 0.02 s; P_cr = 479.8 kN
/// (2D: a slice one metre deep, ten times that).
RunningScene column(const Column& c) {
  const double depth = c.dim == 3 ? 1.0 : 10.0;
  return RunningScene(fmt::format(
      R"({{"dimension": {}, "gravity": [0, 0, 0], "time": {{"step": {}, "integrator": "quasi_static"}},
          "contact": {{"enabled": false}}, "solver": {{"linear_solver": "{}"{}}},
          "bodies": [{{"order": {}, "generator": {{"kind": "{}", "size": [0.1, 3{}], "resolution": [{}, {}, {}]}},
            "transform": {{"translation": [0, 1.5, 0]}},
            "material": {{"density": 7850, "youngs_modulus": 2.1e11, "poisson_ratio": 0.0, "model": "neo_hookean"}},
            "motions": [{{"region": {{"frame": "body", "box": [[-1, -1, -1], [2, 1e-6, 2]]}}}}],
            "loads": [{{"kind": "force", "region": {{"frame": "body", "box": [[-1, 0.999999, -1], [2, 2, 2]]}},
              "expression": ["{}*t", "-{}*t", "0"]}}]}}]}})",
      c.dim, c.step, c.solver, c.more, c.order, c.dim == 3 ? "box" : "rectangle", c.dim == 3 ? ", 0.1" : "",
      c.dim == 3 ? 1 : 2, c.num_elements, 1, c.share * 6e5 * depth, 6e5 * depth));
}

/// Returns the deflection at the top over that without the axial load: 3 (tan u - u) / u^3, u = pi/2 sqrt(P / P_cr).
double amplification(double load) {
  const double u = 0.5 * pi * std::sqrt(load / 479.77e3);
  return 3.0 * (std::tan(u) - u) / (u * u * u);
}

double tip(const RunningScene& scene) {
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < scene.num_nodes(); ++i) {
    if (scene.rest(i)[1] < 3.0 - 1e-6) continue;
    sum += scene.x(i)[0] - scene.rest(i)[0];
    ++count;
  }
  return sum / count;
}

/// Checks the ratio of the deflections at two loads [N], which does not depend on how stiff the mesh is.
void expect_amplified(const Column& c, double tolerance = 0.01) {
  SCOPED_TRACE(
      fmt::format("{}D order {} step {} share {} elements {}", c.dim, c.order, c.step, c.share, c.num_elements));
  RunningScene scene = column(c);
  for (const double load : {144e3, 288e3, 432e3}) {
    const double t = load / 6e5;
    scene.steps(static_cast<int>(std::lround(t / c.step)) - scene.state().step);
    const double of_depth = c.dim == 3 ? 1.0 : 10.0;
    const double unloaded = c.share * load * of_depth * 27.0 / (3.0 * 2.1e11 * std::pow(0.1, 4) / 12.0 * of_depth);
    EXPECT_NEAR(tip(scene) / unloaded / amplification(load), 1.0, load < 4e5 ? tolerance : 3.0 * tolerance) << load;
  }
}

TEST(RemainingMotion, AColumnNextToBucklingBendsAsEulerSaysAtEveryTimeStep) {
  for (const double step : {0.08, 0.04, 0.02, 0.01, 0.005}) expect_amplified({.dim = 2, .step = step});
}

TEST(RemainingMotion, AColumnNextToBucklingBendsAsEulerSaysUnderTheLeastSideLoad) {
  for (const double share : {1e-4, 1e-5, 1e-6}) expect_amplified({.dim = 2, .share = share});
}

TEST(RemainingMotion, AColumnNextToBucklingBendsAsEulerSaysInSpace) {
  expect_amplified({.step = 0.08});
}

}  // namespace
}  // namespace clearance
