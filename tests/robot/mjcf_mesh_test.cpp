// Weights of meshes in MJCF, and attributes that the installed MuJoCo does not know.
#include <gtest/gtest.h>

#include "robot_file.h"

namespace clearance {
namespace {

const std::string corner = "vertex='0 0 0  1 0 0  0 1 0  0 0 1' face='0 2 1  0 1 3  1 2 3  0 3 2'";
/// A cube without an eighth of it is not convex: 7/8 m^3, 6 m^2.
const std::string notched =
    "vertex='0 0 0  2 0 0  2 2 0  0 2 0  0 0 2  2 0 2  0 2 2  2 2 1  1 2 2  1 2 1  2 1 2  1 1 2  2 1 1  1 1 1' "
    "face='0 3 2  0 2 1  0 1 5  0 5 4  0 4 6  0 6 3  12 10 5  12 5 1  12 1 2  12 2 7  9 7 2  9 2 3  "
    "9 3 6  9 6 8  11 8 6  11 6 4  11 4 5  11 5 10  9 8 11  9 11 13  13 11 10  13 10 12  12 7 9  12 9 13' scale='.5 .5 "
    ".5'";

std::string model(const std::string& mesh, const std::string& geom, const std::string& more = "",
                  const std::string& in_body = "<freejoint/>") {
  return "<mujoco>" + more + "<asset><mesh name='m' " + mesh + "/></asset><worldbody><body name='b' pos='0 0 1'>" +
         in_body + "<geom type='mesh' mesh='m' " + geom + "/></body></worldbody></mujoco>";
}
double mass_of(const std::string& text) {
  const Robot robot = read_robot_text(text, "mesh.xml");
  EXPECT_EQ(robot.told.find("mesh 'm'"), std::string::npos) << robot.told;
  return *robot.body("b").mass;
}

TEST(MjcfMesh, WeighsItsVolumeTimesItsDensity) {
  SKIP_WITHOUT("mjcf");
  const double tet = 1000.0 / 6.0;
  EXPECT_NEAR(mass_of(model(corner, "")), tet, 1e-3);
  EXPECT_NEAR(mass_of(model(corner, "density='600'")), 100.0, 1e-3);
  EXPECT_NEAR(mass_of(model(corner + " scale='.5 2 1'", "")), tet, 1e-3);
  EXPECT_NEAR(mass_of(model(notched, "")), 875.0, 1e-2);
  EXPECT_NEAR(mass_of(model("vertex='0 0 0  1 0 0  0 1 0  0 0 1'", "")), tet, 1e-3);  // a hull
  EXPECT_NEAR(mass_of(model(corner, "", "<compiler exactmeshinertia='true'/>")), tet, 1e-3);
}

TEST(MjcfMesh, MirroredOrTurnedInsideOutWeighsTheSame) {
  SKIP_WITHOUT("mjcf");
  const double tet = 1000.0 / 6.0;
  EXPECT_NEAR(mass_of(model(corner + " scale='-1 1 1'", "")), tet, 1e-3);
  EXPECT_NEAR(mass_of(model(corner + " scale='-1 -1 -1'", "")), tet, 1e-3);
  EXPECT_NEAR(mass_of(model("vertex='0 0 0  1 0 0  0 1 0  0 0 1' face='0 1 2  0 3 1  1 3 2  0 2 3'", "")), tet, 1e-3);
  const Robot mirrored = read_robot_text(model(corner + " scale='-1 1 1'", ""), "mirrored.xml");
  const Robot plain = read_robot_text(model(corner, ""), "plain.xml");
  EXPECT_NEAR((*mirrored.body("b").center_of_mass)[0], -0.25, 1e-6);
  EXPECT_NEAR(mirrored.body("b").inertia->moments.sum(), plain.body("b").inertia->moments.sum(), 1e-3);
}

TEST(MjcfMesh, WeighsTheSameFromEveryFilePlaceAndScale) {
  SKIP_WITHOUT("mjcf");
  const double tet = 1000.0 / 6.0;
  const auto folder = test_folder();
  const auto of_file = [&](const std::string& asset, const std::string& geom = "") {
    const Result<LoadedScene> loaded =
        load_scene(write_file(folder / "file.xml", "<mujoco><asset><mesh name='m' " + asset +
                                                       "/></asset><worldbody><body name='b' pos='0 0 1'>"
                                                       "<freejoint/><geom type='mesh' mesh='m' " +
                                                       geom + "/></body></worldbody></mujoco>"));
    EXPECT_TRUE(loaded) << messages_of(loaded.issues());
    return loaded ? *loaded->scene.bodies.at(0).mass : 0.0;
  };
  const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  write_file(folder / "corner.obj", obj);
  // A cube of four-cornered faces.
  write_file(folder / "cube.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nf 1 3 4 2\nf 5 6 8 7\n"
             "f 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
  EXPECT_NEAR(of_file("file='corner.obj'"), tet, 1e-3);
  EXPECT_NEAR(of_file("file='corner.obj' scale='.5 4 .5'"), tet, 1e-3);
  EXPECT_NEAR(of_file("file='corner.obj' scale='2 -1 .5'"), tet, 1e-3);
  EXPECT_NEAR(of_file("file='corner.obj' refpos='5 -3 2' refquat='1 1 0 0'"), tet, 1e-3);
  EXPECT_NEAR(of_file("file='corner.obj'", "pos='1 2 3' euler='10 20 30' density='60'"), 10.0, 1e-4);
  EXPECT_NEAR(of_file("file='cube.obj'"), 1000.0, 1e-2);
  EXPECT_NEAR(of_file("file='cube.obj' scale='-.1 .1 .1'"), 1.0, 1e-5);
  EXPECT_NEAR(mass_of(model(notched + " refpos='1 1 1'", "")), 875.0, 1e-2);
}

TEST(MjcfMesh, DensityAndMassOfClassesCount) {
  SKIP_WITHOUT("mjcf");
  const std::string classes =
      "<default><default class='light'><geom density='6' type='mesh'/><default class='given'><geom mass='4'/></default>"
      "</default></default>";
  EXPECT_NEAR(mass_of(model(corner, "class='light'", classes)), 1.0, 1e-5);
  EXPECT_NEAR(mass_of(model(corner, "class='given'", classes)), 4.0, 1e-12);
  EXPECT_NEAR(mass_of(model(corner, "mass='3'", classes)), 3.0, 1e-12);
  EXPECT_NEAR(mass_of(model(corner, "", "<default class='all'><geom density='12'/></default>")), 2.0, 1e-5);
  const std::string nested = "<mujoco>" + classes + "<asset><mesh name='m' " + corner +
                             "/></asset><worldbody><body name='b' childclass='light'><freejoint/><geom mesh='m'/>"
                             "</body></worldbody></mujoco>";
  EXPECT_NEAR(mass_of(nested), 1.0, 1e-5);
}

TEST(MjcfMesh, InertiaOfTheBodyIsStrongerThanThatOfItsMeshes) {
  SKIP_WITHOUT("mjcf");
  EXPECT_NEAR(mass_of(model(corner, "", "", "<freejoint/><inertial pos='0 0 0' mass='7' diaginertia='1 1 1'/>")), 7.0,
              1e-12);
}

TEST(MjcfMesh, SeveralShapesOfABodyAddUp) {
  SKIP_WITHOUT("mjcf");
  EXPECT_NEAR(mass_of(model(corner, "density='6'", "",
                            "<freejoint/><geom type='box' size='.5 .5 .5' density='2'/>"
                            "<geom type='mesh' mesh='m' pos='2 0 0' density='12'/>")),
              5.0, 1e-5);
}

TEST(MjcfMesh, IncludedFilesAreWeighedToo) {
  SKIP_WITHOUT("mjcf");
  const auto folder = test_folder();
  write_file(folder / "assets.xml",
             "<mujocoinclude>\n<asset>\n<mesh name='m' " + corner + "/>\n</asset></mujocoinclude>");
  write_file(folder / "body.xml",
             "<mujoco><!-- <geom/> --><body name='b' pos='0 0 1'><freejoint/><geom type='mesh' "
             "mesh='m'/></body></mujoco>");
  const auto path = write_file(folder / "main.xml",
                               "<mujoco><include file='assets.xml'/><worldbody>"
                               "<include file='body.xml'></include></worldbody></mujoco>");
  const Result<LoadedScene> loaded = load_scene(path);
  ASSERT_TRUE(loaded) << messages_of(loaded.issues());
  EXPECT_NEAR(*loaded->scene.bodies.at(0).mass, 1000.0 / 6.0, 1e-3);
}

TEST(MjcfMesh, OpenOneIsToldWhereItsMassMatters) {
  SKIP_WITHOUT("mjcf");
  const std::string open = "vertex='0 0 0  1 0 0  0 1 0  0 0 1' face='0 2 1  0 1 3  1 2 3'";
  const Robot robot = read_robot_text(model(open, ""), "open.xml");
  EXPECT_NE(robot.told.find("mesh 'm' is not closed (3 open edges)"), std::string::npos) << robot.told;
  EXPECT_NEAR(mass_of(model(open, "mass='2'")), 2.0, 1e-12);
}

TEST(MjcfMesh, InertiaAttributeOfMujoco3IsDone) {
  SKIP_WITHOUT("mjcf");
  EXPECT_NEAR(mass_of(model(notched + " inertia='exact'", "")), 875.0, 1e-2);
  // (The middle of the surface sees all of it.)
  EXPECT_NEAR(mass_of(model(notched + " inertia='legacy'", "")), 875.0, 1e-2);
  for (const std::string of_convex : {"exact", "convex", "legacy"}) {
    EXPECT_NEAR(mass_of(model(corner + " inertia='" + of_convex + "'", "")), 1000.0 / 6.0, 1e-3) << of_convex;
  }
  EXPECT_NEAR(mass_of(model(corner, "", "<default><mesh inertia='exact'/></default>")), 1000.0 / 6.0, 1e-3);
}

TEST(MjcfMesh, InertiaThatIsDoneInPartIsToldWithTheVersion) {
  SKIP_WITHOUT("mjcf");
  const auto read = [](const std::string& inertia) {
    return read_robot_text(model(notched + " inertia='" + inertia + "'", ""), "told.xml");
  };
  for (const std::string inertia : {"convex", "shell", "blob"}) {
    const Robot robot = read(inertia);
    EXPECT_NE(robot.told.find("mesh 'm' has the attribute inertia=\"" + inertia + "\", which MuJoCo "),
              std::string::npos)
        << robot.told;
  }
  // The hull cuts the corner of the notch: a tetrahedron of edges 1/2 is missing. The shell has 6 m^2.
  EXPECT_NEAR(*read("convex").body("b").mass, 1000.0 * (1.0 - 0.125 / 6.0), 0.1);
  EXPECT_NEAR(*read("shell").body("b").mass, 6000.0, 0.1);
}

TEST(MjcfVersion, UnknownAttributesAreToldAllWithTheVersionInUse) {
  SKIP_WITHOUT("mjcf");
  const std::string text = refusal_of(
      "<mujoco>\n<worldbody>\n<body name='b' sleep='never'>\n<joint actuatorgravcomp='true'/>\n<geom size='.1' "
      "fluidity='2'/></body></worldbody></mujoco>",
      "newer.xml");
  for (const std::string attribute : {"'sleep' of <body>", "'actuatorgravcomp' of <joint>", "'fluidity' of <geom>"}) {
    EXPECT_NE(text.find("attribute " + attribute + " is not known to MuJoCo "), std::string::npos) << text;
  }
  EXPECT_NE(text.find("line 4"), std::string::npos) << text;
}

TEST(MjcfVersion, UnknownElementIsToldWithTheVersionInUse) {
  SKIP_WITHOUT("mjcf");
  const std::string text = refusal_of("<mujoco><worldbody><shell/></worldbody></mujoco>", "element.xml");
  EXPECT_NE(text.find("element <shell> is not known to MuJoCo "), std::string::npos) << text;
}

}  // namespace
}  // namespace clearance
