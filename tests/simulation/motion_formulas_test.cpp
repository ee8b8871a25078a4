// Motions by formulas and by files, and motions of parts of obstacles.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "clearance/base/parallel.h"
#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"
#include "simulation/running_scene.h"
#include "support/paths.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

constexpr const char* far_box = R"({"generator": {"kind": "box", "resolution": [1, 1, 1]},
  "transform": {"translation": [0, 50, 0]}})";

/// Returns a box that rests far away, and an obstacle.
std::string obstacle_scene(const std::string& obstacle) {
  return R"({"gravity": [0, 0, 0], "time": {"step": 0.01, "duration": 0.1}, "bodies": [)" + std::string(far_box) +
         R"(, {"kind": "obstacle", )" + obstacle + "}]}";
}

constexpr const char* sheet = R"("generator": {"kind": "sheet", "size": [1, 1], "resolution": [2, 2]})";

TEST(Displacement, FollowsTheFormulaExactly) {
  RunningScene scene(obstacle_scene(std::string(sheet) + R"(, "motions": [{"displacement":
    ["0.1 * sin(2 * pi * t) ", "0.2 * x * t", "0"]}])"));
  for (int n = 1; n <= 10; ++n) {
    scene.step();
    const double t = n * 0.01;
    for (int i = 0; i < scene.num_nodes(); ++i) {
      const Vec<3> rest = scene.rest(i);
      if (scene.mass(i) == 0.0) {
        EXPECT_EQ(scene.x(i), Vec<3>(rest + Vec<3>(0.1 * elementary::sin(2 * M_PI * t), 0.2 * rest[0] * t, 0)));
      }
    }
  }
}

TEST(Displacement, BendsADeformableBodyInThePlane) {
  RunningScene beam(R"({"dimension": 2, "gravity": [0, 0], "time": {"step": 0.01},
    "bodies": [{"generator": {"kind": "rectangle", "size": [1, 0.2], "resolution": [5, 1]}, "motions": [
      {"region": {"box": [[0, 0], [0, 1]], "frame": "body"}},
      {"region": {"box": [[1, 0], [1, 1]], "frame": "body"}, "displacement": ["0", "0.2 * (1 - cos(5 * t)) "]}]
}]
})");
  for (int n = 1; n <= 20; ++n) {
    beam.step();
    for (int i = 0; i < beam.num_nodes(); ++i) {
      if (beam.rest(i)[0] > 0.499) {
        EXPECT_EQ(beam.x(i), Vec<3>(beam.rest(i) + Vec<3>(0, 0.2 * (1 - elementary::cos(5 * (n * 0.01))), 0)));
      }
    }
  }
}

TEST(Displacement, IsAddedToTheRigidMotion) {
  RunningScene scene(obstacle_scene(std::string(sheet) + R"(, "motions": [{"angular_velocity": [0, 90, 0],
    "linear_velocity": [0, 1, 0], "displacement": ["t^2", "0", "0"]}])"));
  scene.steps(10);
  for (int i = 0; i < scene.num_nodes(); ++i) {
    if (scene.mass(i) > 0.0) continue;
    const Vec<3> turned = rotation_from_vector(Vec<3>(0, 0.1 * 0.5 * M_PI, 0)) * scene.rest(i);
    EXPECT_LT((scene.x(i) - turned - Vec<3>(0.01, 0.1, 0)).norm(), 1e-14);
  }
}

TEST(Displacement, ActsInItsWindowAndTheObstacleStays) {
  RunningScene scene(obstacle_scene(std::string(sheet) + R"(, "motions": [{"displacement": ["0", "t - 0.03", "0"],
    "start": 0.03, "end": 0.06}])"));
  for (int n = 1; n <= 10; ++n) {
    scene.step();
    const double expected = std::clamp(n - 3, 0, 3) * 0.01;
    for (int i = 0; i < scene.num_nodes(); ++i) {
      if (scene.mass(i) == 0.0) {
        EXPECT_NEAR(scene.x(i)[1], expected, 1e-16) << "step " << n;
      }
    }
  }
}

TEST(Displacement, ThatIsNotFiniteEndsTheRunAndLosesNothing) {
  RunningScene scene(
      obstacle_scene(std::string(sheet) + R"(, "motions": [{"displacement": ["0", "log(0.025 - t) ", "0"],
    "start": 0.01}])"));
  scene.step();
  scene.step();
  const VecX x = scene.state().x;
  const StepReport report = scene.simulation().step();
  EXPECT_EQ(to_string(report.status), "undefined_input");
  EXPECT_TRUE(report.limited_by.starts_with("bodies[1].motions[0].displacement[1]: the value is "))
      << report.limited_by;
  EXPECT_EQ(scene.state().step, 2);
  EXPECT_EQ(scene.state().x, x);
}

/// A folder of its own for files of a test.
class Files : public testing::Test {
 protected:
  Files() {
    folder_ = fs::temp_directory_path() /
              (std::string("clearance_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "frames");
  }
  ~Files() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  /// Writes a triangle whose third vertex is at height y; the file has a vertex before them that nothing uses.
  void write_triangle(const std::string& name, double y, const char* faces = "f 2 3 4\n") {
    write(name, "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 " + std::to_string(y) + " 1\n" + faces);
  }
  std::string quoted(const std::string& name) const { return '"' + (folder_ / name).string() + '"'; }
  std::string triangle_scene(const std::string& more = "") const {
    return obstacle_scene("\"mesh\": " + quoted("triangle.ply") + R"(, "motions": [{"mesh_sequence": )" +
                          quoted("frames") + more + "}]");
  }
  std::string problems(const std::string& scene) const {
    const Result<LoadedScene> loaded = load_scene_text(scene, "scene", ".", {});
    if (!loaded) return to_string(loaded.issues().front());
    const Result<Simulation> simulation = Simulation::create(loaded->scene);
    EXPECT_FALSE(simulation);
    std::string text;
    for (const Issue& issue : simulation.issues()) {
      // (Warnings about the meshes come with them.)
      if (issue.severity == Severity::error) text += to_string(issue) + "\n";
    }
    const std::string path = folder_.string();
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path))
      text.replace(at, path.size(), "FOLDER");
    return text;
  }

  fs::path folder_;
};

/// Returns the height of the moving corner of the obstacle.
double corner_height(const RunningScene& scene) {
  for (int i = 0; i < scene.num_nodes(); ++i) {
    if (scene.mass(i) == 0.0 && scene.rest(i)[2] == 1.0) return scene.x(i)[1];
  }
  return infinity;
}

class MeshSequenceFiles : public Files {
 protected:
  void SetUp() override {
    write("triangle.ply",
          "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
          "element face 1\nproperty list uchar int vertex_indices\nend_header\n9 9 9\n0 0 0\n1 0 0\n0 0 1\n3 1 2 3\n");
    for (int n = 0; n <= 10; ++n) write_triangle("frames/" + std::to_string(n) + ".obj", 0.01 * n * n);
  }
};

TEST_F(MeshSequenceFiles, PositionsAreReachedExactlyAtTheEndOfTheirStep) {
  RunningScene scene(triangle_scene());
  for (int n = 1; n <= 10; ++n) {
    scene.step();
    EXPECT_EQ(corner_height(scene), std::stod(std::to_string(0.01 * n * n))) << "step " << n;
  }
}

TEST_F(MeshSequenceFiles, FirstFileMayHaveAnotherNumber) {
  RunningScene scene(triangle_scene(R"(, "mesh_sequence_first": 0)"));
  for (int n = 1; n <= 10; ++n) {
    scene.step();
    EXPECT_EQ(corner_height(scene), std::stod(std::to_string(0.01 * (n - 1) * (n - 1)))) << "step " << n;
  }
}

TEST_F(MeshSequenceFiles, CountsFromItsStartAndRestsAfterItsEnd) {
  for (int n = 4; n <= 10; ++n) fs::remove(folder_ / "frames" / (std::to_string(n) + ".obj"));
  RunningScene scene(triangle_scene(R"(, "start": 0.03, "end": 0.06)"));
  for (int n = 1; n <= 10; ++n) {
    scene.step();
    const int file = std::clamp(n - 3, 0, 3);
    EXPECT_EQ(corner_height(scene), std::stod(std::to_string(0.01 * file * file))) << "step " << n;
  }
}

TEST_F(MeshSequenceFiles, RateHasStraightLinesBetweenFilesAndHoldsTheLast) {
  // With 25 files a second and steps of 10 ms, a new file comes every four steps. Files 0 to 10 end after 0.4 s.
  for (int n = 3; n <= 10; ++n) fs::remove(folder_ / "frames" / (std::to_string(n) + ".obj"));
  RunningScene scene(triangle_scene(R"(, "mesh_sequence_first": 0, "mesh_rate": 25)"));
  for (int n = 1; n <= 10; ++n) {
    scene.step();
    const double place = std::min(n / 4.0, 2.0), whole = std::min(std::floor(place), 1.0);
    const double height = 0.01 * (whole * whole + (place - whole) * (2.0 * whole + 1.0));
    EXPECT_NEAR(corner_height(scene), height, 1e-12) << "step " << n;
  }
}

TEST_F(MeshSequenceFiles, MayBeListedAndMovedByTheTransform) {
  const std::string scene_text =
      obstacle_scene("\"mesh\": " + quoted("triangle.ply") +
                     R"(, "transform": {"scale": 2, "translation": [0, 0.5, 0]}, "motions": [{"mesh_is_placed": false,
          "mesh_files": [)" +
                     quoted("frames/2.obj") + ", " + quoted("frames/9.obj") + "]}]");
  RunningScene scene(scene_text);
  const auto height = [&] {
    for (int i = 0; i < scene.num_nodes(); ++i) {
      if (scene.mass(i) == 0.0 && scene.rest(i)[2] == 2.0) return scene.x(i)[1];
    }
    return infinity;
  };
  scene.step();
  EXPECT_DOUBLE_EQ(height(), 0.5 + 2 * 0.04);
  scene.step();
  EXPECT_DOUBLE_EQ(height(), 0.5 + 2 * 0.81);
  scene.step();
  EXPECT_DOUBLE_EQ(height(), 0.5 + 2 * 0.81) << "the last file holds";
}

TEST_F(MeshSequenceFiles, SamplesOfAStageAreASequence) {
  std::ofstream(folder_ / "lift.usda") << R"(#usda 1.0
(
    metersPerUnit = 1
)
def Mesh "tile"
{
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    point3d[] points = [(0, 0, 0), (0, 0, 1), (1, 0, 0)]
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 1: (0, 0.01, 0), 2: (0, 0.04, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";
  const std::string stage = quoted("lift.usda</tile>");
  RunningScene scene(
      obstacle_scene("\"mesh\": " + stage + R"(, "motions": [{"mesh_rate": 50, "mesh_files": [)" + stage + "]}]"));
  // Steps of 10 ms are half a sample.
  for (const double height : {0.005, 0.01, 0.025, 0.04, 0.04}) {
    scene.step();
    EXPECT_NEAR(corner_height(scene), height, 1e-12);
  }
}

TEST_F(MeshSequenceFiles, CopiesOfAnArrayAreMovedByTheirOffset) {
  std::string text = triangle_scene();
  text.insert(text.find("\"mesh\""), R"("array": {"counts": [2, 1, 1], "spacing": [5, 0, 0]}, )");
  RunningScene scene(text);
  scene.steps(3);
  double largest_x = 0.0;
  for (int i = 0; i < scene.num_nodes(); ++i) {
    if (scene.mass(i) > 0.0) continue;
    largest_x = std::max(largest_x, scene.x(i)[0]);
    if (scene.rest(i)[2] == 1.0) {
      EXPECT_EQ(scene.x(i)[1], 0.09);
    }
  }
  EXPECT_EQ(largest_x, 6.0);
}

TEST_F(MeshSequenceFiles, MissingAndUnfitFilesAreReportedBeforeTheStart) {
  fs::remove(folder_ / "frames/7.obj");
  fs::remove(folder_ / "frames/9.obj");
  EXPECT_EQ(problems(triangle_scene()),
            "FOLDER/frames: bodies[1].motions[0].mesh_sequence: 2 of the 10 mesh files of the run are missing, the "
            "first being `7.obj`; simulate less time, or let the motion end earlier\n");
  for (int n : {7, 9}) write_triangle("frames/" + std::to_string(n) + ".obj", 1, "v 1 1 1\nf 2 3 4\n");
  EXPECT_EQ(problems(triangle_scene()),
            "FOLDER/frames/7.obj: bodies[1].motions[0].mesh_sequence: the file has 5 vertices, but the mesh of the "
            "body that it moves has 4\n");
  EXPECT_EQ(problems(triangle_scene(R"(, "mesh_sequence_first": 100)")),
            "FOLDER/frames: bodies[1].motions[0].mesh_sequence: the folder has no mesh file with the number 100; "
            "expected `100.obj` or another mesh format, one file a step\n");
  fs::remove_all(folder_ / "frames");
  EXPECT_EQ(problems(triangle_scene()),
            "FOLDER/frames: bodies[1].motions[0].mesh_sequence: the folder of this mesh sequence does not exist\n");
}

TEST_F(MeshSequenceFiles, MissingFoldersAreReportedBesideProblemsOfOtherBodies) {
  fs::remove_all(folder_ / "frames");
  std::string scene = triangle_scene();
  // A surface is no deformable body.
  scene.insert(scene.find("\"bodies\": [") + 11, R"({"name": "hollow", "mesh": )" + quoted("triangle.ply") + "}, ");
  const std::string told = problems(scene);
  EXPECT_NE(told.find("body 'hollow' has no t"), std::string::npos) << told;
  EXPECT_NE(told.find("bodies[2].motions[0].mesh_sequence: the folder of this mesh sequence does not exist"),
            std::string::npos)
      << told;
}

TEST_F(MeshSequenceFiles, FileThatIsGoneDuringTheRunEndsIt) {
  RunningScene scene(triangle_scene());
  scene.steps(3);
  fs::remove(folder_ / "frames/4.obj");
  const VecX x = scene.state().x;
  EXPECT_EQ(to_string(scene.simulation().step().status), "undefined_input");
  EXPECT_EQ(scene.state().x, x);
  write_triangle("frames/4.obj", 0.16);
  scene.step();
  EXPECT_EQ(corner_height(scene), 0.16);
}

TEST_F(Files, SequenceInThePlaneMovesADeformableBody) {
  write("body.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  for (int n = 1; n <= 5; ++n) {
    write("frames/" + std::to_string(n) + ".obj",
          "v 0 0 0\nv " + std::to_string(1 + 0.125 * n) + " 0 0\nv 0 1 0\nf 1 2 3\n");
  }
  RunningScene scene(R"({"dimension": 2, "time": {"step": 0.01, "duration": 0.05}, "bodies": [{"mesh": )" +
                     quoted("body.obj") + R"(, "motions": [{"mesh_sequence": )" + quoted("frames") + "}]}]}");
  for (int n = 1; n <= 5; ++n) {
    scene.step();
    EXPECT_EQ(scene.x(1), Vec<3>(1 + 0.125 * n, 0, 0));
    EXPECT_EQ(scene.x(2), Vec<3>(0, 1, 0));
  }
}

TEST_F(Files, SequenceOfTheReferenceMovesItsSegments) {
  const fs::path frames = peer_data() / "ipc/input/segMeshes/sequence";
  if (!fs::exists(frames)) GTEST_SKIP() << frames << " is missing";
  RunningScene scene(obstacle_scene("\"mesh\": \"" + (frames / "0.seg").string() +
                                    R"(", "motions": [{"mesh_sequence": ")" + frames.string() + "\"}]"));
  scene.steps(3);
  double distance = infinity;
  for (int i = 0; i < scene.num_nodes(); ++i) {
    distance = std::min(distance, (scene.x(i) - Vec<3>(-1.1069483339e-01, 1.0120362230e+00, 1.1992758103e-01)).norm());
  }
  EXPECT_EQ(distance, 0.0);
}

TEST_F(Files, PartsOfTrianglesSegmentsAndPointsMove) {
  write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
  write("b.seg", "v 0 0 0\nv 1 0 0\nv 0 0 1\ns 1 2\ns 1 3\n");
  write("c.pt", "v 0 0 0\nv 1 0 0\nv 0 0 1\n");
  for (const char* name : {"a.obj", "b.seg", "c.pt"}) {
    RunningScene scene(obstacle_scene("\"mesh\": " + quoted(name) + R"(, "motions": [{"linear_velocity": [0, 1, 0],
      "region": {"box": [[0.5, 0, 0], [1, 1, 1]], "frame": "body", "surface_only": true}}])"));
    scene.steps(10);
    for (int i = 0; i < scene.num_nodes(); ++i) {
      if (scene.mass(i) == 0.0) {
        EXPECT_NEAR(scene.x(i)[1], scene.rest(i)[0] == 1.0 ? 0.1 : 0.0, 1e-15) << name;
      }
    }
  }
}

TEST(Motion, ThatFindsNoNodeIsWarnedAbout) {
  RunningScene scene(
      obstacle_scene(std::string(sheet) + R"(, "motions": [{"region": {"box": [[5, 5, 5], [6, 6, 6]]}}])"));
  ASSERT_EQ(scene.simulation().warnings().size(), 1U);
  EXPECT_EQ(to_string(scene.simulation().warnings()[0]),
            "bodies[1].motions[0].region: warning: the region contains no node of body 'sheet', so that the motion has "
            "no effect");
}

/// A box is pushed by loads and a formula, and hit by a plate from files.
class Scripted : public MeshSequenceFiles {
 protected:
  std::string scene(const std::string& integrator) const {
    return R"({"time": {"step": 0.01, "duration": 0.1, "integrator": ")" + integrator + R"("}, "bodies": [
      {"generator": {"kind": "box", "size": [0.4, 0.4, 0.4], "resolution": [2, 2, 2]},
       "transform": {"translation": [0.3, 0.25, 0.3]}, "linear_velocity": [0, -2, 0],
       "loads": [{"expression": ["10 * sin(40 * t) ", "x * t", "0"], "start": 0.02, "end": 0.08},
                 {"kind": "traction", "value": [0, -500, 0], "region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}}]},
      {"generator": {"kind": "box", "size": [0.4, 0.4, 0.4], "resolution": [1, 1, 1]},
       "transform": {"translation": [0.3, 0.7, 0.3]}, "motions": [{"displacement": ["x * sin(t) ", "-t^2", "0"],
       "start": 0.03, "end": 0.09, "region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}}]},
      {"kind": "obstacle", "mesh": )" +
           quoted("triangle.ply") + R"(, "motions": [{"mesh_sequence": )" + quoted("frames") + R"(, "end": 0.07}]}]})";
  }
};

TEST_F(Scripted, RestartAndThreadsGiveTheSameBits) {
  for (const char* integrator : {"implicit_euler", "implicit_newmark", "bdf2"}) {
    RunningScene whole(scene(integrator));
    int most_contacts = 0;
    for (int n = 0; n < 10; ++n) most_contacts = std::max(most_contacts, whole.step().num_contacts);
    EXPECT_GT(most_contacts, 0);
    for (int first_steps : {2, 5, 8}) {
      const ThreadLimit limit(1);
      RunningScene first(scene(integrator));
      first.steps(first_steps);
      RunningScene second(scene(integrator));
      ASSERT_TRUE(second.simulation().restore(first.state()));
      second.steps(10 - first_steps);
      EXPECT_EQ(second.simulation().state_hash(), whole.simulation().state_hash()) << integrator << " " << first_steps;
    }
  }
}

}  // namespace
}  // namespace clearance
