#include "clearance/scene/body_names.h"

#include <charconv>

namespace clearance {
namespace {

std::optional<std::size_t> index_of(const SceneDesc& scene, std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].name == name) return i;
  }
  return std::nullopt;
}

/// The two parts of `link[3]`; nothing for a name without such an end.
struct Indexed {
  std::string_view name;
  int index = 0;
};
std::optional<Indexed> split_index(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos || name.back() != ']') return std::nullopt;
  const std::string_view digits = name.substr(open + 1, name.size() - open - 2);
  int index = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (status != std::errc() || end != digits.data() + digits.size() || index < 0) return std::nullopt;
  return Indexed{name.substr(0, open), index};
}

}  // namespace

double num_copies(const BodyDesc& body) {
  return body.array ? 1.0 * body.array->counts[0] * body.array->counts[1] * body.array->counts[2] : 1.0;
}

std::optional<NamedBody> find_body(const SceneDesc& scene, std::string_view name) {
  if (const auto whole = index_of(scene, name)) return NamedBody{*whole, std::nullopt};
  const std::optional<Indexed> parts = split_index(name);
  if (!parts) return std::nullopt;
  const auto body = index_of(scene, parts->name);
  if (!body) return std::nullopt;
  return NamedBody{*body, parts->index};
}

std::optional<std::size_t> find_half_space(const SceneDesc& scene, std::string_view name) {
  const std::optional<Indexed> parts = split_index(name);
  if (!parts || parts->name != "half_spaces") return std::nullopt;
  const std::size_t index = parts->index;
  return index < scene.half_spaces.size() ? std::optional(index) : std::nullopt;
}

}  // namespace clearance
