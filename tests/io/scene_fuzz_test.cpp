// Damaged scenes: no crash, no hang, always a clear issue or a valid scene. CLEARANCE_FUZZ_SEEDS sets the number of
// mutations of each file.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "clearance/io/ipc/ipc_script_reader.h"
#include "clearance/io/json_text.h"
#include "clearance/io/rigid_ipc/rigid_ipc_reader.h"
#include "clearance/io/scene_reader.h"
#include "clearance/scene/json_writer.h"
#include "clearance/scene/validate.h"
#include "scene/full_scene.h"
#include "support/paths.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

int num_mutations(int standard) {
  const char* text = std::getenv("CLEARANCE_FUZZ_SEEDS");
  return text != nullptr ? std::max(1, std::atoi(text)) : standard;
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, std::vector<std::string> words) : random_(seed), words_(std::move(words)) {}

  std::string mutate(std::string text) {
    for (int i = below(4); i >= 0; --i) mutate_once(text);
    return text;
  }

 private:
  int below(std::size_t count) { return static_cast<int>(random_() % std::max<std::size_t>(count, 1)); }

  void mutate_once(std::string& text) {
    if (text.empty()) return;
    const std::size_t at = below(text.size());
    const std::size_t length = below(12);
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 3:
        text.resize(at);
        break;
      default:
        replace_word(text, at);
    }
  }
  // Replaces a number or a name by another value, which gets past the syntax more often than random bytes.
  void replace_word(std::string& text, std::size_t at) {
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
    };
    while (at < text.size() && !is_word(text[at])) ++at;
    std::size_t end = at;
    while (at > 0 && is_word(text[at - 1])) --at;
    while (end < text.size() && is_word(text[end])) ++end;
    text.replace(at, end - at, words_[below(words_.size())]);
  }

  std::mt19937_64 random_;
  std::vector<std::string> words_;
};

void expect_clear_answer(const Result<LoadedScene>& loaded) {
  if (loaded) {
    EXPECT_FALSE(has_errors(validate(loaded->scene)));
    EXPECT_FALSE(has_errors(loaded->warnings));
    // An accepted scene can be written and has steps to run.
    EXPECT_FALSE(scene_to_json(loaded->scene).empty());
    EXPECT_GE(num_steps(loaded->scene.time), 1);
    return;
  }
  EXPECT_TRUE(has_errors(loaded.issues()));
  for (const Issue& issue : loaded.issues()) {
    EXPECT_FALSE(issue.message.empty());
    EXPECT_LT(to_string(issue).size(), 2000U);
  }
}

TEST(SceneFuzz, DamagedNativeScenesGiveIssuesOrValidScenes) {
  SceneDesc scene = consistent_full_scene();
  scene.bodies[0].mesh = "";
  scene.bodies[0].units = {};
  scene.bodies[0].up = UpAxis::y;
  scene.bodies[0].volume_mesh = {};
  scene.bodies[0].collision_surface->input = false;
  scene.bodies[0].generator = GeneratorDesc{};
  scene.bodies[0].material_fields.pop_back();  // an array of the mesh file
  const std::string text = scene_to_json(scene);
  const Result<LoadedScene> whole = load_scene_text(text, "scene.json", ".");
  for (const Issue& issue : whole.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(whole);
  const std::vector<std::string> words = {"-1",          "0",    "1e308", "1e400",    "null",   "true", "\"mesh\"",
                                          "2",           "[]",   "{}",    "[1,2,3]",  "0.5",    "NaN",  "infinity",
                                          "99999999999", "1e-9", "-0.0",  "obstacle", "sphere", "body", "dimension"};
  int num_valid = 0;
  const int count = num_mutations(6000);
  for (int seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    const Result<LoadedScene> loaded =
        load_scene_text(Mutator(static_cast<std::uint64_t>(seed), words).mutate(text), "scene.json", ".");
    num_valid += loaded ? 1 : 0;
    expect_clear_answer(loaded);
    if (HasFailure()) return;
  }
  // The mutations must reach both outcomes.
  EXPECT_GT(num_valid, 0);
  EXPECT_LT(num_valid, count);
}

constexpr const char* tet_mesh = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 1 1 1 2 3 4
$EndElements
)";

/// The script from which scripts/reliability_inputs.py starts, too.
std::string first_script() {
  std::ifstream file(source_folder() / "tests/fuzz/seeds/script.txt");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SceneFuzz, DamagedIpcScriptsGiveIssuesOrValidScenes) {
  const fs::path folder = fs::temp_directory_path() / "clearance_ipc_fuzz";
  fs::create_directories(folder);
  std::ofstream(folder / "tet.msh") << tet_mesh;
  std::ofstream(folder / "tri.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const auto load = [&](const std::string& text) { return read_ipc_script_text(text, folder / "scene.txt"); };
  const std::string script = first_script();
  std::string without_turn = script;
  without_turn.replace(without_turn.find("rotateModel"), 11, "#otateModel");
  const std::vector<std::string> words = {"-1",
                                          "0",
                                          "1e308",
                                          "1e400",
                                          "nan",
                                          "twist",
                                          "dragright",
                                          "fall",
                                          "99999999",
                                          "QP",
                                          "shapes",
                                          "2",
                                          "tri.obj",
                                          "tet.msh",
                                          "NBC",
                                          "DCOSquash",
                                          "inf",
                                          "hang2",
                                          "1e-12",
                                          "size",
                                          "0.5",
                                          "DCOSegBedSquash",
                                          "stretchAndPause",
                                          "DCORotCylinders"};
  int num_valid = 0;
  const int count = num_mutations(3000);
  for (int seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    const Result<LoadedScene> loaded = load(Mutator(static_cast<std::uint64_t>(seed), words).mutate(without_turn));
    num_valid += loaded ? 1 : 0;
    expect_clear_answer(loaded);
    if (HasFailure()) break;
  }
  EXPECT_GT(num_valid, 0);
  EXPECT_LT(num_valid, count);
  fs::remove_all(folder);
}

constexpr const char* fixture = R"({
  "scene_type": "distance_barrier_rb_problem", "solver": "ipc_solver", "timestep": 0.025, "max_time": 1.5,
  "distance_barrier_constraint": {"initial_barrier_activation_distance": 1e-3, "minimum_separation_distance": 1e-4},
  "friction_constraints": {"iterations": -1, "static_friction_speed_bound": 1e-5},
  "ipc_solver": {"velocity_conv_tol": 1e-3, "dhat_epsilon": 1e-9},
  "rigid_body_problem": {"coefficient_friction": 0.5, "gravity": [0, -9.8, 0], "rigid_bodies": [
    {"mesh": "tri.obj", "dimensions": [2, 3, 0], "rotation": [10, 20, 30], "linear_velocity": [1, 2, 3], "density": 7,
     "is_dof_fixed": [true, false, true, true, true, false], "force": [1, 2, 3], "torque": [4, 5, 6], "group_id": 2},
    {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "edges": [[0, 1], [2, 3]], "position": [9, 8, 7],
     "faces": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "scale": 2, "split_components": true, "enabled": true},
    {"mesh": "tri.obj", "type": "kinematic", "angular_velocity": [0, 90, 0], "kinematic_max_time": 1,
     "kinematic_poses": [{"position": [1, 2, 3], "rotation": [0.1, 0, 0]}, {}]},
    {"mesh": "tri.obj", "type": "static", "group_id": 2}]}})";

TEST(SceneFuzz, DamagedRigidIpcScenesGiveIssuesOrValidScenes) {
  const fs::path folder = fs::temp_directory_path() / "clearance_rigid_ipc_fuzz";
  fs::create_directories(folder);
  std::ofstream(folder / "tri.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const std::vector<std::string> words = {
      "-1",   "0",       "1e308",     "1e400", "null",        "true",      "false",  "[]",
      "{}",   "[1,2,3]", "[[0,1,2]]", "0.5",   "2",           "kinematic", "static", "1e-300",
      "type", "mesh",    "vertices",  "-7.5",  "99999999999", "tri.obj",   "scale",  "implicit_newmark"};
  int num_valid = 0;
  int num_refused = 0;
  const int count = num_mutations(3000);
  for (int seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    const Result<Json> root = parse_json_text(Mutator(static_cast<std::uint64_t>(seed), words).mutate(fixture));
    if (!root) continue;
    const Result<LoadedScene> loaded = read_rigid_ipc(*root, folder / "scene.json");
    (loaded ? num_valid : num_refused) += 1;
    expect_clear_answer(loaded);
    if (HasFailure()) break;
  }
  EXPECT_GT(num_valid, 0);
  EXPECT_GT(num_refused, 0);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace clearance
