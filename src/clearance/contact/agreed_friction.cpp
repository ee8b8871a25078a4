#include "clearance/contact/agreed_friction.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "clearance/math/dual.h"
#include "clearance/math/fourth_order.h"
#include "clearance/math/rotation.h"
#include "clearance/math/svd.h"

namespace clearance {

namespace {

/// Numbers that the friction of a contact depends on, beside its normal force.
enum class ArgumentKind : std::uint8_t { end, start, stick };
struct Argument {
  ArgumentKind kind;
  int index = 0;  // surface vertex, or place in the memory at the start

  bool operator==(const Argument&) const = default;
};

/// Friction of one contact. The first slope is that by the normal force; each argument has dim more.
template <int dim>
struct Response {
  std::vector<Argument> arguments;
  struct OnVertex {
    int vertex;
    DualVec<dim> gradient;
  };
  std::vector<OnVertex> gradients;
  /// The motion that a vertex takes up of this contact: its mean is the sum of `weighted` over that of `weight`.
  struct Update {
    int vertex, partner;
    DualVec<dim> weighted;
    Dual weight;
  };
  std::vector<Update> updates;
};

/// Returns the inverse of the left Jacobian of the exponential map at the rotation vector w: the change of w per small
/// turn that comes after the rotation.
Mat<3> inverse_left_jacobian(const Vec<3>& w) {
  const double angle = w.norm();
  const Mat<3> k = cross_matrix(w);
  double factor = 1.0 / 12.0 + angle * angle / 720.0;
  if (angle > 1e-2) {
    const double half = 0.5 * angle;
    factor = (1.0 - half * elementary::cos(half) / elementary::sin(half)) / (angle * angle);
  }
  return Mat<3>::Identity() - 0.5 * k + factor * k * k;
}

template <int dim>
class ContactFriction {
 public:
  ContactFriction(const FrictionOfStep<dim>& step, const Contact& contact)
      : step_(step),
        contact_(contact),
        frame_(compute_contact_frame<dim>(step.model, contact, positions_of<dim>(contact, step.x))) {}

  double distance() const { return frame_.distance; }
  /// Evaluates the contact with this normal force, in the units of the incremental potential per metre.
  Response<dim> respond(double normal_force, const FrictionCoefficients& mu);

 private:
  using Places = std::vector<std::pair<int, Dual>>;  // vertices with weights
  /// How a feature with a radius turns.
  struct Turning {
    Places places;          // that the sliding depends on linearly
    DualVec<dim> offset;    // added to it
    DualVec<dim> material;  // the sliding itself
  };
  struct Spin {
    int vertex, component;
    DualVec<dim> arm;
  };
  /// Everything that moves a contact beside its vertices.
  struct Turnings {
    std::vector<Spin> spins;
    std::vector<Turning> of_sides;
  };
  /// A point p of a body that turns: turn x p, and p turned back.
  struct TurnedPoint {
    DualVec<dim> material, back;
  };
  using Columns = std::array<DualVec<dim>, dim>;

  void declare(ArgumentKind kind, int index) {
    const Argument argument{kind, index};
    if (std::find(arguments_.begin(), arguments_.end(), argument) == arguments_.end()) arguments_.push_back(argument);
  }
  void declare_arguments();
  Eigen::Index width() const { return 1 + dim * std::ssize(arguments_); }
  DualVec<dim> variable(ArgumentKind kind, int index) const;
  DualVec<dim> end(int vertex) const { return variable(ArgumentKind::end, vertex); }
  DualVec<dim> start(int vertex) const { return variable(ArgumentKind::start, vertex); }
  DualVec<dim> displacement(int vertex) const { return end(vertex) - start(vertex); }
  DualVec<dim> constant(const Vec<dim>& value) const { return DualVec<dim>::constant(value, width()); }
  Dual constant(double value) const { return Dual::constant(value, width()); }

  /// Finds the entry of vertex i of the contact in the memory; -1: none.
  int place_in_memory(int i) const;
  void find_closest_points();
  void find_turn();
  DualVec<dim> turned(const DualVec<dim>& s) const;
  DualVec<dim> remembered() const;
  TurnedPoint turned_in_plane(const Columns& from, const Columns& to, double inverse_sq, const DualVec<dim>& p) const;
  TurnedPoint turned_in_space(const Columns& from, const Columns& to, double inverse_sq, const DualVec<dim>& p,
                              const Vec<3>& free) const;
  Vec<3> free_turn(int vertex, int first, const Columns& from, double inverse_sq) const;
  std::optional<Turning> turning(std::size_t side) const;
  std::vector<Spin> spins() const;
  std::array<int, 3> ends_of_sides() const { return {0, num_first(contact_), contact_.num_vertices()}; }
  Turnings turnings() const;
  Dual coefficient_at(const FrictionCoefficients& mu, const Dual& slid, double eps) const;
  void find_elastic_sliding(const FrictionScales& scales);
  void add_forces(const Turnings& turnings, const DualVec<dim>& force, Response<dim>& response) const;
  void add_updates(const Dual& limit, const DualVec<dim>& kept, Response<dim>& response) const;

  const FrictionOfStep<dim>& step_;
  const Contact& contact_;
  ContactFrame<dim> frame_;
  std::vector<Argument> arguments_;
  DualVec<dim> normal_;
  std::array<Dual, 4> weights_;
  /// How the features turn from the start to the end: from axes to axes, or in the shortest way between the first ones,
  /// by this cosine and axis times sine. The sine of the plane is the first number of the axis.
  struct Turn {
    std::array<DualVec<dim>, dim> from, to;
    bool are_axes_known = false;
    Dual cosine;
    DualVec<dim> axis;
  };
  std::optional<Turn> turn_;  // none: they do not turn
  DualVec<dim> stick_;        // elastic sliding left of the steps before, across the normal
};

template <int dim>
DualVec<dim> ContactFriction<dim>::variable(ArgumentKind kind, int index) const {
  const auto found = std::find(arguments_.begin(), arguments_.end(), Argument{kind, index});
  DualVec<dim> variable = constant(Vec<dim>::Zero());
  variable.slopes.template middleCols<dim>(1 + dim * (found - arguments_.begin())).setIdentity();
  if (kind == ArgumentKind::stick) {
    variable.value = step_.memory[static_cast<std::size_t>(index)].displacement.template head<dim>();
  } else {
    variable.value = block<dim>(kind == ArgumentKind::end ? step_.x : step_.x_t0, index);
  }
  return variable;
}

template <int dim>
int ContactFriction<dim>::place_in_memory(int i) const {
  const StickVertex* found = find_stick(step_.memory, contact_.vertices[i], partner_of(step_.model, contact_, i));
  return found == nullptr ? -1 : static_cast<int>(found - step_.memory.data());
}

template <int dim>
void ContactFriction<dim>::declare_arguments() {
  const Model& model = step_.model;
  for (int i = 0; i < contact_.num_vertices(); ++i) {
    declare(ArgumentKind::end, contact_.vertices[i]);
    declare(ArgumentKind::start, contact_.vertices[i]);
    if (const int place = place_in_memory(i); place >= 0) declare(ArgumentKind::stick, place);
  }
  if (!(contact_.thickness > 0.0)) return;
  for (std::size_t side = 0; side < 2; ++side) {
    if (ends_of_sides()[side] == ends_of_sides()[side + 1]) continue;
    const int first = model.turn_vertex_of(contact_.vertices[ends_of_sides()[side]]);
    for (int c = 0; first >= 0 && c < dim; ++c) {
      declare(ArgumentKind::end, first + c);
      declare(ArgumentKind::start, first + c);
    }
  }
  if (model.segment_turns.empty()) return;
  for (int i = 0; i < contact_.num_vertices(); ++i) {
    for (const SegmentTurn& turn : model.segment_turns[contact_.vertices[i]]) {
      if (turn.vertex < 0) continue;
      declare(ArgumentKind::end, turn.other);
      declare(ArgumentKind::end, turn.vertex);
      declare(ArgumentKind::start, turn.vertex);
    }
  }
}

template <int dim>
void ContactFriction<dim>::find_closest_points() {
  const Vec<dim>& n = frame_.normal;
  const double d = frame_.distance;
  DualVec<dim> gap = constant(Vec<dim>::Zero());  // change of the gap at fixed closest points
  for (int i = 0; i < frame_.num_vertices; ++i) gap = gap + frame_.weights[i] * end(contact_.vertices[i]);
  normal_ = constant(n);
  for (int i = 0; i < 4; ++i) weights_[i] = constant(frame_.weights[i]);
  typename DualVec<dim>::Slopes free = gap.slopes - n * (n.transpose() * gap.slopes);
  for (int j = 0; j < frame_.num_tangents; ++j) {
    const Vec<dim>& e = frame_.tangents[j];
    const Dual::Slopes along = e.transpose() * gap.slopes;
    free -= e * along;
    Dual::Slopes tilt = Dual::Slopes::Zero(width());
    for (int i = 0; i < frame_.num_vertices; ++i) {
      if (frame_.tilts[j][i] != 0.0) tilt += frame_.tilts[j][i] * (n.transpose() * end(contact_.vertices[i]).slopes);
    }
    normal_.slopes -= e * tilt;
    for (int i = 0; i < 4; ++i) weights_[i].slopes -= frame_.tilts[j][i] * (along + d * tilt);
  }
  if (contact_.kind != ContactKind::half_space) normal_.slopes += free / d;
}

/// Finds the turn of the features from the start to the end, as StickMemory does.
template <int dim>
void ContactFriction<dim>::find_turn() {
  std::array<int, 4> ends{};  // of the two edges
  switch (contact_.kind) {
    case ContactKind::point_triangle:
      ends = {1, 2, 1, 3};
      break;
    case ContactKind::edge_edge:
    case ContactKind::mollified_edge_edge:
      ends = {0, 1, 2, 3};
      break;
    case ContactKind::point_edge:
      ends = {1, 2, 1, 2};
      break;
    case ContactKind::point_point:
    case ContactKind::half_space:
      return;
  }
  Turn& turn = turn_.emplace();
  const auto edge = [&](ArgumentKind kind, std::size_t k) {
    return variable(kind, contact_.vertices[ends[2 * k + 1]]) - variable(kind, contact_.vertices[ends[2 * k]]);
  };
  const DualVec<dim> e_t0 = edge(ArgumentKind::start, 0), e_t1 = edge(ArgumentKind::end, 0);
  if constexpr (dim == 2) {
    const DualVec<2> from = normalized(e_t0), to = normalized(e_t1);
    turn.cosine = dot(from, to);
    const Dual sine = from[0] * to[1] - from[1] * to[0];
    turn.axis = {{sine.value, 0.0}, DualVec<2>::Slopes::Zero(2, width())};
    turn.axis.slopes.row(0) = sine.slopes;
  } else {
    const auto find_axes = [](const DualVec<3>& e, const DualVec<3>& f, std::array<DualVec<3>, 3>& axes) {
      axes[0] = normalized(e);
      axes[1] = across(f, axes[0]);
      if (!(axes[1].value.norm() > least_sine_of_memory * f.value.norm())) return false;
      axes[1] = normalized(axes[1]);
      axes[2] = cross(axes[0], axes[1]);
      return true;
    };
    const bool are_known_t0 = find_axes(e_t0, edge(ArgumentKind::start, 1), turn.from);
    turn.are_axes_known = find_axes(e_t1, edge(ArgumentKind::end, 1), turn.to) && are_known_t0;
    if (turn.are_axes_known) return;
    turn.cosine = dot(turn.from[0], turn.to[0]);
    turn.axis = cross(turn.from[0], turn.to[0]);
  }
}

/// Returns `s` turned with the features.
template <int dim>
DualVec<dim> ContactFriction<dim>::turned(const DualVec<dim>& s) const {
  if (!turn_) return s;
  const Dual& cosine = turn_->cosine;
  if constexpr (dim == 2) {
    const auto vector = [](const Dual& x, const Dual& y) {
      DualVec<2> result{{x.value, y.value}, {}};
      result.slopes.resize(2, x.slopes.size());
      result.slopes.row(0) = x.slopes;
      result.slopes.row(1) = y.slopes;
      return result;
    };
    return cosine * s + turn_->axis[0] * vector(-1.0 * s[1], s[0]);
  } else {
    if (turn_->are_axes_known) {
      DualVec<3> sum = constant(Vec<3>::Zero());
      for (std::size_t k = 0; k < 3; ++k) sum = sum + dot(turn_->from[k], s) * turn_->to[k];
      return sum;
    }
    const DualVec<3>& axis = turn_->axis;
    return cosine * s + cross(axis, s) + (dot(axis, s) / (constant(1.0) + cosine)) * axis;
  }
}

/// Returns the elastic sliding that the contact has from the steps before.
template <int dim>
DualVec<dim> ContactFriction<dim>::remembered() const {
  DualVec<dim> sum = constant(Vec<dim>::Zero());
  Dual total = constant(0.0);
  for (int i = 0; i < contact_.num_vertices(); ++i) {
    const int place = place_in_memory(i);
    if (place < 0) continue;
    const Dual weight = abs(weights_[i]);
    const DualVec<dim> of_vertex = weight * variable(ArgumentKind::stick, place);
    sum = i < num_first(contact_) ? sum + of_vertex : sum - of_vertex;
    total = total + weight;
  }
  if (!(total.value > 0.0)) return constant(Vec<dim>::Zero());
  return turned(Dual(constant(1.0) / total) * sum);
}

/// Turns p in the plane by the angle between the columns of a map.
template <int dim>
auto ContactFriction<dim>::turned_in_plane(const Columns& from, const Columns& to, double inverse_sq,
                                           const DualVec<dim>& p) const -> TurnedPoint {
  Dual sine = constant(0.0), cosine = constant(0.0);
  for (int c = 0; c < 2; ++c) {
    sine = sine + inverse_sq * (to[c][1] * from[c][0] - to[c][0] * from[c][1]);
    cosine = cosine + inverse_sq * dot(to[c], from[c]);
  }
  const double angle = elementary::atan2(sine.value, cosine.value);
  const Dual turn{angle, (cosine.value * sine.slopes - sine.value * cosine.slopes) /
                             (cosine.value * cosine.value + sine.value * sine.value)};
  const Mat<2> quarter{{0.0, -1.0}, {1.0, 0.0}}, rotation = rotation_by<2>(angle);
  DualVec<2> back{rotation.transpose() * p.value, {}};
  back.slopes = rotation.transpose() * (p.slopes - quarter * p.value * turn.slopes);
  return {turn * DualVec<2>{quarter * p.value, quarter * p.slopes}, back};
}

/// Returns how the body of a feature in space would turn freely, as a rotation vector.
template <int dim>
Vec<3> ContactFriction<dim>::free_turn(int vertex, int first, const Columns& from, double inverse_sq) const {
  if (step_.free_motion.size() == 0) return Vec<3>::Zero();
  Mat<3> rate = Mat<3>::Zero();
  for (int c = 0; c < 3; ++c) {
    const Vec<3> moved = block<3>(step_.free_motion, first + c) - block<3>(step_.free_motion, vertex);
    rate += inverse_sq * moved * from[c].value.transpose();
  }
  return vector_of_skew<3>(rate);
}

/// Turns p in space by the rotation nearest to the map between columns, whole turns as in the free motion.
template <int dim>
auto ContactFriction<dim>::turned_in_space(const Columns& from, const Columns& to, double inverse_sq,
                                           const DualVec<dim>& p, const Vec<3>& free) const -> TurnedPoint {
  Mat<3> map = Mat<3>::Zero();
  for (int c = 0; c < 3; ++c) map += inverse_sq * to[c].value * from[c].value.transpose();
  const Mat<3> rotation = nearest_rotation<3>(map), stretch = rotation.transpose() * map;
  // With map = R S, a change of the map turns R by R w before it: (tr(S) I - S) w = vee(R^T dM - dM^T R).
  typename DualVec<3>::Slopes skew = DualVec<3>::Slopes::Zero(3, width());
  for (int c = 0; c < 3; ++c) {
    const Vec<3> ahead = rotation.transpose() * to[c].value;
    skew += inverse_sq * (cross_matrix(from[c].value) * (rotation.transpose() * to[c].slopes) -
                          cross_matrix(ahead) * from[c].slopes);
  }
  const Mat<3> resistance = stretch.trace() * Mat<3>::Identity() - 0.5 * (stretch + stretch.transpose());
  const typename DualVec<3>::Slopes spin = rotation * (resistance.inverse() * skew);
  DualVec<3> turn{nearest_rotation_vector(rotation, free), {}};
  turn.slopes = inverse_left_jacobian(turn.value) * spin;
  DualVec<3> back{rotation.transpose() * p.value, {}};
  back.slopes = rotation.transpose() * (p.slopes + cross_matrix(p.value) * spin);
  return {cross(turn, p), back};
}

/// Returns the turning of a feature with a radius; nothing if it has none. See FrictionPotential::add_turning.
template <int dim>
auto ContactFriction<dim>::turning(std::size_t side) const -> std::optional<Turning> {
  if (ends_of_sides()[side] == ends_of_sides()[side + 1]) return std::nullopt;
  const int vertex = contact_.vertices[ends_of_sides()[side]], first = step_.model.turn_vertex_of(vertex);
  if (first < 0) return std::nullopt;
  const double radius = step_.model.surface.radius[vertex], inverse_sq = 1.0 / (radius * radius);
  const double sign = side == 0 ? 1.0 : -1.0;
  Columns from, to;  // of the body's map, as lengths of the radius
  for (int c = 0; c < dim; ++c) {
    from[c] = start(first + c) - start(vertex);
    to[c] = end(first + c) - end(vertex);
  }
  const DualVec<dim> p = (-sign * radius) * normal_;
  TurnedPoint point;
  if constexpr (dim == 2) {
    point = turned_in_plane(from, to, inverse_sq, p);
  } else {
    point = turned_in_space(from, to, inverse_sq, p, free_turn(vertex, first, from, inverse_sq));
  }
  Turning result{{}, sign * (point.material - (p - point.back)), sign * point.material};
  Dual rest = constant(0.0);
  for (int c = 0; c < dim; ++c) {
    const Dual share = (sign * inverse_sq) * dot(from[c], point.back);
    result.places.emplace_back(first + c, share);
    rest = rest - share;
  }
  result.places.emplace_back(vertex, rest);
  return result;
}

/// Returns the angles of rods' segments that the sliding depends on; see FrictionPotential::add_spins.
template <int dim>
auto ContactFriction<dim>::spins() const -> std::vector<Spin> {
  std::vector<Spin> spins;
  if constexpr (dim == 3) {
    if (step_.model.segment_turns.empty()) return spins;
    for (std::size_t side = 0; side < 2; ++side) {
      const int begin = ends_of_sides()[side], count = ends_of_sides()[side + 1] - begin;
      if (count != 1 && count != 2) continue;
      const bool is_turned = count == 2 && std::abs(weights_[begin + 1].value) > 0.5;
      const int vertex = contact_.vertices[begin + (is_turned ? 1 : 0)];
      const int other = count == 2 ? contact_.vertices[begin + (is_turned ? 0 : 1)] : -1;
      const Dual from_middle = count == 2 ? abs(abs(weights_[begin + 1]) - constant(0.5)) : constant(0.5);
      const auto& turns = step_.model.segment_turns[vertex];
      const bool is_alone = turns[0].vertex < 0 || turns[1].vertex < 0;
      const double radius = step_.model.surface.radius[vertex];
      const DualVec<3> p = (side == 0 ? -radius : radius) * normal_;
      for (const SegmentTurn& turn : turns) {
        if (turn.vertex < 0) continue;
        const Dual share = is_alone ? constant(1.0) : turn.other == other ? constant(1.0) - from_middle : from_middle;
        const DualVec<3> tangent = normalized(end(turn.other) - end(vertex));
        spins.push_back(
            {turn.vertex, turn.component, Dual(((side == 0 ? 1.0 : -1.0) / turn.length) * share) * cross(tangent, p)});
      }
    }
  }
  return spins;
}

template <int dim>
Dual ContactFriction<dim>::coefficient_at(const FrictionCoefficients& mu, const Dual& slid, double eps) const {
  Dual result = constant(coefficient(mu, slid.value, eps));
  if (slid.value > eps && slid.value < 2.0 * eps) {
    const double q = slid.value / eps - 1.0;
    result.slopes = ((mu.sliding - mu.sticking) * 6.0 * q * (1.0 - q) / eps) * slid.slopes;
  }
  return result;
}

template <int dim>
auto ContactFriction<dim>::turnings() const -> Turnings {
  if (!(contact_.thickness > 0.0)) return {};
  Turnings result{spins(), {}};
  for (const std::size_t side : {0, 1}) {
    if (auto found = turning(side)) result.of_sides.push_back(std::move(*found));
  }
  return result;
}

/// Finds the elastic sliding `stick_` that is left of the steps before.
template <int dim>
void ContactFriction<dim>::find_elastic_sliding(const FrictionScales& scales) {
  stick_ = constant(Vec<dim>::Zero());
  if (!(scales.stick > 0.0)) return;
  for (int i = 0; i < contact_.num_vertices() && !turn_; ++i) {
    if (place_in_memory(i) >= 0) find_turn();
  }
  stick_ = across(remembered(), normal_);
}

/// Adds the force of the contact on everything that its sliding depends on.
template <int dim>
void ContactFriction<dim>::add_forces(const Turnings& turnings, const DualVec<dim>& force,
                                      Response<dim>& response) const {
  for (int i = 0; i < contact_.num_vertices(); ++i) {
    response.gradients.push_back({contact_.vertices[i], weights_[i] * force});
  }
  for (const Turning& of_side : turnings.of_sides) {
    for (const auto& [vertex, weight] : of_side.places) response.gradients.push_back({vertex, weight * force});
  }
  for (const Spin& spin : turnings.spins) {
    const Dual moment = dot(spin.arm, force);
    DualVec<dim> of_angle = constant(Vec<dim>::Zero());
    of_angle.value[spin.component] = moment.value;
    of_angle.slopes.row(spin.component) = moment.slopes;
    response.gradients.push_back({spin.vertex, of_angle});
  }
}

/// Adds what the vertices remember from now on, if the contact keeps `kept` of its sliding.
template <int dim>
void ContactFriction<dim>::add_updates(const Dual& limit, const DualVec<dim>& kept, Response<dim>& response) const {
  const DualVec<dim> increment = kept - stick_;
  for (int i = 0; i < contact_.num_vertices(); ++i) {
    const Dual weight = limit * abs(weights_[i]);
    if (!(weight.value > 0.0)) continue;
    const double sign = i < num_first(contact_) ? 1.0 : -1.0;
    const int place = place_in_memory(i);
    const DualVec<dim> before = place < 0 ? sign * stick_ : turned(variable(ArgumentKind::stick, place));
    response.updates.push_back(
        {contact_.vertices[i], partner_of(step_.model, contact_, i), weight * (before + sign * increment), weight});
  }
}

template <int dim>
Response<dim> ContactFriction<dim>::respond(double normal_force, const FrictionCoefficients& mu) {
  declare_arguments();
  find_closest_points();
  Response<dim> response;
  response.arguments = arguments_;

  // 1. The sliding of this step: of the vertices and of what turns. That of round features is the material that passes,
  // and `motion` is what the force works on.
  DualVec<dim> motion = constant(Vec<dim>::Zero());
  for (int i = 0; i < contact_.num_vertices(); ++i) {
    motion = motion + weights_[i] * displacement(contact_.vertices[i]);
  }
  const Turnings turning = turnings();
  for (const Spin& spin : turning.spins) motion = motion + displacement(spin.vertex)[spin.component] * spin.arm;
  DualVec<dim> slide = across(motion, normal_);
  for (const Turning& of_side : turning.of_sides) {
    slide = slide + of_side.material;
    motion = motion + of_side.offset;
    for (const auto& [vertex, weight] : of_side.places) motion = motion + weight * displacement(vertex);
  }

  // 2. The law: its scales, what is remembered, and the coefficient.
  const FrictionScales scales = friction_scales_of(step_.model, step_.scales, contact_);
  const double eps = scales.eps_v * scales.h;
  const bool has_memory = scales.stick > 0.0;
  const FrictionLaw law{has_memory ? scales.stick : eps};
  find_elastic_sliding(scales);
  Dual slid = norm(slide);
  if (has_memory) {
    const Dual stretch = norm(stick_ + slide);
    slid = stretch.value > scales.stick ? stretch + constant(eps - scales.stick) : constant(eps);
  }
  Dual force = constant(normal_force);
  force.slopes[0] = 1.0;
  const Dual limit = force * coefficient_at(mu, slid, eps);

  // 3. The force on the vertices.
  const DualVec<dim> u = stick_ + across(motion, normal_);
  const Dual y = norm(u);
  Dual over_distance = constant(law.force_over_distance(y.value));
  over_distance.slopes = (y.value < law.eps ? -1.0 / (law.eps * law.eps) : -1.0 / (y.value * y.value)) * y.slopes;
  add_forces(turning, Dual(limit * over_distance) * u, response);

  // 4. The memory.
  if (has_memory && !(limit.value < 0.0)) {
    add_updates(limit, y.value > law.eps ? Dual(law.eps * (constant(1.0) / y)) * u : u, response);
  }
  return response;
}

/// Returns the derivatives of the normal force by the places of the contact's stencil.
template <int dim>
std::vector<double> force_gradient(const FrictionOfStep<dim>& step, std::size_t k, double distance) {
  const Contact& contact = step.contacts.contacts[k];
  std::vector<double> gradient(dim * step.contacts.num_places(k), 0.0);
  if (step.contact_model.compute_force_gradient(step.contacts, k, step.x, gradient)) return gradient;
  // A formulation that does not tell: differences.
  constexpr double part_of_distance = 1e-3;
  const ContactPositions<dim> at = positions_of<dim>(contact, step.x);
  for (int i = 0; i < contact.num_vertices(); ++i) {
    for (int c = 0; c < dim; ++c) {
      gradient[static_cast<std::size_t>(dim * i + c)] = fourth_order_slope(part_of_distance * distance, [&](double by) {
        ContactPositions<dim> moved = at;
        moved[i][c] += by;
        return step.contact_model.normal_force(contact, compute_contact_gap<dim>(step.model, contact, moved), moved);
      });
    }
  }
  return gradient;
}

/// The rows of one kind of numbers: of forces or of the memory.
struct Rows {
  EntryList &by_end, &by_start, &by_stick;

  EntryList& by(ArgumentKind kind) {
    return kind == ArgumentKind::end ? by_end : kind == ArgumentKind::start ? by_start : by_stick;
  }
};

/// An argument of a contact, and what the normal force has of it.
template <int dim>
struct Column {
  Argument argument;
  Vec<dim> of_force = Vec<dim>::Zero();
};

/// Returns the arguments of one contact in their order, and then what else its normal force depends on by `of_force`.
template <int dim>
std::vector<Column<dim>> columns_of(const FrictionOfStep<dim>& step, std::size_t k,
                                    const std::vector<Argument>& arguments, const std::vector<double>& of_force) {
  std::vector<Column<dim>> columns;
  for (const Argument& argument : arguments) columns.push_back({argument});
  step.contacts.for_each_vertex(k, [&](std::size_t place, int vertex) {
    const Argument argument{ArgumentKind::end, vertex};
    auto at = std::find_if(columns.begin(), columns.end(),
                           [&](const Column<dim>& column) { return column.argument == argument; });
    if (at == columns.end()) at = columns.insert(at, {argument});
    at->of_force += Eigen::Map<const Vec<dim>>(of_force.data() + dim * place);
  });
  return columns;
}

/// Adds a row of slopes of one contact.
template <int dim>
void add_row(const std::vector<Column<dim>>& columns, Eigen::Index row, const Dual::Slopes& slopes, Rows rows) {
  for (std::size_t a = 0; a < columns.size(); ++a) {
    const auto& [argument, of_force] = columns[a];
    const Eigen::Index size = argument.kind == ArgumentKind::stick ? 3 : dim;
    const Eigen::Index first = 1 + dim * static_cast<Eigen::Index>(a);
    for (int c = 0; c < dim; ++c) {
      const double value = slopes[0] * of_force[c] + (first < slopes.size() ? slopes[first + c] : 0.0);
      if (value != 0.0) rows.by(argument.kind).add(row, size * argument.index + c, value);
    }
  }
}

}  // namespace

namespace {

template <int dim>
struct Evaluated {
  std::size_t contact;
  Response<dim> response;
  std::vector<double> of_force;  // slopes of the normal force
};

/// Evaluates all contacts that rub.
template <int dim>
std::vector<Evaluated<dim>> evaluate(const FrictionOfStep<dim>& step) {
  std::vector<Evaluated<dim>> all;
  for (std::size_t k = 0; k < step.contacts.contacts.size(); ++k) {
    const Contact& contact = step.contacts.contacts[k];
    const FrictionCoefficients mu = friction_coefficients(step.model, contact);
    if (mu.is_zero()) continue;
    const ContactPositions<dim> positions = positions_of<dim>(contact, step.x);
    const ContactGap<dim> gap = compute_contact_gap<dim>(step.model, contact, positions);
    const double force = step.kappa * step.contact_model.normal_force(contact, gap, positions);
    if (!(std::abs(force) > 0.0)) continue;
    ContactFriction<dim> friction(step, contact);
    all.push_back({k, friction.respond(force, mu), force_gradient<dim>(step, k, gap.distance)});
    for (double& slope : all.back().of_force) slope *= step.kappa;
  }
  return all;
}

/// The memory that a vertex keeps of a partner: the mean over its contacts.
template <int dim>
struct Mean {
  Vec<dim> sum = Vec<dim>::Zero();
  double weight = 0.0;
  Eigen::Index place = 0;  // in the memory
};
template <int dim>
using Means = std::map<std::pair<int, int>, Mean<dim>>;

/// Sums up what the vertices remember, and writes it into `stick`.
template <int dim>
Means<dim> find_means(const std::vector<Evaluated<dim>>& all, std::vector<StickVertex>& stick) {
  Means<dim> means;
  for (const Evaluated<dim>& one : all) {
    for (const auto& update : one.response.updates) {
      Mean<dim>& mean = means[{update.vertex, update.partner}];
      mean.sum += update.weighted.value;
      mean.weight += update.weight.value;
    }
  }
  for (auto& [key, mean] : means) {
    mean.place = std::ssize(stick);
    mean.sum /= mean.weight;
    StickVertex& added = stick.emplace_back();
    added.vertex = key.first;
    added.partner = key.second;
    added.displacement.template head<dim>() = mean.sum;
  }
  return means;
}

}  // namespace

template <int dim>
FrictionDerivatives differentiate_friction(const FrictionOfStep<dim>& step) {
  FrictionDerivatives result;
  const auto num_vertices = static_cast<Eigen::Index>(step.model.surface_map.num_vertices());
  result.gradient = VecX::Zero(dim * num_vertices);
  const std::vector<Evaluated<dim>> all = evaluate(step);
  for (const Evaluated<dim>& one : all) {
    for (const auto& of_vertex : one.response.gradients) {
      block<dim>(result.gradient, of_vertex.vertex) += of_vertex.gradient.value;
    }
  }
  const Means<dim> means = find_means(all, result.stick);

  const Eigen::Index num_rows = dim * num_vertices, num_sticking = 3 * std::ssize(result.stick),
                     num_remembered = 3 * std::ssize(step.memory);
  result.force_by_end = result.force_by_start = EntryList(num_rows, num_rows);
  result.force_by_stick = EntryList(num_rows, num_remembered);
  result.stick_by_end = result.stick_by_start = EntryList(num_sticking, num_rows);
  result.stick_by_stick = EntryList(num_sticking, num_remembered);
  const Rows forces{result.force_by_end, result.force_by_start, result.force_by_stick};
  const Rows memory{result.stick_by_end, result.stick_by_start, result.stick_by_stick};
  for (const Evaluated<dim>& one : all) {
    const std::vector<Column<dim>> columns = columns_of(step, one.contact, one.response.arguments, one.of_force);
    const auto add = [&](Eigen::Index row, const Dual::Slopes& slopes, const Rows& rows) {
      add_row<dim>(columns, row, slopes, rows);
    };
    for (const auto& of_vertex : one.response.gradients) {
      for (int c = 0; c < dim; ++c) {
        add(dim * static_cast<Eigen::Index>(of_vertex.vertex) + c, of_vertex.gradient.slopes.row(c), forces);
      }
    }
    for (const auto& update : one.response.updates) {
      const Mean<dim>& mean = means.at({update.vertex, update.partner});
      for (int c = 0; c < dim; ++c) {
        add(3 * mean.place + c, (update.weighted.slopes.row(c) - mean.sum[c] * update.weight.slopes) / mean.weight,
            memory);
      }
    }
  }
  return result;
}

template FrictionDerivatives differentiate_friction<2>(const FrictionOfStep<2>&);
template FrictionDerivatives differentiate_friction<3>(const FrictionOfStep<3>&);

}  // namespace clearance
