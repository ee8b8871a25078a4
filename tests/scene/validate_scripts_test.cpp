// Motions, loads and friction coefficients that make no sense.
#include <gtest/gtest.h>

#include <functional>

#include "clearance/scene/validate.h"

namespace clearance {
namespace {

using Lines = std::vector<std::string>;

/// A deformable `cube` and an obstacle `wall`.
Lines problems(const std::function<void(SceneDesc&)>& change, int dimension = 3) {
  SceneDesc scene;
  scene.dimension = dimension;
  scene.bodies.resize(2);
  scene.bodies[0].name = "cube";
  scene.bodies[1].name = "wall";
  scene.bodies[1].kind = BodyKind::obstacle;
  for (BodyDesc& body : scene.bodies) body.mesh = body.name + ".msh";
  change(scene);
  Lines lines;
  for (const Issue& issue : validate(scene)) lines.push_back(to_string(issue));
  return lines;
}

Lines load_problems(const std::function<void(LoadDesc&)>& change, int dimension = 3) {
  return problems(
      [&](SceneDesc& scene) {
        scene.bodies[0].loads.resize(1);
        change(scene.bodies[0].loads[0]);
      },
      dimension);
}

Lines motion_problems(const std::function<void(MotionDesc&)>& change, int dimension = 3) {
  return problems(
      [&](SceneDesc& scene) {
        scene.bodies[1].motions.resize(1);
        change(scene.bodies[1].motions[0]);
      },
      dimension);
}

TEST(ValidateScripts, ChecksLoads) {
  EXPECT_EQ(load_problems([](LoadDesc& l) { l.value = {1, 2, 3}; }), Lines{});
  EXPECT_EQ(load_problems([](LoadDesc& l) { l.start = l.end = 1; }),
            Lines{"bodies[0].loads[0].end: must be later than start (1) (got 1)"});
  EXPECT_EQ(
      load_problems([](LoadDesc& l) {
        l.value = {1, 2, 3};
        l.expression = Expressions{"t", "0", "0"};
      }),
      Lines{"bodies[0].loads[0]: `value` and `expression` exclude each other; remove one of them (got [1, 2, 3])"});
  EXPECT_EQ(load_problems([](LoadDesc& l) { l.region.box = {Vec<3>(2, 0, 0), Vec<3>(1, 1, 1)}; }).size(), 1U);
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[1].loads.resize(1); }),
            Lines{"bodies[1].loads: an obstacle feels no force; loads are for all other bodies"});
}

TEST(ValidateScripts, ReportsEveryBadFormulaAtOnce) {
  const Lines lines = problems([](SceneDesc& s) {
    s.time.step = -1;
    s.bodies[0].loads.resize(1);
    s.bodies[0].loads[0].expression = Expressions{"t +", "u", "0"};
    s.bodies[1].motions.resize(1);
    s.bodies[1].motions[0].displacement = Expressions{"0", "0", "(t"};
  });
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "time.step: must be above 0 [s] (got -1)");
  EXPECT_TRUE(lines[1].starts_with("bodies[0].loads[0].expression[0]: this is not a formula: ")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("bodies[0].loads[0].expression[1]: unknown name `u` at character 1; ")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("bodies[1].motions[0].displacement[2]: this is not a formula: ")) << lines[3];
}

TEST(ValidateScripts, MeshSequenceExcludesOtherMotion) {
  EXPECT_EQ(
      motion_problems([](MotionDesc& m) {
        m.mesh_rate = 25.0;
        m.mesh_is_placed = false;
        m.mesh_sequence_first = 0;
      }),
      (Lines{"bodies[1].motions[0].mesh_rate: this key has no effect without `mesh_sequence` or `mesh_files`",
             "bodies[1].motions[0].mesh_is_placed: this key has no effect without `mesh_sequence` or `mesh_files`",
             "bodies[1].motions[0].mesh_sequence_first: this key has no effect without `mesh_sequence`"}));
  EXPECT_EQ(motion_problems([](MotionDesc& m) {
              m.mesh_files = {"a.obj", "b.obj"};
              m.mesh_rate = 25.0;
              m.mesh_sequence_first = 3;
            }),
            Lines{"bodies[1].motions[0].mesh_sequence_first: this key has no effect without `mesh_sequence`"});
  EXPECT_EQ(motion_problems([](MotionDesc& m) { m.mesh_sequence = "frames"; }), Lines{});
  EXPECT_EQ(motion_problems([](MotionDesc& m) {
              m.mesh_sequence = "frames";
              m.linear_velocity = {1, 0, 0};
              m.displacement = Expressions{"t", "0", "0"};
            }),
            Lines{"bodies[1].motions[0].mesh_sequence: this key determines the positions of the vertices; it cannot be "
                  "combined with `linear_velocity`, `displacement` (got frames)"});
}

TEST(ValidateScripts, ThirdEntriesAreZeroInThePlane) {
  EXPECT_EQ(load_problems([](LoadDesc& l) { l.expression = Expressions{"t", "x", "0"}; }, 2), Lines{});
  EXPECT_EQ(load_problems(
                [](LoadDesc& l) {
                  l.value = {0, 0, 1};
                },
                2),
            Lines{"bodies[0].loads[0].value: the third entry must be 0 in 2D (got [0, 0, 1])"});
  EXPECT_EQ(motion_problems(
                [](MotionDesc& m) {
                  m.displacement = Expressions{"t", "x", "z"};
                },
                2),
            Lines{"bodies[1].motions[0].displacement[2]: the third formula must be 0 in 2D (got z)"});
}

TEST(ValidateScripts, FrictionPairsNameTwoBodiesOnce) {
  const auto with_pairs = [](std::vector<FrictionPairDesc> pairs) {
    return problems([&](SceneDesc& s) { s.friction.pairs = std::move(pairs); });
  };
  EXPECT_EQ(with_pairs({{.bodies = {"cube", "wall"}}, {.bodies = {"cube", "cube"}}}), Lines{});
  EXPECT_EQ(with_pairs({{.bodies = {"cube", "wal"}}}),
            Lines{"friction.pairs[0].bodies[1]: no body has this name; did you mean `wall`? (got \"wal\")"});
  EXPECT_EQ(with_pairs({{.bodies = {"cube", "wall"}}, {.bodies = {"wall", "cube"}}}),
            Lines{"friction.pairs[1]: friction.pairs[0] has the same bodies"});
}

TEST(ValidateScripts, StaticFrictionIsNotBelowKinetic) {
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.friction.coefficient = s.friction.static_coefficient.emplace(0.3);
              s.bodies[0].static_friction = 0.4;
            }),
            Lines{});
  EXPECT_EQ(
      problems([](SceneDesc& s) {
        s.friction.coefficient = 0.3;
        s.friction.static_coefficient = 0.2;
        s.friction.pairs = {{.bodies = {"cube", "wall"}, .coefficient = 0.5, .static_coefficient = 0.4}};
        s.bodies[0].static_friction = 0.1;
        s.bodies[1].friction = 0.7;
        s.bodies[1].static_friction = 0.6;
        s.half_spaces = {{.friction = 0.9, .static_friction = 0.8}, {.static_friction = 0.8}};
      }),
      (Lines{"bodies[0].static_friction: must not be below the kinetic coefficient (0.3) (got 0.1)",
             "bodies[1].static_friction: must not be below the kinetic coefficient (0.7) (got 0.6)",
             "half_spaces[0].static_friction: must not be below the kinetic coefficient (0.9) (got 0.8)",
             "half_spaces[1].static_friction: a static coefficient needs a kinetic one; give `friction`, too (got 0.8)",
             "friction.static_coefficient: must not be below the kinetic coefficient (0.3) (got 0.2)",
             "friction.pairs[0].static_coefficient: must not be below the kinetic coefficient (0.5) (got 0.4)"}));
}

TEST(ValidateFriction, HalfSpaceThatOverridesTheFrictionOfABodyIsTold) {
  const auto with = [](std::optional<double> of_plane) {
    return problems([&](SceneDesc& s) {
      s.bodies[0].friction = 0.7;
      s.half_spaces.resize(1);
      s.half_spaces[0].friction = of_plane;
    });
  };
  const Lines lines = with(0.1);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("half_spaces[0].friction: warning: this friction holds for all bodies"), std::string::npos)
      << lines[0];
  EXPECT_NE(lines[0].find("friction of 0.7"), std::string::npos) << lines[0];
  EXPECT_EQ(with(std::nullopt), Lines{});
  EXPECT_EQ(with(0.7), Lines{});
}

TEST(ValidateFriction, PairWithAFloorIsToldThatHalfSpacesHaveNoNames) {
  const Lines lines = problems([](SceneDesc& s) {
    s.half_spaces.resize(1);
    s.friction.pairs.resize(1);
    s.friction.pairs[0].bodies = {"cube", "floor"};
  });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("half-spaces have numbers: `half_spaces[0]`"), std::string::npos) << lines[0];
}

TEST(ValidateScripts, ChecksRestitution) {
  const auto rigid = [](SceneDesc& s) { s.bodies[0].kind = BodyKind::rigid; };
  EXPECT_EQ(problems([&](SceneDesc& s) {
              rigid(s);
              s.contact.restitution = 0.5;
              s.contact.restitution_pairs = {{.bodies = {"cube", "wall"}, .restitution = 0.2}};
            }),
            Lines{});
  EXPECT_EQ(problems([&](SceneDesc& s) {
              rigid(s);
              s.contact.restitution_pairs = {{.bodies = {"cube", "wal"}}, {.bodies = {"wal", "cube"}}};
            }).size(),
            3U);
  EXPECT_EQ(problems([&](SceneDesc& s) {
              rigid(s);
              s.contact.restitution = 0.5;
              s.time.integrator = TimeIntegrator::implicit_newmark;
            }),
            Lines{"contact.restitution: restitution needs another `time.integrator` (implicit_euler, bdf2_in_flight, "
                  "bdf2_restarted or "
                  "bdf2), because implicit_newmark carries the acceleration of an impact into the next step, where it "
                  "would act once more on the speed of the rebound"});
  EXPECT_EQ(problems([&](SceneDesc& s) {
              rigid(s);
              s.contact.restitution = 0.5;
              s.time.integrator = TimeIntegrator::quasi_static;
            }),
            Lines{"contact.restitution: restitution needs another `time.integrator` (implicit_euler, bdf2_in_flight, "
                  "bdf2_restarted or "
                  "bdf2), because quasi_static has no velocities that could rebound"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.contact.restitution = 0.5; }),
            Lines{"contact.restitution: warning: restitution has no effect: the scene has no affine or rigid body, and "
                  "deformable bodies rebound by their elasticity alone"});
}

TEST(ValidateScripts, FrictionOfOneBodyAmongSmoothOnesIsTold) {
  const auto with_friction = [](double of_scene, std::optional<double> of_first, std::optional<double> of_second) {
    return problems([&](SceneDesc& s) {
      s.half_spaces.clear();
      s.friction = {};
      s.friction.coefficient = of_scene;
      s.bodies.resize(2);
      for (BodyDesc& body : s.bodies) body.static_friction.reset();
      s.bodies[0].kind = BodyKind::rigid;
      s.bodies[0].friction = of_first;
      s.bodies[1].friction = of_second;
    });
  };
  const Lines idle = with_friction(0.0, 0.9, {});
  ASSERT_EQ(idle.size(), 1U) << testing::PrintToString(idle);
  EXPECT_EQ(idle[0].substr(0, 50), "bodies[0].friction: warning: this friction has no ");
  EXPECT_EQ(with_friction(0.1, 0.9, {}), Lines{});
  EXPECT_EQ(with_friction(0.0, 0.9, 0.1), Lines{});
  EXPECT_EQ(with_friction(0.0, {}, {}), Lines{});
}

}  // namespace
}  // namespace clearance
