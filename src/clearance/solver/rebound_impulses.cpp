#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

#include "clearance/solver/rebound.h"

namespace clearance {

namespace {

/// Sweeps over pairs of bodies end when no speed changes by more than a hundred times `least_change` of the fastest
/// rebound, or after `most_sweeps` sweeps.
constexpr double least_change = 1e-6;
constexpr int most_sweeps = 500;

}  // namespace

template <int dim>
void Rebound<dim>::push(const Meeting& meeting, const Vec<3>& impulse) {
  for (int i = 0; i < 2; ++i) {
    const Side& side = meeting.sides[i];
    if (side.body < 0) continue;
    Body& body = bodies_[side.body];
    const Vec<3> on_body = i == 0 ? impulse : Vec<3>(-impulse);
    if (moves_alone(body)) {
      body.v += on_body / body.mass;
      body.spin += body.columns.spin_by(side.arm.cross(on_body));
      continue;
    }
    const Mechanism& mechanism = mechanisms_[body.mechanism];
    const VecX change =
        mechanism.mobility.template middleCols<num_motions>(num_motions * body.place) * load(side, on_body);
    for (std::size_t k = 0; k < mechanism.bodies.size(); ++k) {
      const Motion motion = change.template segment<num_motions>(num_motions * k);
      bodies_[mechanism.bodies[k]].v.template head<dim>() += motion.template head<dim>();
      bodies_[mechanism.bodies[k]].spin.template tail<num_turns>() += motion.template tail<num_turns>();
    }
  }
}

/// Returns the speed along a direction of a point that an impulse at another point causes, alone.
template <int dim>
double Rebound<dim>::speed(const Side& of, const Vec<3>& along, const Side& by, const Vec<3>& impulse) const {
  if (of.body < 0 || by.body < 0) return 0.0;
  const Body &body = bodies_[by.body], &moved = bodies_[of.body];
  if (moves_alone(body)) {
    if (of.body != by.body) return 0.0;
    return along.dot(impulse) / body.mass + of.arm.cross(along).dot(body.columns.spin_by(by.arm.cross(impulse)));
  }
  if (moved.mechanism != body.mechanism) return 0.0;
  const MatX& mobility = mechanisms_[body.mechanism].mobility;
  return load(of, along).dot(
      mobility.template block<num_motions, num_motions>(num_motions * moved.place, num_motions * body.place) *
      load(by, impulse));
}

/// Returns the relative speed along a direction at one contact that an impulse at another contact causes.
template <int dim>
double Rebound<dim>::coupling(const Meeting& of, const Vec<3>& along, const Meeting& by, const Vec<3>& impulse) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      const double change = speed(of.sides[i], along, by.sides[j], impulse);
      sum += i == j ? change : -change;
    }
  }
  return sum;
}

/// Computes the impulses of the `active` contacts of two bodies that make up for what is `missing`. The velocities must
/// be without these impulses. Contacts that would have to pull leave the list.
template <int dim>
void Rebound<dim>::balance_active(std::vector<std::size_t>& active, const std::vector<double>& missing,
                                  std::size_t begin) {
  while (!active.empty()) {
    const auto size = static_cast<Eigen::Index>(active.size());
    MatX matrix(size, size);
    VecX right(size), now(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const std::size_t at = active[i];
      right[i] = missing[at];
      now[i] = meetings_[begin + at].pressed;
      for (Eigen::Index j = 0; j < size; ++j) {
        const Meeting &of = meetings_[begin + at], &by = meetings_[begin + active[j]];
        matrix(i, j) = coupling(of, of.normal, by, by.normal);
      }
    }
    // Hundreds of contacts share twelve unknowns, so that the matrix may be singular.
    const VecX wanted = matrix.completeOrthogonalDecomposition().solve(right);
    // The impulses move towards the solution until one of them would pull; that contact leaves the list.
    double share = 1.0;
    Eigen::Index stopped = -1;
    for (Eigen::Index i = 0; i < size; ++i) {
      const double limit = wanted[i] > 0.0 ? 1.0 : now[i] > 0.0 ? now[i] / (now[i] - wanted[i]) : 0.0;
      if (limit >= share) continue;
      share = limit;
      stopped = i;
    }
    for (Eigen::Index i = 0; i < size; ++i) {
      const double next = i == stopped ? 0.0 : std::max(0.0, now[i] + share * (wanted[i] - now[i]));
      meetings_[begin + active[i]].pressed = next;
    }
    if (stopped < 0) return;
    active.erase(active.begin() + stopped);
  }
}

/// Solves for the normal impulses of the contacts `begin` to `end`, which are all those of two bodies, while others
/// stay, as non-negative least squares by [Law74]. Hundreds of contacts share twelve unknowns: sweeps over them one by
/// one were still far off after 500 where faces met. Returns the largest change of a speed.
template <int dim>
double Rebound<dim>::press(std::size_t begin, std::size_t end, double tolerance) {
  const auto lack = [&](std::size_t i) {
    const Meeting& meeting = meetings_[begin + i];
    if (!meeting.is_active) return 0.0;
    return meeting.target - meeting.normal.dot(relative_velocity(meeting));
  };
  const auto push_with = [&](std::size_t i, double sign) {
    push(meetings_[begin + i], sign * meetings_[begin + i].pressed * meetings_[begin + i].normal);
  };
  // All impulses of the pair are taken back: the pair is solved anew with all others as they are.
  std::vector<double> before, missing;
  for (std::size_t i = 0; i < end - begin; ++i) {
    push_with(i, -1.0);
    before.push_back(std::exchange(meetings_[begin + i].pressed, 0.0));
  }
  for (std::size_t i = 0; i < end - begin; ++i) missing.push_back(lack(i));
  // In each round of Lawson and Hanson the meeting that lacks most joins, and the active ones are balanced together.
  std::vector<std::size_t> active;
  for (int added = 0; added < most_sweeps; ++added) {
    std::size_t worst = end - begin;
    double most = tolerance;
    for (std::size_t i = 0; i < end - begin; ++i) {
      const double missed = lack(i);
      if (!(missed > most)) continue;
      most = missed;
      worst = i;
    }
    if (worst == end - begin || std::find(active.begin(), active.end(), worst) != active.end()) break;
    for (const std::size_t i : active) push_with(i, -1.0);
    active.push_back(worst);
    balance_active(active, missing, begin);
    for (const std::size_t i : active) push_with(i, 1.0);
  }
  double change = 0.0;
  for (std::size_t i = 0; i < end - begin; ++i) {
    const Meeting& meeting = meetings_[begin + i];
    // A change of the impulse in terms of the speed that it causes.
    change = std::max(change, std::abs(meeting.pressed - before[i]) * meeting.normal_response);
  }
  return change;
}

/// Updates the friction impulse of a contact by Coulomb's law and returns the change of speed that it causes.
template <int dim>
double Rebound<dim>::rub(Meeting& meeting) {
  if (meeting.mu == 0.0) return 0.0;
  const Vec<3> u = relative_velocity(meeting), before = meeting.rubbed;
  // The wanted impulse stops the sliding; the cone limits it to mu times the normal impulse.
  Vec<3> wanted = before - (u - meeting.normal.dot(u) * meeting.normal) / meeting.tangent_response;
  const double limit = meeting.mu * meeting.pressed, size = wanted.norm();
  if (size > limit) wanted *= limit / size;
  meeting.rubbed = wanted;
  push(meeting, wanted - before);
  return (wanted - before).norm() * meeting.tangent_response;
}

/// Returns the rigid motions of the bodies, as rates, from one of their velocities and spins.
template <int dim>
VecX Rebound<dim>::rates_of(const Mechanism& mechanism, Vec<3> Body::*v, Vec<3> Body::*spin) const {
  VecX rates(num_motions * static_cast<Eigen::Index>(mechanism.bodies.size()));
  for (std::size_t k = 0; k < mechanism.bodies.size(); ++k) {
    const Body& body = bodies_[mechanism.bodies[k]];
    rates.template segment<num_motions>(num_motions * static_cast<Eigen::Index>(k)) << (body.*v).template head<dim>(),
        (body.*spin).template tail<num_turns>();
  }
  return rates;
}

/// Scales the rebound so that no island has more kinetic energy than before its impacts, in the frame of what moves as
/// prescribed.
template <int dim>
void Rebound<dim>::limit_energy() {
  // An island that meets an obstacle or a prescribed body is seen from that.
  std::vector<Vec<3>> frame(bodies_.size(), Vec<3>::Zero());
  for (const Meeting& meeting : meetings_) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (meeting.sides[i].body >= 0) continue;
      const int other = meeting.sides[1 - i].body;
      frame[bodies_[other].island] = meeting.sides[i].velocity;
    }
  }
  // Energy at the start and at the end, and the energy that the share s of the rebound adds: s * linear + s^2 * square.
  struct Energy {
    double start = 0.0, end = 0.0, linear = 0.0, square = 0.0;
  };
  std::vector<Energy> energies(bodies_.size());
  for (const Body& body : bodies_) {
    if (body.island < 0) continue;
    Energy& energy = energies[body.island];
    const Vec<3>& u = frame[body.island];
    const Vec<3> dv = body.v - body.v_end, dw = body.spin - body.spin_end;
    energy.start += 0.5 * body.mass * (body.v_met - u).squaredNorm() + body.spin_energy_t0;
    energy.end +=
        0.5 * body.mass * (body.v_end - u).squaredNorm() + spin_energy(body.columns, body.spin_end, body.spin_end);
    energy.linear += body.mass * (body.v_end - u).dot(dv) + 2.0 * spin_energy(body.columns, body.spin_end, dw);
    energy.square += 0.5 * body.mass * dv.squaredNorm() + spin_energy(body.columns, dw, dw);
  }
  for (const Mechanism& mechanism : mechanisms_) {
    if (mechanism.rotors.size() == 0) continue;
    Energy& energy = energies[bodies_[mechanism.bodies.front()].island];
    const VecX start = rates_of(mechanism, &Body::v_met, &Body::spin_t0);
    const VecX end = rates_of(mechanism, &Body::v_end, &Body::spin_end);
    const VecX change = rates_of(mechanism, &Body::v, &Body::spin) - end;
    energy.start += 0.5 * start.dot(mechanism.rotors * start);
    energy.end += 0.5 * end.dot(mechanism.rotors * end);
    energy.linear += end.dot(mechanism.rotors * change);
    energy.square += 0.5 * change.dot(mechanism.rotors * change);
  }
  for (Body& body : bodies_) {
    if (body.island < 0) continue;
    const Energy& e = energies[body.island];
    // Find the largest share s <= 1 with s * linear + s^2 * square <= room, by the root formula without cancellation.
    const double room = std::max(0.0, e.start - e.end);
    if (!(e.linear + e.square > room)) continue;
    const double root = std::sqrt(e.linear * e.linear + 4.0 * e.square * room);
    const double share = e.linear > 0.0 ? 2.0 * room / (e.linear + root) : (root - e.linear) / (2.0 * e.square);
    body.v = body.v_end + share * (body.v - body.v_end);
    body.spin = body.spin_end + share * (body.spin - body.spin_end);
  }
}

/// Solves for the impulses of the active meetings, pair by pair, until none changes.
template <int dim>
void Rebound<dim>::solve(double fastest) {
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0.0;
    for_each_pair([&](std::size_t begin, std::size_t end) {
      change = std::max(change, press(begin, end, least_change * fastest));
    });
    for (Meeting& meeting : meetings_) {
      if (meeting.is_active) change = std::max(change, rub(meeting));
    }
    if (change <= 1e2 * least_change * fastest) break;
  }
}

/// Takes the impacts of sequences round by round. All meetings of these islands are left without impacts, for the last
/// solve, in which nothing may close.
template <int dim>
void Rebound<dim>::follow_impacts() {
  constexpr int most_rounds = 100;
  if (std::find(is_sequence_.begin(), is_sequence_.end(), 1) == is_sequence_.end()) return;
  const auto is_in_sequence = [&](const Meeting& meeting) { return is_sequence_[island_of(meeting)] != 0; };
  std::vector<double> last_targets;
  for (Meeting& meeting : meetings_) {
    last_targets.push_back(meeting.is_impact ? 0.0 : meeting.target);
    meeting.is_active = is_in_sequence(meeting) && meeting.is_impact;
  }
  double fastest = 0.0;
  for (const Meeting& meeting : meetings_) {
    if (meeting.is_active) fastest = std::max(fastest, meeting.approach);
  }
  for (int round = 0; round < most_rounds && fastest > 0.0; ++round) {
    solve(fastest);
    fastest = 0.0;
    for (Meeting& meeting : meetings_) {
      if (!is_in_sequence(meeting)) continue;
      meeting.pressed = 0.0;
      meeting.rubbed.setZero();
      const double approach = -meeting.normal.dot(relative_velocity(meeting));
      meeting.is_active = approach > least_impact_;
      meeting.target = meeting.restitution * approach;
      if (meeting.is_active) fastest = std::max(fastest, approach);
    }
  }
  for (std::size_t i = 0; i < meetings_.size(); ++i) {
    meetings_[i].is_active = true;
    if (is_in_sequence(meetings_[i])) meetings_[i].target = last_targets[i];
  }
}

template <int dim>
void Rebound<dim>::apply(State& state) {
  for (Body& body : bodies_) {
    body.v = body.v_end = padded(block<dim>(state.v, body.stiff.first_block));
    body.spin = body.spin_end = body.columns.turn_of(body.columns.columns(state.v));
  }
  double fastest = 0.0;
  for (Meeting& meeting : meetings_) {
    // Contacts that do not rebound must not close any faster than the barrier leaves them.
    if (!meeting.is_impact) meeting.target = std::min(0.0, meeting.normal.dot(relative_velocity(meeting)));
    fastest = std::max(fastest, meeting.target);
  }
  // The rebound starts from the velocities that the barrier leaves, or from those without its impulse.
  for (Body& body : bodies_) {
    if (!body.starts_free) continue;
    body.v = body.v_free;
    body.spin = body.spin_free;
  }
  follow_impacts();
  solve(fastest);
  limit_energy();
  // Columns change by the rigid motion of their body. The bodies forget the steps before the impact.
  for (const Body& body : bodies_) {
    if (body.island < 0) continue;
    const int first = body.stiff.first_block;
    block<dim>(state.v, first) += (body.v - body.v_end).template head<dim>();
    const auto turned = RigidColumns<dim>::turned(body.spin - body.spin_end, body.columns.b());
    for (int i = 0; i <= dim; ++i) {
      if (i > 0) block<dim>(state.v, first + i) += turned[i - 1].template head<dim>();
      if (!state.has_history.empty()) state.has_history[first + i] = 0;
    }
  }
}

template class Rebound<2>;
template class Rebound<3>;

}  // namespace clearance
