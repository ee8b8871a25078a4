// Converts from the unit and the axes of a mesh file to those of scenes: the scene's unit of length, y up.
#pragma once

#include <string>

#include "clearance/geometry/mesh.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Returns the length of one unit [m].
double metres_of(LengthUnit unit);

/// Largest size [m] of a mesh that is believed of a file that does not say its unit.
double largest_size_of_file(const std::string& file);
constexpr double smallest_size_of_file = 1e-4;  // [m]

/// Returns why a size [m] makes the unit of such a file doubtful, as "is larger than ..."; empty if it does not.
/// `setting` gives the unit millimetre.
std::string doubt_of_unit(const std::string& file, double size, const std::string& setting);

/// Converts a mesh to metres with y up: x y z of a file with z up become x z -y.
void convert_to_metres(LengthUnit unit, UpAxis up, Mesh& mesh);
/// Converts the mesh of a body to the scene's unit of length with y up.
void convert_to_scene(const SceneDesc& scene, const BodyDesc& body, Mesh& mesh);

}  // namespace clearance
