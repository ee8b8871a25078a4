// The surface and the bodies at rest, from which a formulation computes what it needs (make_contact_at_rest).
#pragma once

#include <functional>
#include <vector>

#include "clearance/contact/barrier.h"
#include "clearance/model/model.h"

namespace clearance {

/// Factor by which a contact of stiff bodies is stiffer than the inertia in a step. Measured on the wrecking ball: 1
/// leaves gaps of a thousandth of dhat under a wall; 1e4 acts as a wall itself, which contacts meet one by one.
inline constexpr double inertial_reach = 100.0;

struct BodyAtRest {
  bool is_obstacle = false;
  bool is_stiff = false;
  double youngs_modulus = 0.0;  ///< [Pa] smallest one of a deformable body
  double mass = 0.0;            ///< [kg] of a stiff body
};

/// The side of its surface on which a body has its material.
enum class Inside {
  unknown,  ///< the surface encloses nothing, or perhaps room inside a container
  listed,   ///< facets, as the model of their body lists them, point out of it
  enclosed  ///< follows from what the parts of the surface enclose
};

struct Insides {
  std::vector<Inside> of_body;
  /// 2D, per edge of the surface: -1 if the edge has to be reversed to have the material on its left, else 1. The
  /// surface itself has lost the direction of edges.
  std::vector<int> direction_of_edge;
};

struct SurfaceAtRest {
  const Model& model;      ///< has its surface, positions at rest and scales of contact
  BarrierOptions barrier;  ///< dhat: the largest activation distance [m]
  std::vector<BodyAtRest> bodies;
  double kappa = 0.0;    ///< [Pa] as the scene gives it; 0: by the bodies
  double step = 0.0;     ///< [s]; 0: quasi-static
  double gravity = 0.0;  ///< [m/s^2] magnitude
  /// Finds the insides of the bodies. Few formulations ask, and it takes time.
  std::function<Insides()> find_insides;

  int dim() const { return model.layout.dim; }
  /// Returns the activation distance [m] of a surface vertex.
  double dhat(int vertex) const {
    const std::vector<double>& of_vertex = model.contact_scales.dhat;
    return of_vertex.empty() ? barrier.dhat : of_vertex[vertex];
  }
};

}  // namespace clearance
