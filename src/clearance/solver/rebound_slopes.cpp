#include "clearance/solver/rebound_slopes.h"

#include <algorithm>

#include "clearance/model/feasible_model.h"
#include "clearance/solver/rebound.h"
#include "clearance/solver/state_motion.h"

namespace clearance {

template <int dim>
ReboundSlopes<dim>::ReboundSlopes(const StepInputs<dim>& in, const Step<dim>& step, const StepTangent<dim>& tangent)
    : in_(in), step_(step) {
  const Model& model = in.model;
  const VecX& x = step.end_state().point.iterate.x;
  Rebound<dim> rebound(model, in.options, in.targets, in.state, step.marks(), model.surface_map.apply(in.state.x),
                       step.end_state().point.iterate, in.copies.potentials);
  if (rebound.is_empty()) return;
  const double h = in.options.integrator.h, length = tangent.reach();
  if (in.options.integrator.method == TimeIntegrator::bdf2) {
    v_t1_ = (x - in.state.x) / h;
  } else {
    State end = in.state;
    move_state<dim>(model, in.options.integrator, in.targets, step.problem().target(), x, end);
    v_t1_ = std::move(end.v);
  }
  forces_t0_ = VecX::Zero(x.size());
  for (const auto& potential : in.copies.potentials) potential->add_gradient(in.state.x, -1.0, forces_t0_);
  std::vector<int> islands;
  for (const auto& [first_block, island] : rebound.pushed_bodies()) {
    bodies_.push_back(first_block);
    islands.push_back(island);
  }
  const SlopePattern of_blocks = pattern(islands);
  const State& from = in.state;
  by_x_t0_ = find_slopes(of_blocks, length, [&](const VecX& change) {
    State changed = from;
    changed.x += change;
    return velocities(changed, x, v_t1_, true);
  });
  by_v_t0_ = find_slopes(of_blocks, length / h, [&](const VecX& change) {
    State changed = from;
    changed.v += change;
    return velocities(changed, x, v_t1_, false);
  });
  by_x_t1_ =
      find_slopes(of_blocks, length, [&](const VecX& change) { return velocities(from, x + change, v_t1_, false); });
  by_v_t1_ = find_slopes(of_blocks, length / h,
                         [&](const VecX& change) { return velocities(from, x, v_t1_ + change, false); });
}

/// Returns which bodies each block acts on: those of the islands that it belongs to or touches.
template <int dim>
SlopePattern ReboundSlopes<dim>::pattern(const std::vector<int>& islands) const {
  const Model& model = in_.model;
  const auto num_blocks = static_cast<std::size_t>(model.layout.num_blocks);
  SlopePattern pattern{dim, dim, dim * (dim + 1), bodies_.size(), std::vector<std::vector<int>>(num_blocks)};
  std::vector<std::vector<int>> of_block(num_blocks);  // islands
  std::vector<int> island_of(num_blocks, -1);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    for (int i = 0; i <= dim; ++i) {
      of_block[static_cast<std::size_t>(bodies_[k] + i)] = {islands[k]};
      island_of[static_cast<std::size_t>(bodies_[k] + i)] = islands[k];
    }
  }
  // Bodies that move as prescribed act on those that they touch, with a radius also by their turning.
  const auto for_each_block = [&](const Contact& contact, const auto& visit) {
    for (int i = 0; i < contact.num_vertices(); ++i) {
      const int vertex = contact.vertices[i], first_turn = model.turn_vertex_of(vertex);
      for (const SurfaceMap::Term& term : model.surface_map.terms(vertex)) visit(term.block);
      for (int c = 0; first_turn >= 0 && c < dim; ++c) {
        for (const SurfaceMap::Term& term : model.surface_map.terms(first_turn + c)) visit(term.block);
      }
    }
  };
  for (const Contact& contact : step_.end_state().point.iterate.contacts.contacts) {
    int island = -1;
    for_each_block(contact, [&](int b) { island = std::max(island, island_of[static_cast<std::size_t>(b)]); });
    if (island < 0) continue;
    for_each_block(contact, [&](int b) {
      std::vector<int>& touched = of_block[static_cast<std::size_t>(b)];
      if (std::find(touched.begin(), touched.end(), island) == touched.end()) touched.push_back(island);
    });
  }
  for (std::size_t b = 0; b < num_blocks; ++b) {
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      if (std::find(of_block[b].begin(), of_block[b].end(), islands[k]) != of_block[b].end()) {
        pattern.rows[b].push_back(static_cast<int>(k));
      }
    }
  }
  return pattern;
}

/// Returns the velocities of the bodies after the rebounds. `has_moved`: forces at the start follow its positions.
template <int dim>
VecX ReboundSlopes<dim>::velocities(const State& from, const VecX& x_t1, const VecX& v_t1, bool has_moved) const {
  const Model& model = in_.model;
  const double h = in_.options.integrator.h;
  Iterate end = step_.end_state().point.iterate;
  end.x = x_t1;
  end.x_surface = model.surface_map.apply(x_t1);
  Rebound<dim> rebound(model, in_.options, in_.targets, from, step_.marks(), model.surface_map.apply(from.x), end,
                       in_.copies.potentials);
  VecX forces = forces_t0_;
  if (has_moved) {
    forces.setZero();
    for (std::size_t k = 0; k < in_.copies.potentials.size(); ++k) {
      Potential& potential = *in_.copies.potentials[k];
      if (potential.is_elastic() || potential.has_constant_force()) {
        potential.add_gradient(from.x, -1.0, forces);
        continue;
      }
      const std::unique_ptr<Potential> begun = potential.clone();
      begun->set_turns(in_.state.x, in_.state.turns);
      begun->set_history(history_of(in_.state, k));
      if (!begun->begin_step(from.x, h, (in_.state.step + 1) * h)) continue;
      begun->refer_to(x_t1);
      begun->add_gradient(from.x, -1.0, forces);
    }
  }
  rebound.take_up_forces(forces, h);
  State state = from;
  state.x = x_t1;
  state.v = v_t1;
  rebound.apply(state);
  constexpr Eigen::Index width = dim * (dim + 1);
  VecX result(width * std::ssize(bodies_));
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    result.segment(width * static_cast<Eigen::Index>(k), width) =
        state.v.segment(dim * static_cast<Eigen::Index>(bodies_[k]), width);
  }
  return result;
}

template <int dim>
void ReboundSlopes<dim>::pull_back(VecX& of_v, State& start, VecX& of_end) const {
  if (is_empty() || of_v.size() == 0) return;
  constexpr Eigen::Index width = dim * (dim + 1);
  VecX of_bodies(width * std::ssize(bodies_));
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    auto of_body = of_v.segment(dim * static_cast<Eigen::Index>(bodies_[k]), width);
    of_bodies.segment(width * static_cast<Eigen::Index>(k), width) = of_body;
    of_body.setZero();
  }
  of_v += by_v_t1_.transpose() * of_bodies;
  start.x += by_x_t0_.transpose() * of_bodies;
  start.v += by_v_t0_.transpose() * of_bodies;
  of_end += by_x_t1_.transpose() * of_bodies;
  if (in_.options.integrator.method != TimeIntegrator::bdf2) return;
  // After an impact BDF2 begins with a step of implicit Euler.
  of_end += of_v / in_.options.integrator.h;
  start.x -= of_v / in_.options.integrator.h;
  of_v.setZero();
}

template <int dim>
void ReboundSlopes<dim>::push_forward(const State& start, const VecX& dx_end, VecX& dv) const {
  if (is_empty()) return;
  if (in_.options.integrator.method == TimeIntegrator::bdf2) dv = (dx_end - start.x) / in_.options.integrator.h;
  const VecX of_bodies = by_v_t1_ * dv + by_x_t0_ * start.x + by_v_t0_ * start.v + by_x_t1_ * dx_end;
  constexpr Eigen::Index width = dim * (dim + 1);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    dv.segment(dim * static_cast<Eigen::Index>(bodies_[k]), width) =
        of_bodies.segment(width * static_cast<Eigen::Index>(k), width);
  }
}

template class ReboundSlopes<2>;
template class ReboundSlopes<3>;

}  // namespace clearance
