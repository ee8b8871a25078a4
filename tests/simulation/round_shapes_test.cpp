// Spheres and capsules that collide as such: how they roll, hit and rest, against closed forms.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include "clearance/base/parallel.h"
#include "clearance/broad_phase/broad_phase.h"
#include "clearance/contact/friction_potential.h"
#include "clearance/contact/ipc_contact_model.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/solver/feasible_step.h"
#include "simulation/stiff_scene.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

constexpr double g = 9.81, radius = 0.02;

/// A ball of 20 mm with the centre at `place`.
std::string ball(const std::string& name, const std::string& place, const std::string& more = "",
                 const std::string& kind = "rigid") {
  return R"({"name": ")" + name + R"(", "kind": ")" + kind +
         R"(", "generator": {"kind": "sphere", "size": [0.02], "resolution": [2], "exact": true}, "material":
         {"density": 2500}, "transform": {"translation": )" +
         place + "}" + more + "}";
}

std::string capsule(const std::string& name, const std::string& place, const std::string& rotation,
                    const std::string& more = "") {
  return R"({"name": ")" + name +
         R"(", "kind": "rigid", "generator": {"kind": "capsule", "size": [0.02, 0.1], "resolution": [3], "exact": true},
         "transform": {"translation": )" +
         place + R"(, "rotation": )" + rotation + "}" + more + "}";
}

std::string scene_of(const std::string& bodies, const std::string& gravity, double friction,
                     const std::string& more = R"("half_spaces": [{}])", const std::string& time = "") {
  return R"({"time": {"step": 0.01)" + time + R"(}, "gravity": )" + gravity + R"(, "friction": {"coefficient": )" +
         std::to_string(friction) + "}, " + more + R"(, "bodies": [)" + bodies + "]}";
}

class RoundShapesByMethod : public testing::TestWithParam<Case> {
 protected:
  std::string ball(const std::string& place, const std::string& more) const {
    return clearance::ball("ball", place, more, GetParam().kind);
  }
  std::string time() const { return R"(, "integrator": ")" + GetParam().integrator + "\""; }
};

INSTANTIATE_TEST_SUITE_P(Methods, RoundShapesByMethod,
                         testing::Values(Case{"rigid", "implicit_euler"}, Case{"rigid", "bdf2_restarted"},
                                         Case{"rigid", "bdf2_in_flight"}, Case{"affine", "bdf2_in_flight"}),
                         [](const auto& of) { return of.param.kind + "_" + of.param.integrator; });

TEST_P(RoundShapesByMethod, BallRollsAtConstantSpeed) {
  constexpr double speed = 0.5;
  const std::string spin = std::to_string(-speed / radius * 180.0 / std::numbers::pi);
  StiffScene scene(
      scene_of(ball("[0, 0.0201, 0]", R"(, "linear_velocity": [0.5, 0, 0], "angular_velocity": [0, 0, )" + spin + "]"),
               "[0, -9.81, 0]", 0.5, R"("half_spaces": [{}])", time()));
  scene.steps(1000);
  EXPECT_NEAR(scene.velocity(0)[0], speed, 1e-6 * speed);
  EXPECT_NEAR(scene.center(0)[0], 10.0 * speed, 1e-6 * 10.0 * speed);
  EXPECT_NEAR(scene.spin(0)[2], -speed / radius, 1e-6 * speed / radius);
}

TEST_P(RoundShapesByMethod, BallRollsDownAnIncline) {
  const double slope = 20.0 * std::numbers::pi / 180.0;
  const std::string gravity =
      "[" + std::to_string(g * std::sin(slope)) + ", " + std::to_string(-g * std::cos(slope)) + ", 0]";
  StiffScene scene(scene_of(ball("[0, 0.02001, 0]", ""), gravity, 0.5, R"("half_spaces": [{}])", time()));
  scene.steps(100);
  const double expected = 5.0 / 7.0 * g * std::sin(slope) * 1.0;
  EXPECT_NEAR(scene.velocity(0)[0], expected, 5e-3 * expected);
  EXPECT_NEAR(-radius * scene.spin(0)[2], expected, 5e-3 * expected);
}

TEST_P(RoundShapesByMethod, BallThatSlidesComesToRoll) {
  constexpr double speed = 1.0;
  StiffScene scene(scene_of(ball("[0, 0.0201, 0]", R"(, "linear_velocity": [1, 0, 0])"), "[0, -9.81, 0]", 0.3,
                            R"("half_spaces": [{}])", time()));
  scene.steps(50);
  EXPECT_NEAR(scene.velocity(0)[0], 5.0 / 7.0 * speed, 5e-3);
  EXPECT_NEAR(-radius * scene.spin(0)[2], 5.0 / 7.0 * speed, 5e-3);
}

TEST_P(RoundShapesByMethod, FreeBallTurnsForEver) {
  StiffScene scene(scene_of(ball("[0, 0, 0]", R"(, "angular_velocity": [1000, 2000, -3000])"), "[0, 0, 0]", 0.5,
                            R"("half_spaces": [])", time()));
  const Vec<3> spin = scene.spin(0);
  scene.steps(1000);
  EXPECT_LT((scene.spin(0) - spin).norm(), 1e-9 * spin.norm());
}

// A hit pushes with a force along the line of centres, and friction across it, opposite on both balls: their spins
// change alike, because the levers are opposite, too.
/// Returns the speed of a capsule after a second on a slope of 15 degrees, which it rolls down sideways.
double rolled_speed(const std::string& integrator, double duration) {
  const double slope = 15.0 * std::numbers::pi / 180.0;
  const std::string gravity =
      "[" + std::to_string(g * std::sin(slope)) + ", " + std::to_string(-g * std::cos(slope)) + ", 0]";
  StiffScene scene(scene_of(capsule("c", "[0, 0.02001, 0]", "[90, 0, 0]"), gravity, 0.5, R"("half_spaces": [{}])",
                            R"(, "integrator": ")" + integrator + "\""));
  const double inertia = scene.inertia(0, Vec<3>::UnitZ()) / (scene.unit_mass(0) * radius * radius);
  scene.steps(static_cast<int>(std::lround(100 * duration)));
  return scene.velocity(0)[0] * (1.0 + inertia) / (g * std::sin(slope) * duration);
}

TEST(RoundShapes, CapsuleRollsDownASlopeHoweverFarItTurnsInAStep) {
  // After three seconds it turns by 2.6 rad a step.
  EXPECT_NEAR(rolled_speed("bdf2_in_flight", 3.0), 1.0, 5e-3);
  EXPECT_NEAR(rolled_speed("implicit_euler", 3.0), 1.0, 5e-3);
}

TEST(RoundShapes, FreeCapsuleTumblesAsATopDoes) {
  for (const std::string integrator : {"implicit_euler", "bdf2", "bdf2_restarted", "bdf2_in_flight"}) {
    SCOPED_TRACE(integrator);
    StiffScene scene(scene_of(capsule("c", "[0, 0, 0]", "[10, 20, 30]", R"(, "angular_velocity": [2000, 5000, -1000])"),
                              "[0, 0, 0]", 0.0, R"("half_spaces": [])", R"(, "integrator": ")" + integrator + "\""));
    const auto momentum = [&] { return scene.moment(scene.state().x, scene.state().v); };
    const auto energy = [&] { return 0.5 * momentum().dot(scene.spin(0)); };
    const Vec<3> momentum_t0 = momentum();
    const double energy_t0 = energy();
    const double about_t0 = scene.spin(0).dot(scene.map(0) * scene.unit(0).frame.axes.col(scene.unit(0).symmetry_axis));
    scene.steps(200);
    EXPECT_LT((momentum() - momentum_t0).norm(), 1e-9 * momentum_t0.norm());
    EXPECT_NEAR(energy(), energy_t0, 1e-9 * energy_t0);
    const double about = scene.spin(0).dot(scene.map(0) * scene.unit(0).frame.axes.col(scene.unit(0).symmetry_axis));
    EXPECT_NEAR(about, about_t0, 1e-9 * std::abs(about_t0));
  }
}

TEST(RoundShapes, BallWithAGivenInertiaRollsLikeAnother) {
  const double moment = 0.4 * 2500.0 * 4.0 / 3.0 * std::numbers::pi * std::pow(radius, 5);
  char inertia[200];
  std::snprintf(inertia, sizeof(inertia),
                R"(, "linear_velocity": [0.5, 0, 0], "inertia": {"moments": [%.17g, %.17g, %.17g]})", moment, moment,
                moment);
  StiffScene scene(scene_of(
      ball("a", "[0, 0.0201, 0]",
           inertia + (R"(, "angular_velocity": [0, 0, )" + std::to_string(-25.0 * 180.0 / std::numbers::pi) + "]")),
      "[0, -9.81, 0]", 0.5));
  scene.steps(500);
  EXPECT_NEAR(scene.velocity(0)[0], 0.5, 1e-5);
}

TEST(RoundShapes, BallMayRollMoreThanHalfATurnInAStep) {
  constexpr double speed = 10.0;  // 5 rad a step
  StiffScene scene(scene_of(ball("a", "[0, 0.0201, 0]",
                                 R"(, "linear_velocity": [10, 0, 0], "angular_velocity": [0, 0, )" +
                                     std::to_string(-speed / radius * 180.0 / std::numbers::pi) + "]"),
                            "[0, -9.81, 0]", 0.5));
  scene.steps(100);
  EXPECT_NEAR(scene.velocity(0)[0], speed, 1e-4 * speed);
}

TEST(RoundShapes, PendulumWithABallHasNoGain) {
  StiffScene scene(
      scene_of(ball("bob", "[0.15, 0.0401924, 0]"), "[0, -9.81, 0]", 0.0,
               R"("half_spaces": [], "joints": [{"kind": "hinge", "bodies": ["bob", ""], "point": [0, 0.3, 0],
                            "axis": [0, 0, 1]}])"));
  StepReport report;
  for (int step = 0; step < 200; ++step) report = scene.step();
  EXPECT_LT(report.gained.share, 0.01);
}

TEST(RoundShapes, ProbedGapIsThatOfTheSurfaces) {
  RunningScene scene(scene_of(
      ball("a", "[0, 0.05, 0]") + "," + capsule("c", "[0.2, 0.05, 0]", "[90, 0, 0]"), "[0, 0, 0]", 0.0,
      R"("half_spaces": [{}], "output": {"probes": [{"name": "floor", "kind": "gap", "bodies": ["a", "half_spaces[0]"]},
                              {"name": "other", "kind": "gap", "bodies": ["a", "c"]}]})"));
  scene.step();
  const std::vector<double> values = scene.simulation().probe_rows().back().values;
  ASSERT_EQ(values.size(), 2U);
  EXPECT_NEAR(values[0], 0.03, 1e-9);
  EXPECT_NEAR(values[1], 0.16, 1e-9);
}

TEST(RoundShapes, ShapesThatDoNotOverlapAreNotSeparated) {
  const Result<LoadedScene> loaded =
      load_scene_text(scene_of(ball("a", "[0, 0.0201, 0]"), "[0, -9.81, 0]", 0.0,
                               R"("half_spaces": [{}], "start": {"overlaps": "separate"})"),
                      "scene", ".", {});
  ASSERT_TRUE(loaded);
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  ASSERT_TRUE(simulation);
  EXPECT_NEAR(simulation->pose(0)->coeff(1, 3), 0.0, 1e-12);
}

TEST(RoundShapes, ShapesThatOverlapAreSeparated) {
  const Result<LoadedScene> loaded =
      load_scene_text(scene_of(ball("a", "[0, 0.015, 0]") + "," + ball("b", "[0.03, 0.03, 0]"), "[0, -9.81, 0]", 0.0,
                               R"("half_spaces": [{}], "start": {"overlaps": "separate"})"),
                      "scene", ".", {});
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(Simulation::create(loaded->scene));
}

TEST(RoundShapes, HitOfTwoBallsConservesMomentumAndChangesBothSpinsAlike) {
  StiffScene scene(
      scene_of(ball("a", "[0, 0, 0]", R"(, "linear_velocity": [1, 0, 0], "angular_velocity": [900, 300, 2000])") + "," +
                   ball("b", "[0.06, 0.013, 0.004]"),
               "[0, 0, 0]", 0.3, R"("half_spaces": [])"));
  const Vec<3> velocity = scene.velocity(0), spin = scene.spin(0);
  scene.steps(20);
  EXPECT_GT(scene.velocity(1).norm(), 0.1);
  EXPECT_LT((scene.velocity(0) + scene.velocity(1) - velocity).norm(), 1e-9 * velocity.norm());
  EXPECT_GT(scene.spin(1).norm(), 1.0);
  EXPECT_LT((scene.spin(0) - spin - scene.spin(1)).norm(), 1e-3 * scene.spin(1).norm());
  // I d(omega) = r n x m dv is at a right angle to dv, up to the turn of n in the hit.
  EXPECT_NEAR(scene.spin(1).dot(scene.velocity(1)), 0.0, 0.05 * scene.spin(1).norm() * scene.velocity(1).norm());
}

TEST(RoundShapes, MassIsThatOfTheRoundShapeForAnyFacets) {
  const StiffScene scene(scene_of(ball("a", "[0, 0, 0]") + "," + capsule("c", "[1, 2, 3]", "[0, 0, 90]"), "[0, 0, 0]",
                                  0, R"("half_spaces": [])"));
  const double mass = 2500.0 * 4.0 / 3.0 * std::numbers::pi * std::pow(radius, 3);
  EXPECT_NEAR(scene.unit_mass(0), mass, 1e-12 * mass);
  EXPECT_NEAR(scene.inertia(0, Vec<3>(1, 2, 3)), 0.4 * mass * radius * radius, 1e-12 * mass);
  const double length = 0.1;
  const double volume = std::numbers::pi * radius * radius * (length + 4.0 / 3.0 * radius);
  EXPECT_NEAR(scene.unit_mass(1), 1000.0 * volume, 1e-9);
  // About its axis, which is along x.
  const double rod = 1000.0 * std::numbers::pi * radius * radius * length, caps = 1000.0 * volume - rod;
  EXPECT_NEAR(scene.inertia(1, Vec<3>::UnitX()), (0.5 * rod + 0.4 * caps) * radius * radius, 1e-12);
}

TEST(RoundShapes, MomentsOfACapsuleAreThoseOfManyPoints) {
  const Vec<3> a(0.1, 0.2, -0.1), b(0.4, -0.1, 0.3);
  constexpr double r = 0.2;
  const MassProperties exact = mass_properties_of_capsule(a, b, r);
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> uniform(-0.8, 0.8);
  Mat<3> second = Mat<3>::Zero();
  constexpr int num_points = 2'000'000;
  double inside = 0.0;
  for (int i = 0; i < num_points; ++i) {
    const Vec<3> x = exact.center + Vec<3>(uniform(rng), uniform(rng), uniform(rng));
    if (point_edge_distance_sq<3>(x, a, b) > r * r) continue;
    inside += 1.0;
    second += (x - exact.center) * (x - exact.center).transpose();
  }
  const double cell = std::pow(1.6, 3) / num_points;
  EXPECT_NEAR(inside * cell, exact.measure, 0.01 * exact.measure);
  EXPECT_LT((cell * second - exact.second_moment).norm(), 0.01 * exact.second_moment.norm());
}

TEST(RoundShapes, CapsulesRestOnEachOtherAndOnABox) {
  StiffScene scene(
      scene_of(R"({"name": "table", "kind": "obstacle", "generator": {"kind": "box", "size": [0.5, 0.05, 0.5],
                              "resolution": [2, 1, 2]}, "transform": {"translation": [0, -0.025, 0]}},)" +
                   capsule("a", "[0, 0.021, 0.03]", "[0, 0, 90]") + "," +
                   capsule("b", "[0, 0.021, -0.03]", "[0, 0, 90]") + "," + capsule("c", "[0, 0.063, 0]", "[90, 0, 0]"),
               "[0, -9.81, 0]", 0.5, R"("half_spaces": [])"));
  scene.steps(60);
  EXPECT_NEAR(scene.center(0)[1], radius, 1e-3);
  EXPECT_NEAR(scene.center(2)[1], 3.0 * radius, 2e-3);
  EXPECT_LT(scene.velocity(2).norm(), 1e-3);
}

TEST(RoundShapes, ThreadsAndRestartsGiveTheSameBits) {
  const std::string text =
      scene_of(ball("a", "[0, 0.03, 0]", R"(, "linear_velocity": [1, 0, 0])") + "," +
                   capsule("c", "[0.08, 0.05, 0.01]", "[20, 30, 80]") + "," + ball("b", "[0.06, 0.1, 0.004]"),
               "[0, -9.81, 0]", 0.3);
  std::vector<std::string> hashes;
  for (const int threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    RunningScene scene(text);
    scene.steps(20);
    hashes.push_back(scene.simulation().state_hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
  RunningScene first(text), second(text);
  first.steps(7);
  ASSERT_TRUE(second.simulation().restore(first.state()));
  second.steps(13);
  EXPECT_EQ(second.simulation().state_hash(), hashes[0]);
}

/// Two balls and a capsule that touch within dhat.
class RubbingShapes : public testing::Test {
 protected:
  StiffScene scene_{scene_of(ball("a", "[0, 0, 0]") + "," + ball("b", "[0.03, 0.0269, 0]") + "," +
                                 capsule("c", "[-0.0402, 0, 0]", "[0, 0, 0]"),
                             "[0, 0, 0]", 0.4,
                             R"("half_spaces": [], "contact": {"dhat": 2e-3, "dhat_is_absolute": true})")};
  const Model& model_ = scene_.model();
  BarrierOptions barrier_{2e-3, 0.0};
  IpcContactModel<3> contacts_{model_, barrier_};
  ContactSet contacts_at(const VecX& x_surface) const {
    const auto broad_phase = make_broad_phase(3, model_.surface);
    return contacts_.build(x_surface, contacts_.find_candidates(*broad_phase, x_surface, x_surface));
  }
};

TEST_F(RubbingShapes, FrictionIsTheGradientOfItsEnergy) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const VecX x_t0 = scene_.state().x;
  const VecX x = x_t0 + VecX::NullaryExpr(x_t0.size(), [&] { return 5e-5 * uniform(rng); });
  const VecX at_t0 = model_.surface_map.apply(x_t0), at = model_.surface_map.apply(x);
  const std::vector<StickVertex> no_memory;
  FrictionPotential<3> friction(model_, contacts_, {1.0, 1e-4, 0.0}, at_t0, no_memory);
  const ContactSet set = contacts_at(at);
  ASSERT_EQ(set.contacts.size(), 2U);
  friction.lag(set, at, at - at_t0, 3.0);
  VecX gradient = VecX::Zero(x.size());
  friction.add_gradient(at, gradient);
  const VecX numeric = test::finite_difference_gradient(
      [&](const VecX& y) { return friction.energy(model_.surface_map.apply(y)).value(); }, x, 1e-8);
  EXPECT_GT(gradient.norm(), 0.0);
  EXPECT_LT((gradient - numeric).norm(), 1e-6 * gradient.norm());
}

/// A ball that turns by a radian and moves as far as it rolls does not slide, whatever else it turns about the normal.
TEST_F(RubbingShapes, RollingByARadianIsNoSliding) {
  const Vec<3> normal = Vec<3>(0.03, 0.0269, 0).normalized(), axis = normal.unitOrthogonal();
  const VecX x_t0 = scene_.state().x;
  VecX x = x_t0;
  // Ball a turns on the spot and about the normal; ball b is moved as its surface at the contact moves.
  constexpr double turn = 1.0;
  const Vec<3> spin = turn * axis + 0.3 * normal;
  const Mat<3> rotation = rotation_by<3>(spin);
  for (int i = 1; i <= 3; ++i) x.segment<3>(3 * i) = rotation * x_t0.segment<3>(3 * i);
  x.segment<3>(3 * 4) += spin.cross(radius * normal);
  // Normals are lagged: ball b is where it starts when they are taken.
  VecX lagged = x;
  lagged.segment<3>(3 * 4) = x_t0.segment<3>(3 * 4);
  const VecX at_t0 = model_.surface_map.apply(x_t0), at = model_.surface_map.apply(x);
  const VecX at_lag = model_.surface_map.apply(lagged);
  const std::vector<StickVertex> no_memory;
  FrictionPotential<3> friction(model_, contacts_, {1.0, 1e-4, 0.0}, at_t0, no_memory);
  ContactSet set = contacts_at(at_t0);
  std::erase_if(set.contacts, [](const Contact& contact) { return contact.kind != ContactKind::point_point; });
  ASSERT_EQ(set.contacts.size(), 1U);
  friction.lag(set, at_lag, at_lag - at_t0, 3.0);
  EXPECT_LT(std::abs(friction.work(at)), 1e-12);
  EXPECT_GT(std::abs(friction.work(at_lag)), 1e-3);
}

TEST(RoundShapes, CrowdsThatAreThrownNeverOverlap) {
  std::mt19937 rng(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto vector = [&](double size) {
    return "[" + std::to_string(size * uniform(rng)) + "," + std::to_string(size * uniform(rng)) + "," +
           std::to_string(size * uniform(rng)) + "]";
  };
  for (int trial = 0; trial < 12; ++trial) {
    SCOPED_TRACE(trial);
    std::string bodies = R"({"name": "box", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1],
                          "resolution": [1, 1, 1]}, "transform": {"translation": [0, 0.2, 0]}, "linear_velocity": )" +
                         vector(5.0) + "}";
    for (int k = 0; k < 8; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / 8.0;
      const std::string place =
          "[" + std::to_string(0.25 * std::cos(angle)) + ", 0.2, " + std::to_string(0.25 * std::sin(angle)) + "]";
      const std::string more = R"(, "linear_velocity": [)" + std::to_string(-20.0 * std::cos(angle)) + ", " +
                               std::to_string(5.0 * uniform(rng)) + ", " + std::to_string(-20.0 * std::sin(angle)) +
                               R"(], "angular_velocity": )" + vector(5000.0);
      const std::string name = "b" + std::to_string(k);
      bodies += "," + (k % 2 == 0 ? ball(name, place, more) : capsule(name, place, vector(180.0), more));
    }
    RunningScene scene(scene_of(bodies, "[0, -9.81, 0]", 0.3));
    const auto broad_phase = make_broad_phase(3, scene.model().surface);
    for (int step = 0; step < 12; ++step) {
      const StepReport report = scene.simulation().step();
      ASSERT_TRUE(report.is_advanced()) << to_string(report.status);
      std::string hit;
      EXPECT_TRUE(
          is_intersection_free<3>(scene.model(), scene.model().surface_map.apply(scene.state().x), *broad_phase, &hit))
          << hit;
    }
  }
}

/// A sphere or a capsule of a generator, and whether it collides as such.
struct Shape {
  std::string generator, more, contact;
  bool is_round;
};

TEST(RoundShapes, AreTheDefaultWhereTheyCanBe) {
  const std::string sphere = R"("kind": "sphere", "size": [0.1], "resolution": [2])";
  const std::string capsule = R"("kind": "capsule", "size": [0.1, 0.2], "resolution": [3])";
  for (const Shape& shape :
       {Shape{sphere, "", "", true}, Shape{capsule, "", "", true}, Shape{sphere + R"(, "exact": false)", "", "", false},
        Shape{sphere, R"(, "transform": {"scale": [2, 2, 2]})", "", true},
        Shape{sphere, R"(, "transform": {"scale": [1, 2, 1]})", "", false},
        Shape{sphere, R"(, "split_components": true)", "", false}, Shape{sphere, R"(, "collides": false)", "", false},
        Shape{sphere, "", R"("contact": {"formulation": "gcp"}, )", false},
        Shape{R"("kind": "cylinder", "size": [0.1, 0.2])", "", "", false}}) {
    for (const std::string kind : {"rigid", "affine"}) {
      SCOPED_TRACE(shape.generator + shape.more + shape.contact + kind);
      StiffScene scene("{" + shape.contact + R"("bodies": [{"kind": ")" + kind + R"(", "generator": {)" +
                       shape.generator + "}" + shape.more + "}]}");
      const SurfaceTopology& surface = scene.model().surface;
      EXPECT_EQ(std::any_of(surface.radius.begin(), surface.radius.end(), [](double r) { return r > 0.0; }),
                shape.is_round);
      const double size = shape.more.find("[2, 2, 2]") != std::string::npos ? 0.2 : 0.1;
      const double ball = 4.0 / 3.0 * std::numbers::pi * size * size * size;
      const double density = 1000.0;
      if (shape.is_round && shape.generator == sphere) {
        EXPECT_NEAR(scene.unit_mass(0), density * ball, 1e-9);
      }
    }
  }
}

struct Misuse {
  std::string body, expected;
};

TEST(RoundShapes, MistakesAreExplained) {
  const std::string capsules = R"("capsules": [{"radius": 0.1, "ends": [[0, 0, 0]]}])";
  for (
      const Misuse& misuse : {
          Misuse{R"("kind": "rigid", "generator": {"kind": "sphere", "size": [1e-100], "exact": true})",
                 "between 1e-12 and 1e12 m"},
          Misuse{R"("kind": "rigid", "generator": {"kind": "box", "exact": true})",
                 "only spheres and capsules are exact"},
          Misuse{R"("kind": "deformable", "generator": {"kind": "sphere", "size": [0.1], "exact": true})",
                 "only a body of kind rigid or affine"},
          Misuse{
              R"("kind": "rigid", "generator": {"kind": "sphere", "size": [0.1], "exact": true}, "transform": {"scale": [1, 2, 1]})",
              "the same scale along x, y and z"},
          Misuse{R"("kind": "rigid", "generator": {"kind": "sphere", "size": [0.1], "exact": true}, )" + capsules,
                 "give one of the two"},
          Misuse{R"("kind": "obstacle", "generator": {"kind": "box"}, )" + capsules,
                 "only a body of kind rigid or affine"},
          Misuse{R"("kind": "rigid", "generator": {"kind": "box"}, "capsules": [{"radius": 0.1, "ends": []}])",
                 "capsules[0].ends"},
          Misuse{R"("kind": "rigid", "generator": {"kind": "box"}, "capsules": [{"radius": -1, "ends": [[0, 0, 0]]}])",
                 "radius"},
      }) {
    const Result<LoadedScene> loaded = load_scene_text(R"({"bodies": [{)" + misuse.body + "}]}", "scene", ".", {});
    ASSERT_FALSE(loaded) << misuse.body;
    std::string all;
    for (const Issue& issue : loaded.issues()) all += to_string(issue) + "\n";
    EXPECT_NE(all.find(misuse.expected), std::string::npos) << all;
  }
}

TEST(RoundShapes, OverlapAtTheStartIsAnError) {
  const Result<LoadedScene> loaded = load_scene_text(
      scene_of(ball("a", "[0, 0.1, 0]") + "," + ball("b", "[0.0399, 0.1, 0]"), "[0, 0, 0]", 0), "scene", ".", {});
  ASSERT_TRUE(loaded);
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  ASSERT_FALSE(simulation);
  EXPECT_NE(to_string(simulation.issues().front()).find("'a' and 'b'"), std::string::npos);
}

}  // namespace
}  // namespace clearance
