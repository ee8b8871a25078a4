#include "clearance/solver/balance.h"

#include <algorithm>

#include "clearance/model/blocks.h"
#include "clearance/solver/force_rounding.h"

namespace clearance {

namespace {

/// Compares forces that are left with those at work. Each comparison scales its share by the tolerance, so that the
/// verdict is the largest of all of them.
void compare(double tolerance, double left, double of_forces, double of_rounding, int body, BalanceVerdict& verdict) {
  const double share = left == 0.0 ? 0.0 : left / (of_forces + of_rounding);
  verdict.is_by_rounding = verdict.is_by_rounding || left > of_forces;
  if (!(tolerance * share <= verdict.imbalance)) {
    verdict.imbalance = tolerance * share;
    verdict.body = body;
  }
}

}  // namespace

template <int dim>
Balance<dim>::Balance(const Model& model, const LocalCoordinates<dim>& coordinates)
    : model_(model), coordinates_(coordinates), origins_(coordinates.origins()) {
  for (const auto& origin : origins_) {
    const int body = body_of_block(model, origin.block);
    body_of_.push_back(body);
    num_bodies_ = std::max(num_bodies_, body + 1);
  }
}

/// Local blocks, and components of others, that do not move.
template <int dim>
struct Balance<dim>::Held {
  std::vector<char> is_fixed;
  std::vector<char> components;  // see clear_components; empty: none
};

/// Forces on one body.
template <int dim>
struct Balance<dim>::BodyForces {
  int num_blocks = 0;
  double work = 0.0;                // sum_b sum_k |g_b^k|
  double net_work = 0.0;            // sum_k |sum_b g_b^k|
  double left = 0.0;                // sum_b |g_b|
  double reactions = 0.0;           // sum_b |g_b| of what is held
  double rounding = 0.0;            // sum_b r_b
  Vec<dim> net = Vec<dim>::Zero();  // of one term, then of all
};

/// Calls `visit` for every block that is not fixed, with the forces on its body.
template <int dim>
template <class Visit>
void Balance<dim>::for_each_free(const std::vector<char>& is_fixed_here, std::vector<BodyForces>& bodies,
                                 const Visit& visit) const {
  const std::size_t num_blocks = coordinates_.num_blocks();
  for (std::size_t b = 0; b < num_blocks; ++b) {
    if (!is_fixed_here[b]) visit(b, bodies[body_of_[b]]);
  }
}

/// Sums up the forces at work on the bodies: each term adds the norms of its gradients on blocks and the norm of its
/// sum over the body. Returns the sum over the terms, which is what is left of the balance where nothing is held.
template <int dim>
VecX Balance<dim>::add_work(const VecX& x, const TermGradients& gradients, const Held& held,
                            std::vector<BodyForces>& bodies) const {
  VecX total = VecX::Zero(dim * coordinates_.num_blocks());
  gradients.for_each_force([&](const VecX& gradient) {
    VecX reduced = coordinates_.reduce(x, gradient);
    total += reduced;
    clear_components<dim>(held.components, reduced);
    for (BodyForces& body : bodies) body.net.setZero();
    for_each_free(held.is_fixed, bodies, [&](std::size_t b, BodyForces& body) {
      const Vec<dim> g = block<dim>(reduced, static_cast<int>(b));
      body.work += g.norm() / origins_[b].radius;
      if (!origins_[b].is_turn) body.net += g;
    });
    for (BodyForces& body : bodies) body.net_work += body.net.norm();
  });
  return total;
}

/// Adds the reactions that hold what is held, which is that part of `total`, and takes it out of there.
template <int dim>
void Balance<dim>::take_reactions(const Held& held, VecX& total, std::vector<BodyForces>& bodies) const {
  VecX reactions = total;
  clear_blocks<dim>(held.is_fixed, total);
  clear_components<dim>(held.components, total);
  reactions -= total;
  for (std::size_t b = 0; b < body_of_.size(); ++b) {
    const int i = static_cast<int>(b);
    BodyForces& body = bodies[body_of_[b]];
    body.reactions += block<dim>(reactions, i).norm() / origins_[b].radius;
    body.left += block<dim>(total, i).norm() / origins_[b].radius;
  }
}

template <int dim>
BalanceVerdict Balance<dim>::judge(const VecX& x, const TermGradients& gradients, const VecX& stiffness,
                                   const FixedBlocks& fixed, double tolerance) const {
  constexpr double least_net_share = 0.01;
  // Fraction of the tolerance that applies to a body as a whole: the force that decides whether a body slides must be
  // known better than the forces within it.
  constexpr double net_share = 0.1;
  // If all forces are what is left, no two of them cancel.
  constexpr double all = 1.0 - 1e-9;
  std::vector<BodyForces> bodies(num_bodies_);
  const Held held{coordinates_.reduce(fixed.is_fixed),
                  fixed.held_components.empty() ? std::vector<char>() : coordinates_.reduce(fixed.held_components)};
  const VecX rounding = force_rounding<dim>(model_, coordinates_, x, stiffness);
  VecX total = add_work(x, gradients, held, bodies);
  take_reactions(held, total, bodies);
  // Sum up the remaining force on each body as a whole, with the rounding of its blocks. Rotation vectors are no part
  // of a net force.
  for (BodyForces& body : bodies) {
    body.net.setZero();
    if (body.left >= all * body.work) body.work += body.reactions;
  }
  for_each_free(held.is_fixed, bodies, [&](std::size_t b, BodyForces& body) {
    ++body.num_blocks;
    body.rounding += rounding[static_cast<Eigen::Index>(b)];
    if (!origins_[b].is_turn) body.net += block<dim>(total, static_cast<int>(b));
  });
  BalanceVerdict verdict;
  // The first criterion compares every block with the mean force at work on a block of its body.
  for_each_free(held.is_fixed, bodies, [&](std::size_t b, const BodyForces& body) {
    const double left = block<dim>(total, static_cast<int>(b)).norm() / origins_[b].radius;
    compare(tolerance, left, tolerance * body.work / body.num_blocks, rounding[static_cast<Eigen::Index>(b)],
            body_of_[b], verdict);
    const double held_work = std::max(body.work, body.reactions) / body.num_blocks;
    if (left > 0.0) verdict.beside_reactions = std::max(verdict.beside_reactions, left / held_work);
  });
  // The second criterion compares every body as a whole with the net forces of the terms.
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const BodyForces& body = bodies[k];
    const double forces = std::max(body.net_work, least_net_share * body.work);
    compare(tolerance, body.net.norm(), net_share * tolerance * forces, body.rounding, static_cast<int>(k), verdict);
  }
  verdict.is_balanced = verdict.imbalance <= tolerance;
  return verdict;
}

template class Balance<2>;
template class Balance<3>;

}  // namespace clearance
