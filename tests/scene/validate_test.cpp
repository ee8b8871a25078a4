#include "clearance/scene/validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "clearance/scene/enums.h"
#include "clearance/scene/json_reader.h"
#include "clearance/scene/json_writer.h"
#include "scene/full_scene.h"

namespace clearance {
namespace {

SceneDesc small_scene() {
  SceneDesc scene;
  BodyDesc body;
  body.name = "cube";
  body.mesh = "cube.msh";
  scene.bodies = {body};
  return scene;
}

std::vector<std::string> problems(const std::function<void(SceneDesc&)>& change) {
  SceneDesc scene = small_scene();
  change(scene);
  std::vector<std::string> lines;
  for (const Issue& issue : validate(scene)) lines.push_back(to_string(issue));
  return lines;
}

using Lines = std::vector<std::string>;

/// Problems that the reader finds in a scene with this contact.
Lines problems_of_contact(const std::string& contact) {
  Json root = scene_to_json_value(small_scene());
  root["contact"] = Json::parse(contact);
  Issues issues;
  scene_from_json(root, issues);
  Lines lines;
  for (const Issue& issue : issues) lines.push_back(to_string(issue));
  return lines;
}

TEST(Validate, AcceptsGoodScenes) {
  EXPECT_EQ(problems([](SceneDesc&) {}), Lines{});
  // The full scene differs from the defaults everywhere, also where its stiff bodies require it.
  const SceneDesc full = consistent_full_scene();
  for (const Issue& issue : validate(full)) ADD_FAILURE() << to_string(issue);
}

TEST(Validate, ChecksRangesOfTheTable) {
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[0].material.density = -1; }),
            Lines{"bodies[0].material.density: must be above 0 [kg/m^3 (2D: kg/m^2)] (got -1)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[0].material.poisson_ratio = 0.5; }),
            Lines{"bodies[0].material.poisson_ratio: must be between -1 and 0.5, both excluded (got 0.5)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.time.newmark_beta = 0.7; }),
            Lines{"time.newmark_beta: must be between 0 and 0.5, the first excluded (got 0.7)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.solver.max_iterations = 0; }),
            Lines{"solver.max_iterations: must be at least 1 (got 0)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.gravity[2] = std::nan(""); }),
            Lines{"gravity[2]: must be a finite number (got nan)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.time.step = infinity; }), Lines{"time.step: must be above 0 [s] (got inf)"});
}

TEST(Validate, ChecksWhatBodiesOfRevolutionCannotHave) {
  const auto turned = [](const auto& change) {
    return problems([&](SceneDesc& s) {
      s.dimension = 2;
      s.axisymmetric = true;
      s.gravity = {0, -1, 0};
      change(s);
    });
  };
  const auto names = [](const Lines& lines, const std::string& place) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(place); });
  };
  EXPECT_EQ(turned([](SceneDesc&) {}), Lines{});
  EXPECT_TRUE(names(problems([](SceneDesc& s) { s.axisymmetric = true; }), "axisymmetric: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) { s.gravity = {1, 0, 0}; }), "gravity: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) { s.bodies[0].kind = BodyKind::rigid; }), "bodies[0].kind: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) {
                      s.bodies[0].linear_velocity = {1, 0, 0};
                    }),
                    "bodies[0].linear_velocity: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) {
                      s.bodies[0].angular_velocity = {0, 0, 1};
                    }),
                    "bodies[0].angular_velocity: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) { s.bodies[0].material.plane_stress = true; }),
                    "bodies[0].material.plane_stress: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) { s.bodies[0].material.yield_stress = 1e5; }),
                    "bodies[0].material.yield_stress: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) { s.bodies[0].material.damping = 0.1; }), "bodies[0].material.damping: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) { s.remesh = RemeshDesc{}; }), "remesh: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) { s.contact.options = GcpOptions{}; }), "contact.formulation: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) { s.contact.options = ConvergentOptions{}; }), "contact.formulation: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) { s.start.overlaps = OverlapHandling::separate; }), "start.overlaps: "));
  EXPECT_TRUE(names(turned([](SceneDesc& s) { s.springs = {SpringDesc{}}; }), "springs: "));
}

TEST(Validate, ChecksWherePlaneStressIs) {
  const auto in_plane = [](const auto& change) {
    return problems([&](SceneDesc& s) {
      s.dimension = 2;
      s.gravity = {0, -1, 0};
      s.bodies[0].material.plane_stress = true;
      change(s);
    });
  };
  EXPECT_EQ(in_plane([](SceneDesc&) {}), Lines{});
  EXPECT_EQ(in_plane([](SceneDesc& s) { s.dimension = 3; }),
            Lines{"bodies[0].material.plane_stress: only 2D scenes have plane stress; in 3D use a shell (`\"kind\": "
                  "\"shell\"`) for a thin plate (got true)"});
  EXPECT_EQ(in_plane([](SceneDesc& s) { s.bodies[0].kind = BodyKind::rigid; }),
            Lines{"bodies[0].material.plane_stress: a body of kind rigid has no stress (got true)"});
  EXPECT_EQ(in_plane([](SceneDesc& s) { s.bodies[0].material.yield_stress = 1e3; }),
            Lines{"bodies[0].material.plane_stress: a material that yields has no plane stress; remove one of the two "
                  "(got true)"});
  EXPECT_EQ(in_plane([](SceneDesc& s) { s.bodies[0].material.poisson_ratio = -0.2; }),
            Lines{"bodies[0].material.poisson_ratio: expected at least 0 in plane stress (got -0.2)"});
  MaterialPartDesc part;
  part.elements = {0};
  part.material.poisson_ratio = -0.1;
  EXPECT_EQ(
      in_plane([&](SceneDesc& s) { s.bodies[0].material_parts = {part}; }),
      Lines{"bodies[0].material_parts[0].material.poisson_ratio: expected at least 0 in plane stress (got -0.1)"});
  part.material.plane_stress = true;
  EXPECT_EQ(
      problems([&](SceneDesc& s) { s.bodies[0].material_parts = {part}; }),
      Lines{"bodies[0].material_parts[0].material.plane_stress: the `material` of the body decides this for all of "
            "its parts; give it there (got true)"});
}

TEST(Validate, ChecksBodies) {
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[0].mesh = ""; }),
            Lines{"bodies[0]: the body has no shape; give it a `mesh` (a path), a `generator` or a `geometry`"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[0].generator = GeneratorDesc{}; }),
            Lines{"bodies[0]: the body has `mesh`, `generator`; give only one of them"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies.push_back(s.bodies[0]); }),
            Lines{"bodies[1].name: bodies[0] has the same name; names must be unique (got \"cube\")"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.bodies[0].kind = BodyKind::obstacle; }),
            Lines{"bodies: a scene needs at least one body that is not an obstacle"});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.bodies[0].transform.scale = {1, 0, 1};
            }),
            Lines{"bodies[0].transform.scale: no entry of the scale may be 0 (got [1, 0, 1])"});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.bodies[0].transform.scale = {1, -1, 1};
            }),
            Lines{});  // (mirrored elements are turned back)
  EXPECT_EQ(
      problems([](SceneDesc& s) {
        s.bodies[0].array = ArrayDesc{.counts = {2, 1, 1}, .spacing = {0, 1, 1}};
      }),
      Lines{"bodies[0].array.spacing[0]: the copies would lie on top of each other; expected a spacing other than 0 "
            "(got 0)"});
  EXPECT_EQ(problems([](SceneDesc& s) {
              BodyDesc wall;
              wall.name = "wall";
              wall.kind = BodyKind::obstacle;
              wall.mesh = "w.obj";
              s.bodies.push_back(wall);
              s.bodies[1].linear_velocity = {1, 0, 0};
            }),
            Lines{"bodies[1]: an obstacle cannot have a start velocity; prescribe its motion in `motions`"});
}

TEST(Validate, StiffnessFarFromThatOfTheBodiesIsWarnedOf) {
  for (const double kappa : {1e-30, 1e30}) {
    EXPECT_EQ(problems([&](SceneDesc& s) {
                s.contact.options = GcpOptions{};
                s.contact.kappa = kappa;
              }).size(),
              1u);
  }
}

TEST(Validate, KeysOfOrientationAwareContactAreWarnedOfElsewhere) {
  EXPECT_EQ(problems_of_contact(R"({"published": true})"),
            Lines{"contact.published: warning: this key belongs to formulation gcp and has no effect with the chosen "
                  "one (got ipc)"});
}

TEST(Validate, OrientationAwareContactHasNoPartsToChoose) {
  EXPECT_EQ(problems_of_contact(R"({"formulation": "gcp", "area_weights": true, "improved_max": null})"),
            Lines{"contact.area_weights: this key selects parts of the formulations ipc and convergent; gcp has no "
                  "such parts (got "
                  "true)"});
}

TEST(Validate, ChecksMotions) {
  const auto with_motion = [](const std::function<void(MotionDesc&)>& change) {
    return problems([&](SceneDesc& s) {
      s.bodies[0].motions.resize(1);
      change(s.bodies[0].motions[0]);
    });
  };
  EXPECT_EQ(with_motion([](MotionDesc&) {}), Lines{});
  EXPECT_EQ(with_motion([](MotionDesc& m) { m.start = m.end = 2.0; }),
            Lines{"bodies[0].motions[0].end: must be later than start (2) (got 2)"});
  EXPECT_EQ(with_motion([](MotionDesc& m) {
              m.region.box = {Vec<3>(0, 2, 0), Vec<3>(1, 1, 1)};
            }),
            Lines{"bodies[0].motions[0].region.box: the first corner must not exceed the second (axis y) "
                  "(got [0, 2, 0], [1, 1, 1])"});
  EXPECT_EQ(with_motion([](MotionDesc& m) {
              m.region.box = Corners{Vec<3>(0, 0, 0), Vec<3>(1, 1, 1)};
              m.region.more_boxes = {*m.region.box, Corners{Vec<3>(0, 0, 2), Vec<3>(1, 1, 1)}};
            }),
            Lines{"bodies[0].motions[0].region.more_boxes[1]: the first corner must not exceed the second (axis z) "
                  "(got [0, 0, 2], [1, 1, 1])"});
  EXPECT_EQ(with_motion([](MotionDesc& m) {
              m.region.more_boxes = {Corners{Vec<3>(0, 0, 0), Vec<3>(1, 1, 1)}};
            }),
            Lines{"bodies[0].motions[0].region.more_boxes: `more_boxes` adds to `box`, which is missing"});
  EXPECT_EQ(with_motion([](MotionDesc& m) { m.release = ReleaseDesc{.axis = 3, .above = 0}; }),
            Lines{"bodies[0].motions[0].release.axis: must be between 0 and 2 (got 3)"});
}

TEST(Validate, ChecksGenerators) {
  const auto with_generator = [](const GeneratorDesc& generator) {
    return problems([&](SceneDesc& s) {
      s.bodies[0].mesh = "";
      s.bodies[0].generator = generator;
    });
  };
  EXPECT_EQ(with_generator({}), Lines{});
  EXPECT_EQ(with_generator({.size = {1, 2}}), Lines{"bodies[0].generator.size: a box needs 3 sizes, not 2"});
  EXPECT_EQ(
      with_generator({.kind = GeneratorKind::disk, .size = {1}}),
      Lines{
          "bodies[0].generator.kind: this is a 2D shape in a 3D scene; a 2D scene has `\"dimension\": 2` (got disk)"});
  EXPECT_EQ(with_generator({.size = {1, 2, -1}}), Lines{"bodies[0].generator.size[2]: must be above 0 [m] (got -1)"});
  EXPECT_EQ(with_generator({.kind = GeneratorKind::blocks, .blocks = {Corners{Vec<3>(0, 0, 0), Vec<3>(1, 1, 1)}}}),
            Lines{});
  EXPECT_EQ(with_generator({.kind = GeneratorKind::blocks}),
            Lines{"bodies[0].generator.blocks: a generator of kind blocks needs at least one box"});
  EXPECT_EQ(with_generator({.blocks = {Corners{Vec<3>(0, 0, 0), Vec<3>(1, 1, 1)}}}),
            Lines{"bodies[0].generator.blocks: only a generator of kind blocks has boxes"});
  EXPECT_EQ(with_generator({.is_surface = true}),
            Lines{"bodies[0].generator.is_surface: a deformable body needs volume elements; only an obstacle or "
                  "a stiff body can be a surface (got true)"});
}

TEST(Validate, ChecksTheSizesOfMachineParts) {
  const auto with_part = [](const GeneratorDesc& generator, BodyKind kind = BodyKind::affine) {
    return problems([&](SceneDesc& s) {
      s.bodies[0].kind = kind;
      s.bodies[0].mesh = "";
      s.bodies[0].generator = generator;
    });
  };
  using Kind = GeneratorKind;
  EXPECT_EQ(with_part({.kind = Kind::link, .size = {1, 0.6, 0.1}}), Lines{});
  EXPECT_EQ(
      with_part({.kind = Kind::link, .size = {0.4, 0.5, 0.2}}),
      (Lines{
          "bodies[0].generator.size: the length of a link must not be less than its width",
          "bodies[0].generator.size: the width of a link must exceed four wire radii, so that the link has a hole"}));
  EXPECT_EQ(with_part({.kind = Kind::gear, .size = {1, 0.2, 0.7}, .resolution = {20}}), Lines{});
  EXPECT_EQ(with_part({.kind = Kind::gear, .size = {1, 0.2, 0.1}, .resolution = {4}}),
            Lines{"bodies[0].generator.resolution[0]: a gear needs at least 6 teeth (got 4)"});
  EXPECT_EQ(with_part({.kind = Kind::gear, .size = {1, 0.2, 0.9}, .resolution = {20}}),
            Lines{"bodies[0].generator.size[2]: the bore radius must be less than the radius of the root circle of the "
                  "teeth, 0.875 m (got 0.9)"});
  EXPECT_EQ(with_part({.kind = Kind::bolt, .size = {1, 4, 0.5}}), Lines{});
  EXPECT_EQ(with_part({.kind = Kind::bolt, .size = {1, 2, 1.5}}),
            (Lines{"bodies[0].generator.size: the pitch of a thread must not exceed its radius",
                   "bodies[0].generator.size: a thread must be at least two pitches long"}));
  EXPECT_EQ(with_part({.kind = Kind::nut, .size = {1, 4, 0.5}}),
            Lines{"bodies[0].generator.size: a nut needs 4 sizes, not 3"});
  EXPECT_EQ(with_part({.kind = Kind::nut, .size = {1, 4, 0.5, 0.3}}),
            Lines{"bodies[0].generator.size: the clearance of a nut must be less than half the pitch; otherwise the "
                  "thread holds nothing"});
  EXPECT_EQ(with_part({.kind = Kind::bolt, .size = {1, 4, 0.5}}, BodyKind::deformable),
            Lines{"bodies[0].generator.kind: this shape is a surface without volume elements; its body can only be a "
                  "shell, an obstacle or stiff (got bolt)"});
}

TEST(Validate, ResolutionThatHasNoEffectIsToldWithWhatTheShapeUses) {
  const auto with_resolution = [](GeneratorKind kind, const std::vector<int>& resolution) {
    return problems([&](SceneDesc& s) {
      s.bodies[0].kind = BodyKind::obstacle;
      s.bodies[0].mesh = "";
      s.bodies[0].generator = GeneratorDesc{.kind = kind, .resolution = resolution};
      s.bodies.resize(2);
      s.bodies[1].mesh = "cube.msh";
    });
  };
  EXPECT_EQ(with_resolution(GeneratorKind::cylinder, {6, 4, 2}),
            Lines{"bodies[0].generator.resolution: warning: a cylinder uses 2 of these values (n rings of the section, "
                  "which has 6 n sides, and cells along the height); the others have no effect (got [6, 4, 2])"});
  EXPECT_EQ(with_resolution(GeneratorKind::cylinder, {6, 4}), Lines{});
  EXPECT_EQ(with_resolution(GeneratorKind::cylinder, {6}), Lines{});
  EXPECT_EQ(with_resolution(GeneratorKind::cylinder, GeneratorDesc{}.resolution), Lines{});
}

TEST(Validate, ShapeThatDoesNotFitIntoTheMemoryIsRefusedBeforeItIsMade) {
  const auto with_body = [](BodyKind kind, const GeneratorDesc& generator) {
    return problems([&](SceneDesc& s) {
      s.bodies[0].name = "ball";
      s.bodies[0].kind = kind;
      s.bodies[0].mesh = "";
      s.bodies[0].generator = generator;
    });
  };
  using Kind = GeneratorKind;
  const auto expect_refused = [&](const Lines& lines, const std::string& what) {
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].starts_with("bodies[0].generator.resolution: body 'ball' would have " + what)) << lines[0];
    EXPECT_NE(lines[0].find("GB of memory, and this machine has"), std::string::npos) << lines[0];
  };
  expect_refused(with_body(BodyKind::deformable, {.kind = Kind::sphere, .size = {1}, .resolution = {2000}}),
                 "1.6e+11 elements, which need at least 9.6e+04 GB");
  // The last number also stands for the missing ones.
  expect_refused(with_body(BodyKind::rigid, {.size = {1, 1, 1}, .resolution = {100000}}), "6e+15 elements");
  // A million elements are nothing special.
  EXPECT_EQ(with_body(BodyKind::deformable, {.size = {1, 1, 1}, .resolution = {60}}), Lines{});
  EXPECT_EQ(with_body(BodyKind::deformable, {.kind = Kind::sphere, .size = {1}, .resolution = {40}}), Lines{});
}

TEST(Validate, EveryShapeDocumentsEachNumberOfItsResolution) {
  for (const auto& shape : EnumInfo<GeneratorKind>::values) {
    EXPECT_NE(shape.doc.find("; resolution: "), std::string_view::npos) << shape.name;
    EXPECT_EQ(shape.doc.find(';', shape.doc.find("; resolution: ") + 1), std::string_view::npos) << shape.name;
  }
}

TEST(Validate, StepLongerThanTheDurationIsTold) {
  const auto with_step = [](double step) {
    return problems([&](SceneDesc& s) {
      s.time.duration = 0.05;
      s.time.step = step;
    });
  };
  EXPECT_EQ(with_step(1.0), Lines{"time.step: warning: the step is longer than time.duration (0.05 s), so that the run "
                                  "is a single step and ends at 1 s (got 1)"});
  EXPECT_EQ(with_step(0.05), Lines{});
}

TEST(Validate, ChecksThePlane) {
  const auto in_plane = [](const std::function<void(SceneDesc&)>& change) {
    return problems([&](SceneDesc& s) {
      s.dimension = 2;
      change(s);
    });
  };
  EXPECT_EQ(in_plane([](SceneDesc&) {}), Lines{});
  EXPECT_EQ(in_plane([](SceneDesc& s) { s.gravity[2] = 1; }),
            Lines{"gravity: the third entry must be 0 in 2D (got [0, -9.80665, 1])"});
  EXPECT_EQ(in_plane([](SceneDesc& s) {
              s.bodies[0].transform.rotation = {90, 0, 0};
            }),
            Lines{"bodies[0].transform.rotation: in 2D bodies turn about z alone; expected one number, or [0, 0, "
                  "angle] (got [90, 0, 0])"});
  EXPECT_EQ(
      in_plane([](SceneDesc& s) {
        s.bodies[0].kind = BodyKind::rigid;
        LoadDesc& load = s.bodies[0].loads.emplace_back();
        load.kind = LoadKind::torque;
        load.value = {5, 0, 0};
      }),
      Lines{"bodies[0].loads[0].value: in 2D bodies turn about z alone; expected [0, 0, torque] (got [5, 0, 0])"});
  EXPECT_EQ(in_plane([](SceneDesc& s) { s.half_spaces = {{.normal = {0, 0, 1}}}; }).size(), 1U);
}

TEST(Validate, ChecksHalfSpacesAndContact) {
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.half_spaces = {{.normal = {0, 0, 0}}};
            }),
            Lines{"half_spaces[0].normal: must not be zero (got [0, 0, 0])"});
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.contact.stiffness = ContactStiffnessKind::published;
              s.contact.close_distance = 1;
            }),
            Lines{"contact.close_distance: must not exceed contact.dhat (0.001) (got 1)"});
  EXPECT_EQ(problems([](SceneDesc& s) { s.contact.close_distance = 1; }), Lines{})
      << "of the published stiffness alone";
}

TEST(Validate, ReportsEverythingAtOnce) {
  EXPECT_EQ(problems([](SceneDesc& s) {
              s.time.step = -1;
              s.bodies[0].mesh = "";
              s.half_spaces = {{.normal = {0, 0, 0}}};
              s.dimension = 5;
            }).size(),
            4U);
}

}  // namespace
}  // namespace clearance
