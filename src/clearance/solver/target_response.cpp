#include "clearance/solver/target_response.h"

#include <algorithm>
#include <utility>

#include "clearance/model/blocks.h"
#include "clearance/solver/accepted_move.h"

namespace clearance {

namespace {
/// Parts in which the nodes may go to their targets, and the least share of the remaining way of each.
constexpr int max_parts = 8;
constexpr double least_part = 0.05;
}  // namespace

template <int dim>
bool TargetResponse<dim>::is_wanted(const VecX& x, double negligible) const {
  std::vector<char> is_stiff(in_.model.layout.num_blocks, 0);
  for (const StiffBody& body : in_.model.stiff_bodies) std::fill_n(is_stiff.begin() + body.first_block, 1 + dim, 1);
  VecX moved = x;
  set_targets<dim>(in_.targets, moved);
  return std::any_of(in_.targets.blocks.begin(), in_.targets.blocks.end(), [&](int at) {
    // Nodes of obstacles have no mass.
    if (is_stiff[at] != 0 || !(in_.model.mass[at] > 0.0)) return false;
    return (block<dim>(moved, at) - block<dim>(x, at)).cwiseAbs().maxCoeff() > negligible;
  });
}

template <int dim>
std::optional<Direction> TargetResponse<dim>::direction(const Iterate& from) {
  VecX x = from.x;
  set_targets<dim>(in_.targets, x);
  VecX dy;
  if (!newton_.respond(from, x - from.x, dy)) return std::nullopt;
  x = in_.coordinates().move(from.x, dy, 1.0);
  set_targets<dim>(in_.targets, x);
  return bound_.bound(from, in_.coordinates().from_to(from.x, x));
}

template <int dim>
bool TargetResponse<dim>::follow(Iterate& iterate) {
  if (!is_wanted(iterate.x, 0.0)) return false;
  Iterate at = iterate;
  for (int part = 0; part < max_parts; ++part) {
    const std::optional<Direction> next = direction(at);
    if (!next || next->alpha_limit < least_part) return false;
    const bool arrives = next->alpha_limit >= 1.0;
    VecX x = in_.coordinates().move(at.x, next->dy, next->alpha_limit);
    if (arrives) set_targets<dim>(in_.targets, x);
    if (!problem_.is_feasible(x)) return false;
    MoveListener::note(in_, at.x, x, next->dy, next->alpha_limit);
    at = problem_.make_iterate(std::move(x), next->candidates);
    if (!arrives) continue;
    iterate = std::move(at);
    return true;
  }
  return false;
}

template class TargetResponse<2>;
template class TargetResponse<3>;

}  // namespace clearance
