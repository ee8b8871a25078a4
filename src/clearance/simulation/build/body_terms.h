// The masses of bodies, and the energies of their elements, of stiff bodies and of their weight.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "clearance/bodies/fem/element_state.h"
#include "clearance/bodies/fem/element_stress.h"
#include "clearance/model/model.h"
#include "clearance/scene/controls.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

struct BodyTerms {
  /// The potentials are elasticity, orthogonality of affine bodies, gravity, damping and barriers against inversion.
  std::vector<std::shared_ptr<const Potential>> potentials;
  VecX mass;  ///< [kg] lumped, per block (zero for obstacle blocks)
  /// Mass matrix to use instead of the lumped mass; may be null.
  std::shared_ptr<const MassOperator> consistent_mass;
  VecX weighing;  ///< [kg] per block: mass that an acceleration acts on
  /// Difference [kg m], per body, between its mass times the centre of mass and the sum of weighing times the positions
  /// of its blocks; empty if all are 0.
  std::vector<Vec<3>> shape_moments;
  VecX elastic_stiffness;  ///< [N/m] per block: resistance of the elements at rest to a displacement
  std::vector<StiffBody> stiff_bodies;
  std::vector<int> cell_of_element;  ///< cell of frames per element
  /// Returns the state of each element at x, with the history of the model's potentials (State::history); null if the
  /// scene has no elements.
  std::function<std::vector<ElementState>(const VecX& x, const History& history)> element_states;
  std::vector<ElementKind> element_kinds;  ///< per element
  /// Returns the stress of each element at x, with the history of the potentials (append_stresses); null if the scene
  /// has no elements.
  std::function<ElementStresses(const VecX& x, const History& history, int extra_degree)> element_stresses;
};

BodyTerms make_body_terms(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                          const std::shared_ptr<const Controls>& controls);

}  // namespace clearance
