// A scene from JSON text that is ready to be stepped, with sums such as momentum and energy.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <memory>
#include <string>

#include "clearance/io/scene_reader.h"
#include "clearance/model/blocks.h"
#include "clearance/simulation/build/build_scene_model.h"
#include "clearance/simulation/load/load_bodies.h"
#include "clearance/simulation/simulation.h"

namespace clearance {

class RunningScene {
 public:
  /// The scene must be valid; its problems are failures of the test.
  explicit RunningScene(const std::string& json, const std::vector<std::string>& overrides = {});
  explicit RunningScene(const Result<LoadedScene>& loaded);
  RunningScene(RunningScene&& other) noexcept;
  RunningScene& operator=(RunningScene&& other) noexcept;
  ~RunningScene();

  /// Takes one step, which must converge.
  StepReport step();
  StepReport steps(int count);

  Simulation& simulation() { return *simulation_; }
  const State& state() const { return simulation_->state(); }
  const SceneModel& scene() const { return *scene_; }
  const Model& model() const { return scene_->model; }
  int dim() const { return scene_->dim; }
  int num_nodes() const { return model().layout.num_blocks; }

  Vec<3> at(const VecX& values, int node) const {
    Vec<3> result = Vec<3>::Zero();
    result.head(dim()) = values.segment(dim() * node, dim());
    return result;
  }
  Vec<3> x(int node) const { return at(state().x, node); }
  Vec<3> v(int node) const { return at(state().v, node); }
  Vec<3> rest(int node) const { return at(model().x_rest, node); }
  double mass(int node) const { return model().mass[node]; }

  double total_mass() const { return model().mass.sum(); }
  Vec<3> momentum(const VecX& velocities) const;
  Vec<3> momentum() const { return momentum(state().v); }
  Vec<3> center_of_mass() const { return momentum(state().x) / total_mass(); }
  /// Returns the sum of m x cross y, with the mass matrix for m.
  Vec<3> moment(const VecX& positions, const VecX& values) const;

 private:
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<SceneModel> scene_;  // the same model as inside the simulation, for inspection
};

double energy_term(const StepReport& report, const std::string& name);

/// Mechanical energy: the lagged damping is a work of the step, not a stored energy.
double total_energy(const StepReport& report);

}  // namespace clearance
