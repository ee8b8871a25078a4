// Runs on a full disk: the run ends with a clear error, and continues without a hole when there is room again.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cstring>

#include "cli/quick_run.h"
#include "support/environment.h"

namespace clearance::cli {
namespace {

class FullDisk : public QuickRun {
 protected:
  void SetUp() override {
    QuickRun::SetUp();
    whole_ = folder_ / "whole";
    disk_ = folder_ / "disk";
    fs::create_directories(disk_);
    ASSERT_EQ(clearance({"run", scene_, "-o", whole_.string(), "-q", "--threads", "1"}).status, 0);
  }
  /// Expects that a run that could not write leaves a sound result, and that resuming it gives the whole run.
  void expect_failed_soundly(const ProcessResult& failed) {
    EXPECT_EQ(failed.status, 2) << failed.errors;
    expect_says(failed.errors, {"cannot write the file"});
    EXPECT_NE(summary_of(out_).is_object() ? summary_of(out_)["finished"] : Json("failed"), "complete");
    if (!fs::exists(out_ / "checkpoint/state.bin")) return;
    const ProcessResult verdict = clearance({"verify", out_.string()});
    EXPECT_EQ(verdict.status, 0) << verdict.output;
  }
  void expect_whole_after_resume() {
    const bool has_checkpoint = fs::exists(out_ / "checkpoint/state.bin");
    const ProcessResult resumed = run({has_checkpoint ? "--resume" : "--overwrite"});
    EXPECT_EQ(resumed.status, 0) << resumed.errors;
    expect_same_result(out_, whole_);
    EXPECT_EQ(clearance({"verify", out_.string()}).status, 0);
  }
  /// Gives this process and its children disks of their own, which nobody else sees and which disappear with them.
  static bool can_mount() {
    return geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }
  bool mount_disk(unsigned long flags, const char* options) const {
    return mount("tmpfs", disk_.c_str(), "tmpfs", flags, options) == 0;
  }

  fs::path whole_, disk_;
};

TEST_F(FullDisk, RunEndsWithAnErrorAndGoesOnWithoutAHoleWhenThereIsRoom) {
  if (!can_mount()) GTEST_SKIP() << "mounting needs root";
  out_ = disk_ / "out";
  int num_resumed = 0;
  for (const char* size : {"size=16k", "size=32k", "size=44k", "size=64k", "size=100k", "size=128k", "size=148k"}) {
    SCOPED_TRACE(size);
    if (!mount_disk(0, size)) GTEST_SKIP() << "cannot mount: " << std::strerror(errno);
    const ProcessResult failed = run();
    expect_failed_soundly(failed);
    expect_says(failed.errors, {"No space left"});
    num_resumed += fs::exists(out_ / "checkpoint/state.bin") ? 1 : 0;
    // Without room nothing can be done, and nothing is lost.
    if (fs::exists(out_ / "checkpoint/state.bin")) {
      const std::size_t num_frames = files_in(out_ / "frames").size();
      EXPECT_EQ(run({"--resume"}).status, 2);
      EXPECT_GE(files_in(out_ / "frames").size() + 1, num_frames);
    }
    EXPECT_TRUE(mount_disk(MS_REMOUNT, "size=64m"));
    expect_whole_after_resume();
    EXPECT_EQ(umount2(disk_.c_str(), MNT_DETACH), 0);
  }
  EXPECT_GT(num_resumed, 0) << "no disk was large enough for a checkpoint";
}

TEST_F(FullDisk, DiskThatMayOnlyBeReadIsAClearError) {
  if (!can_mount() || !mount_disk(0, "size=64m")) GTEST_SKIP() << "mounting needs root";
  out_ = disk_ / "out";
  ASSERT_EQ(run({"--steps", "3"}).status, 0);
  ASSERT_TRUE(mount_disk(MS_REMOUNT | MS_RDONLY, "size=64m"));
  const Contents before = contents_of(out_);
  for (const char* use : {"--resume", "--overwrite"}) {
    const ProcessResult refused = run({use});
    EXPECT_EQ(refused.status, 2);
    expect_says(refused.errors, {"cannot be written", "Read-only"});
  }
  EXPECT_TRUE(contents_of(out_) == before);
  EXPECT_EQ(clearance({"verify", out_.string()}).status, 0);
  EXPECT_EQ(clearance({"info", out_.string()}).status, 0);
  out_ = disk_ / "new";
  expect_says(run().errors, {"this folder cannot be created"});
  EXPECT_EQ(umount2(disk_.c_str(), MNT_DETACH), 0);
}

/// The same test without root: files may not grow beyond a size, which ends the run when the statistics reach it.
TEST_F(FullDisk, FileThatMayNotGrowEndsTheRunAndIsResumed) {
  int num_resumed = 0;
  for (const rlim_t size : {rlim_t{1500}, rlim_t{8000}, rlim_t{20000}}) {
    SCOPED_TRACE(size);
    fs::remove_all(out_);
    rlimit before = {};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small = {size, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const pid_t pid = start(arguments());
    setrlimit(RLIMIT_FSIZE, &before);
    expect_failed_soundly(wait_for(pid));
    num_resumed += fs::exists(out_ / "checkpoint/state.bin") ? 1 : 0;
    expect_whole_after_resume();
  }
  EXPECT_GT(num_resumed, 0) << "no limit was large enough for a checkpoint";
}

/// The disk is full from one call on that needs room, whichever it is (cli/faults/full_disk.cpp).
///   CLEARANCE_FULL_DISKS=1000   number of runs, with the disk full at one call after the other
///   CLEARANCE_FUZZ_FIRST=1      the first of them
TEST_F(FullDisk, WhicheverWriteFailsTheRunIsResumed) {
  const fs::path library = fs::path(program_path()).parent_path() / "full_disk.so";
  if (!fs::exists(library)) GTEST_SKIP() << "full_disk.so is not built with sanitizers";
  const std::vector<std::string> more = {"--set", "output.certificate=true", "--set",
                                         R"(output.probes=[{"name": "box", "body": "box"}])"};
  fs::remove_all(whole_);
  out_ = whole_;
  setenv("LD_PRELOAD", library.c_str(), 1);
  setenv("CLEARANCE_FULL_COUNT", (folder_ / "count").c_str(), 1);
  const ProcessResult undisturbed = run(more);
  unsetenv("LD_PRELOAD");
  unsetenv("CLEARANCE_FULL_COUNT");
  ASSERT_EQ(undisturbed.status, 0) << undisturbed.errors;
  const long num_calls = std::atol(read_text(folder_ / "count").c_str());
  ASSERT_GT(num_calls, 4 * static_cast<long>(num_quick_steps));
  out_ = folder_ / "out";
  const bool is_long = std::getenv("CLEARANCE_FULL_DISKS") != nullptr;
  const long wanted = number_from_environment("CLEARANCE_FULL_DISKS", 12);
  const long first = number_from_environment("CLEARANCE_FUZZ_FIRST", 1);
  std::map<std::string, long> outcomes;
  for (long i = 0; i < wanted && !HasFailure(); ++i) {
    // Every call in turn, or some of them, from the first to the last.
    const long full_at = is_long ? (first - 1 + i) % num_calls + 1 : 1 + i * (num_calls - 1) / (wanted - 1);
    SCOPED_TRACE("CLEARANCE_FULL_AT=" + std::to_string(full_at));
    fs::remove_all(out_);
    setenv("LD_PRELOAD", library.c_str(), 1);
    setenv("CLEARANCE_FULL_AT", std::to_string(full_at).c_str(), 1);
    const ProcessResult failed = run(more);
    unsetenv("LD_PRELOAD");
    unsetenv("CLEARANCE_FULL_AT");
    ++outcomes["status " + std::to_string(failed.status)];
    EXPECT_EQ(failed.status, 2) << failed.errors;
    expect_says(failed.errors, {"No space left"});
    std::vector<std::string> again = more;
    const bool has_checkpoint = fs::exists(out_ / "checkpoint/state.bin");
    if (has_checkpoint) {
      const ProcessResult verdict = clearance({"verify", "--paths", out_.string()});
      EXPECT_EQ(verdict.status, 0) << verdict.output;
      again.push_back("--resume");
    } else if (fs::exists(out_)) {
      again.push_back("--overwrite");
    }
    const ProcessResult resumed = run(again);
    EXPECT_EQ(resumed.status, 0) << resumed.errors;
    expect_same_result(out_, whole_);
    const ProcessResult verdict = clearance({"verify", "--paths", out_.string()});
    EXPECT_EQ(verdict.status, 0) << verdict.output;
  }
  std::printf("%ld full disks of %ld calls that need room:", wanted, num_calls);
  for (const auto& [outcome, count] : outcomes) std::printf(" %ld with %s;", count, outcome.c_str());
  std::printf("\n");
}

TEST_F(FullDisk, ExportsEndWithAnErrorAndLeaveNothing) {
  if (!can_mount()) GTEST_SKIP() << "mounting needs root";
  for (const char* ending : {".glb", ".obj", ".pc2", ".usda", ".abc", ".xdmf", ".frd"}) {
    SCOPED_TRACE(ending);
    for (const char* size : {"size=4k", "size=12k"}) {
      if (!mount_disk(0, size)) GTEST_SKIP() << "cannot mount: " << std::strerror(errno);
      const std::string output = (disk_ / ("run" + std::string(ending))).string();
      const ProcessResult failed = clearance({"export", whole_.string(), "-o", output});
      EXPECT_EQ(failed.status, 2) << failed.errors;
      expect_says(failed.errors, {(disk_ / "run").string(), "No space left"});
      EXPECT_EQ(failed.errors.find(".tmp"), std::string::npos) << failed.errors;
      EXPECT_TRUE(fs::is_empty(disk_));
      EXPECT_EQ(umount2(disk_.c_str(), MNT_DETACH), 0);
    }
  }
}

}  // namespace
}  // namespace clearance::cli
