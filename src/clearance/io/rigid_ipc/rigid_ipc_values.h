// The values of one object of a Rigid IPC scene.
#pragma once

#include "clearance/scene/foreign_object.h"

namespace clearance {

using RigidIpcObject = ForeignObject;

}  // namespace clearance
