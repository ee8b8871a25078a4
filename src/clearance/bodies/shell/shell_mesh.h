// The triangles and edges of thin shells, with all that their energies need to know of the shell at rest.
//
// The unknowns are the nodes, and one slope for every edge: the angle phi by which the shell's normal at the edge is
// turned about it from the bisector of the normals of both triangles. A slope is stored as a length u = phi h, where h
// is the mean height of the triangles over the edge, so that all unknowns are metres and all forces newtons. Three
// slopes share a block.
//
// The strain of the membrane is smoothed along edges [Liu09]: every edge has a third of the area of its triangles, with
// the mean of their strains. Nearby triangles that are too stiff each for itself, because their strain is constant, err
// in opposite directions. A tenth of the energy remains with the triangles, so that none of them can collapse.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "clearance/base/methods.h"
#include "clearance/geometry/surface_edges.h"
#include "clearance/math/types.h"
#include "clearance/model/angle_unknown.h"

namespace clearance {

/// Stiffness of an orthotropic sheet in its material axes: warp (1) and weft (2).
struct Orthotropy {
  Vec<3> warp = Vec<3>::UnitX();  ///< direction of the warp at rest, projected into each triangle
  double youngs_modulus_warp = 0.0, youngs_modulus_weft = 0.0;  ///< [Pa]
  double poisson_ratio = 0.0;                                   ///< contraction of the weft by a pull of the warp
  double shear_modulus = 0.0;                                   ///< [Pa]
};

struct ShellMaterial {
  ElasticModel law = ElasticModel::neo_hookean;  ///< or st_venant_kirchhoff
  BendingModel bending = BendingModel::slopes;
  double youngs_modulus = 1e6;  ///< [Pa]
  double poisson_ratio = 0.3;
  double density = 1000.0;                  ///< [kg/m^3]
  double thickness = 1e-3;                  ///< [m]
  std::optional<double> bending_stiffness;  ///< [N m] D; absent: E t^3 / 12 (1 - nu^2)
  std::optional<Orthotropy> orthotropy;     ///< of the membrane; the law is st_venant_kirchhoff then
  std::optional<double> strain_limit;       ///< principal stretch less 1 that no triangle reaches
  std::optional<double> yield_curvature;    ///< [1/m] from rest beyond which it stays bent; absent: elastic

  /// Returns D [N m].
  double flexural_rigidity() const;
  /// Returns the stiffness of the sheet in plane stress, so that the stress [Pa] is the product with the strains G11,
  /// G22 and 2 G12.
  Mat<3> plane_stress() const;
};

/// Two perpendicular unit vectors in the plane of a triangle at rest, as columns.
using PlaneAxes = Mat<3, 2>;

struct ShellTriangle {
  std::array<int, 3> nodes{};  ///< blocks
  std::array<int, 3> edges{};  ///< edge i is opposite to node i
  int material = 0;
  double area = 0.0;                    ///< [m^2] at rest
  PlaneAxes axes = PlaneAxes::Zero();   ///< material axes at rest; the normal is their cross product
  Mat<2> inverse = Mat<2>::Identity();  ///< [1/m] of the sides 01 and 02 at rest, in the axes, as columns
};

/// A region of the sheet at rest with one strain: a share of a triangle, or the strip along an edge, whose Cauchy-Green
/// tensor C is the mean of those of both triangles.
struct StrainCell {
  /// The term of a triangle in C: weight F^T F with F = sum_a x_a g_a^T, where g_a^T is row a of the gradients.
  struct Part {
    double weight = 1.0;
    Mat<4, 2> gradients = Mat<4, 2>::Zero();  ///< [1/m] of the shape functions of the cell's nodes, in the cell's axes
    int triangle = 0;
    int edge = -1;                       ///< of the triangle; -1: the cell is a share of the triangle
    PlaneAxes axes = PlaneAxes::Zero();  ///< of the cell, unfolded into the triangle's plane
  };
  std::array<int, 4> nodes{};  ///< blocks; a triangle has three
  int num_nodes = 3;
  int num_parts = 1;
  std::array<Part, 2> parts;
  int material = 0;
  double area = 0.0;  ///< [m^2] at rest
};

struct ShellEdge {
  std::array<int, 2> nodes{};            ///< blocks
  std::array<int, 2> triangles{-1, -1};  ///< the second is -1 on the border
  std::array<int, 2> opposite{-1, -1};   ///< block of the third node of each triangle
  /// -1 if both triangles run through the edge in the same direction, so that their normals point to opposite sides.
  double sense = 1.0;
  double length = 0.0;   ///< [m] at rest
  double angle = 0.0;    ///< [rad] between the normals at rest, positive if they diverge
  bool is_seam = false;  ///< the triangles are apart in the pattern
  AngleUnknown slope;
  int clamp = -1;  ///< index into ShellMesh::clamps; -1: none
  /// Unit axis about which the held normal turns as the edge does: a plane of symmetry is across it. Zero: none.
  Vec<3> free_axis = Vec<3>::Zero();
};

struct ShellMesh {
  std::vector<ShellMaterial> materials;
  std::vector<ShellTriangle> triangles;
  std::vector<ShellEdge> edges;
  std::vector<StrainCell> cells;  ///< of the membrane
  std::vector<DirectionClamp> clamps;
  VecX x_start;  ///< [m] all unknowns of the scene at its start, where clamped edges have the normals they keep
};

/// A body that becomes part of a ShellMesh.
struct ShellBody {
  std::span<const std::array<int, 3>> triangles;  ///< vertices of the body
  std::span<const Vec<3>> rest;                   ///< [m] per vertex
  std::span<const int> blocks;                    ///< per vertex
  int first_slope_block = -1;                     ///< slopes in the order of find_surface_edges; -1: there are none
  /// [m] corners of each triangle at rest instead of `rest`; empty: none. Neighbours that are apart there are flat.
  std::span<const std::array<Vec<3>, 3>> pattern;
  bool is_flat_at_rest = false;          ///< the angles between triangles are 0 at rest
  std::vector<ShellMaterial> materials;  ///< one for all triangles, or one for each
};

/// Adds a body. Its triangles must not be degenerate, and no edge may have more than two of them.
void add_shell(const ShellBody& body, ShellMesh& mesh);

/// Returns the map F of a triangle from its axes at rest into space, at the unknowns x; of their changes, dF.
Mat<3, 2> map_of(const ShellTriangle& triangle, const VecX& x);

/// Returns the largest principal stretch of a triangle at the unknowns x.
double largest_stretch(const ShellTriangle& triangle, const VecX& x);

/// Returns the sides of a triangle at rest in its axes, side i opposite to node i.
std::array<Vec<2>, 3> sides_at_rest(const ShellTriangle& triangle);

/// Adds the mass [kg] of nodes and slopes to that of each block: thirds of the triangles, and the rotary inertia of the
/// thickness, rho t^3 / 12 per area.
void add_shell_mass(const ShellMesh& mesh, VecX& of_nodes, VecX& of_slopes);

}  // namespace clearance
