#include "clearance/render/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "clearance/io/mesh/frame_scalar.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/nearest_name.h"
#include "clearance/verify/rest_shape.h"

namespace clearance::render {

bool is_field(const std::string& color) {
  return color != "body";
}

std::string full_name_of(const std::string& color) {
  if (color == "stress") return std::string(enum_name(OutputField::von_mises));
  if (color == "pressure") return std::string(enum_name(OutputField::contact_pressure));
  return color;
}

std::string advice_for_missing(const std::string& color) {
  const std::string name = full_name_of(color);
  std::vector<std::string_view> known = {"body", "displacement", "velocity", "stress", "pressure"};
  for (const auto& field : EnumInfo<OutputField>::values) {
    if (field.name == name) {
      return fmt::format("the frames have no `{0}`: add \"{0}\" to `output.fields` of the scene and run it again",
                         name);
    }
    known.push_back(field.name);
  }
  const std::string_view nearest = nearest_name(color, known);
  return "this quantity does not exist; expected body, displacement, stress, pressure, or an array of the frames, such "
         "as velocity" +
         (nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest));
}

std::string array_of(const std::string& color) {
  return is_field(color) && color != "displacement" ? color : "";
}

std::string unit_of(const std::string& color) {
  static const std::map<std::string, std::string> units = {
      {"displacement", "m"},      {"velocity", "m/s"},   {"contact_force", "N"},     {"stress", "Pa"},
      {"pressure", "Pa"},         {"von_mises", "Pa"},   {"principal_stress", "Pa"}, {"energy_density", "J/m^3"},
      {"contact_pressure", "Pa"}, {"normal_force", "N"}, {"friction_force", "N"},    {"stress_von_mises", "Pa"}};
  const auto found = units.find(color);
  return found == units.end() ? "" : found->second;
}

Result<Frame> read_frame_for(const std::filesystem::path& path, const std::string& color, const Frame& first) {
  if (color == "displacement" && !verify::rest_positions(first).empty()) return read_whole_frame(path);
  return read_frame(path, array_of(color));
}

std::vector<double> field_values(const Frame& frame, const std::string& color, const Frame& first) {
  if (color != "displacement") return scalar_of_vertices(frame);
  std::vector<double> values;
  const std::vector<Vec<3>> rest = verify::rest_positions(frame);
  const std::vector<Vec<3>>& from = rest.empty() ? first.mesh.vertices : rest;
  if (from.size() != frame.mesh.vertices.size()) return values;
  for (std::size_t v = 0; v < from.size(); ++v) values.push_back((frame.mesh.vertices[v] - from[v]).norm());
  return values;
}

void FieldRange::add(double value) {
  if (!std::isfinite(value)) return;
  low = is_empty ? value : std::min(low, value);
  high = is_empty ? value : std::max(high, value);
  is_empty = false;
}

void FieldRange::add(const FieldRange& other) {
  if (other.is_empty) return;
  add(other.low);
  add(other.high);
}

FieldRange FieldRange::as_scale() const {
  FieldRange scale{std::min(low, 0.0), high, false};
  if (!(scale.high > scale.low)) scale.high = scale.low + 1.0;
  return scale;
}

}  // namespace clearance::render
