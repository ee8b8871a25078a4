// Volume meshes for bodies whose mesh is a bare surface.
#pragma once

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/meshing/volume_mesh.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Returns the options of a body's `volume_mesh`.
VolumeMeshOptions volume_mesh_options(const VolumeMeshDesc& desc);

/// Replaces the surface of bodies[desc] by a mesh of its inside, as its `volume_mesh` says. Warnings tell what was
/// repaired and how far a wrapped surface is from the original. Returns false, with `issues` at `where`, if there is no
/// such mesh.
bool fill_surface(const SceneDesc& scene, int desc, Issue where, Mesh& mesh, Issues& issues, Issues& warnings);

}  // namespace clearance
