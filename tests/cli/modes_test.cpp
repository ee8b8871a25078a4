#include "cli/process.h"

namespace clearance::cli {
namespace {

const std::string beam = R"({
  "gravity": [0, 0, 0], "time": {"step": 1, "duration": 1},
  "bodies": [{
    "name": "beam", "order": 2, "generator": {"kind": "box", "size": [1, 0.1, 0.1], "resolution": [4, 1, 1]},
    "material": {"youngs_modulus": 1e7, "poisson_ratio": 0.3},
    "loads": [{"kind": "force", "value": [-1, 0, 0], "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}],
    "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}]}]})";

class Modes : public ProgramTest {};

TEST_F(Modes, PrintsFrequenciesAndWritesShapes) {
  const std::string scene = write("beam.json", beam).string();
  const fs::path out = folder_ / "out";
  ProcessResult result = clearance({"modes", scene, "--count", "3", "-o", out.string()});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("mode   1"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find(" Hz  'beam'"), std::string::npos) << result.output;
  const Json report = Json::parse(read_text(out / "modes.json"));
  ASSERT_EQ(report["modes"].size(), 3U);
  // 1.8751^2 / 2 pi sqrt(E I / rho A) = 1.615 Hz, with a coarse mesh.
  EXPECT_NEAR(report["modes"][0]["frequency"].get<double>(), 1.615, 0.1);
  for (const char* file : {"frames.pvd", "frames/mode_000.vtu", "frames/mode_003.vtu"})
    EXPECT_TRUE(fs::exists(out / file));

  // The folder is not replaced unasked, and fewer modes leave no frames of others.
  EXPECT_EQ(clearance({"modes", scene, "-o", out.string()}).status, 2);
  result = clearance({"modes", scene, "--count", "1", "-o", out.string(), "--overwrite", "--json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(Json::parse(result.output)["modes"].size(), 1U);
  EXPECT_TRUE(fs::exists(out / "frames/mode_001.vtu"));
  EXPECT_FALSE(fs::exists(out / "frames/mode_002.vtu"));
}

TEST_F(Modes, BucklingOfAQuasiStaticScene) {
  const std::string scene = write("beam.json", beam).string();
  ProcessResult result = clearance({"modes", scene, "--buckling"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("beam.json: time.integrator: "), std::string::npos) << result.errors;
  result = clearance({"modes", scene, "--buckling", "--json", "--set", "time.integrator=quasi_static"});
  ASSERT_EQ(result.status, 0) << result.errors;
  // pi^2 E I / 4 L^2 = 205.6 N, with a coarse mesh and a clamp that holds the section.
  EXPECT_NEAR(Json::parse(result.output)["modes"][0]["load_factor"].get<double>(), 205.6, 12.0);
}

TEST_F(Modes, TellsWhyThereAreNone) {
  const std::string floating = R"({"time": {"integrator": "quasi_static", "step": 1}, "gravity": [0, 0, 0],
    "bodies": [{"name": "box", "generator": {"kind": "box", "resolution": [1]}}]})";
  const std::string scene = write("floating.json", floating).string();
  const ProcessResult result = clearance({"modes", scene, "--buckling"});
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.errors.find("not held"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace clearance::cli
