// Dispatch from the dimension known at run time to code compiled for it.
#pragma once

#include <type_traits>

namespace clearance {

/// Calls f(std::integral_constant<int, 2 or 3>()). This is the one place where the dimension of a scene chooses among
/// templates.
///     with_dimension(scene.dim, [&](auto dim) { return build_contact_set<dim>(...); });
template <class F>
decltype(auto) with_dimension(int dim, F&& f) {
  return dim == 2 ? f(std::integral_constant<int, 2>()) : f(std::integral_constant<int, 3>());
}

}  // namespace clearance
