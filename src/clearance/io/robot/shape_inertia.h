// Mass, centre of mass and inertia of the shapes themselves, not of the polyhedra that stand for round ones.
#pragma once

#include <string>

#include "clearance/io/robot/robot_model.h"

namespace clearance {

/// [kg/m^3] Of what has no mass in the model.
inline constexpr double usual_density = 1000.0;

/// In the frame of the body. Meshes that are not closed have a hundredth of their size as thickness, as in scenes.
RobotInertia inertia_of_shape(const RobotShape& shape, double density);

/// Shapes that overlap count twice.
RobotInertia inertia_of_shapes(const std::vector<RobotShape>& shapes, double density);

/// Is every mesh among them closed?
bool are_solid(const std::vector<RobotShape>& shapes);

/// A ball of the mass with the usual density: the inertia of what has no shape.
RobotInertia inertia_of_ball(double mass, const Vec<3>& center);

/// An inertia that some body can have.
struct CheckedInertia {
  RobotInertia inertia;
  std::string told;  ///< what was wrong with the given one, and what is used instead; empty: nothing
};

/// The given one, or where no body has it that of the shapes with its mass, or without shapes that of a ball.
CheckedInertia check_inertia(const RobotInertia& given, const std::vector<RobotShape>& shapes);

}  // namespace clearance
