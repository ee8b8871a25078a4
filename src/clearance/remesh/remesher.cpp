#include "clearance/remesh/remesher.h"

#include "clearance/base/profile.h"
#include "clearance/remesh/body_remesher.h"

namespace clearance {

template <int dim>
RemeshReport remesh(const RemeshInputs<dim>& in, std::vector<AdaptingBody<dim>>& bodies) {
  const Stopwatch watch;
  RemeshReport report;
  // Remesh one body after the other; the next one sees the new surface.
  SceneSurfaces<dim> surfaces(in);
  for (AdaptingBody<dim>& body : bodies) {
    BodyRemesher<dim> remesher(in, body, surfaces, report);
    remesher.run();
    surfaces.replace(body.body, remesher.surface());
    body.rejected = remesher.rejected();
  }
  report.seconds = watch.seconds();
  return report;
}

template RemeshReport remesh<2>(const RemeshInputs<2>&, std::vector<AdaptingBody<2>>&);
template RemeshReport remesh<3>(const RemeshInputs<3>&, std::vector<AdaptingBody<3>>&);

}  // namespace clearance
