#include "clearance/render/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "clearance/render/draw.h"
#include "clearance/render/font.h"

namespace clearance::render {
namespace {

constexpr std::array<std::uint8_t, 3> ink = {40, 44, 52}, paper = {255, 255, 255};

void fill(Image& image, int x0, int y0, int width, int height, const std::array<std::uint8_t, 3>& rgb) {
  for (int y = std::max(0, y0); y < std::min(image.height, y0 + height); ++y) {
    for (int x = std::max(0, x0); x < std::min(image.width, x0 + width); ++x)
      std::copy(rgb.begin(), rgb.end(), image.pixel(x, y));
  }
}

int text_width(int dot, const std::string& text) {
  return (glyph_width + 1) * dot * static_cast<int>(text.size());
}

void draw_text(Image& image, int x, int y, int dot, const std::string& text) {
  for (const char letter : text) {
    const Glyph glyph = find_glyph(letter);
    for (int row = 0; row < glyph_height; ++row) {
      for (int column = 0; column < glyph_width; ++column) {
        if ((glyph[row] >> (glyph_width - 1 - column)) & 1) {
          fill(image, x + column * dot, y + row * dot, dot, dot, ink);
        }
      }
    }
    x += text_width(dot, " ");
  }
}

std::uint8_t to_byte(float linear) {
  const float s = linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::clamp(255 * s + 0.5f, 0.0f, 255.0f));
}

}  // namespace

void draw_legend(Image& image, const Legend& legend) {
  const int dot = std::max(1, image.height / 360);
  const int line = (glyph_height + 3) * dot, margin = 5 * dot;
  const std::array<double, 3> numbers = {legend.low, 0.5 * (legend.low + legend.high), legend.high};
  std::array<std::string, 3> texts;
  int width = std::max(image.width / 4, text_width(dot, legend.title));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    // A scale that is symmetric about zero shows exactly 0 in the middle, without rounding errors.
    const bool is_zero = std::abs(numbers[i]) < 1e-9 * (legend.high - legend.low);
    texts[i] = fmt::format("{:.3g}", is_zero ? 0.0 : numbers[i]);
    width = std::max(width, 3 * text_width(dot, texts[i] + " "));
  }
  const int left = 2 * margin, height = 5 * dot, panel = 2 * margin + 2 * line + height + 2 * dot;
  const int top = image.height - panel - margin;
  fill(image, left - margin, top, width + 2 * margin, panel, paper);
  draw_text(image, left, top + margin, dot, legend.title);

  const int bar = top + margin + line;
  for (int x = 0; x < width; ++x) {
    const Color color = map_color((x + 0.5) / width);
    fill(image, left + x, bar, 1, height, {to_byte(color[0]), to_byte(color[1]), to_byte(color[2])});
  }
  // Ticks are drawn below the bar; the outer numbers stay within its width.
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const int at = left + static_cast<int>(i) * (width - dot) / 2;
    const int length = text_width(dot, texts[i]) - dot;
    fill(image, at, bar + height, dot, 2 * dot, ink);
    draw_text(image, std::clamp(at - length / 2, left, left + width - length), bar + height + 4 * dot, dot, texts[i]);
  }
}

}  // namespace clearance::render
