// Newton's law of restitution for stiff bodies: a body that hits something leaves it with e times the speed of its
// approach.
//
// A contact is an impact in the step in which its points come within the activation distance, as they did at the start
// of the step: from there on the barrier brakes them. Positions stay those of the step, which are free of
// intersections. The velocity v at its end, which the barrier has braked as an inelastic impact does, becomes the
// nearest one, in the norm of the masses, with
//   n . u(v) >= e c    in impacts, where c is the speed of the approach when the points meet, and
//   n . u(v) >= min(0, n . u(v_end))    in all other contacts of the same bodies,
// where u is the velocity of a contact's points relative to each other: Moreau's impact law, with Coulomb friction of
// the impulses. The points are those of the surfaces: of a feature with a radius they are beside its vertices. Affine
// bodies change by a rigid motion, or what hits would rebound and the rest of the body follow later. Bodies in joints
// move together: impulses act on the masses, the rotors and the stiffness of the joints.
//
// In a long step round bodies slide around each other, which turns the normal. A single contact of bodies that nothing
// else holds therefore gets its whole impulse where the bodies meet on their free way, instead of that of the barrier.
// Without restitution the same holds where the normal has turned, if the integrator starts anew in impacts.
//
// Impacts follow one another if one may push a body against others that it did not approach: those of the start come
// first, then those that they cause, round by round, each with the restitution of the speed at which its points
// approach then. The last ball of Newton's cradle therefore swings alone, also where the balls touch.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "clearance/solver/rigid_columns.h"
#include "clearance/solver/step_problem.h"

namespace clearance {

template <int dim>
class Rebound {
 public:
  /// Collects the impacts of the step from `state` to `end`. It needs no memory of earlier steps. `marks` are those of
  /// the step where the integrator starts anew. The joints among `potentials` are as stiff as they are in the step.
  /// Mechanisms of more than 64 bodies, or with deformable ones, are pushed as if they had no joints.
  Rebound(const Model& model, const SolverOptions& options, const PrescribedTargets& targets, const State& state,
          const std::optional<RestartMarks>& marks, const VecX& x_surface_t0, const Iterate& end,
          std::span<const std::unique_ptr<Potential>> potentials);

  /// Takes up the speed that `forces_t0` [N], those of the potentials at the start of the step of `h` [s], give or take
  /// until bodies meet: a body falls on through its last gap. Without it, a ball that falls for 20 steps would rebound
  /// a tenth too low.
  void take_up_forces(const VecX& forces_t0, double h);
  /// True if nothing has hit anything.
  bool is_empty() const { return meetings_.empty(); }
  /// Returns the first block and the island of every body whose velocity rebounds may change.
  std::vector<std::pair<int, int>> pushed_bodies() const {
    std::vector<std::pair<int, int>> pushed;
    for (const Body& body : bodies_) {
      if (body.island >= 0) pushed.emplace_back(body.stiff.first_block, body.island);
    }
    return pushed;
  }
  /// Sets the velocities of the bodies after the impacts. `state` is the state at the end of the step.
  void apply(State& state);

 private:
  struct Body {
    StiffBody stiff;
    RigidColumns<dim> columns;                                   // at the end
    double mass = 0.0;                                           // [kg]
    Vec<3> v_t0 = Vec<3>::Zero(), spin_t0 = Vec<3>::Zero();      // [m/s], [rad/s] at the start
    double spin_energy_t0 = 0.0;                                 // [J]
    Vec<3> momentum_t0 = Vec<3>::Zero();                         // [kg m^2/s] of the spin
    Vec<3> v_met = Vec<3>::Zero();                               // [m/s] when it first meets something
    Vec<3> v_free = Vec<3>::Zero(), spin_free = Vec<3>::Zero();  // at the end, if it did not meet anything
    Vec<3> v_end = Vec<3>::Zero(), spin_end = Vec<3>::Zero();    // as the barrier leaves it
    Vec<3> v = Vec<3>::Zero(), spin = Vec<3>::Zero();
    int island = 0;
    int mechanism = -1, place = 0;  // into mechanisms_, and there; -1: no joint
    bool is_held = false;           // by joints, attachments, springs or dampers
    bool starts_free = false;       // its velocity begins with that of the free motion, not with the barrier's
  };
  /// Rigid motions of a body: along the axes, and turns about them; in the plane along x and y and about z.
  static constexpr int num_turns = dim == 2 ? 1 : 3, num_motions = dim + num_turns;
  using Motion = Eigen::Matrix<double, num_motions, 1>;
  /// Bodies that joints connect, or one that they hold.
  struct Mechanism {
    std::vector<int> bodies;
    MatX mobility;  // motions of the bodies, as rates, by impulses and angular impulses; may be empty
    MatX rotors;    // inertia of the joints' rotors in these motions; empty: none
  };
  struct Side {
    int body = -1;                     // into bodies_; -1: moves as prescribed
    Vec<3> arm = Vec<3>::Zero();       // [m] from the centre of mass to the surface
    Vec<3> beside = Vec<3>::Zero();    // [m] from the vertices to the surface, by their radius
    Vec<3> velocity = Vec<3>::Zero();  // [m/s] of what moves as prescribed
  };
  struct Meeting {
    std::array<Side, 2> sides;
    std::size_t contact = 0;         // into those of the end
    Vec<3> normal = Vec<3>::Zero();  // towards the first
    bool is_impact = false;
    double target = 0.0;                       // [m/s]
    double approach = 0.0, restitution = 0.0;  // [m/s] at the start, 1
    double closed = 0.0;                       // [m] of its gap in the step
    double gap = 0.0;                          // [m] at the end of the step
    std::array<int, 2> bodies = {0, 0};        // of the surface; -1 - half-space
    double mu = 0.0;
    double normal_response = 0.0, tangent_response = 0.0;  // [1/kg] speed by impulse
    double pressed = 0.0;                                  // [N s]
    bool is_active = true;                                 // has an impulse in this round
    Vec<3> rubbed = Vec<3>::Zero();                        // [N s]
  };

  /// Returns the two bodies, in ascending order.
  static std::pair<int, int> pair_of(const Meeting& meeting) {
    return std::minmax(meeting.sides[0].body, meeting.sides[1].body);
  }
  int island_of(const Meeting& meeting) const {
    return bodies_[std::max(meeting.sides[0].body, meeting.sides[1].body)].island;
  }
  /// Calls visit(begin, end) for the meetings of each two bodies, which follow each other.
  template <class Visit>
  void for_each_pair(const Visit& visit) const {
    for (std::size_t begin = 0, end = 0; begin < meetings_.size(); begin = end) {
      while (end < meetings_.size() && pair_of(meetings_[end]) == pair_of(meetings_[begin])) ++end;
      visit(begin, end);
    }
  }
  /// Returns 1/2 a . L(b) [J], where L(b) is the angular momentum of the spin b.
  static double spin_energy(const RigidColumns<dim>& columns, const Vec<3>& a, const Vec<3>& b) {
    return 0.5 * a.dot(columns.moment_of(b));
  }
  static Vec<3> padded(const Vec<dim>& value) {
    Vec<3> result = Vec<3>::Zero();
    result.template head<dim>() = value;
    return result;
  }

  void add_bodies(const PrescribedTargets& targets, const State& state, const VecX& x);
  void add_meetings(const SolverOptions& options, const VecX& x_surface_t0, const Iterate& end);
  bool set_sides(Meeting& meeting, const Contact& contact, const ContactGap<dim>& gap,
                 const ContactPositions<dim>& positions, const VecX& x, const VecX& x_surface_t0, double h) const;
  bool fill_side(Side& side, const Contact& contact, const std::array<double, 4>& weights,
                 const ContactPositions<dim>& positions, int begin, int stop) const;
  void move_lone_meetings(const State& state, const VecX& x_surface_t0, const Iterate& end, double h);
  void move_to_surface(Side& side, int vertex, const Vec<dim>& outward, const VecX& x_surface_t0, double h) const;
  void add_mechanisms();
  bool has_hit(const std::optional<RestartMarks>& marks) const;
  void keep_islands_of_impacts();
  void keep_nearest_impacts();
  void find_sequences();
  void find_mobilities(std::span<const std::unique_ptr<Potential>> potentials, const VecX& x, double h);
  Eigen::Matrix<double, dim*(dim + 1), num_motions> rigid_motions(const Body& body) const;
  void find_mobilities_of_mechanisms(std::span<const std::unique_ptr<Potential>> potentials, const VecX& x, double h);
  MatX in_motions(const Mechanism& mechanism, const BlockSparseMatrix& matrix, const VecX& mass) const;
  bool moves_alone(const Body& body) const {
    return body.mechanism < 0 || mechanisms_[body.mechanism].mobility.size() == 0;
  }
  /// Returns the impulse at a side's point, and its moment about the body's centre of mass.
  static Motion load(const Side& side, const Vec<3>& impulse) {
    Motion load;
    load << impulse.template head<dim>(), side.arm.cross(impulse).eval().template tail<num_turns>();
    return load;
  }
  double speed(const Side& of, const Vec<3>& along, const Side& by, const Vec<3>& impulse) const;
  Vec<3> relative_velocity(const Meeting& meeting, bool is_at_start = false) const;
  void push(const Meeting& meeting, const Vec<3>& impulse);
  double coupling(const Meeting& of, const Vec<3>& along, const Meeting& by, const Vec<3>& impulse) const;
  void balance_active(std::vector<std::size_t>& active, const std::vector<double>& missing, std::size_t begin);
  double press(std::size_t begin, std::size_t end, double tolerance);
  double rub(Meeting& meeting);
  void solve(double fastest);
  void follow_impacts();
  VecX rates_of(const Mechanism& mechanism, Vec<3> Body::*v, Vec<3> Body::*spin) const;
  void limit_energy();

  const Model& model_;
  std::vector<Body> bodies_;
  std::vector<Mechanism> mechanisms_;
  std::vector<int> body_of_;  // per body of the surface: into bodies_; -1 prescribed, -2 deformable
  VecX x_surface_, v_surface_;
  std::vector<Meeting> meetings_;
  bool takes_inelastic_ = false;   // contacts without restitution may be impacts
  double least_impact_ = 0.0;      // [m/s] of approaches
  std::vector<char> is_sequence_;  // per island: its impacts follow one another
};

}  // namespace clearance
