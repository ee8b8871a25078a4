#include <fmt/format.h>

#include "clearance/derivatives/forward_run.h"
#include "clearance/optimise/design_scene.h"
#include "clearance/optimise/runners.h"
#include "clearance/scene/loaded_scene.h"
#include "clearance/simulation/stepping/stepped_scene.h"

namespace clearance::optimise {
namespace {

using Index = Eigen::Index;

/// Runs a scene and records it. `dx`: derivatives of the unknowns after each step, by the parameters; may be null.
RunEnd run_scene(const SceneDesc& scene, const std::string& name, const std::vector<std::string>& parameters,
                 const std::shared_ptr<const derivatives::HeldContact>& held,
                 const std::function<bool()>& is_stop_wanted, HistoryRecorder& recorder, std::vector<MatX>* dx,
                 Issues& problems, Issues& warnings) {
  bool is_known = true;
  derivatives::GradientOptions options;
  options.parameters = parameters;
  options.is_stop_wanted = is_stop_wanted;
  options.held = held;
  options.on_state = [&](const SteppedScene& stepped, const MatX& of_state, const MatX&) {
    is_known = is_known && recorder.add(*stepped.scene, stepped.state);
    if (dx != nullptr) dx->push_back(of_state);
  };
  const auto gradient = derivatives::find_gradient(maker_of(scene, name), options);
  problems.clear();
  if (!gradient) {
    problems = gradient.issues();
    set_file(problems, name);
    return RunEnd::refused;
  }
  if (gradient->end == derivatives::GradientEnd::stopped) return RunEnd::stopped;
  if (gradient->end == derivatives::GradientEnd::failed) {
    problems = gradient->errors;
    set_file(problems, name);
    return RunEnd::failed;
  }
  warnings = gradient->warnings;
  set_file(warnings, name);
  if (is_known) return RunEnd::complete;
  problems.push_back(unknown_nodes(name));
  return RunEnd::refused;
}

class ForwardRunner final : public StateRunner {
 public:
  ForwardRunner(const PolyfemPlan& plan, std::shared_ptr<const derivatives::HeldContact> held,
                std::function<bool()> is_stop_wanted)
      : plan_(plan),
        mesh_(*plan.meshes[plan.varied]),
        held_(std::move(held)),
        is_stop_wanted_(std::move(is_stop_wanted)) {
    for (std::size_t v = 0; v < plan.variables.size(); ++v) add_parameters(v);
  }

  RunEnd run(const std::vector<VecX>& y, StateHistory& history, bool is_differentiated) override {
    y_ = y;
    HistoryRecorder recorder(mesh_, history);
    for (std::size_t v = 0; v < y.size(); ++v) {
      if (plan_.variables[v].kind == VariableKind::elastic) history.lame = y[v];
    }
    std::vector<std::string> paths;
    if (is_differentiated) {
      for (const Parameter& parameter : parameters_) paths.push_back(parameter.path);
    }
    dx_.clear();
    const RunEnd end = run_scene(scene_of_design(plan_, y), plan_.state_files[plan_.varied].string(), paths, held_,
                                 is_stop_wanted_, recorder, &dx_, problems_, warnings_);
    blocks_ = recorder.in_model().block_of_node;
    return end;
  }

  std::optional<std::vector<VecX>> pull_back(const Seeds& seeds) override {
    // Derivatives by the numbers of the scene.
    VecX by_parameters = VecX::Zero(static_cast<Index>(parameters_.size()));
    for (std::size_t step = 0; step < dx_.size(); ++step) {
      if (dx_[step].cols() == 0) continue;
      VecX seed = VecX::Zero(dx_[step].rows());
      for (std::size_t n = 0; n < blocks_.size(); ++n) {
        if (blocks_[n] < 0) continue;
        seed.segment(static_cast<Index>(mesh_.dim) * blocks_[n], mesh_.dim) +=
            seeds.by_x[step].segment(mesh_.dim * static_cast<Index>(n), mesh_.dim);
      }
      by_parameters += dx_[step].transpose() * seed;
    }
    std::vector<VecX> by_y;
    for (const VecX& y : y_) by_y.push_back(VecX::Zero(y.size()));
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      add_to_members(parameters_[k], by_parameters[static_cast<Index>(k)], by_y[parameters_[k].variable]);
    }
    for (std::size_t v = 0; v < y_.size(); ++v) {
      if (plan_.variables[v].kind == VariableKind::elastic) by_y[v] += seeds.by_lame;
    }
    return by_y;
  }

 private:
  /// A number of the scene, and the part of a variable that decides it.
  struct Parameter {
    std::string path;
    std::size_t variable = 0;
    std::size_t entry = 0;  // of the geometry
    int part = 0;           // elastic: 0 is Young's modulus, 1 Poisson's ratio; initial: the axis
  };

  void add_parameters(std::size_t v) {
    const SceneDesc& scene = plan_.states[plan_.varied].loaded.scene;
    for (std::size_t e = 0; e < mesh_.scene_body.size(); ++e) {
      if (scene.bodies[mesh_.scene_body[e]].kind == BodyKind::obstacle) continue;
      const std::string body = fmt::format("bodies[{}].", mesh_.scene_body[e]);
      if (plan_.variables[v].kind == VariableKind::elastic) {
        parameters_.push_back({body + "material.youngs_modulus", v, e, 0});
        parameters_.push_back({body + "material.poisson_ratio", v, e, 1});
      } else if (plan_.variables[v].kind == VariableKind::initial) {
        for (int c = 0; c < mesh_.dim; ++c) {
          parameters_.push_back({fmt::format("{}linear_velocity[{}]", body, c), v, e, c});
        }
      }
    }
  }

  /// Gives the derivative by a number of a body to its elements or nodes in equal parts: what decides the number has
  /// the sum.
  void add_to_members(const Parameter& parameter, double derivative, VecX& by_y) const {
    if (plan_.variables[parameter.variable].kind == VariableKind::initial) {
      const std::vector<int> nodes = nodes_of_entries(mesh_)[parameter.entry];
      for (const int n : nodes) {
        by_y[mesh_.x_rest.size() + mesh_.dim * n + parameter.part] += derivative / static_cast<double>(nodes.size());
      }
      return;
    }
    const std::vector<int> cells = cells_of_entries(mesh_)[parameter.entry];
    const VecX& y = y_[parameter.variable];
    const double lambda = y[cells.front()], mu = y[mesh_.num_cells() + cells.front()];
    const double sum_sq = (lambda + mu) * (lambda + mu);
    // nu = lambda / 2 (lambda + mu), E = mu (3 lambda + 2 mu) / (lambda + mu).
    const double by_lambda = parameter.part == 0 ? mu * mu / sum_sq : mu / (2.0 * sum_sq);
    const double by_mu = parameter.part == 0 ? (3.0 * lambda * lambda + 4.0 * lambda * mu + 2.0 * mu * mu) / sum_sq
                                             : -lambda / (2.0 * sum_sq);
    const double share = derivative / static_cast<double>(cells.size());
    for (const int c : cells) {
      by_y[c] += share * by_lambda;
      by_y[mesh_.num_cells() + c] += share * by_mu;
    }
  }

  const PolyfemPlan& plan_;
  const StateMesh& mesh_;
  std::shared_ptr<const derivatives::HeldContact> held_;
  std::function<bool()> is_stop_wanted_;
  std::vector<Parameter> parameters_;
  // The next members are those of the last run.
  std::vector<VecX> y_;
  std::vector<MatX> dx_;
  std::vector<int> blocks_;
};

}  // namespace

RunEnd run_state(const PolyfemPlan& plan, std::size_t state,
                 const std::shared_ptr<const derivatives::HeldContact>& held,
                 const std::function<bool()>& is_stop_wanted, StateHistory& history, Issues& problems) {
  HistoryRecorder recorder(*plan.meshes[state], history);
  Issues warnings;
  return run_scene(scene_of_state(plan, state), plan.state_files[state].string(), {}, held, is_stop_wanted, recorder,
                   nullptr, problems, warnings);
}

std::unique_ptr<StateRunner> make_forward_runner(const PolyfemPlan& plan,
                                                 const std::shared_ptr<const derivatives::HeldContact>& held,
                                                 const std::function<bool()>& is_stop_wanted) {
  return std::make_unique<ForwardRunner>(plan, held, is_stop_wanted);
}

}  // namespace clearance::optimise
