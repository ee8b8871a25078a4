// The inertia that a scene gives a stiff body, as the tensors that determine its frame.
#pragma once

#include "clearance/scene/scene.h"

namespace clearance {

/// Returns the symmetric inertia tensor [kg m^2].
Mat<3> inertia_tensor(const InertiaDesc& inertia);

/// Returns the second moment [kg m^2]: the integral M of density (x - c)(x - c)^T, whose inertia tensor is trace(M) 1 -
/// M.
Mat<3> second_moment_of(const Mat<3>& inertia);

/// True if the second moment is positive, as that of any body is. Flat and thin bodies may have zeros, up to the
/// precision of handwritten numbers (a millionth).
bool is_inertia_of_a_body(const InertiaDesc& inertia);

}  // namespace clearance
