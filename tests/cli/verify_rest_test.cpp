// `clearance verify` on runs whose elements change: it is exact at rest, too, and finds bodies that grow or shrink by
// the change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "apps/cli/verify.h"
#include "clearance/io/result/pvd.h"
#include "clearance/verify/folder/verify_folder.h"
#include "clearance/verify/rest_shape.h"
#include "frame_builder.h"
#include "support/adapting_frames.h"

namespace clearance::cli {

using namespace verify;
namespace {

namespace fs = std::filesystem;

class VerifyRest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("clearance_verify_rest_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "frames");
    write_scene(2);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write_scene(int dimension) const {
    std::ofstream(folder_ / "scene.json") << fmt::format(
        R"({{"dimension": {}, "remesh": {{}}, "bodies": [{{"name": "soft"}}, {{"name": "stiff", "kind": "rigid"}}]}})",
        dimension);
    std::ofstream(folder_ / "bodies.json") << R"([{"name": "soft", "entry": 0}, {"name": "stiff", "entry": 1}])";
  }
  void add(const Frame& frame) {
    const std::string name = fmt::format("frames/{:06d}.vtu", entries_.size());
    ASSERT_TRUE(write_frame(folder_ / name, frame));
    entries_.push_back({frame.time, name});
    ASSERT_TRUE(write_pvd(folder_ / "frames.pvd", entries_));
    if (entries_.size() == 1) return;
    std::ofstream(folder_ / "stats.jsonl", std::ios::app)
        << fmt::format("{{\"step\": {}, \"time\": {}}}\n", entries_.size() - 1, frame.time);
  }
  static std::vector<double>& rest_of(Frame& frame) { return frame.point_arrays.front().values; }
  VerifyReport report() const {
    const auto folder = read_verify_folder(folder_);
    EXPECT_TRUE(folder);
    return verify_folder(*folder);
  }
  std::vector<std::string> offenses() const {
    const auto folder = read_verify_folder(folder_);
    return offense_texts(*folder, verify_folder(*folder));
  }

  fs::path folder_;
  std::vector<PvdEntry> entries_;
};

TEST_F(VerifyRest, FramesWithOtherElementsAreVerifiedAsEver) {
  for (int i = 0; i < 5; ++i) add(adapting_frame(i));
  const VerifyReport clean = report();
  EXPECT_TRUE(clean.is_clean()) << clean.problems.size();
  EXPECT_EQ(run_verify({folder_, false}), 0);
  // In a frame with other elements, an intersection is found with the frame's own numbers of vertices.
  Frame meets = adapting_frame(3);
  for (int v = 5; v < 8; ++v) meets.mesh.vertices[v][0] -= 2.9;
  meets.time = 0.5;
  add(meets);
  EXPECT_GT(report().num_intersections, 0);
  EXPECT_EQ(report().num_inversions, 0);
  // The first element of the middle vertex is inverted.
  Frame inverted = adapting_frame(3);
  inverted.mesh.vertices[4] = Vec<3>(0.5, -0.1, 0);
  inverted.time = 0.6;
  add(inverted);
  EXPECT_EQ(report().num_inversions, 1);
  EXPECT_EQ(offenses().back().substr(0, 50), "frame 6: triangle 0-1-4 of 'soft' is inverted or f");
}

TEST_F(VerifyRest, ElementsAreToBePositiveAtRest) {
  for (int i = 0; i < 2; ++i) add(adapting_frame(i));
  Frame flat = adapting_frame(2);
  // The middle vertex lies exactly on a side: one of the four elements is flat.
  rest_of(flat)[3 * 4] = 1.0;
  rest_of(flat)[3 * 4 + 1] = 0.5;
  add(flat);
  const VerifyReport judged = report();
  EXPECT_EQ(judged.num_inversions, 1);
  ASSERT_EQ(offenses().size(), 1u);
  EXPECT_EQ(offenses()[0], "frame 2: triangle 1-2-4 of 'soft' is inverted or flat at rest, at (1, 0, 0) m");
  EXPECT_TRUE(judged.problems.empty()) << judged.problems[0];
  EXPECT_EQ(run_verify({folder_, false}), 4);
}

TEST_F(VerifyRest, NumbersAtRestThatAreNoneAreCondemned) {
  Frame frame = adapting_frame(0);
  FrameVerdict verdict;
  std::vector<Vec<3>> rest = rest_positions(frame);
  ASSERT_EQ(rest.size(), frame.mesh.vertices.size());
  VerifyScene scene;
  scene.bodies.resize(2);
  check_rest(frame, rest, scene, verdict);
  EXPECT_TRUE(verdict.is_clean());
  rest[3][1] = std::nan("");
  check_rest(frame, rest, scene, verdict);
  EXPECT_EQ(verdict.num_not_finite, 1);
  EXPECT_EQ(verdict.num_inversions, 0);
}

TEST_F(VerifyRest, TheFirstFrameWhoseBodyHasChangedAtRestIsNamed) {
  for (int i = 0; i < 2; ++i) add(adapting_frame(i));
  Frame shrunk = adapting_frame(2);
  rest_of(shrunk)[3] = 1.0 - 1e-8;  // a corner: a trillionth would pass
  add(shrunk);
  add(adapting_frame(3));
  Frame more = adapting_frame(4);
  rest_of(more)[3] = 0.5;
  add(more);
  const VerifyReport judged = report();
  ASSERT_EQ(judged.problems.size(), 2u);
  EXPECT_EQ(judged.problems[0], "frame 2: the area of 'soft' at rest is 0.999999995 m^2, and was 1 at first");
  EXPECT_TRUE(judged.problems[1].starts_with("frame 2: the outline of 'soft' at rest is ")) << judged.problems[1];
  EXPECT_EQ(run_verify({folder_, false}), 4);
}

TEST_F(VerifyRest, RoundedMidpointsPass) {
  add(adapting_frame(1));
  Frame rounded = adapting_frame(2);
  rest_of(rounded)[3] = 1.0 + 1e-12;
  add(rounded);
  EXPECT_TRUE(report().is_clean());
}

TEST_F(VerifyRest, FramesWithoutTheArrayAmongOthersAreAProblem) {
  for (int i = 0; i < 2; ++i) add(adapting_frame(i));
  Frame without = adapting_frame(2);
  without.point_arrays.clear();
  add(without);
  const VerifyReport judged = report();
  ASSERT_EQ(judged.problems.size(), 1u);
  EXPECT_NE(judged.problems[0].find("has no array `rest_position`, as the first frame has"), std::string::npos);
}

/// In space, a box of five tetrahedra has the edge of a corner split.
TEST_F(VerifyRest, VolumesAndSurfacesOfTetrahedraAreKept) {
  write_scene(3);
  const auto box = [](bool is_split, double time) {
    FrameBuilder builder;
    const int first = builder.add_box(0, {0, 0, 0}, {1, 1, 1});
    Frame frame = builder.build(time);
    if (is_split) {
      frame.mesh.vertices.emplace_back(0.5, 0, 0);  // of the edge 0 1, which one tetrahedron has
      frame.velocity.emplace_back(0, 0, 0);
      std::array<int, 4>& tet = frame.mesh.tets[0];
      std::array<int, 4> other = tet;
      std::replace(tet.begin(), tet.end(), first + 1, 8);
      std::replace(other.begin(), other.end(), first, 8);
      frame.mesh.tets.push_back(other);
      frame.cell_body.push_back(0);
      frame.cell_is_obstacle.push_back(0);
    }
    FrameArray& rest = frame.point_arrays.emplace_back();
    rest.name = "rest_position";
    rest.num_components = 3;
    for (Vec<3>& x : frame.mesh.vertices) {
      rest.values.insert(rest.values.end(), x.begin(), x.end());
      x[1] *= 1.0 + time;
    }
    return frame;
  };
  std::ofstream(folder_ / "bodies.json") << R"([{"name": "soft", "entry": 0}])";
  add(box(false, 0.0));
  add(box(true, 0.1));
  EXPECT_TRUE(report().is_clean());
  const Frame split = box(true, 0.0);
  const std::vector<RestSize> sizes = rest_sizes(split, rest_positions(split), build_verify_surface(split));
  ASSERT_EQ(sizes.size(), 1u);
  EXPECT_NEAR(sizes[0].volume, 1.0, 1e-15);
  EXPECT_NEAR(sizes[0].boundary, 6.0, 1e-15);
  Frame smaller = box(true, 0.2);
  rest_of(smaller)[3 * 8 + 2] = 1e-6;  // the middle of the edge, moved inwards
  add(smaller);
  const VerifyReport judged = report();
  EXPECT_EQ(judged.num_inversions, 0);
  ASSERT_EQ(judged.problems.size(), 2u);
  EXPECT_TRUE(judged.problems[0].starts_with("frame 2: the volume of 'soft' at rest is ")) << judged.problems[0];
  EXPECT_TRUE(judged.problems[1].starts_with("frame 2: the surface of 'soft' at rest is ")) << judged.problems[1];
}

}  // namespace
}  // namespace clearance::cli
