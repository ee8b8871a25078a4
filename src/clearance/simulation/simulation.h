// A scene that is ready to be stepped: what the command line uses, and programs of others.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/io/result/result_files.h"
#include "clearance/model/stiff_strain.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/body_facts.h"
#include "clearance/simulation/coarse_motion.h"
#include "clearance/simulation/curved_distance.h"
#include "clearance/simulation/hint.h"
#include "clearance/simulation/joint_strain.h"
#include "clearance/simulation/large_rotation.h"
#include "clearance/simulation/separation.h"
#include "clearance/solver/report.h"

namespace clearance {

struct State;
struct CcdQuery;

/// What a scene holds, in numbers.
struct SceneSummary {
  int dim = 3;
  int num_bodies = 0;
  int num_obstacles = 0;
  int num_vertices = 0;
  int num_elements = 0;
  int num_surface_triangles = 0;
  int num_surface_edges = 0;
  int num_steps = 0;
  double bbox_diagonal = 0.0;      ///< [m] l
  double dhat = 0.0;               ///< [m]
  double tolerance = 0.0;          ///< [m/s]
  double min_distance = infinity;  ///< [m] at the start, among pairs closer than dhat
};

/// Consecutive indices.
struct IndexRange {
  int first = 0;
  int count = 0;
  int end() const { return first + count; }
};

/// One body, a copy of one with an array, or a component of one that is split: where its numbers are.
struct BodyView {
  std::string name;
  int entry = 0;  ///< index into SceneDesc::bodies
  BodyKind kind = BodyKind::deformable;
  bool is_obstacle = false;
  IndexRange vertices;  ///< in positions(), contact_forces() and the meshes of frames
  /// In unknowns(), as blocks of `dim` numbers: one per vertex; of a stiff body its centre of mass and the columns of
  /// its affine map. Stiff parts of a deformable body have theirs behind those of its vertices.
  IndexRange blocks;
};

/// Two features that are nearer than the activation distance, as `positions()` numbers their vertices.
struct ContactPair {
  std::array<int, 2> bodies = {-1, -1};            ///< into bodies(); of half-space k: -1 - k
  std::array<int, 4> vertices = {-1, -1, -1, -1};  ///< of the first feature, then of the second; -1: none
  int num_first = 1;                               ///< vertices of the first feature
  double distance = 0.0;                           ///< [m]
  Vec<3> normal = Vec<3>::Zero();                  ///< unit, from the second to the first
  Vec<3> force = Vec<3>::Zero();                   ///< [N] of the barrier on the first feature
};

class Simulation {
 public:
  /// Checks the scene, loads its meshes and checks the initial state. Issues: every problem found, and the warnings
  /// that may tell what they come from.
  static Result<Simulation> create(const SceneDesc& scene);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  const SceneDesc& scene() const;
  SceneSummary summary() const;
  /// In the order in which frames number them; where elements adapt, numbers are those after the last step.
  const std::vector<BodyView>& bodies() const;
  std::vector<BodyFacts> body_facts() const;
  const Issues& warnings() const;
  /// Those of the warnings that falsify numbers of the run, with their names: a run tells them once more at its end.
  const NamedHints& named_warnings() const;
  /// What had to be moved apart before the start, if the scene asks for it (`start.overlaps`); scene() says where to.
  const Separation& separation() const;
  /// Of the warnings those of motions and loads that select nothing.
  const Issues& empty_regions() const;

  /// Advances by one step. `on_iteration` hears of every Newton iteration and its |dx|_inf / h [m/s]. `is_stop_wanted`
  /// is asked before and after every Newton iteration and some twenty times a second in between; if it says so, the
  /// step is `stopped` wherever it is, within a second, and the state stays as it was.
  StepReport step(const std::function<void(int iteration, double residual)>& on_iteration = {},
                  const std::function<bool()>& is_stop_wanted = {});

  /// Of the scene, as the last step had them, or as they have been set since.
  ControlValues controls() const;
  /// For the steps from the next one on. Issues: no such control, or no finite number.
  Result<Done> set_control(const std::string& name, double value);
  /// For the steps named, until `set_control` takes over. Issues: names that the scene does not have.
  Result<Done> schedule_controls(std::map<int, ControlValues> schedule);

  /// From now on `record` gets what continuous collision detection is asked (SolverOptions::on_ccd_query).
  void record_ccd(std::function<void(const CcdQuery&)> record);

  int num_steps_done() const;
  double time() const;           ///< [s]
  const VecX& unknowns() const;  ///< [m]
  /// [m] per vertex; 2D: z = 0.
  std::vector<Vec<3>> positions() const;
  /// [m/s] per vertex.
  std::vector<Vec<3>> velocities() const;
  /// [N] per vertex: what the barriers exert, without friction; of a 2D scene for a slice one metre deep.
  std::vector<Vec<3>> contact_forces() const;
  /// At the current positions, with the forces of contact_forces().
  std::vector<ContactPair> contacts() const;
  /// Where the affine map of a stiff body (by its index) has led it since the start: x = A x_start + b. Nothing of
  /// others.
  std::optional<Eigen::Matrix4d> pose(int body) const;
  /// At the current positions.
  JointStrain joint_strain() const;
  /// Of the last step.
  const CoarseMotion& coarse_motion() const;
  const CoarseTurn& coarse_turn() const;
  /// At the current positions; nothing while all stiff bodies keep their shape.
  StiffStrain stiff_strain() const;
  LargeRotation large_rotation() const;
  /// At the current positions; nothing unless the scene has `contact.separate_curved`.
  CurvedDistance curved_distance() const;
  /// Everything that a restart needs (model/model.h).
  const State& state() const;
  /// Continues from a state that was saved before; sizes must be those of this scene.
  Result<Done> restore(State state);

  /// Splits every element of one of bodies(), whose elements adapt (`remesh`), into 8 (2D: 4) before the next step. The
  /// state stays what it is; issues: its elements do not adapt.
  Result<Done> refine(int body);

  /// `name [unit]` of every number of the probes of the scene; the names without commas.
  const std::vector<std::string>& probe_columns() const;
  /// One number per column; before the first step NaN for forces.
  std::vector<double> probe_values() const;

  /// With the fields that the scene asks for; in a state that was restored without friction_force, which only the step
  /// that led there knows.
  Frame frame() const;
  /// 16 hexadecimal digits over positions and velocities, and elements that have adapted.
  std::string state_hash() const;

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The triangles and edges that keep a scene from starting because they meet, for a picture; empty if none do.
Mesh find_meeting_primitives(const SceneDesc& scene);

}  // namespace clearance
