#include "clearance/derivatives/reverse_run.h"
#include "clearance/optimise/design_scene.h"
#include "clearance/optimise/runners.h"
#include "clearance/scene/loaded_scene.h"
#include "clearance/simulation/stepping/stepped_scene.h"

namespace clearance::optimise {
namespace {

using Index = Eigen::Index;

class ReverseRunner final : public StateRunner {
 public:
  ReverseRunner(const PolyfemPlan& plan, std::function<bool()> is_stop_wanted)
      : plan_(plan), mesh_(*plan.meshes[plan.varied]), is_stop_wanted_(std::move(is_stop_wanted)) {}

  RunEnd run(const std::vector<VecX>& y, StateHistory& history, bool /*is_differentiated*/) override {
    using derivatives::RecordEnd;
    y_ = y;
    recording_.reset();
    problems_.clear();
    const std::string name = plan_.state_files[plan_.varied].string();
    derivatives::RecordOptions options;
    options.is_stop_wanted = is_stop_wanted_;
    auto recording = derivatives::Recording::make(maker_of(scene_of_design(plan_, y), name), options);
    if (!recording) {
      problems_ = recording.issues();
      set_file(problems_, name);
      return RunEnd::refused;
    }
    recording_ = std::move(*recording);
    if (recording_->end() == RecordEnd::stopped) return RunEnd::stopped;
    if (recording_->end() == RecordEnd::failed) {
      problems_ = recording_->errors();
      set_file(problems_, name);
      return RunEnd::failed;
    }
    HistoryRecorder recorder(mesh_, history);
    for (int step = 0; step <= recording_->num_steps(); ++step) {
      const Result<State> state = recording_->state(step);
      if (!state) {
        problems_ = state.issues();
        set_file(problems_, name);
        return RunEnd::failed;
      }
      if (recorder.add(*recording_->scene().scene, *state)) continue;
      problems_.push_back(unknown_nodes(name));
      return RunEnd::refused;
    }
    history.x_rest = rest_of_design(plan_, y);
    for (std::size_t v = 0; v < y.size(); ++v) {
      if (plan_.variables[v].kind == VariableKind::elastic) history.lame = y[v];
    }
    in_model_ = recorder.in_model();
    return RunEnd::complete;
  }

  std::optional<std::vector<VecX>> pull_back(const Seeds& seeds) override {
    std::vector<derivatives::Seed> by_unknowns(seeds.by_x.size());
    const Index size = recording_->scene().scene->initial_state.x.size();
    for (std::size_t step = 0; step < seeds.by_x.size(); ++step) {
      if (seeds.by_x[step].isZero(0.0)) continue;
      by_unknowns[step].x = VecX::Zero(size);
      for_each_node([&](Index node, Index block) {
        by_unknowns[step].x.segment(block, mesh_.dim) += seeds.by_x[step].segment(node, mesh_.dim);
      });
    }
    // A volume at rest, for example, does not depend on the run.
    const bool is_of_run =
        std::any_of(seeds.by_x.begin(), seeds.by_x.end(), [](const VecX& by_x) { return !by_x.isZero(0.0); });
    std::optional<derivatives::ReverseGradient> gradient;
    if (is_of_run) {
      auto found = recording_->backward(by_unknowns);
      if (!found) {
        problems_ = found.issues();
        set_file(problems_, plan_.state_files[plan_.varied].string());
        return std::nullopt;
      }
      gradient = std::move(*found);
      warnings_ = gradient->warnings;
      set_file(warnings_, plan_.state_files[plan_.varied].string());
    }
    std::vector<VecX> by_y;
    for (std::size_t v = 0; v < y_.size(); ++v) {
      const DesignVariable& variable = plan_.variables[v];
      VecX by = VecX::Zero(y_[v].size());
      if (variable.kind == VariableKind::elastic) {
        by = seeds.by_lame;
        if (gradient) by += by_lame(*gradient);
      }
      if (variable.kind == VariableKind::initial && gradient) {
        const Index half = mesh_.x_rest.size();
        for_each_node([&](Index node, Index block) {
          by.segment(node, mesh_.dim) = gradient->start_x.segment(block, mesh_.dim);
          by.segment(half + node, mesh_.dim) = gradient->start_v.segment(block, mesh_.dim);
        });
      }
      if (variable.kind == VariableKind::shape) {
        VecX by_nodes = seeds.by_rest;
        if (gradient) by_nodes += by_rest(*gradient);
        if (variable.inside) variable.inside->collect(by_nodes);
        by = by_vertices(variable.vertices, by_nodes);
      }
      by_y.push_back(std::move(by));
    }
    return by_y;
  }

 private:
  /// Calls visit with the places of the numbers of each node in vectors of the mesh and of the unknowns.
  template <class Visit>
  void for_each_node(const Visit& visit) const {
    for (std::size_t n = 0; n < in_model_.block_of_node.size(); ++n) {
      const int block = in_model_.block_of_node[n];
      if (block >= 0) visit(mesh_.dim * static_cast<Index>(n), static_cast<Index>(mesh_.dim) * block);
    }
  }

  VecX by_lame(const derivatives::ReverseGradient& gradient) const {
    VecX by = VecX::Zero(2 * static_cast<Index>(mesh_.num_cells()));
    const std::vector<int>& frame_cells = recording_->scene().scene->cell_of_element;
    for (std::size_t e = 0; e < frame_cells.size(); ++e) {
      const int cell = in_model_.cell_of_frame[static_cast<std::size_t>(frame_cells[e])];
      by[cell] = gradient.elements.lambda[e];
      by[mesh_.num_cells() + cell] = gradient.elements.mu[e];
    }
    return by;
  }

  /// Derivatives by the corners at rest, which other nodes follow.
  VecX by_rest(const derivatives::ReverseGradient& gradient) const {
    VecX by = VecX::Zero(mesh_.x_rest.size());
    for_each_node(
        [&](Index node, Index block) { by.segment(node, mesh_.dim) = gradient.shape.segment(block, mesh_.dim); });
    mesh_.collect_at_corners(by);
    return by;
  }

  VecX by_vertices(const std::vector<int>& vertices, const VecX& by_nodes) const {
    VecX by(mesh_.dim * static_cast<Index>(vertices.size()));
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      by.segment(mesh_.dim * static_cast<Index>(k), mesh_.dim) =
          by_nodes.segment(static_cast<Index>(mesh_.dim) * vertices[k], mesh_.dim);
    }
    return by;
  }

  const PolyfemPlan& plan_;
  const StateMesh& mesh_;
  std::function<bool()> is_stop_wanted_;
  // The next members are those of the last run.
  std::vector<VecX> y_;
  std::unique_ptr<derivatives::Recording> recording_;
  MeshInModel in_model_;
};

}  // namespace

std::unique_ptr<StateRunner> make_reverse_runner(const PolyfemPlan& plan, const std::function<bool()>& is_stop_wanted) {
  return std::make_unique<ReverseRunner>(plan, is_stop_wanted);
}

}  // namespace clearance::optimise
