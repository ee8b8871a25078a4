#include "clearance/simulation/output/wave_times.h"

#include <algorithm>
#include <cmath>

#include "clearance/geometry/edge_length.h"
#include "clearance/scene/body_names.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

namespace {

double wave_time(const SceneDesc& desc, const BodyInstance& body) {
  if (body.kind != BodyKind::deformable) return 0.0;
  const MaterialDesc& material = desc.bodies[body.desc].material;
  const int order = body.displacement_order > 0 ? body.displacement_order : body.mesh.order_of_cell(0);
  return mean_edge_length(body.mesh) / (std::sqrt(material.youngs_modulus / material.density) * order);
}

}  // namespace

std::map<std::string, double> find_wave_times(const SceneDesc& desc, const SceneModel& scene) {
  std::map<std::string, double> times;
  for (const ProbeDesc& probe : desc.output.probes) {
    if (probe.kind != ProbeKind::contact) continue;
    double longest = 0.0;
    for (const std::string& name : probe.bodies) {
      const std::optional<NamedBody> named = find_body(desc, name);
      for (const BodyInstance& body : scene.bodies) {
        if (named && body.desc == static_cast<int>(named->body)) longest = std::max(longest, wave_time(desc, body));
      }
    }
    if (longest > 0.0) times[probe.name] = longest;
  }
  return times;
}

}  // namespace clearance
