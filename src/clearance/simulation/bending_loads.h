// Which deformable bodies are bent by what the scene gives them: loads, their weight, and motions of their ends.
#pragma once

#include "clearance/simulation/scene_model.h"

namespace clearance {

/// A slender body: columns of `axes` are its principal axes, `extents` [m] its size along these, the longest last (2D:
/// the first is that across the plane, and does not count).
struct SlenderBody {
  int body = 0;
  Mat<3> axes = Mat<3>::Identity();
  Vec<3> extents = Vec<3>::Ones();
  bool is_straight = true;  ///< a beam or a plate; else walls that go round corners
};

/// Is a part of its length held, and something across it acts on the rest: a load, a weight that makes it sag by a
/// thousandth of its length, or another held part that moves? Loads along it count if they come to a tenth of what
/// makes it buckle. Contacts are not looked for.
bool is_bent(const SceneDesc& desc, const SceneModel& scene, const SlenderBody& body);

}  // namespace clearance
