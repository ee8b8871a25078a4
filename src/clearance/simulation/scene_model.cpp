#include "clearance/simulation/scene_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "clearance/bodies/affine/orthogonality_potential.h"
#include "clearance/bodies/fem/fem_body.h"
#include "clearance/math/dimension.h"
#include "clearance/math/rotation.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/contact_measures.h"
#include "clearance/simulation/contact_scales.h"
#include "clearance/simulation/joints.h"
#include "clearance/simulation/loads.h"
#include "clearance/simulation/motions.h"
#include "clearance/simulation/unknowns.h"
#include "clearance/solver/rigid_rates.h"

namespace clearance {

namespace {

/// Numbers of the scene in absolute units; l is the diagonal of the deformable bodies' bounding box.
SolverOptions solver_options(const SceneDesc& scene, double l) {
  SolverOptions options;
  options.integrator = {scene.time.integrator, scene.time.step, scene.time.newmark_beta, scene.time.newmark_gamma};
  const double contact_unit = scene.contact.dhat_is_absolute ? 1.0 : l;
  options.has_contact = scene.contact.enabled;
  options.barrier = {scene.contact.dhat * contact_unit, scene.contact.min_separation};
  options.formulation = formulation_of(scene.contact);
  options.kappa = {options.formulation.has_physical_barrier ? 0.0 : scene.contact.kappa,
                   scene.contact.kappa_min_multiplier, scene.contact.close_distance * contact_unit};
  options.convergence = scene.solver.convergence;
  options.force_tolerance = scene.solver.force_tolerance;
  options.friction = {scene.friction.eps_v * (scene.friction.eps_v_is_absolute ? 1.0 : l), scene.friction.stick * l,
                      scene.friction.iterations};
  options.least_impact = std::max(2.0 * scene.gravity.norm() * scene.time.step, options.friction.eps_v);
  options.tolerance = scene.solver.tolerance * (scene.solver.tolerance_is_absolute ? 1.0 : l);
  options.max_iterations = scene.solver.max_iterations;
  options.linear_solver = scene.solver.linear_solver;
  options.ccd = scene.solver.ccd;
  return options;
}

/// Masses of the blocks of stiff units, and what keeps affine ones from deforming. Only centres of mass weigh.
template <int dim>
void add_stiff_masses(SceneModel& scene, VecX& weighing) {
  std::vector<OrthogonalBody> affine;
  for (const StiffUnit& unit : scene.stiff_units) {
    const AffineFrame& frame = unit.frame;
    const Vec<dim + 1> masses = block_masses<dim>(frame);
    for (int i = 0; i <= dim; ++i) scene.model.mass[unit.first_block + i] += masses[i];
    weighing[unit.first_block] += masses[0];
    scene.model.stiff_bodies.push_back({unit.first_block, frame.radius, unit.is_rigid});
    if (!unit.is_rigid) affine.push_back({unit.first_block, frame.radius, unit.stiffness * frame.volume});
  }
  if (!affine.empty()) {
    scene.model.potentials.push_back(std::make_shared<OrthogonalityPotential<dim>>(std::move(affine)));
  }
}

MaterialParameters make_material(const MaterialDesc& m) {
  return clearance::make_material(m.model, m.youngs_modulus, m.poisson_ratio, m.density, m.damping);
}

/// Elastic, gravity and damping potentials over the elements of all deformable bodies. `elastic` [N/m] per block: how
/// they resist a displacement of the block.
template <int dim>
void build_potentials(const SceneDesc& desc, SceneModel& scene, VecX& elastic) {
  ElementMesh<dim> elements;
  elements.x_rest = scene.model.x_rest;
  std::vector<int> first_material;  // per body of the scene: its own, followed by those of its parts
  for (const BodyDesc& body : desc.bodies) {
    first_material.push_back(static_cast<int>(elements.materials.size()));
    elements.materials.push_back(make_material(body.material));
    for (const MaterialPartDesc& part : body.material_parts) elements.materials.push_back(make_material(part.material));
  }
  // Cells of frames are the solid elements of all bodies first.
  int num_cells = 0;
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const BodyInstance& body = scene.bodies[static_cast<std::size_t>(b)];
    if (body.kind != BodyKind::deformable) {
      num_cells += static_cast<int>(dim == 3 ? body.mesh.tets.size() : body.mesh.triangles.size());
      continue;
    }
    const std::vector<char> is_stiff_element = stiff_elements(body.mesh, scene.stiff_units, b);
    const int first_cell = num_cells;
    num_cells += static_cast<int>(is_stiff_element.size());
    std::size_t number = 0;
    const auto add = [&](auto element) {
      if (is_stiff_element[number++]) return;
      scene.cell_of_element.push_back(first_cell + static_cast<int>(number) - 1);
      for (int& v : element) v = scene.blocks[static_cast<std::size_t>(b)].of_node(v);
      elements.elements.push_back(element);
      const int part = body.material_part.empty() ? -1 : body.material_part[number - 1];
      elements.material_of_element.push_back(first_material[static_cast<std::size_t>(body.desc)] + 1 + part);
    };
    if constexpr (dim == 3) {
      for (const auto& tet : body.mesh.tets) add(tet);
    } else {
      for (const auto& triangle : body.mesh.triangles) add(triangle);
    }
  }
  scene.num_elements = static_cast<int>(elements.elements.size());
  elastic = rest_stiffness(elements);
  scene.model.mass = lumped_mass(elements);
  if (scene.num_elements > 0) {
    const auto potential = std::make_shared<ElasticPotential<dim>>(elements);
    scene.element_states = [potential](const VecX& x) { return potential->element_states(x); };
    scene.model.potentials.push_back(potential);
  }
  const VecX of_elements = scene.model.mass;
  VecX weighing = of_elements;
  add_stiff_masses<dim>(scene, weighing);
  if (desc.time.mass == MassKind::consistent) {
    scene.model.consistent_mass = std::make_shared<ConsistentMass<dim>>(elements, scene.model.mass - of_elements);
  }
  const Vec<dim> gravity = desc.gravity.head<dim>();
  if (!gravity.isZero(0.0)) {
    scene.model.potentials.push_back(std::make_shared<GravityPotential<dim>>(weighing, gravity));
  }
  auto damping = std::make_shared<LaggedDampingPotential<dim>>(elements);
  if (damping->has_elements()) scene.model.potentials.push_back(damping);
  auto inversion_barrier = std::make_shared<InversionBarrier<dim>>(elements);
  if (inversion_barrier->has_elements()) scene.model.potentials.push_back(inversion_barrier);
}

FrictionCoefficients coefficients(double sliding, const std::optional<double>& sticking) {
  return {sticking.value_or(sliding), sliding};
}

/// The entries of two names, which are the classes of their bodies, in ascending order.
std::array<int, 2> classes_of(const SceneDesc& desc, const std::array<std::string, 2>& names) {
  std::array<int, 2> classes{};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto found = std::find_if(desc.bodies.begin(), desc.bodies.end(),
                                    [&](const BodyDesc& body) { return body.name == names[i]; });
    classes[i] = static_cast<int>(found - desc.bodies.begin());
  }
  std::sort(classes.begin(), classes.end());
  return classes;
}

/// A class of the table is a body of the scene with all its copies.
FrictionTable friction_table(const SceneDesc& desc, const std::vector<BodyInstance>& bodies) {
  FrictionTable table;
  for (const BodyDesc& body : desc.bodies) {
    table.of_class.push_back(
        body.friction ? coefficients(*body.friction, body.static_friction)
                      : coefficients(desc.friction.coefficient,
                                     body.static_friction ? body.static_friction : desc.friction.static_coefficient));
  }
  for (const BodyInstance& body : bodies) table.class_of_body.push_back(body.desc);
  for (const HalfSpaceDesc& half_space : desc.half_spaces) {
    table.of_half_space.push_back(half_space.friction
                                      ? std::optional(coefficients(*half_space.friction, half_space.static_friction))
                                      : std::nullopt);
  }
  for (const FrictionPairDesc& pair : desc.friction.pairs) {
    table.of_pair[classes_of(desc, pair.bodies)] = coefficients(pair.coefficient, pair.static_coefficient);
  }
  return table;
}

RestitutionTable restitution_table(const SceneDesc& desc, const FrictionTable& friction) {
  RestitutionTable table;
  table.of_scene = desc.contact.restitution;
  table.class_of_body = friction.class_of_body;
  for (const HalfSpaceDesc& half_space : desc.half_spaces) table.of_half_space.push_back(half_space.restitution);
  for (const RestitutionPairDesc& pair : desc.contact.restitution_pairs) {
    table.of_pair[classes_of(desc, pair.bodies)] = pair.restitution;
  }
  return table;
}

void set_initial_velocity(const SceneDesc& desc, SceneModel& scene) {
  State& state = scene.initial_state;
  state.v = VecX::Zero(state.x.size());
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const BodyDesc& body_desc = desc.bodies[static_cast<std::size_t>(body.desc)];
    if (body.kind != BodyKind::deformable) continue;
    const BoundingBox box = bounding_box(body.mesh.vertices);
    const Vec<3> center = 0.5 * (box.min + box.max);
    const Vec<3> omega = body_desc.angular_velocity * radians_per_degree;
    std::vector<Vec<3>> of_formulas;
    if (body_desc.velocity) {
      Vertices placed = body.mesh.vertices;
      for (Vec<3>& x : placed) x -= body.shift;
      auto values = evaluate(*body_desc.velocity, fmt::format("bodies[{}].velocity", body.desc), 0.0, placed);
      if (!values) {
        scene.issues.insert(scene.issues.end(), values.issues().begin(), values.issues().end());
        continue;
      }
      of_formulas = std::move(values).value();
    }
    for (std::size_t v = 0; v < body.mesh.vertices.size(); ++v) {
      Vec<3> velocity = body_desc.linear_velocity + omega.cross(body.mesh.vertices[v] - center);
      if (!of_formulas.empty()) velocity += of_formulas[v];
      state.v.segment(scene.dim * scene.blocks[b].of_nodes[v], scene.dim) = velocity.head(scene.dim);
    }
  }
}

void set_initial_positions(SceneModel& scene) {
  State& state = scene.initial_state;
  state.x = scene.model.x_rest;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const std::vector<Vec<3>>& displacements = scene.bodies[b].displacements;
    for (std::size_t v = 0; v < displacements.size(); ++v) {
      state.x.segment(scene.dim * scene.blocks[b].of_nodes[v], scene.dim) += displacements[v].head(scene.dim);
    }
  }
  state.x_anchor = state.x;
}

/// Bodies that are stiff turn about their centre of mass, without the motions that they do not make; stiff parts move
/// as the deformable body would, on average.
template <int dim>
void set_stiff_velocities(const SceneDesc& desc, SceneModel& scene) {
  for (const StiffUnit& unit : scene.stiff_units) {
    const BodyInstance& body = scene.bodies[static_cast<std::size_t>(unit.body)];
    const BodyDesc& body_desc = desc.bodies[static_cast<std::size_t>(body.desc)];
    Vec<3> omega = body_desc.angular_velocity * radians_per_degree;
    Vec<3> linear = body_desc.linear_velocity;
    for (std::size_t i = 0; i < 3; ++i) {
      if (body_desc.fixed_rotation[i]) omega[static_cast<Eigen::Index>(i)] = 0.0;
      if (body_desc.fixed_translation[i]) linear[static_cast<Eigen::Index>(i)] = 0.0;
    }
    if (unit.is_part()) {
      const BoundingBox box = bounding_box(body.mesh.vertices);
      linear += omega.cross(unit.frame.center - 0.5 * (box.min + box.max));
    }
    scene.initial_state.v.segment<dim*(dim + 1)>(dim * unit.first_block) =
        affine_velocities<dim>(unit.frame, linear, omega);
  }
}

/// Initial acceleration for Newmark: M a = force without contact.
void set_initial_acceleration(SceneModel& scene) {
  State& state = scene.initial_state;
  VecX gradient = VecX::Zero(state.x.size());
  for (const auto& potential : scene.model.potentials) {
    // A load that is not defined at time zero does not act yet.
    const std::unique_ptr<Potential> copy = potential->clone();
    (void)copy->begin_step(state.x, 0.0, 0.0);
    copy->add_gradient(state.x, 1.0, gradient);
  }
  state.a = VecX::Zero(state.x.size());
  for (int b = 0; b < scene.model.layout.num_blocks; ++b) {
    const double m = scene.model.mass[b];
    if (m > 0.0) state.a.segment(scene.dim * b, scene.dim) = -gradient.segment(scene.dim * b, scene.dim) / m;
  }
  with_dimension(scene.dim, [&](auto dim) { make_rates_rigid<dim>(scene.model, state.x, state.v, state.a); });
}

}  // namespace

SceneModel build_scene_model(const SceneDesc& desc, std::vector<BodyInstance> bodies) {
  SceneModel scene;
  scene.dim = desc.dimension;
  *scene.controls = controls_of(desc);
  scene.bodies = std::move(bodies);
  scene.stiff_units = find_stiff_units(desc, scene.bodies, scene.issues);
  build_unknowns(desc, scene);
  Model& model = scene.model;
  VecX elastic;
  with_dimension(scene.dim, [&](auto dim) { build_potentials<dim>(desc, scene, elastic); });
  if (auto loads = make_loads(desc, scene)) model.potentials.push_back(std::move(loads));
  if (auto pressures = make_pressures(desc, scene)) model.potentials.push_back(std::move(pressures));
  if (auto torques = make_torques(desc, scene)) model.potentials.push_back(std::move(torques));
  if (auto joints = make_joints(desc, scene)) {
    scene.joint_potential = model.potentials.size();
    model.potentials.push_back(std::move(joints));
  }
  for (const HalfSpaceDesc& half_space : desc.half_spaces) {
    const Vec<3> normal = half_space.normal.normalized();
    model.half_spaces.push_back({normal, normal.dot(half_space.point)});
  }
  model.friction = friction_table(desc, scene.bodies);
  model.restitution = restitution_table(desc, model.friction);
  BoundingBox box;
  for (const BodyInstance& body : scene.bodies) {
    for (const Vec<3>& v : body.mesh.vertices) {
      if (!body.is_obstacle) box.extend(v);
    }
  }
  model.bbox_diagonal = box.diagonal();
  model.elastic_stiffness = std::move(elastic);
  scene.options = solver_options(desc, model.bbox_diagonal);
  set_initial_positions(scene);
  set_contact_scales(desc, scene);
  set_contact_measures(desc, scene);
  set_initial_velocity(desc, scene);
  with_dimension(scene.dim, [&](auto dim) { set_stiff_velocities<dim>(desc, scene); });
  set_initial_acceleration(scene);
  prepare_motions(desc, scene);
  scene.initial_state.released.assign(scene.motions.size(), 0);
  scene.initial_state.controls =
      Eigen::Map<const VecX>(scene.controls->values.data(), std::ssize(scene.controls->values));
  return scene;
}

}  // namespace clearance
