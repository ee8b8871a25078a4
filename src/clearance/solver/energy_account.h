// Energy and momentum accounts of one step.
//
// The work of each force at the end of the step accounts for a change of energy. The work of the inertial force is not
// quite the change of the kinetic energy, and that of a potential not quite the change of its energy. The differences
// are what the integrator adds or takes away:
//     dK + dStored = loads + motions + drives - friction - damping - plastic + residual + impacts +
//     integrator.
// Every term is computed on its own; `closure` is the remaining rounding error.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Energies [J] of one step.
struct EnergyAccount {
  double kinetic = 0.0;   ///< change of the kinetic energy
  double stored = 0.0;    ///< change of elastic, gravity, joint, barrier energy
  double loads = 0.0;     ///< work of loads, torques and efforts
  double motions = 0.0;   ///< work of what moves prescribed nodes and obstacles
  double drives = 0.0;    ///< work of drives of joints
  double friction = 0.0;  ///< taken out by friction; what contacts that stick store elastically is in it
  double damping = 0.0;   ///< taken out by damping
  double plastic = 0.0;   ///< taken out by plastic flow, hardening included
  double residual = 0.0;  ///< work of what is left of the balance of forces
  /// Part of the integrator's energy that belongs to impacts: of bodies in contact from which it takes a twentieth or
  /// more of their kinetic energy at once, and of driven bodies whose kinetic energy also changes by half.
  double impacts = 0.0;
  double integrator = 0.0;  ///< what the integrator adds (positive) or takes away elsewhere

  double closure() const {
    return kinetic + stored - loads - motions - drives + friction + damping + plastic - residual - impacts - integrator;
  }
  std::vector<std::pair<std::string, double>> entries() const;
};

/// Energy that the time integrator has added or removed so far, as a share of the body's own energy at work, for the
/// body where this share is largest.
struct IntegratorShare {
  double share = 0.0;
  int body = -1;
  double hit = 0.0;        ///< share that impacts took besides, of a deformable body
  bool is_driven = false;  ///< drives or prescribed motions act on it
};

/// Linear momentum [N s] of all free bodies; 2D: z = 0.
struct MomentumAccount {
  Vec<3> total = Vec<3>::Zero();       ///< at the end of the step
  Vec<3> change = Vec<3>::Zero();      ///< in the step
  Vec<3> impulse = Vec<3>::Zero();     ///< of the forces from outside, at the end of the step, times h
  Vec<3> integrator = Vec<3>::Zero();  ///< change - impulse: zero for implicit Euler but for what is left of the forces
};

}  // namespace clearance
