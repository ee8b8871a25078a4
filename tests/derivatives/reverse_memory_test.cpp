// Bodies that remember earlier steps, and rebounds, in both modes of derivatives.
#include <string>

#include "both_modes.h"

namespace clearance::derivatives {
namespace {

/// Returns a rod along x from -0.1 to 0.1 that is clamped at its start.
std::string rod_of(const std::string& integrator, const std::string& rod, const std::string& more) {
  return R"({"time": {"step": 0.01, "duration": 0.2, "integrator": ")" + integrator + R"("}, "gravity": [1, -9, 4],
    "bodies": [{"name": "body", "generator": {"kind": "line", "size": [0.2], "resolution": [8]},
      "kind": "rod", "thickness": 4e-3, "rod": {)" +
         rod + R"(}, "material": {"youngs_modulus": 1e7}, )" + more + R"(}],
    "output": {"probes": [{"name": "tip", "body": "body", "region": {"box": [[0.099, -1, -1], [0.101, 1, 1]]}}]}})";
}

const char* const clamped = R"("motions": [{"region": {"box": [[-1, -1, -1], [-0.07, 1, 1]]}, "clamp": true}])";
const char* const turned = R"("motions": [{"region": {"box": [[-1, -1, -1], [-0.07, 1, 1]]}, "clamp": true,
  "angular_velocity": [300, 0, 0], "end": 0.12}])";

/// Forward mode takes differences, which are known to 1.3e-10 here with Newmark's method.
TEST(ReverseMemory, AgreesWithForwardModeForRods) {
  for (const char* integrator : {"implicit_euler", "bdf2_in_flight", "implicit_newmark"}) {
    for (const char* motion : {clamped, turned}) {
      SCOPED_TRACE(std::string(integrator) + motion);
      expect_forward(rod_of(integrator, R"("section": [4e-3, 2e-3], "natural_curvature": [3, 5])", motion),
                     {0.1, 0.0, 0.0},
                     {"bodies[0].material.youngs_modulus", "gravity[2]", "bodies[0].rod.natural_curvature[0]"}, 2e-10);
    }
  }
}

/// A rod that flies: nothing holds its frames.
TEST(ReverseMemory, AgreesWithForwardModeForFreeRods) {
  expect_forward(rod_of("implicit_euler", R"("section": [4e-3, 2e-3], "natural_curvature": [0, 5])",
                        R"("angular_velocity": [200, 100, 300])"),
                 {0.1, 0.0, 0.0}, {"bodies[0].material.youngs_modulus", "bodies[0].rod.natural_curvature[1]"}, 1e-10);
}

TEST(ReverseMemory, AgreesWithForwardModeForRodsThatYield) {
  expect_forward(rod_of("implicit_euler", R"("section": [4e-3, 2e-3], "yield_curvature": 2)", clamped), {0.1, 0.0, 0.0},
                 {"bodies[0].material.youngs_modulus", "gravity[2]", "bodies[0].rod.yield_curvature"});
}

/// Returns a sheet that is clamped at one side, and bends beyond its yield curvature.
std::string sheet_of(const std::string& shell) {
  return R"({"time": {"step": 0.01, "duration": 0.2}, "gravity": [1, -9, 2],
    "bodies": [{"name": "body", "generator": {"kind": "sheet", "size": [0.1, 0.1], "resolution": [4, 4]},
      "kind": "shell", "thickness": 1e-3, "material": {"youngs_modulus": 1e6},
      "shell": {"yield_curvature": 3)" +
         shell + R"(},
      "motions": [{"region": {"box": [[-1, -1, -1], [-0.024, 1, 1]]}}]}],
    "output": {"probes": [{"name": "tip", "body": "body", "region": {"box": [[0.049, -1, 0.049], [0.051, 1, 0.051]]}}]}})";
}

TEST(ReverseMemory, AgreesWithForwardModeForCreases) {
  for (const char* shell : {"", R"(, "bending": "hinges")"}) {
    SCOPED_TRACE(shell);
    expect_forward(sheet_of(shell), {0.05, 0.0, 0.05},
                   {"bodies[0].material.youngs_modulus", "bodies[0].shell.yield_curvature", "gravity[1]"}, 1e-8);
  }
}

/// Returns a block that is pulled and sheared until it flows.
std::string block_of(const std::string& integrator, const std::string& more) {
  return R"({"time": {"step": 0.01, "duration": 0.1, "integrator": ")" + integrator + R"("},
    "bodies": [{"name": "body", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},)" +
         more + R"(
      "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3, "yield_stress": 2e3, "hardening_modulus": 2e4},
      "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}],
      "loads": [{"kind": "force", "value": [30, 12, 8], "region": {"box": [[0.049, -1, -1], [1, 1, 1]]}}]}],
    "output": {"probes": [{"name": "tip", "body": "body",
      "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})";
}

const std::vector<std::string> of_flow = {"bodies[0].material.youngs_modulus", "bodies[0].material.yield_stress",
                                          "bodies[0].material.hardening_modulus", "bodies[0].loads[0].value[1]"};

TEST(ReverseMemory, AgreesWithForwardModeForMaterialsThatYield) {
  for (const char* integrator : {"implicit_euler", "bdf2_in_flight"}) {
    SCOPED_TRACE(integrator);
    expect_forward(block_of(integrator, ""), {0.05, 0.05, 0.05}, of_flow, 1e-9);
  }
}

/// A load that is held leaves the block on its yield surface, where differences of the check crossed the limit of flow.
TEST(ReverseMemory, AgreesWithForwardModeOnTheYieldSurface) {
  const std::string block =
      R"x({"time": {"step": 0.2, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
    "bodies": [{"name": "body", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
      "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3, "yield_stress": 2e3, "hardening_modulus": 2e4},
      "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}],
      "loads": [{"kind": "force", "expression": ["30 * min(2 * t, 1)", "4 * min(2 * t, 1)", "0"],
        "region": {"box": [[0.049, -1, -1], [1, 1, 1]]}}]}],
    "output": {"probes": [{"name": "tip", "body": "body",
      "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})x";
  expect_forward(
      block, {0.05, 0.05, 0.05},
      {"bodies[0].material.youngs_modulus", "bodies[0].material.yield_stress", "bodies[0].material.hardening_modulus"},
      1e-9);
}

TEST(ReverseMemory, AgreesWithForwardModeForYieldInThePlane) {
  const std::string plane = R"({"dimension": 2, "time": {"step": 0.01, "duration": 0.1}, "gravity": [0, -9],
    "bodies": [{"name": "body", "generator": {"kind": "rectangle", "size": [0.1, 0.1], "resolution": [3, 3]},
      "material": {"youngs_modulus": 1e5, "yield_stress": 2e3, "hardening_modulus": 2e4},
      "motions": [{"region": {"box": [[-1, -1], [-0.049, 1]]}}],
      "loads": [{"kind": "force", "value": [300, 120], "region": {"box": [[0.049, -1], [1, 1]]}}]}],
    "output": {"probes": [{"name": "tip", "body": "body", "region": {"box": [[0.049, 0.049], [0.051, 0.051]]}}]}})";
  expect_forward(plane, {0.05, 0.05, 0.0}, of_flow, 1e-9);
}

/// The numbers of all elements that yield add up to those of the scene, and the nodes at rest to its size.
TEST(ReverseMemory, ElementsThatYieldAddUp) {
  for (const char* more : {"", R"("order": 2,)"}) {
    const std::unique_ptr<Recording> recording = record(block_of("implicit_euler", more));
    ASSERT_TRUE(recording);
    std::vector<Seed> seeds(static_cast<std::size_t>(recording->num_steps()) + 1);
    seeds.back().x = seed_of(*recording, vertex_at(*recording, {0.05, 0.05, 0.05}), 0);
    const ReverseGradient found =
        backward(*recording, seeds, {"bodies[0].material.youngs_modulus", "bodies[0].generator.size[1]"});
    ASSERT_EQ(found.parameters.size(), 2U);
    double by_modulus = 0.0, by_size = 0.0;
    const double nu = 0.3;
    for (const double by : found.elements.lambda) by_modulus += by * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    for (const double by : found.elements.mu) by_modulus += by / (2.0 * (1.0 + nu));
    const SceneModel& scene = *recording->scene().scene;
    for (Eigen::Index i = 1; i < found.shape.size(); i += 3) by_size += found.shape[i] * scene.model.x_rest[i] / 0.1;
    EXPECT_NEAR(by_modulus, found.parameters[0], 1e-7 * std::abs(found.parameters[0]));
    EXPECT_NEAR(by_size, found.parameters[1], 1e-6 * std::abs(found.parameters[1]));
  }
}

/// Links hold a block until some of them break.
TEST(ReverseMemory, AgreesWithForwardModeForAttachments) {
  const std::string hung = R"({"time": {"step": 0.01, "duration": 0.2}, "gravity": [2, -9, 0],
    "bodies": [{"name": "body", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
      "material": {"youngs_modulus": 1e5}}],
    "attachments": [{"name": "strings", "body": "body", "region": {"box": [[-1, 0.049, -1], [1, 1, 1]]},
      "point": [0, 0.2, 0], "stiffness": 400, "break_force": 2.0}],
    "output": {"probes": [{"name": "tip", "body": "body",
      "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})";
  expect_forward(hung, {0.05, 0.05, 0.05},
                 {"bodies[0].material.youngs_modulus", "attachments[0].stiffness", "gravity[0]"}, 2e-8);
}

/// Boxes that fall on a plane, and on each other, rebound.
std::string bouncing(const std::string& integrator, const std::string& kind) {
  const std::string cube = R"("generator": {"kind": "box", "size": [0.1, 0.1, 0.1]}, "kind": ")" + kind + "\"";
  return R"({"time": {"step": 0.01, "duration": 0.25, "integrator": ")" + integrator +
         R"("}, "contact": {"restitution": 0.5}, "friction": {"coefficient": 0.2},
    "half_spaces": [{"point": [0, -0.1, 0], "normal": [0, 1, 0]}],
    "bodies": [{"name": "body", "linear_velocity": [0.5, -1, 0], "angular_velocity": [20, 30, 50], )" +
         cube + R"(},
      {"name": "other", "transform": {"translation": [0.02, 0.13, 0.01], "rotation": [10, 0, 20]},
       "linear_velocity": [0, -2, 0], )" +
         cube + R"(}],
    "output": {"probes": [{"name": "tip", "body": "body",
      "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})";
}

TEST(ReverseMemory, AgreesWithForwardModeForRebounds) {
  for (const char* integrator : {"implicit_euler", "bdf2_in_flight"}) {
    for (const char* kind : {"rigid", "affine"}) {
      SCOPED_TRACE(std::string(integrator) + " " + kind);
      if (std::string(kind) == "affine" && std::string(integrator) != "implicit_euler") continue;
      expect_forward(
          bouncing(integrator, kind), {0.05, 0.05, 0.05},
          {"bodies[0].linear_velocity[0]", "bodies[1].linear_velocity[1]", "contact.restitution", "gravity[1]"}, 1e-7);
    }
  }
}

/// Faces that meet rebound over gaps of micrometres: differences of whole steps over a part of these had 2e-6 of
/// rounding.
TEST(ReverseMemory, ReboundsOfFacesKeepTheirDigitsInForwardMode) {
  const std::string meeting = R"({"time": {"step": 0.001, "duration": 0.01, "integrator": "implicit_euler"},
    "gravity": [0, 0, 0], "contact": {"dhat": 1e-5, "dhat_is_absolute": true, "restitution": 0.5},
    "bodies": [{"name": "body", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]}, "mass": 2,
        "transform": {"translation": [-0.07, 0, 0]}, "linear_velocity": [3, 0, 0]},
      {"name": "other", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.2, 0.2]}, "mass": 1,
        "transform": {"translation": [0.05, 0, 0]}, "linear_velocity": [-1, 0, 0]}],
    "output": {"probes": [{"name": "tip", "body": "body",
      "region": {"box": [[-0.021, 0.049, 0.049], [-0.019, 0.051, 0.051]]}}]}})";
  expect_forward(meeting, {-0.02, 0.05, 0.05},
                 {"bodies[0].mass", "bodies[0].linear_velocity[0]", "bodies[1].linear_velocity[0]"}, 1e-10);
}

/// A box that hits one that a motion moves.
TEST(ReverseMemory, AgreesWithForwardModeForReboundsFromMovedBodies) {
  const std::string hit = R"({"time": {"step": 0.01, "duration": 0.2}, "contact": {"restitution": 0.6},
    "bodies": [{"name": "body", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
       "angular_velocity": [0, 0, 40]},
      {"name": "wall", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
       "transform": {"translation": [-0.02, -0.15, 0.01], "rotation": [0, 0, 30]},
       "motions": [{"linear_velocity": [0, 0.1, 0]}]}],
    "output": {"probes": [{"name": "tip", "body": "body",
      "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})";
  expect_forward(hit, {0.05, 0.05, 0.05},
                 {"gravity[1]", "contact.restitution", "bodies[1].motions[0].linear_velocity[1]"}, 1e-8);
}

/// A ball rebounds from the floor, from another ball, and from one whose surface a motion turns. Its contact points are
/// beside its centre.
TEST(ReverseMemory, AgreesWithForwardModeForReboundsOfRoundBodies) {
  const std::string sphere = R"("generator": {"kind": "sphere", "size": [0.08660254037844387], "resolution": [3],
    "exact": true}, "kind": "rigid")";
  const std::string other = R"(, {"name": "other", "transform": {"translation": [0.02, -0.2, 0.03]}, )" + sphere;
  for (const char* integrator : {"implicit_euler", "bdf2_in_flight"}) {
    for (const auto& [more, by] :
         {std::pair{std::string(R"(], "half_spaces": [{"point": [0, -0.12, 0]}])"),
                    std::string("bodies[0].angular_velocity[2]")},
          std::pair{other + R"(, "linear_velocity": [0, 0.5, 0]}])", std::string("bodies[1].linear_velocity[0]")},
          std::pair{other + R"(, "motions": [{"angular_velocity": [200, 0, 300]}]}])",
                    std::string("bodies[1].motions[0].angular_velocity[2]")}}) {
      for (const char* mu : {"0.05", "0.8"}) {
        SCOPED_TRACE(std::string(integrator) + more + mu);
        // A ball that sticks does not depend on the coefficient.
        const bool slides = std::string(mu) == "0.05";
        expect_forward(R"({"time": {"step": 0.01, "duration": 0.1, "integrator": ")" + std::string(integrator) +
                           R"("}, "contact": {"restitution": 0.6}, "friction": {"coefficient": )" + mu + R"(},
            "output": {"probes": [{"name": "tip", "body": "body",
              "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]},
            "bodies": [{"name": "body", "linear_velocity": [0.5, -1, 0.2], "angular_velocity": [20, 30, 500], )" +
                           sphere + "}" + more + "}",
                       {0.05, 0.05, 0.05},
                       {"bodies[0].linear_velocity[0]", "contact.restitution",
                        slides ? "friction.coefficient" : "bodies[0].angular_velocity[0]", by},
                       1e-5);
      }
    }
  }
}

/// An arm that swings, slips and sticks on a hinge, and one on a slider.
TEST(ReverseMemory, AgreesWithForwardModeForFrictionOfJoints) {
  for (const char* kind : {"rigid", "affine"}) {
    for (const char* joint : {R"("hinge", "friction": 0.02)", R"("slider", "friction": 0.4)"}) {
      SCOPED_TRACE(std::string(kind) + joint);
      expect_forward(R"({"time": {"step": 0.01, "duration": 0.4}, "gravity": [0.1, -1, 0],
        "bodies": [{"name": "body", "kind": ")" +
                         std::string(kind) + R"(", "mass": 1, "linear_velocity": [0, 0.3, 0],
          "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]}}],
        "joints": [{"kind": )" +
                         joint + R"(, "bodies": ["body", ""], "point": [-0.02, 0, 0], "axis": [0, )" +
                         (joint[1] == 's' ? "1, 0" : "0, 1") + R"(], "stiffness": 0.5}],
        "output": {"probes": [{"name": "tip", "body": "body",
          "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})",
                     {0.05, 0.05, 0.05}, {"gravity[1]", "joints[0].friction", "bodies[0].linear_velocity[1]"}, 1e-6);
    }
  }
}

/// Forces of joints before an impact are differences of large ones.
TEST(ReverseMemory, ReboundsOfJointsAreRefusedByName) {
  const std::string pendulum = R"({"time": {"step": 0.01, "duration": 0.3}, "contact": {"restitution": 0.6},
    "bodies": [{"name": "body", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]}}],
    "joints": [{"kind": "hinge", "bodies": ["body", ""], "point": [-0.1, 0, 0], "axis": [0, 0, 1]}]})";
  const Result<std::unique_ptr<Recording>> refused = Recording::make(maker(pendulum), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.issues().front().place, "contact.restitution");
}

}  // namespace
}  // namespace clearance::derivatives
