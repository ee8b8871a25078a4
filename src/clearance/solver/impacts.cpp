#include "clearance/solver/impacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "clearance/contact/contact_frame.h"
#include "clearance/contact/contact_set.h"
#include "clearance/model/blocks.h"
#include "clearance/model/half_space_pairs.h"
#include "clearance/solver/swept_candidates.h"

namespace clearance {

namespace {

/// Share of a gap within dhat; a motion that uses up more of it may be an impact.
constexpr double gap_share = 0.5;
/// Share of the motion of a body relative to another one. If a gap closes slower, a rebound of half of that has a
/// sixtieth of the energy of this motion at most.
constexpr double motion_share = 0.25;

bool is_closing(double gap, double motion, double dhat) {
  return gap - motion < (1.0 - gap_share) * std::min(gap, dhat) && motion > 0.0;
}

/// Returns the distance [m] at the start, and how much of it a point may use up along the direction to the edge
/// (ccd/approach.h).
std::pair<double, double> planar_approach(const PrimitiveMotion<2, 3>& m) {
  // `away` leads from the closest point of the edge to the point, at the start.
  const Vec<2> edge = m.t0[2] - m.t0[1], to_point = m.t0[0] - m.t0[1];
  const double s = std::clamp(edge.squaredNorm() > 0.0 ? to_point.dot(edge) / edge.squaredNorm() : 0.0, 0.0, 1.0);
  const Vec<2> away = to_point - s * edge;
  const double distance = away.norm();
  if (!(distance > 0.0)) return {0.0, infinity};
  // The projection on this direction is a lower bound of the distance at any time.
  const auto least = [&](const std::array<Vec<2>, 3>& x) {
    return std::min(away.dot(x[0] - x[1]), away.dot(x[0] - x[2])) / distance;
  };
  return {distance, std::max(0.0, least(m.t0) - least(m.t1))};
}

/// Motions of the bodies, weighted by the masses of their blocks; blocks without mass count evenly.
template <int dim>
class BodyMotions {
 public:
  BodyMotions(const Model& model, const VecX& dx) {
    const std::vector<char> is_column = column_flags(model);
    bodies_.resize(model.surface.num_bodies());
    for (int b = 0; b < model.layout.num_blocks; ++b) {
      Body& body = bodies_[body_of_block(model, b)];
      const double mass = model.mass[b] > 0.0 ? model.mass[b] : 1.0;
      body.second += mass * block<dim>(dx, b).squaredNorm();
      if (is_column[b]) continue;
      body.mass += mass;
      body.first += mass * block<dim>(dx, b);
    }
  }

  /// Returns the mean displacement [m] of `body`; zero for -1, a half-space, which stands still.
  Vec<dim> mean(int body) const {
    if (body < 0 || !(bodies_[body].mass > 0.0)) return Vec<dim>::Zero();
    return bodies_[body].first / bodies_[body].mass;
  }
  /// Returns the root mean square [m] of the displacement of `body` relative to the displacement `frame`.
  double relative(int body, const Vec<dim>& frame) const {
    const Body& of = bodies_[body];
    if (!(of.mass > 0.0)) return 0.0;
    return std::sqrt(std::max(0.0, (of.second - 2.0 * frame.dot(of.first)) / of.mass + frame.squaredNorm()));
  }

 private:
  struct Body {
    double mass = 0.0, second = 0.0;
    Vec<dim> first = Vec<dim>::Zero();
  };
  std::vector<Body> bodies_;
};

/// Per body: 1 if some of its blocks are free nodes.
std::vector<char> find_deformable(const Model& model) {
  std::vector<char> is_free_node(model.layout.num_blocks, 1);
  for (const StiffBody& body : model.stiff_bodies) {
    std::fill_n(is_free_node.begin() + body.first_block, model.layout.dim + 1, 0);
  }
  std::vector<char> is_deformable(model.surface.num_bodies(), 0);
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    const bool is_obstacle = !model.is_always_prescribed.empty() && model.is_always_prescribed[b] != 0;
    if (is_free_node[b] != 0 && !is_obstacle) is_deformable[body_of_block(model, b)] = 1;
  }
  return is_deformable;
}

/// Marks the bodies that are hit on a path.
template <int dim>
class HitBodies {
 public:
  HitBodies(const Model& model, const SolverOptions& options, const BodyMotions<dim>& motions, const SurfacePath& path)
      : model_(model),
        barrier_(options.barrier),
        motions_(motions),
        path_(path),
        is_hit_(model.surface.num_bodies(), 0),
        is_struck_(is_hit_),
        is_near_(is_hit_),
        reach_(is_hit_.size(), 0.0),
        is_damped_(options.integrator.method == TimeIntegrator::bdf2_in_flight ? find_deformable(model)
                                                                               : std::vector<char>(is_hit_.size(), 0)) {
  }

  void add_pairs(const SweptCandidates& swept) {
    for (std::size_t k = 0; k < swept.distance.size(); ++k) {
      const PrimitivePair pair = pair_of(model_.surface, swept.pairs, k);
      // The smallest dhat of the vertices decides. Each of the two bodies is hit if the gap closes fast beside its own
      // motion.
      double dhat = infinity;
      for (int i = 0; i < pair.num_vertices(); ++i) dhat = std::min(dhat, dhat_at(pair.vertices[i]));
      const int first = body_of(pair.vertices[0]), last = body_of(pair.vertices[pair.num_first]);
      double gap = swept.distance[k], motion = swept.motion[k];
      if constexpr (dim == 2) std::tie(gap, motion) = planar_approach(motion_of<2, 3>(path_, pair.vertices));
      gap -= barrier_.min_separation;
      touch(first, last, gap, motion, dhat);
      if (!is_closing(gap, motion, dhat)) continue;
      reach_[first] = std::max(reach_[first], motion);
      reach_[last] = std::max(reach_[last], motion);
      if (is_struck_[first] != 0 && is_struck_[last] != 0) continue;
      std::array<Vec<dim>, 4> x;
      for (int i = 0; i < pair.num_vertices(); ++i) x[i] = block<dim>(path_.x_t0, pair.vertices[i]);
      const Contact contact = contact_of_pair<dim>(model_, pair, x, barrier_);
      const auto at_start = compute_contact_gap<dim>(model_, contact, positions_of<dim>(contact, path_.x_t0));
      hit(first, last, {motion, dhat, at_start.normal, motion_of_point(first, contact, at_start)});
      hit(last, first, {motion, dhat, at_start.normal, motion_of_point(last, contact, at_start)});
    }
  }

  void add_half_space(int k) {
    const HalfSpace& plane = model_.half_spaces[k];
    for (int v = 0; v < model_.surface.num_vertices; ++v) {
      if (!meets_half_space(model_, k, v)) continue;
      const Vec<dim> normal = plane.normal.template head<dim>();
      const double gap =
          normal.dot(block<dim>(path_.x_t0, v)) - plane.offset - barrier_.min_separation - model_.surface.radius_at(v);
      const Vec<dim> of_vertex = motion_of_vertex(v);
      const double motion = -normal.dot(of_vertex);
      touch(body_of(v), -1, gap, motion, dhat_at(v));
      if (!is_closing(gap, motion, dhat_at(v))) continue;
      reach_[body_of(v)] = std::max(reach_[body_of(v)], motion);
      hit(body_of(v), -1, {motion, dhat_at(v), normal, of_vertex});
    }
  }

  /// Marks the bodies that those which are hit act on within the step.
  void spread() {
    if (std::find(is_hit_.begin(), is_hit_.end(), 1) == is_hit_.end()) return;
    const std::vector<char> is_free = free_flags();
    push_on(is_free);
    spread_to_touching(is_free);
  }

  /// Marks the bodies that those which are hit may push within the step: an impact moves a body off its way by the
  /// motion that it stops at most, and what is nearer than that takes a part of the impulse. With a formula of its own
  /// that forgets a part of it, momentum would be lost.
  void push_on(const std::vector<char>& is_free) {
    std::vector<int> hit, others;
    for (int body = 0; body < std::ssize(is_free); ++body) {
      if (is_free[body] != 0) (is_hit_[body] != 0 ? hit : others).push_back(body);
    }
    if (hit.empty() || others.empty()) return;
    const std::vector<Box> boxes = swept_boxes();
    for (std::size_t k = 0; k < hit.size(); ++k) {
      const int body = hit[k];
      std::erase_if(others, [&](int other) {
        if (!boxes[body].is_within(reach_[body], boxes[other])) return false;
        is_hit_[other] = 1;
        is_struck_[other] = is_struck_[body];
        reach_[other] = std::max(reach_[other], reach_[body]);
        hit.push_back(other);
        return true;
      });
    }
  }

  /// Marks the bodies that touch one which is hit, directly or through others: where forces jump, momentum is kept only
  /// between bodies of one formula.
  void spread_to_touching(const std::vector<char>& is_free) {
    std::sort(touching_.begin(), touching_.end());
    touching_.erase(std::unique(touching_.begin(), touching_.end()), touching_.end());
    std::erase_if(touching_, [&](const auto& pair) { return is_free[pair[0]] == 0 || is_free[pair[1]] == 0; });
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const auto& [body, other] : touching_) {
        if (is_hit_[body] == is_hit_[other]) continue;
        is_hit_[body] = is_hit_[other] = 1;
        has_changed = true;
      }
    }
  }

  /// Returns the marks per block.
  ImpactMarks of_blocks() const {
    ImpactMarks marks;
    for (int b = 0; b < model_.layout.num_blocks; ++b) {
      marks.is_hit.push_back(is_hit_[body_of_block(model_, b)]);
      marks.is_struck.push_back(is_struck_[body_of_block(model_, b)]);
      marks.is_near.push_back(is_near_[body_of_block(model_, b)]);
    }
    return marks;
  }

 private:
  int body_of(int vertex) const { return model_.surface.vertex_body[vertex]; }
  double dhat_at(int vertex) const {
    return model_.contact_scales.is_empty() ? barrier_.dhat : model_.contact_scales.dhat[vertex];
  }
  /// Marks two bodies (-1: a half-space) that may repel each other on the path; they are hit if one of them is damped
  /// in contact.
  void touch(int body, int other, double gap, double motion, double dhat) {
    if (gap - motion >= dhat) return;
    is_near_[body] = 1;
    if (other >= 0) {
      is_near_[other] = 1;
      if (body != other && (touching_.empty() || touching_.back() != std::array{body, other}))
        touching_.push_back({body, other});
    }
    if (is_damped_[body] == 0 && (other < 0 || is_damped_[other] == 0)) return;
    is_hit_[body] = 1;
    if (other >= 0) is_hit_[other] = 1;
    // The faster one may carry the other along.
    const double pushed = (motions_.mean(body) - motions_.mean(other)).norm();
    reach_[body] = std::max(reach_[body], pushed);
    if (other >= 0) reach_[other] = std::max(reach_[other], pushed);
  }
  Vec<dim> motion_of_vertex(int v) const { return block<dim>(path_.x_t1, v) - block<dim>(path_.x_t0, v); }

  /// Returns how the point moves at which `body` is closest to another one; zero within a body.
  Vec<dim> motion_of_point(int body, const Contact& contact, const ContactGap<dim>& gap) const {
    Vec<dim> sum = Vec<dim>::Zero();
    double weight = 0.0;
    for (int i = 0; i < gap.num_vertices; ++i) {
      if (body_of(contact.vertices[i]) != body) continue;
      sum += gap.weights[i] * motion_of_vertex(contact.vertices[i]);
      weight += gap.weights[i];
    }
    return std::abs(weight) > 0.5 ? Vec<dim>(sum / weight) : Vec<dim>(Vec<dim>::Zero());
  }

  /// A place where a body meets another one.
  struct Meeting {
    double closing;   // [m] that the gap loses
    double dhat;      // [m]
    Vec<dim> normal;  // unit, at the start
    Vec<dim> motion;  // [m] of the point of the body
  };
  /// Marks `body` if it hits `other` there. Its motion is that relative to the mean motion of the other body and, where
  /// the gap closes by more than dhat, to how its point slides: what glides over a floor, however fast, still hits it,
  /// but a polygon that rolls does not slide. If bodies rebound, every hit is an impact, however slanted its direction.
  void hit(int body, int other, const Meeting& at) {
    if (is_struck_[body] != 0) return;
    const Vec<dim> frame = motions_.mean(other);
    Vec<dim> slide = at.motion - frame;
    slide -= at.normal.dot(slide) * at.normal;
    const bool is_fast = at.closing > at.dhat;
    is_struck_[body] = !model_.restitution.is_zero() || at.closing > motion_share * motions_.relative(body, frame) ||
                       (is_fast && at.closing > motion_share * motions_.relative(body, frame + slide));
    if (is_struck_[body] != 0) is_hit_[body] = 1;
  }

  /// Per body: 1 if a block of it is not always prescribed.
  std::vector<char> free_flags() const {
    std::vector<char> is_free(is_hit_.size(), 0);
    for (int b = 0; b < model_.layout.num_blocks; ++b) {
      if (model_.is_always_prescribed.empty() || model_.is_always_prescribed[b] == 0)
        is_free[body_of_block(model_, b)] = 1;
    }
    return is_free;
  }

  struct Box {
    Vec<dim> least = Vec<dim>::Constant(infinity), most = Vec<dim>::Constant(-infinity);

    /// True if no point of the other box is further away than `reach` along each axis.
    bool is_within(double reach, const Box& other) const {
      return ((other.least - most).array() <= reach).all() && ((least - other.most).array() <= reach).all();
    }
  };
  /// Returns the boxes of the bodies on their ways, with their radii and half of dhat.
  std::vector<Box> swept_boxes() const {
    std::vector<Box> boxes(is_hit_.size());
    for (int v = 0; v < model_.surface.num_vertices; ++v) {
      Box& box = boxes[body_of(v)];
      const double margin = model_.surface.radius_at(v) + 0.5 * (dhat_at(v) + barrier_.min_separation);
      const Vec<dim> x_t0 = block<dim>(path_.x_t0, v), x_t1 = block<dim>(path_.x_t1, v);
      box.least = box.least.cwiseMin((x_t0.cwiseMin(x_t1).array() - margin).matrix());
      box.most = box.most.cwiseMax((x_t0.cwiseMax(x_t1).array() + margin).matrix());
    }
    return boxes;
  }

  const Model& model_;
  const BarrierOptions& barrier_;
  const BodyMotions<dim>& motions_;
  const SurfacePath& path_;
  std::vector<char> is_hit_, is_struck_, is_near_;
  std::vector<std::array<int, 2>> touching_;  // bodies that may repel each other
  std::vector<double> reach_;    // [m] how far impacts may move the body off its way: the gap that they close
  std::vector<char> is_damped_;  // deformable, and the method damps contacts
};

}  // namespace

template <int dim>
ImpactMarks find_impacts(const Model& model, const SolverOptions& options, BroadPhase& broad_phase, const VecX& x_t0,
                         const VecX& x_t1) {
  const BodyMotions<dim> motions(model, x_t1 - x_t0);
  const SurfacePath path{model.surface_map.apply(x_t0), model.surface_map.apply(x_t1), {}, {}, {}};
  HitBodies<dim> bodies(model, options, motions, path);
  bodies.add_pairs(measure_candidates<dim>(
      model.surface, path, find_contact_candidates(broad_phase, model, options.barrier, path.x_t0, path.x_t1)));
  for (int k = 0; k < static_cast<int>(model.half_spaces.size()); ++k) bodies.add_half_space(k);
  bodies.spread();
  return bodies.of_blocks();
}

template ImpactMarks find_impacts<2>(const Model&, const SolverOptions&, BroadPhase&, const VecX&, const VecX&);
template ImpactMarks find_impacts<3>(const Model&, const SolverOptions&, BroadPhase&, const VecX&, const VecX&);

}  // namespace clearance
