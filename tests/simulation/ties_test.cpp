// Tied bodies: meshes that do not match and gaps, against one block; forces and stresses that pass through.
#include <cmath>

#include "simulation/probed_scene.h"

namespace clearance {
namespace {

/// A beam along x of 0.4 x 0.1 x 0.1 m, clamped at its start and loaded at its end: of one piece, or of two that are
/// tied in the middle, where the first has 3 cells across and the second has 2.
std::string beam(bool is_tied, const std::string& force, double gap = 0.0, const std::string& tie = "") {
  const auto part = [&](const char* name, double length, double middle, int cells, const std::string& more) {
    return fmt::format(R"({{"name": "{}", "generator": {{"kind": "box", "size": [{}, 0.1, 0.1],
        "resolution": [{}, {}, {}]}}, "transform": {{"translation": [{}, 0, 0]}},
        "material": {{"youngs_modulus": 1e6, "poisson_ratio": 0.3}}, {}}})",
                       name, length, static_cast<int>(length / 0.1) * cells / 2 + 1, cells, cells, middle, more);
  };
  const std::string clamp = R"("motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}])";
  const std::string load = R"("loads": [{"kind": "force", "value": )" + force +
                           R"(, "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}])";
  const std::string bodies = is_tied ? part("first", 0.2, 0.1, 3, clamp) + "," + part("end", 0.2, 0.3 + gap, 2, load)
                                     : part("end", 0.4, 0.2, 3, clamp + "," + load);
  return R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
    "bodies": [)" +
         bodies + "]," +
         (is_tied ? R"("attachments": [{"name": "tie", "body": "first", "to": "end", "tied": true)" + tie + "}],"
                  : "") +
         R"("output": {"probes": [{"name": "tip", "body": "end",
             "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}})" +
         (is_tied ? R"(, {"name": "tie", "kind": "attachment", "attachment": "tie"})" : "") + "]}}";
}

/// Returns how far the end moves along an axis.
double way(const std::string& scene_text, int axis, double gap = 0.0) {
  ProbedScene scene(scene_text);
  scene.step();
  return scene.probe(fmt::format("tip.{} [m]", "xyz"[axis])) - (axis == 0 ? 0.4 + gap : 0.0);
}

// Two blocks whose meshes do not match are one beam in tension, and in bending with its shear.
TEST(Ties, TwoBlocksAreOneInTensionAndBending) {
  const double in_tension = way(beam(true, "[4, 0, 0]"), 0), one_in_tension = way(beam(false, "[4, 0, 0]"), 0);
  EXPECT_NEAR(in_tension, one_in_tension, 0.02 * one_in_tension);
  const double in_bending = way(beam(true, "[0, 0.1, 0]"), 1), one_in_bending = way(beam(false, "[0, 0.1, 0]"), 1);
  EXPECT_NEAR(in_bending, one_in_bending, 0.02 * one_in_bending);
  // F L^3 / (3 E I) is most of it.
  EXPECT_NEAR(one_in_bending, 0.1 * 0.064 / (3.0 * 1e6 * 1e-4 / 12.0), 0.1 * one_in_bending);
}

// A gap of 3 % is bridged by what is rigid: shear and turning pass, and the end is as much further away.
TEST(Ties, AGapIsBridged) {
  const double gap = 0.003;
  const double one = way(beam(false, "[0, 0.1, 0]"), 1);
  const double tied = way(beam(true, "[0, 0.1, 0]", gap, R"(, "distance": 0.004)"), 1);
  EXPECT_NEAR(tied, one, 0.03 * one);
  const double pulled = way(beam(true, "[4, 0, 0]", gap, R"(, "distance": 0.004)"), 0, gap);
  EXPECT_NEAR(pulled, way(beam(false, "[4, 0, 0]"), 0), 0.02 * pulled);
}

// Short blocks, so that shear is what moves them: the tie carries it, which a link that turns freely would not.
TEST(Ties, ShearPassesThroughAGap) {
  const auto sheared = [](const std::string& more) {
    return ProbedScene(R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
      "bodies": [
        {"name": "lower", "generator": {"kind": "box", "size": [0.2, 0.05, 0.2], "resolution": [3, 1, 3]},
         "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3},
         "motions": [{"region": {"box": [[0, 0, 0], [1, 0, 1]], "frame": "body"}}]},
        {"name": "upper", "kind": "deformable",
         "generator": {"kind": "box", "size": [0.2, 0.05, 0.2], "resolution": [2, 1, 2]},
         "transform": {"translation": [0, 0.052, 0]}, "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3},
         "motions": [{"region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}, "linear_velocity": [1e-3, 0, 0]}]}],
      "attachments": [{"name": "tie", "body": "upper", "to": "lower",
                       "region": {"box": [[0, 0, 0], [1, 0, 1]], "frame": "body"})" +
                       more + R"(}],
      "output": {"probes": [{"name": "upper", "kind": "reaction", "body": "upper"},
                            {"name": "tie", "kind": "attachment", "attachment": "tie"}]}})");
  };
  ProbedScene tied = sheared(R"(, "tied": true)");
  tied.step();
  // G A / L times the way of 1 mm, less a little for the free sides.
  const double stiff = 1e6 / 2.6 * 0.04 / 0.1 * 1e-3;
  EXPECT_LT(tied.probe("upper.force.x [N]"), stiff);
  EXPECT_GT(tied.probe("upper.force.x [N]"), 0.8 * stiff);
  EXPECT_NEAR(tied.probe("tie.force.x [N]"), -tied.probe("upper.force.x [N]"), 0.01 * stiff);
}

// Tension passes through faces of different meshes. A force on a face is shared by its corners as the place of the node
// says, not as an even pressure would be: the largest stress is not the mean one.
TEST(Ties, ConstantStressPassesAsFarAsNodesOnFacesAllow) {
  ProbedScene scene(R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
    "bodies": [
      {"name": "lower", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [4]},
       "material": {"youngs_modulus": 1e6, "poisson_ratio": 0}, "order": 1,
       "motions": [{"region": {"box": [[0, 0, 0], [1, 0, 1]], "frame": "body"}}]},
      {"name": "upper", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [3]}, "order": 1,
       "transform": {"translation": [0, 0.1, 0]}, "material": {"youngs_modulus": 1e6, "poisson_ratio": 0},
       "loads": [{"kind": "force", "value": [0, 10, 0],
                  "region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}}]}],
    "attachments": [{"name": "tie", "body": "lower", "to": "upper", "tied": true}],
    "output": {"probes": [{"name": "tie", "kind": "attachment", "attachment": "tie"},
                          {"name": "upper", "kind": "stress", "body": "upper"},
                          {"name": "lower", "kind": "stress", "body": "lower"},
                          {"name": "end", "body": "upper", "region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}}]}})");
  scene.step();
  EXPECT_NEAR(scene.probe("tie.force.y [N]"), 10.0, 1e-3);
  EXPECT_EQ(scene.probe("tie.links [1]"), 25.0);
  const double mean = 10.0 / 0.01;
  RecordProperty("lower", std::to_string(scene.probe("lower.von_mises [Pa]") / mean));
  RecordProperty("upper", std::to_string(scene.probe("upper.von_mises [Pa]") / mean));
  EXPECT_LT(scene.probe("lower.von_mises [Pa]"), 1.1 * mean);
  EXPECT_LT(scene.probe("upper.von_mises [Pa]"), 1.3 * mean);
  EXPECT_NEAR(scene.probe("end.y [m]") - 0.15, mean * 0.2 / 1e6, 0.02 * mean * 0.2 / 1e6);
}

// A soft block is glued to a stiff one that falls and turns: the two keep their momentum, and nothing collides.
TEST(Ties, SoftBlocksFollowStiffOnesAndEachOther) {
  for (const std::string kind : {"rigid", "deformable"}) {
    SCOPED_TRACE(kind);
    ProbedScene scene(R"({"time": {"step": 0.01, "duration": 1}, "gravity": [0, 0, 0],
      "bodies": [
        {"name": "one", "kind": ")" +
                      kind + R"(", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2]},
         "material": {"youngs_modulus": 1e7}, "linear_velocity": [0, 0, 1]},
        {"name": "two", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [3]},
         "transform": {"translation": [0.1, 0, 0]}, "material": {"youngs_modulus": 1e7}}],
      "attachments": [{"name": "glue", "body": "two", "to": "one", "tied": true}],
      "output": {"probes": [{"name": "glue", "kind": "attachment", "attachment": "glue"},
                            {"name": "gap", "body": "two"}, {"name": "one", "body": "one"}]}})");
    const auto distance = [&] {
      Vec<3> way = Vec<3>::Zero();
      for (int d = 0; d < 3; ++d) {
        way[d] = scene.probe(fmt::format("gap.{} [m]", "xyz"[d])) - scene.probe(fmt::format("one.{} [m]", "xyz"[d]));
      }
      return way.norm();
    };
    scene.steps(50);
    EXPECT_EQ(scene.probe("glue.links [1]"), 16.0);
    // The speed of 1 m/s turns the pair by a few radians, and the blocks stay side by side.
    EXPECT_NEAR(distance(), 0.1, 0.01 * 0.1);
  }
}

TEST(Ties, WorkInThePlane) {
  const auto scene_of = [](double gap) {
    return ProbedScene(fmt::format(R"({{"dimension": 2, "gravity": [0, 0],
      "time": {{"step": 1, "duration": 1, "integrator": "quasi_static"}},
      "bodies": [
        {{"name": "first", "generator": {{"kind": "rectangle", "size": [0.2, 0.1], "resolution": [6, 3]}},
          "material": {{"youngs_modulus": 1e6, "poisson_ratio": 0}},
          "motions": [{{"region": {{"box": [[0, 0], [0, 1]], "frame": "body"}}}}]}},
        {{"name": "end", "generator": {{"kind": "rectangle", "size": [0.2, 0.1], "resolution": [4, 2]}},
          "transform": {{"translation": [{}, 0]}}, "material": {{"youngs_modulus": 1e6, "poisson_ratio": 0}},
          "loads": [{{"kind": "force", "value": [0, 1], "region": {{"box": [[1, 0], [1, 1]], "frame": "body"}}}}]}}],
      "attachments": [{{"name": "tie", "body": "end", "to": "first", "tied": true, "distance": 0.004}}],
      "output": {{"probes": [{{"name": "tip", "body": "end",
                              "region": {{"box": [[1, 0], [1, 1]], "frame": "body"}}}}]}}}})",
                                   0.2 + gap));
  };
  // F L^3 / (3 E I) and the shear 1.2 F L / (G A) of a beam of 0.4 x 0.1 m, a metre wide.
  const double bent = 0.064 / (3.0 * 1e6 * 1e-3 / 12.0) + 1.2 * 0.4 / (5e5 * 0.1);
  for (const double gap : {0.0, 0.003}) {
    ProbedScene scene = scene_of(gap);
    scene.step();
    EXPECT_NEAR(scene.probe("tip.y [m]"), bent, 0.03 * bent) << gap;
  }
}

TEST(Ties, NodesWithoutAFaceAreTold) {
  const auto messages = [](const std::string& more) {
    const Result<LoadedScene> loaded = load_scene_text(
        R"({"bodies": [{"name": "one", "generator": {"kind": "box", "size": [1, 1, 1], "resolution": [2]}},
            {"name": "two", "generator": {"kind": "box", "size": [1, 1, 1], "resolution": [2]},
             "transform": {"translation": [1.1, 0, 0]}}],
            "attachments": [{"body": "two", "to": "one", "tied": true)" +
            more + "}]}",
        "scene", ".", {});
    std::string text;
    const SceneModel scene = build_scene_model(loaded->scene, std::move(load_bodies(loaded->scene)->instances));
    for (const Issue& issue : scene.issues) text += to_string(issue) + "\n";
    return text;
  };
  EXPECT_NE(messages("").find("attachments[0].distance: no node of 'two' is within this distance of 'one', and the "
                              "nearest one is 0.1 m away; give a larger `distance` (got 0.0346"),
            std::string::npos);
  EXPECT_EQ(messages(R"(, "distance": 0.11)"), "");
  const std::string told =
      messages(R"(, "distance": 0.11, "region": {"box": [[0, 0, 0], [0.5, 1, 1]], "frame": "body"})");
  EXPECT_NE(told.find("warning: 9 of 18 nodes of the region are further from 'one' and are not tied, the furthest by "
                      "0.6 m"),
            std::string::npos)
      << told;
}

/// Shear of a pad of 0.1 x `height` x 0.1 m between a fixed plate and one that a force of 10 N pushes, by ties with
/// `more` keys: how far the plate moves [m], and the number of nodes on the lower plate.
std::pair<double, double> sheared_pad(double height, int cells, const std::string& more = "", double gap = 0.0) {
  const auto plate = [](const char* name, const char* kind, double y, const std::string& keys) {
    return fmt::format(R"({{"name": "{}", "kind": "{}", "generator": {{"kind": "box", "size": [0.12, 0.01, 0.12]}},
        "transform": {{"translation": [0, {}, 0]}}{}}})",
                       name, kind, y, keys);
  };
  ProbedScene scene(
      R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0], "bodies": [)" +
      plate("base", "obstacle", -0.005 - gap, "") + "," +
      plate("top", "rigid", height + 0.005 + gap,
            R"(, "fixed_rotation": true, "loads": [{"kind": "force", "value": [10, 0, 0]}])") +
      fmt::format(R"(,{{"name": "pad", "generator": {{"kind": "box", "size": [0.1, {}, 0.1], "resolution": [4, {}, 4]}},
        "transform": {{"translation": [0, {}, 0]}}, "material": {{"youngs_modulus": 1e6, "poisson_ratio": 0.4}}}}],
        "attachments": [{{"name": "low", "body": "pad", "to": "base", "tied": true{}}},
                        {{"name": "high", "body": "pad", "to": "top", "tied": true{}}}],
        "output": {{"probes": [{{"name": "top", "body": "top"}},
                              {{"name": "low", "kind": "attachment", "attachment": "low"}}]}}}})",
                  height, cells, 0.5 * height, more, more));
  scene.step();
  return {scene.probe("top.x [m]"), scene.probe("low.links [1]")};
}

// The default distance is 3 mm: all nodes of a pad of 2 mm were tied to both plates, and it was 5000 times too stiff.
TEST(Ties, OnlyTheSideOfAThinPadThatLooksAtAPlateIsTiedToIt) {
  for (const double height : {0.002, 0.01}) {
    // F h / (G A), a little more because the sides are free.
    const double theory = 10.0 * height / (1e6 / 2.8 * 0.01);
    const auto [way, num_links] = sheared_pad(height, 2);
    EXPECT_NEAR(way, theory, 0.04 * theory) << height;
    EXPECT_EQ(num_links, 81.0) << height;  // 9 x 9 nodes of quadratic elements
  }
  // The same whatever the distance says, across a gap as without one.
  const double way = sheared_pad(0.002, 2).first;
  EXPECT_NEAR(sheared_pad(0.002, 2, R"(, "distance": 0.05)").first, way, 1e-9);
  EXPECT_NEAR(sheared_pad(0.002, 2, R"(, "distance": 1e-5)").first, way, 1e-9);
  EXPECT_NEAR(sheared_pad(0.002, 2, R"(, "distance": 0.01)", 0.001).first, way, 1e-8);
}

// Two layers of 5 mm, 0.2 m long, are one of 10 mm: tied nodes behind the face that touches made them 7.6 % too stiff.
TEST(Ties, TwoThinLayersBendAsOne) {
  const auto layer = [](const char* name, double y) {
    return fmt::format(R"({{"name": "{}", "generator": {{"kind": "box", "size": [0.2, 0.005, 0.01],
        "resolution": [20, 1, 2]}}, "transform": {{"translation": [0.1, {}, 0]}},
        "material": {{"youngs_modulus": 1e9, "poisson_ratio": 0}},
        "motions": [{{"region": {{"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}}}],
        "loads": [{{"kind": "force", "value": [0, -0.5, 0],
                   "region": {{"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}}}]}})",
                       name, y);
  };
  ProbedScene scene(
      R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0], "bodies": [)" +
      layer("a", 0.0025) + "," + layer("b", -0.0025) +
      R"(], "attachments": [{"body": "a", "to": "b", "tied": true}],
      "output": {"probes": [{"name": "tip", "body": "a", "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}]}})");
  scene.step();
  // F L^3 / (3 E I) and the shear 1.2 F L / (G A); large displacements take 0.1 % of it.
  const double theory = 0.008 / (3.0 * 1e9 * 0.01 * 1e-6 / 12.0) + 1.2 * 0.2 / (5e8 * 1e-4);
  EXPECT_NEAR(-(scene.probe("tip.y [m]") - 0.0025), theory, 0.015 * theory);
}

TEST(Ties, NodesThatDoNotLookAtTheOtherBodyAreTold) {
  const auto messages = [](const std::string& box) {
    const Result<LoadedScene> loaded = load_scene_text(
        R"({"bodies": [{"name": "one", "generator": {"kind": "box", "size": [1, 1, 1]}},
            {"name": "two", "generator": {"kind": "box", "size": [1, 0.01, 1], "resolution": [2, 2, 2]}, "order": 1,
             "transform": {"translation": [0, 0.506, 0]}}],
            "attachments": [{"body": "two", "to": "one", "tied": true, "region": {"frame": "body", "box": )" +
            box + "}}]}",
        "scene", ".", {});
    std::string text;
    const SceneModel scene = build_scene_model(loaded->scene, std::move(load_bodies(loaded->scene)->instances));
    for (const Issue& issue : scene.issues) text += to_string(issue) + "\n";
    return text;
  };
  EXPECT_EQ(messages("[[0, 0, 0], [1, 0, 1]]"), "");
  EXPECT_NE(messages("[[0, 0, 0], [1, 1, 1]]")
                .find("warning: 18 of 27 nodes of the region are near 'one', but are inside of 'two' or on sides of it "
                      "that do not look towards 'one', and are not tied"),
            std::string::npos)
      << messages("[[0, 0, 0], [1, 1, 1]]");
  EXPECT_NE(messages("[[0, 1, 0], [1, 1, 1]]")
                .find("attachments[0].body: 9 nodes are within `distance` (0.02828 m) of 'one', but they are inside of "
                      "'two' or on sides of it that do not look towards 'one', and only nodes on such sides are tied"),
            std::string::npos)
      << messages("[[0, 1, 0], [1, 1, 1]]");
}

}  // namespace
}  // namespace clearance
