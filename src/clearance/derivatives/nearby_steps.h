// Steps beside a step of a run: the same step with another value of a number of the scene, from another state, or to
// another end. They are evaluated, not solved; derivatives of runs are differences between them.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clearance/derivatives/scene_variant.h"
#include "clearance/derivatives/state_numbers.h"
#include "clearance/simulation/stepping/gap_path.h"
#include "clearance/simulation/stepping/stepped_scene.h"
#include "clearance/solver/step_tangent.h"

namespace clearance::derivatives {

/// Offsets, in units of a length, and weights of a difference of fourth order, and weights of one of second order with
/// the same offsets.
struct Stencil {
  std::vector<double> offsets, weights, coarse;
};
const Stencil& central();

/// Returns the sum of weights times values over a length. The weights add up to zero, so that differences from the
/// middle value do as well, and values that are equal give exactly zero.
VecX sum_of(const std::vector<VecX>& values, const std::vector<double>& weights, double length);

inline VecX vector_of(const std::vector<double>& values) {
  return Eigen::Map<const VecX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Returns a state of the model `from` as one of the model `to`, of bodies of other sizes.
State rescaled(const Model& from, const Model& to, State state);

/// Returns an error for each path of a number that says how the scene is computed, which derivatives hold.
Issues find_held_parameters(const std::vector<std::string>& paths);

/// Starts a scene. Issues: its problems; or, with the scene started, what it uses that has no derivatives.
Result<Done> start_scene(SceneDesc desc, SteppedScene& scene);

/// True if vertices are at other places of their stiff bodies in the scene `there`: sizes and centres do that. What
/// depends on vertices then depends on the scene itself, and not on the state alone.
bool moves_vertices(const SceneModel& here, const SceneModel& there);
/// Returns the error that says so.
Issue moved_vertices(const std::string& path);

/// Share by which a derivative differs from that on one side of a kink that is told.
inline constexpr double told_kink = 1e-6;
/// Returns the warning that a step ends at a kink.
Issue kink_warning(std::string parameter, int step, double share);

/// Change of a number over which differences are taken first, as a share of it, or of one where it is zero.
inline constexpr double first_share = 1e-3;

/// The numbers of a step that was evaluated.
struct Evaluation {
  VecX gradient;  // of the balance, in Newton's unknowns
  VecX numbers;   // of the state at the end
  VecX probes;
  double motion = 0.0;  // [m] of surfaces and half-spaces against each other, from where they are in the step itself
};

/// Evaluations at the points of a stencil.
struct Evaluations {
  std::vector<VecX> gradients, numbers, probes;
  double motion = 0.0;  // [m] the largest

  void add(Evaluation evaluation) {
    motion = std::max(motion, evaluation.motion);
    gradients.push_back(std::move(evaluation.gradient));
    numbers.push_back(std::move(evaluation.numbers));
    probes.push_back(std::move(evaluation.probes));
  }
  bool are_finite() const {
    return std::all_of(gradients.begin(), gradients.end(), [](const VecX& g) { return g.allFinite(); });
  }
};

/// Slopes of the balance along a direction, in Newton's unknowns, on both sides of a step that ends at a kink of its
/// forces. Closed forms may have neither of them there.
struct Kink {
  VecX miss;  ///< the mean of both slopes less that which is expected; empty if none is
  VecX jump;  ///< half of the difference between them
};

/// Scenes with other values of one parameter.
template <int dim>
struct Variants {
  struct Variant {
    std::unique_ptr<SceneVariant> scene;
    StepWorkspace<dim> workspace;
  };
  Stencil stencil;
  double length = 0.0;  ///< of the changes, in the unit of the scene
  std::vector<Variant> variants;
  bool is_settled = false;  ///< True if a shorter length is known to be no better.
};

/// A step that has been solved, with what is needed to evaluate it again.
struct StepRecord {
  State begin;             ///< where the run was
  double narrowing = 1.0;  ///< State::narrowing at the end
  VecX x_end;              ///< [m]
  StepDecisions decisions;
};

template <int dim>
class NearbySteps {
 public:
  NearbySteps(SteppedScene& nominal, const SceneMaker& make)
      : nominal_(nominal),
        make_(make),
        held_(*nominal.scene),
        numbers_(nominal.scene->options.integrator.method),
        own_(nominal.scene->model, nominal.scene->options),
        shadow_(nominal.scene->model, nominal.scene->options) {}

  /// Makes scenes whose values of the parameter differ from its value by multiples of `length`. Issues: those of the
  /// values that differences need.
  Result<Done> make_variants(const Parameter& parameter, double length, Variants<dim>& variants) const;

  /// Solves the step from the state of the scene, and moves its end to the accuracy that derivatives need. False if
  /// that is not possible, or if the run is stopped. `narrowing` is the factor of the activation distances at the end,
  /// where the step does not find its own. Tangents of a step that is not differentiated now solve nothing.
  bool solve(std::optional<double> narrowing = {}, bool is_differentiated = true);
  bool is_stopped() const { return is_stopped_; }
  /// Says why the last call has failed.
  const std::string& failure() const { return failure_; }
  /// Makes a step that was solved the present one again.
  bool reopen(const StepRecord& record);
  StepRecord record() const { return {begin_, end_.narrowing, tangent_->x(), decisions_}; }

  // The step under way.
  const State& begin() const { return begin_; }  ///< the state of the run at its start
  const State& from() const { return from_; }    ///< the same with what the step writes there before it is solved
  const State& end() const { return end_; }
  const PrescribedTargets& targets() const { return *targets_; }
  Step<dim>& step() { return *step_; }
  StepTangent<dim>& tangent() { return *tangent_; }
  const StateNumbers& numbers() const { return numbers_; }
  StepForces forces() { return nominal_.probes.needs_forces() ? step_->forces_at_end() : StepForces{}; }
  const Potential* joints() const {
    const SceneModel& scene = *nominal_.scene;
    return scene.joint_potential ? &own_.potential(*scene.joint_potential) : nullptr;
  }

  /// Returns a state with changed numbers, in which rigid bodies keep their shape.
  State changed(const State& state, const VecX& change) const;
  /// Evaluates the step of the scene itself from `start` to `x_end`, with prescribed nodes at their targets.
  std::optional<Evaluation> evaluate(const State& start, const VecX& x_end) {
    return evaluate(nominal_.desc, *nominal_.scene, Part::all, nominal_.probes, shadow_, start, x_end);
  }
  /// Evaluates it with the forces of contacts and friction at the end held as they are in the step itself: surfaces may
  /// overlap. Probes have the forces of joints alone, and bodies do not rebound.
  std::optional<Evaluation> evaluate_beside_contacts(const State& start, const VecX& x_end) {
    return evaluate(nominal_.desc, *nominal_.scene, Part::beside_contacts, nominal_.probes, shadow_, start, x_end);
  }
  /// Evaluates what has no derivatives in closed form: the same without inertia.
  std::optional<Evaluation> evaluate_remainder(const State& start, const VecX& x_end) {
    return evaluate(nominal_.desc, *nominal_.scene, Part::remainder, nominal_.probes, shadow_, start, x_end);
  }
  /// Evaluates the step in the variants, from the same state to the same end.
  std::optional<Evaluations> evaluate(Variants<dim>& variants);
  std::optional<Evaluation> evaluate(typename Variants<dim>::Variant& variant, const State& start, const VecX& x_end) {
    return evaluate(variant.scene->desc, *variant.scene->scene, Part::all, variant.scene->probes, variant.workspace,
                    start, x_end);
  }
  /// Gives a variant the activation distances of the step.
  void narrow(typename Variants<dim>::Variant& variant) const;
  /// Evaluates the variants, with shorter changes where the balance is far from linear in the parameter, and sets
  /// `pull` to its derivative. No value if there is none, for the reason that `failure` says.
  std::optional<Evaluations> find_pull(const Parameter& parameter, Variants<dim>& variants, VecX& pull);
  /// Finds a kink of the forces exactly at the end of the step, along a change of the start and a motion of the end.
  /// `expected` is the slope of closed forms; empty: not known. No value unless differences over three lengths agree
  /// on one; only steps with contacts are looked at.
  std::optional<Kink> find_kink(const VecX& rate, const VecX& dy, const VecX& expected);

 private:
  /// Parts of a step that are evaluated.
  enum class Part { all, beside_contacts, remainder };
  std::optional<Evaluation> evaluate(const SceneDesc& desc, SceneModel& scene, Part part, const Probes& probes,
                                     StepWorkspace<dim>& workspace, const State& start, const VecX& x_end);
  bool fail(std::string message) {
    failure_ = std::move(message);
    return false;
  }
  std::string unsolved() const;
  bool begin_step();
  void open(Step<dim>& step);
  void hold_branches();

  SteppedScene& nominal_;
  const SceneMaker& make_;
  HeldContact held_;
  StateNumbers numbers_;
  StepWorkspace<dim> own_, shadow_;
  StepHooks hooks_;
  std::string failure_;
  bool is_stopped_ = false;
  // The next members are those of the step under way.
  State begin_, from_, end_;
  std::optional<PrescribedTargets> targets_;
  std::optional<GapPath<dim>> path_;  // a static step that is solved has the options of its last stage
  std::optional<SolvedStep<dim>> solved_;
  Step<dim>* step_ = nullptr;
  std::optional<StepTangent<dim>> tangent_;
  TrustInHessians trust_;
  StepDecisions decisions_;
  std::vector<std::vector<int>> branches_;  // per potential (held_branches.h); empty: it has none
  Eigen::Index num_numbers_ = 0;            // of the end
};

extern template class NearbySteps<2>;
extern template class NearbySteps<3>;

}  // namespace clearance::derivatives
