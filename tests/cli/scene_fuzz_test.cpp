// The promise, tried on random scenes: no intersection, no inversion, no vertex behind a half-space, whatever the
// stiffness, speed and time step; and every step ends converged or says why not.
//
//   CLEARANCE_FUZZ_SEEDS=500   runs that many seeds instead of the fixed set and prints progress
//   CLEARANCE_FUZZ_FIRST=17    the first seed; with CLEARANCE_FUZZ_SEEDS=1 one scene is repeated

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "apps/cli/verify_frame.h"
#include "clearance/io/scene_reader.h"
#include "cli/random_scene.h"

namespace clearance::cli {
namespace {

constexpr int num_seeds_of_every_test = 60;
constexpr int num_steps_of_a_scene = 10;

int number_from_environment(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : fallback;
}

/// What the independent checker of `clearance verify` needs to know.
VerifyScene verify_scene_of(const SceneDesc& desc, const Frame& frame) {
  VerifyScene scene;
  for (const BodyDesc& body : desc.bodies) {
    scene.bodies.push_back({body.name, body.kind == BodyKind::obstacle, body.self_contact});
  }
  for (const HalfSpaceDesc& plane : desc.half_spaces) scene.half_spaces.push_back({plane.point, plane.normal});
  add_obstacles(frame, scene);
  return scene;
}

/// Runs one seed after the other and keeps what happened.
class Fuzz {
 public:
  Fuzz()
      : folder_(std::filesystem::temp_directory_path() / "clearance_fuzz"),
        is_long_(std::getenv("CLEARANCE_FUZZ_SEEDS") != nullptr) {
    std::filesystem::create_directories(folder_);
  }

  void run(int first, int count) {
    for (int seed = first; seed < first + count; ++seed) {
      if (is_long_) print(fmt::format("seed {}: ", seed));
      const auto begin = std::chrono::steady_clock::now();
      const RandomScene random = make_random_scene(static_cast<std::uint64_t>(seed), folder_);
      if (!random.simulation) {
        print("no body found a place\n");
        continue;
      }
      if (is_long_) print(describe(random));
      // Written before the run, so that a crash leaves it behind.
      const std::filesystem::path scene_file = folder_ / fmt::format("fuzz_{}.json", seed);
      (void)save_scene(scene_file, random.desc);
      const bool is_clean = run_scene(seed, random);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      if (is_long_) print(fmt::format("{:.1f} s\n", taken.count()));
      if (!is_clean) ADD_FAILURE() << "scene written to " << scene_file;
    }
  }

  /// Number of steps by outcome.
  std::string summary() const {
    std::string text = fmt::format("{} steps:", num_steps_);
    for (const auto& [status, count] : outcomes_) text += fmt::format(" {} {}", count, status);
    return text + "\n";
  }
  int num_steps() const { return num_steps_; }
  int num_converged() const {
    const auto found = outcomes_.find(to_string(StepStatus::converged));
    return found == outcomes_.end() ? 0 : found->second;
  }

 private:
  static void print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  static std::string describe(const RandomScene& random) {
    const SceneSummary size = random.simulation->summary();
    return fmt::format(
        "{}D, {} bodies, {} elements, h {:.2g}, {} ... ", size.dim, size.num_bodies, size.num_elements,
        random.desc.time.step,
        std::array{"euler", "newmark", "bdf2", "static"}[static_cast<std::size_t>(random.desc.time.integrator)]);
  }

  bool run_scene(int seed, const RandomScene& random) {
    Simulation& simulation = *random.simulation;
    Frame frame = simulation.frame();
    const VerifySurface surface = build_verify_surface(frame);
    const VerifyScene scene = verify_scene_of(random.desc, frame);
    for (int step = 1; step <= num_steps_of_a_scene; ++step) {
      const StepReport report = simulation.step();
      ++num_steps_;
      ++outcomes_[to_string(report.status)];
      if (report.status != StepStatus::converged) {
        print(fmt::format(
            "\n  seed {} step {}: {}, {} iterations, residual {:.3g} of {:.3g} m/s, kappa {:.3g}, {} "
            "contacts, distance {:.3g} m, limited by {} ",
            seed, step, to_string(report.status), report.newton_iterations, report.residual,
            simulation.summary().tolerance, report.kappa, report.num_contacts, report.min_distance, report.limited_by));
      }
      EXPECT_TRUE(report.is_advanced()) << "seed " << seed << " step " << step << ": " << to_string(report.status)
                                        << ", " << report.limited_by;
      if (!report.is_advanced()) return false;
      frame = simulation.frame();
      const FrameVerdict verdict = verify_frame(frame, surface, scene);
      EXPECT_TRUE(verdict.is_clean()) << "seed " << seed << " step " << step << " (" << to_string(report.status)
                                      << "): " << verdict.num_intersections << " intersections, "
                                      << verdict.num_inversions << " inversions, " << verdict.num_half_space_violations
                                      << " behind half-spaces, " << verdict.num_not_finite << " not finite";
      if (!verdict.is_clean()) return false;
    }
    return true;
  }

  std::filesystem::path folder_;
  bool is_long_;
  int num_steps_ = 0;
  std::map<std::string, int> outcomes_;
};

TEST(SceneFuzz, NothingIntersectsOrInvertsInRandomScenes) {
  const int first = number_from_environment("CLEARANCE_FUZZ_FIRST", 1);
  const int count = number_from_environment("CLEARANCE_FUZZ_SEEDS", num_seeds_of_every_test);
  Fuzz fuzz;
  fuzz.run(first, count);
  std::fputs(fuzz.summary().c_str(), stdout);
  // Scenes this wild may exceed 200 iterations now and then; more often means that the solver has become worse.
  if (fuzz.num_steps() >= 100) {
    EXPECT_GE(fuzz.num_converged(), 0.9 * fuzz.num_steps());
  }
}

}  // namespace
}  // namespace clearance::cli
