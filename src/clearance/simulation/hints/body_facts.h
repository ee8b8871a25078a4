// Facts about each body of a scene, in numbers: the table of `clearance check`, and the basis of warnings.
#pragma once

#include <string>
#include <vector>

#include "clearance/scene/scene.h"

namespace clearance {

struct SceneModel;

struct BodyFacts {
  std::string name;
  int desc = 0;  ///< index into SceneDesc::bodies
  BodyKind kind = BodyKind::deformable;
  int num_bodies = 1;            ///< number of bodies in this line; more than 1 if copies or components are summed
  Vec<3> size = Vec<3>::Zero();  ///< [m] extents of the bounding box; for several bodies, those of the largest one
  double volume = 0.0;           ///< [m^3], 2D: [m^2]; 0 for open surfaces
  double mass = 0.0;             ///< [kg]; 0 for obstacles
  /// Number of tetrahedra (2D: triangles); for stiff bodies and obstacles the number of triangles, edges and points.
  int num_elements = 0;
  double smallest_edge = infinity;  ///< [m] shortest edge of an element; infinite if the body has no edges
};

/// Returns the mass of each body [kg]; 0 for obstacles.
std::vector<double> body_masses(const SceneModel& scene);

/// Collects the facts of each body. The volume of an obstacle takes as long to compute as its mesh takes to read.
std::vector<BodyFacts> collect_body_facts(const SceneModel& scene);

/// Sums all copies or components of a body into one line if there are more than `max_lines` of them.
std::vector<BodyFacts> sum_copies(const SceneDesc& desc, const std::vector<BodyFacts>& bodies, int max_lines = 4);

}  // namespace clearance
