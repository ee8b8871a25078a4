#include <cmath>
#include <cstdlib>

#include "cli/process.h"

namespace clearance::cli {
namespace {

/// A cantilever whose tip sinks by F L^3 / (3 E I) = 4 mm.
const std::string beam = R"({
  "time": {"step": 1, "duration": 1, "integrator": "quasi_static"},
  "gravity": [0, 0, 0],
  "bodies": [{
    "name": "beam", "order": 2, "generator": {"kind": "box", "size": [1, 0.1, 0.1], "resolution": [4, 1, 1]},
    "material": {"youngs_modulus": 1e7, "poisson_ratio": 0.3},
    "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}],
    "loads": [{"kind": "force", "value": [0, -1, 0], "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}]
  }],
  "output": {"probes": [{"name": "tip", "body": "beam", "point": [0.5, 0, 0.05]},
                        {"name": "root", "kind": "reaction", "body": "beam"}]}})";

/// A box that falls freely for a second, with a probe of its centre.
const std::string fall = R"({
  "time": {"step": 0.1, "duration": 1, "integrator": "implicit_euler"}, "gravity": [0, -10, 0],
  "bodies": [{"name": "box", "kind": "rigid", "generator": {"kind": "box", "resolution": [1]}}],
  "output": {"probes": [{"name": "centre", "body": "box"}]}})";

class Study : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    // Temporary folders of studies go where the test can see them.
    fs::create_directories(folder_ / "tmp");
    setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
  }

  void TearDown() override {
    unsetenv("TMPDIR");
    ProgramTest::TearDown();
  }

  static Json quantity(const Json& report, const std::string& column, const std::string& at = "end") {
    for (const Json& one : report["quantities"]) {
      if (one["column"] == column && one["at"] == at) return one;
    }
    ADD_FAILURE() << "there is no " << column;
    return {};
  }
};

TEST_F(Study, BeamConvergesToTheory) {
  const ProcessResult result = clearance({"study", write("beam.json", beam).string(), "--json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json report = Json::parse(result.output);
  EXPECT_EQ(report["refine"], "mesh");
  ASSERT_EQ(report["levels"].size(), 3U);
  EXPECT_EQ(report["levels"][2]["elements"], 64 * report["levels"][0]["elements"].get<int>());
  const Json tip = quantity(report, "tip.y [m]");
  EXPECT_EQ(tip["verdict"], "converges");
  // Shear adds 0.8 %, less what the narrow end takes; the beam's theory is good to a percent.
  EXPECT_NEAR(tip["extrapolated"].get<double>(), -4e-3, 4e-5);
  EXPECT_GT(tip["order"].get<double>(), 1.0);
  const double true_error = std::abs(tip["values"][0].get<double>() / tip["extrapolated"].get<double>() - 1.0);
  EXPECT_NEAR(tip["error_of_first_percent"].get<double>(), 100.0 * true_error, 1e-6);
  EXPECT_LT(tip["error_of_finest_percent"].get<double>(), 1.0);
  // The reaction balances the load on every mesh.
  EXPECT_EQ(quantity(report, "root.force.y [N]")["verdict"], "settled");
  EXPECT_EQ(quantity(report, "tip.y [m]", "largest")["values"], tip["values"]);
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
}

TEST_F(Study, FreeFallHasTheOrderOfItsIntegrator) {
  const std::string scene = write("fall.json", fall).string();
  ProcessResult result = clearance({"study", scene, "--refine", "step", "--json", "--levels", "4"});
  ASSERT_EQ(result.status, 0) << result.errors;
  Json report = Json::parse(result.output);
  EXPECT_EQ(report["levels"][3]["steps"], 80);
  const Json first = quantity(report, "centre.y [m]");
  EXPECT_NEAR(first["order"].get<double>(), 1.0, 1e-6);
  EXPECT_NEAR(first["extrapolated"].get<double>(), -5.0, 1e-6);
  // Implicit Euler with ten steps falls a tenth too far.
  EXPECT_NEAR(first["error_of_first_percent"].get<double>(), 10.0, 1e-4);
  EXPECT_EQ(quantity(report, "centre.x [m]")["verdict"], "settled");

  result = clearance({"study", scene, "--refine", "step", "--set", "time.integrator=implicit_newmark", "--json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  report = Json::parse(result.output);
  EXPECT_EQ(quantity(report, "centre.y [m]")["verdict"], "settled");
}

TEST_F(Study, PrintsATableAndKeepsItsRuns) {
  const fs::path out = folder_ / "out";
  const std::vector<std::string> arguments = {
      "study", write("beam.json", beam).string(), "-o", out.string(), "--quantity", "tip.y"};
  ProcessResult result = clearance(arguments);
  ASSERT_EQ(result.status, 0) << result.errors;
  for (const char* words : {"level 2: 1536 elements", "tip.y [m]", "converges", "order", "limit"}) {
    EXPECT_NE(result.output.find(words), std::string::npos) << words << " is not in\n" << result.output;
  }
  EXPECT_EQ(result.output.find("tip.x"), std::string::npos);
  EXPECT_TRUE(fs::exists(out / "level_2" / "probes.csv"));
  EXPECT_EQ(Json::parse(read_text(out / "study.json"))["levels"].size(), 3U);

  // Nothing is replaced unasked; a study that was interrupted goes on.
  EXPECT_EQ(clearance(arguments).status, 2);
  const std::string report = read_text(out / "study.json");
  std::vector<std::string> other = arguments;
  other.insert(other.end(), {"--resume", "--set", "bodies[0].material.youngs_modulus=2e7"});
  EXPECT_EQ(clearance(other).status, 2);
  EXPECT_EQ(read_text(out / "study.json"), report);
  fs::remove_all(out / "level_2");
  std::vector<std::string> again = arguments;
  again.emplace_back("--resume");
  result = clearance(again);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_TRUE(fs::exists(out / "level_2" / "probes.csv"));
  EXPECT_NE(result.output.find("converges"), std::string::npos) << result.output;
}

TEST_F(Study, RefusesBeforeAnythingRuns) {
  const fs::path out = folder_ / "out";
  const auto refused = [&](const std::string& scene, const std::vector<std::string>& more,
                           const std::vector<std::string>& phrases) {
    std::vector<std::string> arguments = {"study", write("scene.json", scene).string(), "-o", out.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = clearance(arguments);
    EXPECT_EQ(result.status, 2);
    for (const std::string& phrase : phrases) {
      EXPECT_NE(result.errors.find(phrase), std::string::npos) << phrase << " is not in\n" << result.errors;
    }
    EXPECT_FALSE(fs::exists(out));
  };
  refused(R"({"bodies": [{"generator": {}}]})", {}, {"scene.json: output.probes:", "expected at least one"});
  // Two problems are told at once.
  refused(fall, {"--quantity", "center.y"}, {"scene.json: bodies: no body is deformable", "did you mean `centre.y`?"});
  refused(beam, {"--refine", "step"}, {"time.integrator"});
  refused(beam, {"--levels", "2"}, {"--levels", "expected a whole number"});
  // A mesh is split at most eight times, which is found without splitting it.
  refused(R"({"bodies": [{"name": "tet", "geometry": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
              "tets": [[0, 2, 1, 3]]}}], "output": {"probes": [{"name": "centre", "body": "tet"}]}})",
          {"--levels", "10"}, {"level 9: bodies[0].refinements", "(got 9)"});
  // A folder with other files stays as it is.
  fs::create_directories(out);
  std::ofstream(out / "mine.txt") << "mine";
  const ProcessResult result = clearance({"study", write("beam.json", beam).string(), "-o", out.string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(out), {}), 1);
}

}  // namespace
}  // namespace clearance::cli
