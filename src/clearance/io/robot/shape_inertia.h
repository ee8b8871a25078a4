// Mass, centre of mass and inertia of the shapes themselves, not of the polyhedra that stand for round ones.
#pragma once

#include <string>

#include "clearance/io/robot/robot_model.h"

namespace clearance {

/// Density [kg/m^3] of bodies without a mass in the model.
inline constexpr double usual_density = 1000.0;

/// Returns the inertia in the frame of the body. Meshes that are not closed have a hundredth of their size as
/// thickness, as in scenes.
RobotInertia inertia_of_shape(const RobotShape& shape, double density);

/// Returns the sum over all shapes; overlapping parts count twice.
RobotInertia inertia_of_shapes(const std::vector<RobotShape>& shapes, double density);

/// True if every mesh among the shapes is closed.
bool are_solid(const std::vector<RobotShape>& shapes);

/// Returns the inertia of a ball of that mass with the usual density, for bodies without a shape.
RobotInertia inertia_of_ball(double mass, const Vec<3>& center);

/// An inertia that some body can have.
struct CheckedInertia {
  RobotInertia inertia;
  std::string told;  ///< what was wrong with the given one, and what replaces it; empty if it is used
};

/// Returns the given inertia if a body can have it. Otherwise returns that of the shapes with its mass, or without
/// shapes that of a ball.
CheckedInertia check_inertia(const RobotInertia& given, const std::vector<RobotShape>& shapes);

}  // namespace clearance
