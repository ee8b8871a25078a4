#include "apps/cli/sweep_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "clearance/render/field.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/json.h"
#include "clearance/scene/nearest_name.h"
#include "clearance/scene/validate.h"

namespace clearance::cli {
namespace {

using Names = std::vector<std::string_view>;

/// Keys that a line of stats.jsonl may have; a test compares them with what a run writes.
const Names& stats_keys() {
  static const Names keys = {"step",
                             "time",
                             "status",
                             "newton_iterations",
                             "partial_iterations",
                             "contacts",
                             "min_distance",
                             "residual",
                             "kappa",
                             "energy",
                             "friction_work",
                             "imbalance",
                             "account",
                             "gained",
                             "lost",
                             "strained",
                             "coarse",
                             "turned",
                             "curved",
                             "momentum",
                             "remesh",
                             "seconds",
                             "counters",
                             "controls",
                             "smallest_alpha",
                             "limited_by",
                             "iterations",
                             "frame",
                             "state_hash"};
  return keys;
}

/// Keys of the inner objects that are the same in every scene.
const std::map<std::string, Names, std::less<>>& inner_keys() {
  static const std::map<std::string, Names, std::less<>> keys = {
      {"momentum", {"total", "change", "impulse", "integrator"}},
      {"remesh",
       {"elements", "vertices", "splits", "collapses", "swaps", "smoothings", "rejected", "unsafe", "gain",
        "kinetic_loss", "elastic_loss", "seconds", "momentum_loss", "angular_momentum_loss"}}};
  return keys;
}

std::string advice(std::string_view word, const Names& known) {
  const std::string_view nearest = nearest_name(word, known);
  return nearest.empty() ? "known: " + quoted_list(known) : fmt::format("did you mean `{}`?", nearest);
}

/// Returns the problem of a column; empty if stats.jsonl may have it.
std::string problem_of_stats(const std::string& column) {
  const std::size_t end = std::min(column.find_first_of(".["), column.size());
  const std::string key = column.substr(0, end);
  const Names& known = stats_keys();
  if (std::find(known.begin(), known.end(), key) == known.end()) {
    return "no line of stats.jsonl has this key; " + advice(key, known);
  }
  const auto inner = inner_keys().find(key);
  if (inner == inner_keys().end() || end == column.size()) return "";
  const std::string rest = column.substr(end + 1, column.find_first_of(".[", end + 1) - end - 1);
  const Names& parts = inner->second;
  if (std::find(parts.begin(), parts.end(), rest) != parts.end()) return "";
  return fmt::format("`{}` of stats.jsonl has no `{}`; {}", key, rest, advice(rest, parts));
}

/// Returns the problem of a probe's column, `name.part [unit]`; names may contain dots.
std::string problem_of_probe(const std::string& column, const std::set<std::string>& probes) {
  for (const char* of_all : {"step", "time", "time [s]", "time [ms]"}) {
    if (column == of_all) return "";
  }
  for (const std::string& probe : probes) {
    if (column == probe ||
        (column.starts_with(probe) && std::string_view(". [").find(column[probe.size()]) != std::string_view::npos)) {
      return "";
    }
  }
  if (probes.empty()) return "the scene has no `output.probes`";
  const Names names(probes.begin(), probes.end());
  return fmt::format("`output.probes` of the scene has no such probe; {}",
                     advice(column.substr(0, column.find_first_of(".[ ")), names));
}

void check_picture(const sweep::Picture& picture, const RunOffer& offer, const std::string& file, Issues& issues) {
  if (picture.frame >= offer.num_frames || picture.frame < -offer.num_frames) {
    issues.push_back({file, "picture.frame", std::to_string(picture.frame),
                      fmt::format("no run has this frame; expected {} to {}, or -1 for the last, -2 for the one before",
                                  0, offer.num_frames - 1)});
  }
  const std::string name = render::full_name_of(picture.color);
  if (name == "body" || name == "displacement" || offer.arrays.count(name) > 0) return;
  issues.push_back({file, "picture.color", picture.color,
                    "the table will have no pictures: " + render::advice_for_missing(picture.color),
                    Severity::warning});
}

}  // namespace

void RunOffer::add(const SceneDesc& scene, const sweep::Plan& plan) {
  for (const ProbeDesc& probe : scene.output.probes) probes.insert(probe.name);
  for (const char* always : {"body", "is_obstacle", "velocity"}) arrays.insert(always);
  if (scene.output.contact_forces) arrays.insert("contact_force");
  for (const OutputField field : scene.output.fields) arrays.insert(std::string(enum_name(field)));
  const int steps = plan.steps.value_or(num_steps(scene.time)), interval = std::max(1, scene.output.frame_interval);
  // A run stores the start, every frame that is due, and the end.
  num_frames = std::max(num_frames, 1 + steps / interval + (steps % interval != 0 ? 1 : 0));
}

Issues check_requests(const sweep::Plan& plan, const RunOffer& offer) {
  Issues issues;
  const std::string file = plan.file.string();
  for (std::size_t i = 0; i < plan.collected.size(); ++i) {
    const sweep::Collected& one = plan.collected[i];
    std::string problem = one.is_probe ? problem_of_probe(one.column, offer.probes) : problem_of_stats(one.column);
    if (problem.empty()) continue;
    const std::string place = element_path("collect", i) + (one.is_probe ? ".probe" : ".stats");
    issues.push_back({file, place, one.column, std::move(problem)});
  }
  if (plan.picture) check_picture(*plan.picture, offer, file, issues);
  return issues;
}

}  // namespace clearance::cli
