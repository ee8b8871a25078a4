#include "clearance/simulation/build/build_scene_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "clearance/bodies/affine/orthogonality_potential.h"
#include "clearance/bodies/fem/curved_barrier.h"
#include "clearance/bodies/fem/curved_damping.h"
#include "clearance/bodies/fem/fem_body.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/math/dimension.h"
#include "clearance/math/rotation.h"
#include "clearance/scene/body_names.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/build/contact_scales.h"
#include "clearance/simulation/build/joints.h"
#include "clearance/simulation/build/loads.h"
#include "clearance/simulation/build/motions.h"
#include "clearance/simulation/build/rest_surface.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/kept_shape.h"
#include "clearance/simulation/load/material_parts.h"
#include "clearance/solver/rigid_rates.h"

namespace clearance {

namespace {

/// Converts the scene's options to absolute units; l is the diagonal of the bounding box of all bodies but obstacles.
SolverOptions solver_options(const SceneDesc& scene, double l) {
  SolverOptions options;
  options.integrator = {scene.time.integrator, scene.time.step, scene.time.newmark_beta, scene.time.newmark_gamma};
  const double contact_unit = scene.contact.dhat_is_absolute ? 1.0 : l;
  options.has_contact = scene.contact.enabled;
  options.barrier = {scene.contact.dhat * contact_unit, scene.contact.min_separation};
  options.kappa = {has_physical_barrier(scene.contact.options) ? 0.0 : scene.contact.kappa,
                   scene.contact.kappa_min_multiplier, scene.contact.close_distance * contact_unit};
  options.convergence = scene.solver.convergence;
  options.force_tolerance = scene.solver.force_tolerance;
  options.friction = {scene.friction.eps_v * (scene.friction.eps_v_is_absolute ? 1.0 : l), scene.friction.stick * l,
                      scene.friction.iterations};
  // A number of lags above the limit means as many as it takes.
  if (options.friction.iterations > options.friction.max_iterations) options.friction.iterations = 0;
  options.least_impact = std::max(2.0 * scene.gravity.norm() * scene.time.step, options.friction.eps_v);
  options.tolerance = scene.solver.tolerance * (scene.solver.tolerance_is_absolute ? 1.0 : l);
  options.max_iterations = scene.solver.max_iterations;
  options.linear_solver = scene.solver.linear_solver;
  options.petsc = {scene.solver.petsc.method, scene.solver.petsc.tolerance, scene.solver.petsc.max_iterations};
  options.ccd = scene.solver.ccd;
  return options;
}

/// Adds the masses of the blocks of stiff units, and the potential that keeps affine ones from deforming. Only centres
/// of mass have a weight.
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

/// Elements of all deformable bodies. Those of an order above 1 are grouped by their orders.
template <int dim>
struct SceneElements {
  ElementMesh<dim> linear;
  using Orders = std::array<int, 2>;  // orders of the displacements and of the shape
  std::map<Orders, CurvedElementMesh<dim>> curved;
  std::map<Orders, std::vector<int>> cell_of_curved;  // number among the cells of frames per element of the orders

  /// Returns the curved elements, by ascending orders.
  std::vector<CurvedElementMesh<dim>> curved_meshes() const {
    std::vector<CurvedElementMesh<dim>> meshes;
    for (const auto& [orders, mesh] : curved) meshes.push_back(mesh);
    return meshes;
  }
};

template <int dim>
SceneElements<dim> collect_elements(const SceneDesc& desc, SceneModel& scene) {
  SceneElements<dim> elements;
  elements.linear.x_rest = scene.model.x_rest;
  std::vector<MaterialParameters>& materials = elements.linear.materials;
  std::vector<int> first_material;  // per body of the scene: its own material, followed by those of its parts
  for (const BodyDesc& body : desc.bodies) {
    first_material.push_back(static_cast<int>(materials.size()));
    materials.push_back(make_material(body.material));
    for (const MaterialPartDesc& part : body.material_parts) materials.push_back(make_material(part.material));
  }
  // Materials of elements with a separate density.
  std::map<std::pair<int, double>, int> with_density;
  const auto material_with = [&](int material, double density) {
    const auto [known, is_new] = with_density.try_emplace({material, density}, static_cast<int>(materials.size()));
    if (is_new) {
      materials.push_back(materials[static_cast<std::size_t>(material)]);
      materials.back().density = density;
    }
    return known->second;
  };
  // Cells of frames begin with the solid elements of all bodies.
  int num_cells = 0;
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const BodyInstance& body = scene.bodies[static_cast<std::size_t>(b)];
    if (body.kind != BodyKind::deformable) {
      num_cells += static_cast<int>(dim == 3 ? body.mesh.tets.size() : body.mesh.triangles.size());
      continue;
    }
    const std::vector<char> is_stiff_element = stiff_elements(body.mesh, scene.stiff_units, b);
    const BodyBlocks& blocks = scene.blocks[static_cast<std::size_t>(b)];
    const int first_cell = num_cells;
    num_cells += static_cast<int>(is_stiff_element.size());
    for (std::size_t cell = 0; cell < is_stiff_element.size(); ++cell) {
      if (is_stiff_element[cell]) continue;
      const int part = body.material_part.empty() ? -1 : body.material_part[cell];
      int material = first_material[static_cast<std::size_t>(body.desc)] + 1 + part;
      if (const auto density =
              element_density(desc.bodies[static_cast<std::size_t>(body.desc)], body, body.cell_at_start(cell))) {
        material = material_with(material, *density);
      }
      const int shape_order = body.mesh.order_of_cell(cell);
      const int order = body.displacement_order > 0 ? body.displacement_order : shape_order;
      const int number = first_cell + static_cast<int>(cell);
      if (shape_order > 1) {
        CurvedElementMesh<dim>& of_order = elements.curved[{order, shape_order}];
        for (const int v : nodes_of_displacements(body.mesh, cell, order)) of_order.nodes.push_back(blocks.of_node(v));
        for (const int v : body.mesh.nodes_of_cell(cell)) {
          if (order == shape_order) break;
          const Vec<3>& x = body.mesh.vertices[static_cast<std::size_t>(v)];
          of_order.shapes_at_rest.insert(of_order.shapes_at_rest.end(), x.data(), x.data() + dim);
        }
        of_order.material_of_element.push_back(material);
        elements.cell_of_curved[{order, shape_order}].push_back(number);
        continue;
      }
      std::array<int, dim + 1> nodes{};
      for (std::size_t i = 0; i <= dim; ++i) {
        nodes[i] =
            blocks.of_node(dim == 3 ? body.mesh.tets[cell][i] : body.mesh.triangles[cell][std::min<std::size_t>(i, 2)]);
      }
      elements.linear.elements.push_back(nodes);
      elements.linear.material_of_element.push_back(material);
      scene.cell_of_element.push_back(number);
    }
  }
  for (auto& [orders, of_order] : elements.curved) {
    of_order.order = orders[0];
    of_order.higher_shape_order = orders[1] > orders[0] ? orders[1] : 0;
    of_order.x_rest = elements.linear.x_rest;
    of_order.materials = materials;
    const std::vector<int>& cells = elements.cell_of_curved[orders];
    scene.cell_of_element.insert(scene.cell_of_element.end(), cells.begin(), cells.end());
  }
  scene.num_elements = static_cast<int>(scene.cell_of_element.size());
  return elements;
}

template <int dim>
void add_elasticity(const SceneElements<dim>& elements, SceneModel& scene) {
  std::vector<std::function<std::vector<ElementState>(const VecX&)>> states;
  const auto add = [&](const auto& potential) {
    states.push_back([potential](const VecX& x) { return potential->element_states(x); });
    scene.model.potentials.push_back(potential);
  };
  if (!elements.linear.elements.empty()) add(std::make_shared<ElasticPotential<dim>>(elements.linear));
  for (const auto& [orders, mesh] : elements.curved) add(std::make_shared<CurvedElasticPotential<dim>>(mesh));
  if (states.empty()) return;
  scene.element_states = [states](const VecX& x) {
    std::vector<ElementState> all;
    for (const auto& of_order : states) {
      const std::vector<ElementState> part = of_order(x);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  };
}

/// Sets the inertia if it is not a lumped mass. `lumped` [kg] per block is the mass of linear elements.
template <int dim>
void set_consistent_mass(const SceneDesc& desc, const SceneElements<dim>& elements, const VecX& lumped,
                         const VecX& shares, SceneModel& scene) {
  const bool is_consistent = desc.time.mass == MassKind::consistent;
  if (!is_consistent && elements.curved.empty()) return;
  ElementMesh<dim> linear;
  if (is_consistent) linear = elements.linear;
  const VecX others = scene.model.mass - shares - (is_consistent ? lumped : VecX::Zero(lumped.size()));
  scene.model.consistent_mass = std::make_shared<ConsistentMass<dim>>(linear, elements.curved_meshes(), others);
}

template <int dim>
void add_shape_moments(const CurvedElementMesh<dim>& mesh, SceneModel& scene) {
  if (mesh.higher_shape_order == 0) return;
  scene.shape_moments.resize(scene.bodies.size(), Vec<3>::Zero());
  const std::vector<Vec<dim>> moments = shape_moments(mesh);
  for (std::size_t e = 0; e < moments.size(); ++e) {
    const auto block = static_cast<std::size_t>(mesh.nodes_of(e)[0]);
    scene.shape_moments[static_cast<std::size_t>(scene.model.body_of_block[block])].template head<dim>() += moments[e];
  }
}

/// Builds the elastic, gravity, damping and inversion potentials over the elements of all deformable bodies. `elastic`
/// [N/m] receives the resistance of the elements to a displacement of each block.
template <int dim>
void build_potentials(const SceneDesc& desc, SceneModel& scene, VecX& elastic) {
  const SceneElements<dim> elements = collect_elements<dim>(desc, scene);
  elastic = rest_stiffness(elements.linear);
  const VecX lumped = lumped_mass(elements.linear);
  VecX shares = VecX::Zero(lumped.size());
  scene.weighing = lumped;
  for (const auto& [orders, mesh] : elements.curved) {
    add_rest_stiffness(mesh, elastic);
    const CurvedMass<dim> mass(mesh);
    mass.add_shares(shares);
    mass.add_row_sums(scene.weighing);
    add_shape_moments(mesh, scene);
  }
  scene.model.mass = elements.curved.empty() ? lumped : VecX(lumped + shares);
  add_elasticity(elements, scene);
  add_stiff_masses<dim>(scene, scene.weighing);
  set_consistent_mass(desc, elements, lumped, shares, scene);
  const Vec<dim> gravity = desc.gravity.head<dim>();
  if (!gravity.isZero(0.0)) {
    scene.model.potentials.push_back(std::make_shared<GravityPotential<dim>>(scene.weighing, gravity));
  }
  auto damping = std::make_shared<LaggedDampingPotential<dim>>(elements.linear);
  if (damping->has_elements()) scene.model.potentials.push_back(damping);
  auto inversion_barrier = std::make_shared<InversionBarrier<dim>>(elements.linear);
  if (inversion_barrier->has_elements()) scene.model.potentials.push_back(inversion_barrier);
  for (const auto& [orders, mesh] : elements.curved) {
    auto curved_damping = std::make_shared<CurvedDampingPotential<dim>>(mesh);
    if (curved_damping->has_elements()) scene.model.potentials.push_back(std::move(curved_damping));
    scene.model.potentials.push_back(std::make_shared<CurvedInversionBarrier<dim>>(mesh));
  }
}

FrictionCoefficients coefficients(double sliding, const std::optional<double>& sticking) {
  return {sticking.value_or(sliding), sliding};
}

/// Returns the classes of two names in ascending order: the entry of a body, or -1 - half-space.
std::array<int, 2> classes_of(const SceneDesc& desc, const std::array<std::string, 2>& names) {
  std::array<int, 2> classes{};
  for (std::size_t i = 0; i < 2; ++i) {
    if (const auto half_space = find_half_space(desc, names[i])) {
      classes[i] = -1 - static_cast<int>(*half_space);
      continue;
    }
    const auto found = std::find_if(desc.bodies.begin(), desc.bodies.end(),
                                    [&](const BodyDesc& body) { return body.name == names[i]; });
    classes[i] = static_cast<int>(found - desc.bodies.begin());
  }
  std::sort(classes.begin(), classes.end());
  return classes;
}

/// Makes the table of friction coefficients. A class of the table is an entry of the scene's bodies, with all its
/// copies.
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
      if (const int block = scene.blocks[b].of_nodes[v]; block >= 0) {
        state.v.segment(scene.dim * block, scene.dim) = velocity.head(scene.dim);
      }
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

/// Sets the velocities of stiff units. Stiff bodies turn about their centre of mass, without the motions that are
/// fixed. Stiff parts move as the deformable body would, on average.
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

/// Computes M^-1 times forces; by conjugate gradients, to rounding, if the mass couples blocks.
VecX accelerations(const Model& model, const VecX& forces) {
  const int dim = model.layout.dim;
  VecX inverse = VecX::Zero(forces.size());
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    if (model.mass[b] > 0.0) inverse.segment(dim * b, dim).setConstant(1.0 / model.mass[b]);
  }
  VecX a = VecX::Zero(forces.size());
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    if (model.mass[b] > 0.0) a.segment(dim * b, dim) = forces.segment(dim * b, dim) / model.mass[b];
  }
  if (!model.consistent_mass) return a;
  constexpr int max_iterations = 1000;
  const VecX can_move = (inverse.array() > 0.0).cast<double>();
  VecX residual = can_move.cwiseProduct(forces);
  model.consistent_mass->add_product(a, -1.0, residual);
  VecX scaled = inverse.cwiseProduct(residual), direction = scaled;
  const double start = forces.cwiseProduct(inverse).dot(forces);
  double size = residual.dot(scaled);
  for (int i = 0; i < max_iterations && size > 1e-28 * start; ++i) {
    VecX product = VecX::Zero(forces.size());
    model.consistent_mass->add_product(direction, 1.0, product);
    const double alpha = size / direction.dot(product);
    a += alpha * direction;
    residual -= alpha * product;
    scaled = inverse.cwiseProduct(residual);
    const double next = residual.dot(scaled);
    direction = scaled + (next / size) * direction;
    size = next;
  }
  return a;
}

/// Sets the initial acceleration for Newmark's method: M a = force, without contact.
void set_initial_acceleration(SceneModel& scene) {
  State& state = scene.initial_state;
  VecX gradient = VecX::Zero(state.x.size());
  for (const auto& potential : scene.model.potentials) {
    // A load that is not defined at time zero does not act yet.
    const std::unique_ptr<Potential> copy = potential->clone();
    (void)copy->begin_step(state.x, 0.0, 0.0);
    copy->add_gradient(state.x, 1.0, gradient);
  }
  state.a = accelerations(scene.model, VecX(-gradient));
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
  if (JointPotentials joints = make_joints(desc, scene); joints.joints) {
    scene.joint_potential = model.potentials.size();
    model.potentials.push_back(std::move(joints.joints));
    for (auto& springs : joints.springs) model.potentials.push_back(std::move(springs));
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
  model.contact_at_rest = make_contact_at_rest(surface_at_rest(desc, scene), desc.contact.options);
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
