// The segments and joints of thin elastic rods, with all that their energies need to know of the rod at rest.
//
// The unknowns are the nodes, and for every segment the angle theta by which its material axes are turned about it from
// a director that is transported along with the segment [Ber08, Ber10]. An angle is stored as a length u = h theta, so
// that all unknowns are metres and all forces newtons; h is chosen so that the three angles of a block have one
// inertia.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "clearance/math/types.h"
#include "clearance/model/angle_unknown.h"

namespace clearance {

/// Stiffness and inertia of a cross section.
struct RodSection {
  double stretching = 0.0;                ///< [N] EA
  std::array<double, 2> bending{};        ///< [N m^2] EI towards the first and the second material axis
  double twisting = 0.0;                  ///< [N m^2] GJ
  double mass_per_length = 0.0;           ///< [kg/m]
  double polar_inertia_per_length = 0.0;  ///< [kg m] rho (I1 + I2)
  std::optional<double> yield_curvature;  ///< [1/m] from rest beyond which it stays bent; absent: elastic
  double radius = 0.0;                    ///< [m] of a circle of that polar inertia: scale of the angles

  static RodSection circle(double diameter, double youngs_modulus, double poisson_ratio, double density);
  /// A rectangle of a height along the first axis and a width along the second one.
  static RodSection rectangle(double height, double width, double youngs_modulus, double poisson_ratio, double density);
};

struct RodSegment {
  std::array<int, 2> nodes{};  ///< blocks, in the direction of the rod
  double length = 0.0;         ///< [m] at rest
  int section = 0;
  AngleUnknown angle;
  Vec<3> director = Vec<3>::UnitX();  ///< first material axis at the start
  int clamp = -1;                     ///< index into RodMesh::clamps; -1: none
};

/// A node between two segments.
struct RodJoint {
  std::array<int, 2> segments{};      ///< the one that ends here, and the one that begins
  double length = 0.0;                ///< [m] of rod at rest that belongs to the node
  std::array<double, 2> curvature{};  ///< at rest towards both axes, times the length
  double twist = 0.0;                 ///< [rad] at rest
};

struct RodMesh {
  std::vector<RodSection> sections;
  std::vector<RodSegment> segments;
  std::vector<RodJoint> joints;
  std::vector<DirectionClamp> clamps;
  VecX x_start;  ///< [m] all unknowns of the scene at its start
};

/// Shape of a rod at rest.
struct RodRest {
  bool is_straight = false;                        ///< else as placed
  std::optional<std::array<double, 2>> curvature;  ///< [1/m] towards both axes
  std::optional<double> twist;                     ///< [rad/m]
};

/// A body that becomes part of a RodMesh.
struct RodBody {
  std::span<const std::array<int, 2>> edges;  ///< vertices of the body; no vertex has more than two
  std::span<const Vec<3>> placed;             ///< [m] per vertex
  std::span<const int> blocks;                ///< per vertex
  int first_angle_block = 0;                  ///< angles follow in the order of the segments
  std::vector<RodSection> sections;           ///< one for all edges, or one for each
  std::optional<Vec<3>> up;                   ///< direction of the first axis, as far as it is across
  RodRest rest;
};

/// Adds a body: its lines and loops one after the other, each from its lowest free end or vertex on.
void add_rod(const RodBody& body, RodMesh& mesh);

/// Adds the mass [kg] of nodes and the inertia of angles to that of each block.
void add_rod_mass(const RodMesh& mesh, VecX& of_nodes, VecX& of_angles);

/// Returns the vector v, which is across the unit vector `from`, transported to the unit vector `to` without twist.
inline Vec<3> transport(const Vec<3>& from, const Vec<3>& to, const Vec<3>& v) {
  return v - (v.dot(to) / (1.0 + from.dot(to))) * (from + to);
}

}  // namespace clearance
