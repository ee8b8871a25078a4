// The shapes that are drawn of a body: triangles with normals, lines and points. Each kind has vertices of its own.
#pragma once

#include <optional>

#include "clearance/exchange/exported_run.h"
#include "clearance/exchange/shading.h"

namespace clearance::exchange {

struct BodyShapes {
  std::optional<Shading> surface;  ///< triangles between the body's vertices; none if the body has no triangles
  std::vector<std::array<std::uint32_t, 2>> lines;  ///< by the body's vertices; sides of triangles are left out
  std::vector<std::uint32_t> points;                ///< lone vertices of the body
};

BodyShapes find_shapes(const ExportedRun& run, const ExportedBody& body);

}  // namespace clearance::exchange
