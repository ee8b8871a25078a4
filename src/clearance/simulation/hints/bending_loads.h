// Finds out which deformable bodies are bent by what the scene prescribes: loads, weight, and motions of their ends.
#pragma once

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// A slender body. The columns of `axes` are its principal axes, and `extents` [m] its sizes along these, the longest
/// last. In 2D the first extent is the one across the plane and does not count.
struct SlenderBody {
  int body = 0;
  Mat<3> axes = Mat<3>::Identity();
  Vec<3> extents = Vec<3>::Ones();
  bool is_straight = true;  ///< true for a beam or a plate, false for walls that go round corners
};

/// Returns true if a part of the body's length is held and something acts across the rest: a load, a weight that makes
/// it sag by a thousandth of its length, or another held part that moves. Loads along the body count if they reach a
/// tenth of its buckling load. Contacts are not considered.
bool is_bent(const SceneDesc& desc, const SceneModel& scene, const SlenderBody& body);

}  // namespace clearance
