#include "clearance/derivatives/state_numbers.h"

#include <algorithm>
#include <cmath>

namespace clearance::derivatives {

namespace {

enum class Kind { position, rate, acceleration, sliding, other };

bool precedes(const StickVertex& a, const StickVertex& b) {
  return std::pair(a.vertex, a.partner) < std::pair(b.vertex, b.partner);
}

/// Returns the state with the list of sliding vertices of `like`.
State with_vertices_of(const State& state, const State& like) {
  State result = state;
  result.stick = like.stick;
  for (StickVertex& vertex : result.stick) {
    const auto found = std::lower_bound(state.stick.begin(), state.stick.end(), vertex, precedes);
    const bool is_there = found != state.stick.end() && !precedes(vertex, *found);
    vertex.displacement = is_there ? found->displacement : Vec<3>(Vec<3>::Zero());
  }
  return result;
}

}  // namespace

State zero_like(const State& state) {
  State zero;
  for (auto numbers :
       {&State::x, &State::v, &State::a, &State::x_prev, &State::v_prev, &State::x_anchor, &State::controls}) {
    zero.*numbers = VecX::Zero((state.*numbers).size());
  }
  zero.stick = state.stick;
  for (StickVertex& vertex : zero.stick) vertex.displacement.setZero();
  zero.history = state.history;
  for (std::vector<double>& numbers : zero.history) std::fill(numbers.begin(), numbers.end(), 0.0);
  return zero;
}

/// Calls visit(numbers, count, kind) for each array of numbers of a state, in order.
template <class AnyState, class Visit>
void StateNumbers::for_each_array(AnyState& state, const Visit& visit) const {
  const auto vector = [&](auto& v, Kind kind) {
    if (v.size() > 0) visit(v.data(), static_cast<Eigen::Index>(v.size()), kind);
  };
  vector(state.x, Kind::position);
  vector(state.v, Kind::rate);
  if (has_accelerations_) vector(state.a, Kind::acceleration);
  vector(state.x_prev, Kind::position);
  vector(state.v_prev, Kind::rate);
  vector(state.x_anchor, Kind::position);
  vector(state.controls, Kind::other);
  for (auto& vertex : state.stick) visit(vertex.displacement.data(), Eigen::Index{3}, Kind::sliding);
  for (auto& numbers : state.history) vector(numbers, Kind::other);
}

VecX StateNumbers::of(const State& state, const State& like) const {
  const State aligned = with_vertices_of(state, like);
  Eigen::Index size = 0;
  for_each_array(aligned, [&](const double*, Eigen::Index count, Kind) { size += count; });
  VecX numbers(size);
  Eigen::Index at = 0;
  for_each_array(aligned, [&](const double* values, Eigen::Index count, Kind) {
    std::copy_n(values, count, numbers.data() + at);
    at += count;
  });
  return numbers;
}

Eigen::Index StateNumbers::first_of_sliding(const State& like) const {
  Eigen::Index place = 0;
  bool is_passed = false;
  for_each_array(like, [&](const double*, Eigen::Index count, Kind kind) {
    is_passed = is_passed || kind == Kind::sliding;
    if (!is_passed) place += count;
  });
  return place;
}

State StateNumbers::changed(const State& state, const VecX& change) const {
  State result = state;
  Eigen::Index at = 0;
  for_each_array(result, [&](double* values, Eigen::Index count, Kind) {
    for (Eigen::Index i = 0; i < count; ++i) values[i] += change[at + i];
    at += count;
  });
  return result;
}

double StateNumbers::length_of(const VecX& change, const State& state, double h, double size) const {
  double largest = 0.0;
  Eigen::Index at = 0;
  for_each_array(state, [&](const double* values, Eigen::Index count, Kind kind) {
    for (Eigen::Index i = 0; i < count; ++i) {
      double length = std::abs(change[at + i]);
      if (kind == Kind::rate) length *= h;
      if (kind == Kind::acceleration) length *= h * h;
      if (kind == Kind::other) length *= size / std::max(std::abs(values[i]), 1e-3);
      largest = std::max(largest, length);
    }
    at += count;
  });
  return largest;
}

}  // namespace clearance::derivatives
