#include "clearance/simulation/load/mesh_units.h"

namespace clearance {

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
  const double metres = metres_of(unit);
  for (Vec<3>& x : mesh.vertices) {
    x *= metres;
    if (up == UpAxis::z) x = Vec<3>(x[0], x[2], -x[1]);
  }
}

}  // namespace clearance
