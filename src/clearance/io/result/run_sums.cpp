#include "clearance/io/result/run_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace clearance {

using Json = nlohmann::ordered_json;

namespace {

double number_in(const Json& object, const char* key, double otherwise) {
  return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : otherwise;
}

/// Returns a share and the name that it belongs to.
std::pair<double, std::string> share_in(const Json& record, const char* key, const char* whose,
                                        const char* value = "share") {
  if (!record.contains(key) || !record[key].is_object()) return {};
  const Json& share = record[key];
  return {number_in(share, value, 0.0), share.contains(whose) && share[whose].is_string() ? share[whose] : ""};
}

std::pair<double, std::string> coarse_share(const Json& record) {
  std::pair<double, std::string> coarse = share_in(record, "coarse", "bodies");
  if (coarse.first > 0.0 && record["coarse"].contains("bodies")) {
    for (const Json& body : record["coarse"]["bodies"]) {
      if (body.is_string()) coarse.second += (coarse.second.empty() ? "'" : " and '") + body.get<std::string>() + "'";
    }
  }
  return coarse;
}

StepEnergies::Adaptation adaptation_of(const Json& remesh) {
  StepEnergies::Adaptation adaptation{0.0, number_in(remesh, "rejected", 0.0), number_in(remesh, "unsafe", 0.0),
                                      -number_in(remesh, "elastic_loss", 0.0) - number_in(remesh, "kinetic_loss", 0.0)};
  for (const char* key : {"splits", "collapses", "swaps", "smoothings"}) {
    adaptation.num_done += number_in(remesh, key, 0.0);
  }
  return adaptation;
}

/// Returns the share of a deflection, or else of a contact force, that a gap accounts for.
std::pair<double, std::string> gap_share(const Json& record, bool is_of_deflection) {
  const bool has_deflection = record.contains("contact_gap") && record["contact_gap"].contains("deflected");
  if (has_deflection != is_of_deflection) return {};
  return share_in(record, "contact_gap", has_deflection ? "deflected" : "bodies");
}

/// Energies of a step, from its line of the statistics.
StepEnergies energies_of(const Json& record) {
  const Json &account = record["account"], &energy = record["energy"];
  return {number_in(energy, "kinetic", 0.0),
          number_in(energy, "joint", 0.0),
          number_in(account, "kinetic", 0.0),
          number_in(account, "stored", 0.0),
          number_in(account, "impacts", 0.0) + number_in(account, "integrator", 0.0),
          share_in(record, "gained", "body"),
          share_in(record, "lost", "body"),
          share_in(record, "strained", "joint"),
          coarse_share(record),
          share_in(record, "turned", "body", "angle"),
          share_in(record, "curved", "body"),
          record.contains("remesh") ? std::optional(adaptation_of(record["remesh"])) : std::nullopt,
          share_in(record, "stiff_strain", "body", "strain"),
          share_in(record, "large_rotation", "body", "angle"),
          number_in(record, "time", 0.0),
          share_in(record, "lost", "body", "impacts").first,
          record.contains("lost") && record["lost"].is_object() && record["lost"].contains("driven"),
          gap_share(record, false),
          gap_share(record, true),
          record.contains("contact_gap") ? number_in(record["contact_gap"], "force", 0.0) : 0.0};
}

}  // namespace

void RunSums::add(const nlohmann::ordered_json& record) {
  ++num_steps_;
  if (!record.is_object()) return;
  if (record.contains("seconds")) total_seconds_ += number_in(record["seconds"], "total", 0.0);
  newton_iterations_ += static_cast<long>(number_in(record, "newton_iterations", 0.0));
  min_distance_ = std::min(min_distance_, number_in(record, "min_distance", infinity));
  const bool has_status = record.contains("status") && record["status"].is_string();
  ++num_steps_by_status_[has_status ? record["status"].get<std::string>() : "unknown"];
  if (has_status && record["status"] == "prescribed_motion_blocked" && first_block_.second.empty()) {
    const bool has_reason = record.contains("limited_by") && record["limited_by"].is_string();
    first_block_ = {number_in(record, "time", 0.0),
                    has_reason ? record["limited_by"].get<std::string>() : "see limited_by in stats.jsonl"};
  }
  if (const double inaccurate = number_in(record, "inaccurate", 0.0); inaccurate > 0.0) {
    num_inaccurate_ += static_cast<long>(inaccurate);
    const double error = number_in(record, "time_error", 0.0);
    if (error > worst_part_.second) worst_part_ = {number_in(record, "time", 0.0), error};
  }
  if (!record.contains("account") || !record.contains("energy")) return;
  energy_.add(energies_of(record));
}

std::vector<RunWarning> RunSums::warnings() const {
  std::vector<RunWarning> warnings = energy_.warnings();
  if (const auto locked = num_steps_by_status_.find("locked"); locked != num_steps_by_status_.end()) {
    warnings.push_back(
        {"coarse_step", fmt::format("{} of {} steps ended `locked`: contacts let bodies go nowhere in a step of this "
                                    "length, so that they stood still or lost speed that they should have kept; what "
                                    "follows is wrong. Use a step that is at least ten times shorter",
                                    locked->second, num_steps_)});
  }
  if (num_inaccurate_ > 0) {
    warnings.push_back(
        {"inaccurate_step",
         fmt::format("{} parts of steps are as short as `time.max_halvings` lets them be, and still less "
                     "accurate than `time.accuracy` asks; the worst one, before {:.4g} s, may be wrong "
                     "by {:.2g} of a body's momentum. Allow more halvings",
                     num_inaccurate_, worst_part_.first, worst_part_.second)});
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
