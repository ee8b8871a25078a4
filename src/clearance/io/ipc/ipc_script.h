// An IPC script as written: values in its own conventions, not yet resolved or converted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Surface nodes in a box that is relative to the shape's own bounding box.
struct IpcDirichlet {
  Vec<3> box_min, box_max;
  Vec<3> linear_velocity;   ///< [m/s]
  Vec<3> angular_velocity;  ///< [deg/s]
  double start = 0.0, end = infinity;
};

/// An acceleration of surface nodes in such a box.
struct IpcNeumann {
  Vec<3> box_min, box_max;
  Vec<3> acceleration;  ///< [m/s^2]
  double start = 0.0, end = infinity;
};

/// A shape has its points at Rx Ry Rz (scale * x) + translation.
struct IpcShape {
  int line = 0;
  std::string path;
  Vec<3> translation = Vec<3>::Zero();
  Vec<3> rotation = Vec<3>::Zero();  ///< [deg]
  Vec<3> scale = Vec<3>::Ones();
  std::optional<ArrayDesc> array;
  std::optional<Vec<3>> material;  ///< density, Young's modulus, Poisson's ratio
  std::optional<Vec<3>> linear_velocity, angular_velocity;
  std::optional<std::array<Vec<3>, 2>> start_velocity;  ///< linear, angular [deg/s]
  std::vector<IpcDirichlet> dirichlet;
  std::vector<IpcNeumann> neumann;
  std::string mesh_sequence;  ///< folder

  long long num_copies() const;
};

/// Static triangle collider.
struct IpcMeshObstacle {
  int line = 0;
  std::string path;
  Vec<3> origin = Vec<3>::Zero();
  double scale = 1.0;
  Vec<3> rotation = Vec<3>::Zero();  ///< [deg]
  double friction = 0.0;
};

struct IpcScript {
  ElasticModel energy = ElasticModel::neo_hookean;
  TimeIntegrator integrator = TimeIntegrator::implicit_euler;
  double newmark_beta = 0.25, newmark_gamma = 0.5;
  double duration = 5.0, step = 0.025;
  double density = 1000.0, youngs_modulus = 1e5, poisson_ratio = 0.4;
  bool has_gravity = true;
  double damping_stiffness = 0.0;  ///< [s^3], see damping_of in ipc_script_reader.cpp
  double damping_ratio = 0.0;
  double size = -1.0;
  Vec<3> model_axis = Vec<3>::UnitX();
  double model_angle = 0.0;  ///< [deg]
  double handle_ratio = 0.01;
  std::vector<IpcShape> shapes;
  std::vector<IpcMeshObstacle> mesh_obstacles;
  std::vector<HalfSpaceDesc> half_spaces;
  std::string script = "null";
  int script_line = 0;
  std::vector<double> script_parameters;
  std::string script_folder;  ///< folder of `script meshSeqFromFile`
  double dirichlet_start = 0.0, dirichlet_end = infinity;
  double neumann_start = 0.0, neumann_end = infinity;
  bool has_self_collision = true;
  int self_collision_line = 0;
  double self_friction = 0.0;
  int friction_iterations = 1;
  std::vector<double> tuning = {0.0, 1e-3, 1e-3, 1e-9, 1e-3, 1e-3};
  bool has_absolute_parameters = false;
  double kappa_min_multiplier = 1e11;
  std::vector<double> tolerances = {1e-2};
  CcdMethod ccd = CcdMethod::clearance;
  std::string constraint_solver = "interiorPoint";
};

/// Reads the text; problems go to `issues` with their line.
IpcScript parse_ipc_script(std::string_view text, Issues& issues);

}  // namespace clearance
