#include "clearance/simulation/overlaps/least_moves.h"

#include <algorithm>

namespace clearance {

namespace {

/// Largest number of sweeps; rows of a hundred bodies in a line settle within it.
constexpr int max_sweeps = 20000;

/// Movement of the two movers per unit of a condition's multiplier.
struct Lever {
  Vec<3> first = Vec<3>::Zero(), second = Vec<3>::Zero();
  double gain = 0.0;
};

std::vector<Lever> levers_of(const std::vector<std::array<bool, 3>>& can_move,
                             const std::vector<ApartCondition>& conditions) {
  const auto along = [&](int mover, const Vec<3>& normal) {
    Vec<3> move = Vec<3>::Zero();
    for (int c = 0; mover >= 0 && c < 3; ++c) {
      if (can_move[mover][c]) move[c] = normal[c];
    }
    return move;
  };
  std::vector<Lever> levers(conditions.size());
  for (std::size_t k = 0; k < conditions.size(); ++k) {
    levers[k].first = along(conditions[k].first, conditions[k].normal);
    levers[k].second = along(conditions[k].second, -conditions[k].normal);
    levers[k].gain = levers[k].first.squaredNorm() + levers[k].second.squaredNorm();
  }
  return levers;
}

/// Distance [m] that moves lack of what a condition asks for.
double missing(const ApartCondition& condition, const std::vector<Vec<3>>& moves) {
  const auto move_of = [&](int mover) -> Vec<3> { return mover < 0 ? Vec<3>::Zero() : moves[mover]; };
  return condition.least - condition.normal.dot(move_of(condition.first) - move_of(condition.second));
}

/// Meets one condition after the other. Returns true if no multiplier changes much any more.
bool sweep(const std::vector<ApartCondition>& conditions, const std::vector<Lever>& levers,
           std::vector<double>& multipliers, std::vector<Vec<3>>& moves) {
  bool has_settled = true;
  for (std::size_t k = 0; k < conditions.size(); ++k) {
    const ApartCondition& condition = conditions[k];
    const Lever& lever = levers[k];
    if (!(lever.gain > 1e-12)) continue;
    const double gap = missing(condition, moves);
    const double change = std::max(gap / lever.gain, -multipliers[k]);
    if (std::abs(change) * lever.gain > 0.1 * condition.tolerance) has_settled = false;
    multipliers[k] += change;
    if (condition.first >= 0) moves[condition.first] += change * lever.first;
    if (condition.second >= 0) moves[condition.second] += change * lever.second;
  }
  return has_settled;
}

}  // namespace

LeastMoves find_least_moves(const std::vector<std::array<bool, 3>>& can_move,
                            const std::vector<ApartCondition>& conditions) {
  LeastMoves found;
  found.moves.assign(can_move.size(), Vec<3>::Zero());
  const std::vector<Lever> levers = levers_of(can_move, conditions);
  std::vector<double> multipliers(conditions.size(), 0.0);
  for (int i = 0; i < max_sweeps; ++i) {
    if (sweep(conditions, levers, multipliers, found.moves)) break;
  }
  for (std::size_t k = 0; k < conditions.size(); ++k) {
    if (missing(conditions[k], found.moves) > conditions[k].tolerance) found.missed.push_back(static_cast<int>(k));
  }
  return found;
}

}  // namespace clearance
