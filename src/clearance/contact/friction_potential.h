// The lagged friction potential D(x) of [Fer23, eq. 2.15, 2.16]: sliding bases and normal forces are those of an
// earlier iterate, so that friction has an energy.
//
// The sliding of a contact since the start of the step is u = (I - n n^T) sum_i w_i (x_i - x_i^t), with the lagged
// normal n and the lagged weights w_i of the closest points. The potential mu lambda f_0(|u|) has the gradient
// mu lambda f_1(|u|) / |u| w_i u.
//
// Its Hessian mu lambda w_i w_j B has one small matrix B a contact, which is positive semi-definite: no basis T and no
// eigenvalue problem [Fer23, app. A.9] are needed. B is f_1(|u|) / |u| across u and f_1'(|u|) along u, which is zero
// for a sliding contact: Newton's step then shoots through the narrow valley of sticking, and the line search crawls
// back. The projected Hessian therefore has the matrix of the primal-dual method of [Cha99] for such potentials. The
// dual d of a contact is its friction as a share of the limit. With s = |u| / f_1(|u|) the law reads d s = u, and
// Newton for u and d at once moves both: after d is eliminated, B = (I - s' (d u^T + u d^T) / (2 |u|)) / s. This is
// the Hessian where d = u / s, and where d is less than the limit a sliding contact has stiffness along u, too.
//
// With a memory, the sliding starts from the elastic sliding of the last step (stick_memory.h), and eps is a
// length that a contact gives way by before it slips: friction is an elastic and perfectly plastic spring, which holds
// a load below the limit without creeping. The return mapping of plasticity follows from the potential by itself.
//
// A feature with a radius r has its contact point not on the vertices but at p beside them, of length r, and turns with
// its body: a ball rolls if its surface does not slide. While the body turns by R = exp([phi]) at a constant rate, the
// material that passes the contact point slides by phi x p in all. The material point that is there at the end was at
// R^T p at the start, and slides by p - R^T p, which is linear in the positions of the body. With the lagged R this
// point, and the difference of both as a lagged offset, have the right sliding and the right lever of the force at any
// turn, and no curvature that would lead Newton's directions out of the valley of sticking.
//
// A rod's segment turns about its tangent t by an angle of its own. While it turns by phi, the material that passes the
// contact point slides by phi t x p: rods roll. Only this turn counts; that a segment also tilts is left out, as for
// shells, whose contacts slide as their midsurface does.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clearance/contact/contact_hessians.h"
#include "clearance/contact/contact_model.h"
#include "clearance/contact/friction.h"
#include "clearance/contact/stick_memory.h"

namespace clearance {

/// Scales of friction for a model without contact scales of its own.
struct FrictionScales {
  double h = 0.01;      ///< [s] time of a step
  double eps_v = 1e-3;  ///< [m/s] sliding slower than this counts as sticking
  double stick = 0.0;   ///< [m] elastic sliding of a contact that sticks; 0: the smoothed law, without a memory
};

template <int dim>
class FrictionPotential {
 public:
  /// `x_t0` has the surface positions at the start of the step, flat; `memory` is State::stick. All outlive the object.
  /// `hessians` are as in ContactPotential. `free_motion` is the displacement of the surface in a step at the velocity
  /// of its start. It tells the whole turns of features with a radius, and may be empty without these.
  FrictionPotential(const Model& model, const ContactModel<dim>& contact_model, const FrictionScales& scales,
                    const VecX& x_t0, const std::vector<StickVertex>& memory,
                    std::shared_ptr<ContactHessians<dim>> hessians = std::make_shared<ContactHessians<dim>>(),
                    VecX free_motion = {})
      : model_(model),
        contact_model_(contact_model),
        scales_(scales),
        x_t0_(x_t0),
        memory_(model, memory, x_t0),
        hessians_(std::move(hessians)),
        free_motion_(std::move(free_motion)) {}

  /// Takes normals, weights, normal forces and coefficients from the contacts `set` at the surface positions `x`, of
  /// which `x - displacement` were the positions a step before. `kappa` is the barrier stiffness in the incremental
  /// potential, and so are the forces then: h^2 times newtons for implicit Euler. The new potential has the `share`,
  /// and the one so far keeps the rest.
  void lag(const ContactSet& set, const VecX& x, const VecX& displacement, double kappa, double share = 1.0);
  bool is_empty() const { return contacts_.empty(); }

  CompensatedSum energy(const VecX& x) const;
  void add_gradient(const VecX& x, VecX& gradient) const;
  /// Visits the friction force on each vertex of every contact, times `scale`, in the units of the incremental
  /// potential per metre.
  void visit_forces(const VecX& x, double scale, const ForceVisitor<dim>& visit) const;
  /// Returns the work that friction has taken out since the start of the step: its forces at x times the sliding up to
  /// there.
  double work(const VecX& x) const;
  /// `gaps` as in ContactPotential: sticking is elastic. works[body] += scale * work of its contacts, shared alike.
  void add_work_gaps(const VecX& x, double scale, VecX& gaps, VecX& works) const;
  /// Returns the memory of sticking for the next step; empty without a memory.
  std::vector<StickVertex> stick(const VecX& x) const;

  /// Fixes which unknowns the Hessian touches; see ContactPotential::prepare_hessian.
  const std::vector<BlockKey>& prepare_hessian(const std::vector<char>& is_fixed);
  /// Adds the gradient and the Hessian or, if it is to be projected, the matrix of the present duals.
  void add_derivatives(const VecX& x, HessianKind kind, VecX& gradient, BlockSparseMatrix& matrix);
  /// Moves the duals by the whole direction `dx` from the surface positions `x` at which the matrix was assembled.
  void move_duals(const VecX& x, const VecX& dx);

 private:
  struct LaggedContact {
    int num_vertices = 0;
    std::array<int, 4> vertices{};
    std::array<double, 4> weights{};
    // The turning of features with a radius: differences to a vertex of those at Model::first_turn_vertex.
    int num_turned = 0;
    std::array<int, 8> turned{};
    std::array<double, 8> turned_weights{};
    Vec<dim> turned_offset = Vec<dim>::Zero();  // what these slide by less than the material that passes
    // The turning of rods' segments: the sliding per change of component `component` of a vertex of the map.
    struct Spin {
      int vertex = -1, component = 0;
      Vec<dim> arm = Vec<dim>::Zero();
    };
    int num_spins = 0;
    std::array<Spin, 4> spins{};
    Vec<dim> normal;
    Vec<dim> stick = Vec<dim>::Zero();  // elastic sliding at the start of the step, across the normal
    FrictionLaw law;
    bool has_memory = false;
    Contact contact;
    double limit = 0.0;  // mu lambda, in the units of the incremental potential per metre; of the contact's sign
    Vec<dim> dual = Vec<dim>::Zero();  // no longer than 1; f_1(|u|) / |u| u where friction was lagged first
  };
  /// The friction of a contact, in the units of the incremental potential per metre.
  struct KnownFriction {
    Contact contact;
    Vec<dim> force;
  };

  /// How a body turns in the step.
  struct Turn;
  /// By the vertex that a body turns about.
  using Turns = std::unordered_map<int, Turn>;
  Turn turn_in_step(int vertex, const VecX& x, const VecX& displacement) const;
  Vec<dim> add_turning(const VecX& x, const VecX& displacement, Turns& turns, LaggedContact& contact) const;
  void add_spins(const VecX& x, LaggedContact& contact) const;
  static std::span<const typename LaggedContact::Spin> spins_of(const LaggedContact& contact) {
    return {contact.spins.data(), static_cast<std::size_t>(contact.num_spins)};
  }
  /// Calls visit(vertex, weight) for all vertices that the sliding depends on.
  template <class Visit>
  static void for_each_weight(const LaggedContact& contact, const Visit& visit);
  /// Returns the sliding of a contact in this step, and its change by a displacement `dx` more.
  static Vec<dim> sliding(const LaggedContact& contact, const VecX& displacement);
  static Vec<dim> sliding_change(const LaggedContact& contact, const VecX& dx);
  /// Returns the argument of the friction law: the sliding in this step plus the elastic sliding that the contact
  /// remembers.
  static Vec<dim> stretch(const LaggedContact& contact, const VecX& displacement) {
    return contact.stick + sliding(contact, displacement);
  }
  void start_duals(const VecX& x);
  std::vector<KnownFriction> friction_at(const VecX& x) const;
  void keep_duals(const std::vector<KnownFriction>& known);

  const Model& model_;
  const ContactModel<dim>& contact_model_;
  FrictionScales scales_;
  const VecX& x_t0_;
  StickMemory<dim> memory_;
  std::vector<LaggedContact> contacts_;
  std::shared_ptr<ContactHessians<dim>> hessians_;
  VecX free_motion_;
};

/// Returns the scales of a contact: `scales`, or those of its vertices where the model has contact scales.
FrictionScales friction_scales_of(const Model& model, const FrictionScales& scales, const Contact& contact);
/// Returns the coefficients of the two bodies that a contact is between, or of the body and its half-space.
FrictionCoefficients friction_coefficients(const Model& model, const Contact& contact);

}  // namespace clearance
