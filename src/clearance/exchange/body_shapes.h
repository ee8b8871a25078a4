// What is drawn of a body: triangles with normals, lines and points, each with vertices of its own.
#pragma once

#include <optional>

#include "clearance/exchange/exported_run.h"
#include "clearance/exchange/shading.h"

namespace clearance::exchange {

struct BodyShapes {
  std::optional<Shading> surface;                   ///< of the body's vertices
  std::vector<std::array<std::uint32_t, 2>> lines;  ///< of the body's vertices; sides of triangles are none
  std::vector<std::uint32_t> points;                ///< lone ones
};

BodyShapes find_shapes(const ExportedRun& run, const ExportedBody& body);

}  // namespace clearance::exchange
