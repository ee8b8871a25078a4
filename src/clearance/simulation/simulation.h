// A scene that is ready to be stepped. The command line and other programs use this interface.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/bodies/affine/joint_state.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/io/result/result_files.h"
#include "clearance/model/stiff_strain.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/joint_strain.h"
#include "clearance/simulation/hints/body_facts.h"
#include "clearance/simulation/load/hint.h"
#include "clearance/simulation/output/discretisation_error.h"
#include "clearance/simulation/output/probe_row.h"
#include "clearance/simulation/output/soft_holds.h"
#include "clearance/simulation/overlaps/separation.h"
#include "clearance/simulation/stepping/body_view.h"
#include "clearance/simulation/stepping/contact_pair.h"
#include "clearance/simulation/watches/coarse_motion.h"
#include "clearance/simulation/watches/curved_distance.h"
#include "clearance/simulation/watches/large_rotation.h"
#include "clearance/solver/report.h"

namespace clearance {

struct State;
struct CcdQuery;
struct CertificateLayout;

/// Contents of a scene, in numbers.
struct SceneSummary {
  int dim = 3;
  int num_bodies = 0;
  int num_obstacles = 0;
  int num_vertices = 0;
  int num_elements = 0;
  int num_surface_triangles = 0;
  int num_surface_edges = 0;
  int num_steps = 0;
  double bbox_diagonal = 0.0;      ///< [m] l, the diagonal of the bounding box
  double dhat = 0.0;               ///< [m]
  double tolerance = 0.0;          ///< [m/s]
  double min_distance = infinity;  ///< [m] smallest at the start among pairs closer than dhat
};

class Simulation {
 public:
  /// Checks the scene, loads its meshes and checks the initial state. Issues: every problem found, and the warnings
  /// that may explain them.
  static Result<Simulation> create(const SceneDesc& scene);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  const SceneDesc& scene() const;
  SceneSummary summary() const;
  /// Bodies in the order in which frames number them. If elements adapt, the ranges are those after the last step.
  const std::vector<BodyView>& bodies() const;
  std::vector<BodyFacts> body_facts() const;
  const Issues& warnings() const;
  /// The same warnings with their names. A run repeats those that falsify its numbers at its end.
  const NamedHints& named_warnings() const;
  /// Moves that separated bodies before the start, if the scene asks for it (`start.overlaps`); scene() has the
  /// positions.
  const Separation& separation() const;
  /// Warnings about motions and loads that select nothing.
  const Issues& empty_regions() const;

  /// Advances by one step. `on_iteration` receives the number of every Newton iteration and its |dx|_inf / h [m/s].
  /// `is_stop_wanted` is called before and after every Newton iteration and about twenty times a second in between. If
  /// it returns true, the step ends as `stopped` within a second, wherever it is, and the state stays as it was.
  StepReport step(const std::function<void(int iteration, double residual)>& on_iteration = {},
                  const std::function<bool()>& is_stop_wanted = {});

  /// Values of the scene's controls, as the last step used them or as they have been set since.
  ControlValues controls() const;
  /// Sets a control for the steps from the next one on, and cancels a schedule. Issues: no such control, or no finite
  /// number.
  Result<Done> set_control(const std::string& name, double value);
  /// Sets controls at the steps named, until `set_control` takes over. Issues: names that the scene does not have.
  Result<Done> schedule_controls(std::map<int, ControlValues> schedule);

  /// Passes the queries of continuous collision detection to `record` from now on (StepHooks::on_ccd_query).
  void record_ccd(std::function<void(const CcdQuery&)> record);

  /// Returns how the vertices of frames follow the unknowns, with the unknowns now.
  CertificateLayout certificate_layout() const;

  int num_steps_done() const;
  double time() const;           ///< [s]
  const VecX& unknowns() const;  ///< [m]
  /// Returns the position of each vertex [m]; 2D: z = 0.
  std::vector<Vec<3>> positions() const;
  /// Returns the velocity of each vertex [m/s].
  std::vector<Vec<3>> velocities() const;
  /// Returns the force of the barriers on each vertex [N], without friction; for a 2D scene the force on a slice one
  /// metre deep.
  std::vector<Vec<3>> contact_forces() const;
  /// Returns the contacts at the current positions, with the barrier forces there.
  std::vector<ContactPair> contacts() const;
  /// Returns the affine map of a stiff body (by its index) from the start to the current state: x = A x_start + b.
  /// Returns nothing for other bodies.
  std::optional<Eigen::Matrix4d> pose(int body) const;
  /// Returns the states of all joints, in the order of the scene, with the forces of the last step.
  std::vector<JointState> joint_states() const;
  /// Sets where the vertices of an obstacle without motions are to be at the end of the next step; they stay there
  /// until it is set again. The way is a straight one, and nothing is passed through.
  Result<Done> aim(int body, const std::vector<Vec<3>>& positions);
  /// Applies forces in the next step alone, beside those applied before: to each vertex [N], or to a stiff body at its
  /// centre of mass [N], [N m]. Issues: the scene has no `applied_forces`.
  Result<Done> apply_forces(const std::vector<Vec<3>>& of_vertices);
  Result<Done> apply_wrench(int body, const Vec<3>& force, const Vec<3>& torque);
  /// Returns the strain of the joints at the current positions.
  JointStrain joint_strain() const;
  /// Returns the largest relative motion, and the largest turn of a stiff body, of the last step.
  const CoarseMotion& coarse_motion() const;
  const CoarseTurn& coarse_turn() const;
  /// Returns the strain of stiff bodies at the current positions; nothing while all of them keep their shape.
  StiffStrain stiff_strain() const;
  LargeRotation large_rotation() const;
  /// Returns the distance at the current positions; nothing unless the scene has `contact.separate_curved`.
  CurvedDistance curved_distance() const;
  /// Estimates the error that the elements of each deformable body make at the current positions. The estimate assumes
  /// that forces balance, as they do in quasi-static scenes.
  std::vector<DiscretisationError> discretisation_errors() const;
  /// Returns what soft springs do to each body that they hold (`static.hold_free`).
  std::vector<SoftHold> soft_holds() const;
  /// Returns the state, with everything that a restart needs (model/model.h).
  const State& state() const;
  /// Continues from a state that was saved before; its sizes must be those of this scene.
  Result<Done> restore(State state);

  /// Splits every element of one of bodies() into 8 (2D: 4) before the next step. The state stays what it is. Issues:
  /// the elements of the body do not adapt (`remesh`).
  Result<Done> refine(int body);

  /// Labels `name [unit]` of all numbers of the scene's probes. The names have no commas.
  const std::vector<std::string>& probe_columns() const;
  /// Returns the time [s] that a wave takes through an element of the bodies of each probe of a contact with deformable
  /// bodies, by the name of the probe.
  std::map<std::string, double> wave_times() const;
  /// Returns one number per column; NaN for forces that are not known, as before the first step.
  std::vector<double> probe_values() const;
  /// Returns the numbers at the end of each part of the last step, or of the whole step if it was taken as one. Without
  /// a step: those of the state.
  std::vector<ProbeRow> probe_rows() const;

  /// Returns the frame of the current state, with the fields that the scene asks for. In a state that was restored,
  /// friction_force is missing, because only the step that led there knows it.
  Frame frame() const;
  /// Returns a hash of 16 hexadecimal digits over positions and velocities, and over elements that have adapted.
  std::string state_hash() const;

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Returns the triangles and edges that meet and thus keep a scene from starting, for a picture; empty if none meet.
Mesh find_meeting_primitives(const SceneDesc& scene);

}  // namespace clearance
