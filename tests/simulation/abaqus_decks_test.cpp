// Input files of Abaqus and CalculiX from their first line to their result, beside closed forms.
#include "io/mesh_test_support.h"
#include "simulation/probed_scene.h"
#include "support/abaqus_deck.h"

namespace clearance {
namespace {

ProbedScene run_deck(const std::string& text) {
  test::TemporaryFolder folder;
  test::write_text(folder / "deck.inp", text);
  return ProbedScene(load_scene(folder / "deck.inp"));
}

TEST(AbaqusDecks, ACantileverWithForcesOnItsNodesBendsAsTimoshenkoSays) {
  // 200 x 20 x 10 mm, 500 N at the end; the reaction is what the forces on nodes are together.
  const std::string text =
      test::abaqus_box("BEAM", {20, 2, 1}, Vec<3>(0, 0, 0), Vec<3>(200, 20, 10)) +
      "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., 0.3\n*DENSITY\n7.85e-9\n*SOLID SECTION, ELSET=BEAM, MATERIAL=STEEL\n"
      "*BOUNDARY\nBEAM-X0, 1, 3\n*STEP\n*STATIC\n*CLOAD\nBEAM-X1, 2, -83.333333333333\n*NODE PRINT, NSET=BEAM-X1\nU\n"
      "*NODE PRINT, NSET=BEAM-X0\nRF\n*END STEP\n";
  ProbedScene scene = run_deck(text);
  scene.steps(1);
  EXPECT_NEAR(scene.probe("BEAM-X1.y [mm]") - 10.0, -0.9598, 0.02 * 0.9598);
  EXPECT_NEAR(scene.probe("BEAM-X0 force.force.y [N]"), 500.0, 0.01);
}

TEST(AbaqusDecks, ABarThatIsPulledIntoYieldAndBackKeepsItsPlasticStrain) {
  // It yields at 200 MPa and hardens by 1000 MPa; it is pulled by 2 % and let back by 0.5 %. The stress that follows
  // the logarithmic strain is that per area at rest, times the stretch.
  const std::string text =
      test::abaqus_box("BAR", {4, 1, 1}, Vec<3>(0, 0, 0), Vec<3>(40, 10, 10)) +
      "*MATERIAL, NAME=ALU\n*ELASTIC\n20000., 0.3\n*DENSITY\n2.7e-9\n*PLASTIC\n200., 0.\n400., 0.2\n*SOLID SECTION, "
      "ELSET=BAR, MATERIAL=ALU\n"
      "*BOUNDARY\nBAR-X0, 1\nBAR-Y0, 2\nBAR-Z0, 3\n*STEP, NLGEOM\n*STATIC\n0.25, 1.\n*BOUNDARY\nBAR-X1, 1, 1, 0.8\n"
      "*NODE PRINT, NSET=BAR-X0\nRF\n*END STEP\n*STEP, NLGEOM\n*STATIC\n0.25, 1.\n*BOUNDARY\nBAR-X1, 1, 1, 0.6\n*END "
      "STEP\n";
  ProbedScene scene = run_deck(text);
  scene.steps(4);
  const double young = 20000.0, hardening = 1000.0, area = 100.0;
  const double plastic = (young * std::log(1.02) - 200.0) / (young + hardening);
  const double loaded = 200.0 + hardening * plastic, unloaded = loaded - young * std::log(1.02 / 1.015);
  EXPECT_NEAR(scene.probe("BAR-X0 force.force.x [N]"), -loaded * area / 1.02, 10.0);
  scene.steps(4);
  EXPECT_NEAR(scene.probe("BAR-X0 force.force.x [N]"), -unloaded * area / 1.015, 10.0);
}

TEST(AbaqusDecks, ABlockThatIsPressedAndDraggedRubsAsItsFrictionSays) {
  const std::string text =
      test::abaqus_box("LOWER", {3, 1, 3}, Vec<3>(0, 0, 0), Vec<3>(40, 10, 40)) +
      test::abaqus_box("UPPER", {2, 1, 2}, Vec<3>(10, 10, 10), Vec<3>(20, 10, 20), 1000) +
      "*MATERIAL, NAME=S\n*ELASTIC\n3000., 0.3\n*DENSITY\n1e-9\n*SOLID SECTION, ELSET=LOWER, MATERIAL=S\n*SOLID "
      "SECTION, ELSET=UPPER, MATERIAL=S\n"
      "*SURFACE INTERACTION, NAME=SI\n*FRICTION\n0.3\n*CONTACT PAIR, INTERACTION=SI\nUPPER-Y0, LOWER-Y1\n"
      "*BOUNDARY\nLOWER-Y0, 1, 3\n*STEP, NLGEOM\n*STATIC\n0.5, 1.\n*BOUNDARY\nUPPER-Y1, 1, 3, 0.\nUPPER-Y1, 2, 2, "
      "-0.1\n*END STEP\n"
      "*STEP, NLGEOM\n*STATIC\n0.25, 1.\n*BOUNDARY\nUPPER-Y1, 1, 1, 1.\n*NODE PRINT, NSET=UPPER-Y1\nRF\n*END STEP\n";
  ProbedScene scene = run_deck(text);
  scene.steps(6);
  const Vec<3> force = scene.probe_vector("UPPER-Y1 force.force", "N");
  EXPECT_LT(force[1], -100.0);
  EXPECT_NEAR(force[0], -0.3 * force[1], 0.003 * std::abs(force[1]));
}

TEST(AbaqusDecks, HexahedraAndWedgesFitTogetherAndCarryTheirPressure) {
  // Two hexahedra in a row, the second one of two wedges; numbers of nodes are mixed so that sides are divided anyhow.
  const std::vector<int> number = {7, 3, 12, 5, 1, 10, 2, 9, 11, 4, 8, 6};
  std::string text = "*NODE\n";
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 4; ++k)
      text += fmt::format("{}, {}, {}, {}\n", number[4 * i + k], i, k == 1 || k == 2 ? 1 : 0, k >= 2 ? 1 : 0);
  }
  const auto n = [&](int i, int k) { return number[4 * i + k]; };
  text += fmt::format("*ELEMENT, TYPE=C3D8, ELSET=ALL\n1, {}, {}, {}, {}, {}, {}, {}, {}\n", n(0, 0), n(0, 1), n(0, 2),
                      n(0, 3), n(1, 0), n(1, 1), n(1, 2), n(1, 3));
  text +=
      fmt::format("*ELEMENT, TYPE=C3D6, ELSET=ALL\n2, {}, {}, {}, {}, {}, {}\n3, {}, {}, {}, {}, {}, {}\n", n(1, 0),
                  n(1, 1), n(1, 2), n(2, 0), n(2, 1), n(2, 2), n(1, 0), n(1, 2), n(1, 3), n(2, 0), n(2, 2), n(2, 3));
  text += fmt::format("*NSET, NSET=ROOT\n{}, {}, {}, {}\n", n(0, 0), n(0, 1), n(0, 2), n(0, 3));
  text +=
      "*SURFACE, NAME=END\n2, S2\n3, S2\n*MATERIAL, NAME=S\n*ELASTIC\n1e6, 0.\n*DENSITY\n1000.\n"
      "*SOLID SECTION, ELSET=ALL, MATERIAL=S\n*BOUNDARY\nROOT, 1, 3\n*STEP\n*STATIC\n*DSLOAD\nEND, P, 100.\n"
      "*NODE PRINT, NSET=ROOT\nRF\n*END STEP\n";
  ProbedScene scene = run_deck(text);
  EXPECT_NEAR(scene.total_mass(), 2000.0, 1e-9);
  scene.steps(1);
  EXPECT_NEAR(scene.probe("ROOT force.force.x [N]"), 100.0, 1e-3);
}

TEST(AbaqusDecks, ATubeOfHexahedraOrWedgesOfOrderTwoWidensAsLameSays) {
  // A quarter of a tube of radii 50 and 100 mm, 20 mm long and held along its axis, under 100 MPa inside.
  // u(a) = (1 + nu) p a / (E (b^2 - a^2)) ((1 - 2 nu) a^2 + b^2); CalculiX has 0.04542 (C3D20R) and 0.04525 (C3D15).
  const double pi = 3.14159265358979324;
  const auto tube = [&](const Vec<3>& x) {
    const double radius = 50.0 + 50.0 * x[0], angle = 0.5 * pi * x[1];
    return Vec<3>(radius * std::cos(angle), radius * std::sin(angle), 20.0 * x[2]);
  };
  const double exact = 1.3 * 100.0 * 50.0 / (210000.0 * 7500.0) * (0.4 * 2500.0 + 10000.0);
  for (const std::string type : {"C3D20R", "C3D15"}) {
    // The inner side of hexahedra is the sixth, that of every second wedge the fifth.
    std::string inner;
    for (int j = 0; j < 4; ++j)
      inner += type == "C3D15" ? fmt::format("{}, S5\n", 4 * j + 2) : fmt::format("{}, S6\n", 2 * j + 1);
    // The first node of each block is at the inner radius, on the x axis.
    const std::string text =
        test::abaqus_quadratic_block(type, {2, 4, 1}, tube) +
        "*NSET, NSET=INNERMOST\n1\n*SURFACE, NAME=INNER, TYPE=ELEMENT\n" + inner +
        "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., 0.3\n*DENSITY\n7.85e-9\n*SOLID SECTION, ELSET=ALL, "
        "MATERIAL=STEEL\n*BOUNDARY\nY0, 2\nY1, 1\nZ0, 3\nZ1, 3\n*STEP\n*STATIC\n*DSLOAD\nINNER, P, 100.\n"
        "*NODE PRINT, NSET=Y0\nRF\n*NODE PRINT, NSET=INNERMOST\nU\n*END STEP\n";
    ProbedScene scene = run_deck(text);
    scene.steps(1);
    EXPECT_NEAR(scene.probe("INNERMOST.x [mm]") - 50.0, exact, 0.008 * exact) << type;
    // Half of the tube is pulled apart by the pressure on its bore.
    EXPECT_NEAR(scene.probe("Y0 force.force.y [N]"), -100.0 * 50.0 * 20.0, 200.0) << type;
  }
}

TEST(AbaqusDecks, InstancesOfOnePartThatAreTiedCarryTheirLoadTogether) {
  // A part of 10 x 10 x 40 mm twice, end to end, the second one turned by 180 degrees; 1000 N pull at its end. Both
  // stretch by F L / (E A) without contraction; the tie gives way by a hundredth of the elements beside it.
  const std::string box = test::abaqus_box("BAR", {4, 1, 1}, Vec<3>(0, 0, 0), Vec<3>(40, 10, 10));
  const std::string text = "*PART, NAME=BAR\n" + box +
                           "*SOLID SECTION, ELSET=BAR, MATERIAL=S\n*END PART\n*ASSEMBLY, NAME=A\n"
                           "*INSTANCE, NAME=LEFT, PART=BAR\n*END INSTANCE\n*INSTANCE, NAME=RIGHT, PART=BAR\n"
                           "40., 0., 0.\n60., 5., 5., 60., 6., 5., 180.\n*END INSTANCE\n"
                           "*TIE, NAME=T\nRIGHT.BAR-X1, LEFT.BAR-X1\n*END ASSEMBLY\n"
                           "*MATERIAL, NAME=S\n*ELASTIC\n200000., 0.\n*DENSITY\n7.85e-9\n*BOUNDARY\nLEFT.BAR-X0, 1, 3\n"
                           "*STEP\n*STATIC\n*DSLOAD\nRIGHT.BAR-X0, P, -10.\n*NODE PRINT, NSET=RIGHT.BAR-X0\nU\n"
                           "*NODE PRINT, NSET=LEFT.BAR-X0\nRF\n*END STEP\n";
  ProbedScene scene = run_deck(text);
  EXPECT_NEAR(scene.probe("RIGHT.BAR-X0.x [mm]"), 80.0, 1e-9);
  scene.steps(1);
  EXPECT_NEAR(scene.probe("RIGHT.BAR-X0.x [mm]") - 80.0, 10.0 * 80.0 / 200000.0, 0.02 * 0.004);
  EXPECT_NEAR(scene.probe("LEFT.BAR-X0 force.force.x [N]"), -1000.0, 0.1);
}

/// A bar of 40 x 10 x 10 mm without contraction, held at x = 0, and a reference node in the middle of its end.
const std::string bar_with_reference =
    test::abaqus_box("BAR", {4, 1, 1}, Vec<3>(0, 0, 0), Vec<3>(40, 10, 10)) +
    "*NODE, NSET=REF\n9001, 40., 5., 5.\n*MATERIAL, NAME=S\n*ELASTIC\n200000., 0.\n*DENSITY\n7.85e-9\n"
    "*SOLID SECTION, ELSET=BAR, MATERIAL=S\n*BOUNDARY\nBAR-X0, 1, 3\n";

TEST(AbaqusDecks, AReferenceNodeMovesItsNodesAndHasTheirForce) {
  // E A u / L with u = 0.02 mm. CalculiX has 2072 N of a beam of C3D20R that is guided in this way, Clearance 2107 N.
  for (const std::string coupling :
       {"*RIGID BODY, NSET=BAR-X1, REF NODE=9001\n",
        "*COUPLING, REF NODE=REF, SURFACE=BAR-X1, CONSTRAINT NAME=C\n*KINEMATIC\n1, 6\n"}) {
    ProbedScene scene = run_deck(bar_with_reference + coupling +
                                 "*STEP\n*STATIC\n*BOUNDARY\nREF, 1, 1, 0.02\nREF, 2, 6\n*NODE PRINT, "
                                 "NSET=REF\nU, RF\n*END STEP\n");
    scene.steps(1);
    EXPECT_NEAR(scene.probe("REF.x [mm]"), 40.02, 1e-12) << coupling;
    EXPECT_NEAR(scene.probe("REF force.force.x [N]"), 200000.0 * 100.0 * 0.02 / 40.0, 20.0) << coupling;
  }
}

TEST(AbaqusDecks, AForceOnADistributingReferenceNodeIsSpreadOverItsSurface) {
  ProbedScene scene = run_deck(bar_with_reference +
                               "*COUPLING, REF NODE=9001, SURFACE=BAR-X1, CONSTRAINT NAME=C\n*DISTRIBUTING\n1, 3\n"
                               "*STEP\n*STATIC\n*CLOAD\nREF, 1, 1000.\n*NODE PRINT, NSET=BAR-X1\nU\n*NODE PRINT, "
                               "NSET=BAR-X0\nRF\n*END STEP\n");
  scene.steps(1);
  EXPECT_NEAR(scene.probe("BAR-X1.x [mm]") - 40.0, 1000.0 * 40.0 / (200000.0 * 100.0), 2e-6);
  EXPECT_NEAR(scene.probe("BAR-X0 force.force.x [N]"), -1000.0, 0.1);
}

TEST(AbaqusDecks, ABarThatTurnsIsPulledOutwards) {
  // w^2 = 1e6 about the y axis: u(L) = rho w^2 L^3 / (3 E), and rho w^2 A L^2 / 2 holds it.
  ProbedScene scene = run_deck(bar_with_reference +
                               "*STEP\n*STATIC\n*DLOAD\nBAR, CENTRIF, 1e6, 0., 7., 5., 0., 1., 0.\n*NODE PRINT, "
                               "NSET=BAR-X1\nU\n*NODE PRINT, NSET=BAR-X0\nRF\n*END STEP\n");
  scene.steps(1);
  const double stretch = 7.85e-9 * 1e6 * 64000.0 / (3.0 * 200000.0);
  EXPECT_NEAR(scene.probe("BAR-X1.x [mm]") - 40.0, stretch, 0.01 * stretch);
  EXPECT_NEAR(scene.probe("BAR-X0 force.force.x [N]"), -7.85e-9 * 1e6 * 100.0 * 800.0, 0.05);
}

/// Edges of planes have two vertices, and the third place of a face counted as a node.
TEST(AbaqusDecks, PlanesThatAreTiedCarryTheirLoadTogether) {
  ProbedScene scene = run_deck(
      "*NODE\n1, 0, 0\n2, 10, 0\n3, 10, 10\n4, 0, 10\n5, 0, 10\n6, 10, 10\n7, 10, 20\n8, 0, 20\n"
      "*ELEMENT, TYPE=CPS4, ELSET=LOW\n1, 1, 2, 3, 4\n*ELEMENT, TYPE=CPS4, ELSET=HIGH\n2, 5, 6, 7, 8\n"
      "*NSET, NSET=BOTTOM\n1, 2\n*SURFACE, NAME=ON\n1, S3\n*SURFACE, NAME=UNDER\n2, S1\n*SURFACE, NAME=END\n2, S3\n"
      "*MATERIAL, NAME=S\n*ELASTIC\n200000., 0.\n*DENSITY\n7.85e-9\n*SOLID SECTION, ELSET=LOW, MATERIAL=S\n1.\n"
      "*SOLID SECTION, ELSET=HIGH, MATERIAL=S\n1.\n*TIE, NAME=T\nUNDER, ON\n*BOUNDARY\nBOTTOM, 1, 2\n*STEP\n*STATIC\n"
      "*DSLOAD\nEND, P, -5.\n*NODE PRINT, NSET=BOTTOM\nRF\n*END STEP\n");
  scene.steps(1);
  EXPECT_NEAR(scene.probe("BOTTOM force.force.y [N]"), -5.0 * 10.0, 0.05);
}

TEST(AbaqusDecks, APressureOnASurfaceIsCarriedByTheSupports) {
  // Gravity without a set, as Abaqus/CAE writes it, acts on the whole model.
  for (const std::string set : {"BLOCK", ""}) {
    const std::string text =
        test::abaqus_box("BLOCK", {2, 2, 2}, Vec<3>(0, 0, 0), Vec<3>(1, 2, 3)) +
        "*MATERIAL, NAME=S\n*ELASTIC\n1e9, 0.3\n*DENSITY\n1000.\n*SOLID SECTION, ELSET=BLOCK, "
        "MATERIAL=S\n*BOUNDARY\nBLOCK-Z0, PINNED\n*STEP\n*STATIC\n*DSLOAD\nBLOCK-Z1, P, 5000.\n*DLOAD\n" +
        set + ", GRAV, 10., 0., 0., -1.\n*NODE PRINT, NSET=BLOCK-Z0\nRF\n*END STEP\n";
    ProbedScene scene = run_deck(text);
    scene.steps(1);
    EXPECT_NEAR(scene.probe("BLOCK-Z0 force.force.z [N]"), 5000.0 * 2.0 + 10.0 * 6000.0, 1.0) << set;
  }
}

TEST(AbaqusDecks, ASetOfNodesAsTagHoldsTheNodesThatQuadraticElementsAdd) {
  // Statics make the elements quadratic. Nodes that a list names hold those between them, and so do those of a set.
  test::TemporaryFolder folder;
  test::write_text(folder / "beam.inp", test::abaqus_box("BEAM", {10, 2, 1}, Vec<3>(0, 0, 0), Vec<3>(1.0, 0.1, 0.1)));
  const auto tip = [&](const std::string& region) {
    test::write_text(folder / "scene.json", fmt::format(R"({{"gravity": [0, 0, 0],
        "time": {{"integrator": "quasi_static", "step": 1, "duration": 1}},
        "bodies": [{{"name": "beam", "mesh": "beam.inp", "material": {{"youngs_modulus": 1e9, "poisson_ratio": 0.3}},
          "motions": [{{"region": {{{}}}}}],
          "loads": [{{"kind": "traction", "value": [0, -1000, 0], "region": {{"tags": ["triangles:BEAM-X1"]}}}}]}}],
        "output": {{"probes": [{{"name": "tip", "body": "beam", "point": [1, 0.05, 0.05]}}]}}}})",
                                                        region));
    ProbedScene scene(load_scene(folder / "scene.json"));
    scene.steps(1);
    return scene.probe("tip.y [m]");
  };
  const double by_box = tip(R"("box": [[-1, -1, -1], [1e-6, 1, 1]])");
  EXPECT_NEAR(tip(R"("tags": ["points:BEAM-X0"])"), by_box, 1e-9);
}

}  // namespace
}  // namespace clearance
