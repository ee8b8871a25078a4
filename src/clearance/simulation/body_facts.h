// What each body of a scene is, in numbers: the table of `clearance check`, and what warnings judge by.
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
  int num_bodies = 1;            ///< of this line: more for copies and components that are summed
  Vec<3> size = Vec<3>::Zero();  ///< [m] extents of the bounding box; of several bodies of the largest one
  double volume = 0.0;           ///< [m^3], 2D: [m^2]; 0 of open surfaces
  double mass = 0.0;             ///< [kg]; 0 of obstacles
  int num_elements = 0;  ///< tetrahedra, 2D: triangles; of stiff bodies and obstacles triangles, edges and points
  double smallest_edge = infinity;  ///< [m] of an element; infinite without edges
};

/// [kg] per body; 0 of obstacles.
std::vector<double> body_masses(const SceneModel& scene);

/// One per body. Volumes of obstacles take as long as reading them.
std::vector<BodyFacts> collect_body_facts(const SceneModel& scene);

/// One line for all copies or components of a body of which there are more than `max_lines`.
std::vector<BodyFacts> sum_copies(const SceneDesc& desc, const std::vector<BodyFacts>& bodies, int max_lines = 4);

}  // namespace clearance
