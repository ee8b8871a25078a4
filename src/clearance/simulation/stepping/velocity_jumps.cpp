#include "clearance/simulation/stepping/velocity_jumps.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "clearance/math/rotation.h"
#include "clearance/model/blocks.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/build/time_window.h"
#include "clearance/simulation/load/named_instances.h"

namespace clearance {
namespace {

constexpr int samples_per_step = 8;
/// Steps that are read: this one and the two before.
constexpr int num_read = 3;
/// Steps before and after this one at whose ends poses are read.
constexpr int num_poses_read = 4;
/// Points of a motion at which its formula is read, at most.
constexpr std::size_t most_points = 8;
/// Share of all changes of a velocity that a kink has between two neighbouring samples. The start of a motion that
/// grows with the square or the cube of time has 0.3 and 0.5.
constexpr double share_of_kink = 0.75;
/// Jumps below this share of the velocity, or that move nothing by more than this share of the scene in a step, do not
/// count.
constexpr double least_share = 1e-3, least_way = 1e-9;

/// Positions [m] of points at some times [s], time by time; empty if the formula is undefined at one of them, which the
/// step reports.
using Places = std::function<std::vector<Vec<3>>(std::span<const double> times)>;

/// Returns up to `most_points` of the points, evenly spread.
std::vector<Vec<3>> spread(std::span<const Vec<3>> points) {
  const std::size_t stride = std::max<std::size_t>(1, points.size() / most_points);
  std::vector<Vec<3>> chosen;
  for (std::size_t i = 0; i < points.size() && chosen.size() < most_points; i += stride) chosen.push_back(points[i]);
  return chosen;
}

class JumpFinder {
 public:
  JumpFinder(const SceneModel& scene, const State& state)
      : scene_(scene),
        state_(state),
        h_(scene.options.integrator.h),
        least_speed_(least_way * scene.model.bbox_diagonal / h_) {}

  bool is_jerked(const PreparedMotion& motion) const {
    const TimeWindow window{motion.desc.start, motion.desc.end};
    // Before a motion that is in force from the start on, its body had the velocity of the start.
    if (state_.step < num_read - 1 && window.contains(0.0, h_) && differs_at_start(motion)) return true;
    for (int k = 0; k < num_read - 1 && k < state_.step; ++k) {
      const double t = (state_.step - k) * h_;
      if (window.contains(t, h_) != window.contains(t - h_, h_)) return true;
    }
    if (!window.contains(state_.step * h_, h_)) return false;
    if (!motion.desc.poses.empty()) return has_kink(motion, window);
    if (!motion.desc.displacement) return false;
    return has_kink(places_of(*motion.desc.displacement, motion.points), motion.desc.start, motion.desc.components);
  }

  bool is_jerked(const AttachmentDesc& attachment, const std::vector<Vec<3>>& points) const {
    if (!TimeWindow{attachment.start, attachment.end}.contains(state_.step * h_, h_)) return false;
    constexpr std::array<bool, 3> all = {true, true, true};
    const auto jumps = [&](const Places& places) {
      if (has_kink(places, attachment.start, all)) return true;
      if (state_.step >= num_read - 1 || attachment.start > 0.0) return false;
      const std::vector<Vec<3>> rates = rates_at_start(places);
      return std::any_of(rates.begin(), rates.end(), [&](const Vec<3>& rate) { return rate.norm() > least_speed_; });
    };
    if (attachment.displacement && jumps(places_of(*attachment.displacement, points))) return true;
    return !attachment.length.empty() && jumps(ways_of(attachment.length, 1.0));
  }

  /// True if the drive of a joint jumps. At the scene's start it does if its bodies are at rest.
  bool is_jerked(const JointDesc& joint, bool is_at_rest) const {
    // A turn is the way of a point as far away as the scene is large.
    const double unit = joint.kind == JointKind::slider ? 1.0 : radians_per_degree * scene_.model.bbox_diagonal;
    const Places ways = ways_of(joint.drive, unit);
    if (has_kink(ways, 0.0, {true, true, true})) return true;
    if (state_.step >= num_read - 1 || !is_at_rest) return false;
    const std::vector<Vec<3>> rates = rates_at_start(ways);
    return !rates.empty() && rates.front().norm() > least_speed_;
  }

 private:
  /// Returns the values of a formula of time as ways along x [m]: `unit` times each.
  Places ways_of(const std::string& formula, double unit) const {
    return [this, &formula, unit](std::span<const double> times) {
      std::vector<Vec<3>> ways;
      for (const double t : times) {
        const Result<double> value = evaluate_time_formula(formula, "", t, *scene_.controls);
        if (!value) return std::vector<Vec<3>>{};
        ways.emplace_back(unit * *value, 0.0, 0.0);
      }
      return ways;
    };
  }

  Places places_of(const Expressions& formulas, std::span<const Vec<3>> points) const {
    return [this, &formulas, chosen = spread(points)](std::span<const double> times) {
      auto values = evaluate(formulas, "", times, chosen, *scene_.controls);
      return values ? *std::move(values) : std::vector<Vec<3>>{};
    };
  }

  std::vector<Vec<3>> rates_at_start(const Places& places) const {
    const double dt = h_ / samples_per_step;
    const std::array<double, 2> times = {dt, 0.0};
    std::vector<Vec<3>> rates = places(times);
    const std::size_t num_points = rates.size() / times.size();
    for (std::size_t i = 0; i < num_points; ++i) rates[i] = (rates[i] - rates[num_points + i]) / dt;
    rates.resize(num_points);
    return rates;
  }

  /// True if the velocities of a formula jump between two of the times that are read, from `start` on.
  bool has_kink(const Places& places, double start, const std::array<bool, 3>& components) const {
    const double dt = h_ / samples_per_step, t1 = (state_.step + 1) * h_, t0 = std::max(0.0, start);
    std::vector<double> times;  // from the end of the step backwards
    for (int k = 0; k <= num_read * samples_per_step && t1 - k * dt > t0 - 1e-9 * h_; ++k) times.push_back(t1 - k * dt);
    if (times.size() < 4) return false;
    const std::vector<Vec<3>> samples = places(times);
    const std::size_t num_points = samples.size() / times.size();
    for (std::size_t i = 0; i < num_points; ++i) {
      double sum = 0.0, largest = 0.0, speed = 0.0;
      Vec<3> last = Vec<3>::Zero(), last_change = Vec<3>::Zero();
      for (std::size_t k = 1; k < times.size(); ++k) {
        Vec<3> velocity = (samples[(k - 1) * num_points + i] - samples[k * num_points + i]) / dt;
        for (int c = 0; c < 3; ++c) velocity[c] *= components[c] ? 1.0 : 0.0;
        speed = std::max(speed, velocity.norm());
        const Vec<3> change = k > 1 ? Vec<3>(velocity - last) : Vec<3>(Vec<3>::Zero());
        sum += change.norm();
        // A kink between two samples is part of two changes.
        largest = std::max(largest, (change + last_change).norm());
        last = velocity;
        last_change = change;
      }
      if (largest > share_of_kink * sum && largest > std::max(least_speed_, least_share * speed)) return true;
    }
    return false;
  }

  /// True if the velocities of poses jump. They are known at the ends of steps alone, so that poses of later steps tell
  /// a jump from a smooth beginning: of all changes from step to step, three quarters are at one time between two ends.
  bool has_kink(const PreparedMotion& motion, const TimeWindow& window) const {
    constexpr double rounding = 1e-3;  // of a step, of the time of a jump
    const double reach = scene_.model.bbox_diagonal;
    const std::array<Vec<3>, 3> arms = {Vec<3>::Zero(), reach * Vec<3>::UnitX(), reach * Vec<3>::UnitY()};
    const int first = state_.step - num_poses_read, last = state_.step + 1 + num_poses_read;
    for (const Vec<3>& arm : arms) {
      double sum = 0.0, largest = 0.0, speed = 0.0;
      Vec<3> before = Vec<3>::Zero(), velocity = Vec<3>::Zero(), last_change = Vec<3>::Zero();
      for (int end = std::max(0, first); end <= last; ++end) {
        const Vec<3> place = place_in_pose(motion, window.count_steps(end, h_), arm), moved = (place - before) / h_;
        before = place;
        const int num_moves = end - std::max(0, first);
        if (num_moves == 0) continue;
        speed = std::max(speed, moved.norm());
        const Vec<3> change = num_moves > 1 ? Vec<3>(moved - velocity) : Vec<3>(Vec<3>::Zero());
        sum += change.norm();
        // A jump within a move is part of the changes at its start and at its end, and divides them.
        const double both = change.norm() + last_change.norm();
        const double jump = both > 0.0 ? end - 2 + change.norm() / both : end;  // [steps]
        if (jump > state_.step + 1 - num_read + rounding && jump < state_.step + 1 - rounding) {
          largest = std::max(largest, (change + last_change).norm());
        }
        velocity = moved;
        last_change = change;
      }
      if (largest > share_of_kink * sum && largest > std::max(least_speed_, least_share * speed)) return true;
    }
    return false;
  }

  /// Returns where a pose takes a point that starts at `arm` from the motion's center; poses count from 1, and 0 is the
  /// start.
  static Vec<3> place_in_pose(const PreparedMotion& motion, int pose, const Vec<3>& arm) {
    if (pose == 0) return motion.center + arm;
    const std::vector<PoseDesc>& poses = motion.desc.poses;
    const PoseDesc& at = poses[std::min<std::size_t>(pose, poses.size()) - 1];
    return at.position + rotation_from_vector(at.rotation * radians_per_degree) * arm;
  }

  /// True if the motion begins at the scene's start with another velocity than its nodes have there.
  bool differs_at_start(const PreparedMotion& motion) const {
    // Nothing is known of the velocities within steps of these.
    if (motion.desc.is_absolute()) return true;
    const State& start = scene_.initial_state;
    const Vec<3> omega = motion.desc.angular_velocity * radians_per_degree;
    std::vector<Vec<3>> rates;
    if (motion.desc.displacement) rates = rates_at_start(places_of(*motion.desc.displacement, motion.points));
    const std::size_t stride = std::max<std::size_t>(1, motion.blocks.size() / most_points);
    for (std::size_t k = 0; k < motion.blocks.size(); k += stride) {
      const bool is_direction = motion.is_stiff && k > 0;
      const Vec<3> x = at(start.x, motion.blocks[k]);
      Vec<3> u = omega.cross(is_direction ? x : Vec<3>(x - motion.center));
      if (!is_direction) u += motion.desc.linear_velocity;
      if (!is_direction && k / stride < rates.size()) u += rates[k / stride];
      const Vec<3> v = at(start.v, motion.blocks[k]);
      Vec<3> jump = u - v;
      for (int c = 0; c < 3; ++c) jump[c] *= motion.desc.components[c] && c < scene_.dim ? 1.0 : 0.0;
      if (jump.norm() > std::max(least_speed_, least_share * std::max(u.norm(), v.norm()))) return true;
    }
    return false;
  }

  Vec<3> at(const VecX& values, int block) const {
    Vec<3> result = Vec<3>::Zero();
    result.head(scene_.dim) = values.segment(scene_.dim * static_cast<Eigen::Index>(block), scene_.dim);
    return result;
  }

  const SceneModel& scene_;
  const State& state_;
  double h_;            // [s]
  double least_speed_;  // [m/s]
};

/// True if an unknown of the body has a velocity at the scene's start.
bool moves_at_start(const SceneModel& scene, int body) {
  const VecX& v = scene.initial_state.v;
  for (int b = 0; b < scene.model.layout.num_blocks; ++b) {
    if (body_of_block(scene.model, b) == body && !v.segment(scene.dim * b, scene.dim).isZero(0.0)) return true;
  }
  return false;
}

}  // namespace

void find_velocity_jumps(const SceneDesc& desc, const SceneModel& scene, const State& state, std::vector<char>& found) {
  const JumpFinder finder(scene, state);
  const std::vector<int>& mechanisms = scene.model.mechanism_of_body;
  const auto mechanism_of = [&](std::size_t body) {
    return mechanisms.empty() ? static_cast<int>(body) : mechanisms[body];
  };
  const auto is_alone = [&](int body) {
    return mechanisms.empty() || std::count(mechanisms.begin(), mechanisms.end(), mechanisms[body]) == 1;
  };
  std::vector<char> is_mechanism_jerked(found.size(), 0);
  for (const PreparedMotion& motion : scene.motions) {
    // An obstacle that nothing is linked to has no momentum, and pushes others by contact, as an impact does.
    if (motion.is_obstacle && is_alone(motion.body)) continue;
    char& is_jerked = is_mechanism_jerked[mechanism_of(motion.body)];
    if (is_jerked == 0 && finder.is_jerked(motion)) is_jerked = 1;
  }
  Issues known;  // names have been checked
  for (const AttachmentDesc& attachment : desc.attachments) {
    if (attachment.length.empty() && !attachment.displacement) continue;
    for (const int body : find_instances(desc, scene.bodies, attachment.body, "", known)) {
      char& is_jerked = is_mechanism_jerked[mechanism_of(body)];
      if (is_jerked == 0 && finder.is_jerked(attachment, scene.bodies[body].mesh.vertices)) is_jerked = 1;
    }
  }
  for (const JointDesc& joint : desc.joints) {
    if (joint.drive.empty()) continue;
    std::vector<int> joined;
    for (const std::string& name : joint.bodies) {
      if (name.empty()) continue;
      for (const int body : find_instances(desc, scene.bodies, name, "", known)) joined.push_back(body);
    }
    const bool is_at_rest =
        std::none_of(joined.begin(), joined.end(), [&](int body) { return moves_at_start(scene, body); });
    if (!finder.is_jerked(joint, is_at_rest)) continue;
    for (const int body : joined) is_mechanism_jerked[mechanism_of(body)] = 1;
  }
  for (std::size_t body = 0; body < found.size(); ++body) {
    if (is_mechanism_jerked[mechanism_of(body)] != 0) found[body] = 1;
  }
}

}  // namespace clearance
