#include "clearance/simulation/stepping/gap_path.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "clearance/contact/contact_at_rest.h"
#include "clearance/contact/contact_potential.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/model/blocks.h"
#include "clearance/simulation/stepping/step_parts.h"

namespace clearance {
namespace {

constexpr int max_stages = 16;
/// Smallest factor of a stage. A path keeps a fifth of every gap (SolverOptions::gap_fraction).
constexpr double least_factor = 0.25;
/// Smallest factor of all stages together.
constexpr double least_narrowing = 1e-4;
/// Change of the distances by which derivatives are computed.
constexpr double difference = 1e-6;
/// Relative error of a force of contact at a relative error of 1 of coordinates, over the gap: of a few roundings.
constexpr double rounding = 10.0 * std::numeric_limits<double>::epsilon();
/// Newton iterations that a stage with friction may always take.
constexpr int least_iterations = 20;
/// Smallest gap of a pair, relative to the coordinates, which rounding leaves five digits of.
constexpr double least_gap = 1e-11;
/// Pairs with less than this share of the largest force do not count.
constexpr double least_force = 1e-3;

using Pair = std::array<int, 2>;

struct NormalForce {
  double force = 0.0;     // [N] sum of the normal forces
  double gap = infinity;  // [m]
  double work = 0.0;      // [J] of the forces over their gaps
};

template <int dim>
std::map<Pair, NormalForce> normal_forces(const Model& model, const ContactModel<dim>& contacts, const ContactSet& set,
                                          const VecX& x, double scale) {
  std::map<Pair, NormalForce> forces;
  for (const Contact& contact : set.contacts) {
    const ContactPositions<dim> positions = positions_of<dim>(contact, x);
    const ContactGap<dim> gap = compute_contact_gap<dim>(model, contact, positions);
    Pair bodies = bodies_of(model.surface, contact);
    std::sort(bodies.begin(), bodies.end());
    NormalForce& of_pair = forces[bodies];
    const double force = scale * contacts.normal_force(contact, gap, positions);
    of_pair.force += force;
    of_pair.work += force * gap.distance;
    of_pair.gap = std::min(of_pair.gap, gap.distance);
  }
  return forces;
}

/// Returns the pair of bodies that has the largest share, from forces on either side of the present distances. Shares
/// that rounding of coordinates of `size` [m] may make are zero: differences enlarge it where gaps are tiny.
std::optional<GapShare> largest_share(const std::map<Pair, NormalForce>& wider, std::map<Pair, NormalForce>& narrower,
                                      double size) {
  double largest = 0.0;
  for (const auto& [pair, normal] : wider) largest = std::max(largest, normal.force);
  std::optional<GapShare> result;
  for (const auto& [pair, normal] : wider) {
    if (!(normal.force > least_force * largest)) continue;
    const double change = std::abs(normal.force - narrower[pair].force) / (2.0 * difference);
    double share = change / std::max(normal.force - change, 0.01 * normal.force);
    if (share < rounding * size / (difference * normal.gap)) share = 0.0;
    if (!result || share > result->share) result = GapShare{share, normal.gap, normal.force, pair};
  }
  return result;
}

/// Returns the body with the largest share of its deflection, of shares up to `most`.
std::optional<GapShare> largest_deflection_share(const Model& model, const std::map<Pair, NormalForce>& forces,
                                                 const VecX& x, double most) {
  const int num_bodies = model.surface.num_bodies();
  const VecX elastic = elastic_energies(model, x);
  VecX work = VecX::Zero(num_bodies);                         // [J]
  std::vector<std::optional<Pair>> pair_of_body(num_bodies);  // the one with the most work
  for (const auto& [pair, normal] : forces) {
    for (const int body : pair) {
      if (body < 0) continue;
      work[body] += normal.work;
      std::optional<Pair>& most_work = pair_of_body[body];
      if (!most_work || normal.work > forces.at(*most_work).work) most_work = pair;
    }
  }
  std::optional<GapShare> result;
  for (int body = 0; body < num_bodies; ++body) {
    if (!pair_of_body[body] || !(elastic[body] > 0.0)) continue;
    const double share = work[body] / (2.0 * elastic[body]);
    if (share > most || (result && share <= result->share)) continue;
    const Pair& pair = *pair_of_body[body];
    result = GapShare{share, forces.at(pair).gap, forces.at(pair).force, pair, body};
  }
  return result;
}

}  // namespace

ContactDistances::ContactDistances(const SceneModel& scene)
    : dhat_(scene.options.barrier.dhat),
      of_vertices_(scene.model.contact_scales.dhat),
      compliance_(scene.model.contact_scales.compliance),
      at_rest_(scene.model.contact_at_rest) {}

void ContactDistances::narrow(double factor, SceneModel& scene) const {
  const auto scale = [&](const std::vector<double>& from, std::vector<double>& to) {
    std::transform(from.begin(), from.end(), to.begin(), [&](double value) { return factor * value; });
  };
  scene.options.barrier.dhat = factor * dhat_;
  scale(of_vertices_, scene.model.contact_scales.dhat);
  // A contact of a given force then is the same share of its distance apart.
  scale(compliance_, scene.model.contact_scales.compliance);
  const auto narrowed = at_rest_ && factor != 1.0 ? at_rest_->narrowed(factor) : nullptr;
  scene.model.contact_at_rest = narrowed ? narrowed : at_rest_;
}

template <int dim>
GapPath<dim>::GapPath(const ContactDistances& distances, double tolerance, SceneModel& scene, double h,
                      StepWorkspace<dim>& workspace, const StepHooks& hooks)
    : distances_(distances),
      tolerance_(tolerance),
      scene_(scene),
      workspace_(workspace),
      hooks_(hooks),
      options_(scene.options) {
  options_.integrator.h = h;
}

template <int dim>
void GapPath<dim>::narrow(double factor) {
  distances_.narrow(factor, scene_);
  options_.barrier = scene_.options.barrier;
  workspace_.renew_contacts(scene_.model, options_);
}

template <int dim>
SolvedStep<dim> GapPath<dim>::solve(const PrescribedTargets& targets, const State& state, double& narrowing) {
  const Model& model = scene_.model;
  std::optional<SolvedStep<dim>> solved(clearance::solve<dim>(model, options_, targets, state, workspace_, hooks_));
  if (solved->status() != StepStatus::converged && narrowing < 1.0) {
    // Short activation distances make it hard to find contacts that are not known yet.
    add_attempt(solved->report(), others_);
    solved.reset();
    narrow(narrowing = 1.0);
    solved.emplace(clearance::solve<dim>(model, options_, targets, state, workspace_, hooks_));
  }
  // A body that friction alone holds is lost where contacts open for an iteration, and the search for it is long. A
  // stage with friction may cost as much as the step.
  const bool has_friction = solved->report().friction_iterations > 0;
  of_stage_ = options_;
  if (has_friction) {
    of_stage_.max_iterations =
        std::min(of_stage_.max_iterations, std::max(least_iterations, solved->report().newton_iterations));
  }
  for (int stage = 0; stage < max_stages && solved->status() == StepStatus::converged; ++stage) {
    const Estimate now = estimate(*solved, narrowing);
    share_ = now.largest();
    force_share_ = now.of_force;
    const std::optional<GapShare> to_narrow = has_friction ? now.of_force : share_;
    if (!to_narrow || !(to_narrow->share > tolerance_) || narrowing < least_narrowing) break;
    const VecX x = solved->x();
    const double factor = std::max(0.5 * tolerance_ / to_narrow->share, least_factor);
    if (factor * to_narrow->gap < least_gap * x.cwiseAbs().maxCoeff()) break;
    const VecX start = solved->moved((1.0 - factor) * now.dy);
    add_attempt(solved->report(), others_);
    solved.reset();
    narrow(narrowing * factor);
    of_stage_.barrier = options_.barrier;
    solved.emplace(solve_near<dim>(start, model, of_stage_, targets, state, workspace_, hooks_));
    if (solved->status() != StepStatus::converged) {
      if (solved->status() == StepStatus::stopped) break;
      add_attempt(solved->report(), others_);
      solved.reset();
      narrow(narrowing);
      solved.emplace(solve_near<dim>(x, model, options_, targets, state, workspace_, hooks_));
      break;
    }
    narrowing *= factor;
  }
  return std::move(*solved);
}

template <int dim>
std::optional<GapShare> GapPath<dim>::Estimate::largest() const {
  if (!of_force || (of_deflection && of_deflection->share > of_force->share)) return of_deflection;
  return of_force;
}

/// With g(x, s) = 0 at the equilibrium, dx/ds = -H^-1 dg/ds. The barrier alone depends on s. Differences are central,
/// because the forces of contacts that bear little are far from linear in s.
template <int dim>
typename GapPath<dim>::Estimate GapPath<dim>::estimate(SolvedStep<dim>& solved, double factor) const {
  Estimate result;
  const double kappa = solved.report().kappa;
  if (solved.report().num_contacts == 0 || !(kappa > 0.0)) return result;
  const auto broad_phase = make_broad_phase(dim, scene_.model.surface);
  // Calls visit(contact model, contacts, positions) with the distances at s = 1 + change, while the unknowns are x.
  const auto with_distances = [&](double change, const VecX& x, const auto& visit) {
    distances_.narrow(factor * (1.0 + change), scene_);
    const auto contacts = make_contact_model<dim>(scene_.model, scene_.options.barrier);
    const VecX x_surface = scene_.model.surface_map.apply(x);
    visit(*contacts, contacts->build(x_surface, contacts->find_candidates(*broad_phase, x_surface, x_surface)),
          x_surface);
    distances_.narrow(factor, scene_);
  };
  VecX slope = VecX::Zero(solved.x().size());  // dg/ds
  for (const double change : {difference, -difference}) {
    with_distances(change, solved.x(), [&](const auto& contacts, const ContactSet& set, const VecX& x) {
      ContactPotential<dim>(scene_.model, contacts).add_gradient(set, x, kappa / (2.0 * change), slope);
    });
  }
  const std::optional<VecX> response = solved.response(slope);
  if (!response) return result;
  result.dy = *response;
  std::array<std::map<Pair, NormalForce>, 2> forces;  // on either side of s = 1
  for (const int side : {0, 1}) {
    const double change = side == 0 ? difference : -difference;
    with_distances(change, solved.moved(-change * result.dy),
                   [&](const auto& contacts, const ContactSet& set, const VecX& x) {
                     forces[side] = normal_forces<dim>(scene_.model, contacts, set, x, kappa);
                   });
  }
  result.of_force = largest_share(forces[0], forces[1], solved.x().cwiseAbs().maxCoeff());
  result.of_deflection = largest_deflection_share(scene_.model, forces[0], solved.x(),
                                                  tolerance_ * std::max(1.0, factor / least_narrowing));
  return result;
}

template class GapPath<2>;
template class GapPath<3>;

}  // namespace clearance
