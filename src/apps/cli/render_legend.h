// The scale of a colour map, drawn into a picture.
#pragma once

#include "apps/cli/render_image.h"

namespace clearance::cli {

/// A bar at the lower left with its ends in [m/s].
void draw_speed_legend(Image& image, double max_speed);

}  // namespace clearance::cli
