// Nobody's data is lost: which folders a run may write into, what it removes there, and what it leaves alone.
#include <sys/stat.h>

#include "cli/quick_run.h"

namespace clearance::cli {
namespace {

class ResultSafety : public QuickRun {
 protected:
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((out_ / name).parent_path());
    std::ofstream(out_ / name, std::ios::binary) << text;
  }
  /// Expects status 2 and not a byte changed. Returns the messages.
  std::string expect_refused(const std::vector<std::string>& more) const {
    const Contents before = contents_of(out_);
    const ProcessResult result = run(more);
    EXPECT_EQ(result.status, 2) << result.errors;
    EXPECT_TRUE(contents_of(out_) == before) << "a refused run changed the folder";
    return result.errors;
  }
  /// Writes files such as a user may keep beside a result.
  void put_files_of_a_user() const {
    for (const char* name : {"notes.md", "frames/notes.txt", "frames/frame_000900.vtu", "frames/frame_2.vtu",
                             "checkpoint/mine.bin", "pictures/one.png"}) {
      put(name, std::string("of a user: ") + name);
    }
  }
  void expect_files_of_the_user() const {
    for (const char* name : {"notes.md", "frames/notes.txt", "frames/frame_000900.vtu", "frames/frame_2.vtu",
                             "checkpoint/mine.bin", "pictures/one.png"}) {
      EXPECT_EQ(read_text(out_ / name), std::string("of a user: ") + name);
    }
  }
};

TEST_F(ResultSafety, FolderThatIsNoResultIsRefusedAndUntouched) {
  put("scene.json", quick_scene);
  put("frames/holiday.jpg", "a picture");
  put("checkpoint/state.bin", "of another program");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--overwrite"}, {"--resume"}, {"--steps", "1"}}) {
    expect_says(expect_refused(more), {"not a result of this program", "scene.json", "-o", out_.string()});
  }
  EXPECT_FALSE(fs::exists(out_ / "log.txt"));
  EXPECT_FALSE(fs::exists(out_ / "clearance.lock"));
}

TEST_F(ResultSafety, FolderOfTheSceneItselfIsRefused) {
  out_ = folder_;
  const std::string scene = read_text(scene_);
  EXPECT_EQ(run().status, 2);
  EXPECT_EQ(run({"--overwrite"}).status, 2);
  EXPECT_EQ(read_text(scene_), scene);
  EXPECT_FALSE(fs::exists(folder_ / "scene.json"));
}

TEST_F(ResultSafety, ResultNeedsOverwriteOrResume) {
  ASSERT_EQ(run({"--steps", "3"}).status, 0);
  expect_says(expect_refused({}), {"--overwrite", "--resume"});
  EXPECT_EQ(run({"--overwrite", "--resume"}).status, 2);
  ASSERT_EQ(run({"--resume"}).status, 0);
  EXPECT_EQ(stats_of(out_).size(), num_quick_steps);
  expect_says(expect_refused({}), {"--overwrite", "--resume"});
  ASSERT_EQ(run({"--overwrite", "--steps", "2"}).status, 0);
  EXPECT_EQ(stats_of(out_).size(), 2u);
  EXPECT_EQ(files_in(out_ / "frames").size(), 3u);
}

TEST_F(ResultSafety, DefaultFolderIsProtectedLikeAnyOther) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  EXPECT_EQ(clearance({"run", scene_, "-q", "--steps", "2"}).status, 0);
  const ProcessResult again = clearance({"run", scene_, "-q", "--steps", "1"});
  EXPECT_EQ(clearance({"run", scene_, "-q", "--steps", "3", "--resume"}).status, 0);
  fs::current_path(before);
  EXPECT_EQ(again.status, 2);
  expect_says(again.errors, {"--overwrite", "--resume", "-o"});
  EXPECT_EQ(stats_of(folder_ / "out/quick").size(), 3u);
}

TEST_F(ResultSafety, EmptyFolderAndOneOfARefusedSceneNeedNoOption) {
  fs::create_directories(out_);
  EXPECT_EQ(run({"--set", "bodies[0].material.density=-1"}).status, 2);
  EXPECT_EQ(run({"--steps", "1"}).status, 0);
}

TEST_F(ResultSafety, ResultOfAProgramWithoutLockIsKnownByItsFrames) {
  ASSERT_EQ(run({"--steps", "2"}).status, 0);
  fs::remove(out_ / "clearance.lock");
  expect_says(expect_refused({}), {"--overwrite", "--resume"});
  EXPECT_EQ(run({"--resume", "--steps", "3"}).status, 0);
  EXPECT_EQ(stats_of(out_).size(), 3u);
}

TEST_F(ResultSafety, FilesOfTheUserSurviveOverwriteAndResume) {
  ASSERT_EQ(run({"--steps", "6"}).status, 0);
  put_files_of_a_user();
  ASSERT_EQ(run({"--overwrite", "--steps", "3"}).status, 0);
  expect_files_of_the_user();
  EXPECT_TRUE(fs::exists(out_ / "frames/frame_000003.vtu"));
  EXPECT_FALSE(fs::exists(out_ / "frames/frame_000004.vtu")) << "a frame of the old result is left";
  ASSERT_EQ(run({"--resume", "--steps", "5"}).status, 0);
  expect_files_of_the_user();
  EXPECT_EQ(clearance({"verify", out_.string()}).status, 0);
}

TEST_F(ResultSafety, BadSceneOrBadRecordingLeavesAnOlderResultAlone) {
  ASSERT_EQ(run({"--steps", "2"}).status, 0);
  expect_refused({"--overwrite", "--set", "bodies[0].material.density=-1"});
  expect_refused({"--overwrite", "--record-ccd", (folder_ / "none/q.ccd").string()});
}

TEST_F(ResultSafety, ResumeWithoutACheckpointIsRefusedAndErasesNothing) {
  EXPECT_EQ(run({"--resume"}).status, 2);
  EXPECT_FALSE(fs::exists(out_)) << "there was nothing to resume, and a folder was made";
  fs::create_directories(out_);
  expect_says(expect_refused({"--resume"}), {"without --resume"});
  ASSERT_EQ(run({"--steps", "4"}).status, 0);
  fs::remove(out_ / "checkpoint/state.bin");
  expect_says(expect_refused({"--resume"}), {"state.bin", "--overwrite"});
}

TEST_F(ResultSafety, ResumeFromABrokenCheckpointIsRefusedAndErasesNothing) {
  ASSERT_EQ(run({"--steps", "4"}).status, 0);
  const std::string bytes = read_text(out_ / "checkpoint/state.bin");
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 1;
  for (const std::string& damaged : {bytes.substr(0, bytes.size() / 2), bytes + "more", flipped,
                                     std::string("nonsense"), std::string(bytes.size(), '\0'), std::string()}) {
    put("checkpoint/state.bin", damaged);
    expect_says(expect_refused({"--resume"}), {"state.bin", "--overwrite"});
  }
  put("checkpoint/state.bin", bytes);
  EXPECT_EQ(run({"--resume", "--steps", "5"}).status, 0);
}

// A checkpoint of another run of the same bodies fits, and the run went on from there in silence.
TEST_F(ResultSafety, ResumeFromACheckpointOfAnotherRunErasesNothing) {
  ASSERT_EQ(run({"--steps", "4"}).status, 0);
  const fs::path other = folder_ / "other";
  ASSERT_EQ(clearance({"run", scene_, "-o", other.string(), "-q", "--steps", "4", "--set", "gravity=[0,-5,0]"}).status,
            0);
  const std::string bytes = read_text(out_ / "checkpoint/state.bin");
  put("checkpoint/state.bin", read_text(other / "checkpoint/state.bin"));
  expect_says(expect_refused({"--resume"}), {"state.bin", "another run", "--overwrite"});
  put("checkpoint/state.bin", bytes);
  EXPECT_EQ(run({"--resume", "--steps", "5"}).status, 0);
}

TEST_F(ResultSafety, ResumeFromACheckpointOfAnotherSceneErasesNothing) {
  ASSERT_EQ(run({"--steps", "4"}).status, 0);
  // The checkpoint is whole, but has more vertices.
  const fs::path other = folder_ / "other";
  ASSERT_EQ(clearance({"run", scene_, "-o", other.string(), "-q", "--steps", "1", "--set",
                       "bodies[0].generator.resolution=[2,2,2]"})
                .status,
            0);
  fs::copy_file(other / "checkpoint/state.bin", out_ / "checkpoint/state.bin", fs::copy_options::overwrite_existing);
  expect_says(expect_refused({"--resume"}), {"does not belong to this scene"});
  expect_says(expect_refused({"--resume", "--set", "bodies[0].material.density=900"}), {"differs from the one given"});
}

TEST_F(ResultSafety, ResumeRewritesTheFramesItCanAndVerifyNamesTheOthers) {
  const fs::path whole = folder_ / "whole";
  ASSERT_EQ(clearance({"run", scene_, "-o", whole.string(), "-q", "--threads", "1", "--steps", "6"}).status, 0);
  ASSERT_EQ(run({"--steps", "4"}).status, 0);
  fs::remove(out_ / "frames/frame_000000.vtu");
  fs::remove(out_ / "frames/frame_000004.vtu");
  EXPECT_EQ(clearance({"verify", out_.string()}).status, 4);
  ASSERT_EQ(run({"--resume", "--steps", "6"}).status, 0);
  expect_same_result(out_, whole);
  // A frame in the middle is lost for good, and every later command reports that.
  fs::remove(out_ / "frames/frame_000002.vtu");
  const ProcessResult resumed = run({"--resume"});
  EXPECT_EQ(resumed.status, 0);
  expect_says(resumed.errors, {"missing", "steps 2"});
  const ProcessResult verdict = clearance({"verify", out_.string()});
  EXPECT_EQ(verdict.status, 4);
  expect_says(verdict.output, {"frame_000002.vtu", "NOT verified"});
}

TEST_F(ResultSafety, FrameThatTheListLostIsAProblemUntilResumed) {
  const std::vector<std::string> every_second = {"--set", "output.frame_interval=2", "--steps", "7"};
  ASSERT_EQ(run(every_second).status, 0);
  const std::string list = read_text(out_ / "frames.pvd");
  const std::size_t at = list.find("<DataSet timestep=\"0.04\""), end = list.find('\n', at);
  ASSERT_NE(at, std::string::npos) << list;
  put("frames.pvd", list.substr(0, at) + list.substr(end + 1));
  const ProcessResult verdict = clearance({"verify", out_.string()});
  EXPECT_EQ(verdict.status, 4);
  expect_says(verdict.output, {"1 of the stored frames is missing: frames/frame_000004.vtu"});
  std::vector<std::string> resume = every_second;
  resume.push_back("--resume");
  ASSERT_EQ(run(resume).status, 0);
  EXPECT_EQ(read_text(out_ / "frames.pvd"), list);
  fs::remove(out_ / "frames.pvd");
  ASSERT_EQ(run(resume).status, 0);
  EXPECT_EQ(read_text(out_ / "frames.pvd"), list);
}

TEST_F(ResultSafety, FramesThatAKilledRunHasNotListedAreVerifiedAndMadeAgain) {
  ASSERT_EQ(run({"--steps", "7"}).status, 0);
  const std::string list = read_text(out_ / "frames.pvd"), checkpoint = read_text(out_ / "checkpoint/state.bin");
  const std::string last_frame = read_text(out_ / "frames/frame_000007.vtu");
  // The list and the checkpoint of step 4, as a run that is killed within half a second leaves them.
  ASSERT_EQ(run({"--overwrite", "--steps", "4"}).status, 0);
  const std::string old_list = read_text(out_ / "frames.pvd"),
                    old_checkpoint = read_text(out_ / "checkpoint/state.bin");
  ASSERT_EQ(run({"--resume", "--steps", "7"}).status, 0);
  put("frames.pvd", old_list);
  put("checkpoint/state.bin", old_checkpoint);
  EXPECT_EQ(clearance({"verify", out_.string()}).status, 4) << "a run that is over has listed all frames";
  fs::remove(out_ / "summary.json");
  const ProcessResult verdict = clearance({"verify", out_.string()});
  EXPECT_EQ(verdict.status, 0) << verdict.output;
  expect_says(verdict.output, {"frames 8: 0 intersections"});
  // A damaged frame is found though the list does not name it.
  put("frames/frame_000007.vtu", "damaged");
  EXPECT_EQ(clearance({"verify", out_.string()}).status, 4);
  fs::remove(out_ / "frames/frame_000006.vtu");
  expect_says(clearance({"verify", out_.string()}).output, {"frame_000006.vtu"});
  ASSERT_EQ(run({"--resume", "--steps", "7"}).status, 0);
  EXPECT_EQ(read_text(out_ / "frames.pvd"), list);
  EXPECT_EQ(read_text(out_ / "checkpoint/state.bin"), checkpoint);
  EXPECT_EQ(read_text(out_ / "frames/frame_000007.vtu"), last_frame);
}

TEST_F(ResultSafety, OtherIntervalsAfterResumeLeaveNoHoleForVerify) {
  ASSERT_EQ(run({"--set", "output.frame_interval=3", "--steps", "7"}).status, 0);
  ASSERT_EQ(run({"--resume", "--set", "output.frame_interval=2", "--steps", "11"}).status, 0);
  const ProcessResult verdict = clearance({"verify", out_.string()});
  EXPECT_EQ(verdict.status, 0) << verdict.output;
  std::vector<std::string> expected;
  for (const char* step : {"0", "3", "6", "7", "8"}) expected.push_back(std::string("frame_00000") + step + ".vtu");
  for (const char* step : {"10", "11"}) expected.push_back(std::string("frame_0000") + step + ".vtu");
  EXPECT_EQ(files_in(out_ / "frames"), expected);
}

TEST_F(ResultSafety, SecondRunOnAFolderIsRefusedWhileReadersWork) {
  const fs::path whole = folder_ / "whole";
  ASSERT_EQ(clearance({"run", scene_, "-o", whole.string(), "-q", "--threads", "1"}).status, 0);
  const pid_t first = start(arguments({"--set", "time.duration=100000"}), "first");
  ASSERT_TRUE(wait_for_steps(out_, 3));
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--overwrite"}, {"--resume"}}) {
    const ProcessResult second = run(more);
    EXPECT_EQ(second.status, 2);
    expect_says(second.errors, {"another run"});
  }
  for (int i = 0; i < 5; ++i) {
    const ProcessResult verdict = clearance({"verify", out_.string()});
    EXPECT_EQ(verdict.status, 0) << verdict.output << verdict.errors;
  }
  EXPECT_EQ(clearance({"info", out_.string()}).status, 0);
  EXPECT_EQ(clearance({"render", out_.string(), "-o", (folder_ / "p.png").string(), "--size", "64x48"}).status, 0);
  // A killed process leaves no lock behind.
  kill(first, SIGKILL);
  EXPECT_EQ(wait_for(first, "first").status, 128 + SIGKILL);
  EXPECT_EQ(run({"--resume", "--steps", "3"}).status, 0);
  EXPECT_GE(stats_of(out_).size(), 3u);
}

TEST_F(ResultSafety, OfTwoRunsThatStartTogetherOneWins) {
  for (int i = 0; i < 5; ++i) {
    fs::remove_all(out_);
    const pid_t a = start(arguments(), "a"), b = start(arguments(), "b");
    const int status_a = wait_for(a, "a").status, status_b = wait_for(b, "b").status;
    EXPECT_EQ(std::min(status_a, status_b), 0);
    EXPECT_EQ(std::max(status_a, status_b), 2);
    EXPECT_EQ(stats_of(out_).size(), num_quick_steps);
    EXPECT_EQ(clearance({"verify", out_.string()}).status, 0);
  }
}

TEST_F(ResultSafety, FileWhereAFolderBelongsIsAClearError) {
  write("out", "a file");
  expect_says(run().errors, {"is a file", "-o"});
  EXPECT_EQ(run({"--resume"}).status, 2);
  EXPECT_EQ(read_text(out_), "a file");
  out_ = out_ / "below";
  const ProcessResult below = run();
  EXPECT_EQ(below.status, 2);
  expect_says(below.errors, {"this folder cannot be created"});
  // The same in a folder of ours.
  out_ = folder_ / "ours";
  put("clearance.lock", "");
  put("frames", "a file");
  const ProcessResult blocked = run();
  EXPECT_EQ(blocked.status, 2);
  expect_says(blocked.errors, {"frames", "this folder cannot be created"});
  EXPECT_EQ(read_text(out_ / "frames"), "a file");
  fs::remove(out_ / "frames");
  fs::remove(out_ / "log.txt");
  fs::create_directories(out_ / "log.txt");
  EXPECT_EQ(run().status, 2);
  fs::remove(out_ / "log.txt");
  put("stats.jsonl/mine.txt", "in a folder");
  const ProcessResult folder = run({"--overwrite"});
  EXPECT_EQ(folder.status, 2);
  expect_says(folder.errors, {"stats.jsonl", "is a folder"});
  EXPECT_EQ(read_text(out_ / "stats.jsonl/mine.txt"), "in a folder");
}

TEST_F(ResultSafety, FolderThatCannotBeMadeIsAClearError) {
  // Nobody makes a folder there, not even root.
  out_ = "/proc/clearance";
  const ProcessResult nowhere = run();
  EXPECT_EQ(nowhere.status, 2);
  expect_says(nowhere.errors, {"this folder cannot be created"});
}

TEST_F(ResultSafety, FolderThatCannotBeWrittenIsAClearError) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write into every folder";
  fs::create_directories(out_);
  chmod(out_.c_str(), 0555);
  const ProcessResult locked = run();
  chmod(out_.c_str(), 0755);
  EXPECT_EQ(locked.status, 2);
  expect_says(locked.errors, {"cannot be written"});
}

TEST_F(ResultSafety, UnconvergedStepsAreCountedInTheLastLineAndTheSummary) {
  const std::vector<std::string> hard = {"run", scene_, "-o", out_.string(), "--set", "solver.max_iterations=1"};
  const ProcessResult result = clearance(hard);
  EXPECT_EQ(result.status, 0) << result.errors;
  std::map<std::string, int> statuses;
  for (const Json& line : stats_of(out_)) ++statuses[line["status"].get<std::string>()];
  const int num_limited = statuses["iteration_limit"];
  ASSERT_GT(num_limited, 0);
  EXPECT_EQ(summary_of(out_)["steps_by_status"]["iteration_limit"], num_limited);
  EXPECT_EQ(summary_of(out_)["converged_steps"], statuses["converged"]);
  // Warnings of energy may follow.
  const std::string last = result.output.substr(result.output.find("complete: "));
  expect_says(last, {std::to_string(num_limited) + " of " + std::to_string(num_quick_steps) + " steps",
                     std::to_string(num_limited) + " iteration_limit"});
  // A quiet run prints problems only, and this is one. Steps before a resume count too.
  const ProcessResult quiet = run({"--set", "solver.max_iterations=1", "--resume"});
  EXPECT_EQ(quiet.status, 0);
  expect_says(quiet.errors, {std::to_string(num_limited) + " iteration_limit"});
  EXPECT_EQ(quiet.output, "");
}

}  // namespace
}  // namespace clearance::cli
