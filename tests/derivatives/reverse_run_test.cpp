#include "clearance/derivatives/reverse_run.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "both_modes.h"

namespace clearance::derivatives {
namespace {

std::string scene_of(const std::string& integrator, const std::string& rest, const std::string& body) {
  return R"({"time": {"step": 0.01, "duration": 0.2, "integrator": ")" + integrator + R"("}, )" + rest + R"(
    "bodies": [{"name": "body", )" +
         body + R"(}],
    "output": {"probes": [{"name": "tip", "body": "body", "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})";
}

const char* const box = R"("generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},)";

const char* const integrators[] = {"implicit_euler", "bdf2", "implicit_newmark", "bdf2_restarted", "bdf2_in_flight"};

TEST(ReverseRun, AgreesWithForwardModeForIntegrators) {
  for (const char* integrator : integrators) {
    SCOPED_TRACE(integrator);
    expect_forward(scene_of(integrator, "", std::string(box) + R"("linear_velocity": [1, 2, 0],
          "material": {"youngs_modulus": 1e5}, "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]},
            "linear_velocity": [0, 0.1, 0]}])"),
                   {0.05, 0.05, 0.05},
                   {"bodies[0].material.youngs_modulus", "bodies[0].material.poisson_ratio", "gravity[1]",
                    "bodies[0].linear_velocity[0]", "bodies[0].motions[0].linear_velocity[1]"});
  }
}

TEST(ReverseRun, AgreesWithForwardModeForFlyingBodies) {
  for (const char* integrator : integrators) {
    for (const char* kind : {"rigid", "affine"}) {
      SCOPED_TRACE(std::string(integrator) + " " + kind);
      expect_forward(scene_of(integrator, "",
                              std::string(box) + R"("linear_velocity": [1, 2, 0],
                       "angular_velocity": [100, 200, 50], "kind": ")" +
                                  kind + "\""),
                     {0.05, 0.05, 0.05}, {"gravity[1]", "bodies[0].linear_velocity[0]"});
    }
  }
}

/// Velocities are differences of positions over the step: taken as such along a change of the whole state, rounding of
/// positions over a step of 1 ms grew to 2e-7 of the derivative within 500 steps.
TEST(ReverseRun, RatesOfManyShortStepsKeepTheirDigitsInForwardMode) {
  const std::string spinning = R"({"time": {"step": 0.001, "duration": 0.5, "integrator": "bdf2"}, "dimension": 2,
    "gravity": [0, 0], "contact": {"enabled": false}, "bodies": [{"name": "body", "kind": "rigid",
      "generator": {"kind": "rectangle", "size": [0.1, 0.1], "resolution": [1, 1]}, "angular_velocity": [0, 0, 570]}],
    "output": {"probes": [{"name": "tip", "body": "body", "region": {"box": [[0.049, 0.049], [0.051, 0.051]]}}]}})";
  expect_forward(spinning, {0.05, 0.05, 0.0}, {"bodies[0].angular_velocity[2]"}, 1e-10);
}

/// A block slides and a softer one sticks with the sliding it remembers.
TEST(ReverseRun, AgreesWithForwardModeForFriction) {
  const std::string plane = R"("gravity": [4, -9, 0], "friction": {"coefficient": 0.2},
    "half_spaces": [{"point": [0, -0.0501, 0], "normal": [0, 1, 0]}],)";
  const std::string steep = R"("gravity": [0.4, -9, 0], "friction": {"coefficient": 0.2},
    "half_spaces": [{"point": [0, -0.0501, 0], "normal": [0, 1, 0]}],)";
  for (const char* integrator : {"implicit_euler", "bdf2_in_flight"}) {
    for (const std::string& scene : {plane, steep}) {
      for (const char* body : {R"("kind": "rigid")", R"("kind": "affine")", R"("material": {"youngs_modulus": 1e5})"}) {
        SCOPED_TRACE(std::string(integrator) + body);
        expect_forward(scene_of(integrator, scene, std::string(box) + body), {0.05, 0.05, 0.05},
                       {"friction.coefficient", "gravity[0]"}, 1e-9);
      }
    }
  }
}

/// Balls of capsules roll: their free turns are no linear formulas, and friction turns with them.
TEST(ReverseRun, AgreesWithForwardModeForRollingBalls) {
  const std::string ball = R"({"time": {"step": 0.01, "duration": 0.2}, "gravity": [3, -9, 1],
    "friction": {"coefficient": 0.5}, "half_spaces": [{"point": [0, -0.0501, 0], "normal": [0, 1, 0]}],
    "bodies": [{"name": "body", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
      "capsules": [{"radius": 0.05, "ends": [[0, 0, 0]]}]}],
    "output": {"probes": [{"name": "tip", "body": "body", "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})";
  expect_forward(ball, {0.05, 0.05, 0.05}, {"gravity[0]", "friction.coefficient"}, 1e-10);
}

/// Damping projects the stiffness at the start, which has a kink where nothing is stressed, as in the first step.
TEST(ReverseRun, AgreesWithForwardModeForDamping) {
  expect_forward(
      scene_of("implicit_euler", "", std::string(box) + R"("material": {"youngs_modulus": 1e5, "damping": 0.01},
                   "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}])"),
      {0.05, 0.05, 0.05}, {"bodies[0].material.damping", "gravity[1]"}, 1e-6);
}

TEST(ReverseRun, AgreesWithForwardModeForOrdersAndConsistentMass) {
  expect_forward(scene_of("bdf2_in_flight", "", std::string(box) + R"("order": 2,
                   "material": {"youngs_modulus": 1e5}, "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]},
                   "linear_velocity": [0, 0.3, 0]}])"),
                 {0.05, 0.05, 0.05},
                 {"bodies[0].material.youngs_modulus", "gravity[1]", "bodies[0].motions[0].linear_velocity[1]"});
}

TEST(ReverseRun, AgreesWithForwardModeInStatics) {
  expect_forward(scene_of("quasi_static", R"("friction": {"coefficient": 0.3},
                   "half_spaces": [{"point": [0, -0.0501, 0], "normal": [0, 1, 0]}],)",
                          std::string(box) + R"("material": {"youngs_modulus": 1e5},
                   "loads": [{"kind": "force", "value": [0.3, 0, 0], "region": {"box": [[-1, 0.049, -1], [1, 1, 1]]}}])"),
                 {0.05, 0.05, 0.05},
                 {"bodies[0].material.youngs_modulus", "bodies[0].loads[0].value[0]", "friction.coefficient"}, 1e-10);
}

/// Returns a scene with two bodies that touch, and the tip of the first.
std::string pair_of(const std::string& contact, const std::string& material) {
  const std::string cube =
      R"("generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},)" + material;
  return R"({"time": {"step": 0.01, "duration": 0.08}, "gravity": [2, -9, 0], "friction": {"coefficient": 0.3},
    "contact": {)" +
         contact + R"(},
    "bodies": [{"name": "body", "transform": {"translation": [0.013, 0.1003, 0.007]}, )" +
         cube + R"(},
      {"name": "base", )" +
         cube + R"(, "motions": [{"region": {"box": [[-1, -1, -1], [1, -0.049, 1]]}}]}],
    "output": {"probes": [{"name": "tip", "body": "body",
      "region": {"box": [[0.062, 0.1502, 0.056], [0.064, 0.1504, 0.058]]}}]}})";
}

TEST(ReverseRun, AgreesWithForwardModeForContactBetweenBodies) {
  for (const char* contact : {"", R"("formulation": "convergent")", R"("formulation": "gcp")"}) {
    SCOPED_TRACE(contact);
    expect_forward(pair_of(contact, R"("material": {"youngs_modulus": 1e5})"), {0.063, 0.1503, 0.057},
                   {"bodies[0].material.youngs_modulus", "gravity[0]", "friction.coefficient"}, 1e-8);
  }
}

TEST(ReverseRun, AgreesWithForwardModeInThePlane) {
  const std::string plane = R"({"dimension": 2, "time": {"step": 0.01, "duration": 0.2}, "gravity": [3, -9],
    "friction": {"coefficient": 0.2}, "half_spaces": [{"point": [0, -0.0501], "normal": [0, 1]}],
    "bodies": [{"name": "body", "generator": {"kind": "rectangle", "size": [0.1, 0.1], "resolution": [3, 3]},
      "material": {"youngs_modulus": 1e5}}],
    "output": {"probes": [{"name": "tip", "body": "body", "region": {"box": [[0.049, 0.049], [0.051, 0.051]]}}]}})";
  expect_forward(plane, {0.05, 0.05, 0.0}, {"bodies[0].material.youngs_modulus", "friction.coefficient", "gravity[1]"},
                 1e-10);
}

TEST(ReverseRun, AgreesWithForwardModeInPlaneStress) {
  for (const char* model : {"neo_hookean", "fixed_corotational", "st_venant_kirchhoff"}) {
    SCOPED_TRACE(model);
    expect_forward(std::string(R"({"dimension": 2, "time": {"step": 0.01, "duration": 0.1}, "gravity": [3, -9],
      "bodies": [{"name": "body", "generator": {"kind": "rectangle", "size": [0.1, 0.1], "resolution": [3, 3]},
        "material": {"youngs_modulus": 1e4, "poisson_ratio": 0.4, "damping": 0.001, "plane_stress": true, "model": ")") +
                       model + R"("}, "motions": [{"region": {"box": [[-1, -1], [-0.049, 1]]}}]}],
      "output": {"probes": [{"name": "tip", "body": "body", "region": {"box": [[0.049, 0.049], [0.051, 0.051]]}}]}})",
                   {0.05, 0.05, 0.0},
                   {"bodies[0].material.youngs_modulus", "bodies[0].material.poisson_ratio", "gravity[1]"}, 1e-8);
  }
}

TEST(ReverseRun, AgreesWithForwardModeForThinBodies) {
  const std::string strip = R"({"time": {"step": 0.01, "duration": 0.1},
    "bodies": [{"name": "body", "generator": {"kind": "sheet", "size": [0.1, 0.1], "resolution": [4, 4]},
      "kind": "shell", "thickness": 1e-3, "material": {"youngs_modulus": 1e5}, "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}]}],
    "output": {"probes": [{"name": "tip", "body": "body", "region": {"box": [[0.049, -1, 0.049], [0.051, 1, 0.051]]}}]}})";
  expect_forward(strip, {0.05, 0.0, 0.05}, {"bodies[0].material.youngs_modulus", "bodies[0].thickness", "gravity[1]"},
                 1e-10);
}

TEST(ReverseRun, AgreesWithForwardModeForJointsAndTheirDampers) {
  const std::string pendulum = R"({"time": {"step": 0.01, "duration": 0.2},
    "bodies": [{"name": "body", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]}}],
    "joints": [{"kind": "hinge", "bodies": ["body", ""], "point": [-0.05, 0, 0], "axis": [0, 0, 1], "stiffness": 1, "damping": 0.05}],
    "output": {"probes": [{"name": "tip", "body": "body",
      "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})";
  expect_forward(pendulum, {0.05, 0.05, 0.05}, {"joints[0].damping", "joints[0].stiffness", "gravity[1]"}, 1e-8);
}

/// A control that a motion reads has its own number in every step: their sum is that of a value that stays.
TEST(ReverseRun, ControlsAndPrescribedPlacesHaveDerivativesByStep) {
  const std::string text = R"({"time": {"step": 0.01, "duration": 0.1}, "controls": [{"name": "lift", "value": 0.2}],
    "bodies": [{"name": "body", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
      "material": {"youngs_modulus": 1e5},
      "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}, "displacement": ["0", "lift * t", "0"]}]}],
    "output": {"probes": [{"name": "tip", "body": "body",
      "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})";
  expect_forward(text, {0.05, 0.05, 0.05}, {"controls[0].value"}, 1e-10);
  const std::unique_ptr<Recording> recording = record(text);
  ASSERT_TRUE(recording);
  std::vector<Seed> seeds(static_cast<std::size_t>(recording->num_steps()) + 1);
  seeds.back().x = seed_of(*recording, vertex_at(*recording, {0.05, 0.05, 0.05}), 1);
  const ReverseGradient found = backward(*recording, seeds, {"controls[0].value"});
  ASSERT_EQ(found.controls.size(), 10U);
  double sum = 0.0, of_places = 0.0;
  for (std::size_t step = 0; step < 10; ++step) {
    sum += found.controls[step][0];
    for (std::size_t k = 0; k < found.prescribed[step].blocks.size(); ++k) {
      of_places += found.prescribed[step].positions[3 * static_cast<Eigen::Index>(k) + 1] * 0.01 *
                   (static_cast<double>(step) + 1.0);
    }
  }
  EXPECT_NEAR(sum, found.parameters[0], 1e-9 * std::abs(sum));
  EXPECT_NEAR(of_places, found.parameters[0], 1e-7 * std::abs(sum));
}

/// Seeds of every step count, those of velocities as well: the sum over the steps of forward mode.
TEST(ReverseRun, SeedsOfAllStepsAddUp) {
  const std::string text = scene_of("bdf2_in_flight", "", std::string(box) + R"("material": {"youngs_modulus": 1e5},
                                    "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}])");
  const std::unique_ptr<Recording> recording = record(text);
  ASSERT_TRUE(recording);
  std::vector<Seed> seeds;
  for (int step = 0; step <= recording->num_steps(); ++step) {
    const State state = *recording->state(step);
    seeds.push_back({(1.0 + step) * state.x, 0.1 * state.v});
  }
  double expected = 0.0;
  GradientOptions options{{"gravity[1]"}, {}, 0, {}, {}};
  options.on_state = [&](const SteppedScene& scene, const MatX& dx, const MatX& dv) {
    const Seed& seed = seeds[static_cast<std::size_t>(scene.state.step)];
    expected += seed.x.dot(dx.col(0)) + seed.v.dot(dv.col(0));
  };
  ASSERT_TRUE(find_gradient(maker(text), options));
  const ReverseGradient found = backward(*recording, seeds, {"gravity[1]"});
  EXPECT_NEAR(found.parameters[0], expected, 1e-9 * std::abs(expected));
}

bool has_warning(const ReverseGradient& gradient, const std::string& name) {
  return std::any_of(gradient.warnings.begin(), gradient.warnings.end(),
                     [&](const Issue& warning) { return warning.place == name; });
}

/// A ball that falls on the floor in the seventh of twenty steps.
TEST(ReverseRun, ImpactsBeforeTheSeedAreToldByName) {
  const std::unique_ptr<Recording> run = record(R"({"time": {"step": 0.02, "duration": 0.4},
    "bodies": [{"name": "ball", "kind": "rigid", "generator": {"kind": "sphere", "size": [0.1], "exact": true},
      "transform": {"translation": [0, 0.2, 0]}}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}]})");
  ASSERT_TRUE(run);
  const VecX seed = VecX::Ones(run->scene().scene->initial_state.x.size());
  for (const int last : {3, 20}) {
    std::vector<Seed> seeds(21);
    seeds[static_cast<std::size_t>(last)].x = seed;
    EXPECT_EQ(has_warning(backward(*run, seeds), "impact_time_not_differentiated"), last == 20) << last;
  }
}

/// A budget that no step fits into was ignored in silence, and the pass took as long as a run for every step.
TEST(ReverseRun, ABudgetThatIsTooSmallIsToldWithOneThatIsEnough) {
  const std::string block = R"({"time": {"step": 0.01, "duration": 0.5},
    "bodies": [{"name": "block", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
      "angular_velocity": [50, 20, 30]}]})";
  const std::unique_ptr<Recording> whole = record(block);
  ASSERT_TRUE(whole);
  const double mb = 1e-6 * static_cast<double>(whole->most_bytes());
  const auto warnings_of = [&](double budget_mb) {
    RecordOptions options;
    options.budget_mb = budget_mb;
    Result<std::unique_ptr<Recording>> run = Recording::make(maker(block), options);
    std::vector<Seed> seeds(51);
    seeds.back().x = VecX::Ones((*run)->scene().scene->initial_state.x.size());
    return backward(**run, seeds);
  };
  EXPECT_FALSE(has_warning(warnings_of(mb), "small_budget"));
  const ReverseGradient small = warnings_of(1e-3 * mb);
  ASSERT_TRUE(has_warning(small, "small_budget"));
  // The budget that the warning names computes no step twice.
  const auto warning = std::find_if(small.warnings.begin(), small.warnings.end(),
                                    [](const Issue& issue) { return issue.place == "small_budget"; });
  const std::string before = "with a budget of ";
  const double enough = std::stod(warning->message.substr(warning->message.find(before) + before.size()));
  EXPECT_LT(enough, mb);
  EXPECT_FALSE(has_warning(warnings_of(enough), "small_budget"));
}

/// With a small budget few steps are kept, and others are computed again, with the same bits.
TEST(ReverseRun, KeepsToItsBudget) {
  const std::string sliding = R"("gravity": [4, -9, 0], "friction": {"coefficient": 0.2},
    "half_spaces": [{"point": [0, -0.0501, 0], "normal": [0, 1, 0]}],)";
  for (const char* integrator : {"implicit_euler", "bdf2_restarted", "implicit_newmark"}) {
    for (const char* body : {R"("material": {"youngs_modulus": 1e5})", R"("kind": "rigid")"}) {
      SCOPED_TRACE(std::string(integrator) + body);
      const std::string text = scene_of(integrator, sliding, std::string(box) + body);
      const std::unique_ptr<Recording> whole = record(text);
      ASSERT_TRUE(whole);
      const int num_steps = whole->num_steps();
      EXPECT_EQ(whole->num_kept(), num_steps);
      std::vector<Seed> seeds(static_cast<std::size_t>(num_steps) + 1);
      seeds.back() = {whole->state(num_steps)->x, {}};
      seeds[7] = {{}, whole->state(7)->v};
      const ReverseGradient expected = backward(*whole, seeds, {"friction.coefficient"});
      for (const double share : {0.6, 0.35}) {
        RecordOptions options;
        options.budget_mb = share * 1e-6 * static_cast<double>(whole->most_bytes());
        Result<std::unique_ptr<Recording>> few = Recording::make(maker(text), options);
        ASSERT_TRUE(few);
        EXPECT_LT((*few)->num_kept(), num_steps / 2);
        for (const int step : {3, 17, 10}) EXPECT_EQ((*few)->state(step)->x, whole->state(step)->x) << step;
        for (int pass = 0; pass < 2; ++pass) {
          const ReverseGradient found = backward(**few, seeds, {"friction.coefficient"});
          EXPECT_EQ(found.start_x, expected.start_x);
          EXPECT_EQ(found.start_v, expected.start_v);
          EXPECT_EQ(found.elements.mu, expected.elements.mu);
          EXPECT_EQ(found.parameters, expected.parameters);
        }
        EXPECT_LE(1e-6 * static_cast<double>((*few)->most_bytes()), options.budget_mb);
      }
    }
  }
}

/// The derivative of a probe's column is that of the same number of the vertices, and that of forward mode.
TEST(ReverseRun, SeedsOfProbes) {
  const std::string text = scene_of("bdf2_in_flight", "", std::string(box) + R"("material": {"youngs_modulus": 1e5},
                                    "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}])");
  const std::unique_ptr<Recording> recording = record(text);
  ASSERT_TRUE(recording);
  const int last = recording->num_steps();
  const Result<Seed> seed = recording->seed_of(last, "tip.y");
  ASSERT_TRUE(seed);
  const VecX expected = seed_of(*recording, vertex_at(*recording, {0.05, 0.05, 0.05}), 1);
  EXPECT_NEAR((seed->x - expected).norm(), 0.0, 1e-9);
  EXPECT_TRUE(seed->v.isZero(0.0));
  EXPECT_FALSE(recording->seed_of(last, "tip.w"));
}

/// Positions and velocities are sums over the unknowns: their derivatives are the weights, of any number of unknowns at
/// once.
TEST(ReverseRun, SeedsOfSumsChangeThemExactly) {
  for (const char* kind : {R"("kind": "deformable")", R"("kind": "rigid")", R"("kind": "affine")"}) {
    std::string text = scene_of("implicit_euler", "", std::string(box) + kind);
    const std::string probes = R"("probes": [{"name": "middle", "body": "body"},
      {"name": "speed", "kind": "velocity", "body": "body"},
      {"name": "mean", "body": "body", "region": {"box": [[-1, -1, -1], [0.01, 1, 1]]}}, )";
    text.replace(text.find("\"probes\": ["), 11, probes);
    const std::unique_ptr<Recording> recording = record(text);
    ASSERT_TRUE(recording);
    const SteppedScene& scene = recording->scene();
    State moved = scene.state;
    for (Eigen::Index i = 0; i < moved.x.size(); ++i) {
      moved.x[i] += 0.01 * std::sin(1.0 + 3.7 * static_cast<double>(i));
      moved.v[i] += std::cos(1.0 + 2.3 * static_cast<double>(i));
    }
    const std::vector<double> before = scene.probes.values_at_start(scene.state, nullptr),
                              after = scene.probes.values_at_start(moved, nullptr);
    for (std::size_t c = 0; c < 9; ++c) {
      const Result<Seed> seed = recording->seed_of(recording->num_steps(), scene.probes.columns()[c]);
      ASSERT_TRUE(seed);
      const double change = seed->x.dot(moved.x - scene.state.x) + seed->v.dot(moved.v - scene.state.v);
      EXPECT_NEAR(after[c] - before[c], change, 1e-13) << scene.probes.columns()[c] << " " << kind;
      EXPECT_NE(change, 0.0) << scene.probes.columns()[c] << " " << kind;
    }
  }
}

/// A scene without derivatives in reverse mode is refused before the run, by name; a seed of another size before the
/// pass.
TEST(ReverseRun, RefusesByName) {
  std::string in_parts = scene_of("bdf2_in_flight", "", std::string(box) + R"("kind": "rigid")");
  in_parts.insert(in_parts.find("\"integrator\""), R"("accuracy": 1e-3, )");
  const Result<std::unique_ptr<Recording>> refused = Recording::make(maker(in_parts), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.issues().front().place, "time.accuracy");
  const std::unique_ptr<Recording> recording =
      record(scene_of("bdf2_in_flight", "", std::string(box) + R"("kind": "rigid")"));
  ASSERT_TRUE(recording);
  const Result<ReverseGradient> wrong = recording->backward({{VecX::Ones(5), {}}}, {"nothing"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.issues().size(), 2U);
}

/// The check of a step takes differences, which have the mean of both sides of a kink. The pass ended there, and said
/// that the step depends on something that reverse mode does not know.
TEST(ReverseRun, EdgesExactlyAboveEdgesAreToldAsKinks) {
  const std::string stacked = R"({"time": {"step": 0.01, "duration": 0.02, "integrator": "implicit_euler"},
    "friction": {"coefficient": 0.3}, "bodies": [
      {"name": "lower", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
       "transform": {"translation": [0, 0.0505, 0]}},
      {"name": "upper", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
       "transform": {"translation": [0, 0.151, 0]}}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "upper", "body": "upper"}]}})";
  const std::unique_ptr<Recording> recording = record(stacked);
  ASSERT_TRUE(recording);
  std::vector<Seed> seeds(static_cast<std::size_t>(recording->num_steps()) + 1);
  const Result<Seed> seed = recording->seed_of(recording->num_steps(), "upper.z");
  ASSERT_TRUE(seed);
  seeds.back() = *seed;
  const ReverseGradient found = backward(*recording, seeds, {"gravity[2]"});
  // Rounding decides on which side of the kink a closed form is, and with it how far off.
  EXPECT_GT(found.error, 1e-5) << "the scene has no kink";
  const bool is_told = std::any_of(found.warnings.begin(), found.warnings.end(),
                                   [](const Issue& warning) { return warning.place == "at_kink"; });
  EXPECT_TRUE(is_told);
}

/// A number of all elements is the sum over them, and the size of a box moves all of its nodes.
void expect_fields(const std::string& text, double tolerance = 1e-8) {
  SCOPED_TRACE(text);
  const std::unique_ptr<Recording> recording = record(text);
  ASSERT_TRUE(recording);
  const std::vector<std::string> by = {"bodies[0].material.youngs_modulus", "bodies[0].material.poisson_ratio",
                                       "bodies[0].material.density", "bodies[0].generator.size[0]"};
  const int vertex = vertex_at(*recording, {0.05, 0.05, 0.05});
  std::vector<Seed> seeds(static_cast<std::size_t>(recording->num_steps()) + 1);
  for (const int c : {1}) {
    seeds.back().x = seed_of(*recording, vertex, c);
    const ReverseGradient found = backward(*recording, seeds, by);
    ASSERT_EQ(found.parameters.size(), 4U);
    double lambda = 0.0, mu = 0.0, density = 0.0, size = 0.0;
    for (const double of_element : found.elements.lambda) lambda += of_element;
    for (const double of_element : found.elements.mu) mu += of_element;
    for (const double of_element : found.elements.density) density += of_element;
    const SceneModel& scene = *recording->scene().scene;
    for (Eigen::Index i = 0; i < found.shape.size(); i += scene.dim)
      size += found.shape[i] * scene.model.x_rest[i] / 0.1;
    const double e = 1e5, nu = 0.3, part = (1.0 + nu) * (1.0 - 2.0 * nu);
    const double lambda_by_nu = e * (1.0 + 2.0 * nu * nu) / (part * part),
                 mu_by_nu = -e / (2.0 * (1.0 + nu) * (1.0 + nu));
    EXPECT_NEAR(lambda * nu / part + mu / (2.0 * (1.0 + nu)), found.parameters[0],
                tolerance * std::abs(found.parameters[0]));
    EXPECT_NEAR(lambda * lambda_by_nu + mu * mu_by_nu, found.parameters[1],
                10.0 * tolerance * std::abs(found.parameters[1]));
    EXPECT_NEAR(density, found.parameters[2], tolerance * std::abs(found.parameters[2]));
    EXPECT_NEAR(size, found.parameters[3], 10.0 * tolerance * std::abs(found.parameters[3]));
  }
}

TEST(ReverseRun, ElementsAndShapesAddUpToTheNumbersOfTheScene) {
  const std::string held = R"("motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}])";
  for (const char* model : {"neo_hookean", "linear_elasticity", "st_venant_kirchhoff", "fixed_corotational"}) {
    for (const char* order : {"1", "2"}) {
      if (std::string(order) == "2" && std::string(model) != "neo_hookean") continue;
      const std::string material = std::string(R"("order": )") + order + R"(, "material": {"model": ")" + model +
                                   R"(", "youngs_modulus": 1e5, "poisson_ratio": 0.3, "density": 900},)";
      expect_fields(scene_of("implicit_euler", "", box + material + held));
    }
  }
}

/// Damping has its derivatives by moduli and shapes from differences of all elements at once. In the first step
/// elements are free of stress, and every change of their shape is at a kink: a motion that strains them first leaves
/// it.
TEST(ReverseRun, DampedElementsAddUpToTheNumbersOfTheScene) {
  const std::string held = R"("motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}])";
  for (const char* order : {"1", "2"}) {
    expect_fields(scene_of("implicit_euler", "",
                           std::string(box) + R"("order": )" + order + R"(, "linear_velocity": [0.5, 0.2, 0.1],
      "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3, "density": 900, "damping": 0.01},)" +
                               held),
                  1e-5);
  }
}

/// Newmark's method starts with accelerations that follow from the forces at the start.
TEST(ReverseRun, StartAccelerationsFollowElementsAndControls) {
  const std::string rest = R"("controls": [{"name": "push", "value": 0.4}],)";
  const std::string body =
      std::string(box) + R"("material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3, "density": 900},
    "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}],
    "loads": [{"kind": "force", "expression": ["push", "0", "0"], "region": {"box": [[0.049, -1, -1], [1, 1, 1]]}}])";
  const std::string text = scene_of("implicit_newmark", rest, body);
  expect_fields(text);
  const std::unique_ptr<Recording> recording = record(text);
  ASSERT_TRUE(recording);
  std::vector<Seed> seeds(static_cast<std::size_t>(recording->num_steps()) + 1);
  seeds.back().x = seed_of(*recording, vertex_at(*recording, {0.05, 0.05, 0.05}), 0);
  const ReverseGradient found = backward(*recording, seeds, {"controls[0].value"});
  ASSERT_FALSE(found.controls.empty());
  double sum = 0.0;
  for (const VecX& of_step : found.controls) sum += of_step[0];
  EXPECT_NEAR(sum, found.parameters[0], 1e-8 * std::abs(sum));
}

/// A torque has no Hessian, but turns with its body from where the step starts. Slopes of free turns are differences:
/// measured 1.4e-7.
TEST(ReverseRun, TorquesFollowTheStart) {
  for (const char* kind : {"rigid", "affine"}) {
    SCOPED_TRACE(kind);
    const std::string body = std::string(box) + R"("kind": ")" + kind + R"(", "angular_velocity": [20, 30, 10],
      "loads": [{"kind": "torque", "value": [0.002, 0, 0.01]}])";
    expect_forward(scene_of("bdf2_in_flight", R"("gravity": [0, 0, 0],)", body), {0.05, 0.05, 0.05},
                   {"bodies[0].angular_velocity[1]", "bodies[0].loads[0].value[2]"}, 5e-7);
  }
}

/// Accelerations act on masses, forces and tractions on areas, and formulas read where nodes are at rest.
TEST(ReverseRun, LoadsFollowMassesAndShapes) {
  const std::string body = std::string(box) + R"("material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3,
    "density": 900}, "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}], "loads": [)";
  const std::string side = R"("region": {"box": [[-1, 0.049, -1], [1, 1, 1]]}})";
  for (const char* integrator : {"implicit_euler", "implicit_newmark"}) {
    for (const std::string& load : {R"({"kind": "acceleration", "expression": ["5 + 30 * x", "20 * t", "0"], )" + side,
                                    R"({"kind": "force", "value": [0.5, 1, 0.2], )" + side,
                                    R"({"kind": "traction", "expression": ["30", "100 + 1000 * x", "0"], )" + side}) {
      expect_fields(scene_of(integrator, "", body + load + "]"));
    }
  }
}

/// Lumped masses count per node.
TEST(ReverseRun, LumpedDensitiesAddUp) {
  const std::string body = std::string(box) + R"("material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3,
    "density": 900}, "motions": [{"region": {"box": [[-1, -1, -1], [-0.049, 1, 1]]}}])";
  std::string text = scene_of("bdf2_in_flight", "", body);
  text.insert(text.find("\"integrator\""), R"("mass": "lumped", )");
  expect_fields(text);
}

/// A joint's point that moves with a parameter is as stiff as the joint.
TEST(ReverseRun, JointsThatMoveKeepTheirDigits) {
  const std::string text = R"({"time": {"step": 0.01, "duration": 0.2},
    "bodies": [{"name": "body", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
        "angular_velocity": [0, 0, 90]},
      {"name": "other", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
        "transform": {"translation": [0.12, 0, 0]}}],
    "joints": [{"kind": "ball", "bodies": ["body", "other"], "point": [0.06, 0.01, 0]}],
    "output": {"probes": [{"name": "tip", "body": "body",
      "region": {"box": [[0.049, 0.049, 0.049], [0.051, 0.051, 0.051]]}}]}})";
  expect_forward(text, {0.05, 0.05, 0.05}, {"joints[0].point[0]", "joints[0].point[1]"}, 2e-8);
}

/// Sizes of stiff bodies move vertices that no unknown does.
TEST(ReverseRun, RefusesNumbersThatMoveVerticesWithinStiffBodies) {
  const std::unique_ptr<Recording> recording =
      record(scene_of("bdf2_in_flight", "", std::string(box) + R"("kind": "rigid")"));
  ASSERT_TRUE(recording);
  std::vector<Seed> seeds(1);
  const Result<ReverseGradient> refused = recording->backward(seeds, {"bodies[0].generator.size[0]"});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.issues().front().message.find("moves vertices"), std::string::npos);
}

}  // namespace
}  // namespace clearance::derivatives
