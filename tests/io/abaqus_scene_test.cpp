// Input files of Abaqus and CalculiX as scenes: bodies, steps and their histories, contact, and messages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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

TEST(AbaqusHistory, AStepReplacesWhatItHasSaidAndAddsWhatActsBeside) {
  AbaqusHistory history;
  history.go_to(10.0, 0.0, 1.0, false);
  history.go_to(4.0, 0.0, 1.0, false);
  EXPECT_NEAR(value_at(history.formula(), 1.0), 4.0, 1e-15) << history.formula();
  AbaqusHistory more;
  more.follow({{0.0, 1.0}, {0.5, 3.0}}, 2.0, 1.0, 2.0);
  history.go_to(8.0, 1.0, 2.0, false);
  history += more;
  // A ramp of 4 to 8, and an amplitude of 2, 6, 6.
  for (const auto& [time, value] : {std::array{0.5, 2.0}, std::array{1.25, 9.0}, std::array{1.75, 13.0}})
    EXPECT_NEAR(value_at(history.formula(), time), value, 1e-14) << history.formula() << " at " << time;
  EXPECT_EQ(history.before_step(1.0), 4.0);
  // Before its first step it is 0, not the continuation of its line.
  EXPECT_EQ(value_at(more.formula(), 0.5), 0.0) << more.formula();
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

/// Returns the force on the first node with one, at a time.
Vec<3> force_at(const LoadDesc& load, double t) {
  if (!load.expression) return load.value;
  return {value_at((*load.expression)[0], t), value_at((*load.expression)[1], t), value_at((*load.expression)[2], t)};
}

TEST(AbaqusScene, ForcesOfOneStepOnOneNodeAddUpAndTheNextStepReplacesTheirSum) {
  // The set names its node twice, which counts once. CalculiX: 5 and 7.
  const std::string text = block +
                           "*NSET, NSET=TWICE\n8, 8\n*STEP\n*STATIC\n*CLOAD\n8, 1, 2.\nTWICE, 1, 2.\n*CLOAD, OP=NEW\n"
                           "8, 1, 1.\n*END STEP\n*STEP\n*STATIC\n*CLOAD\n8, 1, 3.\n*CLOAD\n8, 1, 4.\n*END STEP\n";
  const Result<LoadedScene> loaded = read_deck(text);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  ASSERT_EQ(loaded->scene.bodies[0].loads.size(), 1u);
  EXPECT_NEAR(force_at(loaded->scene.bodies[0].loads[0], 1.0)[0], 5.0, 1e-14);
  EXPECT_NEAR(force_at(loaded->scene.bodies[0].loads[0], 2.0)[0], 7.0, 1e-14);
}

TEST(AbaqusScene, PressuresOfOneStepOnOneFaceAddUp) {
  for (const std::string load :
       {"*DSLOAD\nBLOCK-X1, P, 2.\nBLOCK-X1, P, 3.\n", "*DSLOAD\nBLOCK-X1, P, 2.\n*DSLOAD\nBLOCK-X1, P, 3.\n"}) {
    const Result<LoadedScene> loaded = read_deck(block + "*STEP\n*STATIC\n" + load + "*END STEP\n");
    ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
    ASSERT_EQ(loaded->scene.bodies[0].loads.size(), 1u);
    EXPECT_NEAR(value_at(loaded->scene.bodies[0].loads[0].pressure, 1.0), 5.0, 1e-14) << load;
  }
  // A step that names the faces of a step before in another way could mean either.
  const std::string all =
      messages_of(block +
                  "*SURFACE, NAME=SAME\nBLOCK, S1\n*STEP\n*STATIC\n*DSLOAD\nSAME, P, 2.\n*END STEP\n"
                  "*STEP\n*STATIC\n*DLOAD\nBLOCK, P1, 1.\n*END STEP\n");
  EXPECT_NE(all.find("expected faces on which the steps before have no pressure"), std::string::npos) << all;
}

TEST(AbaqusScene, TheLastDisplacementOfAStepHolds) {
  const Result<LoadedScene> loaded =
      read_deck(block +
                "*BOUNDARY\nBLOCK-X0, 1\n*STEP\n*STATIC\n*BOUNDARY\nBLOCK-X1, 1, 1, 0.01\nBLOCK-X0, 1\n*BOUNDARY\n"
                "BLOCK-X1, 1, 1, 0.004\nBLOCK-X0, 1, 1, 0.002\n*END STEP\n");
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  std::multiset<double> ends;
  for (const MotionDesc& motion : loaded->scene.bodies[0].motions) {
    ASSERT_TRUE(motion.displacement.has_value());
    ends.insert(value_at((*motion.displacement)[0], 1.0));
  }
  EXPECT_EQ(ends, (std::multiset<double>{0.002, 0.004}));
}

TEST(AbaqusScene, TheFirstStepMayLetGoWhatTheModelHolds) {
  const Result<LoadedScene> loaded =
      read_deck(block +
                "*BOUNDARY\nBLOCK-X0, 1\nBLOCK-X1, 2\n*STEP\n*STATIC\n*BOUNDARY, OP=NEW\nBLOCK-X0, 1\n*BOUNDARY, "
                "OP=NEW\nBLOCK-Y0, 2\n*END STEP\n");
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  const std::vector<MotionDesc>& motions = loaded->scene.bodies[0].motions;
  ASSERT_EQ(motions.size(), 2u);
  for (const MotionDesc& motion : motions) EXPECT_EQ(motion.end, infinity);
}

TEST(AbaqusScene, ADisplacementThatALaterStepPrescribesLeavesItsNodesFreeUntilThen) {
  const std::string start =
      block + "*BOUNDARY\nBLOCK-X0, 1, 3\n*STEP\n*STATIC\n*CLOAD\n8, 1, 2.\n*END STEP\n*STEP\n*STATIC\n";
  const Result<LoadedScene> moved = read_deck(start + "*BOUNDARY\nBLOCK-X1, 1, 1, 0.3\n*END STEP\n"),
                            fixed = read_deck(start + "*BOUNDARY, FIXED\nBLOCK-X1, 1\n*END STEP\n");
  ASSERT_TRUE(moved.has_value()) << to_string(moved.issues()[0]);
  ASSERT_TRUE(fixed.has_value()) << to_string(fixed.issues()[0]);
  ASSERT_EQ(moved->scene.bodies[0].motions.size(), 2u);
  EXPECT_EQ(moved->scene.bodies[0].motions[0].start + moved->scene.bodies[0].motions[1].start, 1.0);
  ASSERT_EQ(moved->warnings.size(), 1u);
  EXPECT_NE(moved->warnings[0].message.find("counted from where they are"), std::string::npos);
  EXPECT_TRUE(fixed->warnings.empty());
}

TEST(AbaqusScene, GravityMayEndAndFollowAnAmplitude) {
  const std::string text =
      block +
      "*BOUNDARY\nBLOCK-X0, 1, 3\n*AMPLITUDE, NAME=HALF\n0., 0., 1., 0.5\n*STEP\n*STATIC\n*DLOAD, "
      "AMPLITUDE=HALF\nBLOCK, GRAV, 9810., 0., 0., -2.\n*END STEP\n*STEP\n*STATIC\n*DLOAD, OP=NEW\n"
      "*END STEP\n";
  const Result<LoadedScene> loaded = read_deck(text);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  EXPECT_EQ(loaded->scene.gravity, (Vec<3>(0, 0, 0)));
  ASSERT_EQ(loaded->scene.bodies[0].loads.size(), 1u);
  EXPECT_EQ(loaded->scene.bodies[0].loads[0].kind, LoadKind::acceleration);
  EXPECT_NEAR(force_at(loaded->scene.bodies[0].loads[0], 1.0)[2], -4905.0, 1e-9);
  EXPECT_NEAR(force_at(loaded->scene.bodies[0].loads[0], 2.0)[2], 0.0, 1e-9);
}

TEST(AbaqusScene, ShellsArePressedAlongTheirNormalsAndSurfacesAgainstTheirSide) {
  // Its normal is +z: P along it, SPOS against it, SNEG along it, as in CalculiX and in Abaqus' manual.
  const std::string plate =
      "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n*ELEMENT, TYPE=S4, ELSET=PLATE\n1, 1, 2, 3, 4\n" + steel +
      "*SHELL SECTION, ELSET=PLATE, MATERIAL=STEEL\n0.1\n*SURFACE, NAME=TOP\nPLATE, SPOS\n*SURFACE, "
      "NAME=BOTTOM\nPLATE, SNEG\n*STEP\n*STATIC\n";
  const std::vector<std::pair<std::string, double>> cases = {
      {"*DLOAD\nPLATE, P, 2.\n", -2.0}, {"*DSLOAD\nTOP, P, 2.\n", 2.0}, {"*DSLOAD\nBOTTOM, P, 2.\n", -2.0}};
  for (const auto& [load, pressure] : cases) {
    const Result<LoadedScene> loaded = read_deck(plate + load + "*END STEP\n");
    ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
    EXPECT_NEAR(value_at(loaded->scene.bodies[0].loads[0].pressure, 1.0), pressure, 1e-14) << load;
  }
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
       "on all elements of a body or on none"},
      {block +
           "*ELSET, ELSET=SOME\n1, 2\n*STEP\n*STATIC\n*DLOAD\nSOME, CENTRIF, 1., 0., 0., 0., 0., 1., 0.\n*END STEP\n",
       "CENTRIF on all elements of a body or on none"},
      {block + "*NODE\n999, 10., 0., 0.\n*COUPLING, REF NODE=999, SURFACE=BLOCK-X1\n*DISTRIBUTING\n*STEP\n*STATIC\n"
               "*CLOAD\n999, 2, 1.\n*END STEP\n",
       "moments are not supported"},
      {block + "*NODE\n999, 10., 0., 0.\n*COUPLING, REF NODE=999, SURFACE=BLOCK-X1\n*KINEMATIC\n1, 2\n" + step,
       "expected a coupling of all three displacements"},
      {block + "*CONTACT\n*CONTACT INCLUSIONS, ALL EXTERIOR\n*CONTACT PROPERTY ASSIGNMENT\n, , RUB\n" + step,
       "expected the name of a *SURFACE INTERACTION"},
      {block + "*INITIAL CONDITIONS, TYPE=VELOCITY\nBLOCK-X0, 1, 3.\n" + step, "one initial velocity of all nodes"},
      {block + "*STEP\n*STATIC\n*CLOAD, OP=NEWW\n8, 1, 2.\n*END STEP\n", "expected OP=MOD or OP=NEW"},
      {block + "*STEP\n*STATIC\n*NODE PRINT, NSET=NOPE\nU\n*END STEP\n", "NSET=NOPE"},
      {block + "*NSET, NSET=ALL, ELSET=BLOCK\n*STEP\n*STATIC\n*CLOAD\nALL, 1, 2., 3.\n*END STEP\n",
       "expected at most 3 values in a line of *cload"},
      {block + "*SURFACE INTERACTION, NAME=I\n*FRICTION\n" + step, "expected data below *friction"},
      {block + "*SURFACE INTERACTION, NAME=I\n*FRICTION\n0.3\n0.2\n" + step,
       "expected at most 1 line of data of *friction"},
  };
  for (const auto& [text, message] : cases) {
    const std::string all = messages_of(text);
    EXPECT_NE(all.find(message), std::string::npos) << message << " in\n" << all;
  }
}

TEST(AbaqusScene, ParametersThatAreNotKnownAreRefused) {
  const std::vector<std::array<std::string, 2>> cases = {
      {"*SURFACE INTERACTION, NAME=I\n", "*FRICTION, ROUGH\n"},
      {"*SURFACE INTERACTION, NAME=I\n", "*FRICTION, TAUMAX=1.\n0.3\n"},
      {"*SURFACE INTERACTION, NAME=I\n", "*FRICTION, EXPONENTIAL DECAY\n0.3, 0.2, 1.\n"},
      {"*SURFACE INTERACTION, NAME=I\n", "*SURFACE BEHAVIOR, NO SEPARATION\n"},
      {"*SURFACE INTERACTION, NAME=I\n", "*CONTACT PAIR, INTERACTION=I, TIED\nBLOCK-X0, BLOCK-X1\n"},
      {"", "*PLASTIC, RATE=1.\n200., 0.\n"},
      {"*STEP\n", "*STATIC, RIKS\n"},
      {"*STEP\n*STATIC\n", "*BOUNDARY, TIME DELAY=.5\nBLOCK-X0, 1\n"},
      {"*STEP\n*STATIC\n", "*CLOAD, FOLLOWER\n8, 1, 2.\n"},
      {"", "*RESTART, READ\n"},
  };
  for (const auto& [above, keyword] : cases) {
    std::string text = block + above + keyword;
    if (above.find("*STEP") == std::string::npos) text += "*STEP\n*STATIC\n";
    const std::string all = messages_of(text + "*END STEP\n");
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(keyword)), '\n') + 1;
    EXPECT_NE(all.find(fmt::format("line {}: expected a parameter of", line)), std::string::npos) << keyword << all;
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << keyword << all;
  }
}

TEST(AbaqusScene, AMistakeIsToldOnceWithoutWhatFollowsFromIt) {
  const std::string load = "*BOUNDARY\nBLOCK-X0, 1\n*CLOAD\n8, 1, 2.\n*END STEP\n";
  for (const std::string& text : {
           block + "*STEP, PERTURBATION\n*STATIC\n*END STEP\n",
           block + "*STEP\n*FREQUENCY\n10\n" + load,
           "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=B33, ELSET=ALL\n1, 1, 2\n" + steel +
               "*BEAM SECTION, ELSET=ALL, MATERIAL=STEEL, SECTION=CIRC\n1.\n*STEP\n*STATIC\n*END STEP\n",
           block +
               "*AMPLITUDE, NAME=A, TIME=TOTAL TIME\n0., 0., 1., 1.\n*STEP\n*STATIC\n*CLOAD, AMPLITUDE=A\n8, 1, 2.\n"
               "*END STEP\n",
       }) {
    const std::string all = messages_of(text);
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << all;
  }
}

TEST(AbaqusScene, NumbersMayHaveExponentsOfFortran) {
  std::string text = block + "*STEP\n*STATIC\n*END STEP\n";
  text.replace(text.find("210000."), 7, "2.1D+5");
  const Result<LoadedScene> loaded = read_deck(text);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  EXPECT_EQ(loaded->scene.bodies[0].material.youngs_modulus, 210000.0);
}

TEST(AbaqusScene, IncludedFilesAreReadAndToldWithTheirLines) {
  test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "parts");
  const std::string box = test::abaqus_box("BLOCK", {1, 1, 1}, Vec<3>(0, 0, 0), Vec<3>(10, 10, 10));
  const std::string rest = "*SOLID SECTION, ELSET=BLOCK, MATERIAL=STEEL\n*STEP\n*STATIC\n*END STEP\n";
  test::write_text(folder / "parts" / "mesh.inp", "** nodes\n" + box);
  // Named by the folder of the file with the line, or by that of the deck.
  test::write_text(folder / "parts" / "all.inp", "*Include, Input=mesh.inp\n*INCLUDE, INPUT=steel.inp\n");
  test::write_text(folder / "steel.inp", steel.substr(0, steel.size() - 1));
  test::write_text(folder / "deck.inp", "*HEADING\n*INCLUDE, INPUT=parts/all.inp\n" + rest);
  const Result<LoadedScene> loaded = read_abaqus_scene(folder / "deck.inp");
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  EXPECT_EQ(loaded->scene.bodies[0].material.density, 7.85e-9);
  const Result<Mesh> mesh = read_mesh(folder / "deck.inp");
  ASSERT_TRUE(mesh.has_value()) << to_string(mesh.issues()[0]);
  EXPECT_EQ(mesh->tets.size(), 6u);

  const auto message = [&](const std::string& file, const std::string& text) {
    test::write_text(folder / file, text);
    const Result<LoadedScene> scene = read_abaqus_scene(folder / "deck.inp");
    std::string all;
    for (const Issue& issue : scene.issues()) all += to_string(issue) + "\n";
    return all;
  };
  const std::string bad_value = message("steel.inp", "*MATERIAL, NAME=STEEL\n\n*ELASTIC\nhard\n");
  EXPECT_NE(bad_value.find("line 4 of steel.inp: expected Young's modulus"), std::string::npos) << bad_value;
  const std::string endless = message("steel.inp", "*INCLUDE, INPUT=steel.inp\n");
  EXPECT_NE(endless.find("files that do not include themselves"), std::string::npos) << endless;
  EXPECT_EQ(std::count(endless.begin(), endless.end(), '\n'), 1) << endless;
  const std::string missing = message("steel.inp", "** no more\n*INCLUDE, INPUT=nowhere.inp\n");
  EXPECT_NE(missing.find("line 2 of steel.inp: cannot include it: file not found (got nowhere.inp)"), std::string::npos)
      << missing;
  // Lines below an included file keep their numbers.
  test::write_text(folder / "steel.inp", steel);
  const std::string below = message("deck.inp", "*HEADING\n*INCLUDE, INPUT=parts/all.inp\n*NOISE\n" + rest);
  EXPECT_NE(below.find("line 3: expected a keyword"), std::string::npos) << below;
}

TEST(AbaqusScene, SurfacesOfPlanesAreTheSidesThatTheyName) {
  const std::string text =
      "*NODE\n1, 0, 0\n2, 4, 0\n3, 4, 1\n4, 0, 1\n*ELEMENT, TYPE=CPS4, ELSET=A\n1, 1, 2, 3, 4\n*SURFACE, NAME=RIGHT\n"
      "A, S2\n" +
      steel + "*SOLID SECTION, ELSET=A, MATERIAL=STEEL\n*STEP\n*STATIC\n*DSLOAD\nRIGHT, P, 5.\n*END STEP\n";
  const Result<LoadedScene> loaded = read_deck(text);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
  EXPECT_EQ(loaded->scene.bodies[0].loads[0].region.tags, std::vector<std::string>{"edges:RIGHT"});
  const std::string all = messages_of(std::string(text).replace(text.find("A, S2"), 5, "A, S5"));
  EXPECT_NE(all.find("expected a side of the element"), std::string::npos) << all;
}

TEST(AbaqusScene, DisplacementsOfDynamicStepsActAtOnce) {
  const auto at_half = [&](const std::string& step) {
    const Result<LoadedScene> loaded =
        read_deck(block + step + "*DYNAMIC\n0.1, 1.\n*BOUNDARY\nBLOCK-X1, 1, 1, 0.01\n*END STEP\n");
    EXPECT_TRUE(loaded.has_value());
    return value_at((*loaded->scene.bodies[0].motions[0].displacement)[0], 0.5);
  };
  EXPECT_NEAR(at_half("*STEP\n"), 0.01, 1e-15);
  EXPECT_NEAR(at_half("*STEP, AMPLITUDE=RAMP\n"), 0.005, 1e-15);
}

TEST(AbaqusScene, ALawOfVolumeThatDiffersIsToldByHowMuch) {
  // K / mu = 10: CalculiX has 200.51 N where this law has 208.10 N, 3.8 % more; with K / mu = 100 it is 0.4 %.
  const auto warnings = [&](const std::string& values) {
    std::string text = block + "*STEP\n*STATIC\n*END STEP\n";
    text.replace(text.find("*ELASTIC\n210000., 0.3"), 21, "*HYPERELASTIC, NEO HOOKE\n" + values);
    const Result<LoadedScene> loaded = read_deck(text);
    EXPECT_TRUE(loaded.has_value());
    std::string all;
    for (const Issue& issue : loaded->warnings) all += issue.message + "\n";
    return all;
  };
  EXPECT_NE(warnings("1., 0.1").find("has 3.8 % more force"), std::string::npos) << warnings("1., 0.1");
  EXPECT_EQ(warnings("1., 0.01").find("law of volume"), std::string::npos);
}

TEST(AbaqusScene, PlanesOfStressAndOfStrainDoNotMix) {
  const std::string all = messages_of(
      "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=CPS3, ELSET=A\n1, 1, 2, 3\n*ELEMENT, TYPE=CPE3, "
      "ELSET=B\n2, 1, 3, 4\n" +
      steel +
      "*SOLID SECTION, ELSET=A, MATERIAL=STEEL\n*SOLID SECTION, ELSET=B, MATERIAL=STEEL\n*STEP\n*STATIC\n*END STEP\n");
  EXPECT_NE(all.find("plane stress or plane strain"), std::string::npos) << all;
}

TEST(AbaqusScene, WhatTheSceneRefusesIsToldWithTheLineOfTheFile) {
  const std::string text = block + "*MATERIAL, NAME=BAD\n*ELASTIC\n1., 0.7\n*STEP\n*STATIC\n*END STEP\n";
  std::string bad = text;
  bad.replace(bad.find("0.3\n*DENSITY"), 3, "0.7");
  const std::string all = messages_of(bad);
  EXPECT_NE(all.find("line "), std::string::npos) << all;
  EXPECT_EQ(all.find("bodies["), std::string::npos) << all;
}

}  // namespace
}  // namespace clearance
