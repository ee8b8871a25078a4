#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "box_scene.h"

namespace peers {

/// Options of the command line, the same for every engine.
struct RunOptions {
  std::string scene;
  std::string mesh_folder;
  double step = 0.01;              // [s]
  double seconds = 2;              // simulated time [s]
  int iterations = 10;             // most iterations of the engine's solver per step
  double sample_interval = 0.001;  // [s] simulated, between two measurements of the penetration
  double stop_depth = 0;           // [m] a run ends as soon as it is measured to go deeper; 0: never
  double cpu_budget = 0;  // [s] a run ends when its steps take more, or twice as long by their mean so far; 0: never
};

/// An engine that holds a scene. Only step() is timed.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual void step() = 0;
  /// Writes the poses of all boxes and of the ball.
  virtual void read_poses(BoxScene& scene) const = 0;
  /// A word or two that tell what makes a run worthless; empty if nothing has so far.
  virtual std::string failure() const { return {}; }
  /// Mean iterations per step that the solver reports, or else the number asked for.
  virtual double mean_iterations() const = 0;
};

void add_run_options(CLI::App& app, RunOptions& options);

/// Simulates, measures and prints one line of JSON: CPU milliseconds per step, deepest penetration by kind of pair, and
/// when and why the run ended.
void run_and_report(const std::string& engine_name, Engine& engine, BoxScene scene, const RunOptions& options);

/// Returns the exit status of run(argc, argv); prints the exception if it throws one.
int run_program(const char* name, int (*run)(int, char**), int argc, char** argv);

}  // namespace peers
