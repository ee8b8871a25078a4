// A scene with its bodies loaded, ready to be stepped.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/bodies/fem/element_state.h"
#include "clearance/bodies/fem/element_stress.h"
#include "clearance/bodies/fem/soft_hold_potential.h"
#include "clearance/model/model.h"
#include "clearance/scene/controls.h"
#include "clearance/simulation/build/attachments.h"
#include "clearance/simulation/build/joints.h"
#include "clearance/simulation/build/motions.h"
#include "clearance/simulation/build/scene_surface.h"
#include "clearance/simulation/build/springs.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"
#include "clearance/solver/options.h"

namespace clearance {

/// Bodies and springs of a SoftHoldPotential.
struct SoftHolds {
  std::vector<int> bodies;         ///< ascending
  std::vector<HeldBlocks> blocks;  ///< per held body
  VecX stiffness;                  ///< [N/m] per block of the scene
};

/// A scene as the stages of build_scene_model have made it. Nothing in it changes during a run but `controls`.
struct SceneModel {
  int dim = 3;
  /// 2D: the unknowns are those of a meridian section; x is the radius, and all forces are those of the whole turn.
  bool is_axisymmetric = false;
  std::vector<BodyInstance> bodies;
  std::vector<StiffUnit> stiff_units;  ///< by ascending body
  std::vector<BodyBlocks> blocks;      ///< per body
  Model model;
  State initial_state;
  SolverOptions options;
  SceneJoints joints;
  /// Index of joints.joints among the model's potentials; no value if there are no joints.
  std::optional<std::size_t> joint_potential;
  SceneAttachments attachments;
  /// Index of attachments.links among the model's potentials; no value if there are none.
  std::optional<std::size_t> attachment_potential;
  std::vector<PreparedMotion> motions;
  /// Controls of the step under way, which formulas of the model read.
  std::shared_ptr<Controls> controls;
  FrameMesh frames;
  std::vector<int> vertex_of_surface;        ///< number in frames per surface vertex
  std::vector<BoundaryFace> boundary_faces;  ///< faces of the bodies with collision surfaces that lie on their elements
  SoftHolds soft_holds;                      ///< empty if nothing is held
  VecX weighing;                             ///< BodyTerms::weighing
  std::vector<Vec<3>> shape_moments;         ///< BodyTerms::shape_moments
  std::vector<int> cell_of_element;          ///< cell of frames per element
  /// Returns the state of each element at x, with the history of the model's potentials (State::history); null if the
  /// scene has no elements.
  std::function<std::vector<ElementState>(const VecX& x, const History& history)> element_states;
  std::vector<ElementKind> element_kinds;  ///< per element
  /// Returns the stress of each element at x, with the history of the potentials (append_stresses); null if the scene
  /// has no elements.
  std::function<ElementStresses(const VecX& x, const History& history, int extra_degree)> element_stresses;
  Issues issues;         ///< errors and warnings about the parts of the scene, such as files that motions lack
  Issues empty_regions;  ///< warnings about motions and loads that select nothing
  SceneSprings springs;

  int num_elements() const { return static_cast<int>(cell_of_element.size()); }
};

}  // namespace clearance
