// One value of a scene as JSON: used by the writer and, for the defaults, by the schema and the reference.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "clearance/scene/fields.h"
#include "clearance/scene/json.h"

namespace clearance {

template <DescribedStruct Struct>
Json value_json(const Struct& value, const Field&);

inline Json value_json(double value, const Field&) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
inline Json value_json(int value, const Field&) {
  return value;
}
inline Json value_json(bool value, const Field&) {
  return value;
}
inline Json value_json(const std::string& value, const Field&) {
  return value;
}

template <NamedEnum Enum>
Json value_json(Enum value, const Field&) {
  return std::string(enum_name(value));
}

inline Json value_json(const Vec<3>& value, const Field&) {
  return Json::array({value[0], value[1], value[2]});
}

template <class T, std::size_t size>
Json value_json(const std::array<T, size>& value, const Field& field) {
  Json list = Json::array();
  for (const T& entry : value) list.push_back(value_json(entry, field));
  return list;
}

template <class T>
Json value_json(const std::vector<T>& value, const Field& field) {
  Json list = Json::array();
  for (const T& entry : value) list.push_back(value_json(entry, field));
  return list;
}

template <class T>
Json value_json(const std::optional<T>& value, const Field& field) {
  return value ? value_json(*value, field) : Json(nullptr);
}

class ObjectWriter {
 public:
  template <class T>
  void field(const char* key, T& value, const Field& field) {
    object[key] = value_json(value, field);
  }
  Json object = Json::object();
};

template <DescribedStruct Struct>
Json value_json(const Struct& value, const Field&) {
  // The table takes variables, because the reader writes to them.
  Struct copy = value;
  ObjectWriter writer;
  describe(writer, copy);
  return writer.object;
}

}  // namespace clearance
