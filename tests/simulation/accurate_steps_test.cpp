// Steps with an accuracy are taken in parts that are as long as the accuracy allows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/simulation/run_records.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// A bar of rubber that flies against a wall along its axis, 0.5 m long and 0.002 m away, at 0.2 m/s.
std::string bar(double step, const std::string& time) {
  return fmt::format(R"({{"dimension": 2, "gravity": [0, 0], "time": {{"step": {}, "duration": 1{}}},
    "bodies": [{{"name": "bar", "generator": {{"kind": "rectangle", "size": [0.1, 0.5], "resolution": [2, 40]}},
      "transform": {{"translation": [0, 0.252]}}, "linear_velocity": [0, -0.2],
      "material": {{"density": 1000, "youngs_modulus": 1e6, "poisson_ratio": 0}}}}],
    "half_spaces": [{{"point": [0, 0]}}],
    "output": {{"probes": [{{"name": "c", "kind": "contact", "bodies": ["bar", "half_spaces[0]"]}},
                           {{"name": "v", "kind": "velocity", "body": "bar"}}]}}}})",
                     step, time);
}

double column(RunningScene& scene, const std::vector<double>& values, const std::string& name) {
  const std::vector<std::string>& names = scene.simulation().probe_columns();
  return values[std::find(names.begin(), names.end(), name) - names.begin()];
}

TEST(AccurateSteps, ABarHitsAWallWithTheForceAndTheReboundOfTheory) {
  // The wave takes 32 ms to the free end and back. At 10 ms a step the rebound has a fifth of its speed.
  for (const double step : {0.01, 0.002}) {
    RunningScene scene(bar(step, R"(, "accuracy": 0.01)"));
    double peak = 0.0, speed = 0.0;
    int num_parts = 0;
    for (int i = 0; i < std::lround(0.08 / step); ++i) {
      num_parts += scene.step().num_parts;
      for (const ProbeRow& row : scene.simulation().probe_rows()) {
        peak = std::max(peak, column(scene, row.values, "c.normal.y [N]"));
        speed = column(scene, row.values, "v.y [m/s]");
      }
    }
    // rho c v A, c^2 = E / rho, per metre of depth
    EXPECT_NEAR(peak / (0.1 * 0.2 * std::sqrt(1e6 * 1000.0)), 1.0, 0.05) << step;
    EXPECT_NEAR(speed, 0.2, 0.01) << step;
    EXPECT_LT(num_parts, 600) << step;
  }
}

/// Returns the heights of the top of a block that its weight stretches and that then swings, at the ends of 10 steps,
/// which are about three periods.
std::vector<double> swing(double accuracy) {
  RunningScene scene(fmt::format(
      R"({{"dimension": 2, "gravity": [0, -1],
    "time": {{"step": 0.15, "duration": 100, "mass": "lumped", "accuracy": {}}},
    "contact": {{"enabled": false}},
    "bodies": [{{"name": "s", "generator": {{"kind": "rectangle", "size": [1, 1], "resolution": [1, 1]}},
      "material": {{"density": 1, "youngs_modulus": 100}},
      "motions": [{{"region": {{"box": [[-1, -1, -1], [2, 0.001, 1]], "frame": "body"}}}}]}}],
    "output": {{"probes": [{{"name": "top", "kind": "position", "body": "s",
                             "region": {{"box": [[-1, 0.999, -1], [2, 2, 1]], "frame": "body"}}}}]}}}})",
      accuracy));
  std::vector<double> heights;
  for (int i = 0; i < 10; ++i) {
    scene.step();
    heights.push_back(scene.simulation().probe_values()[1]);
  }
  return heights;
}

/// Returns the largest difference to the reference, as a share of its range.
double error_of_swing(double accuracy, const std::vector<double>& reference) {
  const auto [least, most] = std::minmax_element(reference.begin(), reference.end());
  const std::vector<double> heights = swing(accuracy);
  double largest = 0.0;
  for (std::size_t i = 0; i < heights.size(); ++i) largest = std::max(largest, std::abs(heights[i] - reference[i]));
  return largest / (*most - *least);
}

TEST(AccurateSteps, TheErrorOfASwingIsOfTheSizeOfTheAccuracy) {
  const std::vector<double> reference = swing(1e-5);
  const double coarse = error_of_swing(0.02, reference), fine = error_of_swing(0.00125, reference);
  EXPECT_LT(coarse, 5.0 * 0.02);
  EXPECT_LT(fine, 5.0 * 0.00125);
  // The error is of the second order, and so is its estimate.
  EXPECT_LT(fine, coarse / 8.0);
}

TEST(AccurateSteps, FreeFlightNeedsOnePart) {
  RunningScene scene(bar(1e-4, R"(, "accuracy": 0.01)"));
  EXPECT_GT(scene.step().num_parts, 1);  // the first parts are short, because no acceleration is known
  for (int i = 0; i < 5; ++i) EXPECT_EQ(scene.step().num_parts, 1);
}

/// Boxes of all kinds that lie on a floor, one of which is thrown upwards.
std::string boxes_at_rest(const std::string& kind) {
  return fmt::format(R"({{"time": {{"step": 0.01, "accuracy": 0.01}}, "friction": {{"coefficient": 0.3}}, "bodies": [
      {{"name": "rest", "kind": "{0}", "generator": {{"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]}},
        "transform": {{"translation": [0, 0.1001, 0]}}, "material": {{"density": 1000, "youngs_modulus": 1e7}}}},
      {{"kind": "{0}", "generator": {{"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]}},
        "transform": {{"translation": [0.5, 0.15, 0], "rotation": [0, 0, 20]}}, "angular_velocity": [0, 0, 300],
        "material": {{"density": 1000, "youngs_modulus": 1e7}}}}],
    "half_spaces": [{{"point": [0, 0, 0]}}],
    "output": {{"probes": [{{"name": "p", "kind": "position", "body": "rest"}}]}}}})",
                     kind);
}

TEST(AccurateSteps, WhatRestsIsNotThrownWhereTheLengthOfPartsChanges) {
  // Contacts that followed the inertia of each length, as those of whole steps do, threw a box up by metres.
  for (const std::string kind : {"rigid", "affine", "deformable"}) {
    RunningScene scene(boxes_at_rest(kind));
    int most = 0;
    for (int i = 0; i < 60; ++i) {
      most = std::max(most, scene.simulation().step().num_parts);
      EXPECT_NEAR(scene.simulation().probe_values()[1], 0.1, 4e-4) << kind << " " << i;
    }
    EXPECT_GT(most, 1) << kind;
  }
}

TEST(AccurateSteps, ReboundsOfStiffBodiesAreAccurate) {
  // The acceleration of the part with the impact made the next one look wrong by half of the momentum.
  for (const std::string kind : {"rigid", "affine"}) {
    RunningScene scene(fmt::format(
        R"({{"time": {{"step": 0.01, "accuracy": 0.02}}, "contact": {{"restitution": 0.8}}, "bodies": [
          {{"name": "ball", "kind": "{}", "generator": {{"kind": "sphere", "size": [0.1], "resolution": [4]}},
            "transform": {{"translation": [0, 1.1, 0]}}}}], "half_spaces": [{{"point": [0, 0, 0]}}]}})",
        kind));
    int num_inaccurate = 0;
    double highest = 0.0;
    for (int i = 0; i < 81; ++i) {
      num_inaccurate += scene.step().num_inaccurate;
      if (i > 50) highest = std::max(highest, scene.state().x[1] - 0.1);
    }
    EXPECT_EQ(num_inaccurate, 0) << kind;
    EXPECT_NEAR(highest, 0.64, 0.01) << kind;
  }
}

TEST(AccurateSteps, ThreadsAndRestartsChangeNoBit) {
  const auto run = [](int threads, bool is_interrupted) {
    const ThreadLimit limit(threads);
    auto scene = std::make_unique<RunningScene>(bar(0.005, R"(, "accuracy": 0.02)"));
    std::vector<std::string> hashes;
    for (int i = 0; i < 8; ++i) {
      if (is_interrupted) {
        const State saved = state_of(checkpoint_of(scene->state()));
        scene = std::make_unique<RunningScene>(bar(0.005, R"(, "accuracy": 0.02)"));
        EXPECT_TRUE(scene->simulation().restore(saved));
      }
      scene->step();
      hashes.push_back(scene->simulation().state_hash());
    }
    return hashes;
  };
  const std::vector<std::string> expected = run(1, false);
  EXPECT_EQ(run(3, false), expected);
  EXPECT_EQ(run(1, true), expected);
}

TEST(AccurateSteps, MotionsBeginAndEndWhereTheySay) {
  // The motion begins and ends within steps. Nodes are carried along from where they are then.
  RunningScene scene(R"({"dimension": 2, "gravity": [0, 0], "time": {"step": 0.1, "duration": 1, "accuracy": 0.01},
    "contact": {"enabled": false},
    "bodies": [{"name": "b", "generator": {"kind": "rectangle", "size": [1, 1], "resolution": [2, 2]},
      "material": {"density": 1000, "youngs_modulus": 1e5},
      "motions": [{"region": {"box": [[-1, -1, -1], [0.001, 2, 1]], "frame": "body"}, "linear_velocity": [1, 0],
                   "start": 0.15, "end": 0.3125}]}],
    "output": {"probes": [{"name": "p", "kind": "position", "body": "b",
      "region": {"box": [[-1, -1, -1], [0.001, 2, 1]], "frame": "body"}}]}})",
                     {});
  double last = -0.5;
  for (int i = 0; i < 3; ++i) {
    scene.step();
    for (const ProbeRow& row : scene.simulation().probe_rows()) {
      const double expected = -0.5 + std::clamp(row.time - 0.15, 0.0, 0.1625);
      EXPECT_NEAR(row.values[0], expected, 0.1 * std::ldexp(1.0, -4)) << row.time;
      EXPECT_GE(row.values[0], last - 1e-12);
      last = row.values[0];
    }
  }
}

TEST(AccurateSteps, WhatDoesNotConvergeIsNotTriedInThousandsOfParts) {
  RunningScene scene(bar(0.01, R"(, "accuracy": 0.01)"), {"solver.max_iterations=1"});
  for (int i = 0; i < 4; ++i) {
    const StepReport report = scene.simulation().step();
    EXPECT_TRUE(report.is_advanced());
    EXPECT_LT(report.num_parts, 400);
  }
}

TEST(AccurateSteps, AreRefusedWhereTheyHaveNoMeaning) {
  const auto problem = [](const std::string& time) {
    const Result<LoadedScene> loaded = load_scene_text(bar(0.01, time), "scene", ".", {});
    return loaded ? "" : to_string(loaded.issues().front());
  };
  for (const char* integrator : {"implicit_euler", "quasi_static"}) {
    EXPECT_NE(
        problem(fmt::format(R"(, "accuracy": 0.01, "integrator": "{}")", integrator)).find("another `time.integrator`"),
        std::string::npos)
        << integrator;
  }
  EXPECT_NE(problem(R"(, "accuracy": 0.01, "max_halvings": 0)").find("max_halvings"), std::string::npos);
  EXPECT_NE(problem(R"(, "accuracy": 1e-9)").find("1e-06 or more"), std::string::npos);
  EXPECT_EQ(problem(R"(, "accuracy": 0.01)"), "");
}

}  // namespace
}  // namespace clearance
