#include "clearance/derivatives/reverse_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "clearance/base/hash.h"
#include "clearance/bodies/fem/damping_potential.h"
#include "clearance/bodies/fem/plastic_potential.h"
#include "clearance/derivatives/first_touches.h"
#include "clearance/derivatives/kept_steps.h"
#include "clearance/derivatives/load_slopes.h"
#include "clearance/derivatives/nearby_steps.h"
#include "clearance/derivatives/probe_seeds.h"
#include "clearance/math/dimension.h"
#include "clearance/math/fourth_order.h"
#include "clearance/model/blocks.h"
#include "clearance/model/coordinate_inertia.h"
#include "clearance/model/smooth_memory.h"
#include "clearance/scene/probe_columns.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/build/initial_state.h"
#include "clearance/simulation/build/motion_targets.h"
#include "clearance/simulation/build/scene_elements.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/solver/step_transpose.h"

namespace clearance::derivatives {

namespace {

/// Difference between a step and its check, as a share, from which on the derivative is refused, and of the two orders
/// of that check up to which no shorter change is tried. Contacts at the very limit of sticking bend differences of any
/// length: the check then counts as known to ten times what its two orders differ by.
constexpr double most_error = 1e-3, good_error = 1e-7, most_misses = 10.0;
/// The same from which on a warning tells that derivatives have few digits.
constexpr double few_digits = 1e-5;
/// Steps that are checked: the first ones of the pass, and one of so many others. A check costs as much as half a
/// direction of Newton's method.
constexpr std::size_t checked_first = 4, steps_per_check = 8;
/// Jump of the slope of a step up to whose multiple an error of the check is that of a kink.
constexpr double most_of_jump = 10.0;
/// Share of the largest derivative below which one is rounding.
constexpr double of_rounding = 1e-12;

template <int dim>
class RunRecording final : public Recording {
 public:
  RunRecording(std::unique_ptr<SteppedScene> scene, SceneMaker make, RecordOptions options)
      : scene_(std::move(scene)), make_(std::move(make)), options_(std::move(options)), near_(*scene_, make_) {
    levels_.emplace_back(1, budget(), true);
  }

  void run();
  RecordEnd end() const override { return end_; }
  const Issues& errors() const override { return errors_; }
  const SteppedScene& scene() const override { return *scene_; }
  int num_steps() const override { return static_cast<int>(hashes_.size()); }
  double time(int step) const override {
    return step < num_steps() ? times_[static_cast<std::size_t>(step)] : scene_->state.time;
  }
  int num_kept() const override { return static_cast<int>(levels_.front().size()); }
  std::size_t most_bytes() const override { return most_bytes_; }
  Result<State> state(int step) override {
    if (step == num_steps()) return scene_->state;
    const StepRecord* record = record_of(step + 1);
    return record ? Result<State>(record->begin) : Result<State>(failure_);
  }
  const std::vector<double>& probes(int step) const override { return probes_[static_cast<std::size_t>(step)]; }
  Result<Seed> seed_of(int step, const std::string& column) override;
  Result<ReverseGradient> backward(const std::vector<Seed>& seeds, const std::vector<std::string>& parameters) override;

 private:
  /// A number of the scene by which L is differentiated.
  struct ByParameter {
    Parameter parameter;
    Variants<dim> variants;
    double slope = 0.0;
  };

  double budget() const { return 1e6 * options_.budget_mb; }
  const State& start() const { return num_steps() > 0 ? levels_.front().last_up_to(1)->begin : scene_->state; }
  void count_memory();
  std::uint64_t hash_of_end() const;
  const StepRecord* record_of(int step);
  const StepRecord* record_again(int step);
  Result<Done> start_parameters(const std::vector<std::string>& paths, std::vector<ByParameter>& by);
  bool step_back(State& cotangent, std::vector<ByParameter>& by, ReverseGradient& gradient);
  void add_anchors(const VecX& targets, const State& end, State& start) const;
  std::pair<State, VecX> direction();
  struct Check {
    double error = infinity, miss = infinity;  // as shares
    double kink = 0.0;                         // the part of the error that a kink makes
  };
  Check check(const StepCotangent& step, const VecX& of_end, const State& of_start);
  double slope_of_start(const ByParameter& by, const State& cotangent) const;
  void start_elements(ReverseGradient& gradient);
  void add_elements(const ElementMotion<dim>& motion, ReverseGradient& gradient) const;
  void add_elements(const StepCotangent& step, const State& end, ReverseGradient& gradient);
  template <class Kind, class Belongs, class Add>
  void for_each_of(const Belongs& belongs, const Add& add);
  void add_damped_elements(const VecX& motion, ReverseGradient& gradient);
  void add_yielding_elements(const VecX& x, const VecX& motion, const State& end, ReverseGradient& gradient);
  void add_start_accelerations(State& cotangent, ReverseGradient& gradient);
  void report_held(ReverseGradient& gradient) const;
  void report_budget(ReverseGradient& gradient) const;
  void leave_out_unknown(ReverseGradient& gradient) const;
  VecX find_controls(const VecX& motion, const VecX& of_end);
  bool fail(std::string message) {
    failure_ = {"", fmt::format("step {}", near_.begin().step + 1), "", std::move(message)};
    return false;
  }

  std::unique_ptr<SteppedScene> scene_;
  SceneMaker make_;
  RecordOptions options_;
  NearbySteps<dim> near_;
  std::vector<KeptSteps> levels_;            // those of the run, and of steps that were computed again
  std::optional<StepRecord> extra_;          // the last of these, if no level has room for it
  std::vector<std::vector<double>> probes_;  // per state
  std::vector<double> times_;                // [s] at the starts of steps
  std::vector<std::uint64_t> hashes_;        // of the numbers at the ends of steps
  std::size_t most_bytes_ = 0, largest_record_ = 0;
  int num_again_ = 0;  // steps that the pass has computed again
  FirstTouches first_touches_;
  std::vector<ElementMesh<dim>> meshes_;                  // of solids
  std::vector<ElementSensitivities<dim>> sensitivities_;  // of these
  std::optional<LoadSlopes> loads_;                       // on solids
  bool is_pressed_flat_ = false;                          // True if a barrier against inversion was at work.
  double largest_ = 0.0;                                  // norm of the derivatives by a state of the pass so far
  double largest_unexplained_ = 0.0;                      // error of a check beside that of kinks
  double largest_kink_ = 0.0;
  int step_of_kink_ = 0;
  RecordEnd end_ = RecordEnd::complete;
  Issues errors_;
  Issue failure_;
};

template <int dim>
void RunRecording<dim>::run() {
  const int wanted = options_.num_steps > 0 ? options_.num_steps : clearance::num_steps(scene_->desc.time);
  probes_.push_back(scene_->probes.values_at_start(scene_->state, near_.joints()));
  for (int step = 1; step <= wanted; ++step) {
    if (options_.is_stop_wanted && options_.is_stop_wanted()) {
      end_ = RecordEnd::stopped;
      return;
    }
    if (!near_.solve({}, false)) {
      end_ = near_.is_stopped() ? RecordEnd::stopped : RecordEnd::failed;
      if (!near_.is_stopped()) errors_.push_back({"", fmt::format("step {}", step), "", near_.failure()});
      return;
    }
    times_.push_back(near_.begin().time);
    hashes_.push_back(hash_of_end());
    StepRecord record = near_.record();
    largest_record_ = std::max(largest_record_, bytes_of(record));
    levels_.front().add(std::move(record));
    count_memory();
    probes_.push_back(scene_->probes.values({near_.end(), near_.forces(), near_.joints()}));
    first_touches_.note(scene_->scene->model.surface, near_.step().end_state().point.iterate.contacts, step,
                        scene_->scene->options.integrator.method);
    scene_->state = near_.end();
    if (options_.on_step) options_.on_step(step, wanted);
  }
}

template <int dim>
Result<Seed> RunRecording<dim>::seed_of(int step, const std::string& column) {
  const Result<std::vector<std::size_t>> found = find_columns(scene_->probes.columns(), {column}, "of");
  if (!found) return found.issues();
  if (const SumOfBlocks* sum = scene_->probes.sum_of_blocks(found->front())) {
    return seed_of_sum(*sum, dim, scene_->state.x.size());
  }
  const Result<State> at = state(step);
  if (!at) return at.issues();
  if (step > 0) {
    // Joints count their turns from those of the step.
    const StepRecord* record = record_of(step);
    if (!record) return Result<Seed>(failure_);
    if (!near_.reopen(*record)) {
      fail(near_.failure());
      return Result<Seed>(failure_);
    }
  }
  return seed_of_column(*scene_, *at, near_.joints(), found->front());
}

template <int dim>
void RunRecording<dim>::count_memory() {
  std::size_t bytes = extra_ ? bytes_of(*extra_) : 0;
  for (const KeptSteps& level : levels_) bytes += level.bytes();
  most_bytes_ = std::max(most_bytes_, bytes);
}

template <int dim>
std::uint64_t RunRecording<dim>::hash_of_end() const {
  const VecX numbers = near_.numbers().of(near_.end(), near_.end());
  Hash hash;
  hash.add(numbers.data(), sizeof(double) * static_cast<std::size_t>(numbers.size()));
  return hash.value();
}

/// Returns the record of a step, which is computed again if it is not kept; nullptr if that fails.
template <int dim>
const StepRecord* RunRecording<dim>::record_of(int step) {
  if (extra_ && extra_->begin.step + 1 == step) return &*extra_;
  while (levels_.back().first() > step) levels_.pop_back();
  for (const KeptSteps& level : levels_) {
    const StepRecord* record = level.last_up_to(step);
    if (record && record->begin.step + 1 == step) return record;
  }
  return record_again(step);
}

/// Computes the steps from the last kept one up to `step` again and keeps what the budget leaves room for.
template <int dim>
const StepRecord* RunRecording<dim>::record_again(int step) {
  const StepRecord* from = extra_ && extra_->begin.step + 1 < step ? &*extra_ : nullptr;
  for (const KeptSteps& level : levels_) {
    const StepRecord* record = level.last_up_to(step);
    if (record && (!from || record->begin.step > from->begin.step)) from = record;
  }
  const int first = from->begin.step + 2;
  if (!near_.reopen(*from)) {
    fail(near_.failure());
    return nullptr;
  }
  const State end_of_run = std::exchange(scene_->state, near_.end());
  // The step itself is kept beside the level, and has to fit as well.
  double left = budget() - static_cast<double>(largest_record_);
  for (const KeptSteps& level : levels_) left -= static_cast<double>(level.bytes());
  extra_.reset();
  levels_.emplace_back(first, std::max(left, 0.0), false);
  bool is_done = true;
  for (int at = first; at <= step && is_done; ++at) {
    if (options_.is_stop_wanted && options_.is_stop_wanted()) {
      failure_ = {"", "", "", "stopped"};
      is_done = false;
    } else if (!near_.solve({}, false)) {
      is_done = fail(near_.failure());
    } else if (hash_of_end() != hashes_[static_cast<std::size_t>(at - 1)]) {
      is_done = fail("the step was computed again, and ended elsewhere; keep all steps with a larger budget");
    } else {
      StepRecord record = near_.record();
      ++num_again_;
      if (at == step) extra_ = record;
      if (levels_.back().add(std::move(record)) && at == step) extra_.reset();
      count_memory();
      scene_->state = near_.end();
    }
  }
  scene_->state = end_of_run;
  if (!is_done) return nullptr;
  return extra_ ? &*extra_ : levels_.back().last_up_to(step);
}

/// Adds derivatives by the numbers of a state where both have them.
void add(const State& from, State& to) {
  for (auto numbers : {&State::x, &State::v, &State::a, &State::x_prev, &State::v_prev}) {
    if ((from.*numbers).size() > 0 && (to.*numbers).size() > 0) to.*numbers += from.*numbers;
  }
  for (std::size_t k = 0; k < from.stick.size(); ++k) to.stick[k].displacement += from.stick[k].displacement;
  for (std::size_t k = 0; k < from.history.size(); ++k) {
    std::transform(from.history[k].begin(), from.history[k].end(), to.history[k].begin(), to.history[k].begin(),
                   std::plus<>());
  }
}

/// Passes the derivatives by prescribed positions on to where the motions start from. A motion moves each block by
/// itself, and is affine in its anchor.
template <int dim>
void RunRecording<dim>::add_anchors(const VecX& targets, const State& end, State& start) const {
  const SceneModel& scene = *scene_->scene;
  const State& begin = near_.begin();
  VecX of_anchor = end.x_anchor;
  State moved = begin;
  if (targets.size() > 0) {
    // The motion by which an affine function is differenced may be of any length.
    const double length = scene.model.bbox_diagonal;
    for (int c = 0; c < dim; ++c) {
      std::array<VecX, 2> positions;
      for (const int side : {0, 1}) {
        moved = begin;
        for (Eigen::Index i = c; i < moved.x_anchor.size(); i += dim) moved.x_anchor[i] += (2 * side - 1) * length;
        positions[static_cast<std::size_t>(side)] = find_targets(scene, moved)->positions;
      }
      const VecX slope = (positions[1] - positions[0]) / (2.0 * length);
      for (std::size_t k = 0; k < near_.targets().blocks.size(); ++k) {
        const int b = near_.targets().blocks[k];
        of_anchor[dim * static_cast<Eigen::Index>(b) + c] +=
            block<dim>(slope, static_cast<int>(k)).dot(block<dim>(targets, static_cast<int>(k)));
      }
    }
  }
  // A motion that begins takes its anchor from where the block is.
  moved = begin;
  for (Eigen::Index i = 0; i < moved.x_anchor.size(); ++i) moved.x_anchor[i] = infinity;
  if (!find_targets(scene, moved)) return;
  for (Eigen::Index i = 0; i < of_anchor.size(); ++i) {
    (moved.x_anchor[i] == infinity ? start.x_anchor : start.x)[i] += of_anchor[i];
  }
}

/// Returns the derivatives by the controls in the state at the start of the step.
template <int dim>
VecX RunRecording<dim>::find_controls(const VecX& motion, const VecX& of_end) {
  const State begin = near_.begin();
  VecX slopes = VecX::Zero(begin.controls.size());
  for (Eigen::Index k = 0; k < slopes.size(); ++k) {
    // Gaps are the measure of a control that moves surfaces.
    const double reach = near_.tangent().reach();
    double length = first_share * std::max(std::abs(begin.controls[k]), 1.0);
    Evaluations all;
    for (int i = 0; i < 3; ++i) {
      if (all.motion > reach) length *= 0.5 * reach / all.motion;
      all = {};
      for (const double offset : central().offsets) {
        State changed = begin;
        changed.controls[k] += offset * length;
        auto evaluation = near_.evaluate(changed, near_.tangent().x());
        if (!evaluation) return slopes;
        all.add(std::move(*evaluation));
      }
      if (all.motion <= reach) break;
    }
    slopes[k] = motion.dot(sum_of(all.gradients, central().weights, length)) +
                of_end.dot(sum_of(all.numbers, central().weights, length));
  }
  return slopes;
}

/// Returns a state of derivatives along a direction of signs that no symmetry hides, scaled so that all kinds of
/// numbers move by similar lengths, and rigid bodies without stretch; and such a motion of the end.
template <int dim>
std::pair<State, VecX> RunRecording<dim>::direction() {
  const Step<dim>& step = near_.step();
  const LocalCoordinates<dim>& coordinates = step.inputs().coordinates();
  const State& begin = near_.begin();
  const double h = scene_->scene->options.integrator.h;
  std::uint64_t bits = 0x9e3779b97f4a7c15ULL;
  const auto next = [&] {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    return 2.0 * (static_cast<double>(bits >> 11) * 0x1p-53) - 1.0;
  };
  const auto local = [&] {
    VecX dy(dim * static_cast<Eigen::Index>(coordinates.num_blocks()));
    for (double& number : dy) number = next();
    return dy;
  };
  State along = zero_like(begin);
  along.x = coordinates.expand(begin.x, local());
  along.x_anchor = coordinates.expand(begin.x, local());
  along.v = coordinates.expand(begin.x, local()) / h;
  if (along.a.size() > 0) along.a = coordinates.expand(begin.x, local()) / (h * h);
  if (along.x_prev.size() > 0) along.x_prev = coordinates.expand(begin.x_prev, local());
  if (along.v_prev.size() > 0) along.v_prev = coordinates.expand(begin.x_prev, local()) / h;
  for (StickVertex& vertex : along.stick) {
    for (int c = 0; c < dim; ++c) vertex.displacement[c] = next();
  }
  const double size = scene_->scene->model.bbox_diagonal;
  for (std::size_t k = 0; k < along.history.size(); ++k) {
    // Directors, strains and angles have no unit.
    const auto* memory = dynamic_cast<const SmoothMemory*>(scene_->scene->model.potentials[k].get());
    if (!memory || memory->has_flags_alone()) continue;
    for (double& number : along.history[k]) number = next() / size;
  }
  VecX dy = local();
  clear_blocks<dim>(coordinates.reduce(step.problem().is_fixed()), dy);
  const std::vector<char>& held = step.problem().held_components();
  if (!held.empty()) clear_components<dim>(coordinates.reduce(held), dy);
  return {std::move(along), std::move(dy)};
}

/// Compares the transposed derivative with differences along a direction of the numbers of
/// the start and the motion of the end. If it is right, the balance times lam and the end times z_end' change with the
/// start as z' says, and with the motion of the end not at all.
template <int dim>
auto RunRecording<dim>::check(const StepCotangent& step, const VecX& of_end, const State& of_start) -> Check {
  const LocalCoordinates<dim>& coordinates = near_.step().inputs().coordinates();
  const StateNumbers& numbers = near_.numbers();
  const State& begin = near_.begin();
  const VecX& x_end = near_.tangent().x();
  const auto [along, dy] = direction();
  const VecX rate = numbers.of(along, begin), of_numbers = numbers.of(of_start, begin);
  const double h = scene_->scene->options.integrator.h, size = scene_->scene->model.bbox_diagonal;
  State positions = along;
  for (std::vector<double>& of_potential : positions.history) std::fill(of_potential.begin(), of_potential.end(), 0.0);
  const double longest = std::max(numbers.length_of(numbers.of(positions, begin), begin, h, size),
                                  coordinates.expand(x_end, dy).cwiseAbs().maxCoeff());
  const auto change = [&](double length) -> std::optional<std::array<VecX, 2>> {
    const auto at = [&](double by) {
      return near_.evaluate(near_.changed(begin, by * rate), coordinates.move(x_end, by * dy, 1.0));
    };
    const std::optional<Evaluation> above = at(length), below = at(-length);
    if (!above || !below) return std::nullopt;
    return std::array<VecX, 2>{step.motion.cwiseProduct(above->gradient - below->gradient) / (2.0 * length),
                               of_end.cwiseProduct(above->numbers - below->numbers) / (2.0 * length)};
  };
  const double size_of_direction = rate.norm() + dy.norm();
  Check best;
  double scale = 0.0;
  for (const double part : {1.0, 0.03, 0.001}) {
    const double length = part * near_.tangent().reach() / longest;
    const auto half = change(length);
    if (!half) return {};
    const double coarse = (*half)[0].sum() + (*half)[1].sum();
    // Terms of random signs leave the root of the sum of their squares.
    const double terms =
        std::sqrt((*half)[0].squaredNorm() + (*half)[1].squaredNorm() + of_numbers.cwiseProduct(rate).squaredNorm());
    // A derivative that is zero, by symmetry for example, is rounding, which has no digits.
    if (!(terms > of_rounding * largest_ * size_of_direction)) return {0.0, 0.0};
    const auto error_of = [&](double found) { return std::abs(found - of_numbers.dot(rate)) / terms; };
    if (error_of(coarse) <= good_error) return {error_of(coarse), 0.0};
    const auto whole = change(2.0 * length);
    if (!whole) return {};
    const double fine = (4.0 * coarse - (*whole)[0].sum() - (*whole)[1].sum()) / 3.0;
    const double miss = std::abs(fine - coarse) / terms;
    if (miss < best.miss) best = {error_of(fine), miss};
    scale = terms;
    if (miss <= good_error || error_of(fine) <= good_error) break;
  }
  if (best.error <= good_error) return best;
  if (const std::optional<Kink> kink = near_.find_kink(rate, dy, {})) {
    // Differences have the mean of both sides, closed forms one side, or what is beyond both.
    const double jump = step.motion.cwiseProduct(kink->jump).cwiseAbs().sum() / scale;
    if (best.error <= most_of_jump * jump) best.kink = best.error;
  }
  return best;
}

template <int dim>
Result<Done> RunRecording<dim>::start_parameters(const std::vector<std::string>& paths, std::vector<ByParameter>& by) {
  Result<std::vector<Parameter>> parameters = find_parameters(scene_->desc, paths);
  if (!parameters) return parameters.issues();
  Issues issues;
  for (Parameter& parameter : *parameters) {
    ByParameter made{std::move(parameter), {}, 0.0};
    Result<Done> variants = near_.make_variants(made.parameter, first_share * made.parameter.size(), made.variants);
    if (!variants) {
      issues.insert(issues.end(), variants.issues().begin(), variants.issues().end());
    } else if (moves_vertices(*scene_->scene, *made.variants.variants.front().scene->scene)) {
      issues.push_back(moved_vertices(made.parameter.path));
    }
    by.push_back(std::move(made));
  }
  if (!issues.empty()) return issues;
  return Done{};
}

/// Makes ready for derivatives by elements.
template <int dim>
void RunRecording<dim>::start_elements(ReverseGradient& gradient) {
  const SceneModel& scene = *scene_->scene;
  if (meshes_.empty() && scene.num_elements() > 0) {
    const Unknowns unknowns = lay_out_unknowns(scene_->desc, scene.bodies, scene.stiff_units);
    meshes_ = collect_elements<dim>(scene_->desc, scene.bodies, unknowns).meshes();
    for (const ElementMesh<dim>& mesh : meshes_) {
      sensitivities_.emplace_back(mesh, scene_->desc.time.mass == MassKind::lumped);
    }
  }
  if (!loads_) loads_.emplace(scene_->desc, scene);
  const auto count = static_cast<std::size_t>(scene.num_elements());
  gradient.elements = {std::vector<double>(count), std::vector<double>(count), std::vector<double>(count),
                       VecX::Zero(scene.initial_state.x.size())};
  is_pressed_flat_ = false;
  largest_ = 0.0;
}

template <int dim>
void RunRecording<dim>::add_elements(const ElementMotion<dim>& motion, ReverseGradient& gradient) const {
  std::size_t first = 0;
  for (std::size_t k = 0; k < meshes_.size(); ++k) {
    sensitivities_[k].add_slopes(motion, first, gradient.elements);
    first += meshes_[k].num_elements();
  }
}

/// Calls add(potential, its index, places) for each mesh with elements that `belongs` names by their mesh and number:
/// such a mesh has one potential of this kind, in the same order. `places` are those of its elements among all.
template <int dim>
template <class Kind, class Belongs, class Add>
void RunRecording<dim>::for_each_of(const Belongs& belongs, const Add& add) {
  const auto& potentials = near_.step().inputs().copies.potentials;
  std::size_t first = 0, at = 0;
  for (const ElementMesh<dim>& mesh : meshes_) {
    std::vector<std::size_t> places;
    for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
      if (belongs(mesh, e)) places.push_back(first + e);
    }
    first += mesh.num_elements();
    if (places.empty()) continue;
    const Kind* potential = nullptr;
    for (; !potential; ++at) potential = dynamic_cast<const Kind*>(potentials[at].get());
    add(*potential, at - 1, places);
  }
}

/// Adds the derivatives by the numbers of elements that yield.
template <int dim>
void RunRecording<dim>::add_yielding_elements(const VecX& x, const VecX& motion, const State& end,
                                              ReverseGradient& gradient) {
  const auto yields = [](const ElementMesh<dim>& mesh, std::size_t e) {
    return static_cast<bool>(mesh.material_of(e).hardening);
  };
  const std::vector<double> none;
  for_each_of<PlasticPotential<dim>>(yields, [&](const auto& plastic, std::size_t k, const auto& places) {
    plastic.add_slopes(x, motion, k < end.history.size() ? end.history[k] : none, places, gradient.elements);
  });
}

/// Adds those of damping.
template <int dim>
void RunRecording<dim>::add_damped_elements(const VecX& motion, ReverseGradient& gradient) {
  const auto is_damped = [](const ElementMesh<dim>& mesh, std::size_t e) { return mesh.material_of(e).damping > 0.0; };
  for_each_of<LaggedDampingPotential<dim>>(is_damped, [&](const auto& damping, std::size_t, const auto& places) {
    damping.add_slopes(near_.from().x, near_.tangent().x(), motion, places, gradient.elements);
  });
}

/// Adds the derivatives of the present step, whose end has the derivatives `end`, by the numbers of the elements.
template <int dim>
void RunRecording<dim>::add_elements(const StepCotangent& step, const State& end, ReverseGradient& gradient) {
  if (meshes_.empty()) return;
  const StepProblem<dim>& problem = near_.step().problem();
  const VecX& x = near_.tangent().x();
  const VecX motion = near_.step().inputs().coordinates().expand(x, step.motion);
  const double h = scene_->scene->options.integrator.h;
  ElementMotion<dim> of_step{x,
                             motion,
                             problem.target().scale,
                             {},
                             scene_->desc.gravity.template head<dim>(),
                             loads_->powers(h, near_.end().time, problem.target().scale * motion)};
  if (problem.target().has_inertia) {
    of_step.inertia = x - problem.target().x_tilde;
    for (int b = 0; b < scene_->scene->model.layout.num_blocks; ++b) {
      block<dim>(of_step.inertia, b) *= problem.target().mass_factor(b);
    }
  }
  add_elements(of_step, gradient);
  add_yielding_elements(x, problem.target().scale * motion, end, gradient);
  add_damped_elements(problem.target().scale * motion, gradient);
  loads_->add_by_shape(h, near_.end().time, -problem.target().scale * motion, gradient.elements.rest);
  for (const auto& potential : near_.step().inputs().copies.potentials) {
    if (is_pressed_flat_ || potential->name() != "inversion_barrier") continue;
    VecX force = VecX::Zero(x.size());
    potential->add_gradient(x, 1.0, force);
    is_pressed_flat_ = !force.isZero(0.0);
  }
}

/// Passes the derivatives by the accelerations at the start on, which Newmark's method has from M a + dE/dx = 0: with
/// lam = -M^-1 a', they are those of lam times that balance. Those of stiff bodies also depend on how these turn.
template <int dim>
void RunRecording<dim>::add_start_accelerations(State& cotangent, ReverseGradient& gradient) {
  SceneModel& scene = *scene_->scene;
  const State& start = this->start();
  if (cotangent.a.size() == 0 || cotangent.a.isZero(0.0)) return;
  PrescribedTargets held;
  State first = start;
  if (scene.model.consistent_mass) {
    if (Result<PrescribedTargets> found = find_targets(scene, first)) held = std::move(*found);
  }
  VecX of_nodes = cotangent.a;
  const double h = scene.options.integrator.h, length = near_.tangent().reach_of_shapes();
  for (const StiffBody& body : scene.model.stiff_bodies) {
    of_nodes.segment(dim * static_cast<Eigen::Index>(body.first_block), dim * (dim + 1)).setZero();
  }
  if (!scene.model.stiff_bodies.empty()) {
    const VecX of_bodies = cotangent.a - of_nodes;
    for (auto numbers : {&State::x, &State::v}) {
      const double eps = numbers == &State::x ? length : length / h;
      for (Eigen::Index c = 0; c < dim * (dim + 1); ++c) {
        const auto accelerations_at = [&](double by) {
          State changed = start;
          for (const StiffBody& body : scene.model.stiff_bodies) {
            (changed.*numbers)[dim * static_cast<Eigen::Index>(body.first_block) + c] += by;
          }
          set_start_accelerations(scene.model, held, changed);
          return changed.a;
        };
        const VecX slope = fourth_order_slope(eps, accelerations_at);
        for (const StiffBody& body : scene.model.stiff_bodies) {
          const Eigen::Index at = dim * static_cast<Eigen::Index>(body.first_block);
          (cotangent.*numbers)[at + c] +=
              slope.segment(at, dim * (dim + 1)).dot(of_bodies.segment(at, dim * (dim + 1)));
        }
      }
    }
  }
  const VecX motion = -accelerations(scene.model, held, cotangent.a);
  const VecX of_free = -accelerations(scene.model, held, of_nodes);
  const double longest = of_free.cwiseAbs().maxCoeff();
  if (longest > 0.0) {
    const auto forces_at = [&](double by) { return start_forces(scene.model, start.x + by * of_free); };
    const double eps = length / longest;
    cotangent.x -= fourth_order_slope(eps, forces_at);
  }
  // Loads are those of a step without length.
  add_elements({start.x, of_free, 1.0, start.a, scene_->desc.gravity.template head<dim>(),
                loads_->powers(0.0, start.time, of_free)},
               gradient);
  loads_->add_by_shape(0.0, start.time, -of_free, gradient.elements.rest);
  // The potentials are those of the first step, in which nothing has flowed before.
  add_yielding_elements(start.x, of_free, State{}, gradient);
  std::vector<double>& controls = scene.controls->values;
  const std::vector<double> values(start.controls.begin(), start.controls.end());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double eps = first_share * std::max(std::abs(values[k]), 1.0);
    const auto force_at = [&](double by) {
      controls = values;
      controls[k] += by;
      return motion.dot(start_forces(scene.model, start.x));
    };
    gradient.controls.front()[static_cast<Eigen::Index>(k)] -= fourth_order_slope(eps, force_at);
  }
  controls = values;
}

/// Sets derivatives by fields that are not known to no number: shapes of thin bodies and of bodies with stiff parts.
template <int dim>
void RunRecording<dim>::leave_out_unknown(ReverseGradient& gradient) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const SceneModel& scene = *scene_->scene;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    if (body.is_obstacle) continue;
    const std::vector<int>& blocks = scene.blocks[b].block_of_node;
    const bool has_stiff_part = std::find(blocks.begin(), blocks.end(), -1) != blocks.end();
    if (body.kind == BodyKind::deformable && !has_stiff_part) continue;
    for (const int block : blocks) {
      if (block < 0) continue;
      gradient.shape.segment(dim * static_cast<Eigen::Index>(block), dim).setConstant(unknown);
      gradient.elements.rest.segment(dim * static_cast<Eigen::Index>(block), dim).setConstant(unknown);
    }
  }
}

/// Appends warnings of what derivatives by elements and shapes leave out.
template <int dim>
void RunRecording<dim>::report_held(ReverseGradient& gradient) const {
  const SceneModel& scene = *scene_->scene;
  const auto warn = [&](std::string what) {
    gradient.warnings.push_back({"", "held_in_fields", "", std::move(what), Severity::warning});
  };
  if (meshes_.empty()) return;
  if (is_pressed_flat_) warn("derivatives by elements and shapes hold the barrier that keeps elements from inverting");
  if (!loads_->knows_all()) {
    warn("derivatives by shapes hold how loads are spread over curved faces and over thin bodies");
  }
  if (std::any_of(meshes_.begin(), meshes_.end(), [](const auto& mesh) { return mesh.higher_shape_order > 0; })) {
    warn("elements whose shape is of a higher order than their displacements have no derivatives by their shape");
  }
  if (scene.options.has_contact) {
    warn("derivatives by shapes hold what contact takes from surfaces at rest: areas, and lengths of edges");
  }
}

/// Appends a warning if the budget is too small for the steps: each was computed again more than once.
template <int dim>
void RunRecording<dim>::report_budget(ReverseGradient& gradient) const {
  if (num_again_ <= num_steps()) return;
  // One half of the budget holds every s-th step, and the other half the s steps between two of these. A power of two
  // from the root of their number on is such an s. The step at hand is kept beside them.
  int stride = 1;
  while (stride * stride < num_steps()) stride *= 2;
  const double enough = static_cast<double>(largest_record_) * (2 * stride + 2);
  gradient.warnings.push_back(
      {"", "small_budget", fmt::format("{:.2g} MB", options_.budget_mb),
       fmt::format(
           "the pass has computed {} steps again, for a run of {}, and its states took {:.2g} MB; with a budget "
           "of {:.3g} MB (budget_mb, --budget-mb) it computes each of them again once at most",
           num_again_, num_steps(), static_cast<double>(most_bytes_) / 1e6, 1.05 * enough / 1e6),
       Severity::warning});
}

/// Passes the derivatives by the end of the present step on to its start.
template <int dim>
bool RunRecording<dim>::step_back(State& cotangent, std::vector<ByParameter>& by, ReverseGradient& gradient) {
  const VecX of_end = near_.numbers().of(cotangent, near_.end());
  largest_ = std::max(largest_, of_end.norm());
  const std::optional<StepCotangent> step = StepTranspose<dim>(near_.step(), near_.tangent()).pull_back(cotangent);
  if (!step) {
    return fail("the equations of the derivative have no solution: a body moves freely, or is about to buckle");
  }
  State of_start = zero_like(near_.begin());
  add(step->start, of_start);
  add_anchors(step->targets, cotangent, of_start);
  const std::size_t num_done = gradient.prescribed.size();
  if (num_done < checked_first || num_done % steps_per_check == 0) {
    const auto [error, miss, kink] = check(*step, of_end, of_start);
    gradient.error = std::max(gradient.error, error);
    const double unexplained = error - kink;
    if (!(unexplained <= std::max(most_error, most_misses * miss))) {
      if (!std::isfinite(error)) return fail("a step beside this one is not defined, so that nothing checks it");
      return fail(
          fmt::format("the derivative of the step differs from differences that check it by a share of {:.1e}: the "
                      "step ends beside a kink of its forces, as where a contact begins to slide, or depends on "
                      "something that reverse mode does not know. `clearance gradient --check` without --reverse "
                      "tells which: forward mode compares whole runs",
                      error));
    }
    largest_unexplained_ = std::max(largest_unexplained_, unexplained);
    if (kink > largest_kink_) {
      largest_kink_ = kink;
      step_of_kink_ = near_.end().step;
    }
  }
  for (ByParameter& parameter : by) {
    VecX pull;
    const std::optional<Evaluations> all = near_.find_pull(parameter.parameter, parameter.variants, pull);
    if (!all) return fail(near_.failure());
    // The motion of the end, and not lam times the pull: where stiff joints move with the parameter, that is a
    // difference of large numbers.
    const std::optional<VecX> dy = near_.tangent().solve(-pull);
    if (!dy) return fail("the equations of the derivative have no solution");
    parameter.slope += step->end.dot(*dy) +
                       of_end.dot(sum_of(all->numbers, parameter.variants.stencil.weights, parameter.variants.length));
  }
  add_elements(*step, cotangent, gradient);
  // The state carries the controls along, so that the differences have those of later steps, too.
  of_start.controls = find_controls(step->motion, of_end);
  gradient.controls.push_back(of_start.controls - cotangent.controls);
  gradient.prescribed.push_back({near_.targets().blocks, step->targets});
  cotangent = std::move(of_start);
  return true;
}

template <int dim>
Result<ReverseGradient> RunRecording<dim>::backward(const std::vector<Seed>& seeds,
                                                    const std::vector<std::string>& parameters) {
  const Eigen::Index size = scene_->state.x.size();
  Issues issues;
  if (seeds.size() > hashes_.size() + 1) {
    issues.push_back({"", "seeds", "", fmt::format("expected at most {}, one for each state", hashes_.size() + 1)});
  }
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    for (const VecX* numbers : {&seeds[k].x, &seeds[k].v}) {
      if (numbers->size() == 0 || (numbers->size() == size && numbers->allFinite())) continue;
      issues.push_back({"", fmt::format("seeds[{}]", k), "",
                        fmt::format("expected {} finite numbers, one for each unknown, or none", size)});
    }
  }
  std::vector<ByParameter> by;
  const Issues held = find_held_parameters(parameters);
  issues.insert(issues.end(), held.begin(), held.end());
  if (Result<Done> started = held.empty() ? start_parameters(parameters, by) : Result<Done>(Done{}); !started) {
    issues.insert(issues.end(), started.issues().begin(), started.issues().end());
  }
  if (!issues.empty()) return issues;

  ReverseGradient gradient;
  largest_unexplained_ = largest_kink_ = 0.0;
  num_again_ = 0;
  start_elements(gradient);
  const auto add_seed = [&](int step, State& cotangent) {
    if (static_cast<std::size_t>(step) >= seeds.size()) return;
    const Seed& seed = seeds[static_cast<std::size_t>(step)];
    if (seed.x.size() > 0) cotangent.x += seed.x;
    if (seed.v.size() > 0) cotangent.v += seed.v;
  };
  State cotangent = zero_like(scene_->state);
  int last_seeded = 0;
  for (int step = 0; step < static_cast<int>(seeds.size()); ++step) {
    const Seed& seed = seeds[static_cast<std::size_t>(step)];
    if (!seed.x.isZero(0.0) || !seed.v.isZero(0.0)) last_seeded = step;
  }
  for (int step = num_steps(); step >= 1; --step) {
    if (options_.is_stop_wanted && options_.is_stop_wanted()) return Issues{{"", "", "", "stopped"}};
    add_seed(step, cotangent);
    const StepRecord* const record = record_of(step);
    if (!record) return Issues{failure_};
    if (!near_.reopen(*record)) {
      fail(near_.failure());
      return Issues{failure_};
    }
    if (!step_back(cotangent, by, gradient)) return Issues{failure_};
    if (options_.on_step) options_.on_step(step, num_steps());
  }
  add_seed(0, cotangent);
  std::reverse(gradient.prescribed.begin(), gradient.prescribed.end());
  std::reverse(gradient.controls.begin(), gradient.controls.end());
  for (const ByParameter& parameter : by)
    gradient.parameters.push_back(parameter.slope + slope_of_start(parameter, cotangent));
  if (num_steps() > 0) add_start_accelerations(cotangent, gradient);
  gradient.start_x = cotangent.x + cotangent.x_anchor;
  gradient.start_v = cotangent.v;
  gradient.shape = gradient.elements.rest + gradient.start_x;
  leave_out_unknown(gradient);
  report_held(gradient);
  report_budget(gradient);
  if (std::optional<Issue> met = first_touches_.warning(last_seeded)) gradient.warnings.push_back(std::move(*met));
  if (largest_kink_ > told_kink) {
    gradient.warnings.push_back(kink_warning("", step_of_kink_, largest_kink_));
  }
  if (largest_unexplained_ > few_digits) {
    gradient.warnings.push_back({"", "few_digits", fmt::format("a share of {:.0e}", largest_unexplained_),
                                 "a step differs by this from the differences that check its derivative",
                                 Severity::warning});
  }
  return gradient;
}

/// Returns the derivative of what the start of the run gives to L by a parameter.
template <int dim>
double RunRecording<dim>::slope_of_start(const ByParameter& by, const State& cotangent) const {
  const State& start = this->start();
  std::vector<VecX> states;
  for (const auto& variant : by.variants.variants) {
    const SceneModel& scene = *variant.scene->scene;
    states.push_back(near_.numbers().of(rescaled(scene.model, scene_->scene->model, scene.initial_state), start));
  }
  return near_.numbers().of(cotangent, start).dot(sum_of(states, by.variants.stencil.weights, by.variants.length));
}

/// Returns what reverse mode has no derivatives of, beyond what forward mode has none of.
Issues find_unsupported_backwards(const SteppedScene& scene) {
  Issues issues;
  if (!scene.scene->model.restitution.is_zero() && scene.scene->joint_potential) {
    issues.push_back({"", "contact.restitution", "",
                      "rebounds of bodies in joints have no derivatives in reverse mode; expected 0, no joints, or "
                      "forward mode (`clearance gradient`, cl.gradient)"});
  }
  for (const auto& potential : scene.scene->model.potentials) {
    if (coordinate_inertia_of(*potential) != nullptr) {
      issues.push_back({"", "joints", "",
                        "`armature` has no derivatives in reverse mode; expected 0 in all joints, or forward mode "
                        "(`clearance gradient`, cl.gradient)"});
      continue;
    }
    if (potential->history_size() == 0 || dynamic_cast<const SmoothMemory*>(potential.get())) continue;
    issues.push_back({"", "bodies", potential->name(),
                      "it remembers earlier steps in a way that has no derivative in reverse mode; forward mode "
                      "(`clearance gradient`, cl.gradient) has it"});
  }
  return issues;
}

}  // namespace

Result<std::unique_ptr<Recording>> Recording::make(const SceneMaker& make, const RecordOptions& options) {
  Result<SceneDesc> desc = make({});
  if (!desc) return desc.issues();
  auto scene = std::make_unique<SteppedScene>();
  if (Result<Done> started = start_scene(std::move(*desc), *scene); !started) return started.issues();
  return Recording::make(make, options, std::move(scene));
}

Result<std::unique_ptr<Recording>> Recording::make(const SceneMaker& make, const RecordOptions& options,
                                                   std::unique_ptr<SteppedScene> started) {
  if (Issues problems = find_unsupported_backwards(*started); !problems.empty()) return problems;
  const int dim = started->scene->dim;
  return with_dimension(dim, [&](auto d) -> Result<std::unique_ptr<Recording>> {
    auto recording = std::make_unique<RunRecording<d>>(std::move(started), make, options);
    recording->run();
    return std::unique_ptr<Recording>(std::move(recording));
  });
}

}  // namespace clearance::derivatives
