// Probes of running scenes against statics in closed form.
#include <cmath>

#include "simulation/probed_scene.h"

namespace clearance {
namespace {

constexpr double g = 9.80665;

struct Kind {
  std::string kind;
  int dim;
};
const std::vector<Kind> all_kinds = {{"deformable", 3}, {"affine", 3}, {"rigid", 3}, {"deformable", 2}, {"affine", 2}};

std::string block_shape(int dim) {
  return dim == 2 ? R"({"kind": "rectangle", "size": [1, 1], "resolution": [2, 2]})"
                  : R"({"kind": "box", "size": [1, 1, 1], "resolution": [2, 2, 2]})";
}

/// Returns a block of 1000 kg on another one on a floor that is a half-space or an obstacle.
std::string two_blocks(const Kind& kind, bool has_plane, const std::string& probes) {
  const std::string floor = has_plane
                                ? ""
                                : fmt::format(R"({{"name": "floor", "kind": "obstacle", "generator": {}, "transform":
                   {{"scale": [4, 1, 4], "translation": [0, -0.501, 0]}}}},)",
                                              block_shape(kind.dim));
  return fmt::format(
      R"({{"dimension": {}, "time": {{"step": 0.02}}, "solver": {{"force_tolerance": 1e-5}},
      "friction": {{"coefficient": 0.5}}, {} "bodies": [{}
      {{"name": "lower", "kind": "{}", "generator": {}, "transform": {{"translation": [0, 0.5005, 0]}},
        "material": {{"youngs_modulus": 1e8}}}},
      {{"name": "upper", "kind": "{}", "generator": {}, "transform": {{"translation": [0.1, 1.502, 0]}},
        "material": {{"youngs_modulus": 1e8}}}}],
      "output": {{"probes": [{}]}}}})",
      kind.dim, has_plane ? R"("half_spaces": [{}],)" : "", floor, kind.kind, block_shape(kind.dim), kind.kind,
      block_shape(kind.dim), probes);
}

TEST(Probes, ContactForcesCarryTheWeightAndAreOpposite) {
  for (const Kind& kind : all_kinds) {
    for (const bool has_plane : {true, false}) {
      SCOPED_TRACE(fmt::format("{} {}D {}", kind.kind, kind.dim, has_plane ? "half-space" : "obstacle"));
      std::string probes = R"(
        {"name": "up", "kind": "contact", "bodies": ["upper", "lower"]},
        {"name": "down", "kind": "contact", "bodies": ["lower", "upper"]},
        {"name": "all", "kind": "contact", "bodies": ["lower", ""]},
        {"name": "gap", "kind": "gap", "bodies": ["upper", "lower"]},
        {"name": "ground", "kind": "gap", "bodies": ["lower", "@"]},
        {"name": "floor", "kind": "contact", "bodies": ["lower", "@"]})";
      if (!has_plane) probes += R"(, {"name": "held", "kind": "reaction", "body": "floor", "point": [0, 0, 0]})";
      for (std::size_t at = 0; (at = probes.find('@')) != std::string::npos;) {
        probes.replace(at, 1, has_plane ? "half_spaces[0]" : "floor");
      }
      ProbedScene scene(two_blocks(kind, has_plane, probes));
      const StepReport report = scene.steps(60);
      const auto contact = [&](const std::string& name) {
        return Vec<3>(scene.probe_vector(name + ".normal", "N") + scene.probe_vector(name + ".friction", "N"));
      };
      const double weight = 1000.0 * g;
      EXPECT_LT((contact("up") - Vec<3>(0, weight, 0)).norm(), 3e-4 * weight);
      EXPECT_LT((contact("up") + contact("down")).norm(), 1e-9 * weight);
      EXPECT_LT((contact("floor") - Vec<3>(0, 2.0 * weight, 0)).norm(), 5e-4 * weight);
      EXPECT_LT((contact("all") - contact("floor") - contact("down")).norm(), 1e-9 * weight);
      EXPECT_GT(scene.probe("gap [m]"), 0.0);
      EXPECT_NEAR(std::min(scene.probe("gap [m]"), scene.probe("ground [m]")), report.min_distance, 1e-9);
      if (has_plane) continue;
      const Vec<3> held = scene.probe_vector("held.force", "N");
      EXPECT_LT((held - contact("floor")).norm(), 1e-9 * weight);
      // The upper block stands 0.1 m to the right: its weight turns the floor clockwise.
      EXPECT_NEAR(scene.probe("held.torque.z [N m]"), 0.1 * weight, 2e-3 * weight);
    }
  }
}

TEST(Probes, FrictionOnASlopeIsTheWeightAlongIt) {
  for (const Kind& kind : all_kinds) {
    SCOPED_TRACE(fmt::format("{} {}D", kind.kind, kind.dim));
    const double angle = 0.3, s = std::sin(angle), c = std::cos(angle);
    ProbedScene scene(fmt::format(
        R"({{"dimension": {}, "time": {{"step": 0.02}}, "solver": {{"force_tolerance": 1e-5}},
        "friction": {{"coefficient": 0.5}}, "half_spaces": [{{"normal": [{}, {}, 0]}}],
        "bodies": [{{"name": "block", "kind": "{}", "generator": {}, "material": {{"youngs_modulus": 1e8}},
          "transform": {{"rotation": [0, 0, {}], "translation": [{}, {}, 0]}}}}],
        "output": {{"probes": [{{"name": "f", "kind": "contact", "bodies": ["block", "half_spaces[0]"]}}]}}}})",
        kind.dim, s, c, kind.kind, block_shape(kind.dim), -angle * 180.0 / 3.14159265358979323846, 0.5005 * s,
        0.5005 * c));
    scene.steps(60);
    const double weight = 1000.0 * g;
    EXPECT_LT((scene.probe_vector("f.normal", "N") - weight * c * Vec<3>(s, c, 0)).norm(), 3e-4 * weight);
    EXPECT_LT((scene.probe_vector("f.friction", "N") - weight * s * Vec<3>(-c, s, 0)).norm(), 3e-4 * weight);
  }
}

TEST(Probes, ReactionsOfTwoPlatesThatSquashABlockAreOpposite) {
  for (const int dim : {2, 3}) {
    SCOPED_TRACE(dim);
    ProbedScene scene(fmt::format(
        R"({{"dimension": {0}, "gravity": [0, 0, 0], "time": {{"step": 0.1, "integrator": "quasi_static"}},
        "solver": {{"force_tolerance": 1e-5}}, "friction": {{"coefficient": 0.3}},
        "bodies": [
          {{"name": "bottom", "kind": "obstacle", "generator": {1}, "transform": {{"scale": [3, 1, 3], "translation": [0, -1.0015, 0]}}}},
          {{"name": "top", "kind": "obstacle", "generator": {1}, "transform": {{"scale": [3, 1, 3], "translation": [0, 1.0015, 0]}},
            "motions": [{{"linear_velocity": [0, -0.1, 0]}}]}},
          {{"name": "block", "generator": {1}, "material": {{"youngs_modulus": 1e6}}}}],
        "output": {{"fields": ["normal_force"], "probes": [
          {{"name": "top", "kind": "reaction", "body": "top"}}, {{"name": "bottom", "kind": "reaction", "body": "bottom"}},
          {{"name": "contact", "kind": "contact", "bodies": ["block", "bottom"]}},
          {{"name": "corner", "kind": "position", "body": "top", "point": [-1.5, 0.5015, {2}]}},
          {{"name": "speed", "kind": "velocity", "body": "top"}}]}}}})",
        dim, block_shape(dim), dim == 2 ? 0.0 : -1.5));
    scene.steps(10);
    const Vec<3> top = scene.probe_vector("top.force", "N"), bottom = scene.probe_vector("bottom.force", "N");
    const Vec<3> contact = scene.probe_vector("contact.normal", "N") + scene.probe_vector("contact.friction", "N");
    EXPECT_LT(top[1], -0.08 * 1e6);  // a tenth of a strain, with little more than Young's modulus
    EXPECT_GT(top[1], -0.2 * 1e6);
    EXPECT_LT((top + bottom).norm(), 1e-3 * top.norm());
    EXPECT_LT((bottom - contact).norm(), 1e-9 * top.norm());
    // A motion that is pulled to its target ends short of it if a gap bars the last of its way.
    EXPECT_NEAR(scene.probe("corner.y [m]"), 0.5015 - 0.1, 1e-7);
    EXPECT_NEAR(scene.probe("corner.x [m]"), -1.5, 1e-8);
    EXPECT_NEAR(scene.probe("speed.y [m/s]"), -0.1, 1e-6);
  }
}

TEST(Probes, ReactionOfACantileverIsItsWeightAndItsMoment) {
  for (const int dim : {2, 3}) {
    SCOPED_TRACE(dim);
    const std::string shape = dim == 2 ? R"({"kind": "rectangle", "size": [2, 0.5], "resolution": [8, 2]})"
                                       : R"({"kind": "box", "size": [2, 0.5, 0.5], "resolution": [8, 2, 2]})";
    ProbedScene scene(fmt::format(
        R"({{"dimension": {}, "time": {{"step": 1, "integrator": "quasi_static"}}, "solver": {{"force_tolerance": 1e-6}},
        "bodies": [{{"name": "bar", "generator": {}, "transform": {{"translation": [1, 0, 0]}},
          "material": {{"youngs_modulus": 1e8, "density": 1000}},
          "motions": [{{"region": {{"box": [[-0.1, -1, -1], [0.01, 1, 1]]}}}}]}}],
        "output": {{"probes": [{{"name": "clamp", "kind": "reaction", "body": "bar", "point": [0, 0, 0]}},
          {{"name": "centre", "kind": "position", "body": "bar"}},
          {{"name": "tip", "kind": "position", "body": "bar", "region": {{"box": [[1.99, -1, -1], [2.1, 1, 1]]}}}}]}}}})",
        dim, shape));
    scene.step();
    const double weight = (dim == 2 ? 1.0 : 0.5) * 1000.0 * g;
    const Vec<3> force = scene.probe_vector("clamp.force", "N"), torque = scene.probe_vector("clamp.torque", "N m");
    EXPECT_LT((force - Vec<3>(0, weight, 0)).norm(), 1e-4 * weight);
    // The torque is m g L / 2, and exactly that of the weight in the present centre of mass.
    EXPECT_NEAR(torque[2], weight * 1.0, 1e-2 * weight);
    const Vec<3> of_weight = scene.probe_vector("centre", "m").cross(Vec<3>(0, -weight, 0));
    EXPECT_LT((torque + of_weight).norm(), 1e-4 * weight);
    EXPECT_LT(scene.probe("tip.y [m]"), scene.probe("centre.y [m]"));
    EXPECT_NEAR(scene.probe("centre.x [m]"), 1.0, 1e-2);
  }
}

TEST(Probes, ReactionOfAPartIsThatOfItsNodes) {
  // A bar is held at both ends: each carries half of its weight.
  ProbedScene scene(R"({"time": {"step": 1, "integrator": "quasi_static"}, "solver": {"force_tolerance": 1e-6},
    "bodies": [{"name": "bar", "generator": {"kind": "box", "size": [2, 0.5, 0.5], "resolution": [8, 2, 2]},
      "material": {"youngs_modulus": 1e8}, "motions": [{"region": {"box": [[-1.1, -1, -1], [-0.99, 1, 1]]}},
        {"region": {"box": [[0.99, -1, -1], [1.1, 1, 1]]}}]}],
    "output": {"probes": [
      {"name": "left", "kind": "reaction", "body": "bar", "region": {"box": [[-1.1, -1, -1], [0, 1, 1]]}},
      {"name": "both", "kind": "reaction", "body": "bar"}]}})");
  scene.step();
  const double weight = 500.0 * g;
  EXPECT_NEAR(scene.probe("both.force.y [N]"), weight, 1e-4 * weight);
  EXPECT_NEAR(scene.probe("left.force.y [N]"), 0.5 * weight, 1e-2 * weight);
}

TEST(Probes, ReactionOfAHeldStiffBodyIsItsWeightAndItsMoment) {
  for (const std::string kind : {"affine", "rigid"}) {
    SCOPED_TRACE(kind);
    ProbedScene scene(fmt::format(R"({{"time": {{"step": 0.01}}, "solver": {{"force_tolerance": 1e-6}}, "bodies": [
        {{"name": "arm", "kind": "{}", "generator": {{"kind": "box", "size": [1, 0.2, 0.2], "resolution": [1, 1, 1]}},
          "transform": {{"translation": [2, 0, 0]}}, "motions": [{{}}]}}],
        "output": {{"probes": [{{"name": "held", "kind": "reaction", "body": "arm", "point": [0, 0, 0]}}]}}}})",
                                  kind));
    scene.steps(3);
    const double weight = 40.0 * g;
    EXPECT_LT((scene.probe_vector("held.force", "N") - Vec<3>(0, weight, 0)).norm(), 1e-6 * weight);
    EXPECT_LT((scene.probe_vector("held.torque", "N m") - Vec<3>(0, 0, 2.0 * weight)).norm(), 1e-6 * weight);
  }
}

TEST(Probes, JointOfADrivenPendulumCarriesWeightAndMoment) {
  for (const Kind& kind : {Kind{"affine", 3}, Kind{"rigid", 3}, Kind{"affine", 2}}) {
    SCOPED_TRACE(fmt::format("{} {}D", kind.kind, kind.dim));
    const std::string shape = kind.dim == 2 ? R"({"kind": "rectangle", "size": [1, 0.2], "resolution": [1, 1]})"
                                            : R"({"kind": "box", "size": [1, 0.2, 0.2], "resolution": [1, 1, 1]})";
    ProbedScene scene(fmt::format(
        R"--({{"dimension": {}, "time": {{"step": 0.02}}, "solver": {{"force_tolerance": 1e-6}}, "bodies": [
        {{"name": "arm", "kind": "{}", "generator": {}, "transform": {{"translation": [0.5, 0, 0]}}}}],
        "joints": [{{"name": "shoulder", "bodies": ["arm", ""], "axis": [0, 0, 1], "drive": "30 * min(t, 1)"}}],
        "output": {{"probes": [{{"name": "shoulder", "kind": "joint", "joint": "shoulder"}},
          {{"name": "centre", "kind": "position", "body": "arm"}}]}}}})--",
        kind.dim, kind.kind, shape));
    scene.steps(80);
    const double weight = (kind.dim == 2 ? 200.0 : 40.0) * g, c = std::cos(3.14159265358979323846 / 6.0);
    EXPECT_NEAR(scene.probe("shoulder.angle [deg]"), 30.0, 1e-2);
    EXPECT_NEAR(scene.probe("centre.x [m]"), 0.5 * c, 1e-4);
    EXPECT_NEAR(scene.probe("shoulder.effort [N m]"), weight * 0.5 * c, 1e-3 * weight);
    EXPECT_LT((scene.probe_vector("shoulder.force", "N") - Vec<3>(0, weight, 0)).norm(), 1e-3 * weight);
    EXPECT_LT((scene.probe_vector("shoulder.torque", "N m") - Vec<3>(0, 0, 0.5 * c * weight)).norm(), 1e-3 * weight);
  }
}

TEST(Probes, JointsTellEffortsAndOffsetsToo) {
  for (const std::string kind : {"affine", "rigid"}) {
    SCOPED_TRACE(kind);
    // A lift that is pulled with twice its weight, and a bar that a fixed joint holds by its end.
    ProbedScene scene(fmt::format(
        R"({{"time": {{"step": 0.01}}, "solver": {{"force_tolerance": 1e-6}}, "bodies": [
        {{"name": "lift", "kind": "{0}", "generator": {{"kind": "box", "size": [1, 1, 1], "resolution": [1, 1, 1]}}}},
        {{"name": "bar", "kind": "{0}", "generator": {{"kind": "box", "size": [1, 0.2, 0.2], "resolution": [1, 1, 1]}},
          "transform": {{"translation": [3.5, 0, 0]}}}}],
        "joints": [{{"name": "rail", "kind": "slider", "bodies": ["lift", ""], "axis": [0, 2, 0], "effort": "{1}"}},
          {{"name": "weld", "kind": "fixed", "bodies": ["bar", ""], "point": [3, 0, 0]}}],
        "output": {{"probes": [{{"name": "r", "kind": "joint", "joint": "rail"}},
          {{"name": "w", "kind": "joint", "joint": "weld"}}, {{"name": "lift", "kind": "position", "body": "lift"}}]}}}})",
        kind, 2.0 * 1000.0 * g));
    scene.steps(60);
    const double weight = 1000.0 * g;
    EXPECT_NEAR(scene.probe("r.offset [m]"), scene.probe("lift.y [m]"), 1e-9);
    EXPECT_GT(scene.probe("r.offset [m]"), 1.0);
    EXPECT_NEAR(scene.probe("r.effort [N]"), 2.0 * weight, 1e-6 * weight);
    EXPECT_LT((scene.probe_vector("r.force", "N") - Vec<3>(0, 2.0 * weight, 0)).norm(), 1e-3 * weight);
    EXPECT_LT((scene.probe_vector("w.force", "N") - Vec<3>(0, 40.0 * g, 0)).norm(), 1e-2 * 40.0 * g);
    EXPECT_LT((scene.probe_vector("w.torque", "N m") - Vec<3>(0, 0, 0.5 * 40.0 * g)).norm(), 1e-2 * 40.0 * g);
  }
}

TEST(Probes, OfCopiesAreOfOneOrOfAll) {
  ProbedScene scene(R"({"time": {"step": 0.01}, "bodies": [
    {"name": "stone", "kind": "rigid", "generator": {"kind": "box", "size": [1, 1, 1], "resolution": [1, 1, 1]},
     "array": {"counts": [3, 1, 1], "spacing": [2, 1, 1]}, "linear_velocity": [0, 0, 3]}],
    "output": {"probes": [{"name": "all", "kind": "position", "body": "stone"},
      {"name": "last", "kind": "position", "body": "stone[2]"}, {"name": "v", "kind": "velocity", "body": "stone[1]"},
      {"name": "gap", "kind": "gap", "bodies": ["stone[0]", "stone[2]"]}]}})");
  scene.step();
  EXPECT_NEAR(scene.probe("all.x [m]"), 2.0, 1e-12);
  EXPECT_NEAR(scene.probe("last.x [m]"), 4.0, 1e-12);
  EXPECT_NEAR(scene.probe("v.z [m/s]"), 3.0, 1e-9);
  EXPECT_NEAR(scene.probe("gap [m]"), 3.0, 1e-9);
}

TEST(Probes, RegionsWithoutNodesAreRefused) {
  const auto loaded = load_scene_text(R"({"bodies": [
    {"name": "bar", "generator": {"kind": "box", "size": [1, 1, 1], "resolution": [1, 1, 1]},
     "motions": [{"region": {"box": [[-1, -1, -1], [-0.4, 1, 1]]}}]}],
    "output": {"probes": [
      {"name": "a", "body": "bar", "region": {"box": [[5, 5, 5], [6, 6, 6]]}},
      {"name": "b", "kind": "reaction", "body": "bar", "region": {"box": [[0.4, -1, -1], [1, 1, 1]]}}]}})",
                                      "scene", ".");
  ASSERT_TRUE(loaded);
  const Issues issues = Simulation::create(loaded->scene).issues();
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_EQ(issues[0].place, "output.probes[0].region");
  EXPECT_EQ(issues[1].place, "output.probes[1].region");
}

}  // namespace
}  // namespace clearance
