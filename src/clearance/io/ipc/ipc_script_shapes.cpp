#include "clearance/io/ipc/ipc_script_shapes.h"

#include <fmt/format.h>

#include "clearance/io/ipc/ipc_script_placement.h"

namespace clearance {
namespace {

// Reads the start and the end of a time range. Both may be missing, or the end alone.
void parse_times(IpcLine& line, double& start, double& end) {
  if (line.next_is_number()) start = line.real("the start");
  if (line.next_is_number() || (!line.is_empty() && line.peek() == "inf")) end = read_ipc_end(line);
}

IpcDirichlet parse_dirichlet(IpcLine& line) {
  IpcDirichlet dirichlet;
  dirichlet.box_min = line.vector("the min corner");
  dirichlet.box_max = line.vector("the max corner");
  dirichlet.linear_velocity = line.vector("the linear velocity");
  dirichlet.angular_velocity = line.vector("the angular velocity");
  parse_times(line, dirichlet.start, dirichlet.end);
  return dirichlet;
}

IpcNeumann parse_neumann(IpcLine& line) {
  IpcNeumann neumann;
  neumann.box_min = line.vector("the min corner");
  neumann.box_max = line.vector("the max corner");
  neumann.acceleration = line.vector("the acceleration");
  parse_times(line, neumann.start, neumann.end);
  return neumann;
}

}  // namespace

long long IpcShape::num_copies() const {
  return array ? clearance::num_copies(*array) : 1;
}

double read_ipc_end(IpcLine& line) {
  if (line.is_empty() || line.peek() != "inf") return line.real("the end");
  line.word("the end");
  return infinity;
}

IpcShape parse_ipc_shape(IpcLine& line) {
  IpcShape shape;
  shape.line = line.number();
  shape.path = line.word("the path");
  shape.translation = line.vector("the translation");
  shape.rotation = line.vector("the rotation");
  shape.scale = line.vector("the scale");
  parse_ipc_shape_extras(line, shape);
  return shape;
}

void parse_ipc_shape_extras(IpcLine& line, IpcShape& shape) {
  while (!line.is_empty() && !line.is_comment()) {
    const std::string extra = line.word("the extra");
    if (extra == "material") {
      shape.material = line.vector("density, Young's modulus, Poisson's ratio");
    } else if (extra == "linearVelocity") {
      shape.linear_velocity = line.vector("the linear velocity");
    } else if (extra == "angularVelocity") {
      shape.angular_velocity = line.vector("the angular velocity");
    } else if (extra == "initVel") {
      const Vec<3> linear = line.vector("the linear velocity");
      shape.start_velocity = {linear, line.vector("the angular velocity")};
    } else if (extra == "DBC") {
      shape.dirichlet.push_back(parse_dirichlet(line));
    } else if (extra == "NBC") {
      shape.neumann.push_back(parse_neumann(line));
    } else if (extra == "meshSeq") {
      shape.mesh_sequence = line.word("the folder");
    } else {
      line.warning("unknown extra of a shape, ignored", extra);
    }
  }
}

}  // namespace clearance
