#include "clearance/simulation/hints/contact_gap_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/contact/contact_potential.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/math/dimension.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/hints/body_facts.h"

namespace clearance {

namespace {

/// Smallest share of the approach that a gap is reported for. A ball that is pressed onto a plane (Hertz), with gaps of
/// about half of dhat, has a force whose relative error is 1.5 times that of the approach.
constexpr double least_share = 0.15;
/// Largest push, in weights of the lighter body, that may be the one that carries a body at rest.
constexpr double most_weights = 3.0;

/// Height of a hop, in sizes of the body, that changes nothing.
constexpr double harmless_hop = 1e-3;

/// A pair of bodies, or of a body and a half-space, which is -1 - its number.
using Pair = std::array<int, 2>;

struct PairGap {
  double gap = infinity;  // [m] smallest gap at the start
  double dhat = 0.0;      // [m] dhat there
};

/// Computes how far [m] each body is moved by its motions, without rotations; infinite if that is not known, and zero
/// for all bodies if a formula cannot be evaluated.
std::vector<double> approaches(const SceneDesc& desc, const SceneModel& scene) {
  std::vector<double> ways(scene.bodies.size(), 0.0);
  for (const PreparedMotion& motion : scene.motions) {
    if (motion.blocks.empty()) continue;
    double& way = ways[motion.body];
    const MotionDesc& given = motion.desc;
    if (given.is_absolute() || !given.angular_velocity.isZero(0.0)) {
      way = infinity;
      continue;
    }
    const double end = std::min(given.end, desc.time.duration);
    double longest = (given.linear_velocity * (end - given.start)).norm();
    if (given.displacement && !motion.points.empty()) {
      constexpr int num_times = 33;
      const std::array<Vec<3>, 1> point = {motion.points[0]};
      for (int i = 0; i < num_times; ++i) {
        const double t = given.start + (end - given.start) * i / (num_times - 1);
        const auto displacement = evaluate(*given.displacement, "", t, point, *scene.controls);
        if (!displacement) return std::vector<double>(scene.bodies.size(), 0.0);
        longest = std::max(longest, ((*displacement)[0] + given.linear_velocity * (t - given.start)).norm());
      }
    }
    way = std::max(way, longest);
  }
  return ways;
}

class ContactGaps {
 public:
  ContactGaps(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints)
      : desc_(desc), scene_(scene), hints_(hints) {}

  void warn_of_pushes() {
    const ContactOptions& formulation = desc_.contact.options;
    if (!has_physical_barrier(formulation) || !repels_at_rest(formulation)) return;
    const std::map<Pair, double> pushes = with_dimension(scene_.dim, [&](auto dim) { return find_pushes<dim>(); });
    if (pushes.empty()) return;
    const std::vector<double> masses = body_masses(scene_);
    std::map<Pair, PairGap> gaps = find_gaps(largest_dhat());
    std::size_t num_found = 0;
    std::pair<Pair, double> most;
    for (const auto& [pair, push] : pushes) {
      double weight = infinity;  // [N] weight of the lighter body
      for (const int b : pair) {
        if (b >= 0 && !scene_.bodies[b].is_obstacle) {
          weight = std::min(weight, masses[b] * desc_.gravity.norm());
        }
      }
      if (!(push > most_weights * weight) || is_harmless(pair, gaps[pair])) continue;
      ++num_found;
      if (push > most.second) most = {pair, push};
    }
    if (num_found == 0) return;
    const PairGap pair_gap = gaps[most.first];
    warn(
        fmt::format("{} start {:.3g} m apart; under this formulation contact begins at {:.3g} m, so that they push "
                    "each other apart with {:.3g} N from the first step on{}; set contact.dhat to a tenth ({:.2g}), "
                    "start them {:.3g} m further apart, or use the formulation 'ipc' or 'gcp'",
                    names(most.first), pair_gap.gap, pair_gap.dhat, most.second,
                    num_found > 1 ? fmt::format(" (and {} more pairs)", num_found - 1) : "", 0.1 * desc_.contact.dhat,
                    pair_gap.dhat - pair_gap.gap));
  }

  void warn_of_approaches() {
    const std::vector<double> ways = approaches(desc_, scene_);
    double longest = 0.0;
    for (const double way : ways) longest = std::max(longest, std::isfinite(way) ? way : 0.0);
    const double dhat = largest_dhat();
    // Gaps hardly matter for motions that are much longer. Pairs are searched for only if a motion is short.
    const bool is_any_short =
        std::any_of(ways.begin(), ways.end(), [&](double way) { return way > 0.0 && way * least_share < 2.0 * dhat; });
    if (!is_any_short) return;
    const double reach = std::min(2.0 * longest, 2.0 * dhat / least_share) + dhat;
    std::optional<Pair> worst;
    double worst_share = least_share, of_worst = 0.0, gaps_of_worst = 0.0;
    const std::map<Pair, PairGap> all_gaps = find_gaps(reach);
    // A body that is squeezed between two others keeps a gap on either side.
    const auto other_gap = [&](const Pair& pair) {
      double largest = 0.0;
      for (const int b : pair) {
        if (b < 0 || scene_.bodies[b].kind != BodyKind::deformable) continue;
        for (const auto& [other, pair_gap] : all_gaps) {
          const bool is_of_body = other != pair && other[0] != other[1] && (other[0] == b || other[1] == b);
          if (is_of_body && pair_gap.gap < 2.0 * pair_gap.dhat) largest = std::max(largest, pair_gap.dhat);
        }
      }
      return largest;
    };
    for (const auto& [pair, pair_gap] : all_gaps) {
      if (pair[0] == pair[1]) continue;
      double way = 0.0;
      bool is_held = false;
      for (const int b : pair) {
        if (b < 0) continue;
        way += ways[b];
        is_held = is_held || scene_.bodies[b].kind == BodyKind::deformable;
      }
      // If both bodies keep their shape, the motion of one does not press the other.
      const double approach = way - pair_gap.gap;
      if (!is_held || !(approach > 0.0) || !std::isfinite(approach)) continue;
      const double gaps = pair_gap.dhat + other_gap(pair);
      if (!(gaps > worst_share * approach)) continue;
      worst = pair;
      worst_share = gaps / approach;
      of_worst = approach;
      gaps_of_worst = gaps;
    }
    if (!worst) return;
    warn(
        fmt::format("forces and stresses between {} are at least {:.0f} % too large: they are pressed together by "
                    "{:.3g} m, and surfaces in contact keep a gap of up to {:.3g} m. Set contact.dhat to {:.2g}, or "
                    "add the gap to the motion (probe kind `gap`)",
                    names(*worst), 100.0 * worst_share, of_worst, gaps_of_worst,
                    desc_.contact.dhat * 0.1 * least_share / worst_share));
  }

  void warn_of_fits(const std::vector<StartOverlap>& overlaps) {
    for (const StartOverlap& overlap : overlaps) {
      const double dhat = dhat_of_fit(overlap);
      if (!(overlap.depth > 0.0) || overlap.first == overlap.second || !(dhat > least_share * overlap.depth)) continue;
      warn(
          fmt::format("pressures between '{}' and '{}' are about {:.0f} % too large: their interference is {:.3g} m, "
                      "and surfaces in contact keep a gap of up to {:.3g} m. Set contact.dhat to {:.2g}",
                      overlap.first, overlap.second, 100.0 * dhat / overlap.depth, overlap.depth, dhat,
                      desc_.contact.dhat * 0.1 * least_share * overlap.depth / dhat));
      return;
    }
  }

 private:
  void warn(const std::string& message) { add_named_hint(hints_, "contact_gap", "contact.dhat", message); }

  std::string name(int body) const {
    return body < 0 ? fmt::format("half_spaces[{}]", -1 - body) : "'" + scene_.bodies[body].name + "'";
  }
  std::string names(const Pair& pair) const {
    if (pair[0] == pair[1]) return "parts of " + name(pair[0]);
    return name(std::max(pair[0], pair[1])) + " and " + name(std::min(pair[0], pair[1]));
  }

  double dhat_of(int surface_vertex) const {
    const std::vector<double>& dhat = scene_.model.contact_scales.dhat;
    return dhat.empty() ? scene_.options.barrier.dhat : dhat[surface_vertex];
  }
  double largest_dhat() const {
    const std::vector<double>& dhat = scene_.model.contact_scales.dhat;
    return dhat.empty() ? scene_.options.barrier.dhat : *std::max_element(dhat.begin(), dhat.end());
  }
  /// Returns the dhat [m] of two overlapping bodies: the largest value of each body, which applies where nothing is
  /// near at the start, and the smaller one of these two.
  double dhat_of_fit(const StartOverlap& overlap) const {
    double smallest = infinity;
    for (const std::string& body : {overlap.first, overlap.second}) {
      double largest = 0.0;
      for (int v = 0; v < scene_.model.surface.num_vertices; ++v) {
        const int b = scene_.model.surface.vertex_body[v];
        if (b >= 0 && scene_.bodies[b].name == body) largest = std::max(largest, dhat_of(v));
      }
      if (largest > 0.0) smallest = std::min(smallest, largest);
    }
    return std::isfinite(smallest) ? smallest : 0.0;
  }

  /// True if weight soon ends the hop of the pair. A push ends at dhat, so that it gives no more than the speed which
  /// leads there within a step.
  bool is_harmless(const Pair& pair, const PairGap& gap) const {
    const double gravity = desc_.gravity.norm();
    if (!(gravity > 0.0) || desc_.time.accuracy > 0.0 || desc_.time.integrator == TimeIntegrator::quasi_static) {
      return false;
    }
    double size = infinity;
    for (const int b : pair) {
      if (b >= 0 && !scene_.bodies[b].is_obstacle) {
        size = std::min(size, bounding_box(scene_.bodies[b].mesh.vertices).diagonal());
      }
    }
    const double speed = std::max(0.0, gap.dhat - gap.gap) / desc_.time.step;
    return 0.5 * speed * speed / gravity < harmless_hop * size;
  }

  /// Finds all pairs within a distance at the start.
  std::map<Pair, PairGap> find_gaps(double distance) const {
    Model model = scene_.model;
    model.contact_scales = {};
    const VecX x = model.surface_map.apply(scene_.initial_state.x);
    const BarrierOptions barrier{distance, scene_.options.barrier.min_separation};
    const auto broad_phase = make_broad_phase(scene_.dim, model.surface);
    const Candidates candidates = find_contact_candidates(*broad_phase, model, barrier, x, x);
    const ContactSet set =
        with_dimension(scene_.dim, [&](auto dim) { return build_contact_set<dim>(model, x, candidates, barrier); });
    std::map<Pair, PairGap> found;
    for (const Contact& contact : set.contacts) {
      PairGap& pair_gap = found[bodies_of(model.surface, contact)];
      const double gap = gap_of(contact);
      if (!(gap < pair_gap.gap)) continue;
      pair_gap.gap = gap;
      pair_gap.dhat = infinity;
      for (int i = 0; i < contact.num_vertices(); ++i) {
        pair_gap.dhat = std::min(pair_gap.dhat, dhat_of(contact.vertices[i]));
      }
    }
    return found;
  }

  /// Computes the forces [N] that pairs push each other with at the start.
  template <int dim>
  std::map<Pair, double> find_pushes() const {
    const Model& model = scene_.model;
    const VecX x = model.surface_map.apply(scene_.initial_state.x);
    const auto contacts = make_contact_model<dim>(model, scene_.options.barrier);
    const auto broad_phase = make_broad_phase(dim, model.surface);
    const ContactSet set = contacts->build(x, contacts->find_candidates(*broad_phase, x, x));
    std::map<Pair, Vec<dim>> sums;
    ContactPotential<dim>(model, *contacts)
        .visit_forces(set, x, 1.0, [&](const Contact& contact, int vertex, const Vec<dim>& force) {
          const int* end_of_first = contact.vertices.data() + num_first(contact);
          if (std::find(contact.vertices.data(), end_of_first, vertex) == end_of_first) return;
          Vec<dim>& sum = sums.try_emplace(bodies_of(model.surface, contact), Vec<dim>::Zero()).first->second;
          sum += force;
        });
    std::map<Pair, double> pushes;
    for (const auto& [pair, sum] : sums) {
      if (pair[0] != pair[1]) pushes[pair] = sum.norm();
    }
    return pushes;
  }

  const SceneDesc& desc_;
  const SceneModel& scene_;
  NamedHints& hints_;
};

}  // namespace

void warn_of_contact_gaps(const SceneDesc& desc, const SceneModel& scene, const std::vector<StartOverlap>& overlaps,
                          NamedHints& hints) {
  if (!desc.contact.enabled) return;
  // Gaps that are narrowed are told at the end of the run, if they still matter there.
  const bool is_static = desc.time.integrator == TimeIntegrator::quasi_static;
  if (is_static && desc.contact.gap_tolerance > 0.0) return;
  ContactGaps gaps(desc, scene, hints);
  gaps.warn_of_pushes();
  gaps.warn_of_approaches();
  gaps.warn_of_fits(overlaps);
}

}  // namespace clearance
