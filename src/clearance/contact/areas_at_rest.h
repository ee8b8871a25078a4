// Areas at rest and moduli, for formulations with energies per area.
#pragma once

#include <vector>

#include "clearance/contact/contact_at_rest.h"
#include "clearance/contact/surface_at_rest.h"

namespace clearance {

struct AreasAtRest {
  std::vector<double> vertex;   ///< [m^2] (2D: [m]) per surface vertex: its share of the surface
  std::vector<double> edge;     ///< [m^2] (2D: [m]) per surface edge: its share of the surface
  std::vector<double> modulus;  ///< [Pa] per surface vertex: kappa of its body; a pair has the smaller one

  /// Returns the modulus [Pa] of all features of two bodies, each given by one of its vertices.
  double modulus_between(int a, int b) const { return std::min(modulus[a], modulus[b]); }
  AreasAtRest restricted_to(const ContactPart& part) const;
};

/// Computes the areas. Segments and points count as strips and squares that are as wide as dhat.
AreasAtRest find_areas(const SurfaceAtRest& rest);

/// Sets the moduli: a tenth of the smallest Young's modulus of a deformable body [Li23], by inertia of a stiff one.
void set_moduli(const SurfaceAtRest& rest, AreasAtRest& areas);

}  // namespace clearance
