// Point caches, poses and meshes, read back.
#include "clearance/exchange/point_caches.h"

#include <cstring>

#include "clearance/io/mesh/mesh_reader.h"
#include "exchange/small_run.h"

namespace clearance::exchange {
namespace {

using Json = nlohmann::json;

class PointCaches : public SmallRun {
 protected:
  void SetUp() override {
    SmallRun::SetUp();
    options_.job = job_;
    options_.job.output = folder_ / "out/run.pc2";
  }
  AnimationJob options_;
};

TEST_F(PointCaches, PlaceEveryVertexInEveryFrame) {
  write_frames(5);
  const Result<ExportReport> report = write_point_caches(options_);
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  const std::vector<std::string> expected = {"run.json",
                                             "run_000_bent____torn_.obj",
                                             "run_000_bent____torn_.pc2",
                                             "run_001_die.obj",
                                             "run_002_body_2.obj",
                                             "run_002_body_2.pc2",
                                             "run_003_floor.obj",
                                             "run_004_.._rod.obj",
                                             "run_005_dust.obj",
                                             "run_blender.py",
                                             "run_poses.npy"};
  EXPECT_EQ(files(), expected);
  std::uintmax_t num_bytes = 0;
  for (const std::string& name : files()) num_bytes += fs::file_size(folder_ / "out" / name);
  EXPECT_EQ(report->num_bytes, num_bytes);
  EXPECT_EQ(bytes_of(folder_ / "out/run_blender.py"), blender_script);

  const Json json = Json::parse(bytes_of(folder_ / "out/run.json"));
  EXPECT_EQ(json["up"], "z");
  EXPECT_EQ(json["frames"].size(), 5u);
  EXPECT_EQ(json["frames"][4]["time"], 1.0);
  const std::string poses = bytes_of(folder_ / "out/run_poses.npy");
  EXPECT_EQ(poses.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
  const std::size_t head = 10 + static_cast<unsigned char>(poses[8]) + 256u * static_cast<unsigned char>(poses[9]);
  EXPECT_EQ(head % 64, 0u);
  EXPECT_NE(poses.find("'shape': (5, 3, 7)"), std::string::npos);
  ASSERT_EQ(poses.size(), head + 8 * 5 * 3 * 7);

  for (std::size_t b = 0; b < num_bodies; ++b) {
    const Json& body = json["bodies"][b];
    const std::vector<int>& vertices = vertices_of_bodies()[b];
    const Result<Mesh> mesh = read_mesh(folder_ / "out" / body["mesh"].get<std::string>());
    ASSERT_TRUE(mesh.has_value()) << to_string(mesh.issues().front());
    // Vertices are those of the body in the order of the file; they are exact in the first frame, by which the test
    // recognises them.
    ASSERT_EQ(mesh->vertices.size(), vertices.size());
    std::vector<std::size_t> number;
    for (const Vec<3>& x : mesh->vertices) {
      for (const int v : vertices) {
        if (frame(0).mesh.vertices[v] == x) number.push_back(v);
      }
    }
    ASSERT_EQ(number.size(), vertices.size());
    const std::string cache =
        body["cache"].is_null() ? "" : bytes_of(folder_ / "out" / body["cache"].get<std::string>());
    if (!cache.empty()) {
      std::int32_t words[5];
      std::memcpy(words, cache.data() + 12, sizeof(words));
      EXPECT_EQ(cache.substr(0, 12), std::string("POINTCACHE2\0", 12));
      EXPECT_EQ(words[0], 1);
      EXPECT_EQ(words[1], static_cast<int>(vertices.size()));
      EXPECT_EQ(words[4], 5);
      ASSERT_EQ(cache.size(), 32 + 5 * 12 * vertices.size());
    }
    for (int i = 0; i < 5; ++i) {
      const Frame exact = frame(i);
      double pose[7] = {body["center"][0], body["center"][1], body["center"][2], 1, 0, 0, 0};
      if (!body["pose"].is_null()) {
        const auto row = 3 * static_cast<std::size_t>(i) + body["pose"].get<std::size_t>();
        std::memcpy(pose, poses.data() + head + sizeof(pose) * row, sizeof(pose));
      }
      const Vec<3> center(body["center"][0], body["center"][1], body["center"][2]);
      for (std::size_t v = 0; v < number.size(); ++v) {
        Vec<3> x;
        if (cache.empty()) {
          x = Eigen::Quaterniond(pose[3], pose[4], pose[5], pose[6]) * (mesh->vertices[v] - center) +
              Vec<3>(pose[0], pose[1], pose[2]);
        } else {
          float numbers[3];
          std::memcpy(numbers, cache.data() + 32 + 12 * (static_cast<std::size_t>(i) * number.size() + v), 12);
          x = Vec<3>(numbers[0], numbers[1], numbers[2]);
        }
        EXPECT_LT((x - exact.mesh.vertices[number[v]]).norm(), cache.empty() ? 1e-12 : 5e-7) << body << " " << i;
      }
    }
  }
}

TEST_F(PointCaches, RefuseWhatIsInTheWayAndReplaceItOnlyIfTold) {
  write_frames(2);
  std::ofstream(folder_ / "out/run_001_die.obj") << "mine";
  fs::create_directories(folder_ / "out/run_poses.npy");
  const Result<ExportReport> refused = write_point_caches(options_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.issues().size(), 2u);
  EXPECT_EQ(bytes_of(folder_ / "out/run_001_die.obj"), "mine");
  EXPECT_EQ(files().size(), 2u);
  fs::remove(folder_ / "out/run_poses.npy");
  options_.job.is_overwriting = true;
  std::ofstream(folder_ / "out/other.txt") << "mine";
  ASSERT_TRUE(write_point_caches(options_).has_value());
  EXPECT_NE(bytes_of(folder_ / "out/run_001_die.obj"), "mine");
  EXPECT_EQ(bytes_of(folder_ / "out/other.txt"), "mine");
}

TEST_F(PointCaches, NeverReplaceWhatTheResultConsistsOf) {
  write_frames(2);
  options_.job.is_overwriting = true;
  const std::string before = bytes_of(job_.folder / "scene.json");
  for (const char* name : {"scene.pc2", "bodies.pc2"}) {
    options_.job.output = job_.folder / name;
    const Result<ExportReport> refused = write_point_caches(options_);
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_NE(refused.issues()[0].message.find("is a file of the result"), std::string::npos);
  }
  EXPECT_EQ(bytes_of(job_.folder / "scene.json"), before);
}

}  // namespace
}  // namespace clearance::exchange
