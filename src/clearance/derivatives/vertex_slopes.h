// Derivatives by unknowns as derivatives by the vertices and bodies of a scene.
#pragma once

#include <string>
#include <vector>

#include "clearance/simulation/build/scene_model.h"

namespace clearance::derivatives {

/// Returns the derivatives by the unknowns of a number that depends on the positions (or velocities) of the vertices of
/// SceneModel::frames by `by_vertex`. They may be fewer than the vertices of frames; further ones do not count.
VecX by_unknowns(const SceneModel& scene, const std::vector<Vec<3>>& by_vertex);

/// Returns the derivatives by the vertices of deformable bodies, prescribed nodes and obstacles that are unknowns of
/// their own. Vertices of stiff bodies follow others and have zero.
std::vector<Vec<3>> by_vertices(const SceneModel& scene, const VecX& by_unknowns);

/// Derivatives by the motion of a stiff body: per metre along the axes, and per radian about axes through its centre of
/// mass; or by its velocity and spin.
struct BodySlopes {
  int body = 0;  ///< as in SceneModel::bodies
  Vec<3> along = Vec<3>::Zero(), about = Vec<3>::Zero();
};
/// Returns those of all stiff bodies, whose columns are as in the unknowns `x`.
std::vector<BodySlopes> by_stiff_bodies(const SceneModel& scene, const VecX& x, const VecX& by_unknowns);
/// Returns those by the places of all stiff bodies if the velocities `v` depend on how a body is turned: velocity and
/// spin are held.
std::vector<BodySlopes> by_places(const SceneModel& scene, const VecX& x, const VecX& v, const VecX& by_x,
                                  const VecX& by_v);

}  // namespace clearance::derivatives
