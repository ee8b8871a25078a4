// Forces that programs apply in one step (`applied_forces` of the scene), as forces on the unknowns.
#pragma once

#include <vector>

#include "clearance/base/result.h"
#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/stepping/body_view.h"

namespace clearance {

/// Adds a force on each vertex [N] to `forces` [N] of the unknowns. Issues: another number of rows, numbers that are
/// not finite.
Result<Done> add_vertex_forces(const SceneModel& scene, const std::vector<Vec<3>>& of_vertices, VecX& forces);

/// Adds a force [N] at the centre of mass of a stiff body, and a torque [N m] about it that acts in the pose of
/// `state`. Issues: other bodies, numbers that are not finite.
template <int dim>
Result<Done> add_wrench(const BodyView& view, const State& state, const Vec<3>& force, const Vec<3>& torque,
                        VecX& forces);

extern template Result<Done> add_wrench<2>(const BodyView&, const State&, const Vec<3>&, const Vec<3>&, VecX&);
extern template Result<Done> add_wrench<3>(const BodyView&, const State&, const Vec<3>&, const Vec<3>&, VecX&);

}  // namespace clearance
