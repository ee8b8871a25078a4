#include "clearance/simulation/load/mesh_units.h"

#include <fmt/format.h>

#include "clearance/io/mesh/stage.h"

namespace clearance {

namespace {

constexpr double largest_size_of_mesh = 100.0;  // [m]
constexpr double largest_size_of_stl = 2.0;     // [m] STL has no units and mostly holds parts in millimetres

bool is_stl(const std::string& file) {
  return file.ends_with(".stl") || file.ends_with(".STL");
}

void place(double scale, UpAxis up, Mesh& mesh) {
  for (Vec<3>& x : mesh.vertices) {
    x *= scale;
    if (up == UpAxis::z) x = Vec<3>(x[0], x[2], -x[1]);
  }
}

}  // namespace

double largest_size_of_file(const std::string& file) {
  return is_stl(file) ? largest_size_of_stl : largest_size_of_mesh;
}

std::string doubt_of_unit(const std::string& file, double size, const std::string& setting) {
  if (size > largest_size_of_file(file)) {
    return fmt::format("is larger than {}; lengths are in metres; if the mesh is in millimetres, {}",
                       is_stl(file) ? "2 m, and STL files do not say their unit" : "100 m", setting);
  }
  if (size < smallest_size_of_file) {
    return "is smaller than a tenth of a millimetre; lengths are in metres (see `units`)";
  }
  return "";
}

double metres_of(LengthUnit unit) {
  switch (unit) {
    case LengthUnit::metre:
      return 1.0;
    case LengthUnit::decimetre:
      return 0.1;
    case LengthUnit::centimetre:
      return 0.01;
    case LengthUnit::millimetre:
      return 1e-3;
    case LengthUnit::micrometre:
      return 1e-6;
    case LengthUnit::inch:
      return 0.0254;
    case LengthUnit::foot:
      return 0.3048;
  }
  return 1.0;
}

void convert_to_metres(LengthUnit unit, UpAxis up, Mesh& mesh) {
  place(metres_of(unit), up, mesh);
}

void convert_to_scene(const SceneDesc& scene, const BodyDesc& body, Mesh& mesh) {
  // The reader of stages has converted them to metres; the numbers of other files have the scene's unit.
  const bool is_in_scene_units = !body.units && !is_stage_path(body.mesh);
  const double metres = metres_of(body.units.value_or(LengthUnit::metre));
  place(is_in_scene_units ? 1.0 : unit_system_of(scene).from_si(metres, dimension::length), body.up, mesh);
}

}  // namespace clearance
