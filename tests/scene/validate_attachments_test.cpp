// Validation of attachments: what may be attached to what.
#include <gtest/gtest.h>

#include <functional>

#include "clearance/scene/validate.h"

namespace clearance {
namespace {

using Lines = std::vector<std::string>;

/// A soft cube, a rigid block and a table, with the cube attached to the block.
SceneDesc good_scene() {
  SceneDesc scene;
  scene.bodies.resize(3);
  for (BodyDesc& body : scene.bodies) body.mesh = "cube.msh";
  scene.bodies[0].name = "cube";
  scene.bodies[1].name = "block";
  scene.bodies[1].kind = BodyKind::rigid;
  scene.bodies[2].name = "table";
  scene.bodies[2].kind = BodyKind::obstacle;
  AttachmentDesc& glue = scene.attachments.emplace_back();
  glue.name = "glue";
  glue.body = "cube";
  glue.to = "block";
  return scene;
}

Lines problems(const std::function<void(AttachmentDesc&)>& change) {
  SceneDesc scene = good_scene();
  change(scene.attachments[0]);
  Lines lines;
  for (const Issue& issue : validate(scene)) lines.push_back(to_string(issue));
  return lines;
}

TEST(ValidateAttachments, NodesHangOnBodiesPointsAndTheWorld) {
  EXPECT_EQ(problems([](AttachmentDesc&) {}), Lines{});
  EXPECT_EQ(problems([](AttachmentDesc& a) { a.to = "table"; }), Lines{});
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.to = "";
              a.displacement = {"t", "0", "0"};
            }),
            Lines{});
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.point = Vec<3>(0, 1, 0);
              a.length = "1 + t";
            }),
            Lines{});
}

TEST(ValidateAttachments, TheAttachedBodyHasNodes) {
  EXPECT_EQ(problems([](AttachmentDesc& a) { a.body = ""; }),
            Lines{"attachments[0].body: an attachment needs the name of a body"});
  EXPECT_EQ(problems([](AttachmentDesc& a) { a.body = "cub"; }),
            Lines{"attachments[0].body: no body has this name; did you mean `cube`? (got \"cub\")"});
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.body = "block";
              a.to = "table";
            }),
            Lines{"attachments[0].body: links hold nodes, and this body is of kind rigid; `joints` hold stiff bodies, "
                  "or name this body in `to` (got \"block\")"});
}

TEST(ValidateAttachments, KeysOfOtherEndsAreRefused) {
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.to = "table";
              a.point = Vec<3>(0, 1, 0);
            }),
            Lines{"attachments[0].point: links to this body end on its surface, not at a point; choose its nodes by "
                  "`to_region` or `pairs` (got [0, 1, 0])"});
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.to = "";
              a.length = "0.1";
            }),
            Lines{"attachments[0].length: links to the world begin at the nodes themselves; give a `point` for their "
                  "other end (got \"0.1\")"});
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.displacement = {"t", "0", "0"};
            }),
            Lines{"attachments[0].displacement: only ends in the world move by formulas; this one moves with the body "
                  "in `to`"});
  EXPECT_EQ(problems([](AttachmentDesc& a) { a.to = "cube"; }),
            Lines{"attachments[0].to: the nearest part of the same body is where the node is; give `pairs` or a "
                  "`to_region` (got \"cube\")"});
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.to = "";
              a.pairs = {{0, 1}};
            }),
            Lines{"attachments[0].pairs: the world has no vertices; name a body in `to`"});
}

TEST(ValidateAttachments, TimesAndFormulasAreChecked) {
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.start = 1.0;
              a.end = 0.5;
            }),
            Lines{"attachments[0].end: the links must let go after they start to act (1 s) (got 0.5)"});
  const Lines lines = problems([](AttachmentDesc& a) { a.length = "1 + q"; });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("attachments[0].length: unknown name `q`")) << lines[0];
}

TEST(ValidateAttachments, TiesNeedFacesAndNoOtherEnd) {
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.tied = true;
              a.distance = 0.01;
              a.to_region.emplace();
            }),
            Lines{});
  EXPECT_EQ(problems([](AttachmentDesc& a) { a.distance = 0.01; }),
            Lines{"attachments[0].distance: only tied nodes are chosen by their distance; set `tied` to true or remove "
                  "this (got 0.01)"});
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.tied = true;
              a.length = "0.1";
            }),
            Lines{"attachments[0].length: a tied node keeps its place; remove this key, or `tied`"});
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.tied = true;
              a.to = "";
            }),
            Lines{"attachments[0].to: nodes are tied to a body; name one, or remove `tied`"});
  EXPECT_EQ(problems([](AttachmentDesc& a) {
              a.tied = true;
              a.to = "cube";
            }),
            Lines{"attachments[0].to: a body is not tied to itself or to a copy of itself; give the other one an entry "
                  "of its own (got \"cube\")"});
}

TEST(ValidateAttachments, BodiesWhoseElementsAdaptAreRefused) {
  SceneDesc scene = good_scene();
  scene.bodies[0].remesh.emplace();
  bool is_refused = false;
  for (const Issue& issue : validate(scene)) is_refused = is_refused || issue.place == "attachments[0].body";
  EXPECT_TRUE(is_refused);
}

}  // namespace
}  // namespace clearance
