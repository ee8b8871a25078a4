#include "clearance/io/robot/shape_inertia.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "clearance/geometry/mesh_mass.h"
#include "clearance/scene/body_inertia.h"

namespace clearance {

namespace {

constexpr double pi = std::numbers::pi;

/// Returns an inertia about the origin, from moments along the axes.
RobotInertia centred(double mass, double ixx, double iyy, double izz) {
  return {mass, Vec<3>::Zero(), Vec<3>(ixx, iyy, izz).asDiagonal()};
}

RobotInertia box(const Vec<3>& half, double density) {
  const double mass = 8.0 * density * half.prod();
  const Vec<3> sq = half.cwiseProduct(half) * (mass / 3.0);
  return centred(mass, sq[1] + sq[2], sq[0] + sq[2], sq[0] + sq[1]);
}

RobotInertia ellipsoid(const Vec<3>& radii, double density) {
  const double mass = 4.0 / 3.0 * pi * density * radii.prod();
  const Vec<3> sq = radii.cwiseProduct(radii) * (mass / 5.0);
  return centred(mass, sq[1] + sq[2], sq[0] + sq[2], sq[0] + sq[1]);
}

RobotInertia cylinder(double radius, double half_length, double density) {
  const double mass = 2.0 * pi * radius * radius * half_length * density;
  const double across = mass * (radius * radius / 4.0 + half_length * half_length / 3.0);
  return centred(mass, across, across, mass * radius * radius / 2.0);
}

/// Returns the inertia of a cylinder and two half balls, whose centres of mass are 3/8 of the radius beyond its ends.
RobotInertia capsule(double radius, double half_length, double density) {
  const RobotInertia middle = cylinder(radius, half_length, density);
  const double mass = 4.0 / 3.0 * pi * radius * radius * radius * density;
  const double about_ends = mass * radius * radius * 2.0 / 5.0;
  const double arm_sq = half_length * half_length + 2.0 * half_length * 3.0 / 8.0 * radius;
  const RobotInertia ends = centred(mass, about_ends + mass * arm_sq, about_ends + mass * arm_sq, about_ends);
  return combine(middle, ends);
}

MeshMass mass_of(const Mesh& mesh) {
  return mass_of_mesh(mesh, 0.01 * bounding_box(mesh.vertices).diagonal());
}

RobotInertia untransformed(const RobotShape& shape, double density) {
  switch (shape.kind) {
    case RobotShapeKind::box:
      return box(shape.size, density);
    case RobotShapeKind::ellipsoid:
      return ellipsoid(shape.size, density);
    case RobotShapeKind::cylinder:
      return cylinder(shape.size[0], shape.size[1], density);
    case RobotShapeKind::capsule:
      return capsule(shape.size[0], shape.size[1], density);
    case RobotShapeKind::mesh: {
      const MassProperties unit = mass_of(shape.mesh).properties;
      return {density * unit.measure, unit.center, density * unit.inertia()};
    }
  }
  return {};
}

std::string numbers_of(const Mat<3>& tensor) {
  return fmt::format("Ixx {:.4g}, Iyy {:.4g}, Izz {:.4g}, Ixy {:.4g}, Ixz {:.4g}, Iyz {:.4g} kg m^2", tensor(0, 0),
                     tensor(1, 1), tensor(2, 2), tensor(0, 1), tensor(0, 2), tensor(1, 2));
}

std::string why_none_has(const Mat<3>& tensor) {
  if (tensor.isZero(0.0)) return "a body with a mass must have an inertia";
  const Vec<3> principal = Eigen::SelfAdjointEigenSolver<Mat<3>>(tensor, Eigen::EigenvaluesOnly).eigenvalues();
  const std::string all =
      fmt::format("its principal moments are {:.4g}, {:.4g} and {:.4g}", principal[0], principal[1], principal[2]);
  return all + (principal[0] <= 0.0 ? ", and all must be above 0" : ", and none may exceed the sum of the others");
}

}  // namespace

RobotInertia inertia_of_shape(const RobotShape& shape, double density) {
  return transformed(untransformed(shape, density), shape.pose);
}

RobotInertia inertia_of_shapes(const std::vector<RobotShape>& shapes, double density) {
  RobotInertia sum;
  for (const RobotShape& shape : shapes) sum = combine(sum, inertia_of_shape(shape, density));
  return sum;
}

bool are_solid(const std::vector<RobotShape>& shapes) {
  for (const RobotShape& shape : shapes) {
    if (shape.kind != RobotShapeKind::mesh) continue;
    const MeshMass mass = mass_of(shape.mesh);
    if (mass.has_thin_parts || mass.num_openings > 0) return false;
  }
  return !shapes.empty();
}

RobotInertia inertia_of_ball(double mass, const Vec<3>& center) {
  const double radius = std::cbrt(mass / (4.0 / 3.0 * pi * usual_density));
  return {mass, center, 0.4 * mass * radius * radius * Mat<3>::Identity()};
}

CheckedInertia check_inertia(const RobotInertia& given, const std::vector<RobotShape>& shapes) {
  const Mat<3>& tensor = given.tensor;
  const InertiaDesc desc{tensor.diagonal(), Vec<3>(tensor(0, 1), tensor(0, 2), tensor(1, 2))};
  if (tensor.diagonal().minCoeff() > 0.0 && is_inertia_of_a_body(desc)) return {given, ""};
  CheckedInertia checked{inertia_of_ball(given.mass, given.center), ""};
  const RobotInertia of_shapes = inertia_of_shapes(shapes, usual_density);
  if (of_shapes.mass > 0.0) checked.inertia.tensor = of_shapes.tensor * (given.mass / of_shapes.mass);
  checked.told = fmt::format(
      "no body can have the given inertia ({}): {}; {} instead: {}", numbers_of(tensor), why_none_has(tensor),
      of_shapes.mass > 0.0
          ? fmt::format("the inertia of its shapes with its mass of {:g} kg is used", given.mass)
          : fmt::format(
                "because the body has no shape, the inertia of a ball of water with its mass of {:g} kg is used",
                given.mass),
      numbers_of(checked.inertia.tensor));
  return checked;
}

}  // namespace clearance
