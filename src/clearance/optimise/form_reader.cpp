#include "clearance/optimise/form_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "clearance/io/files/text_file.h"
#include "clearance/io/polyfem/polyfem_values.h"
#include "clearance/scene/json.h"

namespace clearance::optimise {

bool read_integers(const ForeignObject& from, const char* key, std::vector<int>& numbers) {
  const Json* value = from.find(key);
  if (value == nullptr) return true;
  const bool is_list = value->is_array() && std::all_of(value->begin(), value->end(),
                                                        [](const Json& number) { return number.is_number_integer(); });
  if (is_list) {
    numbers = value->get<std::vector<int>>();
    return true;
  }
  if (value->is_number_integer()) {
    numbers = {value->get<int>()};
    return true;
  }
  from.error(key, "expected a whole number or a list of them");
  return false;
}

struct FormReader::Kind {
  std::string_view name;
  Reader read;
  std::vector<std::string_view> keys;  // beyond those of all forms
};

const std::vector<FormReader::Kind>& FormReader::kinds() {
  static const std::vector<Kind> all = {
      {"transient_integral", &FormReader::read_transient, {"state", "static_objective", "integral_type", "steps"}},
      {"divide", &FormReader::read_divide, {"objective"}},
      {"plus-const", &FormReader::read_plus_const, {"objective", "value"}},
      {"power", &FormReader::read_power, {"objective", "power"}},
      {"soft_constraint", &FormReader::read_soft_constraint, {"objective", "soft_bound", "power"}},
      {"position", &FormReader::read_position, {"state", "dim", "volume_selection"}},
      {"volume", &FormReader::read_volume, {"state", "volume_selection"}},
      {"target", &FormReader::read_target, {"state", "target_state", "surface_selection", "volume_selection"}},
      {"center-target", &FormReader::read_center_target, {"state", "target_state", "volume_selection"}},
      {"node-target", &FormReader::read_node_target, {"state", "target_data_path", "tolerance"}},
      {"stress_norm", &FormReader::read_stress_norm, {"state", "power", "volume_selection"}},
      {"boundary_smoothing",
       &FormReader::read_boundary_smoothing,
       {"state", "surface_selection", "power", "scale_invariant", "dimensions"}},
      {"min_jacobian", &FormReader::read_min_jacobian, {"state"}}};
  return all;
}

FormPtr FormReader::read(const ForeignObject& from) {
  const std::string type = from.word("type", "");
  const auto kind =
      std::find_if(kinds().begin(), kinds().end(), [&](const Kind& candidate) { return candidate.name == type; });
  if (kind == kinds().end()) {
    std::string names;
    for (const Kind& known : kinds()) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
    from.error("type", fmt::format("this form is not known here; expected one of {}", names));
    return nullptr;
  }
  std::vector<std::string_view> keys = {"type", "weight", "print_energy"};
  keys.insert(keys.end(), kind->keys.begin(), kind->keys.end());
  std::vector<std::string> reported;
  from.warn_of_unknown_keys(keys, reported);
  FormPtr form = (this->*kind->read)(from);
  if (!form) return nullptr;
  form->weight = from.number("weight", 1.0);
  form->label = from.word("print_energy", "");
  return form;
}

FormPtr FormReader::child(const ForeignObject& from, const char* key) {
  if (!from.has(key)) {
    from.error(key, "is missing: a form");
    return nullptr;
  }
  return read(from.child(key));
}

const StateMesh* FormReader::mesh_of(const ForeignObject& from) {
  const int state = from.integer("state", 0);
  if (state == static_cast<int>(varied_)) return meshes_[varied_].get();
  from.error("state", fmt::format("expected {}, the state that the parameters change", varied_));
  return nullptr;
}

std::optional<std::size_t> FormReader::target_of(const ForeignObject& from) {
  const int state = from.integer("target_state", -1);
  if (state < 0 || state >= static_cast<int>(meshes_.size()) || state == static_cast<int>(varied_)) {
    from.error("target_state", fmt::format("expected the number of another state; the file has {}", meshes_.size()));
    return std::nullopt;
  }
  const StateMesh &mesh = *meshes_[varied_], &other = *meshes_[static_cast<std::size_t>(state)];
  const auto same = [](const std::vector<StateCell>& a, const std::vector<StateCell>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const StateCell& p, const StateCell& q) { return p.nodes == q.nodes; });
  };
  if (!same(mesh.cells, other.cells) || !same(mesh.faces, other.faces)) {
    from.error("target_state", "the target has other elements; expected a state with the same meshes");
    return std::nullopt;
  }
  return static_cast<std::size_t>(state);
}

std::vector<int> FormReader::parts(const ForeignObject& from, const char* key, const std::vector<StateCell>& all) {
  std::vector<int> ids, chosen;
  if (!read_integers(from, key, ids)) return {};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (ids.empty() || std::find(ids.begin(), ids.end(), all[i].id) != ids.end()) chosen.push_back(static_cast<int>(i));
  }
  if (chosen.empty()) from.error(key, "selects nothing in the state; expected numbers of its geometry");
  return chosen;
}

FormPtr FormReader::read_transient(const ForeignObject& from) {
  static const std::vector<std::pair<std::string_view, TimeWeights>> kinds = {{"uniform", TimeWeights::uniform},
                                                                              {"final", TimeWeights::final_step},
                                                                              {"steps", TimeWeights::steps},
                                                                              {"trapezoidal", TimeWeights::trapezoidal},
                                                                              {"simpson", TimeWeights::simpson}};
  const StateMesh* mesh = mesh_of(from);
  FormPtr form = child(from, "static_objective");
  std::vector<int> steps;
  const bool has_steps = read_integers(from, "steps", steps);
  const std::string type = from.word("integral_type", "uniform");
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == type; });
  if (found == kinds.end()) {
    from.error("integral_type", "expected uniform, final, steps, trapezoidal or simpson");
    return nullptr;
  }
  if (found->second == TimeWeights::steps && steps.empty() && has_steps) {
    from.error("steps", "expected the numbers of the steps");
    return nullptr;
  }
  if (found->second == TimeWeights::simpson) {
    from.warning("integral_type",
                 "PolyFEM's weights of this rule are not Simpson's; here they are, and the value differs");
  }
  if (mesh == nullptr || !form || !has_steps) return nullptr;
  return transient_integral(std::move(form), varied_, found->second, std::move(steps));
}

FormPtr FormReader::read_divide(const ForeignObject& from) {
  const std::vector<ForeignObject> pair = objects_of(from, "objective");
  if (pair.size() != 2) {
    from.error("objective", "expected a list of two forms: the dividend and the divisor");
    return nullptr;
  }
  FormPtr above = read(pair[0]), below = read(pair[1]);
  return above && below ? quotient(std::move(above), std::move(below)) : nullptr;
}

FormPtr FormReader::read_plus_const(const ForeignObject& from) {
  FormPtr form = child(from, "objective");
  const double constant = from.number("value", 0.0);
  return form ? plus_constant(std::move(form), constant) : nullptr;
}

FormPtr FormReader::read_power(const ForeignObject& from) {
  FormPtr form = child(from, "objective");
  if (!from.has("power")) from.error("power", "is missing: a number");
  const double power = from.number("power", 1.0);
  return form ? power_of(std::move(form), power) : nullptr;
}

FormPtr FormReader::read_soft_constraint(const ForeignObject& from) {
  FormPtr form = child(from, "objective");
  if (!from.has("soft_bound")) from.error("soft_bound", "is missing: two numbers, the lower and the upper bound");
  const std::vector<double> bounds = from.numbers("soft_bound", {0.0, 0.0});
  const double power = from.number("power", 2.0, at_least(1.0, "", ""));
  if (bounds[0] > bounds[1]) {
    from.error("soft_bound", "expected the lower bound before the upper one");
    return nullptr;
  }
  return form ? soft_constraint(std::move(form), bounds[0], bounds[1], power) : nullptr;
}

FormPtr FormReader::read_position(const ForeignObject& from) {
  const StateMesh* mesh = mesh_of(from);
  if (mesh == nullptr) return nullptr;
  const int axis = from.integer("dim", -1);
  if (axis < 0 || axis >= mesh->dim) {
    from.error("dim", fmt::format("expected the number of an axis, from 0 to {}", mesh->dim - 1));
    return nullptr;
  }
  std::vector<int> cells = parts(from, "volume_selection", mesh->cells);
  return cells.empty() ? nullptr : position(*mesh, varied_, std::move(cells), axis);
}

FormPtr FormReader::read_volume(const ForeignObject& from) {
  const StateMesh* mesh = mesh_of(from);
  if (mesh == nullptr) return nullptr;
  std::vector<int> cells = parts(from, "volume_selection", mesh->cells);
  return cells.empty() ? nullptr : volume(*mesh, varied_, std::move(cells));
}

FormPtr FormReader::read_target(const ForeignObject& from) {
  const StateMesh* mesh = mesh_of(from);
  if (mesh == nullptr) return nullptr;
  const std::optional<std::size_t> aim = target_of(from);
  const bool is_of_faces = from.has("surface_selection");
  std::vector<int> chosen =
      is_of_faces ? parts(from, "surface_selection", mesh->faces) : parts(from, "volume_selection", mesh->cells);
  return aim && !chosen.empty() ? target(*mesh, varied_, *aim, std::move(chosen), is_of_faces) : nullptr;
}

FormPtr FormReader::read_center_target(const ForeignObject& from) {
  const StateMesh* mesh = mesh_of(from);
  if (mesh == nullptr) return nullptr;
  const std::optional<std::size_t> aim = target_of(from);
  std::vector<int> cells = parts(from, "volume_selection", mesh->cells);
  return aim && !cells.empty() ? center_target(*mesh, varied_, *aim, std::move(cells)) : nullptr;
}

FormPtr FormReader::read_node_target(const ForeignObject& from) {
  const StateMesh* mesh = mesh_of(from);
  const double tolerance = from.number("tolerance", 1e-7, positive("m", ""));
  const std::string name = from.word("target_data_path", "");
  if (mesh == nullptr) return nullptr;
  const Result<std::string> text = read_text_file(folder_ / name);
  if (name.empty() || !text) {
    from.error("target_data_path", "expected a file of places, which can be read");
    return nullptr;
  }
  inputs_ += *text;
  std::vector<double> numbers;
  std::istringstream stream(*text);
  for (double number = 0.0; stream >> number;) numbers.push_back(number);
  const auto dim = static_cast<std::size_t>(mesh->dim);
  if (!stream.eof() || numbers.empty() || numbers.size() % (2 * dim) != 0) {
    from.error("target_data_path", fmt::format("expected rows of {} numbers: the place of a node at rest, and where it "
                                               "should be",
                                               2 * dim));
    return nullptr;
  }
  const auto count = static_cast<Eigen::Index>(numbers.size() / (2 * dim));
  const Eigen::Map<const MatX> rows(numbers.data(), static_cast<Eigen::Index>(2 * dim), count);
  std::vector<int> nodes;
  VecX places(count * mesh->dim);
  bool is_complete = true;
  for (Eigen::Index row = 0; row < count; ++row) {
    const VecX rest = rows.col(row).head(mesh->dim);
    int nearest = -1;
    double least = infinity;
    for (int node = 0; node < mesh->num_nodes(); ++node) {
      const double distance = (mesh->x_rest.segment(mesh->dim * node, mesh->dim) - rest).norm();
      if (distance < least) {
        least = distance;
        nearest = node;
      }
    }
    if (least > tolerance) {
      from.error("target_data_path", fmt::format("row {}: the nearest node is {:.3g} m away, more than the tolerance "
                                                 "of {:.3g} m",
                                                 row + 1, least, tolerance));
      is_complete = false;
    }
    nodes.push_back(nearest);
    places.segment(row * mesh->dim, mesh->dim) = rows.col(row).tail(mesh->dim);
  }
  return is_complete ? node_target(*mesh, varied_, std::move(nodes), std::move(places)) : nullptr;
}

FormPtr FormReader::read_stress_norm(const ForeignObject& from) {
  const StateMesh* mesh = mesh_of(from);
  const double power = from.number("power", 2.0, at_least(1.0, "", ""));
  if (mesh == nullptr) return nullptr;
  std::vector<int> cells = parts(from, "volume_selection", mesh->cells);
  return cells.empty() ? nullptr : stress_norm(*mesh, varied_, std::move(cells), power);
}

FormPtr FormReader::read_boundary_smoothing(const ForeignObject& from) {
  const StateMesh* mesh = mesh_of(from);
  const bool is_scale_invariant = from.flag("scale_invariant", true);
  const double power = from.number("power", 2.0, at_least(1.0, "", ""));
  if (from.has("dimensions")) from.warning("dimensions", "the roughness is that of all coordinates");
  if (!is_scale_invariant && from.has("power") && power != 2.0) {
    from.warning("power", "it has no effect with `scale_invariant: false`, neither in PolyFEM nor here");
  }
  if (mesh == nullptr) return nullptr;
  const std::vector<int> faces = parts(from, "surface_selection", mesh->faces);
  return faces.empty() ? nullptr : boundary_smoothing(*mesh, varied_, faces, is_scale_invariant, power);
}

FormPtr FormReader::read_min_jacobian(const ForeignObject& from) {
  const StateMesh* mesh = mesh_of(from);
  return mesh == nullptr ? nullptr : smallest_determinant(*mesh, varied_);
}

}  // namespace clearance::optimise
