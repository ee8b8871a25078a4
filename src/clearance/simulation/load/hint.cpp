#include "clearance/simulation/load/hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace clearance {

std::string shape_place(const SceneDesc& scene, int desc) {
  const BodyDesc& body = scene.bodies[desc];
  return fmt::format("bodies[{}].{}", desc, body.generator ? "generator" : body.geometry ? "geometry" : "mesh");
}

std::string place_text(const Vec<3>& x) {
  // Adding 0.0 turns negative zeros into zeros.
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0] + 0.0, x[1] + 0.0, x[2] + 0.0);
}

std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string list_some(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < 5; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
  return numbers.size() > 5 ? text + ", ..." : text;
}

std::string and_more(std::size_t num_bodies) {
  if (num_bodies == 0) return "";
  return fmt::format(" (and {} more bod{})", num_bodies, num_bodies == 1 ? "y" : "ies");
}

void add_hint(Issues& hints, const std::string& place, const std::string& message) {
  hints.push_back({"", place, "", message, Severity::warning});
}

void add_hint(NamedHints& hints, const std::string& name, const std::string& place, const std::string& message) {
  hints.push_back({name, {"", place, "", message, Severity::warning}});
}

void add_named_hint(NamedHints& hints, const std::string& name, const std::string& place, const std::string& message) {
  hints.push_back({name, {"", place, "", message, Severity::warning}, true});
}

namespace {

/// Names of warnings by a part of their place; the first that fits counts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> names_of_places = {{
    {"format", "older_format"},
    {"remesh", "doubtful_remesh"},
    {"collision_surface", "doubtful_collision_surface"},
    {"material_parts", "empty_region"},
    {"region", "doubtful_region"},
    {"mesh", "doubtful_mesh"},
    {"geometry", "doubtful_mesh"},
    {"generator", "doubtful_mesh"},
    {"joints", "doubtful_joint"},
    {"material", "doubtful_material"},
    {"contact", "doubtful_contact"},
}};

/// Returns true if the place has the key, alone or within a path: `bodies[0].mesh`, `remesh.largest_count`.
bool has_key(std::string_view place, std::string_view key) {
  const auto is_end = [](char c) { return c == '.' || c == '['; };
  for (std::size_t at = place.find(key); at != std::string_view::npos; at = place.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    if ((at == 0 || place[at - 1] == '.') && (end == place.size() || is_end(place[end]))) return true;
  }
  return false;
}

bool is_same(const Issue& a, const Issue& b) {
  return a.place == b.place && a.message == b.message;
}

}  // namespace

NamedHints named_by_place(const Issues& warnings, const std::string& otherwise) {
  NamedHints named;
  for (const Issue& warning : warnings) {
    const auto found = std::find_if(names_of_places.begin(), names_of_places.end(),
                                    [&](const auto& entry) { return has_key(warning.place, entry.first); });
    named.push_back({found != names_of_places.end() ? std::string(found->second) : otherwise, warning});
  }
  return named;
}

NamedHints merge_warnings(const Issues& of_file, const NamedHints& of_simulation) {
  NamedHints merged = named_by_place(of_file, "ignored_entry");
  for (const NamedHint& hint : of_simulation) {
    const auto told = std::find_if(merged.begin(), merged.begin() + std::ssize(of_file),
                                   [&](const NamedHint& other) { return is_same(other.issue, hint.issue); });
    if (told == merged.begin() + std::ssize(of_file)) {
      merged.push_back(hint);
    } else {
      told->name = hint.name;
      told->falsifies = hint.falsifies;
    }
  }
  return merged;
}

Issues issues_of(const NamedHints& hints) {
  Issues issues;
  for (const NamedHint& hint : hints) issues.push_back(hint.issue);
  return issues;
}

}  // namespace clearance
