// The promise, tried on random scenes with friction, loads, moving obstacles, stiff bodies and joints: no intersection,
// no inversion, no vertex behind a half-space, whatever the scale, stiffness, speed and time step; every step ends
// converged or says why not; friction never gives energy; and any number of threads and a restart give the same bits.
//
//   CLEARANCE_FUZZ_SEEDS=500   runs that many seeds instead of the fixed set and prints progress
//   CLEARANCE_FUZZ_FIRST=17    the first seed; with CLEARANCE_FUZZ_SEEDS=1 one scene is repeated
//   CLEARANCE_FUZZ_STEPS=100   steps of a scene

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "clearance/base/parallel.h"
#include "clearance/io/scene_reader.h"
#include "clearance/model/model.h"
#include "clearance/verify/frame.h"
#include "cli/process.h"
#include "cli/random_scene.h"
#include "support/environment.h"

namespace clearance::cli {

using namespace verify;
namespace {

// These seeds in a row cost thirteen seconds of CPU together; they leave out nothing of the long mode.
constexpr int first_seed_of_every_test = 281, num_seeds_of_every_test = 60;
constexpr int first_mixed_seed_of_every_test = 17, num_mixed_seeds_of_every_test = 18;
constexpr int first_curved_seed_of_every_test = 1, num_curved_seeds_of_every_test = 12;
constexpr int first_thin_seed_of_every_test = 1, num_thin_seeds_of_every_test = 24;
constexpr int num_steps_of_every_test = 10;
constexpr int twin_interval = 5;  // every such seed is run a second time, on one thread and interrupted

/// Returns the data that the independent checker of `clearance verify` needs.
VerifyScene verify_scene_of(const SceneDesc& desc, const Frame& frame) {
  VerifyScene scene;
  for (const BodyDesc& body : desc.bodies) {
    scene.bodies.push_back(
        {body.name, body.kind == BodyKind::obstacle, body.self_contact && !is_stiff(body.kind), body.collision_group});
    if (!is_thin(body.kind)) continue;
    scene.bodies.back().radius = 0.5 * *body.thickness;
    scene.bodies.back().is_loose = body.kind == BodyKind::particles;
  }
  // Neighbours at rest within a thickness may stay so.
  scene.start = frame.mesh.vertices;
  scene.min_separation = desc.contact.min_separation;
  scene.obstacles_only = desc.contact.obstacles_only;
  for (const HalfSpaceDesc& plane : desc.half_spaces) scene.half_spaces.push_back({plane.point, plane.normal});
  add_obstacles(frame, scene);
  return scene;
}

/// Expects everything in the report of a step that must hold for any scene.
void expect_sound(const StepReport& report, bool sticks_elastically, const std::string& where) {
  EXPECT_TRUE(report.is_advanced()) << where << ": " << to_string(report.status) << ", " << report.limited_by;
  // Sticking friction gives back what it has stored elastically; friction without memory only takes energy out.
  if (!sticks_elastically) {
    EXPECT_GE(report.friction_work, 0.0) << where;
  }
  EXPECT_GT(report.min_distance, 0.0) << where;
  for (const double value : {report.friction_work, report.residual, report.kappa}) {
    EXPECT_TRUE(std::isfinite(value)) << where << ": " << value;
  }
  for (const auto& [name, value] : report.energy) EXPECT_TRUE(std::isfinite(value)) << where << ": energy " << name;
  EXPECT_EQ(static_cast<int>(report.iterations.size()), report.newton_iterations + report.partial_iterations) << where;
  for (const IterationReport& iteration : report.iterations) {
    EXPECT_TRUE(0.0 <= iteration.alpha && iteration.alpha <= iteration.alpha_limit && iteration.alpha_limit <= 64.0)
        << where << ": " << iteration.alpha << " of " << iteration.alpha_limit;
  }
}

void expect_clean(const Frame& frame, const VerifySurface& surface, const VerifyScene& scene,
                  const std::string& where) {
  const FrameVerdict verdict = verify_frame(frame, surface, scene);
  EXPECT_TRUE(verdict.is_clean()) << where << ": " << verdict.num_intersections << " intersections, "
                                  << verdict.num_inversions << " inversions, " << verdict.num_half_space_violations
                                  << " behind half-spaces, " << verdict.num_not_finite << " not finite, "
                                  << verdict.num_too_close << " too close";
  for (const Vec<3>& force : frame.contact_force) EXPECT_TRUE(force.allFinite()) << where << ": contact force";
}

/// Expects that rigid bodies only move: all distances from their first vertices stay.
void expect_rigid(const SceneDesc& desc, const Frame& start, const VerifySurface& surface, const Frame& frame,
                  const std::string& where) {
  std::map<int, std::size_t> first_vertex;
  for (std::size_t v = 0; v < frame.mesh.vertices.size(); ++v) {
    const int body = surface.vertex_body[v];
    if (body < 0 || desc.bodies[body].kind != BodyKind::rigid) continue;
    const std::size_t first = first_vertex.emplace(body, v).first->second;
    const double before = (start.mesh.vertices[v] - start.mesh.vertices[first]).norm();
    const double now = (frame.mesh.vertices[v] - frame.mesh.vertices[first]).norm();
    const double far = frame.mesh.vertices[v].norm() + start.mesh.vertices[v].norm();
    ASSERT_NEAR(now, before, 1e-11 * (before + far)) << where << ": vertex " << v << " of rigid body " << body;
  }
}

/// Expects the same states on one thread, and from the middle on with a simulation made anew.
void expect_same_states(const SceneDesc& desc, const std::vector<std::string>& hashes, const std::string& where) {
  const ThreadLimit one_thread(1);
  Result<Simulation> simulation = Simulation::create(desc);
  for (std::size_t step = 0; step < hashes.size(); ++step) {
    if (step == hashes.size() / 2) {
      const State state = simulation->state();
      simulation = Simulation::create(desc);
      ASSERT_TRUE(simulation->restore(state));
    }
    simulation->step();
    ASSERT_EQ(simulation->state_hash(), hashes[step]) << where << " step " << step + 1 << " on one thread, resumed";
  }
}

/// Runs one seed after the other and records the outcomes.
class Fuzz {
 public:
  explicit Fuzz(RandomKinds kinds)
      : kinds_(kinds),
        folder_(std::filesystem::temp_directory_path() / folder_name(kinds)),
        num_steps_of_a_scene_(
            static_cast<int>(number_from_environment("CLEARANCE_FUZZ_STEPS", num_steps_of_every_test))),
        is_long_(std::getenv("CLEARANCE_FUZZ_SEEDS") != nullptr) {
    std::filesystem::create_directories(folder_);
  }

  void run(int first, int count) {
    for (int seed = first; seed < first + count; ++seed) {
      if (is_long_) print(fmt::format("seed {}: ", seed));
      RandomScene random = make_random_scene(static_cast<std::uint64_t>(seed), folder_, kinds_);
      if (!random.simulation) {
        print(fmt::format("seed {}: no body found a place\n", seed));
        continue;
      }
      if (is_long_) print(describe(random));
      // The scene is written before the run, so that a crash leaves it behind.
      const std::filesystem::path scene_file = folder_ / fmt::format("fuzz_{}.json", seed);
      (void)save_scene(scene_file, random.desc);
      const int failures_before = num_failures();
      const std::clock_t begin = std::clock();
      run_scene(seed, random);
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      if (seconds > slowest_seconds_) {
        slowest_seconds_ = seconds;
        slowest_seed_ = seed;
      }
      if (is_long_) print(fmt::format("{:.1f} s\n", seconds));
      if (num_failures() > failures_before) print(fmt::format("scene written to {}\n", scene_file.string()));
    }
  }

  /// Number of steps by outcome.
  std::string summary() const {
    std::string text = fmt::format("{} scenes, {} steps ({} with friction, {} run twice):", num_scenes_, num_steps_,
                                   num_rubbing_, num_twins_);
    for (const auto& [status, count] : outcomes_) text += fmt::format(" {} {},", count, status);
    return text + fmt::format(" seed {} slowest, {:.1f} s of CPU\n", slowest_seed_, slowest_seconds_);
  }
  int num_scenes() const { return num_scenes_; }
  int num_steps() const { return num_steps_; }
  int num_rubbing() const { return num_rubbing_; }
  int num_converged() const {
    const auto found = outcomes_.find(to_string(StepStatus::converged));
    return found == outcomes_.end() ? 0 : found->second;
  }

 private:
  static const char* folder_name(RandomKinds kinds) {
    switch (kinds) {
      case RandomKinds::curved:
        return "clearance_fuzz_curved";
      case RandomKinds::thin:
        return "clearance_fuzz_thin";
      case RandomKinds::mixed:
        return "clearance_fuzz_mixed";
      default:
        return "clearance_fuzz";
    }
  }

  static void print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  static int num_failures() {
    return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
  }

  static std::string describe(const RandomScene& random) {
    const SceneSummary size = random.simulation->summary();
    std::map<BodyKind, int> kinds;
    std::size_t num_parts = 0;
    for (const BodyDesc& body : random.desc.bodies) {
      ++kinds[body.kind];
      num_parts += body.stiff_parts.size();
    }
    return fmt::format(
        "{}D, {} bodies ({} affine, {} rigid, {} thin, {} stiff parts, {} joints), {} elements, l {:.2g}, h {:.2g}, mu "
        "{:.2g}, "
        "{} lags, {} ... ",
        size.dim, size.num_bodies, kinds[BodyKind::affine], kinds[BodyKind::rigid],
        kinds[BodyKind::shell] + kinds[BodyKind::rod] + kinds[BodyKind::particles], num_parts,
        random.desc.joints.size(), size.num_elements, size.bbox_diagonal, random.desc.time.step,
        random.desc.friction.coefficient, random.desc.friction.iterations,
        std::array{"euler", "newmark", "bdf2", "restarted",
                   "static"}[static_cast<std::size_t>(random.desc.time.integrator)]);
  }

  void run_scene(int seed, RandomScene& random) {
    Simulation& simulation = *random.simulation;
    const Frame start = simulation.frame();
    const VerifySurface surface = build_verify_surface(start);
    const VerifyScene scene = verify_scene_of(random.desc, start);
    std::vector<std::string> hashes;
    ++num_scenes_;
    for (int step = 1; step <= num_steps_of_a_scene_; ++step) {
      const std::string where = fmt::format("seed {} step {}", seed, step);
      const StepReport report = simulation.step();
      count(report, where, simulation.summary().tolerance);
      expect_sound(report, random.desc.friction.stick > 0.0, where);
      if (!report.is_advanced()) return;
      const Frame frame = simulation.frame();
      expect_clean(frame, surface, scene, where + " (" + to_string(report.status) + ")");
      expect_rigid(random.desc, start, surface, frame, where);
      hashes.push_back(simulation.state_hash());
    }
    if (seed % twin_interval != 0) return;
    ++num_twins_;
    expect_same_states(random.desc, hashes, fmt::format("seed {}", seed));
  }

  void count(const StepReport& report, const std::string& where, double tolerance) {
    ++num_steps_;
    ++outcomes_[to_string(report.status)];
    if (report.friction_work != 0.0) ++num_rubbing_;
    if (report.status == StepStatus::converged) return;
    print(fmt::format(
        "\n  {}: {}, {} iterations, {} lags, residual {:.3g} of {:.3g} m/s, kappa {:.3g}, {} contacts, distance "
        "{:.3g} m, limited by {} ",
        where, to_string(report.status), report.newton_iterations, report.friction_iterations, report.residual,
        tolerance, report.kappa, report.num_contacts, report.min_distance, report.limited_by));
  }

  RandomKinds kinds_;
  std::filesystem::path folder_;
  int num_steps_of_a_scene_;
  bool is_long_;
  int num_scenes_ = 0, num_steps_ = 0, num_rubbing_ = 0, num_twins_ = 0;
  std::map<std::string, int> outcomes_;
  int slowest_seed_ = 0;
  double slowest_seconds_ = 0.0;  // of CPU time
};

/// Runs the seeds of the environment, or those that every run of the tests tries.
Fuzz run_seeds(RandomKinds kinds, int first_of_every_test, int num_of_every_test) {
  const bool is_long = std::getenv("CLEARANCE_FUZZ_SEEDS") != nullptr;
  const auto first =
      static_cast<int>(number_from_environment("CLEARANCE_FUZZ_FIRST", is_long ? 1 : first_of_every_test));
  const auto count = static_cast<int>(number_from_environment("CLEARANCE_FUZZ_SEEDS", num_of_every_test));
  Fuzz fuzz(kinds);
  fuzz.run(first, count);
  std::fputs(fuzz.summary().c_str(), stdout);
  return fuzz;
}

TEST(SceneFuzz, NothingIntersectsOrInvertsInRandomScenes) {
  const Fuzz fuzz = run_seeds(RandomKinds::deformable, first_seed_of_every_test, num_seeds_of_every_test);
  // Scenes this wild may exceed 200 iterations now and then; more often means that the solver has become worse.
  if (fuzz.num_scenes() >= 50) {
    EXPECT_GE(fuzz.num_converged(), 0.8 * fuzz.num_steps());
    EXPECT_GE(fuzz.num_rubbing(), 0.15 * fuzz.num_steps()) << "too few of the scenes rub";
  }
}

TEST(SceneFuzz, NothingIntersectsOrInvertsInRandomScenesOfStiffBodies) {
  const Fuzz fuzz = run_seeds(RandomKinds::mixed, first_mixed_seed_of_every_test, num_mixed_seeds_of_every_test);
  if (fuzz.num_scenes() >= 10) {
    EXPECT_GE(fuzz.num_rubbing(), 0.1 * fuzz.num_steps()) << "too few of the scenes rub";
  }
}

TEST(SceneFuzz, NothingIntersectsOrInvertsInRandomScenesOfCurvedElements) {
  const Fuzz fuzz = run_seeds(RandomKinds::curved, first_curved_seed_of_every_test, num_curved_seeds_of_every_test);
  if (fuzz.num_scenes() >= 10) {
    EXPECT_GE(fuzz.num_converged(), 0.7 * fuzz.num_steps());
  }
}

TEST(SceneFuzz, NothingIntersectsOrInvertsInRandomScenesOfThinBodies) {
  const Fuzz fuzz = run_seeds(RandomKinds::thin, first_thin_seed_of_every_test, num_thin_seeds_of_every_test);
  if (fuzz.num_scenes() >= 10) {
    EXPECT_GE(fuzz.num_converged(), 0.7 * fuzz.num_steps());
    EXPECT_GE(fuzz.num_rubbing(), 0.1 * fuzz.num_steps()) << "too few of the scenes rub";
  }
}

/// The same runs through files: scene.json, stats.jsonl, the checkpoint and the frames.
class FuzzedProgram : public ProgramTest {};

TEST_F(FuzzedProgram, RandomScenesResumeToTheSameStatesAndVerify) {
  for (const int seed : {4, 8, 12, 16}) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const RandomKinds kinds = seed % 8 == 0 ? RandomKinds::mixed : RandomKinds::deformable;
    const RandomScene random = make_random_scene(static_cast<std::uint64_t>(seed), folder_, kinds);
    if (!random.simulation) continue;
    const std::string scene = (folder_ / "scene.json").string(), whole = (folder_ / "whole").string(),
                      halves = (folder_ / "halves").string();
    ASSERT_TRUE(save_scene(scene, random.desc));
    const ProcessResult run = clearance({"run", scene, "-o", whole, "-q"});
    ASSERT_EQ(run.status, 0) << run.errors;
    ASSERT_EQ(clearance({"run", scene, "-o", halves, "-q", "--steps", "5", "--threads", "1"}).status, 0);
    ASSERT_EQ(clearance({"run", scene, "-o", halves, "-q", "--resume"}).status, 0);
    EXPECT_EQ(hashes_of(halves), hashes_of(whole));
    EXPECT_EQ(hashes_of(whole).size(), num_steps_of_every_test);
    const ProcessResult verify = clearance({"verify", halves});
    EXPECT_EQ(verify.status, 0) << verify.output;
    EXPECT_EQ(clearance({"info", whole, "--slow"}).status, 0);
    fs::remove_all(whole);
    fs::remove_all(halves);
  }
}

}  // namespace
}  // namespace clearance::cli
