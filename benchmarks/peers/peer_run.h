#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "box_scene.h"

namespace peers {

/// What every engine is asked for on the command line.
struct RunOptions {
  std::string scene;
  std::string mesh_folder;
  double step = 0.01;              // [s]
  double seconds = 2;              // simulated
  int iterations = 10;             // of the engine's solver, at most, a step
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
  /// What makes a run worthless, in a word or two; empty: nothing so far.
  virtual std::string failure() const { return {}; }
  /// Mean iterations a step that the solver reports, or those asked for.
  virtual double mean_iterations() const = 0;
};

void add_run_options(CLI::App& app, RunOptions& options);

/// Simulates, measures and prints one line of JSON: cpu milliseconds a step, deepest penetration by kind of pair, when
/// the run ended and why.
void run_and_report(const std::string& engine_name, Engine& engine, BoxScene scene, const RunOptions& options);

/// Exit status of run(argc, argv); what it throws is printed.
int run_program(const char* name, int (*run)(int, char**), int argc, char** argv);

}  // namespace peers
