#include "clearance/simulation/build/motion_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "clearance/math/rotation.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/build/initial_state.h"
#include "clearance/simulation/build/time_window.h"

namespace clearance {

namespace {

/// The motion of one step: moves the nodes to where they are at the end of the step. `targets` has their positions at
/// the start of the motion on entry.
class MotionStep {
 public:
  MotionStep(const PreparedMotion& motion, const Controls& controls, int dim, double h, const State& state,
             VecX& targets)
      : motion_(motion),
        desc_(motion.desc),
        controls_(controls),
        window_{desc_.start, desc_.end},
        dim_(dim),
        h_(h),
        state_(state),
        targets_(targets) {}

  Result<Done> run() {
    // Before the motion starts, obstacles rest where they are.
    if (!window_.has_started_by((state_.step + 1) * h_, h_)) return Done{};
    if (desc_.has_mesh_sequence()) return follow_files();
    if (!desc_.poses.empty()) {
      follow_poses();
      return Done{};
    }
    move_rigidly();
    return desc_.displacement ? displace() : Done{};
  }

 private:
  /// Returns the end of the step [s], limited to the time of the motion: after its end a motion stays as it was then.
  double time_t1() const { return std::clamp((state_.step + 1) * h_, desc_.start, desc_.end); }

  void move_rigidly() {
    const double elapsed = time_t1() - desc_.start;
    const Vec<3> omega = desc_.angular_velocity * radians_per_degree;
    const Vec<3> shift = desc_.linear_velocity * elapsed;
    const Mat<3> rotation = rotation_from_vector(omega * elapsed);
    for (int b : motion_.blocks) {
      if (is_direction(b)) {
        turn(b, rotation);
        continue;
      }
      Vec<3> x = Vec<3>::Zero();
      x.head(dim_) = targets_.segment(dim_ * b, dim_);
      const Vec<3> moved =
          omega.isZero(0.0) ? Vec<3>(x + shift) : Vec<3>(motion_.center + rotation * (x - motion_.center) + shift);
      for (int c = 0; c < dim_; ++c) {
        if (is_prescribed(c)) targets_[dim_ * b + c] = moved[c];
      }
    }
  }

  bool is_prescribed(int c) const { return desc_.components[c]; }
  bool is_direction(int b) const { return motion_.is_stiff && b != motion_.blocks.front(); }
  void turn(int b, const Mat<3>& rotation) {
    Vec<3> direction = Vec<3>::Zero();
    direction.head(dim_) = targets_.segment(dim_ * b, dim_);
    targets_.segment(dim_ * b, dim_) = (rotation * direction).head(dim_);
  }

  /// Moves the nodes to the pose of the step. Pose k holds at the end of step k of the motion.
  void follow_poses() {
    const int num_poses = std::min(window_.count_steps(state_.step + 1, h_), static_cast<int>(desc_.poses.size()));
    if (num_poses == 0) return;
    const PoseDesc& pose = desc_.poses[num_poses - 1];
    const Mat<3> rotation = rotation_from_vector(pose.rotation * radians_per_degree);
    for (int b : motion_.blocks) {
      if (is_direction(b)) {
        turn(b, rotation);
        continue;
      }
      Vec<3> x = Vec<3>::Zero();
      x.head(dim_) = targets_.segment(dim_ * b, dim_);
      targets_.segment(dim_ * b, dim_) = (pose.position + rotation * (x - motion_.center)).head(dim_);
    }
  }

  Result<Done> displace() {
    const auto displacement =
        evaluate(*desc_.displacement, motion_.place + ".displacement", time_t1(), motion_.points, controls_);
    if (!displacement) return displacement.issues();
    for (std::size_t k = 0; k < motion_.blocks.size(); ++k) {
      if (is_direction(motion_.blocks[k])) continue;
      for (int c = 0; c < dim_; ++c) {
        if (is_prescribed(c)) targets_[dim_ * motion_.blocks[k] + c] += (*displacement)[k][c];
      }
    }
    return Done{};
  }

  Result<Done> follow_files() {
    const int num_moving_steps = window_.count_steps(state_.step + 1, h_);
    if (num_moving_steps == 0) return Done{};
    // With one file per step, the first file holds the positions at the end of the first step. With a rate, it holds
    // those at the start of the motion.
    const double place = desc_.mesh_rate == 0.0 ? num_moving_steps - 1 : (time_t1() - desc_.start) * desc_.mesh_rate;
    const auto positions = motion_.sequence.positions(place);
    if (!positions) return positions.issues();
    for (std::size_t k = 0; k < motion_.blocks.size(); ++k) {
      const std::size_t node = motion_.nodes[k];
      targets_.segment(dim_ * motion_.blocks[k], dim_) = (*positions)[node].head(dim_);
    }
    return Done{};
  }

  const PreparedMotion& motion_;
  const MotionDesc& desc_;
  const Controls& controls_;
  TimeWindow window_;
  int dim_;
  double h_;
  const State& state_;
  VecX& targets_;
};

/// Returns the smallest coordinate [m] of all surface vertices except those of obstacles.
double lowest_coordinate(const SceneModel& scene, const State& state, int axis) {
  const VecX x = scene.model.surface_map.apply(state.x);
  double lowest = infinity;
  for (int v = 0; v < scene.model.surface.num_vertices; ++v) {
    if (!scene.model.is_obstacle_vertex[v]) lowest = std::min(lowest, x[scene.dim * v + axis]);
  }
  return lowest;
}

/// Returns a set of components; bit c stands for component c.
char component_bits(const std::array<bool, 3>& components, int dim) {
  int bits = 0;
  for (int c = 0; c < dim; ++c) bits |= components[c] ? 1 << c : 0;
  return static_cast<char>(bits);
}

/// Marks the blocks of nodes of deformable bodies that are on the axis of an axisymmetric scene.
std::vector<char> find_axis(const SceneModel& scene) {
  std::vector<char> is_on_axis(scene.model.layout.num_blocks, 0);
  for (std::size_t body = 0; scene.is_axisymmetric && body < scene.bodies.size(); ++body) {
    if (scene.bodies[body].kind != BodyKind::deformable) continue;
    for (const int b : scene.blocks[body].block_of_node) {
      if (b >= 0 && scene.model.x_rest[2 * b] == 0.0) is_on_axis[b] = 1;
    }
  }
  return is_on_axis;
}

/// Returns what is wrong with a motion that moves nodes off the axis of an axisymmetric scene, or to the other side of
/// it. `targets` has the positions at the end of the step.
Issues find_lost_axis(const SceneModel& scene, const std::vector<char>& is_on_axis, const PreparedMotion& motion,
                      const VecX& targets) {
  if (!scene.is_axisymmetric || motion.is_obstacle) return {};
  for (const int b : motion.blocks) {
    const double radius = targets[2 * b];
    if (is_on_axis[b] != 0 ? radius == 0.0 : radius > 0.0) continue;
    return {{"", motion.place, fmt::format("x = {:g}", radius),
             is_on_axis[b] != 0
                 ? "this motion moves a node on the axis away from it; expected x = 0 there (move y alone by "
                   "`\"components\": [false, true, false]`)"
                 : "this motion moves a node to the axis of revolution or beyond it; expected x > 0",
             Severity::error}};
  }
  return {};
}

/// Collects the targets of the blocks that have a prescribed component.
PrescribedTargets collect(const VecX& targets, const std::vector<char>& components, int dim) {
  PrescribedTargets prescribed;
  for (std::size_t b = 0; b < components.size(); ++b) {
    if (components[b] == 0) continue;
    prescribed.blocks.push_back(static_cast<int>(b));
    prescribed.components.push_back(components[b]);
  }
  prescribed.positions.resize(dim * static_cast<Eigen::Index>(prescribed.blocks.size()));
  for (std::size_t k = 0; k < prescribed.blocks.size(); ++k) {
    prescribed.positions.segment(dim * static_cast<Eigen::Index>(k), dim) =
        targets.segment(dim * prescribed.blocks[k], dim);
  }
  return prescribed;
}

}  // namespace

Result<PrescribedTargets> find_targets(const SceneModel& scene, State& state) {
  const int dim = scene.dim;
  const double h = scene.options.integrator.h;
  VecX targets = state.x_anchor;
  const char all = component_bits(MotionDesc{}.components, dim);
  std::vector<char> components = scene.model.is_always_prescribed;
  for (char& of_block : components) of_block = of_block != 0 ? all : 0;

  const std::vector<char> is_on_axis = find_axis(scene);

  for (std::size_t m = 0; m < scene.motions.size(); ++m) {
    const PreparedMotion& motion = scene.motions[m];
    const TimeWindow window{motion.desc.start, motion.desc.end};
    if (motion.desc.release && !state.released[m]) {
      const bool is_beyond = lowest_coordinate(scene, state, motion.desc.release->axis) > motion.desc.release->above;
      state.released[m] = is_beyond ? 1 : 0;
    }
    // Nodes of deformable bodies are held only while the motion lasts; obstacles stay where it leaves them.
    const bool is_active = window.contains(state.time, h) && !state.released[m];
    if (!motion.is_obstacle && !is_active) continue;
    // A motion that starts later moves nodes of deformable bodies from where they are then.
    const double last_h = state.h_prev > 0.0 ? state.h_prev : h;
    const bool begins = motion.desc.start > 0.0 && !window.has_started(state.time - last_h, h);
    for (int b : motion.blocks) {
      char& of_block = components[b];
      of_block = static_cast<char>(of_block | component_bits(motion.desc.components, dim));
      if (motion.is_obstacle || !begins) continue;
      state.x_anchor.segment(dim * b, dim) = state.x.segment(dim * b, dim);
      targets.segment(dim * b, dim) = state.x.segment(dim * b, dim);
    }
    if (Result<Done> moved = MotionStep(motion, *scene.controls, dim, h, state, targets).run(); !moved)
      return moved.issues();
    if (Issues lost = find_lost_axis(scene, is_on_axis, motion, targets); !lost.empty()) return lost;
  }
  // Nodes on the axis stay there.
  for (std::size_t b = 0; b < components.size(); ++b) components[b] = static_cast<char>(components[b] | is_on_axis[b]);
  return collect(targets, components, dim);
}

void start_accelerations(const SceneModel& scene, State& state) {
  PrescribedTargets held;
  if (scene.model.consistent_mass) {
    // A copy of the state notes which motions begin: the first step does that anew, and says what is wrong with them.
    State first = state;
    if (Result<PrescribedTargets> found = find_targets(scene, first)) held = std::move(*found);
  }
  set_start_accelerations(scene.model, held, state);
}

}  // namespace clearance
