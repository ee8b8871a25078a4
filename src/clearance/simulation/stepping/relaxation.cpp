#include "clearance/simulation/stepping/relaxation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/geometry/mass_properties.h"
#include "clearance/model/blocks.h"
#include "clearance/simulation/stepping/step_parts.h"

namespace clearance {
namespace {

constexpr int max_motions = 40;
/// Motion of the first step from rest, as a share of the scene's size.
constexpr double first_motion = 1e-3;
/// Motion of a body in a step, in diagonals of the scene, after which it has no equilibrium.
constexpr double longest_motion = 10.0;
/// Motion of the centre of a body, in diagonals of its box, and sine of its turn above which the body may have strayed.
constexpr double far_motion = 0.5, far_turn = 0.1;
/// Inertial force, as a share of the largest so far, below which bodies rest.
constexpr double at_rest = 1e-5;

template <int dim>
class Relaxation {
 public:
  Relaxation(SceneModel& scene, const std::optional<ContactDistances>& distances, double gap_tolerance,
             const StepHooks& hooks, const State& start, const PrescribedTargets& targets)
      : scene_(scene),
        distances_(distances),
        gap_tolerance_(gap_tolerance),
        hooks_(hooks),
        start_(start),
        targets_(targets),
        end_((start.step + 1) * scene.options.integrator.h),
        own_(start) {
    moving_.integrator.method = TimeIntegrator::implicit_euler;
  }

  StepReport run(double gravity, State& state) {
    const double h = std::sqrt(first_motion * scene_.model.bbox_diagonal / std::max(gravity, 1.0));
    int divisions = std::max(2, static_cast<int>(std::min(std::ceil(end_ / h), 1e9)));
    StepReport last;
    last.status = StepStatus::no_equilibrium;
    for (int k = 1; k <= max_motions; ++k) {
      const StepReport moved = move(divisions);
      if (moved.status == StepStatus::stopped) return moved;
      if (!moved.is_advanced()) return last;
      if (is_carried_away(scene_, start_.x, own_.x)) return carried_away();
      if (moved.status != StepStatus::converged) divisions = std::min(4 * divisions, 1 << 29);
      // Ever longer steps lead to the equilibrium; the quasi-static step may find it from nearby.
      const bool is_resting = force_ <= at_rest * largest_force_;
      if (k % 4 == 0 || is_resting) {
        last = settle(state);
        if (last.status == StepStatus::converged || last.status == StepStatus::stopped) return last;
      }
      if (is_resting) return rest(moved, state);
      if (moved.status == StepStatus::converged) divisions = std::max(2, divisions / 2);
    }
    return last;
  }

 private:
  StepReport carried_away() const {
    StepReport report = work_;
    note_carried_away(scene_, start_.x, own_.x, report);
    return report;
  }

  /// Takes a step of implicit Euler from rest. It ends at `end_` and is a share of that long, because potentials take
  /// the time from the number of the step.
  StepReport move(int divisions) {
    own_.step = divisions - 1;
    moving_.integrator.h = end_ / divisions;
    const VecX x_t0 = own_.x;
    const StepReport report = advance<dim>(scene_.model, moving_, targets_, own_, workspace_, hooks_);
    add_attempt(report, work_);
    const double h_sq = moving_.integrator.h * moving_.integrator.h;
    force_ = 0.0;
    for (int b = 0; b < scene_.model.layout.num_blocks; ++b) {
      force_ += scene_.model.mass[b] * (block<dim>(own_.x, b) - block<dim>(x_t0, b)).norm() / h_sq;
    }
    largest_force_ = std::max(largest_force_, force_);
    own_.v.setZero();
    own_.ledgers = start_.ledgers;
    return report;
  }

  /// Takes the quasi-static step from where the motion has led. Keeps it if it converges.
  StepReport settle(State& state) {
    // The first step of a run has no contact forces to lag friction with. This one has them, and is not the first.
    State tried = own_;
    tried.step = 1;
    SolverOptions options = scene_.options;
    options.integrator.h = end_ / 2;
    StepWorkspace<dim> workspace(scene_.model, options);
    if (!distances_) {
      StepReport report = advance<dim>(scene_.model, options, targets_, tried, workspace, hooks_);
      return judge(std::move(tried), report, state);
    }
    GapPath<dim> path(*distances_, gap_tolerance_, scene_, options.integrator.h, workspace, hooks_);
    double narrowing = 1.0;
    StepReport report = commit(path.solve(targets_, tried, narrowing), tried);
    add_attempt(path.other_work(), report);
    report.gap_share = path.gap_share();
    report.force_gap_share = path.force_gap_share();
    tried.narrowing = narrowing;
    return judge(std::move(tried), report, state);
  }

  /// Keeps an end of the quasi-static step if it converged.
  StepReport judge(State tried, StepReport& report, State& state) {
    add_attempt(report, work_);
    if (report.status == StepStatus::converged) {
      keep(std::move(tried), report, state);
    } else if (distances_) {
      distances_->narrow(1.0, scene_);
    }
    return report;
  }

  /// Keeps bodies that rest although nothing resists some motion of theirs.
  StepReport rest(StepReport report, State& state) {
    report.status = StepStatus::converged;
    report.account = {};
    report.gained = report.lost = {};
    const VecX motion = own_.x - start_.x;
    Eigen::Index farthest = 0;
    const double distance = motion.cwiseAbs().maxCoeff(&farthest);
    report.free_motion = FreeMotion{body_of_block(scene_.model, static_cast<int>(farthest / dim)), distance};
    keep(own_, report, state);
    return report;
  }

  void keep(State found, StepReport& report, State& state) {
    found.step = start_.step + 1;
    found.time = found.step * scene_.options.integrator.h;
    found.ledgers = start_.ledgers;
    state = std::move(found);
    report.newton_iterations = work_.newton_iterations;
    report.partial_iterations = work_.partial_iterations;
    report.profile = work_.profile;
    report.linear_seconds = work_.linear_seconds;
    report.counters = work_.counters;
    report.iterations = work_.iterations;
  }

  SceneModel& scene_;
  const std::optional<ContactDistances>& distances_;
  double gap_tolerance_;
  const StepHooks& hooks_;
  const State& start_;
  const PrescribedTargets& targets_;
  double end_;  // [s]
  State own_;
  SolverOptions moving_ = scene_.options;
  StepWorkspace<dim> workspace_{scene_.model, moving_};
  double force_ = 0.0, largest_force_ = 0.0;  // [N] of inertia
  StepReport work_;
};

/// Positions of vertices, a column each.
using Cloud = Eigen::Matrix<double, 3, Eigen::Dynamic>;

Cloud cloud_of(const std::vector<int>& vertices, int dim, const VecX& x_surface) {
  Cloud cloud = Cloud::Zero(3, std::ssize(vertices));
  for (Eigen::Index k = 0; k < cloud.cols(); ++k) {
    cloud.col(k).head(dim) = x_surface.segment(static_cast<Eigen::Index>(dim) * vertices[k], dim);
  }
  return cloud;
}

/// With r and s the positions from the mean before and after, the sum of r x s over the sum of r . s is about the sine
/// of a turn, and zero where a body is stretched.
bool is_far(Cloud before, Cloud after, double size) {
  if (before.cols() == 0) return false;
  const Vec<3> from = before.rowwise().mean(), to = after.rowwise().mean();
  before.colwise() -= from;
  after.colwise() -= to;
  if ((to - from).norm() > far_motion * size) return true;
  Vec<3> turn = Vec<3>::Zero();
  for (Eigen::Index v = 0; v < before.cols(); ++v) turn += Vec<3>(before.col(v)).cross(Vec<3>(after.col(v)));
  const double aligned = before.cwiseProduct(after).sum();
  return before.cols() > 1 && !(turn.norm() <= far_turn * aligned);
}

}  // namespace

bool has_strayed(const SceneModel& scene, const std::vector<int>& unheld, const VecX& from, const VecX& to) {
  if (unheld.empty()) return false;
  const VecX before = scene.model.surface_map.apply(from), after = scene.model.surface_map.apply(to);
  std::vector<std::vector<int>> vertices_of(scene.bodies.size());
  const std::vector<int>& body_of_vertex = scene.model.surface.vertex_body;
  for (std::size_t v = 0; v < body_of_vertex.size(); ++v) {
    if (body_of_vertex[v] >= 0) vertices_of[body_of_vertex[v]].push_back(static_cast<int>(v));
  }
  return std::any_of(unheld.begin(), unheld.end(), [&](int body) {
    const double size = bounding_box(scene.bodies[body].mesh.vertices).diagonal();
    const std::vector<int>& vertices = vertices_of[body];
    return is_far(cloud_of(vertices, scene.dim, before), cloud_of(vertices, scene.dim, after), size);
  });
}

bool is_carried_away(const SceneModel& scene, const VecX& from, const VecX& to) {
  return from.size() > 0 && (to - from).cwiseAbs().maxCoeff() > longest_motion * scene.model.bbox_diagonal;
}

void note_carried_away(const SceneModel& scene, const VecX& from, const VecX& to, StepReport& report) {
  Eigen::Index at = 0;
  const double motion = (to - from).cwiseAbs().maxCoeff(&at);
  const std::vector<int>& body_of_block = scene.model.body_of_block;
  const std::size_t body = body_of_block.empty() ? 0 : body_of_block[at / scene.dim];
  report.status = StepStatus::no_equilibrium;
  report.limited_by = fmt::format(
      "'{}' has moved {:.2g} m and nothing holds it: its loads are more than friction, contacts and motions carry",
      scene.bodies[body].name, motion);
}

bool may_relax(StepStatus status) {
  return status == StepStatus::no_equilibrium || status == StepStatus::linear_solve_failed ||
         status == StepStatus::iteration_limit || status == StepStatus::locked ||
         status == StepStatus::line_search_stalled;
}

template <int dim>
StepReport relax(const SceneDesc& desc, SceneModel& scene, const std::optional<ContactDistances>& distances,
                 const PrescribedTargets& targets, const StepHooks& hooks, State& state) {
  State start = state;
  start.narrowing = 1.0;
  if (distances) distances->narrow(1.0, scene);
  return Relaxation<dim>(scene, distances, desc.contact.gap_tolerance, hooks, start, targets)
      .run(desc.gravity.norm(), state);
}

template StepReport relax<2>(const SceneDesc&, SceneModel&, const std::optional<ContactDistances>&,
                             const PrescribedTargets&, const StepHooks&, State&);
template StepReport relax<3>(const SceneDesc&, SceneModel&, const std::optional<ContactDistances>&,
                             const PrescribedTargets&, const StepHooks&, State&);

}  // namespace clearance
