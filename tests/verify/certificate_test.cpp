#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "clearance/io/result/certificate_file.h"
#include "clearance/model/model.h"
#include "clearance/scene/validate.h"
#include "clearance/verify/paths/certificate.h"
#include "verify/certificate_run.h"

namespace clearance::verify {
namespace {

class Certificates : public CertificateRun {
 protected:
  /// Returns the records of a certificate after `change` has changed their moves, with hashes that are right.
  template <class Change>
  void rewrite(const std::string& name, const Change& change) const {
    CertificateReader reader(certificate(name));
    const std::optional<PathRecord> start = reader.next();
    ASSERT_TRUE(start) << reader.problem();
    std::vector<PathRecord> steps;
    while (auto step = reader.next()) steps.push_back(std::move(*step));
    ASSERT_TRUE(reader.problem().empty()) << reader.problem();
    change(steps);
    const PathLayout& layout = reader.layout();
    CertificateLayout written;
    written.dim = layout.dim;
    written.x = Eigen::Map<const VecX>(start->x.data(), static_cast<Eigen::Index>(start->x.size()));
    written.first_term = layout.first_term;
    for (const auto& [block, weight] : layout.terms) written.terms.push_back({block, weight});
    written.offsets = layout.offsets;
    ASSERT_TRUE(layout.stiff.empty());
    CertificateFile file(folder_ / name);
    ASSERT_TRUE(file.start(written));
    for (const PathRecord& step : steps) {
      CertificateStep record{step.step, step.is_joined, step.positions, {}};
      for (const PathMove& move : step.moves) {
        record.moves.push_back(
            encode_move(Eigen::Map<const VecX>(move.x_t0.data(), static_cast<Eigen::Index>(move.x_t0.size())),
                        Eigen::Map<const VecX>(move.x_t1.data(), static_cast<Eigen::Index>(move.x_t1.size())), {}));
      }
      ASSERT_TRUE(file.append(record));
    }
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
