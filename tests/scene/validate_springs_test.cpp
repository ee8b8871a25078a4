// Validation of springs: their ends, and the forces that go together.
#include <gtest/gtest.h>

#include <functional>

#include "clearance/scene/validate.h"

namespace clearance {
namespace {

using Lines = std::vector<std::string>;

/// A soft cube and a rigid block with a spring between them.
SceneDesc good_scene() {
  SceneDesc scene;
  scene.bodies.resize(2);
  for (BodyDesc& body : scene.bodies) body.mesh = "cube.msh";
  scene.bodies[0].name = "cube";
  scene.bodies[1].name = "block";
  scene.bodies[1].kind = BodyKind::rigid;
  SpringDesc& spring = scene.springs.emplace_back();
  spring.name = "spring";
  spring.body = "cube";
  spring.to = "block";
  spring.stiffness = 10.0;
  return scene;
}

Lines problems(const std::function<void(SpringDesc&)>& change) {
  SceneDesc scene = good_scene();
  change(scene.springs[0]);
  Lines lines;
  for (const Issue& issue : validate(scene)) lines.push_back(to_string(issue));
  return lines;
}

TEST(ValidateSprings, EndsAreBodiesRegionsPointsAndTheWorld) {
  EXPECT_EQ(problems([](SpringDesc&) {}), Lines{});
  EXPECT_EQ(problems([](SpringDesc& s) { s.to = ""; }), Lines{});
  EXPECT_EQ(problems([](SpringDesc& s) { s.body = "block"; }),
            Lines{"springs[0].to: both ends are the centre of mass of this body; give `point` or `region`, and "
                  "`to_point` or `to_region` (got \"block\")"});
  EXPECT_EQ(problems([](SpringDesc& s) {
              s.region.emplace();
              s.to_point = Vec<3>(1, 2, 3);
            }),
            Lines{});
  EXPECT_EQ(problems([](SpringDesc& s) { s.body = ""; }), Lines{"springs[0].body: a spring needs the name of a body"});
  EXPECT_EQ(problems([](SpringDesc& s) { s.to = "blok"; }),
            Lines{"springs[0].to: no body has this name; did you mean `block`? (got \"blok\")"});
  EXPECT_EQ(problems([](SpringDesc& s) {
              s.region.emplace();
              s.point = Vec<3>(1, 2, 3);
            }),
            Lines{"springs[0].point: the end is at `point` or at `region`; remove one (got [1, 2, 3])"});
  EXPECT_EQ(problems([](SpringDesc& s) {
              s.to = "";
              s.to_region.emplace();
            }),
            Lines{"springs[0].to_region: the world has no nodes; remove `to_region`, or name a body in `to`"});
}

TEST(ValidateSprings, ForcesGoTogether) {
  EXPECT_EQ(problems([](SpringDesc& s) {
              s.damping = 1.0;
              s.length = "0.1 + t";
              s.tension = "3";
            }),
            Lines{});
  EXPECT_EQ(problems([](SpringDesc& s) { s.stiffness = 0.0; }),
            Lines{"springs[0]: the spring has no force; give it a `stiffness`, a `damping` or a `tension`"});
  EXPECT_EQ(problems([](SpringDesc& s) {
              s.stiffness = 0.0;
              s.damping = 1.0;
              s.length = "0.1";
            }),
            Lines{"springs[0].length: without a `stiffness` the length has no effect; remove it, or give a stiffness "
                  "(got \"0.1\")"});
  EXPECT_EQ(problems([](SpringDesc& s) {
              s.pull_only = true;
              s.damping = 2.0;
            }),
            Lines{"springs[0].damping: a damper also pushes, and a cable does not; give the damper a spring of its own "
                  "(got 2)"});
  EXPECT_EQ(problems([](SpringDesc& s) { s.locked_from = 1.0; }),
            Lines{"springs[0].locked_from: until it is locked the spring carries `tension`, which is missing (got 1)"});
  EXPECT_EQ(problems([](SpringDesc& s) {
              s.locked_from = 1.0;
              s.tension = "100 * t";
              s.length = "0.2";
            }),
            Lines{"springs[0].length: the length is that at the time of the lock; remove it, or `locked_from` (got "
                  "\"0.2\")"});
  const Lines lines = problems([](SpringDesc& s) { s.tension = "1 + q"; });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("springs[0].tension: unknown name `q`")) << lines[0];
}

TEST(ValidateSprings, NamesAreUniqueAndElementsStay) {
  SceneDesc scene = good_scene();
  scene.springs.push_back(scene.springs[0]);
  scene.bodies[0].remesh.emplace();
  Lines places;
  for (const Issue& issue : validate(scene)) {
    if (issue.place.starts_with("springs")) places.push_back(issue.place);  // contact says its own of such elements
  }
  EXPECT_EQ(places, (Lines{"springs[0].body", "springs[1].body", "springs[1].name"}));
}

}  // namespace
}  // namespace clearance
