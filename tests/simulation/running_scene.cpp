#include "simulation/running_scene.h"

#include <stdexcept>

namespace clearance {

RunningScene::RunningScene(const std::string& json, const std::vector<std::string>& overrides)
    : RunningScene(load_scene_text(json, "scene", ".", overrides)) {}

RunningScene::RunningScene(const Result<LoadedScene>& loaded) {
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  if (!loaded) throw std::runtime_error("the scene of the test does not load");
  Result<Simulation> simulation = Simulation::create(loaded->scene);
  for (const Issue& issue : simulation.issues()) ADD_FAILURE() << to_string(issue);
  if (!simulation) throw std::runtime_error("the scene of the test cannot start");
  simulation_ = std::make_unique<Simulation>(std::move(*simulation));
  scene_ =
      std::make_unique<SceneModel>(build_scene_model(loaded->scene, std::move(load_bodies(loaded->scene)->instances)));
}

RunningScene::RunningScene(RunningScene&& other) noexcept = default;
RunningScene& RunningScene::operator=(RunningScene&& other) noexcept = default;
RunningScene::~RunningScene() = default;

StepReport RunningScene::step() {
  StepReport report = simulation_->step();
  EXPECT_EQ(to_string(report.status), "converged") << "step " << state().step << " " << report.limited_by;
  return report;
}

StepReport RunningScene::steps(int count) {
  StepReport report;
  for (int i = 0; i < count; ++i) report = step();
  return report;
}

Vec<3> RunningScene::momentum(const VecX& velocities) const {
  Vec<3> sum = Vec<3>::Zero();
  for (int i = 0; i < num_nodes(); ++i) sum += mass(i) * at(velocities, i);
  return sum;
}

Vec<3> RunningScene::moment(const VecX& positions, const VecX& values) const {
  const VecX weighted = mass_times(model(), values);
  Vec<3> sum = Vec<3>::Zero();
  for (int i = 0; i < num_nodes(); ++i) sum += at(positions, i).cross(at(weighted, i));
  return sum;
}

double energy_term(const StepReport& report, const std::string& name) {
  for (const auto& [key, value] : report.energy) {
    if (key == name) return value;
  }
  return 0.0;
}

double total_energy(const StepReport& report) {
  double sum = 0.0;
  for (const auto& [key, value] : report.energy) {
    if (key != "damping") sum += value;
  }
  return sum;
}

}  // namespace clearance
