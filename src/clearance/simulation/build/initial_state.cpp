#include "clearance/simulation/build/initial_state.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "clearance/math/dimension.h"
#include "clearance/math/rotation.h"
#include "clearance/scene/expression.h"
#include "clearance/solver/rigid_rates.h"

namespace clearance {

namespace {

/// Returns the velocities [m/s] of all unknowns of deformable bodies; those of others are 0.
VecX nodal_velocities(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                      Issues& issues) {
  const int dim = unknowns.layout.dim;
  VecX v0 = VecX::Zero(unknowns.x_rest.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const BodyInstance& body = bodies[b];
    const BodyDesc& body_desc = desc.bodies[body.desc];
    if (!has_nodes(body.kind)) continue;
    const BoundingBox box = bounding_box(body.mesh.vertices);
    const Vec<3> center = 0.5 * (box.min + box.max);
    const Vec<3> omega = body_desc.angular_velocity * radians_per_degree;
    std::vector<Vec<3>> of_formulas;
    if (body_desc.velocity) {
      Vertices placed = body.mesh.vertices;
      for (Vec<3>& x : placed) x -= body.shift;
      auto values = evaluate(*body_desc.velocity, fmt::format("bodies[{}].velocity", body.desc), 0.0, placed);
      if (!values) {
        issues.insert(issues.end(), values.issues().begin(), values.issues().end());
        continue;
      }
      of_formulas = std::move(values).value();
    }
    for (std::size_t v = 0; v < body.mesh.vertices.size(); ++v) {
      Vec<3> velocity = body_desc.linear_velocity + omega.cross(body.mesh.vertices[v] - center);
      if (!of_formulas.empty()) velocity += of_formulas[v];
      if (const int block = unknowns.blocks[b].block_of_node[v]; block >= 0) {
        v0.segment(dim * block, dim) = velocity.head(dim);
      }
    }
  }
  return v0;
}

/// Sets the velocities of stiff units. Stiff bodies turn about their centre of mass, without the motions that are
/// fixed. Stiff parts move as the deformable body would, on average.
template <int dim>
void set_stiff_velocities(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                          const std::vector<StiffUnit>& units, VecX& v) {
  for (const StiffUnit& unit : units) {
    const BodyInstance& body = bodies[unit.body];
    const BodyDesc& body_desc = desc.bodies[body.desc];
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
    v.segment<dim*(dim + 1)>(dim * unit.first_block) = affine_velocities<dim>(unit.frame, linear, omega);
  }
}

}  // namespace

/// By conjugate gradients, to rounding, if the mass couples blocks.
VecX accelerations(const Model& model, const PrescribedTargets& held, const VecX& forces) {
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
  // Held components have no acceleration: a consistent mass would hand one on to their neighbours.
  for (std::size_t k = 0; k < held.blocks.size(); ++k) {
    for (int c = 0; c < dim; ++c) {
      if (held.has_component(k, c)) inverse[dim * held.blocks[k] + c] = a[dim * held.blocks[k] + c] = 0.0;
    }
  }
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

VecX start_forces(const Model& model, const VecX& x) {
  VecX gradient = VecX::Zero(x.size());
  for (const auto& potential : model.potentials) {
    // A load that is not defined at time zero does not act yet.
    const std::unique_ptr<Potential> copy = potential->clone();
    (void)copy->begin_step(x, 0.0, 0.0);
    copy->add_gradient(x, 1.0, gradient);
  }
  return -gradient;
}

VecX start_positions(const std::vector<BodyInstance>& bodies, const Unknowns& unknowns) {
  const int dim = unknowns.layout.dim;
  VecX x = unknowns.x_rest;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const std::vector<Vec<3>>& displacements = bodies[b].displacements;
    for (std::size_t v = 0; v < displacements.size(); ++v) {
      x.segment(dim * unknowns.blocks[b].block_of_node[v], dim) += displacements[v].head(dim);
    }
  }
  return x;
}

State make_initial_state(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                         VecX x, Issues& issues) {
  State state;
  state.x = std::move(x);
  state.x_anchor = state.x;
  state.v = nodal_velocities(desc, bodies, unknowns, issues);
  with_dimension(unknowns.layout.dim,
                 [&](auto dim) { set_stiff_velocities<dim>(desc, bodies, unknowns.stiff_units, state.v); });
  return state;
}

void set_start_accelerations(const Model& model, const PrescribedTargets& held, State& state) {
  state.a = accelerations(model, held, start_forces(model, state.x));
  with_dimension(model.layout.dim, [&](auto dim) { make_rates_rigid<dim>(model, state.x, state.v, state.a); });
}

}  // namespace clearance
