// `clearance verify` on whole result folders: exit statuses, files that contradict each other, and results of killed
// runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "apps/cli/verify.h"
#include "clearance/io/result/pvd.h"
#include "clearance/verify/folder/verify_folder.h"
#include "frame_builder.h"

namespace clearance::cli {

using namespace verify;
namespace {

namespace fs = std::filesystem;

class VerifyFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("clearance_verify_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "frames");
    write("scene.json", R"({"dimension": 3, "bodies": [{"name": "low"}, {"name": "high"}],
                            "half_spaces": [{"point": [0, 0, -0.5], "normal": [0, 0, 1]}]})");
    // The upper box sinks towards the lower one by 0.25 m a frame.
    for (int i = 0; i < 3; ++i) add_frame(i, 2.0 - 0.25 * i);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  void append(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::app) << text;
  }
  void add_frame(int index, double height) {
    FrameBuilder builder;
    builder.add_box(0, {0, 0, 0}, {1, 1, 1});
    builder.add_box(1, {0.1, 0.2, height}, {1, 1, 1});
    const std::string name = fmt::format("frames/{:06d}.vtu", index);
    ASSERT_TRUE(write_frame(folder_ / name, builder.build(0.5 * index)));
    entries_.push_back({0.5 * index, name});
    ASSERT_TRUE(write_pvd(folder_ / "frames.pvd", entries_));
    if (index > 0) append("stats.jsonl", fmt::format("{{\"step\": {}, \"time\": {}}}\n", index, 0.5 * index));
  }
  VerifyReport report() {
    const auto folder = read_verify_folder(folder_);
    EXPECT_TRUE(folder);
    return verify_folder(*folder);
  }

  fs::path folder_;
  std::vector<PvdEntry> entries_;
};

TEST_F(VerifyFolderTest, CleanRunIsExitStatusZero) {
  EXPECT_EQ(run_verify({folder_, true}), 0);
  const VerifyReport clean = report();
  EXPECT_EQ(clean.verdicts.size(), 3u);
  // In the end the half-space is as near as the upper box; the first frame that reaches the minimum is named.
  EXPECT_DOUBLE_EQ(clean.min_distance, 0.5);
  EXPECT_EQ(clean.min_distance_frame, 0);
}

TEST_F(VerifyFolderTest, IntersectionInTheLastFrameIsExitStatusFour) {
  add_frame(3, 0.75);
  EXPECT_EQ(run_verify({folder_, false}), 4);
  EXPECT_GT(report().num_intersections, 0);
  EXPECT_EQ(report().min_distance_frame, 3);
}

TEST_F(VerifyFolderTest, FolderThatIsNoneIsExitStatusTwo) {
  EXPECT_EQ(run_verify({folder_ / "nowhere", false}), 2);
  fs::remove(folder_ / "frames.pvd");
  EXPECT_EQ(run_verify({folder_, false}), 2);
}

TEST_F(VerifyFolderTest, MissingFrameAndMissingStepAreProblems) {
  fs::remove(folder_ / entries_[1].file);
  EXPECT_EQ(report().problems.size(), 1u);
  EXPECT_EQ(run_verify({folder_, false}), 4);
  append("stats.jsonl", "{\"step\": 7}\n");
  EXPECT_EQ(report().problems.size(), 2u);
}

TEST_F(VerifyFolderTest, LeftoversOfAKilledRunAreAccepted) {
  fs::copy(folder_ / entries_[0].file, folder_ / "frames/000003.vtu");
  append("stats.jsonl", "{\"step\": 3, \"ti");
  const auto folder = read_verify_folder(folder_);
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->notes.size(), 2u);
  EXPECT_EQ(run_verify({folder_, false}), 0);
}

// The first frame of a step can be listed, or exist, before stats.jsonl has a line.
TEST_F(VerifyFolderTest, RunKilledBeforeItsFirstLineIsAccepted) {
  fs::remove(folder_ / entries_.back().file);
  entries_.pop_back();
  ASSERT_TRUE(write_pvd(folder_ / "frames.pvd", entries_));
  fs::remove(folder_ / "stats.jsonl");
  EXPECT_EQ(run_verify({folder_, false}), 0);
  append("stats.jsonl", "");
  EXPECT_EQ(run_verify({folder_, false}), 0);
}

TEST_F(VerifyFolderTest, BodyOfAnArrayIsNamedByItsCopy) {
  write("scene.json", R"({"bodies": [{"name": "box", "array": {"counts": [1, 2, 1]}}], "contact": {"enabled": true}})");
  const auto folder = read_verify_folder(folder_);
  ASSERT_TRUE(folder);
  ASSERT_EQ(folder->scene.bodies.size(), 2u);
  EXPECT_EQ(folder->scene.bodies[1].name, "box[1]");
}

/// Two boxes that cross are bodies of the second entry that is split.
class VerifySplitBodies : public VerifyFolderTest {
 protected:
  void SetUp() override {
    VerifyFolderTest::SetUp();
    add_frame(3, 0.75);
    set_second_entry(R"("kind": "affine", "collision_group": 2)");
    write("bodies.json", R"([{"name": "b[0]", "entry": 1}, {"name": "b[1]", "entry": 1}])");
  }
  void set_second_entry(const std::string& fields) {
    write("scene.json", R"({"bodies": [{"name": "a", "split_components": true, "kind": "affine"},
                                       {"name": "b", "split_components": true, )" +
                            fields + "}]}");
  }
};

TEST_F(VerifySplitBodies, AreWhatTheListOfBodiesSays) {
  const auto folder = read_verify_folder(folder_);
  ASSERT_TRUE(folder);
  ASSERT_EQ(folder->scene.bodies.size(), 2u);
  for (const auto& body : folder->scene.bodies) {
    EXPECT_EQ(body.collision_group, 2);
    EXPECT_FALSE(body.has_self_contact);
  }
  EXPECT_EQ(folder->scene.bodies[1].name, "b[1]");
}

TEST_F(VerifySplitBodies, MayCrossIfTheirGroupDoes) {
  EXPECT_EQ(run_verify({folder_, false}), 0);
  set_second_entry(R"("kind": "affine")");
  EXPECT_EQ(run_verify({folder_, false}), 4);
  EXPECT_GT(report().num_intersections, 0);
}

TEST_F(VerifySplitBodies, ListOfAnotherLengthThanTheFramesIsAProblem) {
  write("bodies.json", R"([{"name": "b", "entry": 1}])");
  EXPECT_EQ(report().problems, std::vector<std::string>{"bodies.json lists 1 bodies, the first frame has 2"});
  EXPECT_EQ(run_verify({folder_, false}), 4);
}

TEST_F(VerifySplitBodies, ListThatIsBrokenIsExitStatusTwo) {
  for (const char* text : {"", "[", "3", R"([{"name": "b"}])", R"([{"entry": 0}])", R"([{"name": "b", "entry": "0"}])",
                           R"([{"name": "b", "entry": 2}])", R"([{"name": "b", "entry": -1}])"}) {
    write("bodies.json", text);
    const auto folder = read_verify_folder(folder_);
    ASSERT_FALSE(folder) << text;
    EXPECT_EQ(folder.issues()[0].file, (folder_ / "bodies.json").string()) << text;
  }
}

// A negative vertex was read from before the positions, and one beyond them made the shape be left out in silence.
TEST_F(VerifySplitBodies, RoundShapesOfVerticesThatAreNotThereAreAProblem) {
  const auto set_shape = [&](const std::string& shape) {
    write("bodies.json",
          R"([{"name": "b[0]", "entry": 1, "round_shapes": [)" + shape + R"(]}, {"name": "b[1]", "entry": 1}])");
  };
  set_shape(R"({"radius": 1e-3, "vertices": [0]})");
  EXPECT_TRUE(report().problems.empty());
  for (const char* shape : {R"({"radius": 1e-3, "vertices": [-1]})", R"({"radius": 1e-3, "vertices": [0, 1000000]})",
                            R"({"radius": 1e-3, "vertices": []})", R"({"radius": 1e-3, "vertices": [0, 1, 2]})",
                            R"({"radius": 0, "vertices": [0]})"}) {
    set_shape(shape);
    EXPECT_FALSE(report().problems.empty()) << shape;
    EXPECT_EQ(run_verify({folder_, false}), 4) << shape;
  }
}

TEST_F(VerifySplitBodies, ScenesOfOtherDimensionsOrCountlessCopiesEndInTime) {
  fs::remove(folder_ / "bodies.json");
  write("scene.json", R"({"bodies": [{"name": "a", "array": {"counts": [2000000000, 2000000000]}}]})");
  EXPECT_LE(read_verify_folder(folder_)->scene.bodies.size(), 1'000'000u);
  write("scene.json", R"({"dimension": 7, "bodies": [{"name": "a"}]})");
  EXPECT_FALSE(read_verify_folder(folder_));
}

}  // namespace
}  // namespace clearance::cli
