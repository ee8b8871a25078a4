// Traces rays through a drawing, lit by a soft sun and by a sky from which bodies shade each other, above a ground.
#pragma once

#include "clearance/render/camera.h"
#include "clearance/render/drawing.h"
#include "clearance/render/image.h"

namespace clearance::render {

struct TraceOptions {
  int width = 1280, height = 720;  ///< [px]
  int samples = 32;  ///< maximum number of rays per pixel, each with one ray to the sun and one to the sky
};

/// Returns the picture, with the same bits for any number of threads.
Image trace(const Drawing& drawing, const Camera& camera, const TraceOptions& options);

}  // namespace clearance::render
