// The bodies that a name in the scene stands for, once meshes have been read: copies and components have numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Returns the bodies of a name, in ascending order. Validation has checked that the name exists, but not how many
/// components the body has: a number that it lacks is reported at `place`.
std::vector<int> find_instances(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const std::string& name,
                                const std::string& place, Issues& issues);

/// Returns the only body of a name; also reports a name that stands for several.
std::optional<int> find_instance(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                 const std::string& name, const std::string& place, Issues& issues);

}  // namespace clearance
