#include "clearance/scene/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "clearance/scene/absent_features.h"
#include "clearance/scene/body_remesh.h"
#include "clearance/scene/default_units.h"
#include "clearance/scene/fields.h"
#include "clearance/scene/key_places.h"
#include "clearance/scene/nearest_name.h"

namespace clearance {
namespace {

// Context that all readers share.
struct Context {
  Issues& issues;
  int dimension = 3;
  UnitSystem units = {};

  void report(const std::string& place, const Json& value, const std::string& message) const {
    issues.push_back({"", place, brief_text(value), message});
  }
  void report_type(const std::string& place, const Json& value, const std::string& expected) const {
    report(place, value, fmt::format("expected {}, not {}", expected, type_text(value)));
  }
};

class ObjectReader;

template <DescribedStruct Struct>
void read(const Json& json, const std::string& place, const Context& context, Struct& value, const Field&);
template <class T>
void read(const Json& json, const std::string& place, const Context& context, std::optional<T>& value,
          const Field& field);
template <DescribedStruct Struct>
void read(const Json& json, const std::string& place, const Context& context, std::vector<Struct>& value,
          const Field& field);

void read(const Json& json, const std::string& place, const Context& context, double& value, const Field& field) {
  if (json.is_null() && field.null_is_infinity) {
    value = infinity;
  } else if (json.is_number()) {
    value = json.get<double>();
  } else {
    context.report_type(place, json, field.null_is_infinity ? "a number, or null for never" : "a number");
  }
}

void read(const Json& json, const std::string& place, const Context& context, int& value, const Field&) {
  const double number = json.is_number() ? json.get<double>() : 0.0;
  if (!json.is_number()) {
    context.report_type(place, json, "a whole number");
  } else if (number != std::floor(number)) {
    context.report(place, json, "expected a whole number");
  } else if (std::abs(number) > std::numeric_limits<int>::max()) {
    context.report(place, json, fmt::format("expected at most {}", std::numeric_limits<int>::max()));
  } else {
    value = static_cast<int>(number);
  }
}

void read(const Json& json, const std::string& place, const Context& context, bool& value, const Field&) {
  if (json.is_boolean()) {
    value = json.get<bool>();
  } else {
    context.report_type(place, json, "true or false");
  }
}

void read(const Json& json, const std::string& place, const Context& context, std::string& value, const Field& field) {
  if (json.is_string()) {
    value = json.get<std::string>();
  } else if (json.is_number() && field.shorthand == Shorthand::number) {
    value = json.dump();
  } else {
    context.report_type(place, json, field.shorthand == Shorthand::number ? "a string or a number" : "a string");
  }
}

template <NamedEnum Enum>
void read(const Json& json, const std::string& place, const Context& context, Enum& value, const Field&) {
  std::vector<std::string_view> names;
  const std::string word = json.is_string() ? json.get<std::string>() : "";
  for (const auto& known : EnumInfo<Enum>::values) {
    if (json.is_string() && known.name == word) {
      value = known.value;
      return;
    }
    names.push_back(known.name);
  }
  std::vector<std::string_view> meant = names_meant_by(word, names);
  if (meant.empty()) meant.push_back(nearest_name(word, names));
  const std::string absent = absent_feature_text(word);
  const std::string hint = !absent.empty()    ? "; " + absent
                           : meant[0].empty() ? ""
                                              : fmt::format("; did you mean `{}`?", fmt::join(meant, "` or `"));
  context.report(place, json, fmt::format("expected one of {}{}", quoted_list(names), hint));
}

// True if the value is a list whose length is allowed; otherwise reports it and returns false.
bool has_length(const Json& json, const std::string& place, const Context& context, std::size_t shortest,
                std::size_t longest, const std::string& what) {
  const std::string lengths = shortest == longest   ? fmt::format("{} ", longest)
                              : longest == SIZE_MAX ? ""
                                                    : fmt::format("{} or {} ", shortest, longest);
  if (!json.is_array()) {
    context.report_type(place, json, fmt::format("an array of {}{}", lengths, what));
    return false;
  }
  if (json.size() >= shortest && json.size() <= longest) return true;
  const bool is_planar = json.size() == 2 && shortest == 3 && context.dimension == 3;
  context.report(place, json,
                 fmt::format("expected {}{}, not {}{}", lengths, what, json.size(),
                             is_planar ? "; a 2D scene has `\"dimension\": 2`" : ""));
  return false;
}

// Vectors of 2D scenes may omit the third entry, which then keeps its default.
std::size_t shortest_vector(const Context& context) {
  return context.dimension == 2 ? 2 : 3;
}

void read(const Json& json, const std::string& place, const Context& context, Vec<3>& value, const Field& field) {
  if (json.is_number() && field.shorthand == Shorthand::uniform) {
    value = Vec<3>::Constant(json.get<double>());
    return;
  }
  if (json.is_number() && field.shorthand == Shorthand::angle_in_plane && context.dimension == 2) {
    value = Vec<3>(0.0, 0.0, json.get<double>());
    return;
  }
  if (field.shorthand == Shorthand::angle_in_plane && context.dimension == 2 && json.is_array() && json.size() != 3) {
    context.report(place, json,
                   fmt::format("expected one number, the angle in the plane, not a list of {}", json.size()));
    return;
  }
  if (!has_length(json, place, context, shortest_vector(context), 3, "numbers")) return;
  for (std::size_t i = 0; i < json.size(); ++i) {
    read(json[i], element_path(place, i), context, value[static_cast<Eigen::Index>(i)], field);
  }
}

void read(const Json& json, const std::string& place, const Context& context, std::array<int, 3>& value,
          const Field& field) {
  if (!has_length(json, place, context, shortest_vector(context), 3, "whole numbers")) return;
  for (std::size_t i = 0; i < json.size(); ++i) read(json[i], element_path(place, i), context, value[i], field);
}

// Reads flags along or about three axes. A single flag stands for all axes of the dimension.
void read(const Json& json, const std::string& place, const Context& context, std::array<bool, 3>& value,
          const Field& field) {
  const bool is_about_z = field.shorthand == Shorthand::angle_in_plane && context.dimension == 2;
  if (json.is_boolean()) {
    const bool flag = json.get<bool>();
    value = {flag && !is_about_z, flag && !is_about_z, flag && (is_about_z || context.dimension == 3)};
    return;
  }
  if (!has_length(json, place, context, is_about_z ? 3 : shortest_vector(context), 3, "times true or false")) return;
  for (std::size_t i = 0; i < json.size(); ++i) read(json[i], element_path(place, i), context, value[i], field);
}

void read(const Json& json, const std::string& place, const Context& context, std::array<Vec<3>, 2>& value,
          const Field& field) {
  if (!has_length(json, place, context, 2, 2, "corners")) return;
  for (std::size_t i = 0; i < 2; ++i) {
    value[i].setZero();
    read(json[i], element_path(place, i), context, value[i], field);
  }
}

void read(const Json& json, const std::string& place, const Context& context, std::array<double, 2>& value,
          const Field& field) {
  if (!has_length(json, place, context, 2, 2, "numbers")) return;
  for (std::size_t i = 0; i < 2; ++i) read(json[i], element_path(place, i), context, value[i], field);
}

void read(const Json& json, const std::string& place, const Context& context, std::vector<std::array<double, 2>>& value,
          const Field& field) {
  if (!has_length(json, place, context, 0, SIZE_MAX, "pairs of numbers")) return;
  value.resize(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) read(json[i], element_path(place, i), context, value[i], field);
}

void read(const Json& json, const std::string& place, const Context& context, std::array<std::string, 2>& value,
          const Field& field) {
  if (!has_length(json, place, context, 2, 2, "names")) return;
  for (std::size_t i = 0; i < 2; ++i) read(json[i], element_path(place, i), context, value[i], field);
}

// Reads formulas; a plain number is a formula too.
void read(const Json& json, const std::string& place, const Context& context, Expressions& value, const Field& field) {
  if (!has_length(json, place, context, shortest_vector(context), 3, "formulas")) return;
  value.fill("0");
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i].is_number()) {
      value[i] = json[i].dump();
    } else {
      read(json[i], element_path(place, i), context, value[i], field);
    }
  }
}

// Reads the elements of a list. A list of the wrong kind throughout is one problem, not one for each element.
template <class T>
void read_elements(const Json& json, const std::string& place, const Context& context, std::vector<T>& value,
                   const Field& field) {
  constexpr std::size_t most = 3;
  const std::size_t before = context.issues.size();
  for (std::size_t i = 0; i < json.size(); ++i) read(json[i], element_path(place, i), context, value[i], field);
  if (context.issues.size() <= before + most) return;
  const std::size_t others = context.issues.size() - before - 1;
  context.issues.resize(before + 1);
  context.issues.back().message += fmt::format("; {} more problems in this list", others);
}

// Reads a list of numbers or strings.
template <class Value>
void read(const Json& json, const std::string& place, const Context& context, std::vector<Value>& value,
          const Field& field) {
  // A list that is empty by default may be empty in the file, too.
  const char* what = std::is_arithmetic_v<Value> ? "numbers" : "strings";
  if (!has_length(json, place, context, value.empty() ? 0 : 1, SIZE_MAX, what)) return;
  value.assign(json.size(), Value{});
  read_elements(json, place, context, value, field);
}

template <NamedEnum Enum>
void read(const Json& json, const std::string& place, const Context& context, std::vector<Enum>& value,
          const Field& field) {
  if (!has_length(json, place, context, 0, SIZE_MAX, "names")) return;
  value.clear();
  for (std::size_t i = 0; i < json.size(); ++i) {
    read(json[i], element_path(place, i), context, value.emplace_back(), field);
  }
}

// Reads the corners of triangles or the ends of edges, whose number is the same in 2D and 3D.
template <std::size_t size>
void read(const Json& json, const std::string& place, const Context& context, std::vector<std::array<int, size>>& value,
          const Field& field) {
  if (!has_length(json, place, context, 0, SIZE_MAX, "lists of vertices")) return;
  value.assign(json.size(), {});
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string element = element_path(place, i);
    if (!has_length(json[i], element, context, size, size, "vertices")) continue;
    for (std::size_t k = 0; k < size; ++k) read(json[i][k], element_path(element, k), context, value[i][k], field);
  }
}

void read(const Json& json, const std::string& place, const Context& context, std::vector<Vec<3>>& value,
          const Field& field) {
  if (!has_length(json, place, context, 1, SIZE_MAX, "points")) return;
  value.assign(json.size(), Vec<3>::Zero());
  read_elements(json, place, context, value, field);
}

void read(const Json& json, const std::string& place, const Context& context, std::vector<Corners>& value,
          const Field& field) {
  if (!has_length(json, place, context, 0, SIZE_MAX, "pairs of corners")) return;
  value.assign(json.size(), Corners{});
  read_elements(json, place, context, value, field);
}

class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string place, const Context& context)
      : object_(object), place_(std::move(place)), context_(context) {}

  template <class T>
  void field(const char* key, T& value, const Field& field) {
    known_.emplace_back(key);
    const auto found = object_.find(key);
    if (found != object_.end()) read(*found, child_path(place_, key), context_, value, field);
  }

  /// Reads a value of another alternative than the chosen one. The default may stand there: files that are written have
  /// the keys of all alternatives.
  template <class T>
  void unchosen(const char* key, T& value, const Field& field, std::string_view chosen) {
    const T unset = value;
    this->field(key, value, field);
    if (value == unset) return;
    const bool is_refused = field.is_refused_elsewhere;
    context_.issues.push_back({"", child_path(place_, key), is_refused ? brief_text(object_[key]) : std::string(chosen),
                               std::string(field.elsewhere), is_refused ? Severity::error : Severity::warning});
  }

  void report_unknown_keys(const std::vector<std::string_view>& also_allowed) const {
    for (const auto& [key, value] : object_.items()) {
      if (is_one_of(key, known_) || is_one_of(key, also_allowed)) continue;
      context_.issues.push_back({"", child_path(place_, key), "", "unknown key; " + hint_for_key(key, place_, known_)});
    }
  }

 private:
  static bool is_one_of(std::string_view key, const std::vector<std::string_view>& keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  }

  const Json& object_;
  std::string place_;
  const Context& context_;
  std::vector<std::string_view> known_;
};

template <DescribedStruct Struct>
void read(const Json& json, const std::string& place, const Context& context, Struct& value, const Field& field) {
  if (json.is_string() && field.shorthand == Shorthand::flag) {
    const Json written_out = {{json.get<std::string>(), true}};
    return read(written_out, place, context, value, Field{});
  }
  if (!json.is_object()) {
    context.report_type(place, json, "an object");
    return;
  }
  ObjectReader reader(json, place, context);
  describe(reader, value);
  const bool is_root = place.empty();
  reader.report_unknown_keys(is_root ? std::vector<std::string_view>{"$schema", "format"}
                                     : std::vector<std::string_view>{});
}

template <class T>
void read(const Json& json, const std::string& place, const Context& context, std::optional<T>& value,
          const Field& field) {
  if (json.is_null()) {
    value.reset();
    return;
  }
  T read_value{};
  if constexpr (std::is_same_v<T, Vec<3>>) read_value.setZero();
  if constexpr (DescribedStruct<T>) convert_defaults(read_value, context.units);
  read(json, place, context, read_value, field);
  value = read_value;
}

template <DescribedStruct Struct>
void read(const Json& json, const std::string& place, const Context& context, std::vector<Struct>& value,
          const Field& field) {
  if (!has_length(json, place, context, 0, SIZE_MAX, "objects")) return;
  Struct defaults{};
  convert_defaults(defaults, context.units);
  value.assign(json.size(), defaults);
  for (std::size_t i = 0; i < json.size(); ++i) read(json[i], element_path(place, i), context, value[i], field);
}

// Returns the dimension. It is read first, wherever it is in the file, because 2D changes how other vectors are read.
int dimension_of(const Json& root) {
  const auto found = root.find("dimension");
  return found != root.end() && *found == Json(2) ? 2 : 3;
}

/// Returns the unit system. It is read first, too, because defaults depend on it; the reader reports an unknown name.
UnitSystem units_of(const Json& root) {
  const auto found = root.find("units");
  if (found == root.end()) return {};
  for (const auto& known : EnumInfo<UnitSystemName>::values) {
    if (*found == Json(known.name)) return unit_system(known.value);
  }
  return {};
}

bool has_key(const Json& root, const char* object, const char* key) {
  const auto found = root.find(object);
  return found != root.end() && found->is_object() && found->contains(key);
}

/// Converts defaults that a flag makes lengths or speeds. The table has the dimension of the relative default.
void convert_absolute_defaults(const Json& root, const UnitSystem& units, SceneDesc& scene) {
  if (units.is_si()) return;
  const auto convert = [&](double& value, const char* object, const char* key) {
    if (!has_key(root, object, key)) value = units.from_si(value, dimension::length);
  };
  if (scene.contact.dhat_is_absolute) convert(scene.contact.dhat, "contact", "dhat");
  if (scene.contact.dhat_is_absolute) convert(scene.contact.close_distance, "contact", "close_distance");
  if (scene.friction.eps_v_is_absolute) convert(scene.friction.eps_v, "friction", "eps_v");
  if (scene.solver.tolerance_is_absolute) convert(scene.solver.tolerance, "solver", "tolerance");
}

/// Returns the integrator of a scene that names none. Bodies fly, swing and rebound right with the second order, with
/// which forces of impacts on deformable bodies would overshoot: by 18 % where a bar hits a floor.
TimeIntegrator default_integrator(const SceneDesc& scene) {
  const bool has_adapting = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                        [&](const BodyDesc& body) { return find_remesh(scene, body) != nullptr; });
  if (scene.bodies.empty() || has_adapting) return TimeIntegrator::implicit_euler;
  // The error of a part is that of the second order. Short parts resolve impacts.
  return scene.time.accuracy > 0.0 ? TimeIntegrator::bdf2_restarted : TimeIntegrator::bdf2_in_flight;
}

bool names_in_time(const Json& root, const char* key) {
  return has_key(root, "time", key);
}

/// Returns how often steps with an accuracy are halved: from 10 ms to the 0.6 us of a wave in a stiff part, and to
/// 160 us where nothing is elastic.
int accurate_halvings(const SceneDesc& scene) {
  return has_deformable(scene) ? 14 : 6;
}

}  // namespace

SceneDesc scene_from_json(const Json& root, Issues& issues) {
  SceneDesc scene;
  if (!root.is_object()) {
    issues.push_back({"", "", brief_text(root), "a scene is an object {...}, not " + type_text(root)});
    return scene;
  }
  const Context context{issues, dimension_of(root), units_of(root)};
  convert_defaults(scene, context.units);
  const auto format = root.find("format");
  if (format != root.end() && *format == Json(first_format)) {
    set_published_defaults(scene);
    issues.push_back(
        {"", "format", "",
         fmt::format("scenes of format {} keep its defaults: steps converge by a velocity, friction is smoothed and "
                     "lagged once, and scales are those of the scene; the defaults of \"{}\" are physically right",
                     first_format, native_format),
         Severity::warning});
  } else if (format != root.end() && *format == Json(second_format)) {
    set_second_defaults(scene);
  } else if (format != root.end() && *format != Json(native_format)) {
    context.report("format", *format, fmt::format("expected \"{}\"", native_format));
  }
  read(root, "", context, scene, {});
  convert_absolute_defaults(root, context.units, scene);
  const bool is_new = format == root.end() || *format == Json(native_format);
  const bool is_accurate = scene.time.accuracy > 0.0;
  if ((is_new || is_accurate) && !names_in_time(root, "integrator")) {
    scene.time.integrator = default_integrator(scene);
  }
  if (is_accurate && !names_in_time(root, "max_halvings")) scene.time.max_halvings = accurate_halvings(scene);
  return scene;
}

}  // namespace clearance
