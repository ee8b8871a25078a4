#include "clearance/scene/schema.h"

#include <fmt/format.h>

#include "clearance/scene/json_reader.h"
#include "clearance/scene/value_json.h"

namespace clearance {
namespace {

void add_range(Json& schema, const Field& field) {
  if (std::isfinite(field.min)) schema[field.min_excluded ? "exclusiveMinimum" : "minimum"] = field.min;
  if (std::isfinite(field.max)) schema[field.max_excluded ? "exclusiveMaximum" : "maximum"] = field.max;
}

Json list_of(const Json& items, std::size_t shortest, std::size_t longest) {
  Json schema = {{"type", "array"}, {"items", items}, {"minItems", shortest}};
  if (longest != SIZE_MAX) schema["maxItems"] = longest;
  return schema;
}

template <DescribedStruct Struct>
Json reference_to() {
  return {{"$ref", fmt::format("#/$defs/{}", StructInfo<Struct>::name)}};
}

// The entries of a struct that are true or false.
struct NamesOfFlags {
  template <class T>
  void field(const char* key, T&, const Field&) {
    if constexpr (std::is_same_v<T, bool>) names.push_back(key);
  }

  Json names = Json::array();
};

// One schema per type of value that occurs in the table.
class TypeSchema {
 public:
  explicit TypeSchema(Json& definitions) : definitions_(definitions) {}

  Json of(const double&, const Field& field) {
    Json schema = {{"type", "number"}};
    if (field.null_is_infinity) schema["type"] = {"number", "null"};
    add_range(schema, field);
    return schema;
  }
  Json of(const int&, const Field& field) {
    Json schema = {{"type", "integer"}};
    add_range(schema, field);
    return schema;
  }
  Json of(const bool&, const Field&) { return {{"type", "boolean"}}; }
  Json of(const std::string&, const Field& field) {
    if (field.shorthand == Shorthand::number) return {{"type", {"string", "number"}}};
    return {{"type", "string"}};
  }
  template <NamedEnum Enum>
  Json of(const Enum&, const Field&) {
    Json values = Json::array();
    for (const auto& known : EnumInfo<Enum>::values) {
      values.push_back({{"const", std::string(known.name)}, {"description", std::string(known.doc)}});
    }
    return {{"oneOf", values}};
  }
  // Two entries are enough in 2D; a schema cannot know the dimension.
  Json of(const Vec<3>&, const Field& field) {
    const Json list = list_of(of(double{}, field), 2, 3);
    if (field.shorthand == Shorthand::none) return list;
    return {{"anyOf", Json::array({list, of(double{}, field)})}};
  }
  Json of(const std::array<int, 3>&, const Field& field) { return list_of(of(int{}, field), 2, 3); }
  Json of(const std::array<bool, 3>&, const Field& field) {
    return {{"anyOf", Json::array({list_of(of(bool{}, field), 2, 3), of(bool{}, field)})}};
  }
  Json of(const std::array<double, 2>&, const Field& field) { return list_of(of(double{}, field), 2, 2); }
  Json of(const std::array<std::string, 2>&, const Field& field) { return list_of(of(std::string{}, field), 2, 2); }
  Json of(const Expressions&, const Field& field) {
    return list_of({{"anyOf", {of(std::string{}, field), {{"type", "number"}}}}}, 2, 3);
  }
  Json of(const std::array<Vec<3>, 2>&, const Field& field) { return list_of(of(Vec<3>{}, field), 2, 2); }
  template <class T>
  Json of(const std::vector<T>& usual, const Field& field) {
    return list_of(of(T{}, field), usual.empty() ? 0 : 1, SIZE_MAX);
  }
  Json of(const std::vector<Corners>&, const Field& field) { return list_of(of(Corners{}, field), 0, SIZE_MAX); }
  template <std::size_t size>
  Json of(const std::vector<std::array<int, size>>&, const Field& field) {
    return list_of(list_of(of(int{}, field), size, size), 0, SIZE_MAX);
  }
  template <class T>
  Json of(const std::optional<T>&, const Field& field) {
    return {{"anyOf", Json::array({of(T{}, field), Json{{"type", "null"}}})}};
  }
  template <DescribedStruct Struct>
  Json of(const Struct& usual, const Field& field) {
    define<Struct>();
    if (field.shorthand != Shorthand::flag) return reference_to<Struct>();
    NamesOfFlags flags;
    Struct copy = usual;
    describe(flags, copy);
    return {{"anyOf", Json::array({reference_to<Struct>(), Json{{"enum", flags.names}}})}};
  }

  template <DescribedStruct Struct>
  void define();

 private:
  Json& definitions_;
};

// An object with one property a field; unknown keys are refused, as by the reader.
class ObjectSchema {
 public:
  explicit ObjectSchema(Json& definitions) : types_(definitions) {}

  template <class T>
  void field(const char* key, T& value, const Field& field) {
    Json schema = types_.of(value, field);
    const std::string unit = field.unit.empty() ? "" : fmt::format(" [{}]", field.unit);
    schema["description"] = fmt::format("{}{}", field.doc, unit);
    if constexpr (!DescribedStruct<T>) schema["default"] = value_json(value, field);
    properties[key] = schema;
  }

  Json properties = Json::object();

 private:
  TypeSchema types_;
};

template <DescribedStruct Struct>
Json object_schema(Json& definitions) {
  Struct defaults{};
  // The reader chooses the integrator where the key is missing.
  if constexpr (std::is_same_v<Struct, TimeDesc>) defaults.integrator = TimeIntegrator::bdf2_in_flight;
  ObjectSchema schema(definitions);
  describe(schema, defaults);
  return {{"type", "object"},
          {"description", StructInfo<Struct>::doc},
          {"properties", schema.properties},
          {"additionalProperties", false}};
}

template <DescribedStruct Struct>
void TypeSchema::define() {
  if (definitions_.contains(StructInfo<Struct>::name)) return;
  // Reserve the place first: definitions stand in the order in which the table meets them.
  definitions_[StructInfo<Struct>::name] = Json::object();
  Json definition = object_schema<Struct>(definitions_);
  definitions_[StructInfo<Struct>::name] = definition;
}

}  // namespace

std::string scene_schema() {
  Json definitions = Json::object();
  Json scene = object_schema<SceneDesc>(definitions);
  Json properties = {{"$schema", {{"type", "string"}}},
                     {"format", {{"enum", {native_format, second_format, first_format}}}}};
  for (const auto& [key, value] : scene["properties"].items()) properties[key] = value;
  const Json root = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                     {"title", "Clearance scene"},
                     {"description", StructInfo<SceneDesc>::doc},
                     {"type", "object"},
                     {"properties", properties},
                     {"additionalProperties", false},
                     {"required", {"bodies"}},
                     {"$defs", definitions}};
  return to_text(root);
}

}  // namespace clearance
