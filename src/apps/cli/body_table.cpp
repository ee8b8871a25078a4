#include "apps/cli/body_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "clearance/scene/body_remesh.h"
#include "clearance/scene/enums.h"

namespace clearance::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string kind_of(const BodyFacts& line) {
  for (const auto& value : EnumInfo<BodyKind>::values) {
    if (value.value == line.kind) return std::string(value.name);
  }
  return "";
}

std::string size_text(const Vec<3>& size, int dim) {
  const std::string plane = fmt::format("{:.3g} x {:.3g}", size[0], size[1]);
  return dim == 2 ? plane : fmt::format("{} x {:.3g}", plane, size[2]);
}

/// Formats the number; `-` if it is not positive and finite.
std::string number_text(double value) {
  return value > 0.0 && std::isfinite(value) ? fmt::format("{:.4g}", value) : "-";
}

bool adapts(const SceneDesc& desc, const BodyFacts& line) {
  return find_remesh(desc, desc.bodies[line.desc]) != nullptr;
}

}  // namespace

Json json_of_bodies(const SceneDesc& desc, const std::vector<BodyFacts>& lines) {
  const auto number = [](double value) { return value > 0.0 && std::isfinite(value) ? Json(value) : Json(nullptr); };
  Json table = Json::array();
  for (const BodyFacts& line : lines) {
    table.push_back({{"name", line.name},
                     {"bodies", line.num_bodies},
                     {"kind", kind_of(line)},
                     {"size", {line.size[0], line.size[1], line.size[2]}},
                     {"volume", number(line.volume)},
                     {"mass", number(line.mass)},
                     {"elements", line.num_elements},
                     {"smallest_edge", number(line.smallest_edge)},
                     {"adapts", adapts(desc, line)}});
  }
  return table;
}

void print_body_table(const SceneDesc& desc, const std::vector<BodyFacts>& lines) {
  const int dim = desc.dimension;
  // Formats all texts first, so that every column is as wide as its widest entry.
  using Row = std::array<std::string, 7>;
  const UnitSystem& units = unit_system_of(desc);
  std::vector<Row> rows = {{"body", "kind", units.text("size [m]"),
                            units.text(dim == 2 ? "area [m^2]" : "volume [m^3]"), units.text("mass [kg]"), "elements",
                            units.text("smallest edge [m]")}};
  for (const BodyFacts& line : lines) {
    rows.push_back({line.num_bodies == 1 ? line.name : fmt::format("{} ({} bodies)", line.name, line.num_bodies),
                    kind_of(line), size_text(line.size, dim), number_text(line.volume), number_text(line.mass),
                    fmt::format("{}", line.num_elements), number_text(line.smallest_edge)});
  }
  std::array<std::size_t, 7> widths{};
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  constexpr std::size_t num_text_columns = 3;
  fmt::print("\n");
  for (const Row& row : rows) {
    std::string text;
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += c < num_text_columns ? fmt::format("{:<{}}  ", row[c], widths[c])
                                   : fmt::format("{:>{}}  ", row[c], widths[c]);
    }
    fmt::print("{}\n", text.substr(0, text.find_last_not_of(' ') + 1));
  }
  std::vector<std::string> adapting;
  for (const BodyFacts& line : lines) {
    if (adapts(desc, line)) adapting.push_back(line.name);
  }
  if (!adapting.empty()) fmt::print("\nelements adapt (`remesh`): {}\n", fmt::join(adapting, ", "));
}

}  // namespace clearance::cli
