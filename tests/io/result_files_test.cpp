// The content of a result folder, who may write into it, and that nothing but its own files is ever removed.
#include "clearance/io/result/result_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "clearance/io/files/atomic_file.h"
#include "clearance/io/result/checkpoint_file.h"
#include "clearance/io/result/folder_claim.h"
#include "clearance/io/result/pvd.h"
#include "clearance/io/result/result_folder.h"

namespace clearance::test {
namespace {

namespace fs = std::filesystem;

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("clearance_" + std::string(test->test_suite_name()) + "_" + test->name() + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path put(const std::string& name, const std::string& text = "") const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  static std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool has(const std::string& name) const { return fs::exists(folder_ / name); }
  FolderContent content() const {
    const Result<FolderContent> content = inspect_result_folder(folder_);
    EXPECT_TRUE(content);
    return *content;
  }
  static std::string message_of(const Result<FolderClaim>& claim) {
    return claim ? "" : to_string(claim.issues().front());
  }

  fs::path folder_;
};

using ResultFiles = FolderTest;
using FolderClaims = FolderTest;
using AtomicFile = FolderTest;
using CheckpointFile = FolderTest;
using ResultFolders = FolderTest;

TEST_F(ResultFiles, OnlyTheVeryNameOfAFrameIsOurs) {
  EXPECT_EQ(step_of_frame_file(frame_file(0)), 0);
  EXPECT_EQ(step_of_frame_file(frame_file(12)), 12);
  EXPECT_EQ(step_of_frame_file(frame_file(12345678)), 12345678);
  for (const char* name :
       {"", "frames/", "frames/frame_.vtu", "frames/frame_12.vtu", "frames/frame_0000012.vtu", "frames/frame_000012.vt",
        "frames/frame_-00012.vtu", "frames/frame_00001x.vtu", "../frames/frame_000012.vtu",
        "frames/../frame_000012.vtu", "frame_000012.vtu", "frames/frame_99999999999.vtu", "frames/frame_000012.vtu "}) {
    EXPECT_EQ(step_of_frame_file(name), std::nullopt) << name;
  }
}

TEST_F(ResultFiles, FolderIsOursByItsLockOrByItsListOfFrames) {
  EXPECT_EQ(content(), FolderContent::nothing);
  EXPECT_EQ(*inspect_result_folder(folder_ / "none"), FolderContent::nothing);
  put("scene.json", "{}");
  EXPECT_EQ(content(), FolderContent::foreign) << "a scene alone may be a user's";
  put("log.txt");
  ASSERT_TRUE(write_pvd(folder_ / "frames.pvd", {{0.0, "frames/mine.vtu"}}));
  EXPECT_EQ(content(), FolderContent::foreign) << "a list of other frames may be a user's";
  ASSERT_TRUE(write_pvd(folder_ / "frames.pvd", {{0.0, frame_file(0)}}));
  EXPECT_EQ(content(), FolderContent::result);
  fs::remove(folder_ / "frames.pvd");
  put(lock_file);
  EXPECT_EQ(content(), FolderContent::prepared);
  put("stats.jsonl");
  EXPECT_EQ(content(), FolderContent::result);
  EXPECT_FALSE(inspect_result_folder(folder_ / "log.txt")) << "a file is no folder";
}

TEST_F(ResultFiles, EraseRemovesWhatIsRecordedAndNothingElse) {
  put("precious.vtu", "of a user");
  put("frames/frame_000007.vtu", "of a user");
  put("frames/notes.txt", "of a user");
  put("checkpoint/mine.bin", "of a user");
  for (const char* name :
       {"scene.json", "summary.json", "bodies.json", "checkpoint/state.bin", "checkpoint/state.bin.tmp",
        "frames/frame_000000.vtu", "frames/frame_000001.vtu", "frames/frame_000003.vtu.tmp"}) {
    put(name);
  }
  // The list cannot be trusted: a name that is not ours leads nowhere.
  ASSERT_TRUE(write_pvd(folder_ / "frames.pvd",
                        {{0.0, frame_file(0)}, {0.1, "precious.vtu"}, {0.2, "frames/../precious.vtu"}}));
  // One frame is only in the list of steps, another belongs to the step that was killed.
  put("stats.jsonl", "{\"step\": 1, \"frame\": \"frames/frame_000001.vtu\"}\n{\"step\": 2, \"frame\": null}\n");
  ASSERT_TRUE(erase_result(folder_));
  for (const char* name : {"precious.vtu", "frames/frame_000007.vtu", "frames/notes.txt", "checkpoint/mine.bin"})
    EXPECT_EQ(text_of(folder_ / name), "of a user") << name;
  for (const char* name :
       {"summary.json", "bodies.json", "checkpoint/state.bin", "checkpoint/state.bin.tmp", "frames/frame_000000.vtu",
        "frames/frame_000001.vtu", "frames/frame_000003.vtu.tmp", "frames.pvd", "stats.jsonl"}) {
    EXPECT_FALSE(has(name)) << name;
  }
}

TEST_F(ResultFiles, StatisticsEndBeforeTheFirstLineThatCannotBe) {
  put("stats.jsonl", "{\"step\": 1}\n{\"step\": 2, \"frame\": null}\n{\"step\": 3, \"fra");
  const std::vector<StatsLine> lines = read_stats_lines(folder_);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].has_frame, std::nullopt);
  EXPECT_EQ(lines[1].has_frame, false);
  for (const char* second : {"{\"step\": 3}", "{\"step\": \"2\"}", "[]", "2", ""}) {
    put("stats.jsonl", std::string("{\"step\": 1}\n") + second + "\n");
    EXPECT_EQ(read_stats_lines(folder_).size(), 1u) << second;
  }
}

TEST_F(ResultFiles, FramesThatTheListLacksAreFoundInTheStatisticsUntilTheRunIsOver) {
  ASSERT_TRUE(write_pvd(folder_ / "frames.pvd", {{0.0, frame_file(0)}, {0.1, frame_file(1)}}));
  put("stats.jsonl",
      "{\"step\": 1, \"time\": 0.1, \"frame\": \"frames/frame_000001.vtu\"}\n"
      "{\"step\": 2, \"time\": 0.2, \"frame\": \"frames/frame_000002.vtu\"}\n"
      "{\"step\": 3, \"time\": 0.3, \"frame\": null}\n"
      "{\"step\": 4, \"time\": 0.4, \"frame\": \"frames/frame_000004.vtu\"}\n"
      "{\"step\": 5, \"time\": 0.5, \"frame\": \"frames/frame_000005.vtu\"}\n");
  for (const int step : {0, 1, 2, 3, 5}) put(frame_file(step));
  const Result<std::vector<PvdEntry>> frames = read_stored_frames(folder_);
  ASSERT_TRUE(frames);
  ASSERT_EQ(frames->size(), 4u);  // frame 4 is lost
  EXPECT_EQ((*frames)[2].file, frame_file(2));
  EXPECT_EQ((*frames)[3].file, frame_file(5));
  EXPECT_EQ((*frames)[3].time, 0.5);
  put("summary.json", "{}");
  EXPECT_EQ(read_stored_frames(folder_)->size(), 2u);
  fs::remove(folder_ / "frames.pvd");
  EXPECT_FALSE(read_stored_frames(folder_));
}

TEST_F(FolderClaims, FolderThatIsNotOursIsRefusedForEveryUse) {
  put("thesis.tex", "years");
  for (const FolderUse use : {FolderUse::start, FolderUse::overwrite, FolderUse::resume, FolderUse::go_on}) {
    EXPECT_NE(message_of(FolderClaim::make(folder_, use)).find("thesis.tex"), std::string::npos);
  }
  EXPECT_FALSE(has(lock_file));
}

TEST_F(FolderClaims, ResultIsReplacedOrContinuedOnlyIfAskedFor) {
  put(lock_file);
  put("stats.jsonl");
  const std::string message = message_of(FolderClaim::make(folder_, FolderUse::start));
  EXPECT_NE(message.find("--resume"), std::string::npos) << message;
  EXPECT_NE(message.find("--overwrite"), std::string::npos) << message;
  EXPECT_TRUE(FolderClaim::make(folder_, FolderUse::overwrite));
  EXPECT_TRUE(FolderClaim::make(folder_, FolderUse::resume));
  EXPECT_TRUE(has("stats.jsonl"));
}

TEST_F(FolderClaims, SecondClaimIsRefusedUntilTheFirstHasGone) {
  {
    const Result<FolderClaim> first = FolderClaim::make(folder_ / "new", FolderUse::start);
    ASSERT_TRUE(first);
    for (const FolderUse use : {FolderUse::start, FolderUse::overwrite, FolderUse::resume, FolderUse::go_on}) {
      EXPECT_NE(message_of(FolderClaim::make(folder_ / "new", use)).find("another run"), std::string::npos);
    }
  }
  EXPECT_TRUE(FolderClaim::make(folder_ / "new", FolderUse::start));
}

TEST_F(FolderClaims, GoingOnIsWhateverLeadsToAWholeResult) {
  const auto use = [&] {
    const Result<FolderClaim> claim = FolderClaim::make(folder_ / "run", FolderUse::go_on);
    EXPECT_TRUE(claim) << message_of(claim);
    return claim ? claim->use() : FolderUse::go_on;
  };
  EXPECT_EQ(use(), FolderUse::start);
  // The run was refused, or killed before its first frame.
  put("run/log.txt");
  EXPECT_EQ(use(), FolderUse::start);
  // The run was killed before its first checkpoint, and after it.
  put("run/frames.pvd");
  EXPECT_EQ(use(), FolderUse::overwrite);
  put("run/checkpoint/state.bin");
  EXPECT_EQ(use(), FolderUse::resume);
}

TEST_F(FolderClaims, ResumeMakesNoFolder) {
  EXPECT_FALSE(FolderClaim::make(folder_ / "none", FolderUse::resume));
  EXPECT_FALSE(has("none"));
}

TEST_F(FolderClaims, WithdrawnClaimTakesAwayWhatItMadeAndNothingElse) {
  Result<FolderClaim> claim = FolderClaim::make(folder_ / "new", FolderUse::start);
  ASSERT_TRUE(claim);
  put("new/log.txt", "a problem");
  put("new/intersections.vtu");
  claim->withdraw({"log.txt"});
  EXPECT_FALSE(has("new/log.txt"));
  EXPECT_FALSE(has("new/clearance.lock"));
  EXPECT_TRUE(has("new/intersections.vtu"));
  std::filesystem::remove(folder_ / "new/intersections.vtu");
  claim->withdraw({"log.txt"});
  EXPECT_FALSE(has("new"));
  std::filesystem::create_directory(folder_ / "mine");
  FolderClaim::make(folder_ / "mine", FolderUse::start)->withdraw({"log.txt"});
  EXPECT_TRUE(has("mine"));
  // Files that an older run of this program left stay.
  put("older/clearance.lock");
  put("older/log.txt");
  FolderClaim::make(folder_ / "older", FolderUse::start)->withdraw({"log.txt"});
  EXPECT_TRUE(has("older/log.txt"));
  EXPECT_TRUE(has("older/clearance.lock"));
}

TEST_F(AtomicFile, FailureLeavesTheOldFileAndNoTemporaryOne) {
  const fs::path path = put("file", "old");
  ASSERT_TRUE(write_file_atomically(path, "new"));
  EXPECT_EQ(text_of(path), "new");
  EXPECT_FALSE(has("file.tmp"));
  // The name of a folder cannot be taken.
  fs::create_directories(folder_ / "taken/inside");
  EXPECT_FALSE(write_file_atomically(folder_ / "taken", "new"));
  EXPECT_FALSE(has("taken.tmp"));
  EXPECT_TRUE(has("taken/inside"));
  EXPECT_FALSE(write_file_atomically(folder_ / "none/file", "new"));
  // A file cannot be written through a link to a full device either.
  if (fs::exists("/dev/full")) {
    fs::create_symlink("/dev/full", folder_ / "file.tmp");
    EXPECT_FALSE(write_file_atomically(path, "newer"));
    EXPECT_EQ(text_of(path), "new");
  }
}

TEST_F(AtomicFile, AppendedBytesFollowOneAnother) {
  const fs::path path = folder_ / "lines";
  AppendedFile file(path);
  ASSERT_TRUE(file.append("one\n"));
  EXPECT_EQ(text_of(path), "one\n");
  ASSERT_TRUE(file.append("two\n"));
  ASSERT_TRUE(file.close());
  ASSERT_TRUE(file.append("three\n"));
  EXPECT_EQ(text_of(path), "one\ntwo\nthree\n");
  EXPECT_FALSE(AppendedFile(folder_ / "none/lines").append("x"));
}

TEST_F(CheckpointFile, ComesBackBitForBitAndEveryDamageIsFound) {
  const fs::path path = folder_ / "state.bin";
  const Checkpoint written = {7, 0.1 + 0.2, {{"x", {1.0 / 3.0, -0.0, 1e-310}}, {"empty", {}}}};
  ASSERT_TRUE(write_checkpoint_file(path, written));
  const Result<Checkpoint> read = read_checkpoint_file(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->step, written.step);
  EXPECT_EQ(read->time, written.time);
  EXPECT_EQ(read->arrays, written.arrays);
  const std::string bytes = text_of(path);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 4;
    put("state.bin", damaged);
    EXPECT_FALSE(read_checkpoint_file(path)) << "byte " << i;
    put("state.bin", bytes.substr(0, i));
    EXPECT_FALSE(read_checkpoint_file(path)) << "cut off at " << i;
  }
  fs::remove(path);
  EXPECT_FALSE(read_checkpoint_file(path));
}

/// A disk was full when a frame was to be written, and the run went on: the frame was missing for good.
TEST_F(ResultFolders, FrameThatWasNeverWrittenIsKnownToBeMissing) {
  SceneDesc scene;
  scene.bodies.emplace_back();
  scene.bodies[0].name = "box";
  scene.bodies[0].generator.emplace();
  Result<ResultFolder> made = ResultFolder::create(folder_, scene);
  ASSERT_TRUE(made) << to_string(made.issues()[0]);
  ResultFolder folder = std::move(*made);
  Frame frame;
  frame.mesh.vertices = {{0, 0, 0}};
  frame.mesh.points = {0};
  ASSERT_TRUE(folder.write_frame(0, frame));
  for (int step = 1; step <= 4; ++step) {
    StepRecord record;
    record.step = step;
    record.status = step == 3 ? "iteration_limit" : "converged";
    record.has_frame = step % 2 == 0;
    ASSERT_TRUE(folder.append_stats(record));
  }
  EXPECT_TRUE(folder.missing_frames().empty()) << "nothing is expected of a run that is not resumed";
  const Result<ResultFolder> reopened = ResultFolder::reopen(folder_, scene, {3, 0.03, {}});
  ASSERT_TRUE(reopened);
  EXPECT_EQ(reopened->missing_frames(), std::vector<int>{2});
  const std::map<std::string, int> expected = {{"converged", 2}, {"iteration_limit", 1}};
  EXPECT_EQ(reopened->num_steps_by_status(), expected);
  EXPECT_TRUE(has(frame_file(0)));
}

}  // namespace
}  // namespace clearance::test
