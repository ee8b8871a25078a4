#include "clearance/simulation/overlaps/separate_overlaps.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"
#include "clearance/scene/body_shapes.h"
#include "clearance/simulation/build/build_scene_model.h"
#include "clearance/simulation/build/collision_surface.h"
#include "clearance/simulation/load/load_bodies.h"
#include "clearance/simulation/load/moved_bodies.h"
#include "clearance/simulation/overlaps/body_pair.h"
#include "clearance/simulation/overlaps/least_moves.h"
#include "clearance/simulation/overlaps/regrowth.h"
#include "clearance/simulation/start/overlap_depth.h"
#include "clearance/simulation/start/preflight.h"

namespace clearance {

namespace {

constexpr int max_rounds = 60;
/// Distance below which bodies touch, as a share of the activation distance.
constexpr double touching = 1e-6;
/// Multiple of the depth of an overlap; a shift that is longer leads past something.
constexpr double far_way = 5.0;
/// Smallest gap, as a share of the activation distance, between bodies that have been moved apart.
constexpr double least_gap = 0.5;

/// Readiness of a body to be moved. Bodies of one kind are moved only if moving those of the kinds before is not
/// enough.
enum class Freedom {
  free,
  reluctant,  ///< obstacles, and stiff bodies with motions
  held,       ///< deformable bodies with motions, which are bent if possible
  fixed       ///< bodies that a joint holds to the world, or that follow given positions
};

/// A body, or all bodies that joints hold together, which move as one.
struct Mover {
  Freedom freedom = Freedom::free;
  std::array<bool, 3> axes = {true, true, true};
};

/// Separates the bodies of a scene by shifting them as wholes.
class Separator {
 public:
  Separator(const SceneDesc& desc, const SceneModel& scene)
      : desc_(desc), scene_(scene), surfaces_(scene), num_bodies_(surfaces_.count()) {
    for (const BodyInstance& body : scene.bodies) insides_.push_back(Solid::inside_of(desc, body));
    find_movers();
    shifts_.assign(movers_.size(), Vec<3>::Zero());
    scanned_ = shifts_;
  }

  /// Moves the bodies, up to those of the kind `last`. Returns false if nothing meets. With `prefers_bending`,
  /// deformable bodies that need a long shift stay where they are.
  bool run(Freedom last, bool prefers_bending) {
    prefers_bending_ = prefers_bending;
    scan(true);
    if (violated_.empty()) return false;
    for (const Freedom allowed : {Freedom::free, Freedom::reluctant, Freedom::held}) {
      if (allowed > last) break;
      allowed_ = allowed;
      if (move_apart()) return true;
    }
    while (!violated_.empty() && give_up_worst()) {
      if (move_apart()) break;
    }
    return true;
  }

  const std::vector<Separation::Overlap>& overlaps() const { return overlaps_; }
  /// Returns the pairs of bodies that shifts have not taken apart.
  std::vector<std::array<int, 2>> left_pairs() const {
    std::vector<std::array<int, 2>> pairs(given_up_.begin(), given_up_.end());
    pairs.insert(pairs.end(), violated_.begin(), violated_.end());
    std::erase_if(pairs, [](const Pair& pair) { return pair[0] < 0; });
    return pairs;
  }
  Vec<3> shift_of(int body) const { return shifts_[mover_of(body)]; }

 private:
  using Pair = std::array<int, 2>;  // bodies in ascending order; for a half-space, -1 - its number comes first

  const BodyInstance& body(int b) const { return scene_.bodies[b]; }
  std::size_t mover_of(int b) const { return mover_of_body_[b]; }

  void find_movers() {
    std::map<std::string, int> body_of_name;
    for (int b = 0; b < num_bodies_; ++b) body_of_name.emplace(body(b).name, b);
    const std::vector<int>& mechanism = scene_.model.mechanism_of_body;
    std::map<int, int> mover_of_root;
    for (int b = 0; b < num_bodies_; ++b) {
      const int root = mechanism.empty() ? b : mechanism[b];
      const auto [found, is_new] = mover_of_root.try_emplace(root, static_cast<int>(movers_.size()));
      if (is_new) movers_.emplace_back();
      mover_of_body_.push_back(found->second);
      restrict(movers_[mover_of(b)], body(b));
    }
    for (const JointDesc& joint : desc_.joints) {
      const auto found = body_of_name.find(joint.bodies[0]);
      if (joint.bodies[1].empty() && found != body_of_name.end())
        movers_[mover_of(found->second)].freedom = Freedom::fixed;
    }
  }

  void restrict(Mover& mover, const BodyInstance& body) const {
    const BodyDesc& of_body = desc_.bodies[body.desc];
    // Symmetries and guides hold a body along their axes only; it moves freely along others.
    const bool is_held = std::any_of(of_body.motions.begin(), of_body.motions.end(),
                                     [&](const MotionDesc& motion) { return body.is_obstacle || holds_all(motion); });
    Freedom freedom = is_held || body.is_obstacle ? Freedom::reluctant : Freedom::free;
    if (is_held && body.kind == BodyKind::deformable) freedom = Freedom::held;
    if (std::any_of(of_body.motions.begin(), of_body.motions.end(),
                    [](const MotionDesc& m) { return m.is_absolute(); }))
      freedom = Freedom::fixed;
    mover.freedom = std::max(mover.freedom, freedom);
    for (std::size_t c = 0; c < 3; ++c) {
      mover.axes[c] = mover.axes[c] && !of_body.fixed_translation[c] && !is_guided_along(of_body, c);
    }
    if (scene_.dim == 2) mover.axes[2] = false;
  }

  bool holds_all(const MotionDesc& motion) const {
    return std::all_of(motion.components.begin(), motion.components.begin() + scene_.dim,
                       [](bool is_held) { return is_held; });
  }

  /// True if motions hold the body along an axis and let it move along others, as symmetries and guides do.
  bool is_guided_along(const BodyDesc& body, std::size_t axis) const {
    return std::any_of(body.motions.begin(), body.motions.end(),
                       [&](const MotionDesc& motion) { return motion.components[axis] && !holds_all(motion); });
  }

  bool can_move(std::size_t mover) const { return movers_[mover].freedom <= allowed_; }
  std::array<bool, 3> axes_of(std::size_t mover) const {
    return can_move(mover) ? movers_[mover].axes : std::array<bool, 3>{false, false, false};
  }

  double dhat_of(int b) const {
    const std::vector<double>& dhat = scene_.model.contact_scales.dhat;
    return dhat.empty() ? scene_.options.barrier.dhat : dhat[surfaces_.first_vertex(b)];
  }
  /// Returns the gap [m] that a pair is to have, in addition to the separation that the scene asks for.
  double gap_of(const Pair& pair) const {
    return std::min(dhat_of(pair[1]), pair[0] < 0 ? infinity : dhat_of(pair[0]));
  }
  double gap_with(const Pair& pair, double share) const { return desc_.contact.min_separation + share * gap_of(pair); }

  Vec<3> relative_shift(const Pair& pair) const {
    return pair[0] < 0 ? shift_of(pair[1]) : Vec<3>(shift_of(pair[0]) - shift_of(pair[1]));
  }
  bool has_moved(const Pair& pair) const {
    const auto moved = [&](int b) { return shifts_[mover_of(b)] != scanned_[mover_of(b)]; };
    return moved(pair[1]) || (pair[0] >= 0 && moved(pair[0]));
  }

  double height_above(std::size_t plane, int b) const {
    const HalfSpace& half_space = scene_.model.half_spaces[plane];
    double least = infinity;
    const int first = surfaces_.first_vertex(b);
    for (int v = first; v < first + surfaces_.num_vertices(b); ++v) {
      least = std::min(least, half_space.normal.dot(surfaces_.position(v)) - half_space.offset);
    }
    return least;
  }

  /// Adds the pairs of bodies whose boxes are near each other.
  void add_near_pairs(std::vector<Pair>& pairs) const {
    const auto low = [&](int b) { return surfaces_.box(b).min[0] + shift_of(b)[0]; };
    const auto high = [&](int b) { return surfaces_.box(b).max[0] + shift_of(b)[0]; };
    std::vector<int> order;
    double reach = 0.0;
    for (int b = 0; b < num_bodies_; ++b) {
      if (surfaces_.num_vertices(b) == 0) continue;
      order.push_back(b);
      reach = std::max(reach, desc_.contact.min_separation + dhat_of(b));
    }
    std::sort(order.begin(), order.end(), [&](int a, int b) { return std::pair(low(a), a) < std::pair(low(b), b); });
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size() && low(order[j]) <= high(order[i]) + reach; ++j) {
        const Pair pair = {std::min(order[i], order[j]), std::max(order[i], order[j])};
        if (surfaces_.can_touch(pair[0], pair[1]) &&
            !are_boxes_apart(surfaces_, pair, relative_shift(pair), gap_with(pair, 1.0))) {
          pairs.push_back(pair);
        }
      }
    }
  }

  /// Finds the pairs whose boxes are near each other, and the pairs of bodies with half-spaces.
  std::vector<Pair> near_pairs() const {
    std::vector<Pair> pairs;
    for (std::size_t plane = 0; plane < scene_.model.half_spaces.size(); ++plane) {
      for (int b = 0; b < num_bodies_; ++b) {
        const Pair pair = {-1 - static_cast<int>(plane), b};
        if (body(b).is_obstacle || surfaces_.num_vertices(b) == 0) continue;
        if (!scene_.model.surface.is_ignored(pair[0], pair[1])) pairs.push_back(pair);
      }
    }
    add_near_pairs(pairs);
    // A body in a container must be checked wherever it goes.
    pairs.insert(pairs.end(), contained_.begin(), contained_.end());
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }

  /// Finds the pairs that are violated now, among those that have moved since the last scan and those that were
  /// violated then.
  void scan(bool is_first) {
    std::vector<Pair> found;
    for (const Pair& pair : near_pairs()) {
      const bool was_violated = std::binary_search(violated_.begin(), violated_.end(), pair);
      if (given_up_.count(pair) > 0 || (!is_first && !was_violated && !has_moved(pair))) continue;
      if (pair[0] < 0) {
        if (is_behind(pair, is_first)) found.push_back(pair);
        continue;
      }
      BodyPair bodies(scene_, surfaces_, insides_, pair[0], pair[1]);
      if (is_first && bodies.is_contained()) contained_.push_back(pair);
      if (are_apart(bodies, pair, is_first)) continue;
      found.push_back(pair);
    }
    violated_ = std::move(found);
    scanned_ = shifts_;
    if (!is_first) return;
    for (const Pair& pair : violated_) note(pair);
  }
  /// Returns true if a pair is apart. Bodies that start near each other may stay so.
  bool are_apart(BodyPair& bodies, const Pair& pair, bool is_first) const {
    const double touch = gap_with(pair, touching);
    if (is_first) return bodies.is_apart(Vec<3>::Zero(), touch);
    const Vec<3> shift = relative_shift(pair);
    if (bodies.is_apart(shift, gap_with(pair, least_gap))) return true;
    return overlap_of_pair_.count(pair) == 0 && bodies.is_apart(shift, touch) &&
           !bodies.is_apart(Vec<3>::Zero(), gap_with(pair, least_gap));
  }
  bool is_behind(const Pair& pair, bool is_first) const {
    const std::size_t plane = -1 - pair[0];
    const double start = height_above(plane, pair[1]);
    const double now = start + scene_.model.half_spaces[plane].normal.dot(shift_of(pair[1]));
    if (now <= gap_with(pair, touching)) return true;
    // A body that starts near the plane may stay so.
    const double wanted = gap_with(pair, least_gap);
    return !is_first && now <= wanted && (overlap_of_pair_.count(pair) > 0 || start > wanted);
  }

  void note(const Pair& pair) {
    overlap_of_pair_.emplace(pair, overlaps_.size());
    if (pair[0] < 0) {
      const std::size_t plane = -1 - pair[0];
      overlaps_.push_back(
          {body(pair[1]).name, fmt::format("half_spaces[{}]", plane), std::max(0.0, -height_above(plane, pair[1]))});
      return;
    }
    overlaps_.push_back(
        {body(pair[0]).name, body(pair[1]).name, find_overlap(scene_, surfaces_, pair[0], pair[1]).depth});
  }

  /// Adds conditions for violated pairs, finds moves that meet all conditions, and repeats this until no pair is
  /// violated. Returns false if the conditions cannot be met, or if new ones appear in every round.
  bool move_apart() {
    for (int round = 0; round < max_rounds; ++round) {
      for (const Pair& pair : violated_) {
        if (!add_condition(pair)) return false;
      }
      std::vector<std::array<bool, 3>> can_move;
      for (std::size_t m = 0; m < movers_.size(); ++m) can_move.push_back(axes_of(m));
      LeastMoves found = find_least_moves(can_move, conditions_);
      missed_ = std::move(found.missed);
      if (!missed_.empty()) return false;
      shifts_ = std::move(found.moves);
      scan(false);
      if (violated_.empty()) return true;
    }
    return false;
  }

  bool add_condition(const Pair& pair) {
    ApartCondition condition;
    const double gap = gap_with(pair, 1.0);
    condition.tolerance = 0.2 * gap_of(pair);
    condition.first = static_cast<int>(mover_of(pair[1]));
    if (pair[0] < 0) {
      const std::size_t plane = -1 - pair[0];
      condition.normal = scene_.model.half_spaces[plane].normal;
      condition.least = gap - height_above(plane, pair[1]);
    } else {
      condition.second = condition.first;
      condition.first = static_cast<int>(mover_of(pair[0]));
      if (condition.first == condition.second) return remember_failure(pair);
      const Vec<3> shift = relative_shift(pair);
      const std::optional<Vec<3>> least = least_shift(pair, shift, gap);
      if (!least) return remember_failure(pair);
      const double length = least->norm();
      if (shift.isZero(0.0) && is_left_to_bending(pair, length, gap)) return true;
      condition.normal = *least / length;
      condition.least = condition.normal.dot(shift) + length;
    }
    conditions_.push_back(condition);
    pair_of_condition_.push_back(pair);
    return true;
  }
  std::optional<Vec<3>> least_shift(const Pair& pair, const Vec<3>& shift, double gap) const {
    const std::array<bool, 3> a = axes_of(mover_of(pair[0])), b = axes_of(mover_of(pair[1]));
    BodyPair bodies(scene_, surfaces_, insides_, pair[0], pair[1]);
    return bodies.find_least_shift(shift, gap, {a[0] || b[0], a[1] || b[1], a[2] || b[2]});
  }
  /// Notes the depth of an overlap, where the least shift has this length. If the shift is long, the pair is left to
  /// bending, and true is returned; shifting would tear a press fit apart.
  bool is_left_to_bending(const Pair& pair, double length, double gap) {
    const auto known = overlap_of_pair_.find(pair);
    if (known == overlap_of_pair_.end()) return false;
    Separation::Overlap& overlap = overlaps_[known->second];
    if (prefers_bending_ && can_bend(pair) && overlap.depth > 0.0 && length > far_way * (overlap.depth + gap)) {
      given_up_.insert(pair);
      return true;
    }
    overlap.depth = length - gap > 0.01 * gap ? length - gap : 0.0;
    return false;
  }
  bool remember_failure(const Pair& pair) {
    hopeless_ = pair;
    return false;
  }

  bool is_bendable(int b) const { return b >= 0 && body(b).kind == BodyKind::deformable; }
  bool can_bend(const Pair& pair) const { return is_bendable(pair[0]) || is_bendable(pair[1]); }

  /// Gives up a pair whose condition cannot be met and leaves it as it is; prefers a pair that can be bent. Returns
  /// false if there is none.
  bool give_up_worst() {
    std::vector<Pair> pairs;
    if (hopeless_) pairs.push_back(*hopeless_);
    hopeless_.reset();
    for (const int k : missed_) pairs.push_back(pair_of_condition_[k]);
    if (pairs.empty()) pairs = violated_;
    if (pairs.empty()) return false;
    const auto bendable = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& p) { return can_bend(p); });
    give_up(bendable != pairs.end() ? *bendable : pairs.front());
    if (bendable == pairs.end()) return true;
    // The body that is bent need not yield to anything else that stands still either.
    const int bent = is_bendable((*bendable)[0]) ? (*bendable)[0] : (*bendable)[1];
    const std::vector<Pair> others = pair_of_condition_;
    for (const Pair& other : others) {
      if (other[0] != bent && other[1] != bent) continue;
      const int partner = other[0] == bent ? other[1] : other[0];
      if (partner < 0 || !can_move(mover_of(partner))) give_up(other);
    }
    return true;
  }
  void give_up(const Pair pair) {
    given_up_.insert(pair);
    for (std::size_t k = conditions_.size(); k-- > 0;) {
      if (pair_of_condition_[k] != pair) continue;
      conditions_.erase(conditions_.begin() + static_cast<std::ptrdiff_t>(k));
      pair_of_condition_.erase(pair_of_condition_.begin() + static_cast<std::ptrdiff_t>(k));
    }
    violated_.erase(std::remove(violated_.begin(), violated_.end(), pair), violated_.end());
  }

  const SceneDesc& desc_;
  const SceneModel& scene_;
  BodySurfaces surfaces_;
  int num_bodies_;
  std::vector<std::optional<Solid>> insides_;
  std::vector<Mover> movers_;
  std::vector<int> mover_of_body_;
  Freedom allowed_ = Freedom::free;
  bool prefers_bending_ = false;
  std::vector<Vec<3>> shifts_, scanned_;         // shifts per mover, now and at the last scan
  std::vector<Pair> violated_;                   // ascending
  std::map<Pair, std::size_t> overlap_of_pair_;  // index into overlaps_ of each pair that overlaps at the start
  std::set<Pair> given_up_;
  std::vector<Pair> contained_;
  std::vector<ApartCondition> conditions_;
  std::vector<Pair> pair_of_condition_;
  std::vector<int> missed_;
  std::optional<Pair> hopeless_;
  std::vector<Separation::Overlap> overlaps_;
};

/// Stores the shifts of the bodies in the scene and in the list of moves.
void shift_bodies(const SceneModel& model, const Separator& separator, Separation& separation) {
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Vec<3> shift = separator.shift_of(b);
    if (shift.isZero(0.0)) continue;
    const std::string& name = model.bodies[b].name;
    moved_entry(separation.scene, name).translation += shift;
    separation.moves.push_back({name, shift.norm(), 0.0});
    for (JointDesc& joint : separation.scene.joints) {
      if (joint.bodies[0] == name) joint.point += shift;
    }
  }
}

SceneModel build(const SceneDesc& scene, Issues& issues) {
  Result<LoadedBodies> bodies = load_bodies(scene);
  if (!bodies) {
    issues = bodies.issues();
    return {};
  }
  SceneModel model = build_scene_model(scene, std::move(bodies->instances));
  for (const Issue& issue : model.issues) {
    if (issue.severity == Severity::error) issues.push_back(issue);
  }
  return model;
}

/// Returns the issues of an attempt as they were before it: the same pairs, with the depths and places of the original
/// scene.
Issues as_of_start(const SceneDesc& scene, Issues left) {
  Issues issues;
  const SceneModel model = build(scene, issues);
  if (!issues.empty()) return left;
  const auto beginning = [](const Issue& issue) { return issue.message.substr(0, issue.message.find(':')); };
  for (const Issue& issue : check_initial_state(scene, model).issues) {
    const bool is_left =
        std::any_of(left.begin(), left.end(), [&](const Issue& other) { return beginning(other) == beginning(issue); });
    if (is_left) issues.push_back(issue);
  }
  return issues.empty() ? left : issues;
}

void refuse_collision_surfaces(const SceneDesc& scene, const SceneModel& model, Issues& issues) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyInstance& body = model.bodies[b];
    if (!has_collision_surface(scene.bodies[body.desc], body)) continue;
    issues.push_back({"", "start.overlaps", "\"separate\"",
                      fmt::format("body '{}' has elements of order 2 or more, or a separate collision surface; such "
                                  "bodies cannot be moved apart yet",
                                  body.name)});
    break;
  }
}

/// Returns a polyhedron around a sphere or a capsule that is 2 or 3 % larger.
Mesh polyhedron_around(const CapsuleDesc& capsule) {
  constexpr int layers = 4;
  // The faces of such a ball are at most 0.38 / 2 radians from their corners, those of the capsule pi / 16 and pi / 24.
  constexpr double of_ball = 1.0188, of_capsule = 1.0285;
  if (capsule.ends.size() == 1) {
    Mesh ball = surface_of(make_sphere(of_ball * capsule.radius, layers));
    for (Vec<3>& v : ball.vertices) v += capsule.ends[0];
    return ball;
  }
  const Vec<3> axis = capsule.ends[1] - capsule.ends[0], middle = 0.5 * (capsule.ends[0] + capsule.ends[1]);
  Mesh mesh = make_capsule(of_capsule * capsule.radius, axis.norm(), layers);
  const Mat<3> turn = Eigen::Quaterniond::FromTwoVectors(Vec<3>::UnitY(), axis).toRotationMatrix();
  for (Vec<3>& v : mesh.vertices) v = middle + turn * v;
  return mesh;
}

/// Replaces spheres and capsules by polyhedra around them, as overlaps are those of facets.
void facet_round_shapes(SceneDesc& scene) {
  for (BodyDesc& body : scene.bodies) {
    const std::vector<CapsuleDesc> capsules = capsules_of(scene, body);
    if (capsules.empty()) continue;
    GeometryDesc geometry;
    for (const CapsuleDesc& capsule : capsules) {
      const Mesh mesh = polyhedron_around(capsule);
      const int first = static_cast<int>(geometry.vertices.size());
      geometry.vertices.insert(geometry.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
      for (const auto& [a, b, c] : mesh.triangles) geometry.triangles.push_back({first + a, first + b, first + c});
    }
    body.mesh.clear();
    body.generator.reset();
    body.capsules.clear();
    body.geometry = std::move(geometry);
  }
}

bool has_round_shapes(const SceneDesc& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                     [&](const BodyDesc& body) { return !capsules_of(scene, body).empty(); });
}

/// Keeps the elements that the bodies were separated with, which are linear: finer surfaces might meet again.
void keep_orders(SceneDesc& scene) {
  if (scene.time.integrator != TimeIntegrator::quasi_static) return;
  for (BodyDesc& body : scene.bodies) {
    if (body.kind == BodyKind::deformable && body.order == 0) body.order = 1;
  }
}

}  // namespace

Result<Separation> separate_overlaps(const SceneDesc& scene) {
  Separation separation;
  separation.scene = scene;
  separation.scene.start.overlaps = OverlapHandling::separate;
  if (!scene.contact.enabled) {
    separation.scene.start.overlaps = OverlapHandling::refuse;
    return separation;
  }
  // Polyhedra around round shapes may overlap where these do not.
  if (has_round_shapes(scene)) {
    Issues issues;
    const SceneModel model = build(scene, issues);
    if (issues.empty() && !has_errors(check_initial_state(scene, model).issues)) {
      separation.scene.start.overlaps = OverlapHandling::refuse;
      return separation;
    }
  }
  // Without contact, the activation distance of each body is the one that it has far from all others.
  SceneDesc apart = scene;
  apart.contact.enabled = false;
  apart.start.overlaps = OverlapHandling::separate;
  facet_round_shapes(apart);
  Issues issues;
  const SceneModel model = build(apart, issues);
  refuse_collision_surfaces(scene, model, issues);
  if (!issues.empty()) return issues;
  Issues left;
  struct Way {
    Freedom last;
    bool prefers_bending;
  };
  for (const Way& way : {Way{Freedom::free, true}, Way{Freedom::free, false}, Way{Freedom::reluctant, false},
                         Way{Freedom::held, false}}) {
    Separation attempt = separation;
    Separator separator(scene, model);
    if (separator.run(way.last, way.prefers_bending)) {
      attempt.overlaps = separator.overlaps();
      shift_bodies(model, separator, attempt);
    }
    Issues meeting = bend_apart(attempt, separator.left_pairs());
    if (meeting.empty()) {
      attempt.scene.start.overlaps = OverlapHandling::refuse;
      keep_orders(attempt.scene);
      return attempt;
    }
    if (left.empty()) left = std::move(meeting);
  }
  return as_of_start(separation.scene, std::move(left));
}

}  // namespace clearance
