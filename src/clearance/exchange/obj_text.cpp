#include "clearance/exchange/obj_text.h"

#include <fmt/format.h>

#include <iterator>

#include "clearance/exchange/body_shapes.h"

namespace clearance::exchange {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

}  // namespace

void add_obj_vertices(std::span<const Vec<3>> places, std::string& text) {
  for (const Vec<3>& x : places) fmt::format_to(std::back_inserter(text), "v {} {} {}\n", x[0], x[1], x[2]);
}

std::string obj_elements(const ExportedRun& run, const ExportedBody& body, std::size_t num_before) {
  const BodyShapes shapes = find_shapes(run, body);
  std::string text;
  const auto out = std::back_inserter(text);
  // Triangles refer to the body's own vertices, not to those that are drawn separately for their normals.
  for (const auto& [a, b, c] : body.triangles) {
    fmt::format_to(out, "f {} {} {}\n", a + num_before + 1, b + num_before + 1, c + num_before + 1);
  }
  for (const auto& [a, b] : shapes.lines) fmt::format_to(out, "l {} {}\n", a + num_before + 1, b + num_before + 1);
  for (const std::uint32_t point : shapes.points) fmt::format_to(out, "p {}\n", point + num_before + 1);
  return text;
}

std::string obj_name(const std::string& name) {
  std::string plain = name;
  for (char& c : plain) {
    if (static_cast<unsigned char>(c) <= ' ') c = '_';
  }
  return plain;
}

std::string file_name_part(const std::string& name) {
  std::string plain = name.substr(0, 60);
  for (char& c : plain) {
    if (!is_plain(c)) c = '_';
  }
  return plain;
}

}  // namespace clearance::exchange
