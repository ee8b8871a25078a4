// `clearance mesh`, and runs of scenes with bare surfaces.
#include <cmath>
#include <cstdlib>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/meshing/mesh_program.h"
#include "cli/process.h"

namespace clearance::cli {
namespace {

class MeshCommand : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ::setenv("CLEARANCE_CACHE", (folder_ / "cache").c_str(), 1);
    part_ = (folder_ / "part.stl").string();
    made_ = (folder_ / "part.msh").string();
    ASSERT_TRUE(write_mesh(part_, surface_of(make_box({200, 100, 100}, {1, 1, 1}))));
  }
  void TearDown() override {
    ::unsetenv("CLEARANCE_CACHE");
    ::unsetenv("CLEARANCE_MESH");
    ProgramTest::TearDown();
  }
  static bool can_mesh() { return !find_mesh_program().empty(); }

  std::string part_, made_;
};

TEST_F(MeshCommand, FillsAnStlAndReports) {
  if (!can_mesh()) GTEST_SKIP() << "clearance-mesh is not built: CGAL is missing";
  const std::vector<std::string> words = {"mesh", part_,           "-o",   made_,   "--units",
                                          "mm",   "--edge-length", "0.05", "--json"};
  const ProcessResult first = clearance(words);
  ASSERT_EQ(first.status, 0) << first.errors;
  const Json report = Json::parse(first.output);
  EXPECT_NEAR(report.at("volume").get<double>(), 0.002, 2e-6);
  EXPECT_GT(report.at("smallest_angle").get<double>(), 5.0);
  const Result<Mesh> mesh = read_mesh(made_);
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh->tets.size(), report.at("elements").get<std::size_t>());
  // An existing file stays; if it is to be replaced, the same bytes come again.
  const std::string bytes = read_text(made_);
  const ProcessResult refused = clearance(words);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.output.find("this file exists"), std::string::npos) << refused.output;
  std::vector<std::string> again = words;
  again.push_back("--overwrite");
  ASSERT_EQ(clearance(again).status, 0);
  EXPECT_EQ(read_text(made_), bytes);
}

TEST_F(MeshCommand, MillimetresReadAsMetresAreTold) {
  if (!can_mesh()) GTEST_SKIP() << "clearance-mesh is not built: CGAL is missing";
  const ProcessResult doubtful = clearance({"mesh", part_, "-o", made_});
  EXPECT_EQ(doubtful.status, 0);
  EXPECT_NE(doubtful.errors.find("200 m, is larger than 2 m, and STL files do not say their unit"), std::string::npos)
      << doubtful.errors;
  EXPECT_NE(doubtful.errors.find("use `--units mm`"), std::string::npos) << doubtful.errors;
  const ProcessResult json = clearance({"mesh", part_, "-o", made_, "--overwrite", "--json"});
  EXPECT_EQ(Json::parse(json.output).at("warnings").size(), 1u) << json.output;
  for (const char* unit : {"m", "mm"}) {
    const ProcessResult meant = clearance({"mesh", part_, "-o", made_, "--overwrite", "--units", unit});
    EXPECT_EQ(meant.status, 0);
    EXPECT_EQ(meant.errors, "");
  }
}

TEST_F(MeshCommand, CoarseAndToleranceExcludeEachOther) {
  const ProcessResult both = clearance({"mesh", part_, "-o", made_, "--units", "mm", "--coarse", "--tolerance", "0.1"});
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.errors.find("excludes --coarse"), std::string::npos) << both.errors;
  EXPECT_FALSE(std::filesystem::exists(made_));
}

TEST_F(MeshCommand, CoarseCurvedElementsAreWrittenForGmshAndVtk) {
  if (!can_mesh()) GTEST_SKIP() << "clearance-mesh is not built: CGAL is missing";
  const std::string ball = (folder_ / "ball.stl").string();
  ASSERT_TRUE(write_mesh(ball, surface_of(make_sphere(1.0, 16))));
  for (const char* name : {"ball.msh", "ball.vtu"}) {
    const std::string made = (folder_ / name).string();
    const ProcessResult done = clearance({"mesh", ball, "-o", made, "--order", "3", "--coarse", "--json"});
    ASSERT_EQ(done.status, 0) << done.errors;
    const Json report = Json::parse(done.output);
    EXPECT_EQ(report.at("order"), 3);
    EXPECT_LE(report.at("deviation").get<double>(), 0.005 * 2.0 * std::sqrt(3.0));
    const double given = report.at("volume_of_surface").get<double>();
    EXPECT_NEAR(report.at("volume").get<double>(), given, 2e-3 * given);
    EXPECT_LT(report.at("straight_volume").get<double>(), 0.9 * given);
    // The nodes of a body from the file lie on the ball, and its elements are valid.
    const std::string scene =
        write(std::string(name) + ".json", std::string(R"({"bodies": [{"mesh": ")") + name + R"("}]})").string();
    const ProcessResult checked = clearance({"check", scene});
    EXPECT_EQ(checked.status, 0) << checked.errors;
    const Result<Mesh> read = read_mesh(made);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->order_of_cell(0), 3);
  }
}

TEST_F(MeshCommand, ImpossibleCurvedMeshesAreToldAndNothingIsWritten) {
  const std::string open = (folder_ / "open.stl").string(), crossed = (folder_ / "crossed.stl").string();
  Mesh box = surface_of(make_box({1, 1, 1}, {1, 1, 1}));
  Mesh both = box;
  for (const Vec<3>& x : box.vertices) both.vertices.push_back(x + Vec<3>(0.4, 0.3, 0.2));
  for (const auto& [a, b, c] : box.triangles) both.triangles.push_back({a + 8, b + 8, c + 8});
  ASSERT_TRUE(write_mesh(crossed, both));
  box.triangles.pop_back();
  ASSERT_TRUE(write_mesh(open, box));
  const auto message = [&](const std::string& surface, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"mesh", surface, "-o", made_};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult done = clearance(words);
    EXPECT_EQ(done.status, 2) << done.output;
    EXPECT_FALSE(fs::exists(made_));
    return done.errors;
  };
  EXPECT_NE(message(part_, {"--order", "5"}).find("5"), std::string::npos);
  EXPECT_NE(message(part_, {"--order", "2", "--tolerance", "0"}).find("expected a number above 0"), std::string::npos);
  EXPECT_NE(message(open, {"--order", "2"}).find("3 open edges"), std::string::npos);
  EXPECT_NE(message(crossed, {"--order", "2"}).find("intersect"), std::string::npos);
}

TEST_F(MeshCommand, RunOfASurfaceIsTheSameFromTheCacheAndWithAnyNumberOfThreads) {
  if (!can_mesh()) GTEST_SKIP() << "clearance-mesh is not built: CGAL is missing";
  const std::string scene = write("scene.json", R"({"time": {"step": 0.01, "duration": 0.05},
    "bodies": [{"mesh": "part.stl", "units": "mm", "up": "z", "volume_mesh": {"edge_length": 0.05},
                "transform": {"translation": [0, 0.051, 0]}}],
    "half_spaces": [{"point": [0, 0, 0]}]})")
                                .string();
  const auto hashes = [&](const std::string& name, const char* threads) {
    const std::string out = (folder_ / name).string();
    const ProcessResult done = clearance({"run", scene, "-o", out, "-q", "--threads", threads});
    EXPECT_EQ(done.status, 0) << done.errors;
    EXPECT_EQ(clearance({"verify", out}).status, 0);
    return hashes_of(out);
  };
  const auto first = hashes("first", "1");
  EXPECT_EQ(first.size(), 5U);
  EXPECT_EQ(files_in(folder_ / "cache").size(), 2U);
  EXPECT_EQ(hashes("second", "2"), first);
}

TEST_F(MeshCommand, WithoutTheProgramItSaysWhatIsMissingAndWhereToGetIt) {
  ::setenv("CLEARANCE_MESH", (folder_ / "nowhere").c_str(), 1);
  const ProcessResult done = clearance({"mesh", part_, "-o", made_});
  EXPECT_EQ(done.status, 2);
  EXPECT_NE(done.errors.find("clearance-mesh, which meshes bare surfaces, is neither beside this program"),
            std::string::npos)
      << done.errors;
  EXPECT_NE(done.errors.find("libcgal-dev"), std::string::npos);
  EXPECT_FALSE(fs::exists(made_));
}

TEST_F(MeshCommand, BadInputIsToldAndWritesNothing) {
  const auto message = [&](const std::vector<std::string>& words) {
    const ProcessResult done = clearance(words);
    EXPECT_EQ(done.status, 2) << done.output;
    EXPECT_FALSE(fs::exists(made_));
    return done.errors;
  };
  EXPECT_NE(message({"mesh", part_, "-o", (folder_ / "part.obj").string()}).find("expected the extension .msh or .vtu"),
            std::string::npos);
  EXPECT_NE(message({"mesh", (folder_ / "none.stl").string(), "-o", made_}).find("file not found"), std::string::npos);
  EXPECT_NE(message({"mesh", part_, "-o", made_, "--edge-length", "-1"}).find("expected a number above 0"),
            std::string::npos);
  EXPECT_NE(message({"mesh", part_, "-o", made_, "--units", "parsec"}).find("got parsec"), std::string::npos);
  EXPECT_NE(message({"mesh", part_, "-o", made_, "--edge-length", "0.01"}).find("this edge length would make up to"),
            std::string::npos);
  const std::string text = write("text.stl", "solid nothing\n").string();
  EXPECT_NE(message({"mesh", text, "-o", made_}), "");
}

}  // namespace
}  // namespace clearance::cli
