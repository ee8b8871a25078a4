// Closed surfaces of triangles for the shapes of a robot.
#pragma once

#include "clearance/io/robot/robot_model.h"

namespace clearance {

/// In the body's frame, pointing outwards. Round shapes are polyhedra with vertices on the shape, 16 around, so that
/// they are nowhere further inside of it than 2 % of their radius.
Mesh mesh_of_shape(const RobotShape& shape);

/// All shapes of a body as one mesh of several components, which may overlap: stiff bodies never touch themselves.
Mesh mesh_of_shapes(const std::vector<RobotShape>& shapes);

/// An octahedron around a point: stands for a body without a shape.
Mesh octahedron(const Vec<3>& center, double radius);

}  // namespace clearance
