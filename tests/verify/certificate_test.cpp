#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "clearance/model/model.h"
#include "clearance/scene/validate.h"
#include "verify/certificate_run.h"

namespace clearance::verify {
namespace {

class Certificates : public CertificateRun {
 protected:
  /// Changes the moves of a certificate, with hashes that are right.
  template <class Change>
  void rewrite(const std::string& name, const Change& change) const {
    Certificate of_run = read_certificate(name);
    change(of_run.steps);
    write_certificate(name, of_run);
  }
};

TEST_F(Certificates, OfARunAreProved) {
  run_into("out", scene_of(soft_boxes));
  const PathReport report = report_of("out");
  EXPECT_TRUE(report.is_clean()) << text_of(report);
  EXPECT_EQ(report.num_steps, 8);
  EXPECT_EQ(report.num_frames, 9);
  EXPECT_GT(report.num_moves, 16);
  EXPECT_GT(report.counts.num_pairs, 1000);
  EXPECT_GT(report.counts.num_volumes, 500);
}

TEST_F(Certificates, ChangeNoBitOfTheRun) {
  SceneDesc scene = scene_of(soft_boxes);
  run_into("with", scene);
  scene.output.certificate = false;
  run_into("without", scene);
  EXPECT_FALSE(fs::exists(certificate("without")));
  for (int step = 0; step <= 8; ++step) {
    const std::string frame = fmt::format("frames/frame_{:06}.vtu", step);
    EXPECT_EQ(read(folder_ / "with" / frame), read(folder_ / "without" / frame)) << step;
  }
}

TEST_F(Certificates, OfResumedAndKilledRunsAreThoseOfWholeOnes) {
  const SceneDesc scene = scene_of(soft_boxes);
  run_into("whole", scene);
  // Stopped after three steps, with a step in progress that is given up.
  int num_asked = 0;
  RunObserver observer;
  int step = 0;
  observer.on_iteration = [&](int at, int, double) { step = at; };
  observer.is_stop_wanted = [&] { return step == 4 && ++num_asked > 2; };
  EXPECT_EQ(run_into("stopped", scene, FolderUse::start, {}, observer).end, RunEnd::stopped);
  const PathReport of_part = report_of("stopped");
  EXPECT_TRUE(of_part.is_clean()) << text_of(of_part);
  run_into("stopped", scene, FolderUse::resume);
  EXPECT_EQ(read(certificate("stopped")), read(certificate("whole")));
  // Killed while a record was being written, and later.
  for (const std::string& rest : {read(certificate("whole")).substr(200, 300), std::string("CLRP"), std::string("x")}) {
    fs::remove_all(folder_ / "killed");
    RunLimits limits;
    limits.num_steps = 3;
    run_into("killed", scene, FolderUse::start, limits);
    fs::remove(folder_ / "killed" / "summary.json");
    const std::string good = read(certificate("killed"));
    write(certificate("killed"), good + rest);
    run_into("killed", scene, FolderUse::resume);
    EXPECT_EQ(read(certificate("killed")), read(certificate("whole")));
  }
}

TEST_F(Certificates, CannotBeContinuedWhereTheyEndBeforeTheCheckpoint) {
  const SceneDesc scene = scene_of(soft_boxes);
  RunLimits limits;
  limits.num_steps = 3;
  run_into("out", scene, FolderUse::start, limits);
  const std::string bytes = read(certificate("out"));
  write(certificate("out"), bytes.substr(0, bytes.size() - 1));
  EXPECT_THROW(run_into("out", scene, FolderUse::resume), std::runtime_error);
  fs::remove(certificate("out"));
  EXPECT_THROW(run_into("out", scene, FolderUse::resume), std::runtime_error);
}

TEST_F(Certificates, ChangedBytesAndCutsAreFound) {
  run_into("out", scene_of(soft_boxes));
  const std::string good = read(certificate("out"));
  ASSERT_TRUE(report_of("out").is_clean());
  std::mt19937 random(5);
  for (int trial = 0; trial < 60; ++trial) {
    std::string bad = good;
    const std::size_t at = random() % good.size();
    if (trial % 3 == 0) bad = bad.substr(0, at);
    if (trial % 3 == 1) bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    if (trial % 3 == 2) bad.erase(at, 1 + random() % 64);
    write(certificate("out"), bad);
    EXPECT_FALSE(report_of("out").is_clean()) << trial << ": byte " << at;
  }
}

TEST_F(Certificates, ForgedMovesAreFoundAlthoughTheirHashesAreRight) {
  run_into("out", scene_of(soft_boxes));
  const std::string good = read(certificate("out"));
  rewrite("out", [](std::vector<PathRecord>&) {});
  EXPECT_EQ(read(certificate("out")), good);
  const auto expect_found = [&](const std::string& phrase, const auto& change) {
    write(certificate("out"), good);
    rewrite("out", change);
    const PathReport report = report_of("out");
    EXPECT_FALSE(report.is_clean()) << phrase;
    EXPECT_TRUE(says(report, phrase)) << text_of(report);
  };
  using Steps = std::vector<PathRecord>;
  expect_found("does not start where", [](Steps& steps) { steps[3].moves.erase(steps[3].moves.begin() + 1); });
  expect_found("does not start where", [](Steps& steps) { steps[3].moves[0].x_t1[4] += 1e-3; });
  // The rest of the chain follows the vertex that was moved.
  expect_found("is not where the certificate leads", [](Steps& steps) {
    for (std::size_t k = 3; k < steps.size(); ++k) {
      for (PathMove& move : steps[k].moves) {
        if (&move != &steps[3].moves[0]) move.x_t0[4] = std::nextafter(move.x_t0[4], 1.0);
        move.x_t1[4] = std::nextafter(move.x_t1[4], 1.0);
      }
    }
  });
  expect_found("is not where the certificate leads", [](Steps& steps) {
    for (std::size_t k = 5; k < steps.size(); ++k) {
      for (PathMove& move : steps[k].moves) {
        if (&move != &steps[5].moves[0]) move.x_t0[3] = -move.x_t0[3];
        move.x_t1[3] = -move.x_t1[3];
      }
    }
  });
  // A vertex goes through the plate and comes back before the frame.
  expect_found("meets", [](Steps& steps) {
    steps[3].moves[0].x_t1[1] -= 10.0;
    steps[3].moves[1].x_t0[1] -= 10.0;
  });
  expect_found("follows step", [](Steps& steps) { steps.erase(steps.begin() + 2); });
  expect_found("no moves that lead", [](Steps& steps) { steps[2].is_joined = false; });
}

TEST_F(Certificates, ForgedScrewsAreFound) {
  run_into("out", scene_of(R"({
    "time": {"step": 0.01, "duration": 0.04}, "bodies": [
      {"name": "stone", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]},
       "transform": {"translation": [0, 1, 0]}, "angular_velocity": [0, 0, 3]},
      {"name": "plate", "kind": "obstacle", "generator": {"kind": "sheet", "size": [1, 1]}}]})"));
  ASSERT_TRUE(report_of("out").is_clean()) << text_of(report_of("out"));
  const std::string good = read(certificate("out"));
  const auto expect_found = [&](const auto& change) {
    write(certificate("out"), good);
    rewrite("out", [&](std::vector<PathRecord>& steps) { change(steps[2].moves[0].screws[0]); });
    const PathReport report = report_of("out");
    EXPECT_TRUE(says(report, "does not end where its screw leads")) << text_of(report);
  };
  expect_found([](PathScrew& screw) { screw.turn = -screw.turn; });
  expect_found([](PathScrew& screw) { screw.shift[1] += 1e-6; });
  // Numbers that overflow are no proof.
  expect_found([](PathScrew& screw) { screw.shift[0] = 1e308; });
  expect_found([](PathScrew& screw) { screw.turn[0] = 1e308; });
}

TEST_F(Certificates, FindWhatFramesDoNotShow) {
  // Bodies of one group go through each other, and are judged as if they had none.
  SceneDesc scene = scene_of(R"({
    "time": {"step": 0.05, "duration": 0.4}, "gravity": [0, 0, 0], "output": {"frame_interval": 100},
    "bodies": [
      {"name": "shot", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
       "transform": {"translation": [0, 1, 0]}, "linear_velocity": [0, -5, 0], "collision_group": 1},
      {"name": "wall", "kind": "affine", "generator": {"kind": "box", "size": [1, 0.01, 1], "resolution": [1, 1, 1]},
       "collision_group": 1}]})");
  run_into("out", scene);
  EXPECT_TRUE(report_of("out").is_clean()) << text_of(report_of("out"));
  std::string text = read(folder_ / "out" / "scene.json");
  for (std::size_t at = 0; (at = text.find("\"collision_group\": 1", at)) != std::string::npos;) {
    text.replace(at, 20, "\"collision_group\": -1");
  }
  write(folder_ / "out" / "scene.json", text);
  const auto folder = read_verify_folder(folder_ / "out");
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->frames.size(), 2);
  EXPECT_TRUE(verify_folder(*folder).is_clean());
  const PathReport report = report_of("out");
  EXPECT_FALSE(report.is_clean());
  EXPECT_GT(report.counts.num_violated, 0);
  EXPECT_TRUE(says(report, "'shot'")) << text_of(report);
}

TEST_F(Certificates, SayWhereStatesWereReplaced) {
  const SceneDesc scene = scene_of(soft_boxes);
  Result<Simulation> simulation = Simulation::create(scene);
  ASSERT_TRUE(simulation);
  const Result<FolderClaim> claim = FolderClaim::make(folder_ / "out", FolderUse::start);
  ASSERT_TRUE(claim);
  Result<clearance::Run> begun = clearance::Run::begin(*simulation, *claim);
  ASSERT_TRUE(begun);
  begun->step();
  State state = simulation->state();
  begun->step();
  ASSERT_TRUE(simulation->restore(std::move(state)));
  begun->step();
  begun->step();
  begun->finish();
  const PathReport report = report_of("out");
  EXPECT_FALSE(report.is_clean());
}

TEST_F(Certificates, AreRefusedWhereElementsAdapt) {
  SceneDesc scene = scene_of(soft_boxes);
  scene.remesh.emplace();
  const auto is_refused = [&] {
    const Issues issues = validate(scene);
    return std::any_of(issues.begin(), issues.end(), [](const Issue& issue) {
      return issue.severity == Severity::error && issue.place == "output.certificate";
    });
  };
  EXPECT_TRUE(is_refused());
  scene.remesh.reset();
  EXPECT_FALSE(is_refused());
}

}  // namespace
}  // namespace clearance::verify
