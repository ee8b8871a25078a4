// Options of `clearance render` that are texts.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "apps/cli/render.h"

namespace clearance::cli {

Result<Done> parse_size(const std::string& text, RenderOptions& options) {
  int width = 0, height = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, width);
  const bool has_cross = first.ec == std::errc() && first.ptr != end && (*first.ptr == 'x' || *first.ptr == 'X');
  const auto second = has_cross ? std::from_chars(first.ptr + 1, end, height) : first;
  const auto is_sensible = [](int n) { return n >= 16 && n <= 8192; };
  if (!has_cross || second.ec != std::errc() || second.ptr != end || !is_sensible(width) || !is_sensible(height)) {
    return Issue{"", "--size", text, "expected WIDTHxHEIGHT, each from 16 to 8192"};
  }
  options.width = width;
  options.height = height;
  return Done{};
}

namespace {

/// Parses three numbers between commas.
std::optional<Vec<3>> parse_place(const std::string& text) {
  Vec<3> place = Vec<3>::Zero();
  const char *at = text.data(), *const end = text.data() + text.size();
  for (int c = 0; c < 3; ++c) {
    const auto [stop, error] = std::from_chars(at, end, place[c]);
    if (error != std::errc() || !std::isfinite(place[c]) || (c < 2 ? stop == end || *stop != ',' : stop != end))
      return {};
    at = stop + 1;
  }
  return place;
}

struct NamedSide {
  const char* name;
  double right, up, front;
};
constexpr std::array sides = {NamedSide{"front", 0, 0, 1}, NamedSide{"back", 0, 0, -1}, NamedSide{"right", 1, 0, 0},
                              NamedSide{"left", -1, 0, 0}, NamedSide{"top", 0, 1, 0},   NamedSide{"bottom", 0, -1, 0}};

}  // namespace

Result<Done> parse_camera(const CameraTexts& texts, RenderOptions& options) {
  Issues issues;
  const auto read = [&](const char* option, const std::string& text, std::optional<Vec<3>>& place) {
    if (text.empty()) return;
    place = parse_place(text);
    if (!place) issues.push_back({"", option, text, "expected three numbers [m] between commas, as in 1,0.5,-2"});
  };
  read("--from", texts.from, options.camera.from);
  read("--at", texts.at, options.camera.at);
  if (!texts.view.empty()) {
    const auto found =
        std::find_if(sides.begin(), sides.end(), [&](const NamedSide& side) { return texts.view == side.name; });
    if (found == sides.end()) {
      issues.push_back({"", "--view", texts.view, "expected front, back, left, right, top or bottom"});
    } else if (!texts.from.empty()) {
      issues.push_back({"", "--view", texts.view, "expected --view or --from, not both"});
    } else {
      options.view = Vec<3>(found->right, found->up, found->front);
    }
  }
  if (options.camera.from && options.camera.at && *options.camera.from == *options.camera.at)
    issues.push_back({"", "--from", texts.from, "expected another place than that of --at"});
  if (!issues.empty()) return issues;
  return Done{};
}

}  // namespace clearance::cli
