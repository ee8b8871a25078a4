// The scale of a colour map, drawn into a picture.
#pragma once

#include <string>

#include "clearance/render/image.h"

namespace clearance::render {

struct Legend {
  std::string title;             ///< such as `velocity [m/s]`
  double low = 0.0, high = 1.0;  ///< ends of the colour map
};

/// Draws a colour bar at the lower left, with the title above it and numbers below its ends and its middle.
void draw_legend(Image& image, const Legend& legend);

}  // namespace clearance::render
