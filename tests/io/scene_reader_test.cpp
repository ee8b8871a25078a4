#include "clearance/io/scene_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "clearance/io/json_text.h"
#include "clearance/scene/json_writer.h"
#include "scene/full_scene.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class SceneFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("clearance_scene_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "meshes");
    write("meshes/cube.msh", "a mesh is only looked for, not read");
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  /// Returns the issues of a scene, without the folder.
  Lines problems(const std::string& text, const Lines& overrides = {}) const {
    Lines lines;
    const Result<LoadedScene> loaded = load_scene(write("scene.json", text), SceneFormat::automatic, overrides);
    for (const Issue& issue : loaded.issues()) lines.push_back(without_folder(to_string(issue)));
    return lines;
  }
  std::string without_folder(std::string line) const {
    const std::string folder = folder_.string() + "/";
    for (std::size_t at = line.find(folder); at != std::string::npos; at = line.find(folder)) {
      line.erase(at, folder.size());
    }
    return line;
  }
  fs::path folder_;
};

TEST_F(SceneFiles, EveryLineEndAndAByteOrderMarkAreRead) {
  const std::string text = "{\n// a comment\n\"bodies\": [{\"mesh\": \"meshes/cube.msh\"}]\n}\n";
  for (const char* end : {"\n", "\r", "\r\n", "\r\r\n"}) {
    for (const char* mark : {"", "\xEF\xBB\xBF"}) {
      std::string changed = mark;
      for (const char c : text) changed += c == '\n' ? std::string(end) : std::string(1, c);
      const Result<LoadedScene> loaded = load_scene(write("a.json", changed));
      ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
      EXPECT_EQ(loaded->scene.bodies.size(), 1U);
    }
  }
}

constexpr const char* polyfem_text =
    "{\"geometry\": [{\"mesh\": \"meshes/tet.msh\"}],\n\"time\": {\"dt\": 0.01, \"tend\": 1},\n\"materials\": "
    "{\"type\": "
    "\"NeoHookean\", \"E\": 1e5,\n\"nu\": 0.4, \"rho\": 1000}\n}\n";
constexpr const char* rigid_ipc_text =
    "{\"scene_type\": \"distance_barrier_rb_problem\",\n\"timestep\": 0.01, \"max_time\": 1,\n\"rigid_body_problem\": "
    "{\"rigid_bodies\": [{\n\"mesh\": \"meshes/tet.obj\", \"density\": 1000}]}\n}\n";
constexpr const char* tet_msh =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n"
    "1 4 0 1 2 3 4\n$EndElements\n";
constexpr const char* tet_obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

TEST_F(SceneFiles, OfPolyfemAndRigidIpcAreReadWithEveryLineEndMarkAndWithoutALastLineEnd) {
  write("meshes/tet.msh", tet_msh);
  write("meshes/tet.obj", tet_obj);
  for (const std::string& text : {std::string(polyfem_text), std::string(rigid_ipc_text)}) {
    const Result<LoadedScene> plain = load_scene(write("a.json", text));
    ASSERT_TRUE(plain) << to_string(plain.issues()[0]);
    for (const char* end : {"\n", "\r", "\r\n", "\r\r\n", "\n\n", " \t\n"}) {
      for (const char* mark : {"", "\xEF\xBB\xBF"}) {
        for (const bool is_last_line_ended : {true, false}) {
          std::string changed = mark;
          for (const char c : text) changed += c == '\n' ? std::string(end) : std::string(1, c);
          if (!is_last_line_ended) changed.resize(changed.rfind('}') + 1);
          const Result<LoadedScene> loaded = load_scene(write("a.json", changed));
          ASSERT_TRUE(loaded) << to_string(loaded.issues()[0]);
          EXPECT_EQ(scene_to_json(loaded->scene), scene_to_json(plain->scene));
        }
      }
    }
  }
}

TEST_F(SceneFiles, CutOnesAreErrorsWhereverTheyEnd) {
  write("meshes/tet.msh", tet_msh);
  write("meshes/tet.obj", tet_obj);
  for (const std::string& text :
       {std::string(polyfem_text), std::string(rigid_ipc_text),
        std::string("{// a comment\n\"bodies\": [{\"mesh\": \"meshes/cube.msh\"}] /* end */\n}")}) {
    for (std::size_t end = 1; end < text.rfind('}'); ++end) {
      EXPECT_FALSE(load_scene(write("a.json", text.substr(0, end)))) << text.substr(0, end);
    }
    EXPECT_FALSE(load_scene(write("a.json", text + "{}"))) << "something behind the end";
    EXPECT_FALSE(load_scene(write("a.json", text + "]"))) << "something behind the end";
  }
}

TEST_F(SceneFiles, ProblemsNameTheirLineWhateverEndsIt) {
  for (const char* end : {"\n", "\r", "\r\n"}) {
    const Lines told = problems(std::string("{") + end + end + "\"bodies\": [}" + end);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_NE(told[0].find("line 3, column 12"), std::string::npos) << told[0];
  }
}

TEST_F(SceneFiles, WideCharactersAreRefusedByName) {
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("{\"bodies\": []}")) wide += std::string{c, '\0'};
  const Lines told = problems(wide);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("UTF-16"), std::string::npos) << told[0];
}

TEST_F(SceneFiles, ScriptsOfIpcAreReadWithEveryLineEndAndAByteOrderMark) {
  write("meshes/tet.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n"
        "1 4 0 1 2 3 4\n$EndElements\n");
  const std::string text = "energy NH\ntime 1 0.01\nshapes input 1\nmeshes/tet.msh 0 0 0 0 0 0 1 1 1\nground 0.1 -1\n";
  for (const char* end : {"\n", "\r", "\r\n"}) {
    for (const char* mark : {"", "\xEF\xBB\xBF"}) {
      std::string changed = mark;
      for (const char c : text) changed += c == '\n' ? std::string(end) : std::string(1, c);
      const Result<LoadedScene> loaded = load_scene(write("a.txt", changed));
      ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues()[0]);
      EXPECT_EQ(loaded->scene.bodies.size(), 1U);
      EXPECT_EQ(loaded->scene.half_spaces.size(), 1U);
      EXPECT_EQ(loaded->scene.time.step, 0.01);
    }
  }
}

TEST_F(SceneFiles, LoadWithCommentsNamesAndDefaults) {
  const fs::path path = write("drop.json", R"({
    // a comment
    "bodies": [{"mesh": "meshes/cube.msh"}, {"mesh": "meshes/cube.msh", "kind": "obstacle"}] /* another */
  })");
  const Result<LoadedScene> loaded = load_scene(path);
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  EXPECT_EQ(loaded->scene.name, "drop");
  EXPECT_EQ(loaded->scene.bodies[0].name, "cube");
  EXPECT_EQ(loaded->scene.bodies[1].name, "cube 2");
  EXPECT_EQ(loaded->scene.base_directory, folder_.string());
  EXPECT_EQ(loaded->scene.time.step, 0.01);
}

TEST_F(SceneFiles, SaveAndLoadGiveTheSameScene) {
  SceneDesc scene = consistent_full_scene();
  scene.base_directory = folder_.string();
  ASSERT_TRUE(save_scene(folder_ / "saved.json", scene));
  const Result<LoadedScene> loaded = load_scene(folder_ / "saved.json");
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  EXPECT_EQ(scene_to_json(loaded->scene), scene_to_json(scene));
  // The mesh is found from another folder, too.
  fs::create_directories(folder_ / "results/run");
  ASSERT_TRUE(save_scene(folder_ / "results/run/scene.json", scene));
  const Result<LoadedScene> moved = load_scene(folder_ / "results/run/scene.json");
  for (const Issue& issue : moved.issues()) ADD_FAILURE() << to_string(issue);
  EXPECT_EQ(moved->scene.bodies[0].mesh, (folder_ / "meshes/cube.msh").string());
  EXPECT_EQ(moved->scene.bodies[3].collision_surface.value().mesh, (folder_ / "skin.obj").string());
  EXPECT_EQ(moved->scene.bodies[3].collision_surface->weights, (folder_ / "skin.hdf5").string());
  for (const MotionDesc& motion : moved->scene.bodies[0].motions) {
    EXPECT_TRUE(motion.mesh_sequence.empty() || motion.mesh_sequence.starts_with(folder_.string()));
  }
  // Nothing temporary is left behind.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "results/run"), fs::directory_iterator()), 1);
}

TEST_F(SceneFiles, SaveToAMissingFolderSaysSo) {
  const Result<Done> saved = save_scene(folder_ / "nowhere/scene.json", full_scene());
  ASSERT_EQ(saved.issues().size(), 1U);
  EXPECT_EQ(without_folder(to_string(saved.issues()[0])),
            "nowhere/scene.json: cannot write the file: No such file or directory");
}

TEST_F(SceneFiles, MissingMeshSaysWhereItWasLookedFor) {
  EXPECT_EQ(
      problems(R"({"bodies": [{"mesh": "meshes/cub.msh"}, {"mesh": "meshes"}]})"),
      (Lines{"scene.json: bodies[0].mesh: the mesh file does not exist; looked for meshes/cub.msh (got "
             "meshes/cub.msh)",
             "scene.json: bodies[1].mesh: this is a directory, not a mesh file; looked for meshes (got meshes)"}));
}

TEST_F(SceneFiles, AMeshMayBeAPrimOfAStageThatExists) {
  write("meshes/stage.usda", "a mesh is only looked for, not read");
  const auto with = [](const std::string& mesh) { return R"({"bodies": [{"mesh": ")" + mesh + R"("}]})"; };
  EXPECT_EQ(problems(with("meshes/stage.usda</World/ball>")), Lines());
  EXPECT_EQ(problems(with("meshes/none.usda</World/ball>")),
            Lines{"scene.json: bodies[0].mesh: the mesh file does not exist; looked for meshes/none.usda (got "
                  "meshes/none.usda</World/ball>)"});
}

TEST_F(SceneFiles, AllKindsOfProblemsAreReportedTogether) {
  EXPECT_EQ(problems(R"({"bodies": [{"mesh": "x.msh", "material": {"densty": 3, "poisson_ratio": 0.7}}, {"mesh": 3}],
                         "time": {"step": 0}})",
                     {"solver.tolerance=tight", "foo"}),
            (Lines{"scene.json: override `foo`: expected `path=value`, for example `time.step=0.01`",
                   R"(scene.json: solver.tolerance: expected a number, not a string (got "tight"))",
                   "scene.json: bodies[0].material.densty: unknown key; did you mean `density`?",
                   "scene.json: bodies[1].mesh: expected a string, not a number (got 3)",
                   "scene.json: time.step: must be above 0 [s] (got 0)",
                   "scene.json: bodies[0].material.poisson_ratio: must be between -1 and 0.5, both excluded (got 0.7)",
                   "scene.json: bodies[0].mesh: the mesh file does not exist; looked for x.msh (got x.msh)"}));
}

TEST_F(SceneFiles, AWrongNameOfAKindIsOneProblemButHidesNoOthers) {
  const Lines lines = problems(R"({"bodies": [{"name": "cloth", "kind": "cloth", "thickness": 3e-4,
    "generator": {"kind": "sheet", "size": [1, 1], "resolution": [4, 4]}, "shell": {"strain_limit": 0.1},
    "material": {"density": -1}, "motions": [{"clamp": true}]}],
    "output": {"probes": [{"name": "s", "kind": "stress", "body": "cloth"}]}})");
  ASSERT_EQ(lines.size(), 2u) << testing::PrintToString(lines);
  EXPECT_NE(lines[0].find("bodies[0].kind: expected one of"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("bodies[0].material.density: "), std::string::npos) << lines[1];
}

TEST_F(SceneFiles, OverridesAreCheckedLikeTheFile) {
  const std::string good = R"({"bodies": [{"mesh": "meshes/cube.msh"}]})";
  EXPECT_EQ(problems(good, {"time.stp=0.1"}), Lines{"scene.json: time.stp: unknown key; did you mean `step`?"});
  EXPECT_EQ(problems(good, {"time.step=-1"}), Lines{"scene.json: time.step: must be above 0 [s] (got -1)"});
  const Result<LoadedScene> loaded =
      load_scene(folder_ / "scene.json", SceneFormat::clearance,
                 {"time.step=0.25", "bodies[0].material.density=500", "contact.dhat=1e-4"});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->scene.time.step, 0.25);
  EXPECT_EQ(loaded->scene.bodies[0].material.density, 500);
  EXPECT_EQ(loaded->scene.contact.dhat, 1e-4);
}

TEST_F(SceneFiles, SyntaxErrorsNameTheLine) {
  const Lines lines = problems("{\n  \"time\": {\"step\": 0.1,},\n}");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].substr(0, 63), "scene.json: line 2, column 24: this is not valid JSON: object k");
  EXPECT_EQ(problems("{\"time\": NaN}")[0].substr(0, 54), "scene.json: line 1, column 10: this is not valid JSON:");
  EXPECT_EQ(problems(" ")[0].substr(0, 29), "scene.json: line 1, column 2:");
  EXPECT_EQ(problems(""), Lines{"scene.json: is empty"});
}

TEST_F(SceneFiles, SyntaxErrorsNameWhatIsNotJson) {
  const auto problem = [&](const std::string& text) {
    const Lines lines = problems(text);
    EXPECT_EQ(lines.size(), 1U);
    return lines.at(0);
  };
  const auto expect = [&](const std::string& text, const std::string& phrase) {
    EXPECT_NE(problem(text).find("this is not valid JSON: " + phrase), std::string::npos) << problem(text);
  };
  const std::string no_number = "NaN and Infinity are not numbers of JSON", too_large = "this number is too large";
  for (const char* word : {"NaN", "nan", "Infinity", "-Infinity", "inf"}) {
    expect(std::string("{\"time\": {\"step\": ") + word + "}}", no_number);
    expect(std::string("{\"gravity\": [0, ") + word + ", 0]}", no_number);
  }
  expect("{\"time\": {\"step\": 1e400}}", too_large);
  expect("{\"time\": {\"step\": -1e400}}", too_large);
  expect("{\"time\": {\"step\": 0.1}, \"half_spaces\": [{\"point\": [0, 0",
         "the file ends too early, within half_spaces[0].point; 4 closing brackets are missing");
  expect("{\"time\": {\"step\": 0.1}", "the file ends too early; 1 closing bracket is missing");
  expect(" ", "the file ends too early");
  expect("# a comment\n{}", "comments begin with // or stand between /* and */");
  expect("{\"time\": {} # a comment\n}", "comments begin with // or stand between /* and */");
  expect("{'time': {}}", "strings have double quotes");
  expect("{\"name\": 'a'}", "strings have double quotes");
  expect("import numpy", "expected {");
  EXPECT_NE(problem("{} x").find("nothing but comments may follow"), std::string::npos);
}

TEST_F(SceneFiles, FilesOfOtherKindsAreToldWhatIsRead) {
  std::ofstream(folder_ / "make.py") << "import numpy\n";
  const Result<LoadedScene> loaded = load_scene(folder_ / "make.py");
  ASSERT_EQ(loaded.issues().size(), 1U);
  const std::string message = to_string(loaded.issues()[0]);
  for (const char* phrase : {"make.py: this is no scene", "JSON", "IPC", "URDF or MJCF"}) {
    EXPECT_NE(message.find(phrase), std::string::npos) << message;
  }
}

TEST_F(SceneFiles, OverridesThatAreNoNumbersOfJsonGetTheMessageOfAFile) {
  const std::string good = R"({"bodies": [{"mesh": "meshes/cube.msh"}]})";
  EXPECT_EQ(problems(good, {"time.step=1e400"}),
            Lines{"scene.json: override `time.step=1e400`: this number is too large; the largest is about 1.8e308"});
  EXPECT_EQ(problems(good, {"time.step=nan"}),
            Lines{"scene.json: override `time.step=nan`: NaN and Infinity are not numbers of JSON"});
  EXPECT_EQ(problems(good, {"time.step=1e-400"}), Lines{"scene.json: time.step: must be above 0 [s] (got 0)"});
  EXPECT_EQ(problems(good, {"bodies[0].name=\"nan\""}), Lines{});
}

TEST_F(SceneFiles, KeysGivenTwiceAreRefused) {
  EXPECT_EQ(problems(R"({"bodies": [{"mesh": "meshes/cube.msh", "name": "a", "name": "b"}]})"),
            Lines{"scene.json: bodies[0].name: the key is given twice, the second time at line 1, column 55"});
  EXPECT_EQ(problems("{\n  \"time\": {\"step\": 0.1},\n  // a comment\n  \"time\" : {}\n}"),
            Lines{"scene.json: time: the key is given twice, the second time at line 4, column 4"});
}

TEST_F(SceneFiles, OtherFormatsAreRecognised) {
  EXPECT_EQ(problems(R"({"scene_type": "distance_barrier_rb_problem", "rigid_body_problem": {}})"),
            Lines{"scene.json: rigid_body_problem.rigid_bodies: expected a list of bodies"});
  EXPECT_EQ(problems(R"({"geometry": [], "materials": []})"),
            Lines{"scene.json: geometry: expected a list of meshes (got [])"});
  EXPECT_EQ(problems(R"({"time": {}})"),
            Lines{"scene.json: bodies: a scene needs at least one body that is not an obstacle"});
}

// The unknown shape counted as a box, which needs three sizes.
TEST_F(SceneFiles, AnUnknownShapeIsNoBox) {
  const Lines lines = problems(R"({"bodies": [{"generator": {"kind": "bal", "size": [1], "resolution": [2]}}]})");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("bodies[0].generator.kind: expected one of"), std::string::npos) << lines[0];
}

TEST_F(SceneFiles, AMissingPatternIsNamedByItsPlace) {
  const Lines lines = problems(R"({"bodies": [{"kind": "shell", "thickness": 0.001, "mesh": "none.obj",
    "shell": {"pattern": {"mesh": "nope.obj"}}}]})");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].substr(0, 57), "scene.json: bodies[0].mesh: the mesh file does not exist;");
  EXPECT_EQ(lines[1].substr(0, 71), "scene.json: bodies[0].shell.pattern.mesh: the mesh file does not exist;");
}

TEST_F(SceneFiles, MissingFilesAndFoldersAreNamed) {
  EXPECT_EQ(without_folder(to_string(load_scene(folder_ / "no.json").issues()[0])), "no.json: the file does not exist");
  EXPECT_EQ(without_folder(to_string(load_scene(folder_ / "no.txt").issues()[0])), "no.txt: the file does not exist");
  EXPECT_EQ(without_folder(to_string(load_scene(folder_ / "meshes").issues()[0])),
            "meshes: this is a directory, not a scene file");
}

TEST(JsonText, DeepNestingIsRefusedNotACrash) {
  EXPECT_FALSE(parse_json_text(std::string(1000000, '[')));
  EXPECT_TRUE(parse_json_text(std::string(60, '[') + std::string(60, ']')));
}

}  // namespace
}  // namespace clearance
