// Attachments in whole scenes: forces and motions with closed forms, at default settings.
#include <cmath>
#include <numbers>

#include "clearance/base/parallel.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

constexpr double g = 9.80665, pi = std::numbers::pi;

// A grain on a string: the period of a swing by an angle a is 2 pi sqrt(L / g) (1 + a^2 / 16).
TEST(Attachments, GrainOnAStringSwingsLikeAPendulum) {
  const double length = 0.5, angle = 0.2;
  const Vec<3> start(length * std::sin(angle), -length * std::cos(angle), 0.0);
  ProbedScene scene(fmt::format(R"({{"time": {{"step": 0.002, "integrator": "bdf2_in_flight"}},
    "bodies": [{{"name": "bob", "kind": "particles", "thickness": 0.02, "geometry": {{"vertices": [[{}, {}, 0]]}},
                 "material": {{"density": 8000}}}}],
    "attachments": [{{"name": "string", "body": "bob", "point": [0, 0, 0]}}],
    "output": {{"probes": [{{"name": "string", "kind": "attachment", "attachment": "string"}}]}}}})",
                                start[0], start[1]));
  const double period = 2.0 * pi * std::sqrt(length / g) * (1.0 + angle * angle / 16.0);
  double last = start[0], first_crossing = 0.0, second_crossing = 0.0;
  while (second_crossing == 0.0 && scene.state().time < 3.0) {
    scene.step();
    const double at = scene.x(0)[0];
    if (at * last <= 0.0) {
      const double crossing = scene.state().time - 0.002 * at / (at - last);
      (first_crossing == 0.0 ? first_crossing : second_crossing) = crossing;
    }
    last = at;
    EXPECT_NEAR(scene.x(0).norm(), length, 1e-4 * length);
  }
  EXPECT_NEAR(2.0 * (second_crossing - first_crossing), period, 2e-3 * period);
  // At the lowest point the string carries m g (3 - 2 cos a).
  const double weight = 8000.0 * 4.0 / 3.0 * pi * 1e-6 * g;
  EXPECT_NEAR(scene.probe("string.largest [N]"), weight * (3.0 - 2.0 * std::cos(angle)), 0.01 * weight);
}

/// Two halves of a bar along x, end to end; the second is held by its far end, and the first is pulled.
std::string bar(const std::string& kind_of_second, const std::string& more) {
  return R"({"time": {"integrator": "quasi_static", "step": 1, "duration": 1}, "gravity": [0, 0, 0],
    "contact": {"ignored_pairs": [{"bodies": ["first", "second"]}]},
    "bodies": [
      {"name": "first", "generator": {"kind": "box", "size": [0.2, 0.04, 0.04], "resolution": [10, 2, 2]},
       "transform": {"translation": [0.1, 0, 0]}, "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.0},
       "loads": [{"kind": "force", "value": [2, 0, 0], "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}]},
      {"name": "second", "kind": ")" +
         kind_of_second + R"(", "generator": {"kind": "box", "size": [0.2, 0.04, 0.04], "resolution": [10, 2, 2]},
       "transform": {"translation": [-0.1, 0, 0]}, "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.0})" +
         more + R"(}],
    "attachments": [{"name": "glue", "body": "first", "to": "second",
                     "region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}],
    "output": {"probes": [
      {"name": "end", "kind": "position", "body": "first",
       "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}},
      {"name": "glue", "kind": "attachment", "attachment": "glue"}]}})";
}

TEST(Attachments, TwoHalvesOfABarStretchLikeOne) {
  const std::string held = R"(, "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}])";
  ProbedScene soft(bar("deformable", held));
  soft.step();
  // F L / (E A) = 2 * 0.4 / (1e6 * 0.0016), and a little for its change of section.
  EXPECT_NEAR(soft.probe("end.x [m]") - 0.2, 5e-4, 0.01 * 5e-4);
  EXPECT_NEAR(soft.probe("glue.force.x [N]"), -2.0, 2e-3);

  ProbedScene stiff(bar("obstacle", ""));
  stiff.step();
  EXPECT_NEAR(stiff.probe("end.x [m]") - 0.2, 2.5e-4, 0.01 * 2.5e-4);
  EXPECT_NEAR(stiff.probe("glue.force.x [N]"), -2.0, 2e-3);
}

TEST(Attachments, BodiesThatAreLinkedKeepTheirMomentum) {
  ProbedScene scene(R"({"time": {"step": 0.01, "integrator": "implicit_newmark"}, "gravity": [0, 0, 0],
    "bodies": [
      {"name": "soft", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2]},
       "material": {"youngs_modulus": 1e5}, "linear_velocity": [0, 1, 0]},
      {"name": "stiff", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]},
       "transform": {"translation": [0.13, 0.02, 0]}, "angular_velocity": [0, 0, 90]}],
    "attachments": [{"body": "soft", "to": "stiff", "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}]})");
  // Blocks of the rigid body beside its centre are no points.
  const auto momentum = [&] {
    Vec<3> sum = Vec<3>::Zero();
    const std::vector<char> is_column = column_flags(scene.model());
    const VecX mv = mass_times(scene.model(), scene.state().v);
    for (int b = 0; b < scene.num_nodes(); ++b) {
      if (is_column[b] == 0) sum += scene.at(mv, b);
    }
    return sum;
  };
  const Vec<3> before = momentum();
  scene.steps(50);
  EXPECT_LT((momentum() - before).norm(), 1e-3 * before.norm());
}

// A strip hangs from one edge. The links carry its weight, and let go at the given time.
TEST(Attachments, HangingClothIsCarriedAndLetGo) {
  ProbedScene scene(R"({"time": {"step": 0.01, "duration": 1, "integrator": "implicit_euler"},
    "bodies": [{"name": "cloth", "kind": "shell", "thickness": 5e-4,
      "generator": {"kind": "sheet", "size": [0.1, 0.2], "resolution": [4, 8]}, "transform": {"rotation": [90, 0, 0]},
      "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3, "density": 400}}],
    "attachments": [{"name": "pins", "body": "cloth", "end": 0.3,
                     "region": {"box": [[-1, 0.0999, -1], [1, 0.11, 1]]}}],
    "output": {"probes": [{"name": "pins", "kind": "attachment", "attachment": "pins"},
                          {"name": "cloth", "kind": "velocity", "body": "cloth"}]}})");
  scene.steps(29);
  const double weight = 0.1 * 0.2 * 5e-4 * 400 * g;
  EXPECT_EQ(scene.probe("pins.links [1]"), 5.0);
  EXPECT_NEAR(scene.probe("pins.force.y [N]"), weight, 0.05 * weight);
  scene.step();
  const double speed = scene.probe("cloth.y [m/s]");
  scene.steps(10);
  EXPECT_EQ(scene.probe("pins.links [1]"), 0.0);
  EXPECT_NEAR(scene.probe("cloth.y [m/s]") - speed, -g * 0.1, 0.01 * g * 0.1);
}

// A cord lifts a weight that hangs on a link. The link breaks when the weight is heavier than it carries.
TEST(Attachments, LinkBreaksAtItsForceAndStaysBroken) {
  const auto scene_of = [](double break_force) {
    return ProbedScene(fmt::format(R"({{"time": {{"step": 0.01, "duration": 1}}, "gravity": [0, 0, 0],
      "bodies": [{{"name": "bob", "kind": "particles", "thickness": 0.02, "geometry": {{"vertices": [[0, 0, 0]]}},
                   "material": {{"density": 1000}},
                   "loads": [{{"kind": "force", "expression": ["10 * t", 0, 0]}}]}}],
      "attachments": [{{"name": "string", "body": "bob", "break_force": {}}}],
      "output": {{"probes": [{{"name": "string", "kind": "attachment", "attachment": "string"}}]}}}})",
                                   break_force));
  };
  ProbedScene scene = scene_of(1.0);
  double last = 0.0;
  while (scene.state().time < 0.3) {
    scene.step();
    if (scene.probe("string.links [1]") == 0.0) break;
    last = scene.probe("string.largest [N]");
  }
  EXPECT_NEAR(scene.state().time, 0.11, 0.011);
  EXPECT_NEAR(last, 1.0, 0.11);
  // A restart knows that it is broken.
  ProbedScene resumed = scene_of(1.0);
  ASSERT_TRUE(resumed.simulation().restore(scene.state()));
  scene.steps(3);
  resumed.steps(3);
  EXPECT_EQ(resumed.simulation().state_hash(), scene.simulation().state_hash());
  EXPECT_GT(scene.x(0)[0], 1e-4);
}

/// A winch that begins to lift a weight of 5 N by a link, at 0.1 m/s from `start` on and 10 ms a step, in one of
/// several ways.
ProbedScene winch(const std::string& kind, const std::string& integrator, double start, double break_force = 1e9) {
  std::string body, joint, attachment = R"("break_force": )" + std::to_string(break_force);
  const std::string way = fmt::format("0.1 * max(0, t - {})", start);
  if (kind == "length") attachment += R"(, "point": [0, 0, 0], "length": "0.5 - )" + way + "\"";
  if (kind == "end") attachment += R"(, "displacement": [0, ")" + way + "\", 0]";
  if (kind == "motion" || kind == "formula" || kind == "poses" || kind == "slider") {
    std::string motion;
    if (kind == "formula") motion = R"({"displacement": [0, ")" + way + "\", 0]}";
    if (kind == "motion") motion = fmt::format(R"({{"linear_velocity": [0, 0.1, 0], "start": {}}})", start);
    if (kind == "poses") {
      for (int step = 1; step <= 20; ++step) {
        motion += step == 1 ? R"({"center": [0, 0.05, 0], "poses": [)" : ", ";
        motion += fmt::format(R"({{"position": [0, {}, 0]}})", 0.05 + 0.1 * std::max(0.0, 0.01 * step - start));
      }
      motion += "]}";
    }
    if (kind == "slider") {
      joint = R"("joints": [{"kind": "slider", "bodies": ["drum", ""], "point": [0, 0.05, 0], "axis": [0, 1, 0],
                             "drive": ")" +
              way + "\"}], ";
    }
    body = fmt::format(R"(, {{"name": "drum", "kind": "{}", "material": {{"density": 100}},
                 "generator": {{"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]}},
                 "transform": {{"translation": [0, 0.05, 0]}}, "motions": [{}]}})",
                       kind == "slider" ? "rigid" : "obstacle", motion);
    attachment += R"(, "to": "drum")";
  }
  return ProbedScene(R"({"time": {"step": 0.01, "duration": 1, "integrator": ")" + integrator + R"("}, )" + joint +
                     R"("bodies": [
    {"name": "load", "kind": "particles", "thickness": 0.05, "geometry": {"vertices": [[0, -0.5, 0]]},
     "material": {"density": 7835}})" +
                     body + R"(], "attachments": [{"name": "rope", "body": "load", )" + attachment +
                     R"(}], "output": {"probes": [{"name": "rope", "kind": "attachment", "attachment": "rope"}]}})");
}

// BDF2 extrapolates: what a link pulls at once had twice the velocity after the step, and a link that ought to carry
// the weight of 5 N and an impulse of 5 N carried 15 N, pushed by 7 N in the next step, and broke.
TEST(Attachments, WhatAWinchJerksIsPulledOnce) {
  constexpr double weight = 5.03, impulse = 5.13;
  for (const std::string integrator : {"bdf2", "bdf2_restarted", "bdf2_in_flight"}) {
    for (const std::string kind : {"length", "end", "motion", "formula", "poses", "slider"}) {
      for (const double start : {0.0, 0.05}) {
        ProbedScene scene = winch(kind, integrator, start);
        double most = 0.0, least = 100.0;
        while (scene.state().time < 0.15) {
          scene.step();
          most = std::max(most, scene.probe("rope.force.y [N]"));
          least = std::min(least, scene.probe("rope.force.y [N]"));
        }
        EXPECT_LT(most, 1.01 * (weight + impulse)) << integrator << " " << kind << " " << start;
        EXPECT_GT(least, 0.9 * weight) << integrator << " " << kind << " " << start;
      }
    }
  }
  ProbedScene strong = winch("motion", "bdf2_in_flight", 0.0, 12.0);
  strong.steps(10);
  EXPECT_EQ(strong.probe("rope.links [1]"), 1.0);
}

// A winch that speeds up smoothly needs no new start: BDF2 keeps its second order.
TEST(Attachments, WhatAWinchSpeedsUpKeepsItsSecondOrder) {
  const auto height_after = [](double h) {
    ProbedScene scene(fmt::format(R"j({{"time": {{"step": {}, "duration": 1, "integrator": "bdf2_in_flight"}},
      "bodies": [{{"name": "load", "kind": "particles", "thickness": 0.05, "geometry": {{"vertices": [[0.3, -0.4, 0]]}},
                   "material": {{"density": 7835}}}}],
      "attachments": [{{"name": "rope", "body": "load", "point": [0, 0, 0], "length": "0.4 + 0.1 * cos(3 * t)"}}]}})j",
                                  h));
    while (scene.state().time < 0.4 - 1e-9) scene.step();
    return scene.x(0)[1];
  };
  const double coarse = height_after(0.008), middle = height_after(0.004), fine = height_after(0.002);
  EXPECT_LT(std::abs(middle - fine), 0.35 * std::abs(coarse - middle));
}

// Two panels are drawn together by seams that shorten, and keep their thickness.
TEST(Attachments, SeamsClose) {
  ProbedScene scene(R"json({"time": {"step": 0.02, "duration": 1}, "gravity": [0, 0, 0],
    "bodies": [
      {"name": "left", "kind": "shell", "thickness": 1e-3,
       "generator": {"kind": "sheet", "size": [0.1, 0.1], "resolution": [4, 4]},
       "transform": {"translation": [-0.07, 0, 0]},
       "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3, "density": 300}},
      {"name": "right", "kind": "shell", "thickness": 1e-3,
       "generator": {"kind": "sheet", "size": [0.1, 0.1], "resolution": [4, 4]},
       "transform": {"translation": [0.07, 0, 0]},
       "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3, "density": 300}}],
    "attachments": [{"name": "seam", "body": "left", "to": "right", "length": "max(0.002, 0.04 - 0.1 * t)",
                     "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"},
                     "to_region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}],
    "output": {"probes": [{"name": "seam", "kind": "attachment", "attachment": "seam"},
                          {"name": "gap", "kind": "gap", "bodies": ["left", "right"]}]}})json");
  for (int step = 0; step < 40; ++step) {
    scene.step();
    EXPECT_EQ(scene.probe("seam.links [1]"), 5.0);
    EXPECT_GT(scene.probe("gap [m]"), 0.0);
  }
  // The gap is between the surfaces: the length less the thickness.
  EXPECT_NEAR(scene.probe("gap [m]"), 0.001, 2e-4);
}

TEST(Attachments, PairsNameVerticesOfBothMeshes) {
  ProbedScene scene(R"({"time": {"step": 0.01}, "gravity": [0, -10, 0],
    "bodies": [
      {"name": "upper", "kind": "particles", "thickness": 0.01,
       "geometry": {"vertices": [[0, 0, 0], [0.1, 0, 0]]}, "motions": [{}]},
      {"name": "lower", "kind": "particles", "thickness": 0.01,
       "geometry": {"vertices": [[0.1, -0.1, 0], [0, -0.2, 0]]}, "material": {"density": 1000}}],
    "attachments": [{"name": "strings", "body": "lower", "to": "upper", "pairs": [[0, 1], [1, 0]]}],
    "output": {"probes": [{"name": "strings", "kind": "attachment", "attachment": "strings"}]}})");
  scene.steps(100);
  EXPECT_NEAR(scene.x(2)[1], -0.1, 1e-3);
  EXPECT_NEAR(scene.x(3)[1], -0.2, 1e-3);
  EXPECT_NEAR(scene.probe("strings.force.y [N]"), 2.0 * 1000.0 * pi / 6.0 * 1e-6 * 10.0, 1e-4);
}

TEST(Attachments, EndsInTheWorldFollowFormulas) {
  ProbedScene scene(R"({"time": {"step": 0.01}, "gravity": [0, 0, 0],
    "bodies": [{"name": "bob", "kind": "particles", "thickness": 0.01, "geometry": {"vertices": [[0, 0, 0]]}}],
    "attachments": [{"body": "bob", "displacement": ["0.1 * t", "0.05 * t * t", 0]}]})");
  scene.steps(100);
  EXPECT_NEAR(scene.x(0)[0], 0.1, 1e-3);
  EXPECT_NEAR(scene.x(0)[1], 0.05, 1e-3);
}

TEST(Attachments, WorkInThePlane) {
  ProbedScene scene(R"({"dimension": 2, "time": {"step": 1, "duration": 1, "integrator": "quasi_static"},
    "bodies": [{"name": "soft", "generator": {"kind": "rectangle", "size": [0.1, 0.1], "resolution": [3, 3]},
                "material": {"youngs_modulus": 1e5}},
               {"name": "beam", "kind": "obstacle", "generator": {"kind": "rectangle", "size": [0.3, 0.02],
                "resolution": [1, 1]}, "transform": {"translation": [0, 0.07]}}],
    "attachments": [{"name": "hook", "body": "soft", "to": "beam",
                     "region": {"box": [[0, 1], [1, 1]], "frame": "body"}}],
    "output": {"probes": [{"name": "hook", "kind": "attachment", "attachment": "hook"}]}})");
  scene.step();
  EXPECT_NEAR(scene.probe("hook.force.y [N]"), 1000.0 * 0.01 * g, 1e-3 * 1000.0 * 0.01 * g);
}

TEST(Attachments, ThreadsGiveTheSameBits) {
  std::vector<std::string> hashes;
  for (const int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    ProbedScene scene(bar("obstacle", ""));
    scene.simulation().step();
    hashes.push_back(scene.simulation().state_hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

// The stiffness of a link to a grain came from the time step, which statics do not have: it sagged by 98 mm.
TEST(Attachments, StaticGrainHangsAtTheLengthOfItsLinkForAnyStep) {
  for (const char* step : {"1", "0.01"}) {
    ProbedScene scene(fmt::format(R"({{"time": {{"step": {0}, "duration": {0}, "integrator": "quasi_static"}},
      "bodies": [{{"name": "bob", "kind": "particles", "thickness": 0.1, "geometry": {{"vertices": [[0, 0, 0]]}}}}],
      "attachments": [{{"body": "bob", "point": [0, 0.5, 0]}}]}})",
                                  step));
    scene.step();
    EXPECT_NEAR(scene.x(0)[1], 0.0, 1e-4);
  }
}

// The work of a link counted for its body, but not what it stores: a pendulum was told to have gained its whole energy.
TEST(Attachments, PendulumsOnLinksGainNoEnergy) {
  RunningScene scene(R"({"time": {"step": 0.01},
    "bodies": [{"name": "bob", "kind": "particles", "thickness": 0.02, "geometry": {"vertices": [[0.2, -0.4, 0]]}}],
    "attachments": [{"body": "bob", "point": [0, 0, 0]}]})");
  StepReport report;
  for (int step = 0; step < 300; ++step) report = scene.step();
  EXPECT_LT(report.gained.share, 0.02);
}

TEST(Attachments, LengthsThatJumpAreNegativeOrPressIntoTheThicknessAreTold) {
  const auto messages = [](const std::string& length) {
    const Result<LoadedScene> loaded = load_scene_text(R"raw({
      "bodies": [{"name": "cloth", "kind": "shell", "thickness": 1e-3,
                  "generator": {"kind": "sheet", "size": [0.1, 0.1], "resolution": [2, 2]}},
                 {"name": "bar", "kind": "obstacle", "generator": {"kind": "box", "size": [0.1, 0.02, 0.1],
                  "resolution": [1]}, "transform": {"translation": [0, 0.02, 0]}}],
      "attachments": [{"body": "cloth", "to": "bar", "length": ")raw" +
                                                           length + R"raw("}]})raw",
                                                       "scene", ".", {});
    std::string text;
    const SceneModel scene = build_scene_model(loaded->scene, std::move(load_bodies(loaded->scene)->instances));
    for (const Issue& issue : scene.issues) text += to_string(issue) + "\n";
    return text;
  };
  EXPECT_EQ(messages("0.01"), "");
  EXPECT_NE(messages("-0.1").find("attachments[0].length: a length cannot be negative"), std::string::npos);
  EXPECT_NE(messages("0.05").find("warning: the links are 0.01 m to 0.01 m long at the start"), std::string::npos);
  EXPECT_NE(messages("max(0, 0.01 - 0.1 * t)").find("the thickness of what they join keeps it 0.0005 m apart"),
            std::string::npos);
}

}  // namespace
}  // namespace clearance
