// A scene from JSON text that is ready to be stepped, with sums such as momentum and energy.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <memory>
#include <stdexcept>
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
  explicit RunningScene(const std::string& json, const std::vector<std::string>& overrides = {})
      : RunningScene(load_scene_text(json, "scene", ".", overrides)) {}
  explicit RunningScene(const Result<LoadedScene>& loaded) {
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    if (!loaded) throw std::runtime_error("the scene of the test does not load");
    Result<Simulation> simulation = Simulation::create(loaded->scene);
    for (const Issue& issue : simulation.issues()) ADD_FAILURE() << to_string(issue);
    if (!simulation) throw std::runtime_error("the scene of the test cannot start");
    simulation_ = std::make_unique<Simulation>(std::move(*simulation));
    scene_ = std::make_unique<SceneModel>(
        build_scene_model(loaded->scene, std::move(load_bodies(loaded->scene)->instances)));
  }

  /// Takes one step, which must converge.
  StepReport step() {
    StepReport report = simulation_->step();
    EXPECT_EQ(to_string(report.status), "converged") << "step " << state().step << " " << report.limited_by;
    return report;
  }
  StepReport steps(int count) {
    StepReport report;
    for (int i = 0; i < count; ++i) report = step();
    return report;
  }

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
  Vec<3> momentum(const VecX& velocities) const {
    Vec<3> sum = Vec<3>::Zero();
    for (int i = 0; i < num_nodes(); ++i) sum += mass(i) * at(velocities, i);
    return sum;
  }
  Vec<3> momentum() const { return momentum(state().v); }
  Vec<3> center_of_mass() const { return momentum(state().x) / total_mass(); }
  /// Returns the sum of m x cross y, with the mass matrix for m.
  Vec<3> moment(const VecX& positions, const VecX& values) const {
    const VecX weighted = mass_times(model(), values);
    Vec<3> sum = Vec<3>::Zero();
    for (int i = 0; i < num_nodes(); ++i) sum += at(positions, i).cross(at(weighted, i));
    return sum;
  }

 private:
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<SceneModel> scene_;  // the same model as inside the simulation, for inspection
};

inline double energy_term(const StepReport& report, const std::string& name) {
  for (const auto& [key, value] : report.energy) {
    if (key == name) return value;
  }
  return 0.0;
}

/// Mechanical energy: the lagged damping is a work of the step, not a stored energy.
inline double total_energy(const StepReport& report) {
  double sum = 0.0;
  for (const auto& [key, value] : report.energy) {
    if (key != "damping") sum += value;
  }
  return sum;
}

}  // namespace clearance
