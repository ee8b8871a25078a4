// Input files of Abaqus and CalculiX as scenes: bodies, steps and their histories, contact, and messages.
#include <gtest/gtest.h>

#include "clearance/io/abaqus/abaqus_history.h"
#include "clearance/io/abaqus/abaqus_reader.h"
#include "clearance/scene/expression.h"
#include "io/mesh_test_support.h"
#include "support/abaqus_deck.h"

namespace clearance {
namespace {

Result<LoadedScene> read_deck(const std::string& text) {
  test::TemporaryFolder folder;
  test::write_text(folder / "deck.inp", text);
  return read_abaqus_scene(folder / "deck.inp");
}

const std::string steel = "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., 0.3\n*DENSITY\n7.85e-9\n";
const std::string block = test::abaqus_box("BLOCK", {1, 1, 1}, Vec<3>(0, 0, 0), Vec<3>(10, 10, 10)) + steel +
                          "*SOLID SECTION, ELSET=BLOCK, MATERIAL=STEEL\n";

/// Returns all messages of a file that is refused.
std::string messages_of(const std::string& text) {
  const Result<LoadedScene> scene = read_deck(text);
  EXPECT_FALSE(scene.has_value());
  std::string all;
  for (const Issue& issue : scene.issues()) all += to_string(issue) + "\n";
  return all;
}

double value_at(const std::string& formula, double t) {
  const Result<double> value = evaluate_time_formula(formula, "", t);
  EXPECT_TRUE(value.has_value()) << formula;
  return value ? *value : 0.0;
}

TEST(AbaqusHistory, FollowsRampsJumpsAndAmplitudes) {
  AbaqusHistory history;
  history.go_to(4.0, 0.0, 2.0, false);
  history.go_to(-1.0, 2.0, 3.0, true);
  history.follow({{0.0, 0.0}, {0.5, 1.0}, {0.75, 1.0}}, 8.0, 3.0, 4.0);
  const std::vector<std::array<double, 2>> expected = {{0.5, 1.0},  {2.0, 4.0}, {2.1, -1.0}, {3.0, -1.0},
                                                       {3.25, 4.0}, {3.5, 8.0}, {3.9, 8.0},  {9.0, 8.0}};
  for (const auto& [time, value] : expected) {
    EXPECT_NEAR(value_at(history.formula(), time), value, 1e-12) << history.formula() << " at " << time;
  }
  EXPECT_FALSE(history.is_constant());
}

TEST(AbaqusHistory, TheLastLineOfAStepCounts) {
  AbaqusHistory history;
  history.go_to(2.0, 0.0, 1.0, false);
  history.go_to(5.0, 1.0, 2.0, true);
  history.go_to(0.0, 1.0, 2.0, false);
  history.go_to(-3.0, 1.0, 2.0, false);
  EXPECT_NEAR(value_at(history.formula(), 0.5), 1.0, 1e-15);
  EXPECT_NEAR(value_at(history.formula(), 1.0), 2.0, 1e-15);
  EXPECT_NEAR(value_at(history.formula(), 1.5), -0.5, 1e-15);
  EXPECT_NEAR(value_at(history.formula(), 3.0), -3.0, 1e-15);
}

TEST(AbaqusScene, SectionsThatShareNodesAreOneBodyAndOthersAreNot) {
  // The second section takes two elements of the first block; the third one is a block of its own.
  const std::string text =
      test::abaqus_box("FIRST", {1, 1, 1}, Vec<3>(0, 0, 0), Vec<3>(1, 1, 1)) +
      test::abaqus_box("APART", {1, 1, 1}, Vec<3>(3, 0, 0), Vec<3>(1, 1, 1), 100) + steel +
      "*ELSET, ELSET=LEFT\n1, 2, 3, 4\n*ELSET, ELSET=RIGHT\n5, 6\n*MATERIAL, NAME=SOFT\n*ELASTIC\n10., 0.\n"
      "*SOLID SECTION, ELSET=LEFT, MATERIAL=STEEL\n*SOLID SECTION, ELSET=RIGHT, MATERIAL=SOFT\n"
      "*SOLID SECTION, ELSET=APART, MATERIAL=STEEL\n*STEP\n*STATIC\n*END STEP\n";
  const Result<LoadedScene> loaded = read_deck(text);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  const SceneDesc& scene = loaded->scene;
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].mesh, "deck.inp<LEFT,RIGHT>");
  ASSERT_EQ(scene.bodies[0].material_parts.size(), 1u);
  EXPECT_EQ(scene.bodies[0].material_parts[0].material.youngs_modulus, 10.0);
  EXPECT_EQ(scene.bodies[1].name, "APART");
  EXPECT_EQ(scene.time.integrator, TimeIntegrator::quasi_static);
}

TEST(AbaqusScene, PartsOfOneSectionThatShareNoNodesAreBodiesOfTheirOwn) {
  // FreeCAD writes an assembly in this way: one material, one section, and a tie and a contact pair between its solids.
  const std::string text =
      test::abaqus_box("FIRST", {1, 1, 1}, Vec<3>(0, 0, 0), Vec<3>(10, 10, 10)) +
      test::abaqus_box("SECOND", {1, 1, 1}, Vec<3>(0, 10, 0), Vec<3>(10, 10, 10), 100) +
      test::abaqus_box("THIRD", {1, 1, 1}, Vec<3>(0, 20, 0), Vec<3>(10, 10, 10), 200) + steel +
      "*ELSET, ELSET=Eall\nFIRST, SECOND, THIRD\n*SOLID SECTION, ELSET=Eall, MATERIAL=STEEL\n"
      "*SURFACE INTERACTION, NAME=Rough\n*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=HARD\n*FRICTION\n0.25\n"
      "*SURFACE INTERACTION, NAME=Glue\n*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=TIED\n1.D6\n"
      "*CONTACT PAIR, INTERACTION=Rough, TYPE=SURFACE TO SURFACE\nSECOND-Y0, FIRST-Y1\n"
      "*CONTACT PAIR, INTERACTION=Glue\nTHIRD-Y0, SECOND-Y1\n"
      "*Boundary\nFIRST-Y0, 1, 3\n*STEP\n*STATIC\n*endstep\n";
  const Result<LoadedScene> loaded = read_deck(text);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  const SceneDesc& scene = loaded->scene;
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.bodies[1].mesh, "deck.inp<Eall#2>");
  EXPECT_EQ(scene.bodies[0].motions.size(), 1u);
  EXPECT_TRUE(scene.bodies[1].motions.empty());
  ASSERT_EQ(scene.friction.pairs.size(), 1u);
  EXPECT_EQ(scene.friction.pairs[0].bodies, (std::array<std::string, 2>{"Eall 1", "Eall 2"}));
  ASSERT_EQ(scene.attachments.size(), 1u);
  EXPECT_EQ(scene.attachments[0].body, "Eall 3");
  EXPECT_EQ(scene.attachments[0].to, "Eall 2");
}

TEST(AbaqusScene, ADeckOfAbaqusCaeHasABodyForEachInstance) {
  // Sets of the assembly and of its parts share names; general contact has the friction of its property.
  const std::string text =
      "*Heading\n*Preprint, echo=NO\n*Part, name=Block\n" +
      test::abaqus_box("Set-1", {1, 1, 1}, Vec<3>(0, 0, 0), Vec<3>(1, 1, 1)) +
      "*Solid Section, elset=Set-1, material=STEEL\n,\n*End Part\n*Assembly, name=Assembly\n"
      "*Instance, name=Block-1, part=Block\n*End Instance\n*Instance, name=Block-2, part=Block\n0., 2., 0.\n"
      "*End Instance\n*Nset, nset=Set-1, instance=Block-1\n1, 2\n*Nset, nset=Top, instance=Block-2, generate\n7, 9, 1\n"
      "*End Assembly\n" +
      steel +
      "*Surface Interaction, name=IntProp-1\n1.,\n*Friction, slip tolerance=0.005\n 0.3,\n"
      "*Boundary\nSet-1, ENCASTRE\nTop, 2, 2, -0.5\n*Contact, op=NEW\n*Contact Inclusions, ALL EXTERIOR\n"
      "*Contact Property Assignment\n , , IntProp-1\n*Step, name=Step-1, nlgeom=YES\n*Static\n0.1, 1., 1e-05, 1.\n"
      "*Restart, write, frequency=0\n*Output, field, variable=PRESELECT\n*End Step\n";
  const Result<LoadedScene> loaded = read_deck(text);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  const SceneDesc& scene = loaded->scene;
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].name, "Block-1");
  EXPECT_EQ(scene.bodies[1].mesh, "deck.inp<Block-2.Set-1>");
  EXPECT_EQ(scene.friction.coefficient, 0.3);
  ASSERT_EQ(scene.bodies[0].motions.size(), 1u);
  EXPECT_EQ(scene.bodies[0].motions[0].region.nodes.size(), 2u);
  // A displacement before the first step is that at its end.
  ASSERT_EQ(scene.bodies[1].motions.size(), 1u);
  EXPECT_EQ(scene.bodies[1].motions[0].region.nodes.size(), 2u);
  EXPECT_NEAR(value_at((*scene.bodies[1].motions[0].displacement)[1], 0.5), -0.25, 1e-15);
}

TEST(AbaqusScene, ARigidToolThatIsMovedByItsReferenceNodeIsAnObstacle) {
  const std::string tool =
      block +
      "*NODE\n901, 0, 12, 0\n902, 10, 12, 0\n903, 10, 12, 10\n904, 0, 12, 10\n999, 5, 12, 5\n"
      "*ELEMENT, TYPE=R3D4, ELSET=TOOL\n901, 901, 902, 903, 904\n*RIGID BODY, REF NODE=999, ELSET=TOOL\n";
  const Result<LoadedScene> loaded = read_deck(
      tool + "*BOUNDARY\nBLOCK-Y0, 1, 3\n*STEP\n*STATIC\n0.1, 1.\n*BOUNDARY\n999, 1, 6\n999, 2, 2, -3.\n*END STEP\n");
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  ASSERT_EQ(loaded->scene.bodies.size(), 2u);
  const BodyDesc& body = loaded->scene.bodies[1];
  EXPECT_EQ(body.kind, BodyKind::obstacle);
  std::array<double, 3> end = {};
  for (const MotionDesc& motion : body.motions) {
    for (int c = 0; c < 3; ++c) {
      if (motion.components[c] && motion.displacement) end[c] = value_at((*motion.displacement)[c], 1.0);
    }
  }
  EXPECT_EQ(body.motions.size(), 1u);
  EXPECT_EQ(end, (std::array{0.0, -3.0, 0.0}));
  // It may not turn freely.
  const std::string all = messages_of(tool + "*STEP\n*STATIC\n*BOUNDARY\n999, 1, 3\n*END STEP\n");
  EXPECT_NE(all.find("rigid parts that move freely or turn are not supported"), std::string::npos) << all;
}

TEST(AbaqusScene, StepsFollowOneAnotherAndOpNewLetsGo) {
  const std::string text = block +
                           "*BOUNDARY\nBLOCK-X0, 1, 3\n*STEP\n*STATIC\n0.5, 1.\n*BOUNDARY\nBLOCK-X1, 1, 1, 0.2\n"
                           "*CLOAD\n8, 2, -6.\n*END STEP\n*STEP\n*STATIC\n1., 2.\n*BOUNDARY, OP=NEW\nBLOCK-X0, 1, 3\n"
                           "*CLOAD, OP=NEW\n*END STEP\n";
  const Result<LoadedScene> loaded = read_deck(text);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  const SceneDesc& scene = loaded->scene;
  EXPECT_EQ(scene.units, UnitSystemName::mm_n_mpa);
  EXPECT_DOUBLE_EQ(scene.time.duration, 3.0);
  EXPECT_DOUBLE_EQ(scene.time.step, 0.5);
  ASSERT_EQ(scene.bodies[0].motions.size(), 2u);
  for (const MotionDesc& motion : scene.bodies[0].motions) {
    const bool is_held = !motion.displacement;
    EXPECT_EQ(motion.region.nodes.size(), 4u);
    EXPECT_EQ(motion.end, is_held ? infinity : 1.0);
    if (!is_held) {
      EXPECT_EQ(motion.components, (std::array{true, false, false}));
      EXPECT_NEAR(value_at((*motion.displacement)[0], 0.5), 0.1, 1e-15);
    }
  }
  ASSERT_EQ(scene.bodies[0].loads.size(), 1u);
  const LoadDesc& load = scene.bodies[0].loads[0];
  EXPECT_EQ(load.kind, LoadKind::force);
  EXPECT_NEAR(value_at((*load.expression)[1], 1.0), -6.0, 1e-15);
  EXPECT_NEAR(value_at((*load.expression)[1], 2.0), -3.0, 1e-15);
  EXPECT_NEAR(value_at((*load.expression)[1], 3.0), 0.0, 1e-15);
}

TEST(AbaqusScene, ForcesOfAStepOnOneNodeAddUp) {
  // CalculiX adds them, too: 500 N and twice 13 N on the end of a beam give a reaction of 526 N.
  const Result<LoadedScene> loaded =
      read_deck(block +
                "*BOUNDARY\nBLOCK-X0, 1, 3\n*STEP\n*STATIC\n*CLOAD\n8, 2, -6.\n8, 2, -1.\n*END STEP\n"
                "*STEP\n*STATIC\n*CLOAD\n8, 2, -9.\n*END STEP\n");
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  ASSERT_EQ(loaded->scene.bodies[0].loads.size(), 1u);
  const LoadDesc& load = loaded->scene.bodies[0].loads[0];
  EXPECT_NEAR(value_at((*load.expression)[1], 1.0), -7.0, 1e-15);
  EXPECT_NEAR(value_at((*load.expression)[1], 2.0), -9.0, 1e-15);
}

TEST(AbaqusScene, ContactPairsGiveFrictionBetweenBodies) {
  const std::string text =
      block + test::abaqus_box("TOP", {1, 1, 1}, Vec<3>(0, 10, 0), Vec<3>(10, 10, 10), 100) +
      "*SOLID SECTION, ELSET=TOP, MATERIAL=STEEL\n*SURFACE INTERACTION, NAME=Rough\n*FRICTION\n0.25\n"
      "*CONTACT PAIR, INTERACTION=ROUGH\nTOP-Y0, BLOCK-Y1\n*BOUNDARY\nBLOCK-Y0, ENCASTRE\n*STEP\n*STATIC\n*END STEP\n";
  const Result<LoadedScene> loaded = read_deck(text);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  ASSERT_EQ(loaded->scene.friction.pairs.size(), 1u);
  EXPECT_EQ(loaded->scene.friction.pairs[0].coefficient, 0.25);
  EXPECT_EQ(loaded->scene.start.overlaps, OverlapHandling::separate);
}

TEST(AbaqusScene, EveryMistakeIsToldWithItsLine) {
  const std::string all =
      messages_of(block +
                  "*BOUNDARY\n9999, 1, 3\nBLOCK-X0, 7\n*STEP\n*STATIC\n*CLOAD\nBLOCK-X1, 4, 1.\n*DLOAD\nBLOCK, P9, 1.\n"
                  "*TEMPERATURE\nBLOCK-X1, 300.\n*DSLOAD\nNOWHERE, P, 1.\n*END STEP\n");
  for (const char* part :
       {"9999", "expected a degree of freedom, 1 to 6", "moments on nodes are not supported",
        "expected GRAV, CENTRIF, P, or P1 to P6", "expected a keyword that is supported", "NOWHERE"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << " in\n" << all;
  }
}

TEST(AbaqusScene, WhatWouldChangeTheResultInSilenceIsRefused) {
  const std::string step = "*STEP\n*STATIC\n*END STEP\n";
  const std::vector<std::array<std::string, 2>> cases = {
      {test::abaqus_box("B", {1, 1, 1}, Vec<3>(0, 0, 0), Vec<3>(1, 1, 1)) + steel + step, "expected a section"},
      {block, "expected a step"},
      {block + "*STEP\n*STATIC\n*END STEP\n*STEP\n*DYNAMIC\n0.1, 1.\n*END STEP\n", "steps of one kind"},
      {block + "*STEP, PERTURBATION\n*STATIC\n*END STEP\n", "clearance modes"},
      {block + "*ELSET, ELSET=SOME\n1, 2\n*STEP\n*STATIC\n*DLOAD\nSOME, GRAV, 9810., 0., -1., 0.\n*END STEP\n",
       "on all elements or on none"},
      {block +
           "*ELSET, ELSET=SOME\n1, 2\n*STEP\n*STATIC\n*DLOAD\nSOME, CENTRIF, 1., 0., 0., 0., 0., 1., 0.\n*END STEP\n",
       "CENTRIF on all elements of a body or on none"},
      {block + "*NODE\n999, 10., 0., 0.\n*COUPLING, REF NODE=999, SURFACE=BLOCK-X1\n*DISTRIBUTING\n*STEP\n*STATIC\n"
               "*CLOAD\n999, 2, 1.\n*END STEP\n",
       "moments are not supported"},
      {block + "*NODE\n999, 10., 0., 0.\n*COUPLING, REF NODE=999, SURFACE=BLOCK-X1\n*KINEMATIC\n1, 2\n" + step,
       "expected a coupling of all three displacements"},
      {block + "*INITIAL CONDITIONS, TYPE=VELOCITY\nBLOCK-X0, 1, 3.\n" + step, "one initial velocity of all nodes"},
  };
  for (const auto& [text, message] : cases) {
    const std::string all = messages_of(text);
    EXPECT_NE(all.find(message), std::string::npos) << message << " in\n" << all;
  }
}

}  // namespace
}  // namespace clearance
