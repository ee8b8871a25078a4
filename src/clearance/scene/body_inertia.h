// The inertia that a scene gives a stiff body, as the tensors that its frame is made from.
#pragma once

#include "clearance/scene/scene.h"

namespace clearance {

/// [kg m^2] symmetric.
Mat<3> inertia_tensor(const InertiaDesc& inertia);

/// [kg m^2] integral of density (x - c)(x - c)^T, whose inertia tensor is trace(M) 1 - M.
Mat<3> second_moment_of(const Mat<3>& inertia);

/// Is the second moment positive, as that of any body? Flat and thin ones may have zeros, up to the digits that people
/// write (a millionth).
bool is_inertia_of_a_body(const InertiaDesc& inertia);

}  // namespace clearance
