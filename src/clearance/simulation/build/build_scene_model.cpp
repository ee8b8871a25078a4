#include "clearance/simulation/build/build_scene_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "clearance/bodies/fem/axisymmetric_potential.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/simulation/build/body_terms.h"
#include "clearance/simulation/build/contact_properties.h"
#include "clearance/simulation/build/contact_scales.h"
#include "clearance/simulation/build/higher_nodes.h"
#include "clearance/simulation/build/initial_state.h"
#include "clearance/simulation/build/loads.h"
#include "clearance/simulation/build/rest_surface.h"
#include "clearance/simulation/build/soft_hold.h"
#include "clearance/simulation/build/solver_options.h"
#include "clearance/simulation/build/thin_bodies.h"

namespace clearance {

namespace {

/// Returns the diagonal [m] of the box of all bodies but obstacles.
double scene_diagonal(const SceneDesc& desc, const std::vector<BodyInstance>& bodies) {
  BoundingBox box;
  for (const BodyInstance& body : bodies) {
    if (body.is_obstacle) continue;
    for (const Vec<3>& v : body.mesh.vertices) {
      box.extend(v);
      if (is_thin(body.kind)) box.extend(v + Vec<3>::Constant(*desc.bodies[body.desc].thickness));
    }
  }
  return box.diagonal();
}

std::vector<HalfSpace> half_spaces(const SceneDesc& desc) {
  std::vector<HalfSpace> all;
  for (const HalfSpaceDesc& half_space : desc.half_spaces) {
    const Vec<3> normal = half_space.normal.normalized();
    all.push_back({normal, normal.dot(half_space.point)});
  }
  return all;
}

/// Makes one mechanism of all bodies that links or springs connect, and of those that joints connect with them.
void join_linked_bodies(const Potential& links, Model& model, std::size_t num_bodies) {
  std::vector<int>& root = model.mechanism_of_body;
  if (root.empty()) {
    root.resize(num_bodies);
    std::iota(root.begin(), root.end(), 0);
  }
  for (const BlockKey key : links.pattern()) {
    const int a = root[model.body_of_block[block_row(key)]], b = root[model.body_of_block[block_column(key)]];
    if (a != b) std::replace(root.begin(), root.end(), std::max(a, b), std::min(a, b));
  }
}

/// Makes the model of the stages before contact. Potentials keep the order of the stages, which decides rounding.
Model make_model(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                 BodyTerms& terms, std::vector<std::shared_ptr<const Potential>> loads, const SceneJoints& joints,
                 SceneSurface& surface) {
  Model model;
  model.layout = unknowns.layout;
  model.stiff_bodies = std::move(terms.stiff_bodies);
  model.ties = unknowns.ties;
  model.mass = std::move(terms.mass);
  model.consistent_mass = std::move(terms.consistent_mass);
  model.x_rest = unknowns.x_rest;
  model.potentials = std::move(terms.potentials);
  model.potentials.insert(model.potentials.end(), loads.begin(), loads.end());
  if (joints.joints) model.potentials.push_back(joints.joints);
  model.potentials.insert(model.potentials.end(), joints.springs.begin(), joints.springs.end());
  model.surface_map = std::move(surface.map);
  model.surface = std::move(surface.topology);
  model.edge_rest_length_sq = std::move(surface.edge_rest_length_sq);
  model.half_spaces = half_spaces(desc);
  model.friction = friction_table(desc, bodies);
  model.restitution = restitution_table(desc, model.friction);
  model.is_always_prescribed = always_prescribed_blocks(bodies, unknowns);
  model.is_obstacle_vertex = std::move(surface.is_obstacle_vertex);
  model.first_turn_vertex = std::move(surface.first_turn_vertex);
  model.body_of_block = unknowns.body_of_block;
  model.higher_nodes = find_higher_nodes(bodies, unknowns);
  model.inner_blocks = unknowns.inner_blocks;
  model.mechanism_of_body = joints.mechanism_of_body;
  model.elastic_stiffness = std::move(terms.elastic_stiffness);
  model.bbox_diagonal = scene_diagonal(desc, bodies);
  return model;
}

/// Appends the error of a curved element whose shape cannot be shown to be on one side of the axis of revolution.
void check_radii(const std::vector<BodyInstance>& bodies, const Unknowns& unknowns, const BodyTerms& terms,
                 Issues& issues) {
  for (const auto& potential : terms.potentials) {
    const auto* turned = dynamic_cast<const AxisymmetricPotential*>(potential.get());
    const int block = turned != nullptr ? turned->find_block_across_axis() : -1;
    if (block < 0) continue;
    const BodyInstance& body = bodies[unknowns.body_of_block[block]];
    issues.push_back(
        {"", fmt::format("bodies[{}]", body.desc), body.name,
         fmt::format("a curved element at ({:g}, {:g}) may reach beyond the axis of revolution between its "
                     "nodes; use smaller or straight elements there",
                     unknowns.x_rest[2 * block], unknowns.x_rest[2 * block + 1]),
         Severity::error});
  }
}

}  // namespace

SceneModel build_scene_model(const SceneDesc& desc, std::vector<BodyInstance> bodies) {
  Issues issues, idle;
  const auto controls = std::make_shared<Controls>(controls_of(desc));
  Unknowns unknowns = lay_out_unknowns(desc, bodies, find_stiff_units(desc, bodies, issues));
  SceneSurface surface = build_surface(desc, bodies, unknowns, issues);
  BodyTerms terms = make_body_terms(desc, bodies, unknowns, controls);
  if (desc.axisymmetric) check_radii(bodies, unknowns, terms, issues);
  auto loads = make_loads(desc, bodies, unknowns, terms, controls, idle);
  SceneJoints joints = make_joints(desc, bodies, unknowns, controls, issues);
  const std::size_t joint_potential = terms.potentials.size() + loads.size();
  Model model = make_model(desc, bodies, unknowns, terms, std::move(loads), joints, surface);
  add_segment_turns(model);
  SolverOptions options = solver_options(desc, model.bbox_diagonal);
  VecX x = start_positions(bodies, unknowns);
  check_strain_limits(desc, bodies, model, x, issues);
  SceneAttachments attachments =
      make_attachments(desc, bodies, unknowns, model, x, options.integrator.h, controls, issues, idle);
  const std::size_t attachment_potential = model.potentials.size();
  if (attachments.links) {
    model.potentials.push_back(attachments.links);
    join_linked_bodies(*attachments.links, model, bodies.size());
  }
  SceneSprings springs = make_springs(desc, bodies, unknowns, model, x, controls, issues);
  springs.first_potential = model.potentials.size();
  for (const std::shared_ptr<Potential>& potential : springs.potentials) {
    model.potentials.push_back(potential);
    join_linked_bodies(*potential, model, bodies.size());
  }
  ScaledContact contact = make_contact_scales(desc, bodies, unknowns.stiff_units, model, x, options);
  model.contact_scales = std::move(contact.scales);
  options.barrier.dhat = contact.dhat;
  model.contact_at_rest = make_contact_at_rest(surface_at_rest(desc, bodies, unknowns, surface, model, options.barrier),
                                               desc.contact.options);
  State state = make_initial_state(desc, bodies, unknowns, std::move(x), issues);
  set_rod_spins(desc, bodies, model, state);
  set_stored_by_clamped(model, state);
  std::vector<PreparedMotion> motions = prepare_motions(desc, bodies, unknowns, issues, idle);
  state.released.assign(motions.size(), 0);
  state.controls = Eigen::Map<const VecX>(controls->values.data(), std::ssize(controls->values));

  SceneModel scene;
  scene.dim = desc.dimension;
  scene.is_axisymmetric = desc.axisymmetric;
  scene.bodies = std::move(bodies);
  scene.stiff_units = std::move(unknowns.stiff_units);
  scene.blocks = std::move(unknowns.blocks);
  scene.model = std::move(model);
  scene.initial_state = std::move(state);
  scene.options = std::move(options);
  if (joints.joints) scene.joint_potential = joint_potential;
  scene.joints = std::move(joints);
  if (attachments.links) scene.attachment_potential = attachment_potential;
  scene.attachments = std::move(attachments);
  scene.springs = std::move(springs);
  scene.motions = std::move(motions);
  scene.controls = controls;
  scene.frames = std::move(surface.frames);
  scene.vertex_of_surface = std::move(surface.vertex_of_surface);
  scene.boundary_faces = std::move(surface.boundary_faces);
  scene.weighing = std::move(terms.weighing);
  scene.shape_moments = std::move(terms.shape_moments);
  scene.cell_of_element = std::move(terms.cell_of_element);
  scene.element_states = std::move(terms.element_states);
  scene.element_kinds = std::move(terms.element_kinds);
  scene.element_stresses = std::move(terms.element_stresses);
  scene.issues = std::move(issues);
  scene.empty_regions = std::move(idle);
  hold_free_bodies(desc, scene);
  return scene;
}

}  // namespace clearance
