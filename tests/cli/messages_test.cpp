// Messages to a user who gives bad input: they name the body, the place and what was expected; and nothing else
// happens.
#include "clearance/io/mesh/mesh_reader.h"
#include "cli/process.h"

namespace clearance::cli {
namespace {

class Messages : public ProgramTest {
 protected:
  /// Runs a bad scene: expects status 2 and nothing but `allowed` files in the result folder; if none are allowed, no
  /// folder. Returns the text of the problems.
  std::string refused(const std::string& scene, const std::vector<std::string>& allowed = {}) const {
    const std::string file = write("scene.json", scene).string();
    const fs::path out = folder_ / "out";
    fs::remove_all(out);
    const ProcessResult run = clearance({"run", file, "-o", out.string()});
    EXPECT_EQ(run.status, 2) << run.output << run.errors;
    EXPECT_EQ(fs::exists(out), !allowed.empty());
    EXPECT_EQ(files_in(out), allowed);
    const ProcessResult check = clearance({"check", file});
    EXPECT_EQ(check.status, 2);
    EXPECT_NE(check.errors, "");
    return run.errors;
  }
  static void expect_says(const std::string& text, const std::vector<std::string>& phrases) {
    for (const std::string& phrase : phrases)
      EXPECT_NE(text.find(phrase), std::string::npos) << phrase << " is not in\n" << text;
  }
  static int num_lines_with(const std::string& text, const std::string& phrase) {
    int count = 0;
    for (std::size_t at = text.find(phrase); at != std::string::npos; at = text.find(phrase, at + 1)) ++count;
    return count;
  }
  /// A mesh in the format of Gmsh 2.2.
  fs::path write_tets(const std::string& name, const std::string& nodes, int num_nodes, const std::string& elements,
                      int num_elements) const {
    return write(name, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(num_nodes) + "\n" + nodes +
                           "$EndNodes\n$Elements\n" + std::to_string(num_elements) + "\n" + elements +
                           "$EndElements\n");
  }
  const std::string cube_ = R"("generator": {"kind": "box", "size": [1, 1, 1], "resolution": [1, 1, 1]})";
};

TEST_F(Messages, IntersectingCubesNameBothTheDepthThePlaceAndAPicture) {
  const std::string text = refused(R"({"bodies": [{"name": "red", )" + cube_ + R"(},
    {"name": "blue", )" + cube_ + R"(, "transform": {"translation": [0.9, 0.2, 0.1]}},
    {"name": "far", )" + cube_ + R"(, "transform": {"translation": [9, 0, 0]}}]})",
                                   {"intersections.vtu"});
  expect_says(text, {"'red'", "'blue'", "intersect", "at least 0.1 m deep", "near (", "intersections.vtu"});
  EXPECT_EQ(text.find("'far'"), std::string::npos) << text;
  EXPECT_EQ(num_lines_with(text, "error:"), 1) << text;
}

TEST_F(Messages, TouchingCubesAreRefusedToo) {
  expect_says(refused(R"({"bodies": [{"name": "red", )" + cube_ + R"(},
    {"name": "blue", )" + cube_ +
                          R"(, "transform": {"translation": [1, 0.2, 0.1]}}]})",
                      {"intersections.vtu"}),
              {"'red'", "'blue'", "touch"});
}

TEST_F(Messages, BodyBehindAHalfSpaceSaysHowDeep) {
  expect_says(refused(R"({"half_spaces": [{}], "bodies": [{"name": "red", )" + cube_ + "}]}"),
              {"'red'", "half_spaces[0]", "0.5 m"});
}

TEST_F(Messages, InvertedTetrahedronNamesBodyFileAndElement) {
  // The second of two tets has two vertices exchanged; the third is flat.
  write_tets("bad.msh", "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n6 1 1 0\n", 6,
             "1 4 2 0 1 1 2 3 4\n2 4 2 0 1 1 2 3 5\n3 4 2 0 1 1 2 3 6\n", 3);
  const std::string text = refused(R"({"bodies": [{"name": "twisted", "mesh": "bad.msh"}]})");
  expect_says(text, {"'twisted'", "bad.msh", "inverted", "number 1", "zero-volume", "number 2", "bodies[0]"});
}

TEST_F(Messages, MisspeltKeySuggestsTheNearest) {
  expect_says(refused(R"({"bodies": [{)" + cube_ + R"(, "material": {"youngs_modulos": 1}}], "gravitiy": [0, 0, 0]})"),
              {"bodies[0].material", "youngs_modulos", "youngs_modulus", "gravitiy", "gravity"});
}

TEST_F(Messages, MissingAndBrokenMeshNameTheFile) {
  write("broken.msh", "this is no mesh");
  const std::string text = refused(R"({"bodies": [{"mesh": "missing.msh"}, {"mesh": "broken.msh"}]})");
  expect_says(text, {"missing.msh", "bodies[0]"});
  write("surface.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  expect_says(refused(R"({"bodies": [{"name": "shell", "mesh": "surface.obj"}]})"),
              {"'shell'", "surface.obj", "no tetrahedra", "obstacle"});
  expect_says(refused(R"({"bodies": [{"name": "junk", "mesh": "broken.msh"}]})"), {"broken.msh"});
}

TEST_F(Messages, ImpossibleMaterialsAreAllReportedAtOnce) {
  const std::string text = refused(R"({"time": {"step": 0}, "bodies": [
    {)" + cube_ + R"(, "material": {"density": -1000}},
    {)" + cube_ + R"(, "material": {"poisson_ratio": 0.5}, "transform": {"translation": [3, 0, 0]}},
    {)" + cube_ + R"(, "material": {"youngs_modulus": "stiff"}, "transform": {"translation": [6, 0, 0]}}]})");
  expect_says(text, {"bodies[0].material.density", "-1000", "bodies[1].material.poisson_ratio", "0.5",
                     "bodies[2].material.youngs_modulus", "time.step"});
  EXPECT_EQ(num_lines_with(text, "error:"), 4) << text;
}

TEST_F(Messages, NumbersThatAreNoneAreRefused) {
  write_tets("nan.msh", "1 0 0 0\n2 1 0 0\n3 0 nan 0\n4 0 0 1\n", 4, "1 4 2 0 1 1 2 3 4\n", 1);
  expect_says(refused(R"({"bodies": [{"name": "vague", "mesh": "nan.msh"}]})"), {"nan.msh"});
  expect_says(refused(R"({"bodies": [{)" + cube_ + R"(, "linear_velocity": [NaN, 0, 0]}]})"), {"scene.json"});
  expect_says(refused(R"({"bodies": [{)" + cube_ + R"(, "linear_velocity": [1e999, 0, 0]}]})"), {"scene.json"});
  const ProcessResult set = clearance({"check", write("fine.json", "{\"bodies\": [{" + cube_ + "}]}").string(), "--set",
                                       "bodies[0].material.density=nan"});
  EXPECT_EQ(set.status, 2);
}

TEST_F(Messages, ProblemsAsJsonHaveTheirParts) {
  const std::string file =
      write("scene.json", R"({"bodies": [{)" + cube_ + R"(, "material": {"density": -1}}]})").string();
  const ProcessResult check = clearance({"check", file, "--json"});
  EXPECT_EQ(check.status, 2);
  const Json report = Json::parse(check.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << check.output;
  ASSERT_EQ(report["issues"].size(), 1u);
  EXPECT_EQ(report["issues"][0]["severity"], "error");
  EXPECT_EQ(report["issues"][0]["place"], "bodies[0].material.density");
  EXPECT_EQ(report["issues"][0]["value"], "-1");
}

TEST_F(Messages, RefusedRunLeavesAnOlderResultAlone) {
  const std::string good = write("good.json", "{\"bodies\": [{" + cube_ + "}]}").string();
  const std::string bad = write("bad.json", "{\"bodies\": [{" + cube_ + "}], \"gravitiy\": 1}").string();
  const fs::path out = folder_ / "out";
  ASSERT_EQ(clearance({"run", good, "-o", out.string(), "--steps", "2", "-q"}).status, 0);
  const std::vector<std::string> files = files_in(out), hashes = hashes_of(out);
  EXPECT_EQ(clearance({"run", bad, "-o", out.string(), "--steps", "2", "-q", "--overwrite"}).status, 2);
  EXPECT_EQ(files_in(out), files);
  EXPECT_EQ(hashes_of(out), hashes);
}

TEST_F(Messages, FolderOfARefusedOverlapHoldsThePictureAloneUntilTheSceneIsMended) {
  const auto scene = [&](const std::string& x) {
    return write("scene.json",
                 "{\"bodies\": [{" + cube_ + "}, {" + cube_ + R"(, "transform": {"translation": [)" + x + ", 0, 0]}}]}")
        .string();
  };
  const fs::path out = folder_ / "out", own = folder_ / "own", picture = out / "intersections.vtu";
  const auto run = [&](const std::string& x, const fs::path& folder) {
    return clearance({"run", scene(x), "-o", folder.string(), "--steps", "1", "-q"}).status;
  };
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(run("0.5", out), 2);
    EXPECT_EQ(files_in(out), std::vector<std::string>{"intersections.vtu"});
    EXPECT_TRUE(read_mesh(picture));
  }
  // Another problem: the picture is no longer of this scene.
  EXPECT_EQ(run("\"far\"", out), 2);
  EXPECT_TRUE(files_in(out).empty());
  EXPECT_EQ(run("0.5", out), 2);
  EXPECT_EQ(run("1.5", out), 0);
  EXPECT_FALSE(fs::exists(picture));
  EXPECT_TRUE(fs::exists(out / "summary.json"));
  // A file of the user's with the same name is none of ours, nor is a folder with anything else in it.
  fs::create_directories(own);
  std::ofstream(own / "intersections.vtu") << "mine";
  EXPECT_EQ(run("1.5", own), 2);
  EXPECT_EQ(files_in(own), std::vector<std::string>{"intersections.vtu"});
  EXPECT_EQ(fs::file_size(own / "intersections.vtu"), 4u);
  const fs::path shared = folder_ / "shared";
  EXPECT_EQ(run("0.5", shared), 2);
  expect_says(clearance({"info", shared.string()}).errors, {"contains no result", "intersections.vtu shows where"});
  std::ofstream(shared / "notes.txt") << "mine";
  EXPECT_EQ(run("1.5", shared), 2);
  EXPECT_EQ(files_in(shared), (std::vector<std::string>{"intersections.vtu", "notes.txt"}));
}

TEST_F(Messages, CubesWithVerticesInEachOthersPlanesSayHowDeep) {
  const std::string half = R"("generator": {"kind": "box", "size": [1, 1, 1], "resolution": [2, 2, 2]})";
  const std::string text =
      refused("{\"bodies\": [{" + half + "}, {" + half + R"(, "transform": {"translation": [0.5, 0.5, 0.5]}}]})",
              {"intersections.vtu"});
  expect_says(text, {"at least 0.5 m deep"});
  EXPECT_EQ(text.find(" 0 m deep"), std::string::npos) << text;
}

TEST_F(Messages, OverlapWithoutDepthSaysNone) {
  const std::string text =
      refused("{\"bodies\": [{" + cube_ + "}, {" + cube_ + R"(, "transform": {"translation": [1, 0, 0]}}]})",
              {"intersections.vtu"});
  EXPECT_EQ(text.find("deep"), std::string::npos) << text;
}

TEST_F(Messages, KeyInTheWrongObjectSaysWhereItBelongs) {
  const std::string text = refused(R"({"dhat": 1e-3, "bodies": [{)" + cube_ +
                                   R"(, "youngs_modulus": 1e6, "E": 1, "material": {"friction": 0.3}}]})");
  expect_says(text, {"bodies[0].youngs_modulus: unknown key; `youngs_modulus` belongs in `bodies[0].material`",
                     "bodies[0].E: unknown key; `youngs_modulus` belongs in `bodies[0].material`",
                     "dhat: unknown key; `dhat` belongs in `contact`",
                     "bodies[0].material.friction: unknown key; `friction` belongs at the top of the scene or in "
                     "`bodies[0]`"});
}

TEST_F(Messages, OptionsThatAreNoGoodNumbersSayWhatIsExpected) {
  const std::string scene = write("fine.json", "{\"bodies\": [{" + cube_ + "}]}").string();
  for (const std::string value : {"-1", "abc", "1.5", "100000000000"}) {
    const ProcessResult run = clearance({"run", scene, "--steps", value});
    EXPECT_EQ(run.status, 2);
    expect_says(run.errors, {"--steps: expected a whole number from 1 to 2147483647 (got " + value + ")"});
  }
  expect_says(clearance({"optimise", scene, "--smooth", "0"}).errors, {"--smooth: expected a number above 0 (got 0)"});
  expect_says(clearance({"check", scene, "--format", "foo"}).errors,
              {"--format: expected one of `abaqus`, `auto`", "(got foo)"});
}

TEST_F(Messages, UnknownCommandsAndOptionsNameTheNearest) {
  expect_says(clearance({"chekc"}).errors, {"there is no command `chekc`", "`check`"});
  expect_says(clearance({"run", "scene.json", "--step", "3"}).errors, {"no option `--step`", "`--steps`"});
  EXPECT_EQ(clearance({}).status, 2);
}

TEST_F(Messages, ConvertReplacesAFileOnlyIfToldSo) {
  const std::string scene = write("fine.json", "{\"bodies\": [{" + cube_ + "}]}").string();
  const std::string other = write("other.json", "mine").string();
  const ProcessResult refused = clearance({"convert", scene, "-o", other});
  EXPECT_EQ(refused.status, 2);
  expect_says(refused.errors, {"other.json", "this file exists", "--overwrite"});
  EXPECT_EQ(read_text(other), "mine");
  EXPECT_EQ(clearance({"convert", scene, "-o", other, "--overwrite"}).status, 0);
  EXPECT_NE(read_text(other), "mine");
}

TEST_F(Messages, SceneThatIsNotThereMakesNoFolder) {
  const fs::path out = folder_ / "nowhere";
  EXPECT_EQ(clearance({"run", (folder_ / "none.json").string(), "-o", out.string()}).status, 2);
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(Messages, KindOfAllStiffBodiesIsRefusedWhereThereAreNone) {
  const std::string scene = write("fine.json", "{\"bodies\": [{" + cube_ + "}]}").string();
  const ProcessResult check = clearance({"check", scene, "--set", "bodies.type=rigid"});
  EXPECT_EQ(check.status, 2);
  expect_says(check.errors, {"bodies.type=rigid", "no stiff bodies", "bodies[0].kind=rigid"});
}

TEST_F(Messages, ResumedOtherSceneSaysWhatDiffers) {
  const std::string scene = write("fine.json", "{\"bodies\": [{" + cube_ + "}]}").string();
  const std::string out = (folder_ / "out").string();
  ASSERT_EQ(clearance({"run", scene, "-o", out, "--steps", "1", "-q"}).status, 0);
  const ProcessResult run = clearance(
      {"run", scene, "-o", out, "--resume", "--set", "bodies[0].material.density=500", "--set", "time.step=0.02"});
  EXPECT_EQ(run.status, 2);
  expect_says(run.errors,
              {"time.step was 0.01 and is now 0.02", "bodies[0].material.density was 1000.0 and is now 500"});
}

TEST_F(Messages, FreeRigidBodyInEquilibriumIsNamedAsTheCause) {
  const std::string scene = write("free.json", R"({"time": {"integrator": "quasi_static"}, "bodies":
    [{"name": "raft", "kind": "rigid", )" + cube_ + "}]}")
                                .string();
  const ProcessResult run = clearance({"run", scene, "-o", (folder_ / "out").string(), "-q"});
  EXPECT_EQ(run.status, 3);
  expect_says(run.errors,
              {"linear_solve_failed: the matrix is singular", "nothing holds body 'raft' in any direction"});
}

TEST_F(Messages, StrainedJointIsNamedAndOneThatHangsIsNot) {
  const std::string hung = R"({"time": {"duration": 0.1}, "bodies": [{"name": "lamp", "kind": "affine", )" + cube_ +
                           R"(%MOTION%}], "joints": [{"name": "peg", "kind": "fixed", "bodies": ["lamp", ""]}]})";
  const auto run = [&](const std::string& motion) {
    std::string scene = hung;
    scene.replace(scene.find("%MOTION%"), 8, motion);
    return clearance(
        {"run", write("hung.json", scene).string(), "-o", (folder_ / "out").string(), "-q", "--overwrite"});
  };
  EXPECT_EQ(run("").errors.find("joint_strained"), std::string::npos);
  expect_says(
      run(R"(, "motions": [{"linear_velocity": [1, 0, 0]}])").errors,
      {"bodies[0].motions[0]: warning: this motion moves 'lamp', but the body is held to the world by joint 'peg'",
       "warning joint_strained", "joint 'peg' is out of place"});
}

TEST_F(Messages, CommaTooManyIsToldAsSuch) {
  expect_says(refused("{\"bodies\": [{" + cube_ + "},\n ]}"), {"line 2, column 2", "remove the comma before it"});
}

TEST_F(Messages, CommaThatIsMissingIsToldWhereTheNextValueBegins) {
  expect_says(refused("{\n\"time\": {\"step\": 0.01}\n\"bodies\": []}"),
              {"line 3, column 1", "a comma is probably missing before it"});
  expect_says(refused("{\"gravity\": [0, -9.81 0], \"bodies\": []}"),
              {"line 1, column 23", "a comma is probably missing before it"});
  expect_says(refused("{\"bodies\": [{}\n// the second\n{}]}"),
              {"line 3, column 1", "a comma is probably missing before it"});
  // Other syntax errors have nothing to do with commas.
  for (const char* text : {"{\"bodies\": [{]}", "{\"bodies\" []}", "{\"bodies\": [1, x]}", "{\"bodies\": []"}) {
    EXPECT_EQ(refused(text).find("comma"), std::string::npos) << text;
  }
}

TEST_F(Messages, BodiesThatAreNoListAreOneError) {
  const std::string text = refused(R"({"bodies": {"name": "a"}, "joints": [{"bodies": ["a", ""]}],
    "output": {"probes": [{"name": "p", "body": "a"}]}})");
  expect_says(text, {"bodies: expected an array of objects, not an object"});
  EXPECT_EQ(num_lines_with(text, "error:"), 1) << text;
}

TEST_F(Messages, BodyThatTouchesAHalfSpaceIsToldToLeaveAGap) {
  const std::string text =
      refused(R"({"half_spaces": [{"point": [0, -0.5, 0]}], "bodies": [{"name": "red", )" + cube_ + "}]}");
  expect_says(text, {"'red' touches half_spaces[0] at the start: 4 vertices on it", "need a gap above zero", "dhat"});
  EXPECT_EQ(text.find("deep"), std::string::npos) << text;
  const std::string apart = refused(R"({"half_spaces": [{"point": [0, -0.51, 0]}], "contact": {"min_separation": 0.02},
    "bodies": [{"name": "red", )" + cube_ +
                                    "}]}");
  expect_says(apart, {"'red' starts 0.01 m from half_spaces[0]", "a gap above min_separation (0.02 m)"});
}

TEST_F(Messages, NoStepsAreRefused) {
  const std::string file = write("scene.json", "{\"bodies\": [{" + cube_ + "}]}").string();
  const ProcessResult run = clearance({"run", file, "-o", (folder_ / "out").string(), "--steps", "0"});
  EXPECT_EQ(run.status, 2);
  expect_says(run.errors, {"--steps: expected a whole number from 1", "(got 0)"});
}

TEST_F(Messages, RegionsThatSelectNothingAreInTheSummary) {
  const std::string nowhere = R"("region": {"box": [[5, 5, 5], [6, 6, 6]]})";
  const std::string file =
      write("scene.json", "{\"bodies\": [{" + cube_ + R"(, "motions": [{)" + nowhere +
                              R"(}], "loads": [{"kind": "force", "value": [0, 1, 0], )" + nowhere + "}]}]}")
          .string();
  const fs::path out = folder_ / "out";
  const ProcessResult run = clearance({"run", file, "-o", out.string(), "--steps", "1"});
  EXPECT_EQ(run.status, 0);
  expect_says(run.errors, {"bodies[0].motions[0].region: warning:", "bodies[0].loads[0].region: warning:"});
  std::vector<std::string> messages;
  const Json summary = Json::parse(read_text(out / "summary.json"));
  for (const Json& warning : summary["warnings"]) {
    if (warning["name"] == "empty_region") messages.push_back(warning["message"]);
  }
  ASSERT_EQ(messages.size(), 2u);
  expect_says(messages[0] + messages[1],
              {"bodies[0].motions[0].region: the region contains no node", "bodies[0].loads[0].region:"});
}

TEST_F(Messages, FolderThatIsNoResultIsToldAlikeByAllCommands) {
  const fs::path foreign = folder_ / "foreign";
  fs::create_directories(foreign);
  std::ofstream(foreign / "notes.txt") << "of a user";
  const std::string picture = (folder_ / "a.png").string();
  const std::vector<std::vector<std::string>> commands = {
      {"info", foreign.string()}, {"verify", foreign.string()}, {"render", foreign.string(), "-o", picture}};
  for (const std::vector<std::string>& command : commands) {
    const ProcessResult result = clearance(command);
    EXPECT_EQ(result.status, 2) << command[0];
    expect_says(result.errors, {"foreign: this is not a result folder of this program"});
    std::vector<std::string> missing = command;
    missing[1] = (folder_ / "missing").string();
    expect_says(clearance(missing).errors, {"missing: this is not a folder; expected a result folder"});
  }
  // A refused run leaves its log in a folder that existed before.
  fs::create_directory(folder_ / "out");
  const std::string scene = write("scene.json", R"({"bodies": []})").string();
  EXPECT_EQ(clearance({"run", scene, "-o", (folder_ / "out").string()}).status, 2);
  expect_says(clearance({"info", (folder_ / "out").string()}).errors, {"contains no result", "log.txt says why"});
}

TEST_F(Messages, FramesThatAreNotThereSayHowTheyAreCounted) {
  const std::string file = write("scene.json", "{\"bodies\": [{" + cube_ + "}]}").string();
  const std::string out = (folder_ / "out").string(), picture = (folder_ / "a.png").string();
  ASSERT_EQ(clearance({"run", file, "-o", out, "--steps", "2", "-q"}).status, 0);
  const ProcessResult render = clearance({"render", out, "-o", picture, "--frame", "99"});
  EXPECT_EQ(render.status, 2);
  expect_says(render.errors,
              {"--frame: this frame does not exist; expected 0 to 2, or -1 to -3 counted from the end (got 99)"});
}

TEST_F(Messages, SizesThatHaveNoEffectAreTold) {
  const std::string scene = R"({"bodies": [{"generator": {"kind": "sphere", "size": [2, 2, 2], "resolution": [2]}}]})";
  expect_says(clearance({"check", write("ball.json", scene).string()}).errors,
              {"bodies[0].generator.size: warning: a sphere uses 1 of these values"});
}

TEST_F(Messages, SceneThatIsNoJsonSaysWhere) {
  expect_says(refused("{\"bodies\": [\n{\"mesh\" \"cube.msh\"}]}"), {"scene.json", "line 2"});
  EXPECT_EQ(clearance({"run", (folder_ / "none.json").string(), "-o", (folder_ / "out").string()}).status, 2);
}

/// 2e8 tetrahedra exceeded the limit of cells unnoticed, and the program ended for want of memory.
TEST_F(Messages, RefinementsCountAgainstTheLimitOfCells) {
  const std::string scene =
      write("scene.json", R"({"bodies": [{"generator": {"kind": "box", "resolution": [2, 1, 1]}}]})");
  const ProcessResult refused = clearance({"check", scene, "--set", "bodies[0].refinements=8"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(
      refused.errors.find(
          "bodies[0].refinements: the refined mesh is too fine; it can have at most 1e+08 cells, not 2.01e+08 (got 8)"),
      std::string::npos)
      << refused.errors;
}

}  // namespace
}  // namespace clearance::cli
