#include <fmt/format.h>

#include <functional>
#include <set>

#include "clearance/scene/json_reader.h"
#include "clearance/scene/schema.h"
#include "clearance/scene/value_json.h"

namespace clearance {
namespace {

// Returns the type of a value in words.
std::string type_name(const double&) {
  return "number";
}
std::string type_name(const int&) {
  return "integer";
}
std::string type_name(const bool&) {
  return "boolean";
}
std::string type_name(const std::string&) {
  return "string";
}
std::string type_name(const Vec<3>&) {
  return "3 numbers";
}
std::string type_name(const std::array<int, 3>&) {
  return "3 integers";
}
std::string type_name(const std::array<bool, 3>&) {
  return "3 booleans";
}
std::string type_name(const std::vector<Vec<3>>&) {
  return "points";
}
template <std::size_t size>
std::string type_name(const std::vector<std::array<int, size>>&) {
  return size == 2 ? "pairs of vertices" : size == 3 ? "triples of vertices" : "quadruples of vertices";
}
std::string type_name(const std::array<double, 2>&) {
  return "2 numbers";
}
std::string type_name(const std::vector<std::array<double, 2>>&) {
  return "pairs of numbers";
}
std::string type_name(const std::array<std::string, 2>&) {
  return "two names";
}
std::string type_name(const Expressions&) {
  return "formulas";
}
std::string type_name(const std::array<Vec<3>, 2>&) {
  return "2 corners";
}
std::string type_name(const std::vector<Corners>&) {
  return "pairs of corners";
}
std::string type_name(const std::vector<double>&) {
  return "numbers";
}
std::string type_name(const std::vector<int>&) {
  return "integers";
}
std::string type_name(const std::vector<std::string>&) {
  return "strings";
}
template <NamedEnum Enum>
std::string type_name(const Enum&) {
  return "name";
}
template <NamedEnum Enum>
std::string type_name(const std::vector<Enum>&) {
  return "names";
}
template <DescribedStruct Struct>
std::string type_name(const Struct&) {
  return fmt::format("[{0}](#{0})", StructInfo<Struct>::name);
}
template <DescribedStruct Struct>
std::string type_name(const std::vector<Struct>&) {
  return "list of " + type_name(Struct{});
}
template <class T>
std::string type_name(const std::optional<T>&) {
  return type_name(T{}) + " or null";
}

// Sections of structs that a struct leads to are printed after it, once each.
class Sections {
 public:
  template <DescribedStruct Struct>
  void add();
  std::string text;

 private:
  std::set<std::string> done_;
};

/// Escapes bars, which would end a cell of a table.
std::string in_table(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return text;
}

class Rows {
 public:
  explicit Rows(Sections& sections) : sections_(sections) {}

  template <class T>
  void field(const char* key, T& value, const Field& field) {
    std::string default_text;
    if constexpr (!DescribedStruct<T>) default_text = "`" + brief_text(value_json(value, field)) + "`";
    rows += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", key, type_name(value), field.unit, default_text,
                        range_text(field), in_table(std::string(field.doc)));
    add_names(key, value);
    later_.push_back([this] { follow(T{}); });
  }
  void follow_all() {
    for (const auto& follow_one : later_) follow_one();
  }

  std::string rows;
  std::string names;

 private:
  template <class T>
  void add_names(const char* key, const T&) {
    if constexpr (NamedEnum<T>) list_names<T>(fmt::format("`{}` is one of", key));
  }
  template <NamedEnum Enum>
  void add_names(const char* key, const std::optional<Enum>&) {
    list_names<Enum>(fmt::format("`{}` is null or one of", key));
  }
  template <NamedEnum Enum>
  void add_names(const char* key, const std::vector<Enum>&) {
    list_names<Enum>(fmt::format("`{}` are any of", key));
  }
  template <NamedEnum Enum>
  void list_names(const std::string& heading) {
    names += fmt::format("\n{}:\n\n", heading);
    for (const auto& known : EnumInfo<Enum>::values) names += fmt::format("- `{}`: {}\n", known.name, known.doc);
  }
  template <class T>
  void follow(const T&) {
    if constexpr (DescribedStruct<T>) sections_.add<T>();
  }
  template <class T>
  void follow(const std::vector<T>&) {
    follow(T{});
  }
  template <class T>
  void follow(const std::optional<T>&) {
    follow(T{});
  }

  Sections& sections_;
  std::vector<std::function<void()>> later_;
};

template <DescribedStruct Struct>
void Sections::add() {
  if (!done_.insert(StructInfo<Struct>::name).second) return;
  Struct defaults{};
  // The reader chooses the integrator where the key is missing.
  if constexpr (std::is_same_v<Struct, TimeDesc>) defaults.integrator = TimeIntegrator::bdf2_in_flight;
  Rows rows(*this);
  describe(rows, defaults);
  text += fmt::format(
      "\n## {}\n\n{}\n\n| key | type | unit | default | range | meaning |\n| --- | --- | --- | --- | --- | --- |\n{}{}",
      StructInfo<Struct>::name, StructInfo<Struct>::doc, rows.rows, rows.names);
  rows.follow_all();
}

constexpr const char* introduction = R"(# Scene files

Generated from the field table `src/clearance/scene/fields.h`; do not edit.

A scene is a JSON file. Comments (`//` and `/* */`) are allowed. Lengths are in metres, times in seconds, angles in
degrees; y is up. `units` names another system (`docs/units.md`). The program reports all unknown keys, values of the wrong type and values out of range before it
runs anything. `"format": "{}"` may stand in the first line, `$schema` may name the JSON Schema for editors.

In 2D (`"dimension": 2`) vectors may leave out their third entry, and a rotation or angular velocity is one number.
The option `--set path=value` changes a single value for one run, for example `--set bodies[0].material.density=500`.
`--set bodies.type=rigid` and `--set bodies.type=affine` set the kind of all stiff bodies and leave the other bodies.

A formula is text such as `"sin(2 * pi * t) / 10"`, or a number. It may use the time t [s] since the scene's start, the
position x, y, z [m] of a node at the scene's start, the constants `pi` and `e`, the functions sin, cos, tan, asin,
acos, atan, atan2 (in radians), sinh, cosh, tanh, exp, log (natural), log10, sqrt, abs, floor, ceil, min, max, mod, the
operators `+ - * / ^ < <= > >= == != && ||`, and `condition ? a : b`. Formulas are checked before anything runs. If the
value of a formula is not finite in a step, the step is not taken; the run ends with exit status 3 and keeps what it has
stored.

The smallest scene is one body:

```json
{{
  "bodies": [{{"mesh": "cube.msh"}}],
  "half_spaces": [{{"point": [0, -1, 0]}}]
}}
```
)";

}  // namespace

std::string scene_reference() {
  Sections sections;
  sections.add<SceneDesc>();
  return fmt::format(introduction, native_format) + sections.text;
}

}  // namespace clearance
