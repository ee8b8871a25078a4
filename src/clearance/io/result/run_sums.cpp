#include "clearance/io/result/run_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace clearance {

namespace {

/// Returns the number of a key, which counts as 0 if it is missing or not finite.
template <class T>
double number_of(const std::vector<std::pair<std::string, T>>& entries, std::string_view key) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == key; });
  const double number = found == entries.end() ? 0.0 : static_cast<double>(found->second);
  return std::isfinite(number) ? number : 0.0;
}

double finite(double number) {
  return std::isfinite(number) ? number : 0.0;
}

/// Returns a share and the name that it belongs to, or nothing without a name.
std::pair<double, std::string> share_of(double share, const std::string& whose) {
  return whose.empty() ? std::pair<double, std::string>() : std::pair(finite(share), whose);
}

std::pair<double, std::string> coarse_share(const StepRecord::Coarse& coarse) {
  if (!(finite(coarse.share) > 0.0)) return {};
  std::string names;
  for (const std::string& body : coarse.bodies) names += (names.empty() ? "'" : " and '") + body + "'";
  return {coarse.share, names};
}

std::optional<StepEnergies::Adaptation> adaptation_of(const StepRecord::Remesh& remesh) {
  if (remesh.counts.empty()) return std::nullopt;
  StepEnergies::Adaptation adaptation{
      0.0, number_of(remesh.counts, "rejected"), number_of(remesh.counts, "unsafe"),
      -number_of(remesh.numbers, "elastic_loss") - number_of(remesh.numbers, "kinetic_loss")};
  for (const char* key : {"splits", "collapses", "swaps", "smoothings"}) {
    adaptation.num_done += number_of(remesh.counts, key);
  }
  return adaptation;
}

StepEnergies energies_of(const StepRecord& record) {
  const StepRecord::Gap& gap = record.contact_gap;
  const bool has_deflection = !gap.deflected.empty();
  return {number_of(record.energy, "kinetic"),
          number_of(record.energy, "joint"),
          number_of(record.account, "kinetic"),
          number_of(record.account, "stored"),
          number_of(record.account, "impacts") + number_of(record.account, "integrator"),
          {finite(record.gained.share), record.gained.body},
          {finite(record.lost.share), record.lost.body},
          share_of(record.strained.share, record.strained.joint),
          coarse_share(record.coarse),
          share_of(record.turned.angle, record.turned.body),
          share_of(record.curved.share, record.curved.body),
          adaptation_of(record.remesh),
          share_of(record.stiff_strain.strain, record.stiff_strain.body),
          share_of(record.large_rotation.angle, record.large_rotation.body),
          record.time,
          finite(record.lost.hit),
          record.lost.is_driven,
          has_deflection ? std::pair<double, std::string>() : share_of(gap.share, gap.bodies),
          has_deflection ? share_of(gap.share, gap.deflected) : std::pair<double, std::string>(),
          finite(gap.force)};
}

}  // namespace

void RunSums::add(const StepRecord& record) {
  ++num_steps_;
  total_seconds_ += number_of(record.seconds, "total");
  newton_iterations_ += record.newton_iterations;
  min_distance_ = std::min(min_distance_, record.min_distance);
  ++num_steps_by_status_[record.status.empty() ? "unknown" : record.status];
  if (record.status == "prescribed_motion_blocked" && first_block_.second.empty()) {
    first_block_ = {record.time, record.limited_by.empty() ? "see limited_by in stats.jsonl" : record.limited_by};
  }
  if (record.inaccurate > 0) {
    num_inaccurate_ += record.inaccurate;
    if (record.time_error > worst_part_.second) worst_part_ = {record.time, record.time_error};
  }
  if (!record.unstable.body.empty()) {
    Unstable& unstable = record.unstable.is_left ? left_ : kept_;
    if (unstable.num_steps++ == 0) unstable.first = record;
  }
  if (record.free_motion.distance > free_motion_.distance) {
    free_motion_ = record.free_motion;
    time_of_free_motion_ = record.time;
  }
  if (!record.account.empty() && !record.energy.empty()) energy_.add(energies_of(record));
}

namespace {

/// Returns which share of the loads a body bears, if its softening is in proportion to them.
std::string critical_share(double quotient) {
  const double share = 1.0 / (1.0 - quotient);
  return share > 0.2 ? fmt::format(", at about {:.2g} of the loads there", share) : std::string();
}

}  // namespace

/// Adds that bodies were in balances from which the least disturbance leads away.
void RunSums::add_stability_warnings(std::vector<RunWarning>& warnings) const {
  if (left_.num_steps > 0) {
    const StepRecord& first = left_.first;
    warnings.push_back(
        {"buckled",
         fmt::format("'{}' has buckled or snapped through in the step to {:.4g} s{}{}. The balance found first was "
                     "unstable, and the step went on to a stable one. The side is arbitrary if the body is symmetric. "
                     "To choose it, add a small load, or a bow of the mesh, on that side",
                     first.unstable.body, first.time, critical_share(first.unstable.quotient),
                     left_.num_steps > 1 ? fmt::format(", and bodies did so in {} more steps", left_.num_steps - 1)
                                         : std::string())});
  }
  if (kept_.num_steps > 0) {
    const StepRecord& first = kept_.first;
    warnings.push_back(
        {"unstable_equilibrium",
         fmt::format("{} of {} steps ended in an unstable balance, the first at {:.4g} s. The smallest disturbance "
                     "would move '{}' away from it{}, and the program found no stable balance nearby. Add a small load "
                     "or a bow of the mesh, or simulate the motion with inertia",
                     kept_.num_steps, num_steps_, first.time, first.unstable.body,
                     critical_share(first.unstable.quotient))});
  }
}

/// Adds that bodies have moved where nothing resists.
void RunSums::add_free_motion_warning(std::vector<RunWarning>& warnings) const {
  if (free_motion_.body.empty()) return;
  warnings.push_back(
      {"free_motion",
       fmt::format(
           "nothing resists some motion of '{}', which moved by {:.3g} m along it in the step to {:.4g} s. That "
           "motion is arbitrary, and so is whatever depends on it. Hold the body in every direction, with "
           "friction or soft springs (`static.hold_free`) if nothing else holds it in reality",
           free_motion_.body, free_motion_.distance, time_of_free_motion_)});
}

std::vector<RunWarning> RunSums::warnings() const {
  std::vector<RunWarning> warnings = energy_.warnings();
  add_stability_warnings(warnings);
  add_free_motion_warning(warnings);
  if (const auto locked = num_steps_by_status_.find("locked"); locked != num_steps_by_status_.end()) {
    warnings.push_back(
        {"coarse_step",
         fmt::format("{} of {} steps ended `locked`: contacts blocked almost all motion in steps of this "
                     "length, so that bodies stood still or lost speed. Later results are wrong. Use a "
                     "step that is at least ten times shorter",
                     locked->second, num_steps_)});
  }
  if (num_inaccurate_ > 0) {
    const bool is_one = num_inaccurate_ == 1;
    warnings.push_back(
        {"inaccurate_step",
         fmt::format("`time.accuracy` is not reached in {} with `time.max_halvings` halvings. {}, before {:.4g} s, may "
                     "be wrong by {:.2g} of a body's momentum. Increase `time.max_halvings`",
                     is_one ? "1 part of a step" : fmt::format("{} parts of steps", num_inaccurate_),
                     is_one ? "It" : "The worst", worst_part_.first, worst_part_.second)});
  }
  if (const auto blocked = num_steps_by_status_.find("prescribed_motion_blocked");
      blocked != num_steps_by_status_.end()) {
    warnings.push_back({"motion_blocked",
                        fmt::format("in {} of {} steps a prescribed motion or an obstacle did not get to its target, "
                                    "because something between did not give way; the first at {:.4g} s: {}",
                                    blocked->second, num_steps_, first_block_.first, first_block_.second)});
  }
  return warnings;
}

}  // namespace clearance
