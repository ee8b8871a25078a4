#include "clearance/derivatives/scene_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "clearance/io/scene_reader.h"
#include "clearance/scene/json.h"
#include "clearance/scene/key_places.h"
#include "clearance/simulation/build/build_scene_model.h"
#include "clearance/simulation/build/motion_targets.h"
#include "clearance/simulation/load/load_bodies.h"
#include "clearance/simulation/stepping/stepped_scene.h"

namespace clearance::derivatives {

namespace {

/// A value of a scene, or why there is none.
struct Found {
  const Json* value = nullptr;
  std::string problem;
};

std::string hint_beside(const Json& object, const std::string& place, const std::string& key) {
  std::vector<std::string_view> known;
  for (const auto& [name, value] : object.items()) known.push_back(name);
  return hint_for_key(key, place, known);
}

/// Finds the value at a path such as bodies[0].material.density.
Found find_value(const Json& root, const std::string& path) {
  const Json* at = &root;
  std::string_view rest = path;
  const auto failed = [&](std::string why) { return Found{nullptr, "the scene has no such entry; " + std::move(why)}; };
  while (!rest.empty()) {
    std::string place = path.substr(0, path.size() - rest.size());
    if (rest[0] == '[') {
      const std::size_t close = rest.find(']');
      std::size_t index = 0;
      if (close == std::string_view::npos) return failed("a `]` is missing");
      const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + close, index);
      if (error != std::errc() || end != rest.data() + close) return failed("expected a whole number in `[ ]`");
      if (!at->is_array()) return failed(fmt::format("`{}` is {} and no list", place, type_text(*at)));
      if (index >= at->size()) {
        return failed(at->empty() ? fmt::format("`{}` is empty", place)
                                  : fmt::format("`{}` has entries from [0] to [{}]", place, at->size() - 1));
      }
      at = &(*at)[index];
      rest.remove_prefix(close + 1);
    } else {
      if (rest[0] == '.') rest.remove_prefix(1);
      const std::string key(rest.substr(0, rest.find_first_of(".[")));
      if (!at->is_object()) {
        return failed(at->is_array() ? fmt::format("`{0}` is a list: expected `{0}[0]` or another entry", place)
                                     : fmt::format("`{}` is {} and has no entries", place, type_text(*at)));
      }
      if (!at->contains(key)) return failed(hint_beside(*at, place, key));
      at = &(*at)[key];
      rest.remove_prefix(key.size());
    }
  }
  return {at, ""};
}

/// Returns the number that stands for a value: itself, or what a file may give as one number of a list: the turn about
/// z of a scene in the plane, or a factor that is the same along all axes.
std::optional<double> number_in(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_array() || value.size() != 3) return std::nullopt;
  for (const Json& part : value) {
    if (!part.is_number()) return std::nullopt;
  }
  if (value[0] == value[1] && value[1] == value[2] && value[0] != 0.0) return value[0].get<double>();
  if (value[0] == 0.0 && value[1] == 0.0 && value[2] != 0.0) return value[2].get<double>();
  return std::nullopt;
}

/// Finds the list of numbers that a parameter is in.
void find_list(const Json& root, Parameter& parameter) {
  const std::size_t open = parameter.path.rfind('[');
  if (parameter.path.empty() || parameter.path.back() != ']') return;
  const std::string path = parameter.path.substr(0, open);
  const Json* list = find_value(root, path).value;
  for (const Json& number : *list) {
    if (!number.is_number()) return;
  }
  parameter.list = path;
  parameter.numbers = list->get<std::vector<double>>();
  parameter.place = std::stoul(parameter.path.substr(open + 1));
}

/// True if the parameter is one of the numbers that derivatives hold otherwise.
bool is_of_contact(const std::string& path) {
  return path.rfind("contact", 0) == 0 || path.rfind("friction", 0) == 0;
}

std::vector<std::size_t> history_sizes_of(const Model& model) {
  std::vector<std::size_t> sizes;
  for (const auto& potential : model.potentials) sizes.push_back(potential->history_size());
  while (!sizes.empty() && sizes.back() == 0) sizes.pop_back();
  return sizes;
}

}  // namespace

std::vector<std::string> overrides_of(const std::vector<Parameter>& parameters, const std::vector<double>& values) {
  std::vector<std::string> overrides;
  std::map<std::string, std::vector<double>> lists;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Parameter& parameter = parameters[k];
    if (parameter.list.empty()) {
      overrides.push_back(fmt::format("{}={:.17g}", parameter.path, values[k]));
    } else {
      lists.try_emplace(parameter.list, parameter.numbers).first->second[parameter.place] = values[k];
    }
  }
  for (const auto& [path, numbers] : lists) {
    std::string text = path + "=[";
    for (std::size_t i = 0; i < numbers.size(); ++i) text += fmt::format("{}{:.17g}", i > 0 ? "," : "", numbers[i]);
    overrides.push_back(text + "]");
  }
  return overrides;
}

HeldContact::HeldContact(const SceneModel& scene)
    : scales(scene.model.contact_scales),
      at_rest(scene.model.contact_at_rest),
      options(scene.options),
      bbox_diagonal(scene.model.bbox_diagonal),
      num_unknowns(scene.initial_state.x.size()),
      num_vertices(scene.model.surface.num_vertices),
      history_sizes(history_sizes_of(scene.model)) {}

void HeldContact::hold(const Parameter& parameter, SceneModel& scene) const {
  if (is_of_contact(parameter.path)) return;
  scene.model.contact_scales = scales;
  scene.model.contact_at_rest = at_rest;
  scene.options = options;
  scene.model.bbox_diagonal = bbox_diagonal;
}

Result<std::vector<Parameter>> find_parameters(const SceneDesc& scene, const std::vector<std::string>& paths) {
  const Json root = Json::parse(scene_text("", scene), nullptr, false, true);
  std::vector<Parameter> parameters;
  Issues issues;
  for (const std::string& path : paths) {
    const auto [value, problem] = find_value(root, path);
    if (value == nullptr) {
      issues.push_back({"", path, "", problem});
    } else if (path == "contact.kappa" && *value == 0.0) {
      issues.push_back({"", path, "0", "0 lets the program choose the stiffness; give a number to differentiate by"});
    } else if (value->is_number_integer()) {
      issues.push_back({"", path, brief_text(*value), "this is a whole number, and no result has a derivative by it"});
    } else if (const std::optional<double> number = number_in(*value)) {
      Parameter parameter{path, *number, {}, {}, 0};
      find_list(root, parameter);
      parameters.push_back(std::move(parameter));
    } else {
      issues.push_back(
          {"", path, brief_text(*value), fmt::format("expected the path of a number; this is {}", type_text(*value))});
    }
  }
  if (!issues.empty()) return issues;
  return parameters;
}

bool is_allowed(const SceneMaker& make, const Parameter& parameter, double value) {
  Result<SceneDesc> desc = make(overrides_of({parameter}, {value}));
  return desc && !has_errors(check_scene(*desc));
}

Result<std::unique_ptr<SceneVariant>> make_variant(const SceneMaker& make, const Parameter& parameter, double value,
                                                   const HeldContact& held) {
  Result<SceneDesc> desc = make(overrides_of({parameter}, {value}));
  if (!desc) return desc.issues();
  if (Issues issues = check_scene(*desc); has_errors(issues)) return issues;
  Result<LoadedBodies> bodies = load_bodies(*desc);
  if (!bodies) return bodies.issues();
  auto variant = std::make_unique<SceneVariant>();
  variant->desc = std::move(*desc);
  variant->scene = std::make_unique<SceneModel>(build_scene_model(variant->desc, std::move(bodies->instances)));
  SceneModel& scene = *variant->scene;
  const bool has_same_size =
      scene.initial_state.x.size() == held.num_unknowns && scene.model.surface.num_vertices == held.num_vertices;
  if (has_same_size && history_sizes_of(scene.model) != held.history_sizes) {
    return Issue{
        "", parameter.path, fmt::format("{}", value),
        "with this value, the scene remembers more or less from step to step than with the given one, as joints "
        "do that rub and materials that yield, so that no result has a derivative by it there; if it is 0, "
        "give it a small value, far below those that matter"};
  }
  if (!has_same_size) {
    return Issue{"", parameter.path, fmt::format("{}", value),
                 "this number decides how many unknowns there are, so that no result has a derivative by it"};
  }
  Issues issues = scene.issues;
  held.hold(parameter, scene);
  variant->probes = Probes(variant->desc, scene, issues);
  if (has_errors(issues)) return issues;
  variant->distances = ContactDistances(scene);
  start_accelerations(scene, scene.initial_state);
  return variant;
}

}  // namespace clearance::derivatives
