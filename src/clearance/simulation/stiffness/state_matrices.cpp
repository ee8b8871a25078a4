#include "clearance/simulation/stiffness/state_matrices.h"

#include <fmt/format.h>

#include <string_view>

#include "clearance/bodies/rod/rod_potential.h"
#include "clearance/model/blocks.h"
#include "clearance/model/coordinate_inertia.h"
#include "clearance/model/feasible_model.h"
#include "clearance/model/find_potential.h"
#include "clearance/model/local_coordinates.h"
#include "clearance/solver/system_matrix.h"

namespace clearance {
namespace {

/// Blocks and components that are held.
struct Held {
  std::vector<char> is_fixed;    ///< per block
  std::vector<char> components;  ///< per block, see clear_components
};

template <int dim>
Held find_held(const Model& model, const PrescribedTargets& targets) {
  Held held{std::vector<char>(model.layout.num_blocks, 0), std::vector<char>(model.layout.num_blocks, 0)};
  for (std::size_t b = 0; b < model.is_always_prescribed.size(); ++b) held.is_fixed[b] = model.is_always_prescribed[b];
  for (std::size_t k = 0; k < targets.blocks.size(); ++k) {
    const int b = targets.blocks[k];
    if (targets.is_whole(k, dim)) {
      held.is_fixed[b] = 1;
    } else {
      held.components[b] = targets.components[k];
    }
  }
  return held;
}

/// True if the potential belongs to the stiffness.
bool counts(const Potential& potential, StiffnessTerms terms) {
  if (potential.is_dissipative()) return false;
  return terms == StiffnessTerms::all || potential.name() != std::string_view("pressure");
}

template <int dim>
Result<BlockSparseMatrix> assemble_stiffness(const SceneModel& scene, const State& state, const Held& held,
                                             StiffnessTerms terms) {
  const Model& model = scene.model;
  SystemMatrix<dim> system(model, nullptr);
  BlockSparseMatrix& matrix = system.reset({});
  VecX gradient = VecX::Zero(state.x.size());
  // Springs, attachments and ties act from the first step on.
  const double h = scene.options.integrator.h, time = state.step == 0 ? state.time + h : state.time;
  for (std::size_t k = 0; k < model.potentials.size(); ++k) {
    if (!counts(*model.potentials[k], terms)) continue;
    const std::unique_ptr<Potential> potential = model.potentials[k]->clone();
    potential->set_turns(state.x, state.turns);
    potential->set_history(history_of(state, k));
    const Result<Done> begun = potential->begin_step(state.x, h, time);
    if (!begun) return begun.issues();
    potential->restrict_to({});
    potential->add_exact_derivatives(state.x, 1.0, gradient, matrix);
  }
  system.reduce(state.x, 0.0, FixedBlocks{held.is_fixed, held.components}, gradient, true);
  return system.matrix();
}

template <int dim>
BlockSparseMatrix assemble_mass(const Model& model, const VecX& x, const Held& held) {
  SystemMatrix<dim> system(model, nullptr);
  BlockSparseMatrix& matrix = system.reset({});
  if (model.consistent_mass) {
    model.consistent_mass->clone()->add_to(1.0, matrix);
  } else {
    for (int b = 0; b < model.layout.num_blocks; ++b) {
      matrix.add_to_slot<dim>(matrix.find_slot(b, b), matrix.slot_stride(b), model.mass[b] * Mat<dim>::Identity());
    }
  }
  // Rotors of joints have a mass, too.
  for (const auto& potential : model.potentials) {
    const std::unique_ptr<Potential> copy = potential->clone();
    if (CoordinateInertia* rotors = coordinate_inertia_of(*copy)) rotors->add_mass(x, matrix);
  }
  VecX gradient = VecX::Zero(x.size());
  system.reduce(x, 0.0, FixedBlocks{held.is_fixed, held.components}, gradient, true);
  return system.matrix();
}

/// Marks the unknowns that move and have a mass.
template <int dim>
std::vector<char> find_free(const Model& model, const Held& held, const BlockSparseMatrix& mass) {
  const LocalCoordinates<dim> coordinates(model);
  const std::vector<char> is_fixed = coordinates.reduce(held.is_fixed),
                          components = coordinates.reduce(held.components);
  const std::vector<typename LocalCoordinates<dim>::Origin> origins = coordinates.origins();
  std::vector<char> is_free(static_cast<std::size_t>(dim) * coordinates.num_blocks(), 0);
  for (int b = 0; b < coordinates.num_blocks(); ++b) {
    const Mat<dim> own = mass.diagonal_block<dim>(b);
    for (int c = 0; c < dim; ++c) {
      // In the plane the second number of a rotation moves nothing.
      const bool is_dummy = dim == 2 && origins[b].is_turn && c == 1;
      const bool is_held = is_fixed[b] != 0 || (components[b] >> c & 1) != 0 || is_dummy;
      is_free[dim * b + c] = !is_held && own(c, c) > 0.0 ? 1 : 0;
    }
  }
  return is_free;
}

/// Name of a motion of everything, as LocalCoordinates::rigid_motions orders them.
std::string motion_name(int dim, int motion, const std::string& body) {
  if (motion < dim) return fmt::format("translation of '{}' along {}", body, "xyz"[motion]);
  const char axis = dim == 2 ? 'z' : "zyx"[motion - dim];
  return fmt::format("rotation of '{}' about {}", body, axis);
}

/// Adds to rigid motions how much the angles of rods' segments turn: by the part of the rotation about the segment.
void add_rod_turns(const SceneModel& scene, const State& state, MatX& motions) {
  const auto* rods = find_potential<RodPotential>(scene.model);
  if (rods == nullptr) return;
  const auto origins = LocalCoordinates<3>(scene.model).origins();
  std::vector<int> unknown_of(scene.model.layout.num_blocks, -1);
  for (std::size_t b = 0; b < origins.size(); ++b) unknown_of[origins[b].block] = static_cast<int>(b);
  for (const RodSegment& segment : rods->mesh()->segments) {
    const Vec<3> tangent = (block<3>(state.x, segment.nodes[1]) - block<3>(state.x, segment.nodes[0])).normalized();
    const Eigen::Index row = 3 * unknown_of[segment.angle.block] + segment.angle.component;
    // The rotations are about z, -y and x, as LocalCoordinates::rigid_motions orders them.
    motions.row(row).tail<3>() += segment.angle.length * Vec<3>(tangent[2], -tangent[1], tangent[0]).transpose();
  }
}

}  // namespace

template <int dim>
Result<StiffnessPencil> assemble_pencil(const SceneModel& scene, const State& state, const PrescribedTargets& targets,
                                        StiffnessTerms terms) {
  const Held held = find_held<dim>(scene.model, targets);
  Result<BlockSparseMatrix> stiffness = assemble_stiffness<dim>(scene, state, held, terms);
  if (!stiffness) return stiffness.issues();
  StiffnessPencil pencil;
  pencil.stiffness = std::move(*stiffness);
  pencil.mass = assemble_mass<dim>(scene.model, state.x, held);
  pencil.is_free = find_free<dim>(scene.model, held, pencil.mass);
  return pencil;
}

template <int dim>
std::vector<NamedMotion> rigid_candidates(const SceneModel& scene, const State& state, const StiffnessPencil& pencil,
                                          const std::vector<std::string>& names) {
  const LocalCoordinates<dim> coordinates(scene.model);
  const auto origins = coordinates.origins();
  MatX motions = coordinates.rigid_motions(state.x);
  if constexpr (dim == 3) add_rod_turns(scene, state, motions);
  std::vector<NamedMotion> candidates;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    if (scene.bodies[body].is_obstacle) continue;
    MatX own = MatX::Zero(motions.rows(), motions.cols());
    for (int b = 0; b < coordinates.num_blocks(); ++b) {
      if (body_of_block(scene.model, origins[b].block) != static_cast<int>(body)) continue;
      for (int c = 0; c < dim; ++c) {
        if (pencil.is_free[dim * b + c] != 0) own.row(dim * b + c) = motions.row(dim * b + c);
      }
    }
    for (Eigen::Index i = 0; i < own.cols(); ++i) {
      VecX motion = own.col(i);
      // Rotations are about the centre of mass, so that they hold no translation.
      for (int d = 0; i >= dim && d < dim; ++d) {
        const VecX product = pencil.mass.multiply(own.col(d));
        const double mass = own.col(d).dot(product);
        if (mass > 0.0) motion -= motion.dot(product) / mass * own.col(d);
      }
      candidates.push_back({motion_name(dim, static_cast<int>(i), names[body]), std::move(motion)});
    }
  }
  return candidates;
}

template <int dim>
std::vector<double> energy_shares(const SceneModel& scene, const StiffnessPencil& pencil, const VecX& mode) {
  const LocalCoordinates<dim> coordinates(scene.model);
  const auto origins = coordinates.origins();
  const VecX product = pencil.mass.multiply(mode);
  std::vector<double> shares(scene.bodies.size(), 0.0);
  double all = 0.0;
  for (int b = 0; b < coordinates.num_blocks(); ++b) {
    const double part = block<dim>(mode, b).dot(block<dim>(product, b));
    shares[body_of_block(scene.model, origins[b].block)] += part;
    all += part;
  }
  for (double& share : shares) share = all > 0.0 ? share / all : 0.0;
  return shares;
}

template Result<StiffnessPencil> assemble_pencil<2>(const SceneModel&, const State&, const PrescribedTargets&,
                                                    StiffnessTerms);
template Result<StiffnessPencil> assemble_pencil<3>(const SceneModel&, const State&, const PrescribedTargets&,
                                                    StiffnessTerms);
template std::vector<NamedMotion> rigid_candidates<2>(const SceneModel&, const State&, const StiffnessPencil&,
                                                      const std::vector<std::string>&);
template std::vector<NamedMotion> rigid_candidates<3>(const SceneModel&, const State&, const StiffnessPencil&,
                                                      const std::vector<std::string>&);
template std::vector<double> energy_shares<2>(const SceneModel&, const StiffnessPencil&, const VecX&);
template std::vector<double> energy_shares<3>(const SceneModel&, const StiffnessPencil&, const VecX&);

}  // namespace clearance
