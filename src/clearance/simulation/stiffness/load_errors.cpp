#include "clearance/simulation/stiffness/load_errors.h"

#include <algorithm>
#include <array>

#include "clearance/geometry/principal_axes.h"
#include "clearance/math/dimension.h"
#include "clearance/math/rotation.h"
#include "clearance/math/symmetric_modes.h"
#include "clearance/model/blocks.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/build/motion_targets.h"
#include "clearance/simulation/build/supports.h"
#include "clearance/simulation/output/yielded_error.h"
#include "clearance/simulation/stiffness/softening.h"
#include "clearance/simulation/stiffness/state_response.h"

namespace clearance {

namespace {

/// Blocks of a scene up to which a factorisation is cheap before the run, and at its end.
constexpr int max_blocks_before = 10'000, max_blocks_after = 100'000;
/// Largest displacement of a linear response, as a share of the scene's size. Nothing is nonlinear there, and the
/// estimates do not depend on it.
constexpr double small = 1e-7;
/// Displacement, as a share of the scene's size, below which nothing acts.
constexpr double rounding = 1e-13;
/// Displacement, in sizes of the body, up to which its axes are those of the start.
constexpr double small_motion = 0.1;
/// Share of a body's displacement from which that along one axis counts.
constexpr double visible_share = 0.1;
/// Length over thickness from which forces along a body and across it act in ways of their own.
constexpr double slenderness = 4.0;
/// Force along the longest axis, relative to one whose energy is all of the body's, from which it may buckle it.
constexpr double least_pressure = 0.05;

struct BodyAxes {
  Mat<3> axes;  // principal ones, as columns; the longest one is the last
  bool is_slender = false;
};
using Axes = std::vector<BodyAxes>;

Axes axes_of(const SceneModel& scene) {
  Axes all;
  for (const BodyInstance& body : scene.bodies) {
    BodyAxes& of_body = all.emplace_back();
    of_body.axes = principal_axes(body.mesh.vertices);
    BoundingBox box;
    for (const Vec<3>& x : body.mesh.vertices) box.extend(of_body.axes.transpose() * x);
    // In the plane the first axis is z.
    of_body.is_slender = box.size()[2] > slenderness * box.size()[3 - scene.dim];
  }
  return all;
}

/// Returns the unit vector of axis c of the body of a block.
template <int dim>
Vec<dim> axis_of(const SceneModel& scene, const Axes& axes, int b, int c) {
  return axes[body_of_block(scene.model, b)].axes.col(3 - dim + c).template head<dim>();
}

/// Returns the largest displacement [m] of each body.
VecX largest_of_bodies(const Model& model, const VecX& displacements) {
  const int dim = model.layout.dim;
  VecX largest = VecX::Zero(model.surface.num_bodies());
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    double& of_body = largest[body_of_block(model, b)];
    of_body = std::max(of_body, displacements.segment(static_cast<Eigen::Index>(dim) * b, dim).norm());
  }
  return largest;
}

/// A small displacement from rest in the direction of a response, and what it was multiplied by.
struct SmallResponse {
  VecX x;
  double factor;
};

std::optional<SmallResponse> small_response(const SceneModel& scene, const VecX& response) {
  const double largest = response.size() > 0 ? response.cwiseAbs().maxCoeff() : 0.0;
  if (!(largest > rounding * scene.model.bbox_diagonal) || !response.allFinite()) return std::nullopt;
  const double factor = small * scene.model.bbox_diagonal / largest;
  return SmallResponse{scene.model.x_rest + factor * response, factor};
}

/// Raises the errors of slender bodies to those of the displacements under the forces along each axis by themselves.
/// `moved` are the displacements under all forces. A response that geometric stiffness enlarges has less stiffness than
/// the elements have, so that their error counts by as much more.
template <int dim>
void raise_by_axes(const SceneModel& scene, const StateResponse<dim>& response, const VecX& forces, const VecX& moved,
                   std::vector<DiscretisationError>& errors) {
  const Model& model = scene.model;
  const Axes axes = axes_of(scene);
  if (std::none_of(errors.begin(), errors.end(),
                   [&](const DiscretisationError& error) { return axes[error.body].is_slender; })) {
    return;
  }
  const VecX of_all = largest_of_bodies(model, moved);
  for (int c = 0; c < dim; ++c) {
    VecX along = VecX::Zero(forces.size());
    for (int b = 0; b < model.layout.num_blocks; ++b) {
      const Vec<dim> axis = axis_of<dim>(scene, axes, b, c);
      block<dim>(along, b) = block<dim>(forces, b).dot(axis) * axis;
    }
    const std::optional<VecX> u = response.under(along);
    const std::optional<SmallResponse> at = u ? small_response(scene, *u) : std::nullopt;
    if (!at) continue;
    const VecX of_case = largest_of_bodies(model, *u), work = work_of_bodies(model, along, *u);
    for (const DiscretisationError& of_axis : estimate_solid_errors(scene, at->x)) {
      const int body = of_axis.body;
      if (!axes[body].is_slender || !(of_case[body] >= visible_share * of_all[body]) || !(work[body] > 0.0)) continue;
      const auto error = std::find_if(errors.begin(), errors.end(),
                                      [&](const DiscretisationError& other) { return other.body == body; });
      if (error == errors.end()) continue;
      DiscretisationError raised = of_axis;
      raised.amplify(std::max(1.0, 2.0 * of_axis.energy / (at->factor * at->factor) / work[body]));
      if (raised.displacement > error->displacement) {
        error->displacement = raised.displacement;
        error->where = raised.where;
      }
    }
  }
}

/// Returns the gradient [N] of all potentials but dissipation, for the step that ends at `time_t1` [s].
Result<VecX> gradient_at(const SceneModel& scene, const VecX& x, double time_t1) {
  VecX gradient = VecX::Zero(x.size());
  for (const auto& potential : scene.model.potentials) {
    if (potential->is_dissipative()) continue;
    const std::unique_ptr<Potential> own = potential->clone();
    const Result<Done> begun = own->begin_step(scene.initial_state.x, scene.options.integrator.h, time_t1);
    if (!begun) return begun.issues();
    own->add_gradient(x, 1.0, gradient);
  }
  return gradient;
}

/// Replaces the displacements of nodes that turn as a whole by what a small turn of the same kind does. A finite turn
/// also draws them together, by the square of its angle, which would strain the body.
template <int dim>
void straighten(const std::vector<int>& blocks, const VecX& x, VecX& moved) {
  const double count = std::max(1.0, static_cast<double>(blocks.size()));
  const auto mean = [&](const VecX& values) {
    Vec<dim> sum = Vec<dim>::Zero();
    for (const int b : blocks) sum += block<dim>(values, b);
    return Vec<dim>(sum / count);
  };
  const Vec<dim> center = mean(x), shift = mean(moved);
  const auto arm = [&](int b) { return Vec<dim>(block<dim>(x, b) - center); };
  Mat<3> moments = Mat<3>::Zero();
  for (const int b : blocks) {
    const Vec<dim> after = arm(b) + block<dim>(moved, b) - shift;
    moments.topLeftCorner<dim, dim>() += after * arm(b).transpose();
  }
  if constexpr (dim == 2) moments(2, 2) = moments.norm();
  const Vec<3> singular = symmetric_modes(Mat<3>(moments.transpose() * moments)).values.cwiseMax(0.0).cwiseSqrt();
  // Nodes along a line do not say how they turn about it.
  constexpr double flat = 1e-6;
  if (!(singular[1] > flat * singular[2])) return;
  const Mat<3> turn = nearest_rotation(moments);
  const Mat<dim> rotation = turn.topLeftCorner<dim, dim>();
  const Mat<dim> rate = cross_matrix(rotation_vector(turn)).topLeftCorner<dim, dim>();
  for (const int b : blocks) {
    const Vec<dim> rest = arm(b) + block<dim>(moved, b) - shift - rotation * arm(b);
    block<dim>(moved, b) = shift + rate * arm(b) + rotation.transpose() * rest;
  }
}

/// True if the response presses the body together along its longest axis, with a good part of its energy. The sum of
/// elastic forces times positions is the integral of the stress.
template <int dim>
std::vector<char> find_pressed_bodies(const SceneModel& scene, const VecX& x,
                                      const std::vector<DiscretisationError>& errors) {
  const Model& model = scene.model;
  const Axes axes = axes_of(scene);
  const VecX forces = elastic_gradient(model, x);
  VecX virial = VecX::Zero(model.surface.num_bodies());  // [J]
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    const Vec<dim> axis = axis_of<dim>(scene, axes, b, dim - 1);
    virial[body_of_block(model, b)] += block<dim>(forces, b).dot(axis) * block<dim>(model.x_rest, b).dot(axis);
  }
  std::vector<char> is_pressed(virial.size(), 0);
  for (const DiscretisationError& error : errors) {
    const bool is_strained = error.strain > 0.0;
    if (is_strained && -virial[error.body] > least_pressure * 2.0 * error.energy / error.strain) {
      is_pressed[error.body] = 1;
    }
  }
  return is_pressed;
}

template <int dim>
std::vector<DiscretisationError> foresee(const SceneModel& scene, int num_steps) {
  const VecX& x = scene.initial_state.x;
  State state = scene.initial_state;
  const double end = num_steps * scene.options.integrator.h;
  state.step = num_steps - 1;
  state.time = end - scene.options.integrator.h;
  const Result<PrescribedTargets> targets = find_targets(scene, state);
  if (!targets) return {};
  // Forces that moved nodes cause are a difference of gradients at a small part of their way.
  VecX moved = x;
  set_targets<dim>(*targets, moved);
  moved -= x;
  for (const PreparedMotion& motion : scene.motions) straighten<dim>(motion.blocks, x, moved);
  const double way = moved.size() > 0 ? moved.cwiseAbs().maxCoeff() : 0.0;
  const double part = way > 0.0 ? std::min(1.0, small * scene.model.bbox_diagonal / way) : 0.0;
  const Result<VecX> at_start = gradient_at(scene, x, end), at_part = gradient_at(scene, x + part * moved, end);
  const std::optional<StateResponse<dim>> response =
      StateResponse<dim>::find(scene, state, *targets, StiffnessTerms::unloaded);
  if (!at_start || !at_part || !response) return {};
  VecX forces = -*at_start;
  if (part > 0.0) forces -= (*at_part - *at_start) / part;
  const std::optional<VecX> u = response->under(forces);
  const std::optional<SmallResponse> at = u ? small_response(scene, *u + moved) : std::nullopt;
  if (!at) return {};
  std::vector<DiscretisationError> errors = estimate_solid_errors(scene, at->x);
  raise_by_axes<dim>(scene, *response, -*at_start, *u + moved, errors);
  // The clamps of shells turn, which the response to forces does not know.
  append_shell_errors(scene, at->x, 0.0, errors);
  const std::vector<char> is_pressed = find_pressed_bodies<dim>(scene, at->x, errors);
  std::erase_if(errors, [&](const DiscretisationError& error) { return is_pressed[error.body] != 0; });
  return errors;
}

template <int dim>
void refine(const SceneModel& scene, const State& state, std::vector<DiscretisationError>& errors) {
  State at_end = state;
  const Result<PrescribedTargets> targets = find_targets(scene, at_end);
  if (!targets) return;
  const std::optional<StateResponse<dim>> response =
      StateResponse<dim>::find(scene, state, *targets, StiffnessTerms::all);
  if (!response) return;
  const std::vector<double> softening = find_softening<dim>(scene.model, *response, state.x);
  // The stiffness there is that of unloading where a material has flowed, and says nothing about its softening.
  const std::vector<char> has_yielded = find_yielded_bodies(scene, state.x, state.history);
  for (DiscretisationError& error : errors) {
    if (has_yielded[error.body] == 0) error.amplify(softening[error.body]);
  }
  const VecX moved = state.x - scene.model.x_rest, largest = largest_of_bodies(scene.model, moved);
  std::vector<DiscretisationError> raised = errors;
  raise_by_axes<dim>(scene, *response, elastic_gradient(scene.model, state.x), moved, raised);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const int body = errors[i].body;
    const double size = bounding_box(scene.bodies[body].mesh.vertices).diagonal();
    if (largest[body] < small_motion * size && has_yielded[body] == 0) errors[i] = raised[i];
  }
}

}  // namespace

std::vector<DiscretisationError> foresee_discretisation_errors(const SceneDesc& desc, const SceneModel& scene) {
  const bool may_touch = desc.contact.enabled && (scene.bodies.size() > 1 || !scene.model.half_spaces.empty());
  if (desc.time.integrator != TimeIntegrator::quasi_static || !scene.element_stresses || may_touch ||
      scene.is_axisymmetric || scene.model.layout.num_blocks > max_blocks_before ||
      !find_unheld_bodies(desc, scene).empty()) {
    return {};
  }
  const int steps = num_steps(desc.time);
  return with_dimension(scene.dim, [&](auto dim) { return foresee<dim>(scene, steps); });
}

std::vector<DiscretisationError> find_discretisation_errors(const SceneModel& scene, const State& state) {
  std::vector<DiscretisationError> errors = estimate_solid_errors(scene, state.x, state.history);
  if (scene.model.layout.num_blocks <= max_blocks_after && !errors.empty()) {
    with_dimension(scene.dim, [&](auto dim) { refine<dim>(scene, state, errors); });
  }
  append_shell_errors(scene, state.x, state.time, errors);
  return errors;
}

}  // namespace clearance
