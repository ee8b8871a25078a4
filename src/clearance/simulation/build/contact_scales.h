// The contact scales of each surface vertex (ContactScales). They follow from the body that it belongs to, from what is
// close to it at the start, and from what resists there.
#pragma once

#include <vector>

#include "clearance/model/model.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/stiff_unit.h"
#include "clearance/simulation/load/body_instance.h"
#include "clearance/solver/options.h"

namespace clearance {

struct ScaledContact {
  ContactScales scales;  ///< empty if the scene asks for one scale
  double dhat = 0.0;     ///< [m] largest activation distance
};

/// Returns the compliance of each surface vertex (ContactScales::compliance) for steps of length h [s]; empty if the
/// contacts of the scene have one stiffness.
std::vector<double> contact_compliance(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                       const std::vector<StiffUnit>& units, const Model& model, double h);

/// Makes the contact scales of a model that has all but contact. `x_start` [m] are the unknowns at the start.
///
/// dhat is a given fraction of the body's diagonal, with these limits: for solids at most a third of 2 V / A, the
/// thickness of a plate; for features of one deformable body that face each other at most a third of their distance;
/// for bodies that start closer than dhat, and of which none starts bent, their gap, so that no barrier pushes at the
/// start. An absolute dhat is kept as it is. The limits do not apply to obstacles.
///
/// Compliance: a force moves the vertex in a step by 1 / (100 m / h^2 + k), with m and k those of its blocks. A contact
/// is then as stiff as its softer body, and a body without elasticity is a hundred times as stiff as its inertia, and
/// up to 16 times as much if it may fall far in a step beside dhat. The gap under load is a sensible part of dhat for
/// any material. In quasi-static scenes inertia does not count: stiff bodies resist as the loads of the scene ask, and
/// thin bodies at least as much.
ScaledContact make_contact_scales(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                  const std::vector<StiffUnit>& units, const Model& model, const VecX& x_start,
                                  const SolverOptions& options);

}  // namespace clearance
