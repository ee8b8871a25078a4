// A scene that is being stepped: its model, its state, and what watches over its steps.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/io/result/result_files.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/adapt/adapting_bodies.h"
#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"
#include "clearance/simulation/output/probe_row.h"
#include "clearance/simulation/output/probes.h"
#include "clearance/simulation/stepping/body_view.h"
#include "clearance/simulation/stepping/contact_pair.h"
#include "clearance/simulation/stepping/gap_path.h"
#include "clearance/simulation/watches/coarse_motion_watch.h"
#include "clearance/simulation/watches/curved_surface_watch.h"
#include "clearance/simulation/watches/rotation_watch.h"
#include "clearance/solver/advance.h"

namespace clearance {

struct Contact;

/// Gives names to the bodies that have none, and checks the scene as far as that is possible without its meshes.
Issues check_scene(SceneDesc& desc);

struct SteppedScene {
  SceneDesc desc;
  std::unique_ptr<SceneModel> scene;  ///< on the heap, because workspaces keep the address of the model
  AdaptingBodies adapting;
  std::vector<BodyView> views;
  State state;
  NamedHints warnings;
  double initial_min_distance = infinity;  ///< [m] smallest at the start among pairs closer than dhat
  Probes probes;
  StepHooks hooks;                   ///< of all steps; `start` sets keeps_forces, the facade sets the others
  std::optional<StepForces> forces;  ///< forces of the last step, if something asks for them
  /// Probes at the end of each part of the last step, if it had an accuracy.
  std::vector<ProbeRow> probe_rows;
  CoarseMotionWatch watch;
  CoarseMotion coarse;  ///< largest relative motion in the last step
  CoarseTurn turn;      ///< largest turn in the last step
  CurvedSurfaceWatch curved_watch;
  RotationWatch rotation_watch;
  std::map<int, ControlValues> control_schedule;
  std::optional<ContactDistances> distances;  ///< if gaps of contacts are narrowed
  std::vector<int> unheld;                    ///< of find_unheld_bodies, in quasi-static scenes
  /// Workspace of the scene's dimension; the first step makes it.
  std::variant<std::monostate, StepWorkspace<2>, StepWorkspace<3>> workspace;

  /// Loads the meshes of a scene without overlaps to be separated, checks its initial state, and gets ready for the
  /// first step. `of_scene` holds the issues of check_scene, none of which is an error. Issues: every problem found,
  /// and the warnings that may explain them.
  Result<Done> start(SceneDesc checked, Issues of_scene);
  StepReport step();
  /// Continues from a state that was saved before; its sizes must be those of this scene.
  Result<Done> restore(State other);
  /// Splits every element of a body into 8 (2D: 4).
  void refine(const AdaptingBodies::Body& body);

  std::vector<Vec<3>> positions() const;   ///< [m] per vertex; 2D: z = 0
  std::vector<Vec<3>> velocities() const;  ///< [m/s] per vertex
  std::vector<ContactPair> contacts() const;
  std::optional<Eigen::Matrix4d> pose(int body) const;
  /// States of all joints of the scene.
  std::vector<JointState> joint_states() const;
  /// Do what the functions of the same names of Simulation do.
  Result<Done> aim(int body, const std::vector<Vec<3>>& positions);
  Result<Done> apply_forces(const std::vector<Vec<3>>& of_vertices);
  Result<Done> apply_wrench(int body, const Vec<3>& force, const Vec<3>& torque);
  /// Returns the force of the barriers on each surface vertex [N], flat, at the current positions and with the
  /// stiffness of the last step.
  VecX normal_forces() const;
  /// Returns the potential of the joints as it was in the last step; null if there are none.
  const Potential* joints() const;
  /// Returns the index of a control; nothing if there is no such control.
  std::optional<Eigen::Index> index_of_control(const std::string& name) const;
  Issue unknown_control(const std::string& name) const;

 private:
  template <int dim>
  struct Attempt;

  static std::vector<BodyView> views_of(const SceneModel& scene);
  /// Calls visit(potential, set, x_surface) with the contacts at the current positions.
  template <int dim, class Visit>
  void visit_contacts(const Visit& visit) const;
  template <int dim>
  VecX contact_forces() const;
  template <int dim>
  std::vector<ContactPair> contacts() const;
  /// Returns the pair of a contact, without its force.
  template <int dim>
  ContactPair pair_of(const Contact& contact, const VecX& x) const;
  template <int dim>
  std::optional<Eigen::Matrix4d> pose(int body) const;
  /// Applies forces to the next step, by a function that adds them.
  template <class Add>
  Result<Done> apply(const Add& add);
  /// Sets the controls of the step that begins.
  void take_controls();
  /// Returns why a state cannot be one of this scene; empty if it can. Steps rely on a valid start.
  template <int dim>
  std::string misfit(const State& other) const;
  template <int dim>
  StepReport step();
  /// True if the gaps of contacts are to be narrowed at the end of steps.
  bool needs_narrow_gaps() const;
  /// Advances a step on elements that stay as they are.
  template <int dim>
  StepReport advance(const PrescribedTargets& targets);
  /// Advances a step in parts that are as long as `time.accuracy` allows.
  template <int dim>
  StepReport advance_accurately();
  /// Takes a step that has ended as `whole` by way of motion if it is quasi-static, or in parts.
  template <int dim>
  StepReport take_otherwise(const PrescribedTargets& targets, const StepReport& whole);
  /// Advances a step whose elements adapt: the elements adapt to the solution on the current elements, and the step is
  /// solved again on the new ones [Fer23, alg. 6.1]. A solution exists at any time: if the solve on the new elements
  /// fails, the old ones stay.
  template <int dim>
  StepReport advance_adapting(const PrescribedTargets& targets);
  /// Replaces the scene by one on other elements. Returns the old scene.
  std::unique_ptr<SceneModel> apply_meshes(const BodyMeshes& meshes);
  std::unique_ptr<SceneModel> put(std::unique_ptr<SceneModel> other);
  /// Updates everything that depends on the scene alone.
  void look_at_scene();
};

}  // namespace clearance
