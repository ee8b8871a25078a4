// The facade that the command line and Python use: a scene that is ready to be stepped.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "clearance/base/result.h"
#include "clearance/io/vtu.h"
#include "clearance/model/model.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/body_facts.h"
#include "clearance/simulation/body_instance.h"
#include "clearance/simulation/joint_strain.h"
#include "clearance/solver/advance.h"

namespace clearance {

/// What a scene holds, in numbers.
struct SceneSummary {
  int dim = 3;
  int num_bodies = 0;
  int num_obstacles = 0;
  int num_vertices = 0;
  int num_elements = 0;
  int num_surface_triangles = 0;
  int num_surface_edges = 0;
  int num_steps = 0;
  double bbox_diagonal = 0.0;      ///< [m] l
  double dhat = 0.0;               ///< [m]
  double tolerance = 0.0;          ///< [m/s]
  double min_distance = infinity;  ///< [m] at the start, among pairs closer than dhat
};

/// Why a scene cannot start: errors, and warnings that may tell what they come from.
struct SceneProblems {
  Issues issues;
  Mesh offending;  ///< meeting triangles and edges, if any
};

class Simulation {
 public:
  /// Loads the meshes and checks the initial state; all problems at once. Never null without errors in `problems`.
  static std::unique_ptr<Simulation> create(const SceneDesc& scene, SceneProblems& problems);
  ~Simulation();

  const SceneDesc& scene() const;
  SceneSummary summary() const;
  /// In the order in which frames number them.
  const std::vector<BodyInstance>& bodies() const;
  std::vector<BodyFacts> body_facts() const;
  const Issues& warnings() const;
  /// Of the warnings those of motions and loads that select nothing.
  const Issues& empty_regions() const;

  /// Advances by one step. `is_stop_wanted` is asked before every Newton iteration; if it says so, the step is
  /// `stopped` and the state stays as it was.
  StepReport step(const IterationCallback& on_iteration = {}, const std::function<bool()>& is_stop_wanted = {});

  /// From now on `record` gets what continuous collision detection is asked (SolverOptions::on_ccd_query).
  void record_ccd(std::function<void(const CcdQuery&)> record);

  const State& state() const;
  /// At the current positions.
  JointStrain joint_strain() const;
  /// Continues from a state that was saved before; sizes must be those of this scene.
  Result<Done> restore(State state);

  /// `name [unit]` of every number of the probes of the scene; the names without commas.
  const std::vector<std::string>& probe_columns() const;
  /// One number a column; before the first step NaN for forces.
  std::vector<double> probe_values() const;

  /// With the fields that the scene asks for; in a state that was restored without friction_force, which only the step
  /// that led there knows.
  Frame frame() const;
  /// 16 hexadecimal digits over positions and velocities.
  std::string state_hash() const;

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace clearance
