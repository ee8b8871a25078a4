#include "clearance/io/result/energy_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/math/elementary.h"

namespace clearance {

namespace {

constexpr double gain_limit = 0.03, loss_limit = 0.03, strain_limit = 0.1;
/// Loss in impacts of a body that would rebound by its own elasticity, as a share of its energy at work.
constexpr double impact_limit = 0.1;
/// Loss in impacts from which these count beside the rest of the loss. A reed in a clamp lost 0.8 % at its start, which
/// was no impact, and 26 % in swinging.
constexpr double least_part_of_impacts = 0.1;
/// Largest energy made in one step, as a fraction of the scene's energy at work. Sound runs made up to 0.023, bodies
/// that were led around each other 0.083 and more, and a scripted node that catches up after it was blocked 0.074.
constexpr double made_limit = 0.05;
/// Number of steps that a motion takes at least if the steps resolve it. The energy that is at work by then is what a
/// step has falsified.
constexpr int shortest_motion = 10;
/// Least displacement of a strained joint, as a fraction of a body's radius. A body that hangs at rest strains its
/// joint by 1e-8, bodies that a crane lifts by 1e-7.
constexpr double least_strain = 1e-5;
/// Share of a contact force that the gap of a contact may account for.
constexpr double gap_limit = 0.02;
/// Share of the largest force of contact in a run below which a contact does not count.
constexpr double least_force = 1e-3;

/// Formats a share without an exponent: `3.14 %`, `1340 %`.
std::string percent(double share) {
  return share < 1.0 ? fmt::format("{:.3g} %", 100.0 * share) : fmt::format("{:.0f} %", 100.0 * share);
}

/// Returns the remedy, which never names the integrator in use.
const char* remedy(TimeIntegrator integrator) {
  switch (integrator) {
    case TimeIntegrator::implicit_euler:
      return "use bdf2_restarted, which damps smooth motion less, or a shorter step, or set `time.accuracy` to 0.02, "
             "or to a "
             "tenth of what it is";
    case TimeIntegrator::bdf2_in_flight:
      return "set `time.accuracy` to 0.02, or to a tenth of what it is, or use a shorter step";
    case TimeIntegrator::bdf2:
    case TimeIntegrator::implicit_newmark:
      return "use bdf2_restarted, which restarts at every impact, or a shorter step";
    default:
      return "use a shorter step, or reduce `time.accuracy` if it is set";
  }
}

}  // namespace

void EnergyMonitor::add(const StepEnergies& step) {
  gained_ = step.gained;
  lost_ = step.lost;
  lost_in_impacts_ = step.lost_in_impacts;
  is_loser_driven_ = step.is_loser_driven;
  // The energy stored in joints does not count as energy at work, because it is what the limit judges.
  stored_ += step.stored_change;
  at_work_ = std::max({at_work_, step.kinetic, step.kinetic - step.kinetic_change, std::abs(stored_ - step.joint)});
  // Without inertia there is no integrator, and any imbalance is rounding.
  // The step that has made most counts, not the largest share: that may be the rounding of a scene at rest.
  if (step.kinetic > 0.0 && has_inertia() && step.made > most_made_) {
    most_made_ = step.made;
    steps_since_most_made_ = 0;
  }
  // A wheel that a torque turns from rest has a hundred times the energy ten steps after its second one.
  if (most_made_ > 0.0 && steps_since_most_made_++ <= shortest_motion) made_share_ = most_made_ / at_work_;
  strained_ = std::max(strained_, step.strained);
  coarse_ = std::max(coarse_, step.coarse);
  turned_ = std::max(turned_, step.turned);
  curved_ = std::max(curved_, step.curved);
  if (step.stiff_strain.first > stiff_strain_.first) {
    stiff_strain_ = step.stiff_strain;
    time_of_stiff_strain_ = step.time;
  }
  large_rotation_ = std::max(large_rotation_, step.large_rotation);
  largest_force_over_gap_ = std::max(largest_force_over_gap_, step.force_over_gap);
  if (step.contact_gap.first > gap_limit) {
    contact_gaps_[step.force_over_gap] = {step.contact_gap.first,
                                          fmt::format("{} at {:.4g} s", step.contact_gap.second, step.time)};
  }
  deflection_gap_ = step.deflection_gap;
  largest_strain_ = std::max(largest_strain_, step.joint);
  if (!step.adaptation) return;
  ++num_adaptable_;
  adaptation_.num_done += step.adaptation->num_done;
  adaptation_.num_rejected += step.adaptation->num_rejected;
  adaptation_.num_unsafe += step.adaptation->num_unsafe;
  adaptation_.made += step.adaptation->made;
}

/// Returns the text about a loss: first what it means for the body, then its amount, what is right all the same, and a
/// remedy.
std::string EnergyMonitor::loss_text() const {
  constexpr const char* still_right = "The shape and the forces with which it comes to rest are right";
  // Losses of many swings add up to more than is at work at any time.
  const double share = std::min(1.0, lost_.first);
  const std::string removed =
      lost_.first < 1.0 ? percent(lost_.first) + " of its energy at work" : "more energy than was ever at work in it";
  if (is_loser_driven_) {
    return fmt::format(
        "the motion, drive or load that moves '{}' does {} too much work, and parts that swing on it swing too "
        "little, because the time steps have removed this share of the energy at work; {}",
        lost_.second, percent(lost_.first), remedy(integrator_));
  }
  if (lost_in_impacts_ > least_part_of_impacts * lost_.first) {
    return fmt::format(
        "'{}' rebounds too little, as if it were damped: the time steps are too long for its impacts and have removed "
        "{} of its energy at work. {}. If its rebounds matter, set `time.accuracy` to 0.02, or to a tenth of what it "
        "is",
        lost_.second, percent(std::min(1.0, lost_.first + lost_in_impacts_)), still_right);
  }
  return fmt::format(
      "'{}' swings, turns or flies up to {} too low and up to {} too slowly, as if it were damped: the time steps have "
      "removed {}, not counting impacts. {}. If its motion matters, {}",
      lost_.second, percent(share), percent(1.0 - std::sqrt(1.0 - share)), removed, still_right, remedy(integrator_));
}

void EnergyMonitor::add_energy_warnings(std::vector<RunWarning>& warnings) const {
  if (gained_.first > gain_limit) {
    warnings.push_back(
        {"energy_gained",
         fmt::format("the time integrator has added {} to the energy at work in '{}', so that its swings, flights and "
                     "rebounds are up to {} too high and its speeds up to {} too large; {}",
                     percent(gained_.first), gained_.second, percent(gained_.first),
                     percent(std::sqrt(1.0 + gained_.first) - 1.0), remedy(integrator_))});
  } else if (made_share_ > made_limit) {
    warnings.push_back(
        {"energy_gained",
         fmt::format("one step has added {} to the energy at work in the scene, as happens in impacts if the "
                     "step is too long for them; all later motion is that much too fast; set `time.accuracy`, or use a "
                     "shorter step",
                     percent(made_share_))});
  }
  // The loss of a drive in a jump of its own is no impact.
  if (lost_.first > loss_limit || (!is_loser_driven_ && lost_in_impacts_ > impact_limit)) {
    warnings.push_back({"energy_lost", loss_text()});
  }
}

void EnergyMonitor::add_coarse_step_warnings(std::vector<RunWarning>& warnings) const {
  if (coarse_.first > 0.0) {
    warnings.push_back(
        {"coarse_step", fmt::format("{} moved past each other by {:.2g} times the size of the smaller one in one step. "
                                    "They did not pass through each other, but one may have moved around the other, "
                                    "and impacts are not resolved. Use a step that is {:.2g} times shorter",
                                    coarse_.second, coarse_.first, coarse_.first / resolved_motion)});
  }
  if (turned_.first > 0.0) {
    warnings.push_back(
        {"coarse_turn",
         fmt::format("'{}' turns too slowly, because it turned by up to {:.2g} rad in one step. Torques also turn it "
                     "too little. Use a step that is at least {:.2g} times shorter",
                     turned_.second, turned_.first, turned_.first / resolved_turn)});
  }
}

void EnergyMonitor::add_strain_warnings(std::vector<RunWarning>& warnings) const {
  if (stiff_strain_.first > 0.0) {
    warnings.push_back(
        {"stiff_body_strained",
         fmt::format("'{}' was strained by up to {:.2g} % (at {:.4g} s), more than the 0.1 % that is allowed for a "
                     "stiff body: the forces on it exceed what its stiffness can carry. Look for motions, drives or "
                     "joints that close on it; otherwise give it a larger `stiffness`, or the kind rigid",
                     stiff_strain_.second, 100.0 * stiff_strain_.first, time_of_stiff_strain_)});
  }
  if (large_rotation_.first > 0.0) {
    warnings.push_back(
        {"large_rotation",
         fmt::format("elements of '{}' turned by up to {:.0f} degrees, but its material, linear_elasticity, is only "
                     "valid for small rotations: this rotation counts as a strain of {:.2g} %, and a part that bends "
                     "becomes longer. Use the model neo_hookean or st_venant_kirchhoff",
                     large_rotation_.second, large_rotation_.first * 57.29577951308232,
                     100.0 * (1.0 - elementary::cos(large_rotation_.first)))});
  }
  if (curved_.first > 1.0) {
    warnings.push_back(
        {"curved_surfaces", fmt::format("the boundary of '{}' became so round that its flat pieces are up to {:.3g} "
                                        "times as far from it as min_separation covers, so that curved surfaces may "
                                        "have met; use more pieces (collision_surface) or a larger min_separation",
                                        curved_.second, curved_.first)});
  }
  if (at_work_ > 0.0 && largest_strain_ / at_work_ > strain_limit && strained_.first > least_strain) {
    warnings.push_back(
        {"joint_strained",
         fmt::format(
             "joints store up to {:.3g} % of the energy at work ({:.3g} J), and {} is out of place by {:.2g} % of its "
             "body's radius; find the drive, motion or load that works against something that does not give way",
             100.0 * largest_strain_ / at_work_, at_work_, strained_.second, 100.0 * strained_.first)});
  }
}

void EnergyMonitor::add_gap_warnings(std::vector<RunWarning>& warnings) const {
  // A contact that bears next to nothing may have all of that from its gap.
  std::pair<double, std::string> worst;
  for (const auto& [force, gap] : contact_gaps_) {
    if (force >= least_force * largest_force_over_gap_) worst = std::max(worst, gap);
  }
  if (worst.first > gap_limit) {
    const std::string share =
        worst.first < 1.0 ? fmt::format("up to {:.2g} %", 100.0 * worst.first) : std::string("most");
    warnings.push_back(
        {"contact_gap", fmt::format("the contact gap between {} accounts for {} of the contact force between them. "
                                    "The force and the stresses there are too large by this share. Use a smaller "
                                    "contact.dhat, or shorter steps (contact_gap of stats.jsonl)",
                                    worst.second, share)});
  }
  if (deflection_gap_.first > gap_limit) {
    warnings.push_back(
        {"contact_gap",
         fmt::format(
             "the contact gaps of '{}' are {:.2g} % of its deformation. Bodies that press on it have approached too "
             "little, by this share. Use a smaller contact.dhat (contact_gap of stats.jsonl)",
             deflection_gap_.second, 100.0 * deflection_gap_.first)});
  }
}

void EnergyMonitor::add_adaptation_warnings(std::vector<RunWarning>& warnings) const {
  if (at_work_ > 0.0 && adaptation_.made > gain_limit * at_work_) {
    warnings.push_back({"adaptation_gained",
                        fmt::format("moving strained bodies to coarser elements has added {:.3g} % to the energy at "
                                    "work in the scene (elastic_loss, kinetic_loss of stats.jsonl); at best the time "
                                    "integrator removes it again; use a smaller relative_loss, or collapse: false",
                                    100.0 * adaptation_.made / at_work_)});
  }
  if (num_adaptable_ > 0 && adaptation_.num_done == 0.0) {
    warnings.push_back(
        {"nothing_adapted",
         fmt::format("the scene asks for elements that adapt (remesh), but none did in {} steps: {:.0f} operations "
                     "were tried and gained too little, and {:.0f} were refused because of quality, short edges, dhat "
                     "or limits of number and depth; if a body bends or is pressed, compare with a run with a tenth of "
                     "the required gain, or with finer elements",
                     num_adaptable_, adaptation_.num_rejected, adaptation_.num_unsafe)});
  }
}

std::vector<RunWarning> EnergyMonitor::warnings() const {
  std::vector<RunWarning> warnings;
  add_energy_warnings(warnings);
  add_coarse_step_warnings(warnings);
  add_strain_warnings(warnings);
  add_gap_warnings(warnings);
  add_adaptation_warnings(warnings);
  return warnings;
}

}  // namespace clearance
