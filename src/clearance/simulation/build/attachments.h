// The attachments of a scene as links between the points of its bodies.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/bodies/links/link.h"
#include "clearance/model/model.h"
#include "clearance/scene/controls.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

struct SceneAttachments {
  std::shared_ptr<Potential> links;        ///< null: no links
  std::vector<std::array<int, 2>> bodies;  ///< pairs that are linked from the start on; -1: the world
};

/// Finds the ends of all links; `model` has the bodies' elastic energies and `x` their positions [m] at the start.
/// Appends to `issues` which copies and vertices do not exist, and to `idle` a warning for each attachment that selects
/// no node. Makes no links if `issues` has errors, of stages before too.
SceneAttachments make_attachments(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                  const Unknowns& unknowns, const Model& model, const VecX& x, double h,
                                  const std::shared_ptr<const Controls>& controls, Issues& issues, Issues& idle);

/// Returns the forces at the end of a step of the links of an attachment, by its number in the scene, that hold
/// afterwards. `potential` is the index of the links among the model's potentials.
LinkForce attachment_force(const Model& model, std::size_t potential, const State& state, double h, int attachment);

}  // namespace clearance
