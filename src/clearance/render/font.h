// A bitmap font for pictures.
#pragma once

#include <array>
#include <cstdint>

namespace clearance::render {

constexpr int glyph_width = 5, glyph_height = 7;

/// Rows from the top; the highest of five bits is at the left.
using Glyph = std::array<std::uint8_t, glyph_height>;
Glyph find_glyph(char letter);

}  // namespace clearance::render
