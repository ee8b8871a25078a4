// The picture of a drawing by ray tracing: one soft sun, a sky that bodies shade each other from, a ground.
#pragma once

#include "clearance/render/draw.h"
#include "clearance/render/image.h"

namespace clearance::render {

struct TraceOptions {
  int width = 1280, height = 720;  ///< [px]
  int samples = 32;                ///< rays per pixel, each with one ray to the sun and one to the sky
};

/// The same bits for any number of threads.
Image trace(const Drawing& drawing, const Camera& camera, const TraceOptions& options);

}  // namespace clearance::render
