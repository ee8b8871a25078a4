// `clearance run` as its users see it: exit statuses, the result folder, killed and resumed runs.
#include <chrono>
#include <thread>

#include "clearance/io/result/pvd.h"
#include "cli/process.h"

namespace clearance::cli {
namespace {

/// Two boxes that fall onto a half-space, one onto the other; contacts from about step 6 on.
const std::string drop_scene = R"({
  "time": {"step": 0.01, "duration": 0.2},
  "half_spaces": [{"point": [0, -0.26, 0]}],
  "bodies": [
    {"name": "lower", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [3, 3, 3]}},
    {"name": "upper", "generator": {"kind": "box", "size": [0.4, 0.4, 0.4], "resolution": [3, 3, 3]},
     "transform": {"translation": [0.1, 0.5, 0], "rotation": [10, 20, 0]}, "linear_velocity": [0, -3, 0]}]})";

/// An affine and a rigid box on one hinge that fall and turn onto a deformable box with a stiff half, with friction.
const std::string mixed_scene = R"({
  "time": {"step": 0.01, "duration": 0.2},
  "friction": {"coefficient": 0.4},
  "half_spaces": [{"point": [0, -0.26, 0]}],
  "bodies": [
    {"name": "base", "generator": {"kind": "box", "size": [0.8, 0.5, 0.5], "resolution": [4, 2, 2]},
     "stiff_parts": [{"region": {"frame": "body", "box": [[-0.1, -0.1, -0.1], [0.51, 1.1, 1.1]]}}]},
    {"name": "left", "kind": "affine", "generator": {"kind": "box", "size": [0.3, 0.2, 0.2], "resolution": [1, 1, 1]},
     "transform": {"translation": [-0.2, 0.42, 0], "rotation": [0, 20, 10]}, "linear_velocity": [0, -3, 0]},
    {"name": "right", "kind": "rigid", "generator": {"kind": "box", "size": [0.3, 0.2, 0.2], "resolution": [1, 1, 1]},
     "transform": {"translation": [0.25, 0.5, 0.03], "rotation": [20, 0, 0]}, "linear_velocity": [0, -3, 0],
     "angular_velocity": [400, 0, 0]}],
  "joints": [{"bodies": ["left", "right"], "point": [0.02, 0.46, 0], "axis": [0, 0, 1], "effort": "cos(10 * t) * 2"}]})";

/// Two soft blocks of many patches each meet in flight: the coupling of patches comes and goes.
const std::string patched_scene = R"({
  "time": {"step": 0.01, "duration": 0.2}, "gravity": [0, 0, 0],
  "solver": {"linear_solver": "pcg"},
  "bodies": [
    {"generator": {"kind": "box", "size": [0.5, 0.2, 0.5], "resolution": [9, 4, 9]}, "linear_velocity": [0, 2, 0]},
    {"generator": {"kind": "box", "size": [0.5, 0.2, 0.5], "resolution": [8, 4, 8]}, "linear_velocity": [0, -2, 0],
     "transform": {"translation": [0.1, 0.3, 0.05], "rotation": [3, 20, 5]}}]})";

class Run : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    scene_ = write("drop.json", drop_scene).string();
    out_ = (folder_ / "out").string();
  }
  /// Expects that a run of 20 steps fills the same folder if it is killed three times and resumed on another number of
  /// threads.
  void expect_killed_run_is_the_whole_run() const {
    const std::string whole = (folder_ / "whole").string();
    ASSERT_EQ(clearance({"run", scene_, "-o", whole, "-q", "--threads", "2"}).status, 0);
    const std::vector<std::string> expected = hashes_of(whole);
    ASSERT_EQ(expected.size(), 20u);

    // The run is killed three times, each a little further: the moments are arbitrary.
    int num_kills = 0;
    for (std::size_t wanted : {3u, 8u, 13u}) {
      std::vector<std::string> arguments = {"run", scene_, "-o", out_, "-q", "--threads", "2"};
      if (wanted > 3u) arguments.push_back("--resume");
      const pid_t pid = start(arguments);
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (stats_of(out_).size() < wanted && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      kill(pid, SIGKILL);
      num_kills += wait_for(pid).status == 128 + SIGKILL ? 1 : 0;
      EXPECT_EQ(clearance({"verify", out_}).status, 0) << "what a killed run leaves does not verify";
    }
    EXPECT_GT(num_kills, 0) << "every run ended before it could be killed";
    ASSERT_EQ(clearance({"run", scene_, "-o", out_, "-q", "--resume", "--threads", "1"}).status, 0);
    EXPECT_EQ(hashes_of(out_), expected);
    EXPECT_EQ(files_in(fs::path(out_) / "frames"), files_in(fs::path(whole) / "frames"));
    EXPECT_EQ(read_text(out_ + "/frames.pvd"), read_text(whole + "/frames.pvd"));
    for (const std::string& frame : files_in(fs::path(whole) / "frames")) {
      EXPECT_EQ(read_text(out_ + "/frames/" + frame), read_text(whole + "/frames/" + frame)) << frame;
    }
    EXPECT_EQ(read_text(out_ + "/checkpoint/state.bin"), read_text(whole + "/checkpoint/state.bin"));
    EXPECT_EQ(Json::parse(read_text(out_ + "/summary.json"))["finished"], "complete");
    EXPECT_EQ(clearance({"verify", out_}).status, 0);
  }

  std::string scene_, out_;
};

TEST_F(Run, FillsTheResultFolderAsTheContractSays) {
  const ProcessResult run = clearance({"run", scene_, "-o", out_, "--threads", "2", "--steps", "12"});
  ASSERT_EQ(run.status, 0) << run.errors;
  for (const char* name :
       {"scene.json", "bodies.json", "frames.pvd", "stats.jsonl", "summary.json", "checkpoint/state.bin", "log.txt"}) {
    EXPECT_TRUE(fs::exists(fs::path(out_) / name)) << name;
  }
  // There is one line per step, with all promised keys.
  const std::vector<Json> stats = stats_of(out_);
  ASSERT_EQ(stats.size(), 12u);
  for (std::size_t i = 0; i < stats.size(); ++i) {
    const Json& line = stats[i];
    EXPECT_EQ(line["step"], static_cast<int>(i) + 1);
    EXPECT_NEAR(line["time"].get<double>(), 0.01 * static_cast<double>(i + 1), 1e-12);
    EXPECT_EQ(line["status"], "converged");
    for (const char* key : {"newton_iterations", "contacts", "min_distance", "state_hash"})
      EXPECT_TRUE(line.contains(key)) << key;
    for (const char* key : {"kinetic", "elastic", "gravity"}) EXPECT_TRUE(line["energy"][key].is_number()) << key;
    for (const char* key : {"total", "assembly", "linear_solve", "broad_phase", "ccd", "line_search"}) {
      EXPECT_TRUE(line["seconds"][key].is_number()) << key;
    }
    EXPECT_EQ(line["state_hash"].get<std::string>().size(), 16u);
  }
  EXPECT_GT(stats.back()["contacts"].get<int>(), 0);
  EXPECT_GT(stats.back()["min_distance"].get<double>(), 0.0);

  const Json summary = Json::parse(read_text(fs::path(out_) / "summary.json"));
  for (const char* key : {"version", "threads", "bodies", "vertices", "elements", "steps", "newton_iterations",
                          "peak_memory_bytes", "converged_steps", "min_distance"}) {
    EXPECT_TRUE(summary.contains(key)) << key;
  }
  EXPECT_EQ(summary["threads"], 2);
  EXPECT_EQ(summary["bodies"], 2);
  EXPECT_EQ(summary["vertices"], 128);
  EXPECT_EQ(summary["steps"], 12);
  EXPECT_EQ(summary["converged_steps"], 12);
  int iterations = 0;
  for (const Json& line : stats) iterations += line["newton_iterations"].get<int>();
  EXPECT_EQ(summary["newton_iterations"], iterations);

  // The list of frames and the frames: the start and every step.
  const auto frames = read_pvd(fs::path(out_) / "frames.pvd");
  ASSERT_TRUE(frames);
  ASSERT_EQ(frames->size(), 13u);
  for (const PvdEntry& entry : *frames) EXPECT_TRUE(fs::exists(fs::path(out_) / entry.file)) << entry.file;
  EXPECT_EQ(files_in(fs::path(out_) / "frames").size(), 13u);
  EXPECT_EQ((*frames)[0].time, 0.0);
  EXPECT_NEAR(frames->back().time, 0.12, 1e-12);

  EXPECT_EQ(clearance({"verify", out_}).status, 0);
  EXPECT_EQ(clearance({"info", out_}).status, 0);
}

TEST_F(Run, StoredSceneRunsAgainToTheSameStates) {
  ASSERT_EQ(clearance({"run", scene_, "-o", out_, "--steps", "10", "-q"}).status, 0);
  const std::string again = (folder_ / "again").string();
  ASSERT_EQ(clearance({"run", out_ + "/scene.json", "-o", again, "--steps", "10", "-q", "--threads", "1"}).status, 0);
  EXPECT_EQ(hashes_of(again), hashes_of(out_));
  EXPECT_EQ(read_text(again + "/scene.json"), read_text(out_ + "/scene.json"));
}

TEST_F(Run, ConvertedSceneRunsToTheSameStates) {
  ASSERT_EQ(clearance({"convert", scene_, "-o", (folder_ / "native.json").string()}).status, 0);
  ASSERT_EQ(clearance({"run", scene_, "-o", out_, "--steps", "3", "-q"}).status, 0);
  const std::string again = (folder_ / "again").string();
  ASSERT_EQ(clearance({"run", (folder_ / "native.json").string(), "-o", again, "--steps", "3", "-q"}).status, 0);
  EXPECT_EQ(hashes_of(again), hashes_of(out_));
}

TEST_F(Run, SetChangesValuesAndStepsTheLength) {
  const std::vector<std::string> run = {"run",
                                        scene_,
                                        "-o",
                                        out_,
                                        "-q",
                                        "--set",
                                        "time.step=0.02",
                                        "--set",
                                        "bodies[1].material.density=500",
                                        "--set",
                                        "output.frame_interval=2"};
  ASSERT_EQ(clearance(run).status, 0);
  EXPECT_EQ(stats_of(out_).size(), 10u);
  EXPECT_NEAR(stats_of(out_).back()["time"].get<double>(), 0.2, 1e-12);
  EXPECT_EQ(files_in(fs::path(out_) / "frames").size(), 6u);
  const Json scene = Json::parse(read_text(out_ + "/scene.json"));
  EXPECT_EQ(scene["bodies"][1]["material"]["density"], 500.0);
  ASSERT_EQ(clearance({"run", scene_, "-o", out_, "-q", "--steps", "1", "--overwrite"}).status, 0);
  EXPECT_EQ(stats_of(out_).size(), 1u) << "a new run leaves nothing of the old one";
  EXPECT_EQ(files_in(fs::path(out_) / "frames").size(), 2u);
}

TEST_F(Run, KilledAndResumedIsTheUninterruptedRunBitForBit) {
  expect_killed_run_is_the_whole_run();
}

TEST_F(Run, KilledAndResumedIsTheUninterruptedRunBitForBitWithStiffBodiesAndJoints) {
  scene_ = write("mixed.json", mixed_scene).string();
  expect_killed_run_is_the_whole_run();
  const std::vector<Json> stats = stats_of(out_);
  EXPECT_GT(stats.back()["friction_work"].get<double>(), 0.0) << "nothing rubs";
  const std::string single = (folder_ / "single").string();
  ASSERT_EQ(clearance({"run", scene_, "-o", single, "-q", "--threads", "1"}).status, 0);
  EXPECT_EQ(hashes_of(single), hashes_of(out_));
}

TEST_F(Run, KilledAndResumedIsTheUninterruptedRunBitForBitWithConjugateGradients) {
  scene_ = write("patched.json", patched_scene).string();
  expect_killed_run_is_the_whole_run();
  int num_contacts = 0, num_iterations = 0;
  for (const Json& step : stats_of(out_)) {
    num_contacts = std::max(num_contacts, step["contacts"].get<int>());
    num_iterations += step["counters"]["linear_iterations"].get<int>();
  }
  EXPECT_GT(num_contacts, 0);
  EXPECT_GT(num_iterations, 0);
}

TEST_F(Run, ResumedAfterSparseCheckpointsAndFramesIsStillTheSame) {
  const std::vector<std::string> sparse = {"--set", "output.checkpoint_interval=4", "--set", "output.frame_interval=3"};
  const auto run = [&](const std::string& to, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"run", scene_, "-o", to, "-q"};
    arguments.insert(arguments.end(), sparse.begin(), sparse.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  const std::string whole = (folder_ / "whole").string();
  ASSERT_EQ(clearance(run(whole, {})).status, 0);
  const pid_t pid = start(run(out_, {}));
  while (stats_of(out_).size() < 6) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(pid, SIGKILL);
  wait_for(pid);
  ASSERT_EQ(clearance(run(out_, {"--resume"})).status, 0);
  EXPECT_EQ(hashes_of(out_), hashes_of(whole));
  EXPECT_EQ(read_text(out_ + "/frames.pvd"), read_text(whole + "/frames.pvd"));
}

TEST_F(Run, ResumingAFinishedRunChangesNothing) {
  ASSERT_EQ(clearance({"run", scene_, "-o", out_, "-q", "--steps", "4"}).status, 0);
  std::vector<std::pair<std::string, std::string>> before, after;
  const auto remember = [&](auto& contents) {
    for (const std::string& file : files_in(out_)) {
      // The log says that it was resumed; the summary measures the memory of the process.
      if (file != "log.txt" && file != "summary.json") contents.emplace_back(file, read_text(fs::path(out_) / file));
    }
  };
  remember(before);
  ASSERT_EQ(clearance({"run", scene_, "-o", out_, "-q", "--steps", "4", "--resume"}).status, 0);
  remember(after);
  EXPECT_TRUE(before == after);
  // More steps continue it.
  ASSERT_EQ(clearance({"run", scene_, "-o", out_, "-q", "--steps", "6", "--resume"}).status, 0);
  EXPECT_EQ(stats_of(out_).size(), 6u);
}

TEST_F(Run, KilledBeforeItsFirstFrameStartsAgainWithoutAnOption) {
  ASSERT_EQ(clearance({"run", scene_, "-o", out_, "-q", "--steps", "2"}).status, 0);
  const std::vector<std::string> expected = hashes_of(out_);
  // A kill may leave nothing, an empty folder, a log, a scene, or a frame without a list; always with the lock.
  for (const char* left : {"", "clearance.lock", "log.txt", "scene.json", "frames/frame_000000.vtu"}) {
    const fs::path out = folder_ / "killed";
    fs::remove_all(out);
    if (*left != 0) {
      fs::create_directories((out / left).parent_path());
      fs::copy_file(fs::path(out_) / left, out / left);
      std::ofstream(out / "clearance.lock");
    }
    EXPECT_EQ(clearance({"run", scene_, "-o", out.string(), "-q", "--steps", "2"}).status, 0) << left;
    EXPECT_EQ(hashes_of(out), expected) << left;
    EXPECT_EQ(files_in(out), files_in(out_)) << left;
  }
}

TEST_F(Run, ResumeIsRefusedForAnotherScene) {
  ASSERT_EQ(clearance({"run", scene_, "-o", out_, "-q", "--steps", "2"}).status, 0);
  const std::vector<std::string> hashes = hashes_of(out_);
  const ProcessResult other =
      clearance({"run", scene_, "-o", out_, "-q", "--resume", "--set", "bodies[0].material.density=900"});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.errors.find("differs from the one given"), std::string::npos) << other.errors;
  EXPECT_EQ(hashes_of(out_), hashes) << "a refused run changed the folder";
}

TEST_F(Run, DamagedCheckpointIsRefused) {
  ASSERT_EQ(clearance({"run", scene_, "-o", out_, "-q", "--steps", "2"}).status, 0);
  const std::string bytes = read_text(out_ + "/checkpoint/state.bin");
  for (const std::string& damaged : {bytes.substr(0, bytes.size() / 2), std::string("nonsense"), std::string()}) {
    std::ofstream(out_ + "/checkpoint/state.bin", std::ios::binary) << damaged;
    const ProcessResult run = clearance({"run", scene_, "-o", out_, "-q", "--resume"});
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.errors.find("state.bin"), std::string::npos) << run.errors;
  }
}

TEST_F(Run, StepThatDoesNotConvergeIsStatusThreeOnlyIfStrict) {
  const std::vector<std::string> hard = {"run", scene_, "-o", out_, "-q", "--set", "solver.max_iterations=1"};
  EXPECT_EQ(clearance(hard).status, 0);
  EXPECT_EQ(stats_of(out_).size(), 20u);
  EXPECT_EQ(stats_of(out_).back()["status"], "iteration_limit");
  EXPECT_EQ(clearance({"verify", out_}).status, 0) << "unconverged, yet nothing may cross";
  std::vector<std::string> strict = hard;
  strict.insert(strict.end(), {"--strict", "--overwrite"});
  EXPECT_EQ(clearance(strict).status, 3);
  EXPECT_LT(stats_of(out_).size(), 20u);
}

TEST_F(Run, RigidBodyTurnedAgainstTheLimitOfItsJointIsStoppedThereAndTheRunGoesOn) {
  // Its vertices move on arcs, whose ends may lie beyond the limit although straight paths end before it.
  const std::string scene = write("turned.json", R"({"time": {"step": 0.04, "duration": 0.4}, "gravity": [0, 0, 0],
    "solver": {"max_iterations": 100}, "bodies": [
     {"name": "a", "kind": "affine", "generator": {"kind": "box", "size": [0.3, 0.3, 0.3], "resolution": [1, 1, 1]},
      "linear_velocity": [-0.1, 0, 0.2], "angular_velocity": [2, -2, 20]},
     {"name": "b", "kind": "rigid", "generator": {"kind": "box", "size": [0.3, 0.3, 0.3], "resolution": [1, 1, 1]},
      "transform": {"translation": [0.6, 0, 0]}, "motions": [{"angular_velocity": [3000, -380, 980]}]}],
    "joints": [{"kind": "hinge", "bodies": ["a", "b"], "point": [0.3, 0, 0], "axis": [-0.9, 0.16, -0.84],
                "lower": -2.3, "upper": 2.3}]})")
                                .string();
  EXPECT_EQ(clearance({"run", scene, "-o", out_, "-q"}).status, 0);
  const std::vector<Json> stats = stats_of(out_);
  EXPECT_EQ(stats.size(), 10u);
  for (const Json& line : stats) EXPECT_NE(line["status"], "invalid_state") << line["step"];
  EXPECT_EQ(clearance({"verify", out_}).status, 0);
}

TEST_F(Run, VerifyFindsATamperedFrame) {
  ASSERT_EQ(clearance({"run", scene_, "-o", out_, "-q", "--steps", "2"}).status, 0);
  ASSERT_EQ(clearance({"verify", out_}).status, 0);
  // Without contact the bodies pass through each other and verify has to say so.
  const std::string ghost = (folder_ / "ghost").string();
  ASSERT_EQ(clearance({"run", scene_, "-o", ghost, "-q", "--set", "contact.enabled=false"}).status, 0);
  const ProcessResult verdict = clearance({"verify", ghost, "--json"});
  EXPECT_EQ(verdict.status, 4);
  EXPECT_TRUE(Json::accept(verdict.output));
}

/// Two entries are split into two bodies each. Those of the second are crossed tetrahedra that share a vertex: stiff
/// bodies that cross themselves, and the two cross each other, which their group allows.
const std::string split_scene = R"({
  "time": {"step": 0.01, "duration": 0.02}, "gravity": [0, 0, 0],
  "bodies": [
    {"name": "apart", "kind": "affine", "split_components": true, "geometry": {
      "vertices": [[0, 0, 9], [1, 0, 9], [0, 1, 9], [0, 0, 10], [3, 0, 9], [4, 0, 9], [3, 1, 9], [3, 0, 10]],
      "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2], [4, 6, 5], [4, 5, 7], [5, 6, 7], [4, 7, 6]]}},
    {"name": "crossed", "kind": "affine", "split_components": true, "collision_group": 1, "geometry": {
      "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0.2, 0.1], [0.2, 1, 0.3], [0.1, 0.2, 1.3],
                   [0.1, 0.1, 0.1], [1.1, 0.1, 0.1], [0.1, 1.1, 0.1], [0.1, 0.1, 1.1]],
      "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2], [0, 5, 4], [0, 4, 6], [4, 5, 6], [0, 6, 5],
                    [7, 9, 8], [7, 8, 10], [8, 9, 10], [7, 10, 9]]}}]})";

TEST_F(Run, BodiesOfASecondSplitKeepTheirNamesKindsAndGroups) {
  const std::string scene = write("split.json", split_scene).string();
  const ProcessResult run = clearance({"run", scene, "-o", out_, "-q"});
  ASSERT_EQ(run.status, 0) << run.errors;
  const Json expected = {{{"name", "apart[0]"}, {"entry", 0}},
                         {{"name", "apart[1]"}, {"entry", 0}},
                         {{"name", "crossed[0]"}, {"entry", 1}},
                         {{"name", "crossed[1]"}, {"entry", 1}}};
  EXPECT_EQ(Json::parse(read_text(out_ + "/bodies.json")), expected);
  const ProcessResult verdict = clearance({"verify", out_});
  EXPECT_EQ(verdict.status, 0) << verdict.output;
  // Without the list nobody can tell them apart, and the crossing counts as an intersection.
  fs::remove(out_ + "/bodies.json");
  EXPECT_EQ(clearance({"verify", out_}).status, 4);
}

TEST_F(Run, ResumeNeitherNeedsNorRewritesTheListOfBodies) {
  const std::string scene = write("split.json", split_scene).string();
  ASSERT_EQ(clearance({"run", scene, "-o", out_, "-q", "--steps", "1"}).status, 0);
  fs::remove(out_ + "/bodies.json");
  ASSERT_EQ(clearance({"run", scene, "-o", out_, "-q", "--resume"}).status, 0);
  EXPECT_FALSE(fs::exists(out_ + "/bodies.json"));
  EXPECT_EQ(stats_of(out_).size(), 2u);
}

TEST_F(Run, UsageErrorsAreStatusTwoAndHelpIsZero) {
  EXPECT_EQ(clearance({}).status, 2);
  EXPECT_EQ(clearance({"walk"}).status, 2);
  EXPECT_EQ(clearance({"run"}).status, 2);
  EXPECT_EQ(clearance({"run", scene_, "--stepz", "3"}).status, 2);
  EXPECT_EQ(clearance({"run", scene_, "--steps", "-3"}).status, 2);
  EXPECT_EQ(clearance({"verify", (folder_ / "nowhere").string()}).status, 2);
  EXPECT_EQ(clearance({"info", (folder_ / "nowhere").string()}).status, 2);
  for (const char* command : {"run", "check", "convert", "verify", "info", "render", "schema"}) {
    const ProcessResult help = clearance({command, "--help"});
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_EQ(clearance({"help", command}).output, help.output) << command;
  }
  EXPECT_EQ(clearance({"--version"}).status, 0);
}

TEST_F(Run, CheckSaysWhatTheSceneHolds) {
  const ProcessResult text = clearance({"check", scene_});
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.output.find("2 bodies"), std::string::npos) << text.output;
  const ProcessResult json = clearance({"check", scene_, "--json"});
  const Json summary = Json::parse(json.output);
  EXPECT_EQ(summary["vertices"], 128);
  EXPECT_EQ(summary["steps"], 20);
}

}  // namespace
}  // namespace clearance::cli
