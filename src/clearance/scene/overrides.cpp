#include "clearance/scene/overrides.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <variant>

#include "clearance/scene/json_number.h"

namespace clearance {
namespace {

// A key of an object or an index of an array.
using Step = std::variant<std::string, std::size_t>;

std::optional<std::size_t> parse_index(std::string_view text) {
  std::size_t index = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

// Splits `bodies[0].material.density` into steps; returns nothing for an invalid path.
std::optional<std::vector<Step>> parse_path(std::string_view path) {
  std::vector<Step> steps;
  while (!path.empty()) {
    if (path[0] == '[') {
      const std::size_t close = path.find(']');
      if (steps.empty() || close == std::string_view::npos) return std::nullopt;
      const auto index = parse_index(path.substr(1, close - 1));
      if (!index) return std::nullopt;
      steps.emplace_back(*index);
      path.remove_prefix(close + 1);
      continue;
    }
    if (!steps.empty()) {
      if (path[0] != '.') return std::nullopt;
      path.remove_prefix(1);
    }
    const std::size_t end = std::min(path.find_first_of(".[]"), path.size());
    if (end == 0) return std::nullopt;
    steps.emplace_back(std::string(path.substr(0, end)));
    path.remove_prefix(end);
  }
  return steps.empty() ? std::nullopt : std::make_optional(steps);
}

// Returns the child that a step leads to, and creates it if it is a missing key. Returns null, with a message, if there
// is no such child.
Json* go_to(Json& parent, const Step& step, const std::string& place, std::string& problem) {
  if (const auto* key = std::get_if<std::string>(&step)) {
    if (parent.is_null()) parent = Json::object();
    if (parent.is_object()) return &parent[*key];
    problem = fmt::format("`{}` is {}, so it has no key `{}`", place, type_text(parent), *key);
    return nullptr;
  }
  const std::size_t index = std::get<std::size_t>(step);
  if (parent.is_null()) {
    problem = fmt::format("the scene does not give `{}`, so it has no entry {}; set it as a whole", place, index);
  } else if (!parent.is_array()) {
    problem = fmt::format("`{}` is {}, so it has no entry {}", place, type_text(parent), index);
  } else if (index >= parent.size()) {
    problem = fmt::format("`{}` has no entry {}: it has {}", place, index, parent.size());
  } else {
    return &parent[index];
  }
  return nullptr;
}

// Sets the kind of all stiff bodies, affine and rigid ones.
std::string set_stiff_kind(Json& root, const std::string& kind) {
  if (kind != "affine" && kind != "rigid") return "expected `affine` or `rigid`, the type of all stiff bodies";
  const auto bodies = root.find("bodies");
  if (bodies == root.end() || !bodies->is_array()) return "the scene has no bodies";
  bool has_stiff = false;
  for (Json& body : *bodies) {
    if (!body.is_object() || !body.contains("kind")) continue;
    const bool is_stiff = body["kind"] == Json("affine") || body["kind"] == Json("rigid");
    if (is_stiff) body["kind"] = kind;
    has_stiff = has_stiff || is_stiff;
  }
  if (has_stiff) return {};
  return "the scene has no stiff bodies, so that this option has no effect; the kind of one body is set by "
         "`bodies[0].kind=" +
         kind + "`";
}

std::string apply(Json& root, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return "expected `path=value`, for example `time.step=0.01`";
  if (text.substr(0, equals) == "bodies.type") return set_stiff_kind(root, text.substr(equals + 1));
  const auto steps = parse_path(std::string_view(text).substr(0, equals));
  if (!steps) return "expected a path such as `bodies[0].material.density` before `=`";
  std::string problem;
  std::string place;
  // Work on a copy, so that an override that fails leaves no half-made objects behind.
  Json changed = root;
  Json* target = &changed;
  for (const Step& step : *steps) {
    target = go_to(*target, step, place.empty() ? "the scene" : place, problem);
    if (target == nullptr) return problem;
    const auto* key = std::get_if<std::string>(&step);
    place = key != nullptr ? child_path(place, *key) : element_path(place, std::get<std::size_t>(step));
  }
  const std::string value = text.substr(equals + 1);
  if (std::string number = problem_of_number(value); !number.empty()) return number;
  const Json parsed = Json::parse(value, nullptr, false);
  *target = parsed.is_discarded() ? Json(value) : parsed;
  root = std::move(changed);
  return {};
}

}  // namespace

void apply_overrides(Json& root, const std::vector<std::string>& overrides, Issues& issues) {
  for (const std::string& text : overrides) {
    const std::string problem = apply(root, text);
    if (!problem.empty()) issues.push_back({"", "override `" + text + "`", "", problem});
  }
}

}  // namespace clearance
