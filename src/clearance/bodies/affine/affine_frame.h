// The unknowns of a stiff body: 1 + dim blocks of dim numbers [m] [Lan22, sec. 3.1] (in the frame of the body's
// principal axes). Block 0 is the centre of mass t; block 1 + i is b_i = R times the i-th principal axis in its present
// direction and stretch. The vertex with rest coordinates xi along these axes is at t + sum_i (xi_i / R) b_i. R is the
// largest distance of a vertex from t, so that no weight exceeds 1 and unknowns move about as far as vertices do. In
// principal axes the mass matrix is diagonal, one number per block.
#pragma once

#include <optional>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"

namespace clearance {

struct AffineFrame {
  Vec<3> center = Vec<3>::Zero();         ///< [m] centre of mass at the start
  Mat<3> axes = Mat<3>::Identity();       ///< columns: principal axes at the start, right-handed; 2D: the third is z
  double radius = 0.0;                    ///< [m] R
  double mass = 0.0;                      ///< [kg]
  Vec<3> second_moment = Vec<3>::Zero();  ///< [kg m^2] integral of density xi_i^2, positive; 2D: the third is 0
  double volume = 0.0;                    ///< [m^3]; 2D: area [m^2]
};

struct StiffBodyOptions {
  double density = 1000.0;                   ///< [kg/m^3]; 2D: [kg/m^2]
  std::optional<double> mass;                ///< [kg] instead of the density
  std::optional<double> thickness;           ///< [m] of thin parts; absent: 1/100 of the diagonal of the body's box
  double point_thickness = 1e-2;             ///< [m] used if that diagonal is zero: for a single point
  std::optional<Vec<3>> center = {};         ///< [m] centre of mass instead of the shape's
  std::optional<Mat<3>> second_moment = {};  ///< [kg m^2] about the centre of mass instead of the shape's; 3D
};

/// Computes the frame of a body whose vertices are at their start positions. Solids have the exact integrals over the
/// volume of their elements or inside their closed surfaces; open surfaces, edges and points have a thickness
/// (geometry/mesh_mass.h). If principal moments are equal, the axes are those of the world as far as possible. Returns
/// no value if the mesh has no element.
Result<AffineFrame> make_affine_frame(const Mesh& mesh, const StiffBodyOptions& options);

/// Returns the unknowns at the start: 1 + dim blocks, flat.
template <int dim>
Vec<dim*(dim + 1)> affine_unknowns(const AffineFrame& frame);

/// Returns the rates [m/s] of the unknowns of a rigid motion: `linear` [m/s] is the velocity of the centre of mass,
/// `angular` [rad/s] the rotation about it (2D: about z).
template <int dim>
Vec<dim*(dim + 1)> affine_velocities(const AffineFrame& frame, const Vec<3>& linear, const Vec<3>& angular);

/// Returns the weights of the blocks for a point that is at `x` [m] at the start: the point is at the weighted sum of
/// the blocks.
template <int dim>
Vec<dim + 1> weights_of(const AffineFrame& frame, const Vec<3>& x);

/// Returns the masses [kg] of the blocks: the mass, and the second moments over R^2.
template <int dim>
Vec<dim + 1> block_masses(const AffineFrame& frame);

}  // namespace clearance
