// A result folder with a body of every kind of motion; their positions are known in every frame.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <filesystem>
#include <fstream>

#include "clearance/exchange/export_job.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/io/result/pvd.h"

namespace clearance::exchange {

namespace fs = std::filesystem;

/// Bodies: 0 bends while it turns and falls, 1 is rigid, 2 is stretched, 3 is an obstacle at rest, 4 a straight line
/// that turns, 5 two lone points that move together.
class SmallRun : public testing::Test {
 protected:
  static constexpr int num_bodies = 6;

  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("clearance_exchange_{}_{}",
                                                      testing::UnitTest::GetInstance()->current_test_info()->name(),
                                                      ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "run/frames");
    std::ofstream(folder_ / "run/bodies.json")
        << R"([{"name": "bent & \"torn\"", "entry": 0}, {"name": "die", "entry": 1}, {"name": "", "entry": 2},
               {"name": "floor", "entry": 3}, {"name": "../rod", "entry": 4}, {"name": "dust", "entry": 5}])";
    std::ofstream(folder_ / "run/scene.json") << R"({"name": "all kinds", "gravity": [0, 0, -9.81]})";
    job_.folder = folder_ / "run";
    fs::create_directories(folder_ / "out");
  }
  void TearDown() override {
    if (!HasFailure()) fs::remove_all(folder_);
  }

  static Frame frame(int index) {
    const double t = index;
    Frame frame;
    frame.mesh.dim = 3;
    const std::vector<Vec<3>> tet = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const auto add = [&](const std::vector<Vec<3>>& rest, const Vec<3>& at, const auto& map) {
      const int first = static_cast<int>(frame.mesh.vertices.size());
      for (const Vec<3>& x : rest) frame.mesh.vertices.push_back(map(x) + at);
      return first;
    };
    const Eigen::AngleAxisd turn(0.3 * t, Vec<3>(1, 2, 3).normalized());
    std::vector<Vec<3>> two_tets = tet;
    two_tets.emplace_back(1, 1, 1);
    add(two_tets, Vec<3>(0, 0, 5 - 0.05 * t * t),
        [&](const Vec<3>& x) { return Vec<3>(turn * (x + 0.02 * t * Vec<3>(x[0] * x[1], x[2] * x[2], 0))); });
    add(tet, Vec<3>(3, 0.5 * t, 0), [&](const Vec<3>& x) { return Vec<3>(turn.inverse() * x); });
    Mat<3> stretch = Mat<3>::Identity();
    stretch(0, 0) += 0.1 * t;
    stretch(0, 1) = stretch(1, 0) = 0.05 * t;
    add(tet, Vec<3>(0, 3, t), [&](const Vec<3>& x) { return Vec<3>(turn * (stretch * x)); });
    add(tet, Vec<3>(0, 0, -4), [](const Vec<3>& x) { return x; });
    add({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, Vec<3>(-3, 0, 0), [&](const Vec<3>& x) { return Vec<3>(turn * x); });
    add({{0, 0, 0}, {0.1, 0.2, 0.3}}, Vec<3>(t, -3, 0), [](const Vec<3>& x) { return x; });
    frame.mesh.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
    frame.mesh.edges = {{17, 18}, {18, 19}};
    frame.mesh.points = {20, 21};
    frame.cell_body = {0, 0, 1, 2, 3, 4, 4, 5, 5};
    frame.cell_is_obstacle = {0, 0, 0, 0, 1, 0, 0, 0, 0};
    frame.velocity.assign(frame.mesh.vertices.size(), Vec<3>(t, 1, 2));
    frame.cell_arrays.push_back({"von_mises", 1, {1 + t, 2, 3, 4, 5, 6, 7, 8, 9}});
    frame.point_arrays.push_back({"heat", 1, {}});
    for (std::size_t v = 0; v < frame.mesh.vertices.size(); ++v) {
      frame.point_arrays[0].values.push_back(10 * t + static_cast<double>(v));
    }
    frame.time = 0.25 * t;
    return frame;
  }
  static const std::vector<std::vector<int>>& vertices_of_bodies() {
    static const std::vector<std::vector<int>> vertices = {{0, 1, 2, 3, 4},  {5, 6, 7, 8}, {9, 10, 11, 12},
                                                           {13, 14, 15, 16}, {17, 18, 19}, {20, 21}};
    return vertices;
  }

  void write_frames(int count) const {
    std::vector<PvdEntry> entries;
    for (int i = 0; i < count; ++i) {
      const std::string file = fmt::format("frames/frame_{:06}.vtu", i);
      ASSERT_TRUE(write_frame(job_.folder / file, frame(i)).has_value());
      entries.push_back({0.25 * i, file});
    }
    ASSERT_TRUE(write_pvd(job_.folder / "frames.pvd", entries).has_value());
  }

  static std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
  ExportJob job_;
};

}  // namespace clearance::exchange
