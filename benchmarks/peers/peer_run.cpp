#include "peer_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>

#include "penetration.h"

namespace peers {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool is_finite(const BoxScene& scene) {
  bool finite = scene.ball.center.allFinite();
  for (const Box& box : scene.boxes) finite = finite && box.pose.center.allFinite() && box.pose.axes.allFinite();
  return finite;
}

// Returns why the run ends here; "complete" if it need not. `part`: the finished share of all steps.
std::string ending(const Engine& engine, const BoxScene& scene, const RunOptions& options, double depth, double cpu,
                   double part) {
  if (!engine.failure().empty()) return engine.failure();
  if (!is_finite(scene)) return "not finite";
  if (options.stop_depth > 0 && depth > options.stop_depth) return "too deep";
  // After a tenth of the budget, a run is judged by its mean so far.
  const double expected = cpu > 0.1 * options.cpu_budget ? 0.5 * cpu / part : cpu;
  if (options.cpu_budget > 0 && std::max(cpu, expected) > options.cpu_budget) return "over budget";
  return "complete";
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option("scene", options.scene, "rigid-ipc scene of boxes, a ball and a plane")->required();
  app.add_option("--meshes", options.mesh_folder, "folder of the scene's meshes")->required();
  app.add_option("--step", options.step, "time step [s]")->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "simulated time [s]")->check(CLI::PositiveNumber);
  app.add_option("--iterations", options.iterations, "solver iterations per step")->check(CLI::PositiveNumber);
  app.add_option("--sample-interval", options.sample_interval, "simulated time between measurements [s]");
  app.add_option("--stop-depth", options.stop_depth, "end the run at the first deeper penetration [m]");
  app.add_option("--cpu-budget", options.cpu_budget,
                 "end the run when its steps take more, or by their mean would take twice as long [s]");
}

void run_and_report(const std::string& engine_name, Engine& engine, BoxScene scene, const RunOptions& options) {
  const long num_steps = std::lround(options.seconds / options.step);
  const long sample_steps = std::max(1L, std::lround(options.sample_interval / options.step));
  Penetration deepest;
  double cpu = 0, deepest_time = 0;
  std::string end = "complete";
  long step = 0;
  while (step < num_steps && end == "complete") {
    const long block = std::min(sample_steps, num_steps - step);
    const double start = cpu_seconds();
    for (long i = 0; i < block; ++i) engine.step();
    cpu += cpu_seconds() - start;
    step += block;

    engine.read_poses(scene);
    const double previous = deepest.deepest();
    deepest.keep_deeper(measure_penetration(scene));
    if (deepest.deepest() > previous) deepest_time = static_cast<double>(step) * options.step;
    const double part = static_cast<double>(step) / static_cast<double>(num_steps);
    end = ending(engine, scene, options, deepest.deepest(), cpu, part);
  }
  const double steps = static_cast<double>(step);
  const nlohmann::json line = {{"engine", engine_name},
                               {"boxes", scene.boxes.size()},
                               {"step", options.step},
                               {"iterations", options.iterations},
                               {"mean_iterations", engine.mean_iterations()},
                               {"steps", step},
                               {"end", end},
                               {"cpu_ms_a_step", 1e3 * cpu / steps},
                               {"cpu_s_a_second", cpu / (steps * options.step)},
                               {"deepest", deepest.deepest()},
                               {"deepest_time", deepest_time},
                               {"box_box", deepest.box_box},
                               {"ball_box", deepest.ball_box},
                               {"ground", deepest.ground}};
  std::cout << line.dump() << '\n';
}

int run_program(const char* name, int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace peers
