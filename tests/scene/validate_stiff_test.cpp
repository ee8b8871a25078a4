// Stiff bodies, written-out geometry, poses and joints that make no sense.
#include <gtest/gtest.h>

#include <functional>

#include "clearance/scene/body_names.h"
#include "clearance/scene/expression.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

using Lines = std::vector<std::string>;
using Change = std::function<void(SceneDesc&)>;

/// Three copies of an affine `link`, a deformable `cube`, an obstacle `wall`, an affine `door`.
Lines problems(const Change& change, int dimension = 3) {
  SceneDesc scene;
  scene.dimension = dimension;
  scene.bodies.resize(4);
  const char* names[] = {"link", "cube", "wall", "door"};
  for (std::size_t i = 0; i < 4; ++i) {
    scene.bodies[i].name = names[i];
    scene.bodies[i].mesh = "a.msh";
  }
  scene.bodies[0].kind = scene.bodies[3].kind = BodyKind::affine;
  scene.bodies[2].kind = BodyKind::obstacle;
  scene.bodies[0].array = ArrayDesc{.counts = {3, 1, 1}};
  change(scene);
  Lines lines;
  for (const Issue& issue : validate(scene)) lines.push_back(to_string(issue));
  return lines;
}

Lines door_problems(const std::function<void(BodyDesc&)>& change, int dimension = 3) {
  return problems([&](SceneDesc& s) { change(s.bodies[3]); }, dimension);
}

Lines joint_problems(const std::function<void(JointDesc&)>& change, int dimension = 3) {
  return problems(
      [&](SceneDesc& s) {
        s.joints.resize(1);
        s.joints[0].bodies = {"link[0]", "door"};
        change(s.joints[0]);
      },
      dimension);
}

TEST(ValidateStiff, InertiaMustBeThatOfABody) {
  const auto with_inertia = [](const Vec<3>& moments, const Vec<3>& products) {
    return door_problems([&](BodyDesc& b) { b.inertia = InertiaDesc{moments, products}; });
  };
  EXPECT_EQ(with_inertia({1, 1, 1.5}, {0.1, 0, 0}), Lines{});
  EXPECT_EQ(with_inertia({1, 1, 2}, {0, 0, 0}), Lines{});  // flat
  EXPECT_EQ(with_inertia({1, 1, 2.1}, {0, 0, 0}).size(), 1U);
  EXPECT_EQ(with_inertia({1, 1, 1}, {0.9, 0, 0}).size(), 1U);
  EXPECT_EQ(with_inertia({1, -1, 1}, {0, 0, 0}).size(), 2U);  // out of range, and no body's
  EXPECT_EQ(door_problems([](BodyDesc& b) { b.inertia = InertiaDesc{}; }, 2),
            Lines{"bodies[3].inertia: only a 3D body has this key; in 2D the inertia follows from shape and mass"});
}

TEST(ValidateStiff, ABodyOfSeveralHasNoInertiaOfItsOwn) {
  EXPECT_EQ(
      door_problems([](BodyDesc& b) {
        b.split_components = true;
        b.center_of_mass = Vec<3>(0, 0, 0);
      }),
      Lines{
          "bodies[3]: `split_components` makes several bodies, which cannot share one centre of mass and one inertia"});
}

TEST(ValidateStiff, OnlyStiffBodiesAndObstaclesMayPassThroughEverything) {
  EXPECT_EQ(problems([](SceneDesc& s) {
              for (BodyDesc& body : s.bodies) body.collides = body.name == "cube";
            }),
            Lines{});
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[1].collides = false; }).size(), 1U);
}

TEST(ValidateStiff, IgnoredPairsNeedBodies) {
  EXPECT_EQ(problems([](SceneDesc& s) { s.contact.ignored_pairs = {{{"door", "wall"}}}; }), Lines{});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.contact.ignored_pairs = {{{"door", "wal"}}};
            }),
            Lines{"contact.ignored_pairs[0].bodies[1]: no body has this name; did you mean `wall`? (got \"wal\")"});
}

TEST(ValidateStiff, SpringsAreForHingesAndSlidersThatNothingDrives) {
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.stiffness = j.damping = 1;
              j.rest = "10 * t";
            }),
            Lines{});
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.kind = JointKind::ball;
              j.stiffness = j.damping = 1;
              j.rest = "t";
            }).size(),
            3U);
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.drive = "t";
              j.damping = 1;
            }).size(),
            1U);
  EXPECT_EQ(joint_problems([](JointDesc& j) { j.rest = "t"; }),
            Lines{"joints[0].rest: the joint has no spring that could rest here; give it a `stiffness` (got t)"});
}

TEST(ValidateStiff, FieldsOfOtherKindsAreErrors) {
  EXPECT_EQ(problems([](SceneDesc&) {}), Lines{});
  EXPECT_EQ(door_problems([](BodyDesc& b) {
              b.mass = 1;
              b.thickness = 0.1;
              b.fixed_rotation = {true, true, true};
              b.split_components = true;
            }),
            Lines{});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.bodies[1].mass = 1;
              s.bodies[1].split_components = true;
              s.bodies[2].fixed_translation[0] = true;
              s.bodies[3].stiff_parts.resize(1);
            }),
            (Lines{"bodies[1].split_components: only stiff bodies and obstacles can be split into components; "
                   "parts of other bodies may lie apart (got true)",
                   "bodies[1].mass: only a stiff body (affine or rigid) has this key",
                   "bodies[2].fixed_translation: only a stiff body (affine or rigid) has this key",
                   "bodies[3].stiff_parts: only a deformable body has stiff parts"}));
  EXPECT_EQ(door_problems([](BodyDesc& b) { b.mass = 0; }), Lines{"bodies[3].mass: must be above 0 [kg] (got 0)"});
}

TEST(ValidateStiff, MaterialThatHasNoEffectIsTold) {
  const auto of_kind = [](BodyKind kind, const std::function<void(MaterialDesc&)>& change) {
    return problems([&](SceneDesc& s) {
      s.bodies[1].kind = kind;
      change(s.bodies[1].material);
    });
  };
  EXPECT_EQ(of_kind(BodyKind::rigid,
                    [](MaterialDesc& m) {
                      m.youngs_modulus = 1e9;
                      m.stiffness = 1e9;
                    }),
            (Lines{"bodies[1].material.youngs_modulus: warning: this key has no effect on a "
                   "body of kind rigid, which keeps its shape",
                   "bodies[1].material.stiffness: warning: this key has no effect on a body "
                   "of kind rigid, which keeps its shape"}));
  EXPECT_EQ(of_kind(BodyKind::affine, [](MaterialDesc& m) { m.poisson_ratio = 0.3; }),
            Lines{"bodies[1].material.poisson_ratio: warning: this key has no effect on a "
                  "body of kind affine; see `stiffness`"});
  EXPECT_EQ(of_kind(BodyKind::affine, [](MaterialDesc& m) { m.stiffness = 1e9; }), Lines{});
  EXPECT_EQ(of_kind(BodyKind::deformable, [](MaterialDesc& m) { m.youngs_modulus = 1e9; }), Lines{});
  EXPECT_EQ(of_kind(BodyKind::deformable, [](MaterialDesc& m) { m.stiffness = 1e9; }),
            Lines{"bodies[1].material.stiffness: warning: this key has no effect on a body "
                  "of kind deformable; see `youngs_modulus`"});
}

TEST(ValidateStiff, ObstaclesShareOneCollisionGroup) {
  const auto with_groups = [](int first, int second) {
    return problems([&](SceneDesc& s) {
      BodyDesc wall = s.bodies[0];
      wall.kind = BodyKind::obstacle;
      wall.material = {};
      wall.loads.clear();
      wall.stiff_parts.clear();
      for (const int group : {first, second}) {
        wall.name = "wall " + std::to_string(s.bodies.size());
        wall.collision_group = group;
        s.bodies.push_back(wall);
      }
    });
  };
  EXPECT_EQ(with_groups(3, 3), Lines{});
  EXPECT_EQ(with_groups(3, -1), Lines{});
  ASSERT_EQ(with_groups(3, 4).size(), 1U);
  EXPECT_NE(with_groups(3, 4)[0].find("all obstacles must have the same group"), std::string::npos);
}

TEST(ValidateStiff, ThePlaneHasNoThirdAxis) {
  EXPECT_EQ(door_problems([](BodyDesc& b) { b.kind = BodyKind::rigid; }), Lines{});
  EXPECT_EQ(door_problems([](BodyDesc& b) { b.kind = BodyKind::rigid; }, 2), Lines{});
  EXPECT_EQ(door_problems(
                [](BodyDesc& b) {
                  b.fixed_translation[2] = true;
                  b.fixed_rotation[0] = true;
                },
                2)
                .size(),
            2U);
}

TEST(ValidateStiff, GeometryNamesItsOwnVertices) {
  const auto with_geometry = [](GeometryDesc geometry, BodyKind kind = BodyKind::affine) {
    return door_problems([&](BodyDesc& b) {
      b.mesh = "";
      b.kind = kind;
      b.geometry = std::move(geometry);
    });
  };
  const std::vector<Vec<3>> three = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(with_geometry({.vertices = three, .edges = {{0, 1}}, .triangles = {{0, 1, 2}}}), Lines{});
  EXPECT_EQ(with_geometry({.vertices = three, .edges = {{0, 1}, {2, 3}, {4, 5}}, .triangles = {{1, 2, 1}}}),
            (Lines{"bodies[3].geometry.edges[1][1]: this vertex does not exist; the number of vertices is 3 (got 3)",
                   "bodies[3].geometry.triangles[0]: this element has the same vertex twice"}));
  EXPECT_EQ(with_geometry({.vertices = three, .edges = {{-1, 0}}, .triangles = {}}).size(), 2U);
  EXPECT_EQ(with_geometry({}), Lines{"bodies[3].geometry.vertices: the geometry needs at least one vertex"});
  EXPECT_EQ(with_geometry({.vertices = three, .edges = {}, .triangles = {{0, 1, 2}}}, BodyKind::deformable),
            Lines{"bodies[3].geometry: a deformable body needs `tets`"});
}

TEST(ValidateStiff, StiffBodiesMoveAndFeelLoadsAsAWhole) {
  EXPECT_EQ(
      door_problems([](BodyDesc& b) {
        b.motions.resize(1);
        b.motions[0].region.surface_only = true;
        b.motions[0].displacement = Expressions{"sin(t)", "x * t", "0"};
        b.loads.resize(2);
        b.loads[0].kind = LoadKind::traction;
        b.loads[1].region.box.emplace() = {Vec<3>::Zero(), Vec<3>::Ones()};
      }),
      (Lines{
          "bodies[3].motions[0].region: a stiff body moves as a whole; remove the region",
          "bodies[3].motions[0].displacement[1]: a stiff body moves as a whole, so that its formulas may only use t "
          "(got x * t)",
          "bodies[3].loads[0].kind: a load on a stiff body must be a force, a torque or an acceleration (got traction)",
          "bodies[3].loads[1].region: a load acts on a stiff body as a whole; remove the region"}));
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.bodies[1].loads.resize(1);
              s.bodies[1].loads[0].kind = LoadKind::torque;
            }),
            Lines{"bodies[1].loads[0].kind: only a stiff body (affine or rigid) can have a torque (got torque)"});
  const auto torque = [](BodyDesc& b, const Vec<3>& value) {
    b.loads.resize(1);
    b.loads[0].kind = LoadKind::torque;
    b.loads[0].value = value;
  };
  EXPECT_EQ(door_problems([&](BodyDesc& b) { torque(b, {0, 0, 1}); }, 2), Lines{});
  EXPECT_EQ(door_problems([&](BodyDesc& b) { torque(b, {1, 0, 0}); }, 2).size(), 1U);
}

TEST(ValidateStiff, PosesExcludeOtherMotion) {
  const auto with_poses = [](MotionDesc& m) { m.poses = {{.position = {1, 2, 0}}, {.rotation = {0, 0, 90}}}; };
  EXPECT_EQ(door_problems([&](BodyDesc& b) {
              with_poses(b.motions.emplace_back());
              b.motions[0].center = Vec<3>::Zero();
            }),
            Lines{});
  EXPECT_EQ(door_problems([&](BodyDesc& b) {
              with_poses(b.motions.emplace_back());
              b.motions[0].linear_velocity = {1, 0, 0};
              b.motions[0].displacement = Expressions{"t", "0", "0"};
            }),
            Lines{"bodies[3].motions[0].poses: this key determines the positions of the vertices; it cannot be "
                  "combined with `linear_velocity`, `displacement`"});
  EXPECT_EQ(problems([&](SceneDesc& s) { with_poses(s.bodies[0].motions.emplace_back()); }),
            Lines{"bodies[0].motions[0].poses: the poses would move all copies of the array to the same place"});
}

// A motion along an axis in which the body is fixed was accepted, and pulled at joints of 5e8 % strain.
TEST(ValidateStiff, MotionsDoNotMoveABodyWhereItIsFixed) {
  using Axes = std::array<bool, 3>;
  const auto fixed = [](const Axes& translation, const Axes& rotation, const std::function<void(MotionDesc&)>& move) {
    return door_problems([&](BodyDesc& b) {
      b.fixed_translation = translation;
      b.fixed_rotation = rotation;
      move(b.motions.emplace_back());
    });
  };
  const Axes all = {true, true, true}, none = {}, x = {true, false, false};
  EXPECT_EQ(fixed(x, none,
                  [](MotionDesc& m) {
                    m.linear_velocity = {1, 2, 0};
                  }),
            Lines{"bodies[3].motions[0].linear_velocity: the motion moves the body along x, which `fixed_translation` "
                  "of the body forbids; remove one of the two (got [1, 2, 0])"});
  EXPECT_EQ(fixed(none, x,
                  [](MotionDesc& m) {
                    m.angular_velocity = {90, 0, 0};
                  }),
            Lines{"bodies[3].motions[0].angular_velocity: the motion turns the body about x, which `fixed_rotation` of "
                  "the body forbids; remove one of the two (got [90, 0, 0])"});
  EXPECT_EQ(fixed(x, none,
                  [](MotionDesc& m) {
                    m.displacement = Expressions{"0.1 * sin(t)", "t", "0"};
                  }),
            Lines{"bodies[3].motions[0].displacement[0]: the motion moves the body along x, which `fixed_translation` "
                  "of the body forbids; remove one of the two (got 0.1 * sin(t))"});
  EXPECT_EQ(fixed(x, x,
                  [](MotionDesc& m) {
                    m.poses = {{.position = {1, 2, 0}}, {.position = {1, 3, 0}, .rotation = {90, 0, 0}}};
                  }),
            Lines{"bodies[3].motions[0].poses[1].rotation: the motion turns the body about x, which `fixed_rotation` "
                  "of the body forbids; remove one of the two (got [90, 0, 0])"});
  EXPECT_EQ(fixed(x, none,
                  [](MotionDesc& m) {
                    m.poses = {{.position = {1, 2, 0}}, {.position = {2, 2, 0}}};
                  })
                .size(),
            1U);
  // No conflict: the other axes, no motion at all, and one that begins after the run.
  EXPECT_EQ(fixed(x, all,
                  [](MotionDesc& m) {
                    m.linear_velocity = {0, 2, 3};
                    m.displacement = Expressions{"0", "t", "0"};
                  }),
            Lines{});
  EXPECT_EQ(fixed(all, x, [](MotionDesc& m) { m.angular_velocity = {0, 90, 0}; }), Lines{});
  EXPECT_EQ(fixed(all, all, [](MotionDesc&) {}), Lines{});
  EXPECT_EQ(fixed(all, all,
                  [](MotionDesc& m) {
                    m.linear_velocity = {1, 0, 0};
                    m.start = 1e9;
                  }),
            Lines{});
}

TEST(ValidateJoints, HoldTwoStiffBodiesOrOneAndTheWorld) {
  EXPECT_EQ(joint_problems([](JointDesc&) {}), Lines{});
  EXPECT_EQ(joint_problems([](JointDesc& j) { j.bodies[1] = ""; }), Lines{});
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.bodies = {"", "doo"};
            }),
            (Lines{"joints[0].bodies[0]: a joint needs the name of a stiff body here; only the second name may be "
                   "empty, which means the world",
                   "joints[0].bodies[1]: no body has this name; did you mean `door`? (got \"doo\")"}));
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.bodies = {"cube", "wall"};
            }),
            (Lines{"joints[0].bodies[0]: a joint can only hold stiff bodies (affine or rigid), and this body is of "
                   "kind deformable; `attachments` hold its nodes (got \"cube\")",
                   "joints[0].bodies[1]: a joint can only hold stiff bodies (affine or rigid), and this body is of "
                   "kind obstacle (got \"wall\")"}));
  EXPECT_EQ(
      joint_problems([](JointDesc& j) {
        j.bodies = {"link", "link[3]"};
      }),
      (Lines{"joints[0].bodies[0]: the body has 3 copies; name one of them, `link[0]` to `link[2]` (got \"link\")",
             "joints[0].bodies[1]: this copy does not exist; the number of copies of `link` is 3 (got \"link[3]\")"}));
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.bodies = {"door", "door"};
            }),
            Lines{"joints[0].bodies: a joint holds two different bodies (got \"door\")"});
  // (No warning that its drive is blocked.)
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.bodies = {"door", "door"};
              j.drive = "t";
            }).size(),
            1U);
  EXPECT_EQ(joint_problems([](JointDesc& j) { j.bodies[1] = "door[0]"; }).size(), 1U);
}

TEST(ValidateJoints, LimitsDriveAndEffortNeedAFreeMotion) {
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.lower = -90;
              j.upper = 0;
              j.effort = "10 * t";
            }),
            Lines{});
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.kind = JointKind::ball;
              j.upper = 1;
              j.drive = "t";
            }),
            (Lines{"joints[0].upper: only a hinge or a slider has this key (got ball)",
                   "joints[0].drive: only a hinge or a slider has this key (got ball)"}));
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.lower = 1;
              j.upper = 180;
            }),
            Lines{"joints[0].lower: must be at most 0 [deg or m] (got 1)"});
  // Angles count turns.
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.lower = -200;
              j.upper = 1080;
            }),
            Lines{});
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.kind = JointKind::slider;
              j.axis.setZero();
              j.upper = 500;
              j.effort = "x";
            }),
            (Lines{"joints[0].axis: must not be zero (got [0, 0, 0])",
                   "joints[0].effort: unknown name `x` at character 1; known are t, pi, e, sin, cos, tan, asin, acos, "
                   "atan, sinh, cosh, tanh, exp, log, log10, sqrt, abs, floor, ceil, atan2, min, max, mod (got x)"}));
  EXPECT_EQ(joint_problems([](JointDesc& j) { j.drive = j.effort = "t"; }).size(), 1U);
  // The axis of a hinge has no meaning in the plane.
  EXPECT_EQ(joint_problems([](JointDesc& j) { j.axis = {0, 0, 1}; }, 2), Lines{});
  EXPECT_EQ(joint_problems(
                [](JointDesc& j) {
                  j.axis = {1, 0, 0};
                },
                2),
            Lines{"joints[0].axis: in 2D every hinge turns about z; remove the axis (got [1, 0, 0])"});
  EXPECT_EQ(joint_problems(
                [](JointDesc& j) {
                  j.kind = JointKind::slider;
                  j.axis = {0, 0, 1};
                },
                2)
                .size(),
            1U);
}

/// Returns the problems of joints a, b and c, hinges of three bodies, some of which follow others.
Lines mimic_problems(const std::vector<std::string>& leaders, const std::function<void(SceneDesc&)>& change = {}) {
  return problems([&](SceneDesc& s) {
    s.joints.resize(3);
    for (std::size_t j = 0; j < 3; ++j) {
      s.joints[j].name = std::string(1, static_cast<char>('a' + j));
      s.joints[j].bodies = {j == 0 ? "door" : j == 1 ? "link[0]" : "link[1]", ""};
      if (!leaders[j].empty()) s.joints[j].mimic = MimicDesc{leaders[j]};
    }
    if (change) change(s);
  });
}

TEST(ValidateJoints, MimicNamesAnotherHingeOrSlider) {
  EXPECT_EQ(mimic_problems({"", "a", "b"}), Lines{});
  EXPECT_EQ(mimic_problems({"c", "c", ""}), Lines{});
  EXPECT_EQ(mimic_problems({"", "a", ""}, [](SceneDesc& s) { s.joints[1].kind = JointKind::slider; }), Lines{});
  EXPECT_EQ(mimic_problems({"", "nothere", ""}),
            Lines{"joints[1].mimic.joint: no joint has this name (got \"nothere\")"});
  EXPECT_EQ(mimic_problems({"", "b", ""}),
            Lines{"joints[1].mimic.joint: a joint cannot follow itself; name another one (got \"b\")"});
  EXPECT_EQ(mimic_problems({"", "a", ""}, [](SceneDesc& s) { s.joints[1].mimic->joint.clear(); }),
            Lines{"joints[1].mimic.joint: `mimic` needs the name of the hinge or slider that the joint follows"});
  EXPECT_EQ(mimic_problems({"", "a", ""}, [](SceneDesc& s) { s.joints[0].kind = JointKind::ball; }),
            Lines{"joints[1].mimic.joint: a joint can only follow a hinge or a slider, not a ball joint (got \"a\")"});
  EXPECT_EQ(mimic_problems({"", "a", ""}, [](SceneDesc& s) { s.joints[1].kind = JointKind::fixed; }),
            Lines{"joints[1].mimic: only a hinge or a slider has this key (got fixed)"});
  EXPECT_EQ(mimic_problems({"", "a", ""}, [](SceneDesc& s) { s.joints[1].drive = "t"; }),
            Lines{"joints[1].mimic: `mimic` and the drive both determine the position of the joint; drive the joint "
                  "that leads instead (got \"a\")"});
}

TEST(ValidateJoints, MimicsThatFollowEachOtherAreToldOnce) {
  EXPECT_EQ(mimic_problems({"b", "a", ""}),
            Lines{"joints[0].mimic.joint: the joint follows itself through 'b'; remove one `mimic` (got \"b\")"});
  EXPECT_EQ(mimic_problems({"b", "c", "a"}),
            Lines{"joints[0].mimic.joint: the joint follows itself through 'b', 'c'; remove one `mimic` (got \"b\")"});
  // (The joint leads into a loop, but is not a part of it.)
  EXPECT_EQ(mimic_problems({"b", "c", "b"}).size(), 1U);
}

TEST(ValidateJoints, AnglesThatLookLikeRadiansAreTold) {
  const Lines limit = joint_problems([](JointDesc& j) { j.upper = 1.5708; });
  ASSERT_EQ(limit.size(), 1U);
  EXPECT_NE(limit[0].find("joints[0].upper: warning: 1.5708 looks like radians, but angles are in degrees; the same "
                          "angle is 90 degrees"),
            std::string::npos)
      << limit[0];
  const Lines drive = joint_problems([](JointDesc& j) { j.drive = "pi / 2 * t"; });
  ASSERT_EQ(drive.size(), 1U);
  EXPECT_NE(drive[0].find("(180 / pi) * (pi / 2 * t)"), std::string::npos) << drive[0];
  EXPECT_EQ(joint_problems([](JointDesc& j) { j.drive = "90 * sin(2 * pi * t)"; }), Lines{});
  // Limits in metres cannot be meant in radians.
  EXPECT_EQ(joint_problems([](JointDesc& j) {
              j.kind = JointKind::slider;
              j.upper = 1.5708;
            }),
            Lines{});
}

TEST(BodyNames, FindCopiesAndNamesWithBrackets) {
  SceneDesc scene;
  scene.bodies.resize(2);
  scene.bodies[0].name = "link";
  scene.bodies[1].name = "link[7]";
  EXPECT_EQ(find_body(scene, "link")->body, 0U);
  EXPECT_EQ(find_body(scene, "link[3]")->copy, 3);
  EXPECT_EQ(find_body(scene, "link[7]")->body, 1U);
  EXPECT_EQ(find_body(scene, "link[7][2]")->copy, 2);
  for (const char* name : {"", "lin", "link[", "link[]", "link[-1]", "link[1", "link[x]", "[1]", "link[99999999999]"}) {
    EXPECT_FALSE(find_body(scene, name)) << name;
  }
}

TEST(Expression, TimeFormulasKnowOnlyTime) {
  EXPECT_EQ(evaluate_time_formula("2 * t + 1", "here", 3.0).value(), 7.0);
  EXPECT_EQ(to_string(evaluate_time_formula("1 / t", "here", 0.0).issues()[0]),
            "here: the value is infinite at t = 0 s; expected a finite number (got 1 / t)");
  EXPECT_FALSE(check_time_formula("x", "here").empty());
}

TEST(ValidateJoints, DriveBetweenBodiesThatAreFixedTogetherIsTold) {
  const auto with = [](JointKind second) {
    return problems([&](SceneDesc& s) {
      s.joints.resize(3);
      s.joints[0].name = "motor";
      s.joints[0].bodies = {"link[0]", "door"};
      s.joints[0].drive = "90 * t";
      s.joints[1].name = "glue";
      s.joints[1].kind = second;
      s.joints[1].bodies = {"door", "link[1]"};
      s.joints[2].kind = JointKind::fixed;
      s.joints[2].bodies = {"link[1]", "link[0]"};
    });
  };
  EXPECT_EQ(with(JointKind::fixed),
            Lines{"joints[0].drive: warning: this drive moves 'link[0]' against 'door', but both are held together by "
                  "joint 'glue', joints[2], and none of them gives way (got 90 * t)"});
  EXPECT_EQ(with(JointKind::ball), Lines{});
}

TEST(ValidateJoints, DriveThatAnotherJointOfTheSameBodiesDoesNotAllowIsTold) {
  const auto with = [](JointKind second, const Vec<3>& axis, const char* drive = "t") {
    return problems([&](SceneDesc& s) {
      s.joints.resize(2);
      s.joints[0].name = "guide";
      s.joints[0].kind = second;
      s.joints[0].axis = axis;
      s.joints[1].kind = JointKind::slider;
      s.joints[1].drive = drive;
      for (JointDesc& joint : s.joints) joint.bodies = {"door", ""};
    });
  };
  EXPECT_EQ(with(JointKind::slider, {1, 0, 0}),
            Lines{"joints[1].drive: warning: this drive moves 'door' against the "
                  "world along its axis, which joint 'guide' between them does not allow; neither gives way (got t)"});
  EXPECT_EQ(with(JointKind::ball, {1, 0, 0}).size(), 1u);
  EXPECT_EQ(with(JointKind::slider, {0, -2, 0}), Lines{});
  EXPECT_EQ(with(JointKind::slider, {1, 0, 0}, "0"), Lines{}) << "what does not move contradicts nothing";
}

TEST(ValidateJoints, TwoDrivesOfOneMotionByDifferentFormulasAreTold) {
  const auto with = [](const char* second, const Vec<3>& point, bool is_turned) {
    return problems([&](SceneDesc& s) {
      s.joints.resize(2);
      for (JointDesc& joint : s.joints) {
        joint.bodies = {"door", "link[1]"};
        joint.axis = {0, 0, 1};
      }
      s.joints[0].drive = "100 * t";
      s.joints[1].drive = second;
      s.joints[1].point = point;
      if (is_turned) s.joints[1].bodies = {"link[1]", "door"};
    });
  };
  EXPECT_EQ(
      with("-100 * t", {0, 0, 3}, false),
      Lines{"joints[1].drive: warning: this drive moves 'door' against 'link[1]' about "
            "its axis, which joints[0] between them drives by another formula; neither gives way (got -100 * t)"});
  EXPECT_EQ(with("-100 * t", {0, 0, 3}, true), Lines{});
  EXPECT_EQ(with("50 * t + 50 * t", {0, 0, 3}, false), Lines{});
  EXPECT_EQ(with("100 * t", {0.1, 0, 0}, false).size(), 2u) << "axes beside each other: neither can turn";
}

TEST(ValidateJoints, MotionOfABodyThatIsFixedToTheWorldIsTold) {
  const auto with = [](const Vec<3>& velocity) {
    return problems([&](SceneDesc& s) {
      s.joints.resize(1);
      s.joints[0].name = "peg";
      s.joints[0].kind = JointKind::fixed;
      s.joints[0].bodies = {"door", ""};
      s.bodies[3].motions.resize(1);
      s.bodies[3].motions[0].linear_velocity = velocity;
    });
  };
  EXPECT_EQ(with(Vec<3>(1.0, 0.0, 0.0)), Lines{"bodies[3].motions[0]: warning: this motion moves 'door', but the body "
                                               "is held to the world by joint 'peg', and neither gives way"});
  EXPECT_EQ(with(Vec<3>::Zero()), Lines{});
}

}  // namespace
}  // namespace clearance
