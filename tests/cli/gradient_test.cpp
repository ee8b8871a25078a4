// `clearance gradient --reverse`: values, fields, and refusals.
#include <algorithm>

#include "clearance/io/mesh/vtu.h"
#include "cli/process.h"

namespace clearance::cli {
namespace {

/// A box that flies freely for ten steps, with a push of `push` newtons and a probe of the force on it.
const std::string flight = R"({
  "time": {"step": 0.01, "duration": 0.1, "integrator": "implicit_euler"}, "controls": [{"name": "push", "value": 0.4}],
  "bodies": [{"name": "box", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
    "linear_velocity": [1, 2, 0], "material": {"youngs_modulus": 1e5, "density": 1000},
    "loads": [{"kind": "force", "expression": ["push", "0", "0"]}]}],
  "output": {"probes": [{"name": "box", "body": "box"}, {"name": "touch", "kind": "contact", "bodies": ["box", ""]}]}})";

class ReverseGradientCommand : public ProgramTest {};

TEST_F(ReverseGradientCommand, HasTheDerivativesOfFlight) {
  const std::string scene = write("flight.json", flight).string(), out = (folder_ / "out").string();
  const std::vector<std::string> words = {
      "gradient", scene,        "--reverse", "--of", "box.y", "--of", "box.x", "--by", "bodies[0].linear_velocity[1]",
      "--by",     "gravity[1]", "-o",        out};
  ProcessResult result = clearance(words);
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("by bodies[0].linear_velocity[1]"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("norm of the derivatives by start_velocities"), std::string::npos) << result.output;

  // Implicit Euler: 0.1 s by the velocity, h^2 n (n + 1) / 2 by gravity, and h^2 (n - k + 1) / m by the push in step k.
  const Json report = Json::parse(read_text(folder_ / "out" / "gradient.json"));
  EXPECT_EQ(report["steps"], 10);
  ASSERT_EQ(report["columns"].size(), 2U);
  const Json &y = report["columns"][0], &x = report["columns"][1];
  EXPECT_EQ(y["name"], "box.y [m]");
  EXPECT_NEAR(y["derivatives"]["bodies[0].linear_velocity[1]"].get<double>(), 0.1, 1e-10);
  EXPECT_NEAR(y["derivatives"]["gravity[1]"].get<double>(), 0.0055, 1e-11);
  ASSERT_EQ(x["controls"].size(), 10U);
  for (int k = 0; k < 10; ++k) {
    EXPECT_NEAR(x["controls"][static_cast<std::size_t>(k)][0].get<double>(), 1e-4 * (10 - k), 1e-12) << k;
  }

  // The field adds up to the derivative by the velocity of all vertices.
  const auto fields = read_whole_frame(folder_ / "out" / "fields.vtu");
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->mesh.vertices.size(), 27U);
  std::vector<std::string> points, cells;
  double sum = 0.0;
  for (const FrameArray& array : fields->point_arrays) {
    points.push_back(array.name);
    if (array.name != "box.y by start_velocities") continue;
    ASSERT_EQ(array.values.size(), 81U);
    for (std::size_t v = 0; v < 27; ++v) sum += array.values[3 * v + 1];
  }
  for (const FrameArray& array : fields->cell_arrays) cells.push_back(array.name);
  EXPECT_NEAR(sum, 0.1, 1e-10);
  for (const char* name : {"box.y by start_positions", "box.y by shape", "box.x by start_velocities"}) {
    EXPECT_NE(std::find(points.begin(), points.end(), name), points.end()) << name;
  }
  for (const char* name : {"box.y by lame_lambda", "box.y by lame_mu", "box.x by density"}) {
    EXPECT_NE(std::find(cells.begin(), cells.end(), name), cells.end()) << name;
  }

  // --json prints the file; a folder with derivatives is not replaced unasked.
  EXPECT_EQ(clearance(words).status, 2);
  std::vector<std::string> again = words;
  again.insert(again.end(), {"--overwrite", "--json"});
  result = clearance(again);
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, read_text(folder_ / "out" / "gradient.json"));
}

// A rigid body on a spring had derivatives of 0 by the vertices that it does not have.
TEST_F(ReverseGradientCommand, LeavesVerticesOutWhereAllBodiesAreStiff) {
  const std::string scene = write("spring.json", R"({"time": {"step": 0.01, "duration": 0.02}, "bodies": [
    {"name": "m", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]}, "mass": 1},
    {"name": "floor", "kind": "obstacle", "generator": {"kind": "box", "size": [1, 0.1, 1]},
     "transform": {"translation": [0, -1, 0]}}],
    "springs": [{"name": "k", "body": "m", "to_point": [0, 1, 0], "stiffness": 100}],
    "output": {"probes": [{"name": "m", "body": "m"}]}})")
                                .string();
  const std::vector<std::string> words = {"gradient", scene,  "--reverse",           "--of",
                                          "m.y",      "--by", "springs[0].stiffness"};
  const ProcessResult result = clearance(words);
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output.find("norm of the derivatives by"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("no derivatives by start_positions, start_velocities and shape: all bodies are"),
            std::string::npos)
      << result.output;
  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  EXPECT_TRUE(Json::parse(clearance(as_json).output)["columns"][0]["norms_of_fields"].empty());
}

TEST_F(ReverseGradientCommand, RefusesWithStatusTwo) {
  const std::string scene = write("flight.json", flight).string();
  const std::vector<std::pair<std::vector<std::string>, const char*>> refused = {
      {{"--reverse", "--of", "box.q"}, "no probe has this column"},
      {{"--reverse", "--of", "box.y", "--by", "bodies[0].nothing"}, "bodies[0].nothing: the scene has no such entry"},
      {{"--reverse", "--of", "box.y", "--by", "time.step"}, "time.step: "},
      {{"--reverse", "--of", "touch.normal.y"}, "forward mode"},
      {{"--reverse", "--check"}, "--check excludes --reverse"},
      {{"--reverse", "--taylor"}, "excludes"},
      {{"--budget-mb", "3", "--by", "gravity[1]"}, "--budget-mb requires --reverse"},
      {{"--reverse", "--of", "box.y", "-o", folder_.string()}, "the folder holds other files"}};
  for (const auto& [words, message] : refused) {
    std::vector<std::string> all = {"gradient", scene};
    all.insert(all.end(), words.begin(), words.end());
    const ProcessResult result = clearance(all);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
  }
  const std::string bare = write("bare.json", R"({"time": {"step": 0.01, "duration": 0.02},
    "bodies": [{"name": "box", "generator": {"kind": "box"}}]})")
                               .string();
  const ProcessResult result = clearance({"gradient", bare, "--reverse"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("output.probes"), std::string::npos) << result.errors;
}

/// The command ended with status 4, as for a wrong derivative, where a derivative is zero and its differences are
/// rounding, and where the warning `at_kink` has told that slopes differ on both sides.
TEST_F(ReverseGradientCommand, ACheckOfZerosAndOfToldKinksEndsWithStatusZero) {
  const auto box = [](const std::string& name, const std::string& height) {
    return R"({"name": ")" + name + R"(", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1],
      "resolution": [1, 1, 1]}, "transform": {"translation": [0, )" +
           height + R"(, 0]}})";
  };
  const std::string stacked = write("stacked.json", R"({"time": {"step": 0.01, "duration": 0.02,
    "integrator": "implicit_euler"}, "friction": {"coefficient": 0.3}, "bodies": [)" +
                                                        box("lower", "0.0505") + ", " + box("upper", "0.151") + R"(],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "upper", "body": "upper"}]}})")
                                  .string();
  ProcessResult result = clearance({"gradient", stacked, "--by", "gravity[2]", "--of", "upper.z", "--check"});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("they differ at the kink"), std::string::npos) << result.output;
  const std::string scene = write("flight.json", flight).string();
  result = clearance({"gradient", scene, "--by", "gravity[1]", "--by", "bodies[0].material.youngs_modulus", "--of",
                      "box.x", "--of", "box.z", "--check"});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output.find("do not agree"), std::string::npos) << result.output;
}

TEST_F(ReverseGradientCommand, NamesThatAreNotKnownAreToldAtOnceWithTheNearest) {
  const std::string scene = write("flight.json", flight).string();
  for (const bool is_reverse : {false, true}) {
    std::vector<std::string> words = {
        "gradient",          scene,  "--of",       "bx.y", "--by",     "bodies[0].material.youngs_modulos", "--by",
        "bodies[0].density", "--by", "gravity[3]", "--by", "time.step"};
    if (is_reverse) words.emplace_back("--reverse");
    const ProcessResult result = clearance(words);
    EXPECT_EQ(result.status, 2);
    for (const char* message :
         {"--of: no probe has this column; did you mean `box.y`", "did you mean `youngs_modulus`?",
          "`density` belongs in `bodies[0].material`", "`gravity` has entries from [0] to [2]",
          "time.step: this number says how the scene is computed"}) {
      EXPECT_NE(result.errors.find(message), std::string::npos) << message << '\n' << result.errors;
    }
  }
  const ProcessResult nothing = clearance({"gradient", scene, "--reverse", "--budget-mb", "0"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_NE(nothing.errors.find("--budget-mb: expected a number above 0 (got 0)"), std::string::npos) << nothing.errors;
}

/// The message named the status of the step alone.
TEST_F(ReverseGradientCommand, AFormulaThatIsNotFiniteIsNamed) {
  const std::string scene = write("pole.json", R"x({"time": {"step": 0.01, "duration": 0.1},
    "bodies": [{"name": "box", "kind": "rigid", "generator": {"kind": "box"},
      "loads": [{"kind": "force", "expression": ["1 / (t - 0.05)", "0", "0"]}]}],
    "output": {"probes": [{"name": "box", "body": "box"}]}})x")
                                .string();
  for (const char* mode : {"--json", "--reverse"}) {
    const ProcessResult result = clearance({"gradient", scene, "--by", "gravity[1]", "--of", "box.x", mode});
    EXPECT_EQ(result.status, 3);
    const std::string all = result.errors + result.output;
    EXPECT_NE(all.find("bodies[0].loads[0].expression[0]: the value is infinite"), std::string::npos) << all;
  }
}

/// Derivatives need steps that converge, and one iteration is too few for a soft box that falls on the ground.
TEST_F(ReverseGradientCommand, AStepWithoutDerivativeEndsWithStatusThree) {
  const std::string scene = write("stopped.json", R"({"time": {"step": 0.1, "duration": 0.1},
    "solver": {"max_iterations": 1},
    "bodies": [{"name": "box", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
      "transform": {"translation": [0, 0.0501, 0]}, "linear_velocity": [0, -1, 0], "material": {"youngs_modulus": 1e4}}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "box", "body": "box"}]}})")
                                .string();
  const ProcessResult result = clearance({"gradient", scene, "--reverse", "--of", "box.y"});
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_NE(result.errors.find("step 1"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace clearance::cli
