#include "apps/cli/render_legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "apps/cli/render_draw.h"

namespace clearance::cli {
namespace {

constexpr std::string_view known = "0123456789.-+e/ms ";
/// Five rows of three dots each, the highest bit at the upper left.
constexpr std::array<int, known.size()> glyphs = {
    0b111101101101111, 0b010110010010111, 0b111001111100111, 0b111001111001111, 0b101101111001001, 0b111100111001111,
    0b111100111101111, 0b111001010010010, 0b111101111101111, 0b111101111001111, 0b000000000000010, 0b000000111000000,
    0b000010111010000, 0b000111111100111, 0b001001010100100, 0b000110111101101, 0b000011110011110, 0};

void fill(Image& image, int x0, int y0, int width, int height, const std::array<std::uint8_t, 3>& rgb) {
  for (int y = std::max(0, y0); y < std::min(image.height, y0 + height); ++y) {
    for (int x = std::max(0, x0); x < std::min(image.width, x0 + width); ++x)
      std::copy(rgb.begin(), rgb.end(), image.pixel(x, y));
  }
}

void draw_text(Image& image, int x, int y, int dot, const std::string& text) {
  for (const char c : text) {
    const std::size_t index = known.find(c);
    for (int bit = 0; index != std::string_view::npos && bit < 15; ++bit) {
      if ((glyphs[index] >> (14 - bit)) & 1) fill(image, x + bit % 3 * dot, y + bit / 3 * dot, dot, dot, {40, 44, 52});
    }
    x += 4 * dot;
  }
}

std::uint8_t to_byte(float linear) {
  const float s = linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::clamp(255 * s + 0.5f, 0.0f, 255.0f));
}

}  // namespace

void draw_speed_legend(Image& image, double max_speed) {
  const int dot = std::max(1, image.height / 270);
  const int width = image.width / 4, height = 4 * dot, left = 8 * dot, top = image.height - 18 * dot;
  fill(image, left - dot, top - dot, width + 2 * dot, height + 2 * dot, {255, 255, 255});
  for (int x = 0; x < width; ++x) {
    const Color color = map_color((x + 0.5) / width);
    fill(image, left + x, top, 1, height, {to_byte(color[0]), to_byte(color[1]), to_byte(color[2])});
  }
  const std::string high = fmt::format("{:.3g} m/s", max_speed);
  draw_text(image, left, top + height + 3 * dot, dot, "0");
  draw_text(image, left + width - 4 * dot * static_cast<int>(high.size()), top + height + 3 * dot, dot, high);
}

}  // namespace clearance::cli
