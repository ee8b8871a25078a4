// Closed surfaces of triangles for the shapes of a robot.
#pragma once

#include "clearance/io/robot/robot_model.h"

namespace clearance {

/// Returns the multiple of 4 that is used for that number of sides, so that the extents are exact.
int sides_at_least(int sides);

/// Returns the surface in the body's frame, oriented outwards. Round shapes are polyhedra with vertices on the shape:
/// cylinders and capsules have so many sides around, whose middles are 1 - cos(pi / sides) of the radius inside (64:
/// 0.12 %, 192: 0.013 %); balls and ellipsoids are icosahedra whose edges are cut in a sixth of that number.
Mesh mesh_of_shape(const RobotShape& shape, int sides);

/// Returns the number of vertices of a ball, ellipsoid, cylinder or capsule with that number of sides; 0 for other
/// shapes.
int num_vertices_of_round(const RobotShape& shape, int sides);

/// Returns all shapes of a body as one mesh of several components, which may overlap: stiff bodies never touch
/// themselves.
Mesh mesh_of_shapes(const std::vector<RobotShape>& shapes, int sides);

/// Returns an octahedron around a point, which represents a body without a shape.
Mesh octahedron(const Vec<3>& center, double radius);

}  // namespace clearance
