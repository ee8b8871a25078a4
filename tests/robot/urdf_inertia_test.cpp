// Masses and inertias of links as URDF files give them: idioms and mistakes.
#include <gtest/gtest.h>

#include <cstdio>

#include "robot_file.h"

namespace clearance {
namespace {

std::string inertial(const std::string& mass, const std::string& moments, const std::string& products = "0 0 0") {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  std::sscanf(moments.c_str(), "%lf %lf %lf", &xx, &yy, &zz);
  std::sscanf(products.c_str(), "%lf %lf %lf", &xy, &xz, &yz);
  char text[300];
  std::snprintf(
      text, sizeof(text),
      "<inertial><mass value='%s'/><inertia ixx='%g' iyy='%g' izz='%g' ixy='%g' ixz='%g' iyz='%g'/></inertial>",
      mass.c_str(), xx, yy, zz, xy, xz, yz);
  return text;
}
const std::string box = "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision>";

std::string link(const std::string& name, const std::string& inside) {
  return "<link name='" + name + "'>" + inside + "</link>";
}
std::string joint(const std::string& type, const std::string& parent, const std::string& child) {
  return "<joint name='" + parent + " " + child + "' type='" + type + "'><parent link='" + parent + "'/><child link='" +
         child + "'/><axis xyz='0 1 0'/></joint>";
}
std::string robot(const std::string& inside) {
  return "<robot name='r'>" + inside + "</robot>";
}
/// A rotor of 1 kg on a hinge of the world, with a tool that is fixed to it.
std::string with_tool(const std::string& tool) {
  return robot("<link name='world'/>" + link("rotor", inertial("1", "0.01 0.01 0.01") + box) + link("tool", tool) +
               joint("continuous", "world", "rotor") + joint("fixed", "rotor", "tool"));
}
bool tells(const Robot& robot, const std::string& text) {
  return robot.told.find(text) != std::string::npos;
}

TEST(UrdfMass, ZeroOfARootMakesItPartOfTheWorldAndNothingContradictsIt) {
  SKIP_WITHOUT("urdf");
  const Robot arm =
      read_robot_text(robot(link("base", inertial("0", "1 1 1") + box) + link("arm", inertial("2", "1 1 1") + box) +
                            joint("continuous", "base", "arm")),
                      "bullet.urdf");
  EXPECT_EQ(arm.body("base").kind, BodyKind::obstacle);
  EXPECT_EQ(arm.body("arm").mass, 2.0);
  EXPECT_TRUE(tells(arm, "the root link 'base' has no mass: it is part of the world")) << arm.told;
  EXPECT_FALSE(tells(arm, "must")) << arm.told;
}

TEST(UrdfMass, NothingIsWarnedOfWhereNothingIsLeftOut) {
  SKIP_WITHOUT("urdf");
  // The root is called as the world, and a fixed joint makes two links one body.
  const Robot rotor = read_robot_text(with_tool(inertial("1", "0.01 0.01 0.01") + box), "rotor.urdf");
  EXPECT_EQ(rotor.scene.bodies.size(), 1U);
  EXPECT_EQ(rotor.told, "");
}

TEST(UrdfMass, ZeroOfARootWithAMassFixedToItLeavesItFree) {
  SKIP_WITHOUT("urdf");
  const Robot body =
      read_robot_text(robot(link("base", inertial("0", "0 0 0")) + link("trunk", inertial("3", "1 1 1") + box) +
                            joint("fixed", "base", "trunk")),
                      "free.urdf");
  EXPECT_EQ(body.body("base").kind, BodyKind::affine);
  EXPECT_EQ(body.body("base").mass, 3.0);
}

TEST(UrdfMass, ZeroOfAFixedFrameAddsNothing) {
  SKIP_WITHOUT("urdf");
  const Robot without = read_robot_text(with_tool(""), "without.urdf");
  for (const std::string moments : {"0 0 0", "1 1 1"}) {
    const Robot with = read_robot_text(with_tool(inertial("0", moments)), "with.urdf");
    EXPECT_EQ(with.body("rotor").mass, without.body("rotor").mass);
    EXPECT_EQ(with.body("rotor").inertia->moments, without.body("rotor").inertia->moments);
    EXPECT_EQ(with.told.find("no body can have the given inertia"), std::string::npos) << with.told;
  }
}

TEST(UrdfMass, ZeroOfALinkThatMovesIsToldWithTheMassThatItsShapeGets) {
  SKIP_WITHOUT("urdf");
  const Robot arm = read_robot_text(
      robot("<link name='world'/>" + link("arm", inertial("0", "0 0 0") + box) + joint("continuous", "world", "arm")),
      "moving.urdf");
  EXPECT_NEAR(*arm.body("arm").mass, 1.0, 1e-12);
  EXPECT_TRUE(tells(arm, "body 'arm' has no mass in the model; its shape gets the density of water, 1 kg")) << arm.told;
}

TEST(UrdfMass, ShapeWithoutAMassHasTheVolumeOfARoundShapeAndNotOfItsPolyhedron) {
  SKIP_WITHOUT("urdf");
  const double pi = 3.14159265358979323846;
  const Robot ball =
      read_robot_text(robot("<link name='world'/>" +
                            link("ball", "<collision><geometry><sphere radius='0.1'/></geometry></collision>") +
                            joint("floating", "world", "ball")),
                      "ball.urdf");
  EXPECT_NEAR(*ball.body("ball").mass, 4.0 / 3.0 * pi, 1e-12);
  EXPECT_NEAR(ball.body("ball").inertia->moments[0], 0.4 * 4.0 / 3.0 * pi * 0.01, 1e-12);
}

TEST(UrdfMass, ZeroIsTheIdiomOfRootsAndFramesInEveryChain) {
  SKIP_WITHOUT("urdf");
  const std::string no_inertia = "", zero = inertial("0", "0 0 0"), heavy = inertial("2", "0.01 0.01 0.01") + box;
  // A footprint without mass below a base: free, with the mass of the base.
  for (const std::string& footprint : {no_inertia, zero}) {
    for (const std::string& between : {no_inertia, zero}) {
      const Robot free =
          read_robot_text(robot(link("footprint", footprint) + link("frame", between) + link("base", heavy) +
                                joint("fixed", "footprint", "frame") + joint("fixed", "frame", "base")),
                          "footprint.urdf");
      ASSERT_EQ(free.scene.bodies.size(), 1U) << free.told;
      EXPECT_EQ(free.scene.bodies[0].kind, BodyKind::affine);
      EXPECT_EQ(free.scene.bodies[0].mass, 2.0);
      EXPECT_NEAR(free.scene.bodies[0].inertia->moments.sum(), 0.03, 1e-12);
      // The same chain behind a joint: the frame is the world, and the arm turns.
      const Robot arm = read_robot_text(robot(link("base", footprint) + link("arm", heavy) + link("tool", between) +
                                              joint("continuous", "base", "arm") + joint("fixed", "arm", "tool")),
                                        "arm.urdf");
      EXPECT_EQ(arm.body("arm").mass, 2.0) << arm.told;
      EXPECT_EQ(arm.joint("base arm").bodies[1], "") << arm.told;
    }
  }
  // Two frames without mass on two joints in a row: the last link carries, and what is between is told.
  const Robot chain = read_robot_text(robot("<link name='world'/>" + link("a", zero + box) + link("b", heavy) +
                                            joint("continuous", "world", "a") + joint("continuous", "a", "b")),
                                      "chain.urdf");
  EXPECT_TRUE(tells(chain, "body 'a' has no mass in the model")) << chain.told;
  EXPECT_EQ(chain.body("b").mass, 2.0);
}

TEST(UrdfMass, NegativeIsRefusedWhereverTheLinkIs) {
  SKIP_WITHOUT("urdf");
  for (const std::string mass : {"-1", "-0.001"}) {
    for (const std::string& model :
         {with_tool(inertial(mass, "1 1 1")), robot(link("root", inertial(mass, "1 1 1") + box))}) {
      const std::string text = refusal_of(model, "negative.urdf");
      EXPECT_NE(text.find("the mass must not be negative"), std::string::npos) << mass << text;
    }
  }
}

TEST(UrdfInertia, ImpossibleOneOfAFixedLinkIsToldByLinkAndValue) {
  SKIP_WITHOUT("urdf");
  const Robot negative = read_robot_text(with_tool(inertial("0.1", "0.001 -0.005 0.001")), "negative.urdf");
  EXPECT_TRUE(tells(negative, "link 'tool': no body can have the given inertia (Ixx 0.001, Iyy -0.005"))
      << negative.told;
  EXPECT_TRUE(tells(negative, "-0.005, 0.001 and 0.001, and all must be above 0")) << negative.told;
  EXPECT_GT(negative.body("rotor").inertia->moments[1], 0.01);
  const Robot triangle = read_robot_text(with_tool(inertial("0.1", "0.001 0.001 0.005")), "triangle.urdf");
  EXPECT_TRUE(tells(triangle, "link 'tool': ")) << triangle.told;
  EXPECT_TRUE(tells(triangle, "none may exceed the sum of the others")) << triangle.told;
  const Robot products = read_robot_text(with_tool(inertial("0.1", "0.001 0.001 0.001", "0 0 0.01")), "products.urdf");
  EXPECT_TRUE(tells(products, "Iyz 0.01 kg m^2")) << products.told;
  const Robot zero = read_robot_text(with_tool(inertial("0.1", "0 0 0") + box), "zero.urdf");
  EXPECT_TRUE(tells(zero, "a body with a mass must have an inertia; the inertia of its shapes with its mass of 0.1 kg"))
      << zero.told;
  EXPECT_NEAR(zero.body("rotor").inertia->moments[0], 0.01 + 0.1 * 0.02 / 12, 1e-12);
}

TEST(UrdfInertia, EveryKindOfImpossibleOneIsReplacedAndPossibleOnesAreExact) {
  SKIP_WITHOUT("urdf");
  struct Case {
    std::string moments, products;
    bool is_possible;
    double trace;  // of a link of 1 kg; the box of 0.1 m stands for impossible ones
  };
  const double of_box = 3.0 / 600.0;
  for (const Case& c : {Case{"1 1 3", "0 0 0", false, of_box}, Case{"-1 1 1", "0 0 0", false, of_box},
                        Case{"0.01 0.01 0.01", "0.5 0 0", false, of_box}, Case{"0 0 0", "0 0 0", false, of_box},
                        Case{"1 0 0", "0 0 0", false, of_box}, Case{"3 1 1", "0 0 0.01", false, of_box},
                        Case{"1 1 2", "0 0 0", true, 4.0}, Case{"0.01 0.02 0.025", "0.001 0 -0.002", true, 0.055},
                        Case{"1e-9 1e-9 1e-9", "0 0 0", true, 3e-9}}) {
    SCOPED_TRACE(c.moments + " " + c.products);
    const std::string given = inertial("1", c.moments, c.products) + box;
    const Robot alone = read_robot_text(
        robot("<link name='world'/>" + link("a", given) + joint("continuous", "world", "a")), "alone.urdf");
    EXPECT_NEAR(alone.body("a").inertia->moments.sum(), c.trace, 1e-6 * c.trace);
    EXPECT_EQ(tells(alone, "no body can have the given inertia"), !c.is_possible) << alone.told;
    // At the same place on a rotor of trace 0.03, by way of a frame without mass.
    const Robot fused =
        read_robot_text(robot("<link name='world'/>" + link("rotor", inertial("1", "0.01 0.01 0.01") + box) +
                              link("frame", "") + link("tool", given) + joint("continuous", "world", "rotor") +
                              joint("fixed", "rotor", "frame") + joint("fixed", "frame", "tool")),
                        "fused.urdf");
    EXPECT_EQ(fused.body("rotor").mass, 2.0);
    EXPECT_NEAR(fused.body("rotor").inertia->moments.sum(), 0.03 + c.trace, 1e-6 * (0.03 + c.trace));
    EXPECT_EQ(tells(fused, "link 'tool': no body can have the given inertia"), !c.is_possible) << fused.told;
  }
}

TEST(UrdfInertia, FixedLinksOfTheRootAreCheckedToo) {
  SKIP_WITHOUT("urdf");
  const Robot body =
      read_robot_text(robot(link("base", inertial("3", "1 1 1") + box) +
                            link("sensor", inertial("0.1", "0.1 0.1 -0.1")) + joint("fixed", "base", "sensor")),
                      "root.urdf");
  EXPECT_TRUE(tells(body, "link 'sensor': no body can have the given inertia")) << body.told;
}

TEST(UrdfInertia, PossibleOnesOfFixedLinksAreSilent) {
  SKIP_WITHOUT("urdf");
  const Robot body = read_robot_text(with_tool(inertial("0.1", "0.001 0.001 0.0015", "0.0002 0 0")), "good.urdf");
  EXPECT_FALSE(tells(body, "inertia")) << body.told;
}

TEST(UrdfInertia, MessageShowsTheProductThatIsWrongAndWhatIsUsedInstead) {
  SKIP_WITHOUT("urdf");
  const Robot body =
      read_robot_text(robot("<link name='world'/>" + link("rotor", inertial("1", "0.01 0.01 0.01", "0.02 0 0") + box) +
                            joint("continuous", "world", "rotor")),
                      "products.urdf");
  EXPECT_TRUE(tells(body, "Ixy 0.02")) << body.told;
  EXPECT_TRUE(tells(body, "instead: Ixx 0.001667, Iyy 0.001667, Izz 0.001667")) << body.told;
  EXPECT_NEAR(body.body("rotor").inertia->moments[0], 0.02 / 12, 1e-12);
}

TEST(UrdfInertia, LinkWithoutShapeIsToldThatItsInertiaIsInvented) {
  SKIP_WITHOUT("urdf");
  for (const std::string moments : {"0 0 0", "1e-5 1e-5 -1e-5", "1 1 3"}) {
    const Robot body = read_robot_text(
        robot("<link name='world'/>" + link("rotor", inertial("0.1", moments)) + joint("continuous", "world", "rotor")),
        "noshape.urdf");
    EXPECT_TRUE(tells(body, "because the body has no shape, the inertia of a ball of water")) << body.told;
    EXPECT_TRUE(tells(body, "instead: Ixx 3.316e-05")) << body.told;
    EXPECT_NEAR(body.body("rotor").inertia->moments[2], 3.316e-5, 1e-8);
  }
}

}  // namespace
}  // namespace clearance
