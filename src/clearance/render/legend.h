// The scale of a colour map, drawn into a picture.
#pragma once

#include <string>

#include "clearance/render/image.h"

namespace clearance::render {

struct Legend {
  std::string title;             ///< `velocity [m/s]`
  double low = 0.0, high = 1.0;  ///< ends of the colour map
};

/// A bar at the lower left with its title above and numbers at its ends and in its middle below.
void draw_legend(Image& image, const Legend& legend);

}  // namespace clearance::render
