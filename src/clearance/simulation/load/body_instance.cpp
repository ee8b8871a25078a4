#include "clearance/simulation/load/body_instance.h"

namespace clearance {

Mesh BodyInstance::mesh_at_start() const {
  Mesh bent = mesh;
  for (std::size_t v = 0; v < displacements.size(); ++v) bent.vertices[v] += displacements[v];
  return bent;
}

}  // namespace clearance
