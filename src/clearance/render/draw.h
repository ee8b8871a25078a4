// The drawing of a frame.
#pragma once

#include <vector>

#include "clearance/io/mesh/vtu.h"
#include "clearance/render/drawing.h"

namespace clearance::render {

struct DrawStyle {
  /// value per vertex of the frame that colours show; empty: bodies have their own colours
  std::vector<double> values;
  double low = 0, high = 1;   ///< ends of the colour map
  std::vector<double> radii;  ///< [m] per body: of its lines and points; 0, and beyond the end: as they look well
  bool has_edges = false;     ///< true: draw the edges of triangles of bodies that are no obstacles
};

/// Returns the colour of a body by its order among the deformable ones, which is the same in every frame.
Color body_color(int order);
/// Returns the Viridis colour of a value in [0, 1]: dark blue, green, yellow.
Color map_color(double value);
Color from_srgb(int hex);

/// Fills the drawing from a frame. The caller has set its origin, size, up and planes.
void draw_frame(const Frame& frame, const DrawStyle& style, Drawing& drawing);

}  // namespace clearance::render
