#include "clearance/io/polyfem/polyfem_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "clearance/io/polyfem/polyfem_interpolation.h"
#include "clearance/scene/expression.h"

namespace clearance {
namespace {

class ConditionReader {
 public:
  explicit ConditionReader(const PolyfemValues& values) : values_(values) {}

  /// Reads the conditions at `key`. Values are vectors, or numbers, which become the first component.
  std::vector<PolyfemCondition> read(const ForeignObject& from, const char* key, bool is_scalar = false) {
    std::vector<PolyfemCondition> conditions;
    for (const ForeignObject& object : objects_of(from, key)) {
      if (std::optional<PolyfemCondition> condition = read_one(object, is_scalar))
        conditions.push_back(std::move(*condition));
    }
    return conditions;
  }

 private:
  std::optional<PolyfemCondition> read_one(const ForeignObject& from, bool is_scalar) {
    static const std::vector<std::string_view> known = {"id",  "value", "dimension", "interpolation", "time_reference",
                                                        "type"};
    std::vector<std::string> reported;
    from.warn_of_unknown_keys(known, reported);
    PolyfemCondition condition;
    condition.place = from.place();
    const bool has_ids = read_ids(from, condition.ids, condition.is_of_all);
    const std::optional<std::vector<double>> times = read_times(from, "time_reference");
    if (!times) return std::nullopt;
    const std::optional<Expressions> value = is_scalar ? scalar(from, *times) : values_.formulas(from, "value", *times);
    read_components(from, condition);
    if (!has_ids || !value) return std::nullopt;
    condition.value = *value;
    if (!multiply_over_time(from, condition.value)) return std::nullopt;
    return condition;
  }

  std::optional<Expressions> scalar(const ForeignObject& from, const std::vector<double>& times) const {
    const std::optional<std::string> formula = values_.formula(from, "value", times);
    if (!formula) return std::nullopt;
    return Expressions{*formula, "0", "0"};
  }

  /// Multiplies the value by the interpolation of all components, or of each. Returns false after an issue.
  bool multiply_over_time(const ForeignObject& from, Expressions& value) const {
    const Json* given = from.find("interpolation");
    if (given == nullptr || given->empty()) return true;
    const std::vector<ForeignObject> objects = objects_of(from, "interpolation");
    if (objects.empty()) return false;
    if (objects.size() != 1 && std::ssize(objects) < values_.dim) {
      from.error("interpolation", fmt::format("expected one object, or {}", values_.dim));
      return false;
    }
    for (int c = 0; c < values_.dim; ++c) {
      const std::optional<std::string> factor = read_interpolation(objects[objects.size() == 1 ? 0 : c], values_.time);
      if (!factor) return false;
      if (*factor != "1" && !is_zero({value[c], "0", "0"})) value[c] = fmt::format("({}) * {}", value[c], *factor);
    }
    return true;
  }

  void read_components(const ForeignObject& from, PolyfemCondition& condition) const {
    const Json* list = from.find("dimension");
    if (list == nullptr) return;
    const bool is_good = list->is_array() && std::ssize(*list) >= values_.dim &&
                         std::all_of(list->begin(), list->end(), [](const Json& flag) { return flag.is_boolean(); });
    if (!is_good) return from.error("dimension", fmt::format("expected {} times true or false", values_.dim));
    for (int c = 0; c < values_.dim; ++c) condition.components[c] = (*list)[c].get<bool>();
  }

  const PolyfemValues& values_;
};

using Components = std::array<bool, 3>;

bool has_any(const Components& components, int dim) {
  return std::find(components.begin(), components.begin() + dim, true) != components.begin() + dim;
}

class BodyConditions {
 public:
  BodyConditions(const PolyfemConditions& conditions, const PolyfemSelections& selections, int dim, BodyDesc& body,
                 Issues& issues)
      : conditions_(conditions), selections_(selections), dim_(dim), body_(body), issues_(issues) {
    for (const std::vector<int>& face : selections_.faces) {
      for (const int v : face) taken_.try_emplace(v, Components{false, false, false});
    }
  }

  void apply() {
    for (const PolyfemCondition& condition : conditions_.displacements) hold(condition);
    if (body_.kind == BodyKind::obstacle) return;
    for (const PolyfemCondition& condition : conditions_.tractions) {
      load_faces(condition, LoadKind::traction, [&](LoadDesc& load) { set_value(condition.value, load); });
    }
    for (const PolyfemCondition& condition : conditions_.pressures) press(condition);
    for (const PolyfemCondition& condition : conditions_.velocities) throw_body(condition);
    weigh();
  }

 private:
  std::vector<int> nodes_of_faces(const PolyfemCondition& condition) const {
    std::vector<int> nodes;
    for (std::size_t f = 0; f < selections_.faces.size(); ++f) {
      if (!condition.is_of(selections_.face_ids[f])) continue;
      nodes.insert(nodes.end(), selections_.faces[f].begin(), selections_.faces[f].end());
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  std::vector<int> nodes_of(const PolyfemCondition& condition) const {
    std::vector<int> nodes = nodes_of_faces(condition);
    for (std::size_t v = 0; v < selections_.node_ids.size(); ++v) {
      if (selections_.node_ids[v] != no_id && condition.is_of(selections_.node_ids[v]))
        nodes.push_back(static_cast<int>(v));
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  // Prescribes the nodes of a condition. A node in several conditions follows the first, because native motions would
  // add.
  void hold(const PolyfemCondition& condition) {
    if (!has_any(condition.components, dim_)) return;
    std::map<Components, std::vector<int>> nodes_with;
    for (const int v : nodes_of(condition)) {
      Components& taken = taken_.at(v);
      Components fresh = condition.components;
      for (std::size_t c = 0; c < 3; ++c) {
        fresh[c] = fresh[c] && !taken[c];
        taken[c] = taken[c] || fresh[c];
      }
      if (has_any(fresh, dim_)) nodes_with[fresh].push_back(v);
    }
    for (auto& [components, nodes] : nodes_with) {
      const bool is_whole = nodes.size() == taken_.size() && components == MotionDesc{}.components;
      if (is_whole && is_zero(condition.value)) {
        body_.kind = BodyKind::obstacle;
        body_.order = 0;
        body_.collision_surface.reset();
        body_.material = {};
        body_.material_parts.clear();
        return;
      }
      MotionDesc& motion = body_.motions.emplace_back();
      motion.components = components;
      if (!is_zero(condition.value)) motion.displacement = condition.value;
      motion.region.surface_only = nodes.size() == taken_.size();
      if (!motion.region.surface_only) motion.region.nodes = std::move(nodes);
    }
  }

  // Adds loads of a value on the faces of a condition, by `set`. A native load acts on all faces between its nodes: a
  // face that is not selected, among ones that are, divides them into several loads.
  template <class Set>
  void load_faces(const PolyfemCondition& condition, LoadKind kind, const Set& set) {
    if (is_zero(condition.value)) return;
    std::vector<std::size_t> wanted;
    for (std::size_t f = 0; f < selections_.faces.size(); ++f) {
      if (condition.is_of(selections_.face_ids[f])) wanted.push_back(f);
    }
    while (!wanted.empty()) {
      std::vector<std::size_t> rest;
      LoadDesc& load = body_.loads.emplace_back();
      load.kind = kind;
      load.region.nodes = take_faces(wanted, rest);
      set(load);
      wanted = std::move(rest);
    }
  }

  // Returns the corners of a face, which are its first nodes.
  std::span<const int> corners_of(std::size_t face) const {
    return std::span(selections_.faces[face]).first(static_cast<std::size_t>(dim_));
  }

  // Returns the nodes of as many of the wanted faces as have no others between them; `rest`: the faces that are left.
  std::vector<int> take_faces(std::vector<std::size_t> wanted, std::vector<std::size_t>& rest) const {
    const std::size_t first = wanted.front();
    while (true) {
      std::map<int, int> uses;  // per corner: the faces taken so far that have it
      for (const std::size_t f : wanted) {
        for (const int v : corners_of(f)) ++uses[v];
      }
      const auto is_taken = [&](std::size_t f) { return std::binary_search(wanted.begin(), wanted.end(), f); };
      const auto is_between = [&](std::size_t f) {
        const auto corners = corners_of(f);
        return std::all_of(corners.begin(), corners.end(), [&](int v) { return uses.contains(v); });
      };
      std::size_t other = 0;
      while (other < selections_.faces.size() && (!is_between(other) || is_taken(other))) ++other;
      if (other == selections_.faces.size()) break;
      // The corner is given up that costs the fewest faces.
      const auto corners = corners_of(other);
      const int corner =
          *std::min_element(corners.begin(), corners.end(), [&](int a, int b) { return uses[a] < uses[b]; });
      const auto left = std::stable_partition(wanted.begin(), wanted.end(), [&](std::size_t f) {
        const auto own = corners_of(f);
        return std::find(own.begin(), own.end(), corner) == own.end();
      });
      rest.insert(rest.end(), left, wanted.end());
      wanted.erase(left, wanted.end());
      if (!wanted.empty()) continue;
      // All of them share the corner; a face by itself has no other between its nodes.
      std::erase(rest, first);
      wanted = {first};
      break;
    }
    std::sort(rest.begin(), rest.end());
    std::vector<int> nodes;
    for (const std::size_t f : wanted) {
      nodes.insert(nodes.end(), selections_.faces[f].begin(), selections_.faces[f].end());
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  // Applies a pressure. In both programs, positive values press.
  void press(const PolyfemCondition& condition) {
    const std::string& formula = condition.value[0];
    if (!check_time_formula(formula, "").empty()) {
      issues_.push_back({"", condition.place + ".value", formula,
                         "a pressure that varies in space is not supported yet; expected a formula in t"});
    } else {
      load_faces(condition, LoadKind::pressure, [&](LoadDesc& load) { load.pressure = formula; });
    }
  }

  static void set_value(const Expressions& value, LoadDesc& load) {
    if (const std::optional<Vec<3>> constant = constant_of(value)) {
      load.value = *constant;
    } else {
      load.expression = value;
    }
  }

  void throw_body(const PolyfemCondition& condition) {
    const auto is_of = [&](int id) { return condition.is_of(id); };
    const std::vector<int>& ids = selections_.body_ids;
    if (is_zero(condition.value) || std::none_of(ids.begin(), ids.end(), is_of)) return;
    if (!std::all_of(ids.begin(), ids.end(), is_of)) {
      issues_.push_back(
          {"", condition.place + ".id", "", "the condition moves only a part of a mesh, which is not supported yet"});
    } else if (const std::optional<Vec<3>> constant = constant_of(condition.value)) {
      body_.linear_velocity = *constant;
    } else {
      body_.velocity = condition.value;
    }
  }

  // Applies a body force that is a formula. A constant one is the gravity of the scene.
  void weigh() {
    if (!conditions_.body_force || constant_of(*conditions_.body_force)) return;
    LoadDesc& load = body_.loads.emplace_back();
    load.kind = LoadKind::acceleration;
    load.expression = *conditions_.body_force;
    for (int c = 0; c < dim_; ++c) {
      (*load.expression)[c] = fmt::format("-({})", (*load.expression)[c]);
    }
  }

  const PolyfemConditions& conditions_;
  const PolyfemSelections& selections_;
  int dim_;
  BodyDesc& body_;
  Issues& issues_;
  std::map<int, Components> taken_;  // per node of the boundary: its prescribed components
};

}  // namespace

bool PolyfemCondition::is_of(int id) const {
  return is_of_all || std::find(ids.begin(), ids.end(), id) != ids.end();
}

PolyfemConditions read_conditions(const ForeignObject& root, const PolyfemValues& values) {
  const ForeignObject boundary = root.child("boundary_conditions"), initial = root.child("initial_conditions");
  ConditionReader reader(values);
  PolyfemConditions conditions;
  conditions.displacements = reader.read(boundary, "dirichlet_boundary");
  conditions.obstacle_displacements = reader.read(boundary, "obstacle_displacements");
  conditions.tractions = reader.read(boundary, "neumann_boundary");
  conditions.pressures = reader.read(boundary, "pressure_boundary", true);
  conditions.velocities = reader.read(initial, "velocity");
  const Json* force = boundary.find("rhs");
  if (force != nullptr && !(force->is_array() && force->empty())) {
    conditions.body_force = values.formulas(boundary, "rhs");
  }
  return conditions;
}

void apply_conditions(const PolyfemConditions& conditions, const PolyfemSelections& selections, int dim, BodyDesc& body,
                      Issues& issues) {
  BodyConditions(conditions, selections, dim, body, issues).apply();
}

void move_obstacle(const PolyfemConditions& conditions, int id, BodyDesc& obstacle) {
  for (const auto* list : {&conditions.obstacle_displacements, &conditions.displacements}) {
    const auto found = std::find_if(list->begin(), list->end(),
                                    [&](const PolyfemCondition& condition) { return condition.is_of(id); });
    if (found == list->end()) continue;
    if (!is_zero(found->value)) obstacle.motions.emplace_back().displacement = found->value;
    return;
  }
}

void warn_of_idle_conditions(const PolyfemConditions& conditions, const std::vector<PolyfemSelections>& selections,
                             const std::vector<int>& obstacle_ids, Issues& issues) {
  const auto is_idle = [&](const PolyfemCondition& condition, auto... lists) {
    const auto is_of = [&](int id) { return condition.is_of(id); };
    if (condition.is_of_all || std::any_of(obstacle_ids.begin(), obstacle_ids.end(), is_of)) return false;
    return std::none_of(selections.begin(), selections.end(), [&](const PolyfemSelections& of_body) {
      return (std::any_of((of_body.*lists).begin(), (of_body.*lists).end(), is_of) || ...);
    });
  };
  const auto warn = [&](const PolyfemCondition& condition, const char* what) {
    issues.push_back({"", condition.place + ".id", "",
                      fmt::format("this entry has no effect, because no {} has this number", what), Severity::warning});
  };
  for (const PolyfemCondition& condition : conditions.displacements) {
    if (is_idle(condition, &PolyfemSelections::face_ids, &PolyfemSelections::node_ids)) warn(condition, "face or node");
  }
  for (const auto* list : {&conditions.tractions, &conditions.pressures}) {
    for (const PolyfemCondition& condition : *list) {
      if (is_idle(condition, &PolyfemSelections::face_ids)) warn(condition, "face");
    }
  }
  for (const PolyfemCondition& condition : conditions.velocities) {
    if (is_idle(condition, &PolyfemSelections::body_ids)) warn(condition, "element");
  }
}

}  // namespace clearance
