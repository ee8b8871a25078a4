// Pages of small result folders, read back as the viewer does.
#include "clearance/page/page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <Eigen/Geometry>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "clearance/io/files/atomic_file.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/io/result/pvd.h"
#include "clearance/page/packing.h"

namespace clearance::page {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<unsigned char> unpacked(const std::string& text) {
  std::vector<unsigned char> bytes;
  std::uint32_t group = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    group = group << 6 | static_cast<std::uint32_t>(std::strchr(digits, c) - digits);
    if (++count % 4 == 0) {
      for (const int shift : {16, 8, 0}) bytes.push_back(static_cast<unsigned char>(group >> shift & 255));
    }
  }
  if (count % 4 == 2) bytes.push_back(static_cast<unsigned char>(group >> 4 & 255));
  if (count % 4 == 3) {
    bytes.push_back(static_cast<unsigned char>(group >> 10 & 255));
    bytes.push_back(static_cast<unsigned char>(group >> 2 & 255));
  }
  std::vector<unsigned char> plain(1 << 20);
  uLongf size = plain.size();
  EXPECT_EQ(uncompress(plain.data(), &size, bytes.data(), bytes.size()), Z_OK);
  plain.resize(size);
  return plain;
}

/// Body 0 is two tetrahedra that are bent, body 1 one that turns and moves.
class PageOfARun : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              fmt::format("clearance_page_{}", testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "run/frames");
    options_.folder = folder_ / "run";
    options_.output = folder_ / "page.html";
    viewer_ = folder_ / "viewer.html";
    std::ofstream(viewer_) << "before<!--policy--><!--run-->after";
    std::ofstream(folder_ / "run/bodies.json")
        << R"([{"name": "soft </script>", "entry": 0}, {"name": "stiff", "entry": 1}])";
    std::ofstream(folder_ / "run/scene.json") << R"({"name": "two", "output": {"fields": ["von_mises"]}})";
    std::ofstream(folder_ / "run/stats.jsonl")
        << R"({"step":1,"time":0.1,"status":"converged","newton_iterations":3,"min_distance":null,"energy":{"kinetic":2.5}})"
        << "\n"
        << R"({"step":2,"time":0.2,"status":"locked","newton_iterations":4,"min_distance":0.5,"energy":{"kinetic":1}})"
        << "\n"
        << R"({"step":3,"ti)";
    std::ofstream(folder_ / "run/probes.csv") << "step,time [s],tip.x [m]\n0,0,1.5\n1,0.1,\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Frame frame(int index) {
    Frame frame;
    frame.mesh.dim = 3;
    for (const Vec<3>& x : {Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 1, 0), Vec<3>(0, 0, 1), Vec<3>(1, 1, 1)}) {
      frame.mesh.vertices.push_back(x + 0.1 * index * Vec<3>(x[0] * x[1], x[2], 0));
    }
    const Eigen::AngleAxisd turn(0.3 * index, Vec<3>(1, 2, 3).normalized());
    for (const Vec<3>& x : {Vec<3>(3, 0, 0), Vec<3>(4, 0, 0), Vec<3>(3, 1, 0), Vec<3>(3, 0, 1)}) {
      frame.mesh.vertices.push_back(turn * x + Vec<3>(0, 0.5 * index, 0));
    }
    frame.mesh.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}, {5, 6, 7, 8}};
    frame.velocity.assign(9, Vec<3>(index, 0, 0));
    frame.cell_body = {0, 0, 1};
    frame.cell_is_obstacle = {0, 0, 0};
    frame.contact_force.assign(9, Vec<3>::Zero());
    frame.contact_force[6] = Vec<3>(1, 2, 3);
    frame.cell_arrays.push_back({"von_mises", 1, {10.0 * index, 10.0 * index, 7.0}});
    frame.time = 0.1 * index;
    return frame;
  }
  void write_frames(int count) {
    std::vector<PvdEntry> entries;
    for (int i = 0; i < count; ++i) {
      const std::string file = fmt::format("frames/frame_{:06}.vtu", i);
      ASSERT_TRUE(write_frame(options_.folder / file, frame(i)));
      entries.push_back({0.1 * i, file});
    }
    ASSERT_TRUE(write_pvd(options_.folder / "frames.pvd", entries));
  }
  std::string page() const {
    std::ifstream file(options_.output);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  /// Returns the text of a script of the page.
  std::string part(const std::string& id) const {
    const std::string text = page(), start = fmt::format("<script id=\"{}\"", id);
    const std::size_t begin = text.find('>', text.find(start)) + 1;
    return text.substr(begin, text.find("</script>", begin) - begin);
  }

  fs::path folder_, viewer_;
  PageOptions options_;
};

TEST_F(PageOfARun, HasPlacesPosesFieldsAndForces) {
  write_frames(4);
  const Result<PageReport> report = write_page(options_, viewer_);
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  EXPECT_EQ(report->num_kept, 4u);
  EXPECT_EQ(report->num_triangles, 10u);
  EXPECT_EQ(report->num_bytes, fs::file_size(options_.output));
  const std::string text = page();
  EXPECT_TRUE(text.starts_with("before<meta http-equiv=\"Content-Security-Policy\"") && text.ends_with("after"));

  const Json head = Json::parse(part("run"));
  ASSERT_EQ(head["bodies"].size(), 2u);
  EXPECT_EQ(head["bodies"][0]["name"], "soft </script>");
  EXPECT_FALSE(head["bodies"][0]["stiff"]);
  EXPECT_TRUE(head["bodies"][1]["stiff"]);
  EXPECT_EQ(head["moving"], 5);
  EXPECT_EQ(head["stats"]["status"], Json({"converged", "locked"}));
  EXPECT_EQ(head["stats"]["gap"], Json({nullptr, 0.5}));
  EXPECT_EQ(head["stats"]["energy"]["kinetic"], Json({2.5, 1}));
  EXPECT_EQ(head["probes"]["tip.x [m]"], Json({1.5, nullptr}));
  ASSERT_EQ(head["fields"].size(), 2u);
  EXPECT_EQ(head["fields"][1]["high"], 30.0);
  EXPECT_EQ(head["frames"][3]["step"], 3);

  const std::vector<unsigned char> topology = unpacked(part("topology"));
  ASSERT_EQ(topology.size(), 4u * (3 * 10 + 9 + 3 * 9));
  std::uint32_t nodes[9];
  std::memcpy(nodes, topology.data() + 4 * 30, sizeof(nodes));
  for (int i = 0; i < 4; ++i) {
    const Frame expected = frame(i);
    const std::vector<unsigned char> bytes = unpacked(part(fmt::format("frame{}", i)));
    ASSERT_EQ(bytes.size(), 4u * 12 + 2 * 3 * 5 + 4 + 4 + 12 + 2 * 2 * 9);
    float pose[12], rest[27];
    std::memcpy(pose, bytes.data(), sizeof(pose));
    std::memcpy(rest, topology.data() + 4 * 39, sizeof(rest));
    for (int v = 0; v < 9; ++v) {
      for (int k = 0; k < 3; ++k) {
        double x = 0.0;
        if (v < 5) {
          const std::size_t at = 48 + static_cast<std::size_t>(10 * k + v);
          const auto number = static_cast<std::uint16_t>(bytes[at] * 256 + bytes[at + 5]);
          x = restored(number, head["low"][k], head["high"][k]);
        } else {
          x = pose[9 + k];
          for (int j = 0; j < 3; ++j) x += pose[3 * j + k] * rest[3 * v + j];
        }
        const double origin = head["origin"][k];
        EXPECT_NEAR(x + origin, expected.mesh.vertices[nodes[v]][k], report->position_error + 3e-6) << i << " " << v;
      }
    }
    std::uint32_t force_vertex = 0;
    std::memcpy(&force_vertex, bytes.data() + 48 + 30 + 4, 4);
    EXPECT_EQ(nodes[force_vertex], 6u);
  }
}

TEST_F(PageOfARun, LeavesFramesOutEvenlyForItsSizeAndKeepsTheLast) {
  write_frames(20);
  const Result<PageReport> whole = write_page(options_, viewer_);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->num_kept, 20u);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < 20; ++i) bytes += part("frame" + std::to_string(i)).size();
  // The limit keeps half of the frames, and everything else.
  const std::size_t limit = whole->num_bytes - bytes / 2;
  options_.max_megabytes = 1e-6 * static_cast<double>(limit);
  const Result<PageReport> report = write_page(options_, viewer_);
  ASSERT_TRUE(report.has_value());
  EXPECT_LE(report->num_bytes, limit);
  EXPECT_GE(report->num_kept, 6u);
  EXPECT_EQ(report->num_frames, 20u);
  EXPECT_LT(report->num_kept, 20u);
  const Json frames = Json::parse(part("run"))["frames"];
  ASSERT_EQ(frames.size(), report->num_kept);
  EXPECT_EQ(frames.front()["step"], 0);
  EXPECT_EQ(frames.back()["step"], 19);
  EXPECT_EQ(Json::parse(part("run"))["framesOfRun"], 20);
}

TEST_F(PageOfARun, IsMadeOfFramesAlone) {
  write_frames(2);
  for (const char* file : {"bodies.json", "scene.json", "stats.jsonl", "probes.csv"})
    fs::remove(options_.folder / file);
  options_.is_exact = true;
  ASSERT_TRUE(write_page(options_, viewer_).has_value());
  const Json head = Json::parse(part("run"));
  EXPECT_TRUE(head["scene"].is_null());
  EXPECT_EQ(head["bodies"][1]["name"], "body 1");
  EXPECT_TRUE(head["exact"]);
}

TEST_F(PageOfARun, FramesOfOtherVerticesAreRefusedAndNothingIsWritten) {
  write_frames(3);
  Frame other = frame(1);
  other.mesh.vertices.emplace_back(9, 9, 9);
  other.velocity.emplace_back(0, 0, 0);
  other.contact_force.emplace_back(0, 0, 0);
  ASSERT_TRUE(write_frame(options_.folder / "frames/frame_000001.vtu", other));
  const Result<PageReport> report = write_page(options_, viewer_);
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.issues().front().message.find("other vertices"), std::string::npos);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_TRUE(entry.path() == options_.folder || entry.path() == viewer_) << entry.path();
  }
}

TEST_F(PageOfARun, FoldersThatAreNoResultsAreRefused) {
  EXPECT_FALSE(write_page(options_, viewer_).has_value());  // without frames.pvd
  options_.folder = folder_ / "none";
  EXPECT_FALSE(write_page(options_, viewer_).has_value());
  EXPECT_FALSE(fs::exists(options_.output));
}

}  // namespace
}  // namespace clearance::page
