#include "clearance/solver/rebound.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"
#include "clearance/model/blocks.h"
#include "clearance/model/coordinate_inertia.h"
#include "clearance/solver/held_blocks.h"

namespace clearance {

template <int dim>
Rebound<dim>::Rebound(const Model& model, const SolverOptions& options, const PrescribedTargets& targets,
                      const State& state, const std::optional<RestartMarks>& marks, const VecX& x_surface_t0,
                      const Iterate& end, std::span<const std::unique_ptr<Potential>> potentials)
    : model_(model), takes_inelastic_(has_hit(marks)), least_impact_(options.least_impact) {
  const bool may_rebound = takes_inelastic_ || !model.restitution.is_zero();
  if (!may_rebound || model.stiff_bodies.empty() || end.contacts.contacts.empty()) return;
  add_bodies(targets, state, end.x);
  add_mechanisms();
  add_meetings(options, x_surface_t0, end);
  keep_islands_of_impacts();
  move_lone_meetings(state, x_surface_t0, end, options.integrator.h);
  keep_nearest_impacts();
  find_sequences();
  if (!is_empty()) find_mobilities(potentials, end.x, options.integrator.h);
}

/// True if a stiff body has hit something.
template <int dim>
bool Rebound<dim>::has_hit(const std::optional<RestartMarks>& marks) const {
  return marks && std::any_of(model_.stiff_bodies.begin(), model_.stiff_bodies.end(),
                              [&](const StiffBody& body) { return marks->is_hit[body.first_block] != 0; });
}

/// Collects the free bodies that are stiff as a whole, with their motion at the start of the step.
template <int dim>
void Rebound<dim>::add_bodies(const PrescribedTargets& targets, const State& state, const VecX& x) {
  std::vector<int> num_blocks(model_.surface.num_bodies(), 0);
  for (int b = 0; b < model_.layout.num_blocks; ++b) ++num_blocks[body_of_block(model_, b)];
  // Every body is deformable (-2) unless it is an obstacle (-1) or consists of one stiff frame.
  body_of_.assign(num_blocks.size(), -2);
  for (int v = 0; v < model_.surface.num_vertices; ++v) {
    const std::size_t at = v;
    if (model_.is_obstacle_vertex[at]) body_of_[model_.surface.vertex_body[at]] = -1;
  }
  const std::vector<char> is_held = held_flags(model_);
  for (const StiffBody& stiff : model_.stiff_bodies) {
    const std::size_t of = body_of_block(model_, stiff.first_block);
    if (num_blocks[of] != dim + 1) continue;
    const bool is_prescribed = std::binary_search(targets.blocks.begin(), targets.blocks.end(), stiff.first_block);
    body_of_[of] = is_prescribed ? -1 : static_cast<int>(bodies_.size());
    if (is_prescribed) continue;
    const RigidColumns<dim> before(model_, stiff, state.x);
    Body body{stiff, RigidColumns<dim>(model_, stiff, x), model_.mass[stiff.first_block]};
    body.v_t0 = body.v_met = padded(block<dim>(state.v, stiff.first_block));
    body.spin_t0 = before.turn_of(before.columns(state.v));
    body.spin_energy_t0 = spin_energy(before, body.spin_t0, body.spin_t0);
    body.momentum_t0 = before.moment_of(body.spin_t0);
    const auto blocks = is_held.begin() + stiff.first_block;
    body.is_held = std::find(blocks, blocks + dim + 1, 1) != blocks + dim + 1;
    bodies_.push_back(std::move(body));
  }
}

/// Fills a side of a contact from its vertices `begin` to `stop`. False if they belong to a deformable body.
template <int dim>
bool Rebound<dim>::fill_side(Side& side, const Contact& contact, const std::array<double, 4>& weights,
                             const ContactPositions<dim>& positions, int begin, int stop) const {
  const auto vertex = [&](int i) { return contact.vertices[i]; };
  if (begin == stop) return true;
  side.body = body_of_[model_.surface.vertex_body[vertex(begin)]];
  // The contact's point on this side is the weighted mean of the vertices.
  Vec<dim> point = Vec<dim>::Zero(), velocity = Vec<dim>::Zero();
  for (int i = begin; i < stop; ++i) {
    const double weight = std::abs(weights[i]);
    point += weight * positions[i];
    velocity += weight * block<dim>(v_surface_, vertex(i));
  }
  side.velocity = padded(velocity);
  side.arm = padded(point);
  return side.body >= -1;
}

/// Moves a side from the vertices of a feature to its surface, which is their radius away along the unit vector
/// `outward`. All vertices of a feature have one radius.
template <int dim>
void Rebound<dim>::move_to_surface(Side& side, int vertex, const Vec<dim>& outward, const VecX& x_surface_t0,
                                   double h) const {
  side.beside = padded(Vec<dim>(model_.surface.radius_at(vertex) * outward));
  side.arm += side.beside;
  if constexpr (dim == 3) {
    const int first = model_.turn_vertex_of(vertex);
    if (side.body >= 0 || first < 0) return;
    // A prescribed body has turned by less than half a turn in the step.
    const auto columns_at = [&](const VecX& x) {
      Mat<3> columns;
      for (int i = 0; i < 3; ++i) columns.col(i) = block<3>(x, first + i) - block<3>(x, vertex);
      return columns;
    };
    const Mat<3> map = columns_at(x_surface_) * columns_at(x_surface_t0).transpose();
    side.velocity += rotation_vector(nearest_rotation<3>(map)).cross(side.beside) / h;
  }
}

/// Sets the sides and the normal of a meeting from the geometry of its contact where its vertices are at `positions`
/// and the unknowns at x. False if it cannot rebound: without a free stiff body, or with a deformable one.
template <int dim>
bool Rebound<dim>::set_sides(Meeting& meeting, const Contact& contact, const ContactGap<dim>& gap,
                             const ContactPositions<dim>& positions, const VecX& x, const VecX& x_surface_t0,
                             double h) const {
  const int first = num_first(contact);
  if (!fill_side(meeting.sides[0], contact, gap.weights, positions, 0, first)) return false;
  if (!fill_side(meeting.sides[1], contact, gap.weights, positions, first, contact.num_vertices())) return false;
  if (meeting.sides[0].body < 0 && meeting.sides[1].body < 0) return false;
  meeting.normal = padded(gap.normal);
  for (int i = 0; i < 2; ++i) {
    Side& side = meeting.sides[i];
    if (side.body >= 0) side.arm -= padded(block<dim>(x, bodies_[side.body].stiff.first_block));
    // The normal points to the first side.
    const int begin = i == 0 ? 0 : first;
    if (begin == contact.num_vertices()) continue;
    const Vec<dim> outward = i == 0 ? Vec<dim>(-gap.normal) : gap.normal;
    move_to_surface(side, contact.vertices[begin], outward, x_surface_t0, h);
  }
  return true;
}

template <int dim>
void Rebound<dim>::add_meetings(const SolverOptions& options, const VecX& x_surface_t0, const Iterate& end) {
  x_surface_ = end.x_surface;
  v_surface_ = (end.x_surface - x_surface_t0) / options.integrator.h;
  for (std::size_t k = 0; k < end.contacts.contacts.size(); ++k) {
    const Contact& contact = end.contacts.contacts[k];
    const auto positions = positions_of<dim>(contact, end.x_surface);
    const ContactGap<dim> gap = compute_contact_gap<dim>(model_, contact, positions);
    Meeting meeting;
    meeting.contact = k;
    if (!set_sides(meeting, contact, gap, positions, end.x, x_surface_t0, options.integrator.h)) continue;
    const auto [one, other] = bodies_of(model_.surface, contact);
    const double restitution =
        other < 0 ? model_.restitution.with_half_space(-1 - other) : model_.restitution.between(one, other);
    // The approach is the velocity at the start of the step, since the barrier has already braked the one at its end.
    const double approach = -meeting.normal.dot(relative_velocity(meeting, true));
    meeting.is_impact = (restitution > 0.0 || takes_inelastic_) && approach > options.least_impact;
    if (meeting.is_impact) {
      meeting.target = restitution * approach;
      meeting.approach = approach;
      const double distance_t0 =
          compute_contact_gap<dim>(model_, contact, positions_of<dim>(contact, x_surface_t0)).distance;
      meeting.closed = std::max(0.0, distance_t0 - gap.distance);
    }
    meeting.restitution = restitution;
    meeting.gap = gap.distance;
    meeting.bodies = {one, other};
    meeting.mu = friction_coefficients(model_, contact).sliding;
    meetings_.push_back(meeting);
  }
}

/// Moves meetings that are alone to where their features meet on the free way of the bodies: where these come as near
/// as they are at the end.
template <int dim>
void Rebound<dim>::move_lone_meetings(const State& state, const VecX& x_surface_t0, const Iterate& end, double h) {
  constexpr int num_samples = 16, num_halvings = 50;
  constexpr double least_turned = 0.9999995;  // cosine of 0.001 rad
  VecX v_surface_t0;                          // computed when it is first needed
  std::vector<int> num_meetings(bodies_.size(), 0);
  for (const Meeting& meeting : meetings_) ++num_meetings[island_of(meeting)];
  for (Meeting& meeting : meetings_) {
    const bool is_held = std::any_of(meeting.sides.begin(), meeting.sides.end(),
                                     [&](const Side& side) { return side.body >= 0 && bodies_[side.body].is_held; });
    if (!meeting.is_impact || is_held || num_meetings[island_of(meeting)] != 1) continue;
    // Prescribed bodies keep their way.
    const Contact& contact = end.contacts.contacts[meeting.contact];
    if (v_surface_t0.size() == 0) v_surface_t0 = model_.surface_map.apply_linear(state.v);
    const auto positions_at = [&](double share) {
      ContactPositions<dim> positions = positions_of<dim>(contact, x_surface_t0);
      for (int i = 0; i < contact.num_vertices(); ++i) {
        const int v = contact.vertices[i];
        const bool is_free = body_of_[model_.surface.vertex_body[v]] >= 0;
        positions[i] += share * h * block<dim>(is_free ? v_surface_t0 : v_surface_, v);
      }
      return positions;
    };
    const auto gap_at = [&](double share) { return compute_contact_gap<dim>(model_, contact, positions_at(share)); };
    double before = 0.0, after = 0.0;
    for (int i = 1; i <= num_samples && gap_at(after).distance > meeting.gap; ++i) {
      before = after;
      after = static_cast<double>(i) / num_samples;
    }
    if (gap_at(after).distance > meeting.gap) continue;
    for (int i = 0; i < num_halvings && before < after; ++i) {
      const double middle = 0.5 * (before + after);
      (gap_at(middle).distance > meeting.gap ? before : after) = middle;
    }
    const ContactGap<dim> met = gap_at(after);
    const double cosine = met.normal.dot(Vec<dim>(meeting.normal.template head<dim>()));
    if (meeting.restitution == 0.0 && cosine > least_turned) continue;
    set_sides(meeting, contact, met, positions_at(after), state.x + after * h * state.v, x_surface_t0, h);
    meeting.approach = std::max(0.0, -meeting.normal.dot(relative_velocity(meeting, true)));
    meeting.target = meeting.restitution * meeting.approach;
    for (const Side& side : meeting.sides) {
      if (side.body >= 0) bodies_[side.body].starts_free = true;
    }
  }
  if (!takes_inelastic_) return;
  // Other contacts without restitution are left to the barrier.
  for (Meeting& meeting : meetings_) {
    const Side& side = meeting.sides[meeting.sides[0].body >= 0 ? 0 : 1];
    if (meeting.restitution == 0.0 && !bodies_[side.body].starts_free) meeting.is_impact = false;
  }
  keep_islands_of_impacts();
}

/// Collects the bodies of each mechanism.
template <int dim>
void Rebound<dim>::add_mechanisms() {
  constexpr std::size_t most_bodies = 64;
  const std::vector<char> is_joined = joined_flags(model_);
  const auto root_of = [&](int body) {
    return model_.mechanism_of_body.empty() ? body : model_.mechanism_of_body[body];
  };
  // A deformable body moves with the stiff ones that it is joined to, which no mobility of these says.
  std::vector<char> has_deformable(model_.surface.num_bodies(), 0);
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    const int body = body_of_block(model_, b);
    if (is_joined[b] != 0 && body_of_[body] == -2) has_deformable[root_of(body)] = 1;
  }
  std::vector<int> mechanism_of_root(has_deformable.size(), -1);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const int first = bodies_[k].stiff.first_block, root = root_of(body_of_block(model_, first));
    if (is_joined[first] == 0 || has_deformable[root] != 0) continue;
    int& mechanism = mechanism_of_root[root];
    if (mechanism < 0) {
      mechanism = static_cast<int>(mechanisms_.size());
      mechanisms_.emplace_back();
    }
    bodies_[k].mechanism = mechanism;
    bodies_[k].place = static_cast<int>(mechanisms_[mechanism].bodies.size());
    mechanisms_[mechanism].bodies.push_back(static_cast<int>(k));
  }
  for (Body& body : bodies_) {
    if (body.mechanism >= 0 && mechanisms_[body.mechanism].bodies.size() > most_bodies) body.mechanism = -1;
  }
}

/// Returns the velocities of a body's blocks for each of its rigid motions.
template <int dim>
auto Rebound<dim>::rigid_motions(const Body& body) const -> Eigen::Matrix<double, dim*(dim + 1), num_motions> {
  Eigen::Matrix<double, dim*(dim + 1), num_motions> motions = decltype(motions)::Zero();
  motions.template topLeftCorner<dim, dim>().setIdentity();
  for (int turn = 0; turn < num_turns; ++turn) {
    const Vec<3> axis = Vec<3>::Unit(3 - num_turns + turn);
    const auto turned = RigidColumns<dim>::turned(axis, body.columns.b());
    for (int i = 0; i < dim; ++i) {
      motions.template block<dim, 1>(dim * (1 + i), dim + turn) = turned[i].template head<dim>();
    }
  }
  return motions;
}

/// Returns the sum of `matrix`, which is one of unknowns, and of the masses of blocks (may be empty) in the rigid
/// motions of the bodies.
template <int dim>
MatX Rebound<dim>::in_motions(const Mechanism& mechanism, const BlockSparseMatrix& matrix, const VecX& mass) const {
  const auto count = static_cast<Eigen::Index>(mechanism.bodies.size()), size = num_motions * count;
  const auto body = [&](Eigen::Index k) -> const Body& { return bodies_[mechanism.bodies[k]]; };
  // The blocks of a body follow each other.
  const auto of_body = [&](Eigen::Index k, auto& values) {
    return values.template segment<dim*(dim + 1)>(dim * static_cast<Eigen::Index>(body(k).stiff.first_block));
  };
  std::vector<Eigen::Matrix<double, dim*(dim + 1), num_motions>> motions;
  for (Eigen::Index k = 0; k < count; ++k) motions.push_back(rigid_motions(body(k)));
  MatX reduced = MatX::Zero(size, size);
  for (Eigen::Index j = 0; j < count; ++j) {
    for (Eigen::Index motion = 0; motion < num_motions; ++motion) {
      VecX moved = VecX::Zero(matrix.num_rows());
      of_body(j, moved) = motions[j].col(motion);
      VecX forces = matrix.multiply(moved);
      for (Eigen::Index i = 0; i <= dim && mass.size() > 0; ++i) {
        const int block = body(j).stiff.first_block + static_cast<int>(i);
        forces.template segment<dim>(dim * static_cast<Eigen::Index>(block)) +=
            mass[block] * motions[j].template block<dim, 1>(dim * i, motion);
      }
      for (Eigen::Index k = 0; k < count; ++k) {
        reduced.template block<num_motions, 1>(num_motions * k, num_motions * j + motion) =
            motions[k].transpose() * of_body(k, forces);
      }
    }
  }
  return reduced;
}

/// Sets the mobility (M + K)^-1 of mechanisms in the rigid motions of their bodies, where K is h^2 times the stiffness
/// of the joints: the step is one of implicit Euler, and joints resist an impulse within it as they resist the contact
/// forces. M has the rotors of joints, too.
template <int dim>
void Rebound<dim>::find_mobilities_of_mechanisms(std::span<const std::unique_ptr<Potential>> potentials, const VecX& x,
                                                 double h) {
  std::vector<BlockKey> keys;
  const auto is_joint = [](const Potential& potential) { return potential.name() == std::string_view("joint"); };
  for (const auto& potential : potentials) {
    if (!is_joint(*potential) && !coordinate_inertia_of(*potential)) continue;
    const std::vector<BlockKey> own = potential->pattern();
    keys.insert(keys.end(), own.begin(), own.end());
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  BlockSparseMatrix joints(dim, model_.layout.num_blocks, keys), rotors = joints;
  bool has_rotors = false;
  for (const auto& potential : potentials) {
    if (is_joint(*potential)) {
      potential->restrict_to({});
      potential->add_hessian(x, h * h, joints);
    } else if (CoordinateInertia* inertia = coordinate_inertia_of(*potential)) {
      inertia->add_mass(x, joints);
      inertia->add_mass(x, rotors);
      has_rotors = true;
    }
  }
  for (Mechanism& mechanism : mechanisms_) {
    const Body& body = bodies_[mechanism.bodies.front()];
    if (body.mechanism < 0 || body.island < 0) continue;
    const Eigen::LDLT<MatX> factor(in_motions(mechanism, joints, model_.mass));
    // Column by column: the blocks of other solves depend on the caches of the processor, and so do their last bits.
    const Eigen::Index size = factor.rows();
    mechanism.mobility.resize(size, size);
    for (Eigen::Index i = 0; i < size; ++i) mechanism.mobility.col(i) = factor.solve(VecX(VecX::Unit(size, i)));
    if (has_rotors) mechanism.rotors = in_motions(mechanism, rotors, VecX());
  }
}

template <int dim>
void Rebound<dim>::find_mobilities(std::span<const std::unique_ptr<Potential>> potentials, const VecX& x, double h) {
  if (!mechanisms_.empty()) find_mobilities_of_mechanisms(potentials, x, h);
  // Changes of speed by unit impulses; the tangential one is that along the tangent in which it is largest. In the
  // plane all motion is along one tangent.
  for (Meeting& meeting : meetings_) {
    const auto response = [&](const Vec<3>& along, const Vec<3>& impulse) {
      return coupling(meeting, along, meeting, impulse);
    };
    meeting.normal_response = response(meeting.normal, meeting.normal);
    const Vec<3> tangent = dim == 2 ? Vec<3>(meeting.normal.cross(Vec<3>::UnitZ())) : meeting.normal.unitOrthogonal();
    meeting.tangent_response = response(tangent, tangent);
    if constexpr (dim == 3) {
      const Vec<3> other = meeting.normal.cross(tangent);
      const double one = meeting.tangent_response, two = response(other, other), both = response(tangent, other);
      meeting.tangent_response = 0.5 * (one + two) + elementary::hypot(0.5 * (one - two), both);
    }
  }
}

template <int dim>
void Rebound<dim>::take_up_forces(const VecX& forces_t0, double h) {
  const auto acceleration_of = [&](const Side& side) -> Vec<3> {
    if (side.body < 0) return Vec<3>::Zero();
    const Body& body = bodies_[side.body];
    return padded(Vec<dim>(block<dim>(forces_t0, body.stiff.first_block) / body.mass));
  };
  for (Body& body : bodies_) {
    if (!body.starts_free) continue;
    const auto forces = body.columns.columns(forces_t0);
    Vec<3> torque = Vec<3>::Zero();
    for (std::size_t i = 0; i < dim; ++i) torque += body.columns.b()[i].cross(forces[i]);
    body.v_free = body.v_t0 + h * padded(Vec<dim>(block<dim>(forces_t0, body.stiff.first_block) / body.mass));
    body.spin_free = body.columns.spin_by(body.momentum_t0 + h * torque);
  }
  std::vector<double> first_time(bodies_.size(), infinity);
  for (Meeting& meeting : meetings_) {
    if (!meeting.is_impact) continue;
    // The points have closed their gap by d after the time t with d = c t + a t^2 / 2, at the speed c_t of which c_t^2
    // = c^2 + 2 a d.
    const double c = meeting.approach;
    const double a = -meeting.normal.dot(acceleration_of(meeting.sides[0]) - acceleration_of(meeting.sides[1]));
    const double square = c * c + 2.0 * a * meeting.closed;
    if (!(square > 0.0)) continue;
    const double met = std::sqrt(square), time = 2.0 * meeting.closed / (c + met);
    meeting.target = meeting.restitution * met;
    for (const Side& side : meeting.sides) {
      if (side.body < 0 || time >= first_time[side.body]) continue;
      first_time[side.body] = time;
      bodies_[side.body].v_met = bodies_[side.body].v_t0 + time * acceleration_of(side);
    }
  }
}

/// Joins bodies that are linked by contacts to islands, and drops the meetings of islands without an impact.
template <int dim>
void Rebound<dim>::keep_islands_of_impacts() {
  for (std::size_t b = 0; b < bodies_.size(); ++b) bodies_[b].island = static_cast<int>(b);
  const auto root = [&](int b) {
    while (bodies_[b].island != b) b = bodies_[b].island;
    return b;
  };
  const auto join = [&](int one, int other) {
    const int a = root(one), b = root(other);
    bodies_[std::max(a, b)].island = std::min(a, b);
  };
  // Bodies that meet or that joints connect are one island; obstacles and half-spaces join none.
  for (const Meeting& meeting : meetings_) {
    if (meeting.sides[0].body >= 0 && meeting.sides[1].body >= 0) join(meeting.sides[0].body, meeting.sides[1].body);
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (bodies_[b].mechanism >= 0) join(mechanisms_[bodies_[b].mechanism].bodies.front(), static_cast<int>(b));
  }
  for (Body& body : bodies_) body.island = root(body.island);
  // Islands without an impact keep their velocities.
  std::vector<char> has_impact(bodies_.size(), 0);
  for (const Meeting& meeting : meetings_) {
    if (meeting.is_impact) has_impact[island_of(meeting)] = 1;
  }
  std::erase_if(meetings_, [&](const Meeting& m) { return has_impact[island_of(m)] == 0; });
  // Meetings of the same two bodies are solved together, so they are sorted by pairs.
  std::stable_sort(meetings_.begin(), meetings_.end(),
                   [](const Meeting& a, const Meeting& b) { return pair_of(a) < pair_of(b); });
  for (Body& body : bodies_) {
    if (has_impact[body.island] == 0) body.island = -1;
  }
}

/// The nearest of points that are close together hits alone. Others within dhat, as on either side of the lowest corner
/// of a polygon, would keep a ball from starting to roll.
template <int dim>
void Rebound<dim>::keep_nearest_impacts() {
  constexpr double nearest_share = 1.25;  // of the smallest gap
  constexpr double patch_share = 0.15;    // of a body's radius: dhat of a ball reaches 0.08
  std::vector<char> is_beside_nearer(meetings_.size(), 0);
  for_each_pair([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Meeting& meeting = meetings_[i];
      const std::size_t side = meeting.sides[0].body >= 0 ? 0 : 1;
      const double patch = patch_share * bodies_[meeting.sides[side].body].stiff.radius;
      // A sphere is near to all that it meets, in whatever direction: its vertices tell.
      const auto place = [&](const Meeting& of) { return Vec<3>(of.sides[side].arm - of.sides[side].beside); };
      is_beside_nearer[i] = std::any_of(meetings_.begin() + begin, meetings_.begin() + end, [&](const Meeting& other) {
        return other.is_impact && other.bodies == meeting.bodies && meeting.gap > nearest_share * other.gap &&
               (place(other) - place(meeting)).norm() < patch;
      });
    }
  });
  for (std::size_t i = 0; i < meetings_.size(); ++i) {
    if (is_beside_nearer[i] != 0) meetings_[i].is_impact = false;
  }
}

/// Finds the islands in which an impact may cause others: those with restitution and with two bodies that meet without
/// an impact of their own.
template <int dim>
void Rebound<dim>::find_sequences() {
  std::vector<char> rebounds(bodies_.size(), 0), passes_on(bodies_.size(), 0);
  for_each_pair([&](std::size_t begin, std::size_t end) {
    const auto island = static_cast<std::size_t>(island_of(meetings_[begin]));
    bool has_impact = false;
    for (std::size_t i = begin; i < end; ++i) {
      const Meeting& meeting = meetings_[i];
      has_impact = has_impact || meeting.is_impact;
      if (meeting.is_impact && meeting.restitution > 0.0) rebounds[island] = 1;
    }
    if (!has_impact) passes_on[island] = 1;
  });
  is_sequence_.assign(bodies_.size(), 0);
  for (std::size_t i = 0; i < bodies_.size(); ++i) is_sequence_[i] = rebounds[i] != 0 && passes_on[i] != 0;
  for (Body& body : bodies_) {
    if (body.island >= 0 && is_sequence_[body.island] != 0) body.starts_free = true;
  }
}

/// Returns the velocity [m/s] of the first side's point relative to the second side's, at the start of the step or now.
template <int dim>
Vec<3> Rebound<dim>::relative_velocity(const Meeting& meeting, bool is_at_start) const {
  const auto of = [&](const Side& side) -> Vec<3> {
    if (side.body < 0) return side.velocity;
    const Body& body = bodies_[side.body];
    return is_at_start ? body.v_t0 + body.spin_t0.cross(side.arm) : body.v + body.spin.cross(side.arm);
  };
  return of(meeting.sides[0]) - of(meeting.sides[1]);
}

template class Rebound<2>;
template class Rebound<3>;

}  // namespace clearance
